// Derivative, transpose and batching rules of gather. Batched operand and indices meet through batching
// dimensions, so that the batch stays one gather.
#include "compiler/ops/support/RuleSupport.h"

using namespace mlir;

namespace jx {

/// The same gather on another operand: lanes outside read zero, as tangents must.
static Value gatherTangent(RuleBuilder &b, GatherOp op, Value tangent, Value indices) {
  FloatAttr zero = op.getMode() == "fill" ? b.getF64FloatAttr(0.0) : FloatAttr();
  return b.make<GatherOp>(tangent, indices, op.getOffsetDims(), op.getCollapsedSliceDims(),
                          op.getOperandBatchingDims(), op.getStartIndicesBatchingDims(),
                          op.getStartIndexMap(), op.getSliceSizes(), op.getMode(), zero);
}

LogicalResult GatherOp::jvp(JvpContext &ctx) {
  if (ctx.dx(0)) ctx.setTangent(0, gatherTangent(ctx.b, *this, ctx.dx(0).get(), ctx.x(1)));
  return success();
}

/// What was read is added to where it came from.
LogicalResult GatherOp::transpose(TransposeContext &ctx) {
  if (!ctx.ct()) return success();
  StringRef mode = getMode() == "fill" ? "drop" : getMode();
  ctx.acc(0).addScatter([&](Value total) -> Value {
    return ctx.b.make<ScatterOp>(total, ctx.x(1), ctx.ct().get(), getOffsetDims(), getCollapsedSliceDims(),
                                 getOperandBatchingDims(), getStartIndicesBatchingDims(), getStartIndexMap(),
                                 "add", mode, false);
  });
  return success();
}

LogicalResult GatherOp::batch(BatchContext &ctx) {
  if (!ctx.anyBatched()) return batchNone(*this, ctx);
  bool operandBatched = ctx.isBatched(0), indicesBatched = ctx.isBatched(1);
  SmallVector<int64_t> offsetDims = shifted(getOffsetDims());
  SmallVector<int64_t> collapsed(getCollapsedSliceDims()), indexMap(getStartIndexMap()),
      sizes(getSliceSizes());
  SmallVector<int64_t> operandBatching(getOperandBatchingDims()),
      indicesBatching(getStartIndicesBatchingDims());
  if (operandBatched) {
    collapsed = shifted(collapsed);
    indexMap = shifted(indexMap);
    operandBatching = shifted(operandBatching);
    // Alone it is one more dimension of the window; with batched indices each lane reads its own part.
    sizes = prepended(indicesBatched ? 1 : ctx.size, sizes);
  }
  if (indicesBatched) indicesBatching = shifted(indicesBatching);
  if (operandBatched && indicesBatched) {
    operandBatching = prepended(0, operandBatching);
    indicesBatching = prepended(0, indicesBatching);
  } else if (operandBatched) {
    offsetDims = prepended(0, offsetDims);
  }
  using Ref = ArrayRef<int64_t>;
  ctx.set(0, ctx.b.make<GatherOp>(ctx.x(0), ctx.x(1), Ref(offsetDims), Ref(collapsed), Ref(operandBatching),
                                  Ref(indicesBatching), Ref(indexMap), Ref(sizes), getMode(),
                                  getFillValueAttr()));
  return success();
}

} // namespace jx
