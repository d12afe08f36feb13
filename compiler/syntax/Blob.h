// Trees as bytes, for the embedded standard library. The form is private to one build: the encoder and the
// decoder are the same fields lists (Fields.h), nothing is versioned, and the bytes are trusted.
//
//   module   := names nodeCount scope block
//   names    := count (length bytes)*
//   node     := kind+1 (0 is null) begin-delta length [jumps] fields
//   function := ... byteLength nodeCount (scope block)   decoded when the body is first asked for
#pragma once

#include "compiler/syntax/AstContext.h"

#include <string>

namespace jx {

std::string encodeModule(const ast::Module &module);

/// The module's top level; function bodies decode on first use. `blob` must live as long as the context.
const ast::Module *decodeModule(std::string_view blob, FileId file, std::string_view moduleName,
                                AstContext &context);

} // namespace jx
