// Derivative, transpose and batching rules of the collectives. Batching over the named axis itself resolves
// them into ordinary ops; batching over another one leaves them.
#include "compiler/ops/support/RuleSupport.h"

using namespace mlir;

namespace jx {

// --- axis_index

LogicalResult AxisIndexOp::jvp(JvpContext &ctx) { return zeroJvp(*this, ctx); }
LogicalResult AxisIndexOp::transpose(TransposeContext &ctx) { return notLinear(*this, ctx); }
LogicalResult AxisIndexOp::batch(BatchContext &ctx) {
  if (ctx.axisName != getAxisName()) return batchNone(*this, ctx);
  ctx.set(0, ctx.b.iota(elementTypeOf(getResult()), {ctx.size}, 0));
  return success();
}

// --- psum, pmax, pmin

LogicalResult PReduceOp::jvp(JvpContext &ctx) {
  if (!ctx.dx()) return success();
  RuleBuilder &b = ctx.b;
  Value dx = ctx.dx().get();
  auto sum = [&](Value v) -> Value { return b.make<PReduceOp>(v, "sum", getAxisName()); };
  if (getKind() == "sum") {
    ctx.setTangent(0, sum(dx));
    return success();
  }
  // Lanes that tie share the tangent evenly.
  Value hits = b.compare("eq", ctx.x(), ctx.y());
  Value count = sum(b.convert(hits, elementTypeOf(dx)));
  ctx.setTangent(0, b.div(sum(b.select(hits, dx, b.zerosLike(dx))), count));
  return success();
}

LogicalResult PReduceOp::transpose(TransposeContext &ctx) {
  if (getKind() != "sum") return notLinear(*this, ctx);
  if (ctx.ct()) ctx.acc(0).add(ctx.b.make<PReduceOp>(ctx.ct().get(), "sum", getAxisName()));
  return success();
}

LogicalResult PReduceOp::batch(BatchContext &ctx) {
  RuleBuilder &b = ctx.b;
  if (ctx.axisName != getAxisName()) return batchAsIs(*this, ctx);
  if (ctx.isBatched())
    ctx.set(0, b.reduce(getKind(), ctx.x(), {0}), false);
  else
    ctx.set(0, getKind() == "sum" ? b.scale(ctx.x(), double(ctx.size)) : ctx.x(), false);
  return success();
}

// --- all_gather

LogicalResult AllGatherOp::jvp(JvpContext &ctx) { return linearJvp(*this, ctx); }

/// Each lane takes its own part of the sum of all lanes' cotangents.
LogicalResult AllGatherOp::transpose(TransposeContext &ctx) {
  if (!ctx.ct()) return success();
  RuleBuilder &b = ctx.b;
  Value total = b.make<PReduceOp>(ctx.ct().get(), "sum", getAxisName());
  Value lane = b.make<AxisIndexOp>(getAxisName());
  SmallVector<Value> starts{lane};
  for (int64_t i = 0; i < rankOf(getOperand()); ++i) starts.push_back(b.scalar(elementTypeOf(lane), 0.0));
  ArrayRef<int64_t> shape = shapeOf(getOperand());
  ctx.acc(0).add(b.reshape(b.dynamicSlice(total, starts, prepended(1, shape)), shape));
  return success();
}

LogicalResult AllGatherOp::batch(BatchContext &ctx) {
  RuleBuilder &b = ctx.b;
  if (ctx.axisName == getAxisName()) {
    if (ctx.size != int64_t(getAxisSize()))
      return emitError("the axis `") << getAxisName() << "` has " << ctx.size << " lanes, not "
                                     << getAxisSize();
    ctx.set(0, ctx.materialise(0), false);
    return success();
  }
  if (!ctx.anyBatched()) return batchNone(*this, ctx);
  // The gathered axis comes first in the result; the batch dimension belongs there.
  Value gathered = b.make<AllGatherOp>(ctx.x(), getAxisName(), getAxisSize());
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(rankOf(gathered)));
  std::swap(permutation[0], permutation[1]);
  ctx.set(0, b.transpose(gathered, permutation));
  return success();
}

// --- ppermute

LogicalResult PPermuteOp::jvp(JvpContext &ctx) { return linearJvp(*this, ctx); }

LogicalResult PPermuteOp::transpose(TransposeContext &ctx) {
  if (!ctx.ct()) return success();
  SmallVector<int64_t> inverse(getPermutation());
  for (size_t i = 0; i < inverse.size(); i += 2) std::swap(inverse[i], inverse[i + 1]);
  ctx.acc(0).add(ctx.b.make<PPermuteOp>(ctx.ct().get(), getAxisName(), ArrayRef<int64_t>(inverse)));
  return success();
}

/// A gather of lanes; those without a source read outside, which gives zero.
LogicalResult PPermuteOp::batch(BatchContext &ctx) {
  if (ctx.axisName != getAxisName()) return batchAsIs(*this, ctx);
  RuleBuilder &b = ctx.b;
  Value x = ctx.materialise(0);
  SmallVector<int32_t> sources(ctx.size, int32_t(ctx.size));
  for (size_t i = 0; i < getPermutation().size(); i += 2) {
    int64_t source = getPermutation()[i], destination = getPermutation()[i + 1];
    if (source >= ctx.size || destination >= ctx.size)
      return emitError("`ppermute` from lane ") << source << " to lane " << destination << ", but the axis `"
                                                << getAxisName() << "` has " << ctx.size;
    sources[destination] = int32_t(source);
  }
  auto indexType = RankedTensorType::get({ctx.size, 1}, b.getI32Type());
  Value indices = b.constant(DenseElementsAttr::get(indexType, ArrayRef<int32_t>(sources)));
  using Ref = ArrayRef<int64_t>;
  SmallVector<int64_t> window = shifted(llvm::to_vector(llvm::seq<int64_t>(rankOf(x) - 1)));
  SmallVector<int64_t> sizes = prepended(1, shapeOf(x).drop_front());
  ctx.set(0, b.make<GatherOp>(x, indices, Ref(window), Ref{0}, Ref(), Ref(), Ref{0}, Ref(sizes), "fill",
                              b.getF64FloatAttr(0.0)));
  return success();
}

} // namespace jx
