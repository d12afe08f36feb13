// Evaluation of slice, dynamic_slice and dynamic_update_slice.
#include "compiler/ops/support/HostElements.h"
#include "compiler/ops/support/RuleSupport.h"
#include "compiler/ops/support/StridedCopy.h"

using namespace mlir;

namespace jx {

LogicalResult SliceOp::eval(EvalContext &ctx) {
  HostArray &out = ctx.alloc();
  SmallVector<int64_t> strides = rowMajorStrides(ctx.x().getShape());
  int64_t offset = 0;
  for (auto [dim, start] : llvm::enumerate(getStarts())) {
    offset += start * strides[dim];
    strides[dim] *= getStrides()[dim];
  }
  copyStrided(out.getShape(), {ctx.x().data(), offset, strides},
              {out.mutableData(), 0, rowMajorStrides(out.getShape())}, elementBytes(out.getElementType()));
  return success();
}

/// Offset of the box of `sizes` whose starts are clamped into an array of `shape`. Unsigned 64-bit starts
/// beyond int64 clamp to the end too.
static int64_t clampedOffset(ArrayRef<int64_t> shape, ArrayRef<int64_t> sizes, ArrayRef<HostArray> starts) {
  SmallVector<int64_t> strides = rowMajorStrides(shape);
  int64_t offset = 0;
  for (auto [dim, start] : llvm::enumerate(starts)) {
    int64_t last = shape[dim] - sizes[dim], value = integerAt(start, 0);
    if (value < 0 && start.getElementType().isUnsignedInteger(64)) value = last;
    offset += std::clamp<int64_t>(value, 0, last) * strides[dim];
  }
  return offset;
}

LogicalResult DynamicSliceOp::eval(EvalContext &ctx) {
  HostArray &out = ctx.alloc();
  int64_t offset = clampedOffset(ctx.x().getShape(), getSizes(), ctx.operands.drop_front());
  copyStrided(out.getShape(), {ctx.x().data(), offset, rowMajorStrides(ctx.x().getShape())},
              {out.mutableData(), 0, rowMajorStrides(out.getShape())}, elementBytes(out.getElementType()));
  return success();
}

LogicalResult DynamicUpdateSliceOp::eval(EvalContext &ctx) {
  HostArray out = ctx.x(0);
  const HostArray &update = ctx.x(1);
  out.unique();
  int64_t offset = clampedOffset(out.getShape(), update.getShape(), ctx.operands.drop_front(2));
  copyStrided(update.getShape(), {update.data(), 0, rowMajorStrides(update.getShape())},
              {out.mutableData(), offset, rowMajorStrides(out.getShape())},
              elementBytes(out.getElementType()));
  ctx.results[0] = std::move(out);
  return success();
}

} // namespace jx
