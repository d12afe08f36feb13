// Evaluation of operations by the interpreter while the program is compiled.
#pragma once
#include "compiler/interpreter/Interpreter.h"

namespace jx::elab {

class Evaluator;

/// What an evaluation may cost. Where the value must be known, the alternative is an error, and much is worth
/// trying; where it would only be convenient, `forConvenience` keeps the compiler fast.
struct EvaluationLimits {
  int64_t work = 5'000'000; ///< units of InterpreterOptions::workBudget
  int64_t bytes = int64_t(256) << 20;
  static EvaluationLimits forConvenience(int64_t bytes = int64_t(256) << 20) { return {20'000, bytes}; }
};

/// What the values are, if they depend on no run-time input and the interpreter computes them within the
/// limits.
std::optional<llvm::SmallVector<HostArray>> evaluateNow(Evaluator &ev, llvm::ArrayRef<mlir::Value> values,
                                                        EvaluationLimits limits = {});

} // namespace jx::elab
