// Folding of slices: the whole array, a splat, a slice of a slice, and starts that are known after all.
#include "compiler/ops/support/RuleSupport.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace jx {

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType()) return getOperand();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getOperand()))
    return splat.resizeSplat(cast<ShapedType>(getType()));
  auto inner = getOperand().getDefiningOp<SliceOp>();
  if (!inner) return {};
  SmallVector<int64_t> starts, limits, strides;
  for (size_t i = 0; i < getStarts().size(); ++i) {
    int64_t innerStart = inner.getStarts()[i], innerStride = inner.getStrides()[i];
    int64_t size = cast<RankedTensorType>(getType()).getDimSize(i);
    starts.push_back(innerStart + getStarts()[i] * innerStride);
    strides.push_back(innerStride * getStrides()[i]);
    limits.push_back(size == 0 ? starts.back() : starts.back() + (size - 1) * strides.back() + 1);
  }
  // The start of an empty slice may lie past the end: leave such slices alone.
  if (llvm::is_contained(cast<RankedTensorType>(getType()).getShape(), 0)) return {};
  setStarts(starts);
  setLimits(limits);
  setStrides(strides);
  getOperandMutable().assign(inner.getOperand());
  return getResult();
}

OpFoldResult DynamicSliceOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType()) return getOperand();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getOperand()))
    return splat.resizeSplat(cast<ShapedType>(getType()));
  return {};
}

OpFoldResult DynamicUpdateSliceOp::fold(FoldAdaptor) {
  if (getUpdate().getType() == getType()) return getUpdate();
  if (cast<RankedTensorType>(getUpdate().getType()).getNumElements() == 0) return getOperand();
  return {};
}

/// dynamic_slice(x, constants) -> slice(x)
static LogicalResult staticStarts(DynamicSliceOp op, PatternRewriter &rewriter) {
  SmallVector<int64_t> starts, limits;
  for (auto [start, size, whole] : llvm::zip_equal(op.getStarts(), op.getSizes(), shapeOf(op.getOperand()))) {
    ElementsAttr value;
    if (size == whole) {
      starts.push_back(0); // clamping leaves no other start
    } else if (matchPattern(start, m_Constant(&value))) {
      starts.push_back(std::clamp<int64_t>(HostArray::fromAttr(value).scalarInt(), 0, whole - size));
    } else {
      return failure();
    }
    limits.push_back(starts.back() + size);
  }
  SmallVector<int64_t> strides(starts.size(), 1);
  rewriter.replaceOpWithNewOp<SliceOp>(op, op.getOperand(), starts, limits, strides);
  return success();
}

void DynamicSliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add(staticStarts);
}

} // namespace jx
