// Derivative, transpose and batching rules of slice, dynamic_slice and dynamic_update_slice. With batched
// starts the dynamic ones become a gather and a scatter, as in JAX.
#include "compiler/ops/support/RuleSupport.h"

using namespace mlir;

namespace jx {

// --- slice

LogicalResult SliceOp::transpose(TransposeContext &ctx) {
  if (ctx.ct()) ctx.acc(0).addStrided(ctx.ct().get(), getStarts(), getStrides());
  return success();
}

LogicalResult SliceOp::batch(BatchContext &ctx) {
  if (!ctx.anyBatched()) return batchNone(*this, ctx);
  ctx.set(0, ctx.b.slice(ctx.x(), prepended(0, getStarts()), prepended(ctx.size, getLimits()),
                         prepended(1, getStrides())));
  return success();
}

// --- starts

/// The starts with one for the batch dimension: zero.
static SmallVector<Value> startsWithBatch(RuleBuilder &b, ArrayRef<Value> starts) {
  Type element = starts.empty() ? Type(b.getI32Type()) : elementTypeOf(starts.front());
  SmallVector<Value> all{b.scalar(element, 0.0)};
  llvm::append_range(all, starts);
  return all;
}

/// Batched starts as index vectors, one row a lane: (size, starts).
static Value startRows(BatchContext &ctx, unsigned firstStart) {
  RuleBuilder &b = ctx.b;
  unsigned count = ctx.operands.size() - firstStart;
  Type element = elementTypeOf(ctx.x(firstStart));
  for (unsigned i = firstStart; i < ctx.operands.size(); ++i)
    if (elementTypeOf(ctx.x(i)) != element) element = b.getI64Type();
  SmallVector<Value> columns;
  for (unsigned i = 0; i < count; ++i) {
    Value column = b.convert(ctx.x(firstStart + i), element);
    column = ctx.isBatched(firstStart + i) ? b.reshape(column, {ctx.size, 1})
                                           : b.broadcastInDim(column, {ctx.size, 1}, {});
    columns.push_back(column);
  }
  return b.concatenate(columns, 1);
}

static bool anyStartBatched(const BatchContext &ctx, unsigned firstStart) {
  return llvm::is_contained(ctx.batched.drop_front(firstStart), true);
}

// --- dynamic_slice

LogicalResult DynamicSliceOp::jvp(JvpContext &ctx) {
  if (ctx.dx(0)) ctx.setTangent(0, ctx.b.dynamicSlice(ctx.dx(0).get(), ctx.primals.drop_front(), getSizes()));
  return success();
}

LogicalResult DynamicSliceOp::transpose(TransposeContext &ctx) {
  if (ctx.ct()) ctx.acc(0).addSlice(ctx.ct().get(), ctx.operands.drop_front());
  return success();
}

LogicalResult DynamicSliceOp::batch(BatchContext &ctx) {
  if (!ctx.anyBatched()) return batchNone(*this, ctx);
  RuleBuilder &b = ctx.b;
  if (!anyStartBatched(ctx, 1)) {
    SmallVector<Value> starts = startsWithBatch(b, ctx.operands.drop_front());
    ctx.set(0, b.dynamicSlice(ctx.x(0), starts, prepended(ctx.size, getSizes())));
    return success();
  }
  bool operandBatched = ctx.isBatched(0);
  SmallVector<int64_t> window = llvm::to_vector(llvm::seq<int64_t>(getSizes().size()));
  SmallVector<int64_t> offsetDims = shifted(window);
  SmallVector<int64_t> indexMap = operandBatched ? shifted(window) : window;
  SmallVector<int64_t> sizes = operandBatched ? prepended(1, getSizes()) : SmallVector<int64_t>(getSizes());
  SmallVector<int64_t> batching;
  if (operandBatched) batching.push_back(0);
  ctx.set(0, b.make<GatherOp>(ctx.x(0), startRows(ctx, 1), ArrayRef<int64_t>(offsetDims), ArrayRef<int64_t>(),
                              ArrayRef<int64_t>(batching), ArrayRef<int64_t>(batching),
                              ArrayRef<int64_t>(indexMap), ArrayRef<int64_t>(sizes), "clip", FloatAttr()));
  return success();
}

// --- dynamic_update_slice

LogicalResult DynamicUpdateSliceOp::jvp(JvpContext &ctx) {
  if (!ctx.dx(0) && !ctx.dx(1)) return success();
  Value operand = ctx.b.materialise(ctx.dx(0), ctx.x(0).getType());
  Value update = ctx.b.materialise(ctx.dx(1), ctx.x(1).getType());
  ctx.setTangent(0, ctx.b.dynamicUpdateSlice(operand, update, ctx.primals.drop_front(2)));
  return success();
}

LogicalResult DynamicUpdateSliceOp::transpose(TransposeContext &ctx) {
  if (!ctx.ct()) return success();
  Value ct = ctx.ct().get();
  auto starts = ctx.operands.drop_front(2);
  if (ctx.isLinear(0)) ctx.acc(0).add(ctx.b.dynamicUpdateSlice(ct, ctx.b.zerosLike(getUpdate()), starts));
  if (ctx.isLinear(1)) ctx.acc(1).add(ctx.b.dynamicSlice(ct, starts, shapeOf(getUpdate())));
  return success();
}

LogicalResult DynamicUpdateSliceOp::batch(BatchContext &ctx) {
  if (!ctx.anyBatched()) return batchNone(*this, ctx);
  RuleBuilder &b = ctx.b;
  Value operand = ctx.materialise(0), update = ctx.materialise(1);
  if (!anyStartBatched(ctx, 2)) {
    ctx.set(0, b.dynamicUpdateSlice(operand, update, startsWithBatch(b, ctx.operands.drop_front(2))));
    return success();
  }
  SmallVector<int64_t> window = shifted(llvm::to_vector(llvm::seq<int64_t>(getStarts().size())));
  ctx.set(0, b.make<ScatterOp>(operand, startRows(ctx, 2), update, ArrayRef<int64_t>(window),
                               ArrayRef<int64_t>(), ArrayRef<int64_t>{0}, ArrayRef<int64_t>{0},
                               ArrayRef<int64_t>(window), "set", "clip", true));
  return success();
}

} // namespace jx
