// The standard library as the compiler carries it: each stdlib/*.jx is parsed when jx is built, its tree
// embedded as compact bytes with the source text (for diagnostics), and functions are decoded when they are
// first used.
#pragma once

#include "compiler/syntax/AstContext.h"

#include <string_view>
#include <vector>

namespace jx {

/// One embedded module, not decoded.
struct StdlibEntry {
  std::string_view name;   ///< `jax.numpy`
  std::string_view source; ///< The text of the .jx file.
  std::string_view blob;   ///< The encoded tree.
  bool isPackage;          ///< It is an `__init__.jx`: relative imports start in it.
};

/// Null when the library has no such module.
const StdlibEntry *findStdlibModule(std::string_view name);
/// Names of all embedded modules, sorted (for "did you mean").
std::vector<std::string_view> stdlibModuleNames();
/// Decodes the module's top level and adds its source under `<jax.numpy>`. Functions decode on first use; the
/// context must outlive the tree. A second call for the same module makes a second tree: cache the result.
const ast::Module *loadStdlibModule(const StdlibEntry &entry, SourceManager &sources, AstContext &context);

} // namespace jx
