// What the transforms of jx.for and jx.while do alike, with the values that a trip yields.
#pragma once

#include "compiler/ops/loop/LoopParts.h"

namespace jx {

/// The yields of a loop's JVP: the carries, the tangents of the active ones, the stacks, the tangents of
/// those that have one.
class JvpYields {
public:
  /// Fills `parts` after the walk over `original`, the body of the loop that is differentiated; `carries` are
  /// its arguments. Zeros of carries are made in `body`.
  JvpYields(JvpContext &ctx, mlir::Block &original, mlir::ValueRange carries, RuleBuilder &body,
            LoopYields &parts);
  /// Hands the results of the loop that was made to those of the original.
  void setResults(JvpContext &ctx, mlir::ValueRange results) const;

private:
  unsigned numCarries, numStacked;
  llvm::SmallVector<unsigned> activeCarries, activeStacked;
};

/// The split of a loop: the known loop stacks residuals, the linear one, a jx.for, scans them.
class LoopSplit {
public:
  /// Deals what `original`, the body of the loop that is split, yields to the two loops. Comes after the walk
  /// over it.
  LoopSplit(SplitContext &ctx, mlir::Block &original, mlir::ValueRange carries, LoopYields &known,
            ForParts &linear);
  /// Replaces what the linear body uses of `body`, the known one: the index; carries that never change, by
  /// their `inits`; slices of known inputs, which `inputOf` gives, by slices of the linear loop's own; all
  /// else by slices of stacks. Fails on run-time lists. A body with an `index` has it before its carries.
  llvm::LogicalResult saveResiduals(mlir::Block *body, mlir::ValueRange inits, mlir::Value index,
                                    llvm::function_ref<mlir::Value(mlir::Value)> inputOf);
  /// Makes the linear loop, which scans the stacks of `known`, and maps the results of the original.
  void finish(mlir::Operation *known, mlir::Value trip, mlir::IntegerAttr trips, bool reverse);

private:
  SplitContext &ctx;
  LoopYields &known;
  ForParts &linear;
  unsigned numCarries, numStacked;
  mlir::Operation *marker; ///< yields from the linear body
  /// Inputs of the linear loop that scan stacks of the known one, and which.
  llvm::SmallVector<std::pair<unsigned, unsigned>> scanned;
};

/// Adds the values of `yields` to a batched loop's stacks; which of them are batched.
llvm::SmallVector<bool> stackBatched(BatchWalk &walk, mlir::ValueRange yields, LoopYields &parts);

} // namespace jx
