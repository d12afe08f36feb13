// Warnings that the syntax tree alone gives: code that is legal and cannot mean what it says.
#pragma once
#include "compiler/diagnostics/Diagnostic.h"
#include "compiler/syntax/Ast.h"

namespace jx::elab {

// Reports statements that are never reached, updates and comparisons whose result is dropped, assertions on
// tuples, and default values that all calls share.
void lint(const ast::Module &module, DiagnosticSink &sink);

} // namespace jx::elab
