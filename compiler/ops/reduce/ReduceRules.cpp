// Derivative, transpose and batching rules of reduce and arg_reduce.
#include "compiler/ops/support/RuleSupport.h"

using namespace mlir;

namespace jx {

// --- reduce

/// y, the result of reducing x over `axes`, repeated to x's shape.
static Value repeatOverAxes(RuleBuilder &b, Value y, ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) {
  return b.broadcastInDim(y, shape, otherDims(shape.size(), axes));
}

/// Ties share the tangent evenly: d max(x) = mean of dx over the elements that equal the maximum. A nan
/// equals nothing, and makes every share nan, in both modes.
static Value extremumTangent(JvpContext &ctx, ArrayRef<int64_t> axes) {
  RuleBuilder &b = ctx.b;
  Value x = ctx.x();
  Value hits = b.compare("eq", x, repeatOverAxes(b, ctx.y(), shapeOf(x), axes));
  Value places = b.convert(hits, elementTypeOf(x)), count = b.reduceSum(places, axes);
  return b.div(b.reduceSum(b.mul(ctx.dx().get(), places), axes), count);
}

/// The tangent of a product by halving: pairs of factors are multiplied and their tangents combined by the
/// product rule, which stays right when factors are zero.
static Value productTangent(JvpContext &ctx, ArrayRef<int64_t> axes) {
  RuleBuilder &b = ctx.b;
  ArrayRef<int64_t> shape = shapeOf(ctx.x());
  SmallVector<int64_t> kept = otherDims(shape.size(), axes), order(axes), flat{1};
  for (int64_t dim : axes) flat.front() *= shape[dim];
  llvm::append_range(order, kept);
  for (int64_t dim : kept) flat.push_back(shape[dim]);
  auto toFront = [&](Value v) { return b.reshape(b.transpose(v, order), flat); };
  Value x = toFront(ctx.x()), dx = toFront(ctx.dx().get());
  SmallVector<int64_t> none(flat.size(), 0), ones(flat.size(), 1);
  while (shapeOf(x).front() > 1) {
    int64_t n = shapeOf(x).front(), half = n / 2;
    SmallVector<int64_t> start(none), limit(shapeOf(x));
    auto part = [&](Value v, int64_t from, int64_t to) {
      start.front() = from;
      limit.front() = to;
      return b.slice(v, start, limit, ones);
    };
    Value x1 = part(x, 0, half), x2 = part(x, half, 2 * half);
    Value dx1 = part(dx, 0, half), dx2 = part(dx, half, 2 * half);
    Value product = b.mul(x1, x2), tangent = b.add(b.mul(dx1, x2), b.mul(dx2, x1));
    if (n % 2) {
      product = b.concatenate({product, part(x, n - 1, n)}, 0);
      tangent = b.concatenate({tangent, part(dx, n - 1, n)}, 0);
    }
    x = product;
    dx = tangent;
  }
  return b.reshape(dx, ArrayRef<int64_t>(flat).drop_front());
}

LogicalResult ReduceOp::jvp(JvpContext &ctx) {
  if (!ctx.dx() || arrayType(ctx.x()).getNumElements() == 0) return success();
  // The axes are taken in ascending order, so that the rules may rely on it.
  SmallVector<int64_t> axes(getAxes());
  llvm::sort(axes);
  if (getKind() == "sum")
    ctx.setTangent(0, ctx.b.reduceSum(ctx.dx().get(), axes));
  else if (getKind() == "prod")
    ctx.setTangent(0, productTangent(ctx, axes));
  else
    ctx.setTangent(0, extremumTangent(ctx, axes));
  return success();
}

LogicalResult ReduceOp::transpose(TransposeContext &ctx) {
  if (getKind() != "sum") return notLinear(*this, ctx);
  if (ctx.ct()) ctx.acc(0).add(repeatOverAxes(ctx.b, ctx.ct().get(), shapeOf(getOperand()), getAxes()));
  return success();
}

LogicalResult ReduceOp::batch(BatchContext &ctx) {
  if (!ctx.anyBatched()) return batchNone(*this, ctx);
  ctx.set(0, ctx.b.reduce(getKind(), ctx.x(), shifted(getAxes())));
  return success();
}

// --- arg_reduce: an index, piecewise constant

LogicalResult ArgReduceOp::jvp(JvpContext &ctx) { return zeroJvp(*this, ctx); }
LogicalResult ArgReduceOp::transpose(TransposeContext &ctx) { return notLinear(*this, ctx); }
LogicalResult ArgReduceOp::batch(BatchContext &ctx) {
  if (!ctx.anyBatched()) return batchNone(*this, ctx);
  ctx.set(0, ctx.b.make<ArgReduceOp>(ctx.x(), getKind(), uint64_t(getAxis() + 1), getDtype()));
  return success();
}

} // namespace jx
