// The front door of the front end: text to tree. Nothing else of ANTLR or of the token source is visible
// outside.
#pragma once

#include "compiler/diagnostics/Diagnostic.h"
#include "compiler/syntax/AstContext.h"

#include <string>

namespace jx {

struct ParseResult {
  /// Null when errors were reported.
  const ast::Module *module = nullptr;
  explicit operator bool() const { return module != nullptr; }
};

/// Parses a file of the source manager as the module `moduleName`. Errors go to the sink (codes JX01xx) and
/// no exception escapes, whatever the bytes are.
ParseResult parse(const SourceManager &sources, FileId file, AstContext &context, DiagnosticSink &sink,
                  std::string_view moduleName = "__main__");

/// The tree as indented text, one node a line, with resolved names; for tests and `jx ir --stage=ast`.
std::string dump(const ast::Module &module);

} // namespace jx
