// Evaluation of the shape family: copies between strided views, and counting.
#include "compiler/ops/support/HostElements.h"
#include "compiler/ops/support/RuleSupport.h"
#include "compiler/ops/support/StridedCopy.h"

using namespace mlir;

namespace jx {

LogicalResult ConstantOp::eval(EvalContext &ctx) {
  ctx.results[0] = HostArray::fromAttr(getValue());
  return success();
}

LogicalResult IotaOp::eval(EvalContext &ctx) {
  HostArray &out = ctx.alloc();
  ArrayRef<int64_t> shape = out.getShape();
  int64_t n = shape[getDimension()], inner = rowMajorStrides(shape)[getDimension()];
  dispatchElement(out.getElementType(), [&]<class T>() {
    if constexpr (!std::is_same_v<T, Key> && !std::is_same_v<T, Bool>) {
      using Part = Wide<T>;
      for (int64_t i = 0, size = out.size(); i < size; ++i) out.as<T>()[i] = narrow<T>(Part(i / inner % n));
    }
  });
  return success();
}

/// Copies from a view of the operand whose dimensions are the result's.
static LogicalResult evalView(EvalContext &ctx, int64_t offset, SmallVector<int64_t> strides) {
  HostArray &out = ctx.alloc();
  copyStrided(out.getShape(), {ctx.x().data(), offset, std::move(strides)},
              {out.mutableData(), 0, rowMajorStrides(out.getShape())}, elementBytes(out.getElementType()));
  return success();
}

LogicalResult BroadcastInDimOp::eval(EvalContext &ctx) {
  SmallVector<int64_t> strides(getShape().size(), 0), own = rowMajorStrides(ctx.x().getShape());
  for (auto [i, dim] : llvm::enumerate(getDims()))
    if (ctx.x().getShape()[i] != 1) strides[dim] = own[i];
  return evalView(ctx, 0, std::move(strides));
}

LogicalResult ReshapeOp::eval(EvalContext &ctx) {
  ctx.results[0] = ctx.x().withType(ctx.resultType());
  return success();
}

LogicalResult TransposeOp::eval(EvalContext &ctx) {
  SmallVector<int64_t> own = rowMajorStrides(ctx.x().getShape());
  return evalView(ctx, 0, llvm::map_to_vector(getPermutation(), [&](int64_t dim) { return own[dim]; }));
}

LogicalResult ReverseOp::eval(EvalContext &ctx) {
  SmallVector<int64_t> strides = rowMajorStrides(ctx.x().getShape());
  int64_t offset = 0;
  for (int64_t dim : getDims()) {
    offset += strides[dim] * (ctx.x().getShape()[dim] - 1);
    strides[dim] = -strides[dim];
  }
  return evalView(ctx, offset, std::move(strides));
}

LogicalResult PadOp::eval(EvalContext &ctx) {
  HostArray &out = ctx.alloc();
  int64_t width = elementBytes(out.getElementType()), rank = out.getRank();
  copyStrided({out.size()}, {ctx.x(1).data(), 0, {0}}, {out.mutableData(), 0, {1}}, width);
  // Negative padding cuts: of operand index i, only those with 0 <= low + i * (interior + 1) < size remain.
  ArrayRef<int64_t> shape = ctx.x().getShape();
  SmallVector<int64_t> box, from = rowMajorStrides(shape), to = rowMajorStrides(out.getShape());
  int64_t fromOffset = 0, toOffset = 0;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t step = getInterior()[i] + 1, low = getLow()[i];
    int64_t first = low >= 0 ? 0 : (-low + step - 1) / step;
    int64_t room = out.getShape()[i] - low; // operand indices below room / step, rounded up, fit
    int64_t end = std::min(shape[i], room <= 0 ? 0 : (room + step - 1) / step);
    if (end <= first) return success();
    box.push_back(end - first);
    fromOffset += first * from[i];
    toOffset += (low + first * step) * to[i];
    to[i] *= step;
  }
  copyStrided(box, {ctx.x().data(), fromOffset, from}, {out.mutableData(), toOffset, to}, width);
  return success();
}

LogicalResult ConcatenateOp::eval(EvalContext &ctx) {
  HostArray &out = ctx.alloc();
  SmallVector<int64_t> to = rowMajorStrides(out.getShape());
  int64_t offset = 0;
  for (const HostArray &part : ctx.operands) {
    copyStrided(part.getShape(), {part.data(), 0, rowMajorStrides(part.getShape())},
                {out.mutableData(), offset, to}, elementBytes(out.getElementType()));
    offset += part.getShape()[getDimension()] * to[getDimension()];
  }
  return success();
}

} // namespace jx
