// Fills in what the tree says about names and jumps once a whole module is parsed. Internal to
// compiler/syntax.
#pragma once

#include "compiler/diagnostics/Diagnostic.h"
#include "compiler/syntax/AstContext.h"

namespace jx {

/// Computes every Scope, the binding and slot of every name, the names that loops assign and the jumps of
/// statements. Refuses what Python refuses about scopes (`return` outside a function, `nonlocal` without a
/// variable, ...) and trees deeper than `maxTreeDepth`. False when an error was reported.
bool resolveScopes(ast::Module &module, AstContext &context, DiagnosticSink &sink);

/// No tree that leaves the parser is deeper than this, so recursive walks need no guard of their own.
inline constexpr unsigned maxTreeDepth = 2000;

} // namespace jx
