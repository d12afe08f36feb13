// Views of the ops that rearrange arrays, and the joining of their dimensions.
#include "compiler/lowering/ElementView.h"
#include "compiler/lowering/ScalarEmitter.h"

using namespace mlir;

namespace jx {
namespace {

ArrayRef<int64_t> shape(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes) result *= size;
  return result;
}

/// Drops dimensions of size 1 and joins neighbours that every operand dimension runs through together.
void joinDims(AffineView &view) {
  SmallVector<int, 4> newDim(view.resultDims.size(), -1);
  SmallVector<int64_t, 4> kept;
  for (auto [dim, size] : llvm::enumerate(view.resultDims))
    if (size != 1) {
      newDim[dim] = static_cast<int>(kept.size());
      kept.push_back(size);
    }
  view.resultDims = kept;
  for (OperandDim &dim : view.operandDims)
    if (dim.resultDim >= 0) dim.resultDim = newDim[static_cast<size_t>(dim.resultDim)];
  llvm::erase_if(view.operandDims, [](const OperandDim &dim) { return dim.size == 1; });

  for (int dim = 0; dim + 1 < static_cast<int>(view.resultDims.size());) {
    size_t outer = view.operandDims.size(), inner = outer;
    for (auto [i, operandDim] : llvm::enumerate(view.operandDims)) {
      if (operandDim.resultDim == dim) outer = i;
      if (operandDim.resultDim == dim + 1) inner = i;
    }
    bool unused = outer == view.operandDims.size() && inner == outer;
    int64_t innerSize = view.resultDims[static_cast<size_t>(dim) + 1];
    bool through = !unused && inner < view.operandDims.size() && inner == outer + 1;
    if (through) {
      const OperandDim &o = view.operandDims[outer], &i = view.operandDims[inner];
      through = o.stride == 1 && i.stride == 1 && i.offset == 0 && !i.start && i.size == innerSize;
    }
    if (!unused && !through) {
      ++dim;
      continue;
    }
    if (through) {
      OperandDim &o = view.operandDims[outer];
      o.size *= innerSize;
      o.offset *= innerSize;
      o.startScale *= innerSize;
      view.operandDims.erase(view.operandDims.begin() + static_cast<ptrdiff_t>(inner));
    }
    view.resultDims[static_cast<size_t>(dim)] *= innerSize;
    view.resultDims.erase(view.resultDims.begin() + dim + 1);
    for (OperandDim &operandDim : view.operandDims)
      if (operandDim.resultDim > dim) --operandDim.resultDim;
  }
}

AffineView identityView(Value operand, Value result) {
  AffineView view{operand, SmallVector<int64_t, 4>(shape(result)), {}};
  for (auto [dim, size] : llvm::enumerate(shape(operand)))
    view.operandDims.push_back({size, static_cast<int>(dim)});
  return view;
}

SmallVector<int64_t, 4> viewSizes(Operation *op) {
  if (auto view = affineView(op)) return view->resultDims;
  if (auto concatenate = dyn_cast<ConcatenateOp>(op)) {
    ConcatenateView view = concatenateView(concatenate);
    return {view.outer, view.along};
  }
  SmallVector<int64_t, 4> sizes;
  if (auto pad = dyn_cast<PadOp>(op)) {
    for (const PadDim &dim : padView(pad)) sizes.push_back(dim.resultSize);
    return sizes;
  }
  if (auto gather = dyn_cast<GatherOp>(op)) {
    for (const auto &dim : gatherView(gather).resultDims) sizes.push_back(dim.size);
    return sizes;
  }
  ArrayRef<int64_t> result = shape(op->getResult(0));
  if (auto iota = dyn_cast<IotaOp>(op)) {
    auto dim = static_cast<size_t>(iota.getDimension());
    return {product(result.take_front(dim)), result[dim], product(result.drop_front(dim + 1))};
  }
  if (isa<KeyDataOp>(op)) return {product(result.drop_back()), 2};
  return SmallVector<int64_t, 4>(result);
}

} // namespace

bool keepsPosition(Operation *op, unsigned operand) {
  if (isa<ReshapeOp>(op)) return true;
  if (!hasScalarEmitter(op)) return false;
  return cast<RankedTensorType>(op->getOperand(operand).getType()).getNumElements() ==
         cast<RankedTensorType>(op->getResult(0).getType()).getNumElements();
}

std::optional<AffineView> affineView(Operation *op) {
  if (op->getNumOperands() == 0 || op->getNumResults() != 1) return std::nullopt;
  Value operand = op->getOperand(0), result = op->getResult(0);
  AffineView view;
  if (auto broadcast = dyn_cast<BroadcastInDimOp>(op)) {
    view = identityView(operand, result);
    for (auto [dim, target] : llvm::zip_equal(view.operandDims, broadcast.getDims()))
      dim.resultDim = dim.size == 1 ? -1 : static_cast<int>(target);
  } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
    view = identityView(operand, result);
    for (auto [resultDim, operandDim] : llvm::enumerate(transpose.getPermutation()))
      view.operandDims[static_cast<size_t>(operandDim)].resultDim = static_cast<int>(resultDim);
  } else if (auto reverse = dyn_cast<ReverseOp>(op)) {
    view = identityView(operand, result);
    for (int64_t dim : reverse.getDims()) {
      OperandDim &reversed = view.operandDims[static_cast<size_t>(dim)];
      reversed.stride = -1;
      reversed.offset = reversed.size - 1;
    }
  } else if (auto slice = dyn_cast<SliceOp>(op)) {
    view = identityView(operand, result);
    for (auto [dim, start, stride] :
         llvm::zip_equal(view.operandDims, slice.getStarts(), slice.getStrides())) {
      dim.stride = stride;
      dim.offset = start;
    }
  } else if (auto slice = dyn_cast<DynamicSliceOp>(op)) {
    view = identityView(operand, result);
    for (auto [dim, start, size] : llvm::zip_equal(view.operandDims, slice.getStarts(), slice.getSizes())) {
      dim.maxStart = dim.size - size;
      if (dim.maxStart > 0) dim.start = start;
    }
  } else {
    return std::nullopt;
  }
  joinDims(view);
  return view;
}

ConcatenateView concatenateView(ConcatenateOp op) {
  auto dim = static_cast<size_t>(op.getDimension());
  ArrayRef<int64_t> result = shape(op.getResult());
  int64_t inner = product(result.drop_front(dim + 1));
  ConcatenateView view{product(result.take_front(dim)), result[dim] * inner, {}};
  int64_t limit = 0;
  for (Value input : op.getInputs()) view.limits.push_back(limit += shape(input)[dim] * inner);
  return view;
}

SmallVector<PadDim, 4> padView(PadOp op) {
  SmallVector<PadDim, 4> dims;
  for (auto [result, operand, low, interior] :
       llvm::zip_equal(shape(op.getResult()), shape(op.getOperand()), op.getLow(), op.getInterior())) {
    PadDim dim{result, operand, low, interior};
    if (!dims.empty() && dim.isWhole() && dims.back().interior == 0) {
      dims.back().resultSize *= result;
      dims.back().operandSize *= result;
      dims.back().low *= result;
    } else {
      dims.push_back(dim);
    }
  }
  return dims;
}

GatherView gatherView(GatherOp op) {
  GatherView view;
  ArrayRef<int64_t> result = shape(op.getResult()), indices = shape(op.getIndices());
  view.batchSizes.assign(indices.begin(), indices.end() - 1);
  view.indexVectorSize = indices.back();
  ArrayRef<int64_t> offsetDims = op.getOffsetDims();
  for (auto [dim, size] : llvm::enumerate(result))
    view.resultDims.push_back({size, llvm::is_contained(offsetDims, static_cast<int64_t>(dim))});
  size_t window = 0;
  for (auto [dim, size] : llvm::enumerate(shape(op.getOperand()))) {
    auto number = static_cast<int64_t>(dim);
    GatherView::Dim operandDim{size, op.getSliceSizes()[dim]};
    auto batching = llvm::find(op.getOperandBatchingDims(), number);
    bool isBatching = batching != op.getOperandBatchingDims().end();
    if (isBatching)
      operandDim.batchDim = static_cast<int>(op.getStartIndicesBatchingDims()[static_cast<size_t>(
          batching - op.getOperandBatchingDims().begin())]);
    if (!isBatching && !llvm::is_contained(op.getCollapsedSliceDims(), number))
      operandDim.resultDim = static_cast<int>(offsetDims[window++]);
    auto component = llvm::find(op.getStartIndexMap(), number);
    if (component != op.getStartIndexMap().end())
      operandDim.indexComponent = static_cast<int>(component - op.getStartIndexMap().begin());
    view.operandDims.push_back(operandDim);
  }
  // A window dimension that is taken whole joins the one outside it, in operand and result alike.
  for (size_t dim = view.operandDims.size(); dim-- > 1;) {
    GatherView::Dim &inner = view.operandDims[dim], &outer = view.operandDims[dim - 1];
    if (inner.resultDim < 1 || outer.resultDim != inner.resultDim - 1 || inner.slice != inner.size ||
        inner.indexComponent >= 0 || outer.indexComponent >= 0)
      continue;
    outer.size *= inner.size;
    outer.slice *= inner.slice;
    int joined = inner.resultDim;
    view.resultDims[static_cast<size_t>(joined) - 1].size *=
        view.resultDims[static_cast<size_t>(joined)].size;
    view.resultDims.erase(view.resultDims.begin() + joined);
    view.operandDims.erase(view.operandDims.begin() + static_cast<ptrdiff_t>(dim));
    for (GatherView::Dim &other : view.operandDims)
      if (other.resultDim >= joined) --other.resultDim;
  }
  return view;
}

void requiredSplits(Operation *op, SmallVectorImpl<int64_t> &splits) {
  if (isa<ReshapeOp, ConstantOp, WrapKeyOp>(op) || hasScalarEmitter(op)) return;
  int64_t suffix = 1;
  SmallVector<int64_t, 4> sizes = viewSizes(op);
  for (size_t dim = sizes.size(); dim-- > 1;)
    if (sizes[dim] != 1) splits.push_back(suffix *= sizes[dim]);
}

void splitsThroughOperand(Operation *op, unsigned operand, ArrayRef<int64_t> operandSplits,
                          SmallVectorImpl<int64_t> &splits) {
  if (keepsPosition(op, operand)) {
    splits.append(operandSplits.begin(), operandSplits.end());
    return;
  }
  if (isa<WrapKeyOp>(op)) {
    for (int64_t split : operandSplits)
      if (split % 2 == 0) splits.push_back(split / 2);
    return;
  }
  if (isa<KeyDataOp>(op)) {
    for (int64_t split : operandSplits) splits.push_back(split * 2);
    return;
  }
  if (auto concatenate = dyn_cast<ConcatenateOp>(op)) {
    int64_t along = concatenateView(concatenate).along;
    int64_t own = cast<RankedTensorType>(op->getOperand(operand).getType()).getNumElements() /
                  std::max<int64_t>(concatenateView(concatenate).outer, 1);
    for (int64_t split : operandSplits)
      if (split > 0 && own > 0 && split % own == 0 && split != own) splits.push_back(split / own * along);
    return;
  }
  std::optional<AffineView> view = affineView(op);
  if (!view || operand != 0) return;
  SmallVector<int64_t, 4> resultSuffix(view->resultDims.size() + 1, 1);
  for (size_t dim = view->resultDims.size(); dim-- > 0;)
    resultSuffix[dim] = resultSuffix[dim + 1] * view->resultDims[dim];
  for (int64_t split : operandSplits) {
    int64_t suffix = 1;
    for (const OperandDim &dim : llvm::reverse(view->operandDims)) {
      if (split < suffix * dim.size) {
        int64_t within = split / suffix;
        bool aligned = split % suffix == 0 && dim.stride == 1 && !dim.start && dim.offset % within == 0;
        if (dim.resultDim >= 0 && (within == 1 || aligned))
          splits.push_back(within * resultSuffix[static_cast<size_t>(dim.resultDim) + 1]);
        break;
      }
      suffix *= dim.size;
    }
  }
}

} // namespace jx
