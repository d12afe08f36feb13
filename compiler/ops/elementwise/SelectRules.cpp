// Inference, derivative, transpose and batching of select and clamp, whose operands may be scalars beside
// arrays.
#include "compiler/ops/elementwise/Equation.h"
#include "compiler/ops/support/RuleSupport.h"

using namespace mlir;

namespace jx {

/// `v` with dimension 0 as its batch dimension, at the rank of `like`: scalars of each lane are repeated.
static Value atRankOf(RuleBuilder &b, Value v, Value like) {
  return rankOf(v) < rankOf(like) ? b.broadcastFromLeading(v, like) : v;
}

// --- select

JX_INFER(SelectOp) {
  auto pred = dyn_cast<RankedTensorType>(operands[0].getType());
  auto onTrue = dyn_cast<RankedTensorType>(operands[1].getType());
  if (!pred || !onTrue) return emitOptionalError(loc, "`select` needs arrays");
  if (!pred.getElementType().isInteger(1))
    return emitOptionalError(loc, "`select` needs a bool predicate, got ", pred);
  if (onTrue != operands[2].getType())
    return emitOptionalError(loc, "`select` needs cases of equal shapes and dtypes, got ", onTrue, " and ",
                             operands[2].getType());
  if (pred.getRank() != 0 && pred.getShape() != onTrue.getShape())
    return emitOptionalError(loc, "`select` needs a scalar predicate or one of the cases' shape, got ", pred,
                             " and ", onTrue);
  types.push_back(onTrue);
  return success();
}

LogicalResult SelectOp::jvp(JvpContext &ctx) {
  if (!ctx.dx(1) && !ctx.dx(2)) return success();
  Type type = ctx.x(1).getType();
  ctx.setTangent(
      0, ctx.b.select(ctx.x(0), ctx.b.materialise(ctx.dx(1), type), ctx.b.materialise(ctx.dx(2), type)));
  return success();
}

LogicalResult SelectOp::transpose(TransposeContext &ctx) {
  Tangent ct = ctx.ct();
  if (!ct) return success();
  Value zeros = ctx.b.zerosLike(ct.get());
  if (ctx.isLinear(1)) ctx.acc(1).add(ctx.b.select(ctx.x(0), ct.get(), zeros));
  if (ctx.isLinear(2)) ctx.acc(2).add(ctx.b.select(ctx.x(0), zeros, ct.get()));
  return success();
}

LogicalResult SelectOp::batch(BatchContext &ctx) {
  if (!ctx.anyBatched()) {
    ctx.set(0, ctx.b.select(ctx.x(0), ctx.x(1), ctx.x(2)), false);
    return success();
  }
  Value pred = ctx.x(0), onTrue = ctx.materialise(1), onFalse = ctx.materialise(2);
  bool scalarForAllLanes = !ctx.isBatched(0) && rankOf(pred) == 0;
  if (!scalarForAllLanes) pred = atRankOf(ctx.b, ctx.materialise(0), onTrue);
  ctx.set(0, ctx.b.select(pred, onTrue, onFalse));
  return success();
}

// --- clamp

JX_INFER(ClampOp) {
  auto type = dyn_cast<RankedTensorType>(operands[1].getType());
  if (!type) return emitOptionalError(loc, "`clamp` needs arrays");
  if (isa<ComplexType, KeyType>(type.getElementType()))
    return emitOptionalError(loc, "`clamp` does not accept ", describe(type));
  for (Value bound : {operands[0], operands[2]}) {
    auto boundType = dyn_cast<RankedTensorType>(bound.getType());
    if (!boundType || boundType.getElementType() != type.getElementType())
      return emitOptionalError(loc, "`clamp` needs bounds of dtype ", describe(type.getElementType()),
                               ", got ", describe(bound.getType()));
    if (boundType.getRank() != 0 && boundType.getShape() != type.getShape())
      return emitOptionalError(loc, "`clamp` needs scalar bounds or ones of the operand's shape, got ",
                               describe(boundType), " and ", describe(type));
  }
  types.push_back(type);
  return success();
}

/// Each operand's tangent passes where that operand is the result and no bound ties with it.
LogicalResult ClampOp::jvp(JvpContext &ctx) {
  RuleBuilder &b = ctx.b;
  Value x = ctx.x(1);
  Term low{&b, b.broadcastLike(ctx.x(0), x)}, operand{&b, x}, high{&b, b.broadcastLike(ctx.x(2), x)};
  Tangent sum;
  auto pass = [&](unsigned index, auto condition) {
    if (!ctx.dx(index)) return;
    Value tangent = b.broadcastLike(ctx.dx(index).get(), x);
    sum = b.add(sum, Tangent(b.select(condition(), tangent, b.zerosLike(tangent))));
  };
  pass(0, [&] { return b.logicalAnd(compare("gt", low, operand).v, compare("lt", low, high).v); });
  pass(1, [&] { return b.logicalAnd(compare("gt", operand, low).v, compare("lt", operand, high).v); });
  pass(2, [&] { return compare("lt", high, operand).v; });
  ctx.setTangent(0, sum);
  return success();
}

LogicalResult ClampOp::transpose(TransposeContext &ctx) { return notLinear(*this, ctx); }

LogicalResult ClampOp::batch(BatchContext &ctx) {
  if (!ctx.anyBatched()) {
    ctx.set(0, ctx.b.make<ClampOp>(ctx.x(0), ctx.x(1), ctx.x(2)), false);
    return success();
  }
  Value operand = ctx.materialise(1);
  auto bound = [&](unsigned index) {
    if (!ctx.isBatched(index) && rankOf(ctx.x(index)) == 0) return ctx.x(index);
    return atRankOf(ctx.b, ctx.materialise(index), operand);
  };
  ctx.set(0, ctx.b.make<ClampOp>(bound(0), operand, bound(2)));
  return success();
}

} // namespace jx
