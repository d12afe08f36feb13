// Derivative, transpose and batching rules of cumulative. A cumulative sum is linear; the tangents of the
// other kinds come from an associative scan over pairs (primal, tangent), as in JAX, whose ties and zeros it
// therefore shares.
#include "compiler/ops/support/RuleSupport.h"

using namespace mlir;

namespace jx {

namespace {

struct Dual {
  Value primal, tangent;
};
using Combine = llvm::function_ref<Dual(Dual, Dual)>;

/// The slices and interleavings that an associative scan along `axis` needs.
class AxisOps {
public:
  AxisOps(RuleBuilder &b, int64_t axis) : b(b), axis(axis) {}

  int64_t size(Dual x) const { return shapeOf(x.primal)[axis]; }
  Dual slice(Dual x, int64_t start, int64_t limit, int64_t stride = 1) const {
    return {slice(x.primal, start, limit, stride), slice(x.tangent, start, limit, stride)};
  }
  /// even[0], odd[0], even[1], odd[1], ...; `even` is as long as `odd` or longer by one.
  Dual interleave(Dual even, Dual odd) const {
    return {interleave(even.primal, odd.primal), interleave(even.tangent, odd.tangent)};
  }
  Dual concatenate(Dual x, Dual y) const {
    return {b.concatenate({x.primal, y.primal}, axis), b.concatenate({x.tangent, y.tangent}, axis)};
  }

private:
  Value slice(Value x, int64_t start, int64_t limit, int64_t stride) const {
    SmallVector<int64_t> starts(rankOf(x), 0), limits(shapeOf(x)), strides(rankOf(x), 1);
    starts[axis] = start;
    limits[axis] = limit;
    strides[axis] = stride;
    return b.slice(x, starts, limits, strides);
  }
  /// Pairs are stacked along a new dimension behind the axis, which the reshape merges into it.
  Value interleave(Value even, Value odd) const {
    int64_t pairs = shapeOf(odd)[axis], total = shapeOf(even)[axis] + pairs;
    SmallVector<int64_t> column(shapeOf(odd)), merged(shapeOf(odd));
    column.insert(column.begin() + axis + 1, 1);
    merged[axis] = 2 * pairs;
    Value head = total % 2 ? slice(even, 0, pairs, 1) : even;
    Value both = b.concatenate({b.reshape(head, column), b.reshape(odd, column)}, axis + 1);
    Value result = b.reshape(both, merged);
    if (total % 2) result = b.concatenate({result, slice(even, pairs, pairs + 1, 1)}, axis);
    return result;
  }

  RuleBuilder &b;
  int64_t axis;
};

} // namespace

/// jax.lax.associative_scan on pairs: combine neighbours, scan the half as many, fill in the even places.
static Dual associativeScan(const AxisOps &ops, Dual x, Combine combine) {
  int64_t n = ops.size(x);
  if (n < 2) return x;
  Dual reduced = combine(ops.slice(x, 0, n - 1, 2), ops.slice(x, 1, n, 2));
  Dual odd = associativeScan(ops, reduced, combine);
  Dual first = ops.slice(x, 0, 1);
  if (n == 2) return ops.interleave(first, odd);
  Dual before = n % 2 ? odd : ops.slice(odd, 0, ops.size(odd) - 1);
  Dual even = combine(before, ops.slice(x, 2, n, 2));
  return ops.interleave(ops.concatenate(first, even), odd);
}

static Dual multiply(RuleBuilder &b, Dual x, Dual y) {
  return {b.mul(x.primal, y.primal), b.add(b.mul(x.tangent, y.primal), b.mul(y.tangent, x.primal))};
}

/// max or min of two; equal operands take half of each tangent, and a nan, which equals nothing, none.
static Dual extremum(RuleBuilder &b, bool isMax, Dual x, Dual y) {
  Value primal = isMax ? b.binary<MaxOp>(x.primal, y.primal) : b.binary<MinOp>(x.primal, y.primal);
  auto part = [&](Dual operand) -> Value {
    return b.select(b.compare("eq", operand.primal, primal), operand.tangent, b.zerosLike(primal));
  };
  Value sum = b.add(part(x), part(y)), tie = b.compare("eq", x.primal, y.primal);
  return {primal, b.select(tie, b.scale(sum, 0.5), sum)};
}

/// log(exp(x) + exp(y)) with tangent dx exp(x - out) + dy exp(y - out). The larger operand is a constant
/// shift, so that derivatives of this are right where the operands tie. An operand of +inf has all the
/// weight; two of -inf, whose sum is -inf, have none; nan makes the weights nan.
static Dual logAddExp(RuleBuilder &b, Dual x, Dual y) {
  Value larger = b.binary<MaxOp>(x.primal, y.primal);
  Value isFinite = b.unary<IsFiniteOp>(larger), zero = b.zerosLike(larger), one = b.like(larger, 1);
  Value shift = b.stopGradient(b.select(isFinite, larger, zero));
  auto shiftedExp = [&](Value v) -> Value { return b.unary<ExpOp>(b.sub(v, shift)); };
  Value sum = b.add(shiftedExp(x.primal), shiftedExp(y.primal));
  Value primal = b.select(isFinite, b.add(shift, b.unary<LogOp>(sum)), larger);
  Value atInfinity = b.compare("eq", larger, b.like(larger, std::numeric_limits<double>::infinity()));
  Value elsewhere = b.binary<MinOp>(larger, zero); // nan, or -inf
  elsewhere = b.select(b.compare("lt", elsewhere, zero), zero, elsewhere);
  auto share = [&](Dual part) -> Value {
    Value weight = b.div(shiftedExp(part.primal), b.select(isFinite, sum, one));
    Value all = b.select(b.compare("eq", part.primal, larger), one, zero);
    weight = b.select(isFinite, weight, b.select(atInfinity, all, elsewhere));
    return b.mul(part.tangent, weight);
  };
  return {primal, b.add(share(x), share(y))};
}

LogicalResult CumulativeOp::jvp(JvpContext &ctx) {
  if (!ctx.dx()) return success();
  RuleBuilder &b = ctx.b;
  Value dx = ctx.dx().get();
  if (getKind() == "sum") {
    ctx.setTangent(0, b.make<CumulativeOp>(dx, getKind(), getAxis(), getReverse()).getResult());
    return success();
  }
  auto flip = [&](Value v) -> Value {
    return getReverse() ? b.make<ReverseOp>(v, ArrayRef<int64_t>{int64_t(getAxis())}) : v;
  };
  StringRef kind = getKind();
  Dual result =
      associativeScan(AxisOps(b, getAxis()), {flip(ctx.x()), flip(dx)}, [&](Dual x, Dual y) -> Dual {
        if (kind == "prod") return multiply(b, x, y);
        if (kind == "logsumexp") return logAddExp(b, x, y);
        return extremum(b, kind == "max", x, y);
      });
  ctx.setTangent(0, flip(result.tangent));
  return success();
}

/// Every input reaches the outputs at and after it: sum the cotangents from the other end.
LogicalResult CumulativeOp::transpose(TransposeContext &ctx) {
  if (getKind() != "sum") return notLinear(*this, ctx);
  if (ctx.ct()) ctx.acc(0).add(ctx.b.make<CumulativeOp>(ctx.ct().get(), getKind(), getAxis(), !getReverse()));
  return success();
}

LogicalResult CumulativeOp::batch(BatchContext &ctx) {
  if (!ctx.anyBatched()) return batchNone(*this, ctx);
  ctx.set(0, ctx.b.make<CumulativeOp>(ctx.x(), getKind(), getAxis() + 1, getReverse()));
  return success();
}

} // namespace jx
