// Folding of reductions: over nothing, over dimensions of size 1, of repeated values.
#include "compiler/ops/support/RuleSupport.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace jx {

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  return getAxes().empty() ? OpFoldResult(getOperand()) : OpFoldResult();
}

namespace {

/// A reduction over dimensions of size 1 -> reshape
LogicalResult reduceOfUnitDims(ReduceOp op, PatternRewriter &rewriter) {
  ArrayRef<int64_t> shape = shapeOf(op.getOperand());
  if (!llvm::all_of(op.getAxes(), [&](int64_t dim) { return shape[dim] == 1; })) return failure();
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getOperand(), shapeOf(op.getResult()));
  return success();
}

/// max, min, and, or of a reduction of the same kind -> one reduction over all the axes. Sums keep their
/// order and stay two.
LogicalResult reduceOfReduce(ReduceOp op, PatternRewriter &rewriter) {
  auto inner = op.getOperand().getDefiningOp<ReduceOp>();
  if (!inner || inner.getKind() != op.getKind() || !inner->hasOneUse()) return failure();
  if (op.getKind() == "sum" || op.getKind() == "prod") return failure();
  SmallVector<int64_t> kept = otherDims(rankOf(inner.getOperand()), inner.getAxes()), axes(inner.getAxes());
  for (int64_t axis : op.getAxes()) axes.push_back(kept[axis]);
  llvm::sort(axes);
  rewriter.replaceOpWithNewOp<ReduceOp>(op, inner.getOperand(), op.getKind(), axes);
  return success();
}

} // namespace

void ReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add(reduceOfUnitDims).add(reduceOfReduce);
}

} // namespace jx
