// Folding of the shape family: identities, and rearrangements of splats.
#include "compiler/ops/support/RuleSupport.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace jx {

/// A splat literal keeps being one under any rearrangement.
static OpFoldResult foldSplat(Attribute operand, Type result) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(operand);
  return splat ? OpFoldResult(splat.resizeSplat(cast<ShapedType>(result))) : OpFoldResult();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult BroadcastInDimOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType()) return getOperand();
  return foldSplat(adaptor.getOperand(), getType());
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType()) return getOperand();
  if (auto inner = getOperand().getDefiningOp<ReshapeOp>()) {
    if (inner.getOperand().getType() == getType()) return inner.getOperand();
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand()))
    return dense.reshape(cast<ShapedType>(getType()));
  return {};
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (llvm::is_sorted(getPermutation())) return getOperand();
  if (auto inner = getOperand().getDefiningOp<TransposeOp>()) {
    auto composed =
        llvm::map_to_vector(getPermutation(), [&](int64_t dim) { return inner.getPermutation()[dim]; });
    setPermutation(composed);
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  return foldSplat(adaptor.getOperand(), getType());
}

OpFoldResult ReverseOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int64_t> shape = shapeOf(getOperand());
  if (llvm::all_of(getDims(), [&](int64_t dim) { return shape[dim] <= 1; })) return getOperand();
  return foldSplat(adaptor.getOperand(), getType());
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  bool unchanged = getOperand().getType() == getType();
  for (size_t i = 0; unchanged && i < getLow().size(); ++i) unchanged = getLow()[i] == 0 && getHigh()[i] == 0;
  return unchanged ? OpFoldResult(getOperand()) : OpFoldResult();
}

OpFoldResult ConcatenateOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 ? OpFoldResult(getInputs().front()) : OpFoldResult();
}

// --- Patterns

namespace {

/// A transpose that only moves dimensions of size 1 -> reshape
LogicalResult transposeOfUnitDims(TransposeOp op, PatternRewriter &rewriter) {
  ArrayRef<int64_t> shape = shapeOf(op.getOperand());
  int64_t last = -1;
  for (int64_t dim : op.getPermutation()) {
    if (shape[dim] == 1) continue;
    if (dim < last) return failure();
    last = dim;
  }
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getOperand(), shapeOf(op.getResult()));
  return success();
}

/// A broadcast that repeats nothing -> reshape
LogicalResult broadcastWithoutRepeats(BroadcastInDimOp op, PatternRewriter &rewriter) {
  if (arrayType(op.getOperand()).getNumElements() != arrayType(op.getResult()).getNumElements())
    return failure();
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getOperand(), op.getShape());
  return success();
}

/// broadcast(broadcast(x)) -> broadcast(x)
LogicalResult broadcastOfBroadcast(BroadcastInDimOp op, PatternRewriter &rewriter) {
  auto inner = op.getOperand().getDefiningOp<BroadcastInDimOp>();
  if (!inner) return failure();
  auto dims = llvm::map_to_vector(inner.getDims(), [&](int64_t dim) { return op.getDims()[dim]; });
  rewriter.replaceOpWithNewOp<BroadcastInDimOp>(op, inner.getOperand(), op.getShape(), dims);
  return success();
}

/// broadcast(reshape(x)) -> broadcast(x), where the reshape only adds dimensions of size 1
LogicalResult broadcastOfExpansion(BroadcastInDimOp op, PatternRewriter &rewriter) {
  auto inner = op.getOperand().getDefiningOp<ReshapeOp>();
  if (!inner) return failure();
  ArrayRef<int64_t> from = shapeOf(inner.getOperand()), to = inner.getShape();
  SmallVector<int64_t> dims;
  for (auto [dim, size] : llvm::enumerate(to)) {
    bool matches = dims.size() < from.size() && from[dims.size()] == size;
    if (matches)
      dims.push_back(op.getDims()[dim]);
    else if (size != 1)
      return failure();
  }
  if (dims.size() != from.size()) return failure();
  rewriter.replaceOpWithNewOp<BroadcastInDimOp>(op, inner.getOperand(), op.getShape(), dims);
  return success();
}

} // namespace

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add(transposeOfUnitDims);
}

void BroadcastInDimOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add(broadcastWithoutRepeats).add(broadcastOfBroadcast).add(broadcastOfExpansion);
}

} // namespace jx
