// Conditions known at run time only: every branch is elaborated in a region of its own, and what differs is
// joined.
#pragma once
#include "compiler/elaborate/Evaluator.h"

namespace jx::elab {

using Branch = std::function<Flow()>;

// How much data a condition may be computed from when the program is compiled because its branches do not
// fit.
constexpr int64_t maxDecidedBytes = int64_t(1) << 20;

// Runs the branches in regions of one jx.cond on `index` (a host int or bool; a bool picks branch 1 when
// true), `first` before the others, and joins heap, return value and flow. Beside a branch that only raises,
// the other one goes on where the condition stands (Raises.h). Where what they leave has no form in
// common, a condition that depends on no input of the run is decided.
Flow joinBranches(Evaluator &ev, Value index, llvm::ArrayRef<Branch> branches, size_t first = 0);
// The same for branches that are values.
Value joinValues(Evaluator &ev, Value index, llvm::ArrayRef<std::function<Value()>> branches);

// `if` on a run-time condition; branches that leave early take what follows the statement into the other
// branch.
Flow runBranches(Evaluator &ev, const ast::If *stmt, Value test);
// After Flow::Dynamic: runs `rest` where the outcome is Normal.
Flow continueWhenNormal(Evaluator &ev, const Branch &rest);
// `value and rest()` or `value or rest()`.
Value shortCircuit(Evaluator &ev, bool isAnd, Value value, const std::function<Value()> &rest);
// `whenTrue() if test else whenFalse()`.
Value choose(Evaluator &ev, Value test, const std::function<Value()> &whenTrue,
             const std::function<Value()> &whenFalse);

} // namespace jx::elab
