// What the rules of region ops and calls use besides their contexts: sparse dataflow bits, and the walk of
// the transform that is running, which transforms the ops of a region's block or a callee.
#pragma once

#include "compiler/dialect/JxDialect.h"
#include "compiler/dialect/RuleBuilder.h"
#include "compiler/dialect/Rules.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include <functional>

namespace jx {

// --- Bits
// --------------------------------------------------------------------------------------------------------

/// Which values of a function, nested regions included, depend on marked ones: active (Tangent), unknown
/// (Linear) or batched (Batch). Forward dataflow along uses; carries reach their fixpoint because a mark is
/// never taken back. Nothing is transformed to find out.
class Dependence {
public:
  enum Kind { Tangent, Linear, Batch };
  /// Result bits of a callee under argument bits.
  using CalleeBits = std::function<llvm::SmallVector<bool>(mlir::Operation *call, llvm::StringRef callee,
                                                           llvm::ArrayRef<bool> arguments)>;
  Dependence(Kind kind, CalleeBits calleeBits, llvm::StringRef axisName = "")
      : kind(kind), calleeBits(std::move(calleeBits)), axisName(axisName) {}

  Kind getKind() const { return kind; }
  void mark(mlir::Value value);
  /// Marks the results of ops that depend on the named axis by themselves, then follows all marks.
  void run(mlir::Region &region);
  bool contains(mlir::Value value) const { return marked.contains(value); }
  /// Bits of the results of `call` to `callee`, by the present marks of its operands.
  llvm::SmallVector<bool> calleeResults(mlir::Operation *call, llvm::StringRef callee) const;

  /// Whether `op` is a collective over the axis that is being batched.
  bool namesAxis(mlir::Operation *op) const;

private:
  Kind kind;
  CalleeBits calleeBits;
  std::string axisName;
  llvm::DenseSet<mlir::Value> marked;
  llvm::SmallVector<mlir::Value> worklist;
};

/// Values defined outside of `op`'s regions that ops inside use, each once, in order of first use.
llvm::SmallVector<mlir::Value> capturedValues(mlir::Operation *op);

/// A builder at the end of a block, which may be of no op yet.
RuleBuilder builderAtEnd(mlir::Block *block, mlir::Location loc);

/// A stack of `length` (tensor<i64>) zeros.
mlir::Value zerosOfStack(RuleBuilder &b, StackType type, mlir::Value length);
/// The tangent as a value; zeros of the primal's type, for stacks also of its length.
mlir::Value materialiseLike(RuleBuilder &b, Tangent tangent, mlir::Value primal);

/// Whether a region contains ordered effects.
bool hasEffects(mlir::Region &region);

// --- Walks
// -------------------------------------------------------------------------------------------------------

class JvpWalk {
public:
  virtual ~JvpWalk() = default;
  virtual bool isActive(mlir::Value original) = 0;
  /// Emits every op of `body` but the terminator, and their tangents, under the context's maps.
  virtual llvm::LogicalResult walk(mlir::Block &body, RuleBuilder &b) = 0;
  /// The JVP of a callee; its active results.
  virtual mlir::FailureOr<std::pair<mlir::func::FuncOp, llvm::SmallVector<bool>>>
  callee(llvm::StringRef symbol, llvm::ArrayRef<bool> activeArgs) = 0;
  /// The user's rules of a custom_jvp or custom_vjp op.
  virtual mlir::FailureOr<mlir::func::FuncOp> customJvp(CustomJvpOp op) = 0;
  virtual mlir::FailureOr<std::pair<mlir::func::FuncOp, mlir::func::FuncOp>> customVjp(CustomVjpOp op) = 0;
};

/// A callee split by dependence. `known`: (known args...) -> (known results..., stored residuals...);
/// `linear`: (residuals..., unknown args...) -> unknown results.
struct SplitCallee {
  mlir::func::FuncOp known, linear;
  /// Where each residual comes from: a known argument, a known result (counted on after the arguments), or
  /// -1, the next stored residual.
  llvm::SmallVector<int64_t> residuals;
  llvm::SmallVector<bool> unknownResults;
};

class SplitWalk {
public:
  virtual ~SplitWalk() = default;
  /// Emits the known ops of `body` into `known` and the unknown ones into `linear`, the terminator excepted.
  virtual llvm::LogicalResult walk(mlir::Block &body, RuleBuilder &known, RuleBuilder &linear) = 0;
  /// Without `reuseResults`, residuals that are known results too are stored ones.
  virtual mlir::FailureOr<SplitCallee> callee(llvm::StringRef symbol, llvm::ArrayRef<bool> unknownArgs,
                                              bool reuseResults = true) = 0;
  /// A function (known args..., saved values...) -> residuals that computes again what `policy` did not save;
  /// `saving` is `known` returning the saved values after its results.
  struct Recompute {
    mlir::func::FuncOp saving, recompute;
  };
  virtual mlir::FailureOr<Recompute> recompute(const SplitCallee &callee, unsigned numKnownResults,
                                               llvm::StringRef policy) = 0;
};

class TransposeWalk {
public:
  virtual ~TransposeWalk() = default;
  virtual bool isLinear(mlir::Value original) = 0;
  /// Whether a cotangent other than zero can arrive at the value.
  virtual bool isReached(mlir::Value original) = 0;
  /// Transposes the linear ops of `body` from last to first.
  virtual llvm::LogicalResult walk(mlir::Block &body, RuleBuilder &b) = 0;
  /// The value in the function being built of a non-linear original; its ops are cloned where first needed.
  virtual mlir::Value valueOf(mlir::Value original, RuleBuilder &b) = 0;
  virtual void mapValue(mlir::Value original, mlir::Value value) = 0;
  /// Cotangent so far, null for zero; and the start of a new accumulation, for region boundaries.
  virtual Tangent total(mlir::Value original, RuleBuilder &b) = 0;
  virtual void setTotal(mlir::Value original, Tangent total) = 0;
  virtual void add(mlir::Value original, mlir::Value cotangent, RuleBuilder &b) = 0;
  /// Zeros of a linear original's type; null for a run-time list whose length is not known.
  virtual mlir::Value zerosOf(mlir::Value original, RuleBuilder &b) = 0;
  /// (non-linear args..., reached cotangents..., given totals...) -> cotangents of the linear args.
  virtual mlir::FailureOr<mlir::func::FuncOp> callee(llvm::StringRef symbol, llvm::ArrayRef<bool> linearArgs,
                                                     llvm::ArrayRef<bool> reachedResults,
                                                     llvm::ArrayRef<bool> hasTotal) = 0;
  /// The user's rules of a custom_vjp op.
  virtual mlir::FailureOr<std::pair<mlir::func::FuncOp, mlir::func::FuncOp>> customVjp(CustomVjpOp op) = 0;
};

struct BatchCallee {
  mlir::func::FuncOp function;
  llvm::SmallVector<bool> batchedResults;
};

class BatchWalk {
public:
  virtual ~BatchWalk() = default;
  virtual bool isBatched(mlir::Value original) = 0;
  /// Emits the ops of `body` but the terminator; `mask` is null or the active lanes.
  virtual llvm::LogicalResult walk(mlir::Block &body, RuleBuilder &b, mlir::Value mask) = 0;
  /// Value of an original in the function being built, and whether it is batched there.
  virtual std::pair<mlir::Value, bool> lookup(mlir::Value original) = 0;
  virtual void map(mlir::Value original, mlir::Value value, bool batched) = 0;
  /// The batched callee; with `masked` it takes the mask as an extra first argument; with `forceResults`
  /// every result is batched.
  virtual mlir::FailureOr<BatchCallee> callee(llvm::StringRef symbol, llvm::ArrayRef<bool> batchedArgs,
                                              bool masked, bool forceResults) = 0;
  /// A rule name for a batched custom_jvp or custom_vjp. The batched rule is made when a derivative asks for
  /// it: a rule may call the function that it belongs to.
  virtual std::string deferRule(mlir::Operation *op, llvm::StringRef rule, mlir::func::FuncOp batchedCallee,
                                llvm::ArrayRef<bool> batched) = 0;
};

} // namespace jx
