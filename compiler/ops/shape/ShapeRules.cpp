// Derivative, transpose and batching rules of the shape family.
#include "compiler/ops/support/RuleSupport.h"

using namespace mlir;

namespace jx {

// --- constant, iota: from nothing, so the derivative is zero and no batch dimension arises

LogicalResult ConstantOp::jvp(JvpContext &ctx) { return zeroJvp(*this, ctx); }
LogicalResult ConstantOp::transpose(TransposeContext &ctx) { return notLinear(*this, ctx); }
LogicalResult ConstantOp::batch(BatchContext &ctx) { return batchNone(*this, ctx); }
LogicalResult IotaOp::jvp(JvpContext &ctx) { return zeroJvp(*this, ctx); }
LogicalResult IotaOp::transpose(TransposeContext &ctx) { return notLinear(*this, ctx); }
LogicalResult IotaOp::batch(BatchContext &ctx) { return batchNone(*this, ctx); }

// --- broadcast_in_dim

/// The cotangent is summed over every dimension along which the operand was repeated.
LogicalResult BroadcastInDimOp::transpose(TransposeContext &ctx) {
  if (!ctx.ct()) return success();
  ArrayRef<int64_t> operandShape = shapeOf(getOperand());
  SmallVector<int64_t> axes;
  for (int64_t dim = 0; dim < int64_t(getShape().size()); ++dim) {
    const auto *it = llvm::find(getDims(), dim);
    bool repeated = it == getDims().end() || operandShape[it - getDims().begin()] != getShape()[dim];
    if (repeated) axes.push_back(dim);
  }
  Value sum = ctx.b.reduceSum(ctx.ct().get(), axes);
  ctx.acc(0).add(ctx.b.reshape(sum, operandShape));
  return success();
}

LogicalResult BroadcastInDimOp::batch(BatchContext &ctx) {
  if (!ctx.anyBatched()) return batchNone(*this, ctx);
  ctx.set(0, ctx.b.broadcastInDim(ctx.x(), prepended(ctx.size, getShape()), withBatch(getDims())));
  return success();
}

// --- reshape, transpose, reverse

LogicalResult ReshapeOp::transpose(TransposeContext &ctx) {
  if (ctx.ct()) ctx.acc(0).add(ctx.b.reshape(ctx.ct().get(), shapeOf(getOperand())));
  return success();
}

LogicalResult ReshapeOp::batch(BatchContext &ctx) {
  if (!ctx.anyBatched()) return batchNone(*this, ctx);
  ctx.set(0, ctx.b.reshape(ctx.x(), prepended(ctx.size, getShape())));
  return success();
}

LogicalResult TransposeOp::transpose(TransposeContext &ctx) {
  if (ctx.ct()) ctx.acc(0).add(ctx.b.transpose(ctx.ct().get(), inversePermutation(getPermutation())));
  return success();
}

LogicalResult TransposeOp::batch(BatchContext &ctx) {
  if (!ctx.anyBatched()) return batchNone(*this, ctx);
  ctx.set(0, ctx.b.transpose(ctx.x(), withBatch(getPermutation())));
  return success();
}

LogicalResult ReverseOp::transpose(TransposeContext &ctx) {
  if (ctx.ct()) ctx.acc(0).add(ctx.b.make<ReverseOp>(ctx.ct().get(), getDims()));
  return success();
}

LogicalResult ReverseOp::batch(BatchContext &ctx) {
  if (!ctx.anyBatched()) return batchNone(*this, ctx);
  ctx.set(0, ctx.b.make<ReverseOp>(ctx.x(), ArrayRef<int64_t>(shifted(getDims()))));
  return success();
}

// --- pad

/// Undoes the padding: cut (or fill, where padding was negative) the edges, then leave out the interior.
static Value unpad(RuleBuilder &b, PadOp op, Value ct) {
  auto negated = [](ArrayRef<int64_t> dims) {
    return llvm::map_to_vector(dims, [](int64_t d) { return -d; });
  };
  SmallVector<int64_t> none(op.getLow().size(), 0);
  Value cut = b.pad(ct, 0.0, negated(op.getLow()), negated(op.getHigh()), none);
  SmallVector<int64_t> strides = shifted(op.getInterior());
  return b.slice(cut, none, shapeOf(cut), strides);
}

LogicalResult PadOp::transpose(TransposeContext &ctx) {
  if (!ctx.ct()) return success();
  Value ct = ctx.ct().get(), inner;
  bool empty = arrayType(getOperand()).getNumElements() == 0;
  if (!empty) inner = unpad(ctx.b, *this, ct);
  if (ctx.isLinear(0) && inner) ctx.acc(0).add(inner);
  if (ctx.isLinear(1)) {
    auto axes = llvm::to_vector(llvm::seq<int64_t>(rankOf(ct)));
    Value all = ctx.b.reduceSum(ct, axes);
    ctx.acc(1).add(inner ? ctx.b.sub(all, ctx.b.reduceSum(inner, axes)) : all);
  }
  return success();
}

LogicalResult PadOp::batch(BatchContext &ctx) {
  if (!ctx.anyBatched()) return batchNone(*this, ctx);
  auto padded = [&](Value x, Value value) {
    return ctx.b.make<PadOp>(x, value, ArrayRef<int64_t>(prepended(0, getLow())),
                             ArrayRef<int64_t>(prepended(0, getHigh())),
                             ArrayRef<int64_t>(prepended(0, getInterior())));
  };
  if (!ctx.isBatched(1)) {
    ctx.set(0, padded(ctx.x(0), ctx.x(1)));
    return success();
  }
  // Each lane has its own padding value: choose between operand and padding by a padded mask.
  Type element = elementTypeOf(ctx.x(0)), boolean = ctx.b.getI1Type();
  Value x = ctx.materialise(0);
  Value inside =
      padded(ctx.b.splat(RankedTensorType::get(shapeOf(x), boolean), 1.0), ctx.b.scalar(boolean, 0.0));
  Value filled = padded(x, ctx.b.scalar(element, 0.0));
  ctx.set(0, ctx.b.select(inside, filled, ctx.b.broadcastFromLeading(ctx.x(1), filled)));
  return success();
}

// --- concatenate

LogicalResult ConcatenateOp::transpose(TransposeContext &ctx) {
  if (!ctx.ct()) return success();
  Value ct = ctx.ct().get();
  SmallVector<int64_t> starts(rankOf(ct), 0), limits(shapeOf(ct)), strides(rankOf(ct), 1);
  int64_t dimension = getDimension();
  for (auto [index, part] : llvm::enumerate(getInputs())) {
    limits[dimension] = starts[dimension] + shapeOf(part)[dimension];
    if (ctx.isLinear(index)) ctx.acc(index).add(ctx.b.slice(ct, starts, limits, strides));
    starts[dimension] = limits[dimension];
  }
  return success();
}

LogicalResult ConcatenateOp::batch(BatchContext &ctx) {
  if (!ctx.anyBatched()) return batchNone(*this, ctx);
  SmallVector<Value> parts;
  for (unsigned i = 0; i < getInputs().size(); ++i) parts.push_back(ctx.materialise(i));
  ctx.set(0, ctx.b.concatenate(parts, getDimension() + 1));
  return success();
}

} // namespace jx
