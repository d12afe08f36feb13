// Pattern sets of `simplify`, by topic.
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace jx {

/// x * 1 = x and the like, and evaluation of small ops on literals.
void populateAlgebraPatterns(mlir::RewritePatternSet &patterns);
/// Unused, invariant and repeated carries, inputs and outputs of loops; loops of no or one trip; hoisting.
void populateLoopPatterns(mlir::RewritePatternSet &patterns);
/// Conds with a constant index, unused and common results.
void populateCondPatterns(mlir::RewritePatternSet &patterns);

} // namespace jx
