// What the derivatives of a target share: the target elaborated over its leaves, and tangents that fit.
#pragma once
#include "compiler/elaborate/Callables.h"

namespace jx::elab {

// A target applied to a tuple of primals, traced over their leaves.
struct Target {
  Tree primals, results;
  std::vector<Value> leaves; // arrays
  Traced traced;
  llvm::SmallVector<bool> active; // inputs with a derivative; captured ones have none here

  llvm::SmallVector<mlir::Value> operands() const {
    llvm::SmallVector<mlir::Value> all;
    for (Value leaf : leaves) all.push_back(leaf.asArray());
    all.append(traced.captured.begin(), traced.captured.end());
    return all;
  }
  unsigned numOutputs() const { return traced.outputs.size(); }
};

// Elaborates f over the leaves of a tuple of primals; with hasAux, f returns (output, auxiliary data).
// `transform` is what the user calls the reason.
std::optional<Target> traceTarget(Evaluator &ev, Value f, Value primals, bool hasAux,
                                  const std::string &transform);

// The value of the outputs, from the results of a call.
Value outputsOf(Evaluator &ev, const Target &target, llvm::ArrayRef<mlir::Value> results);

// A tangent or cotangent for an array of the type, with its shape and, unless it `converts`, its dtype
// checked.
mlir::Value tangentLike(Evaluator &ev, Value given, mlir::Type needed, const char *what,
                        bool converts = false);

// custom_jvp_call and custom_vjp_call.
void registerCustomRules(Registry &r);

} // namespace jx::elab
