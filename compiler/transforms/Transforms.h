// Entry points of the transforms. The elaborator resolves grad, vjp, jvp, vmap through them at once; the
// passes of the same names call the same functions. Each takes a finished func.func and makes a new one in
// the same module.
//
// Results are memoised by (function, transform, bits, size), so that a layer differentiated a hundred times
// is transformed once. Every function made is simplified before it is returned.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Support/LLVM.h"
#include <memory>

namespace jx {

class CustomJvpOp;
class CustomVjpOp;

/// Elaborates user-defined derivative rules on demand. jx-opt has none: there every rule must be a function
/// already.
class RuleProvider {
public:
  virtual ~RuleProvider() = default;
  /// (primals..., tangents of the differentiable primals...) -> (results..., tangents of the differentiable
  /// results...)
  virtual mlir::FailureOr<mlir::func::FuncOp> getJvp(CustomJvpOp op) = 0;
  /// (args...) -> (results..., residuals...)
  virtual mlir::FailureOr<mlir::func::FuncOp> getForward(CustomVjpOp op) = 0;
  /// (residuals..., cotangents of the differentiable results...) -> cotangents of the differentiable args
  virtual mlir::FailureOr<mlir::func::FuncOp> getBackward(CustomVjpOp op) = 0;
};

struct JvpResult {
  /// (args..., tangents of active args...) -> (results..., tangents of active results...)
  mlir::func::FuncOp function;
  llvm::SmallVector<bool> activeResults;
};

struct LinearizeResult {
  /// (args...) -> (results..., residuals...)
  mlir::func::FuncOp known;
  /// (residuals..., tangents of active args...) -> tangents of active results
  mlir::func::FuncOp linear;
  unsigned numResiduals;
  llvm::SmallVector<bool> activeResults;
};

struct BatchResult {
  /// The same arguments and results; the marked ones have a leading batch dimension.
  mlir::func::FuncOp function;
  llvm::SmallVector<bool> batchedResults;
};

/// One per module being built; owns the memo tables. Functions given to it must be finished, and neither
/// changed nor erased while it lives: results are remembered by the function's name. (Functions that it made
/// may be inlined, but not erased.)
class Transforms {
public:
  explicit Transforms(mlir::ModuleOp module, RuleProvider *rules = nullptr);
  ~Transforms();

  mlir::FailureOr<JvpResult> jvp(mlir::func::FuncOp function, llvm::ArrayRef<bool> activeArgs);
  /// Fails where the linear part that linearize gives can be transposed only, because of a custom_vjp.
  mlir::LogicalResult checkComputable(mlir::func::FuncOp linear);
  mlir::FailureOr<LinearizeResult> linearize(mlir::func::FuncOp function, llvm::ArrayRef<bool> activeArgs);
  /// Transposes a function that is linear in the marked arguments: (other args..., cotangents of results...)
  /// -> cotangents of the marked arguments (zeros are materialised). The marked arguments are the last ones.
  mlir::FailureOr<mlir::func::FuncOp> transpose(mlir::func::FuncOp function, unsigned numLinearArgs);
  mlir::FailureOr<BatchResult> batch(mlir::func::FuncOp function, llvm::ArrayRef<bool> batchedArgs,
                                     int64_t size, llvm::StringRef axisName = "");

  mlir::ModuleOp getModule() const { return module; }
  RuleProvider *getRules() const { return rules; }

  struct Memo; ///< compiler/transforms/Engine.h
private:
  mlir::ModuleOp module;
  RuleProvider *rules;
  std::unique_ptr<Memo> memo;
};

/// Canonicalisation, CSE and dead code removal of one function, callees first having been simplified
/// themselves.
void simplify(mlir::func::FuncOp function);
/// Inlines calls bottom-up (single use, or small), simplifying after each callee. For when all derivatives
/// are taken: custom_jvp, custom_vjp and checkpoint are plain calls then, but for recomputations, which stay
/// calls.
void inlineCalls(mlir::func::FuncOp function);
/// Erases the private functions that no public one calls, directly or not.
void removeUnusedFunctions(mlir::ModuleOp module);

/// Registers the passes: -jx-jvp, -jx-linearize, -jx-transpose, -jx-batch (on functions marked by
/// attributes), -jx-simplify, -jx-inline.
void registerTransformPasses();

} // namespace jx
