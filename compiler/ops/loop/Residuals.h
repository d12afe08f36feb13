// Residuals: what the linear part of a split uses of the known part, and what of it is cheaper made again
// than saved; and where the results of a split come from.
#pragma once

#include "compiler/dialect/RegionRules.h"

namespace jx {

/// Values of `known` (arguments, and results of its own ops) that ops anywhere in `linear` use, in order of
/// first use.
llvm::SmallVector<mlir::Value> usedValuesOf(mlir::Region &linear, mlir::Block *known);

/// Replaces the uses of `value` by ops in `region`.
void replaceUsesInside(mlir::Value value, mlir::Value replacement, mlir::Region &region);

/// Clones into the start of `linear` the ops of `known` whose results it uses and that are cheaper made again
/// than saved: literals, iota, broadcasts and conversions of something smaller.
void recomputeCheapResiduals(mlir::Region &linear, mlir::Block *known);

/// The same for the body of a loop, where residuals are stacked, one a trip. Also made again are, where
/// `index` (an argument of `known`) is given, scalar arithmetic and slices that depend on nothing but the
/// index and values from outside of `known`; and loops, conds and calls that make run-time lists, which
/// cannot be stacked, without effects.
void recomputeLoopResiduals(mlir::Region &linear, mlir::Block *known, mlir::Value index);

/// Maps results of an op that was split, in their order, to the results of its linear part where they depend
/// on tangents, else to those of its known part.
void mapSplitResults(SplitContext &ctx, mlir::ValueRange results, mlir::ValueRange known,
                     mlir::ValueRange linear);

} // namespace jx
