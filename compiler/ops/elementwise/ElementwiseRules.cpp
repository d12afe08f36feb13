// Derivatives and transposes of the elementwise primitives. The equations, and their values at kinks and
// poles, are JAX's (jax/_src/lax/lax.py and special.py).
#include "compiler/ops/elementwise/Equation.h"
#include <cmath>
#include <numbers>

using namespace mlir;

namespace jx {

using std::numbers::ln2;
using std::numbers::pi;

/// x with 1 in place of 0, so that its logarithm is finite.
static Term replaceZero(Term x) { return select(compare("eq", x, x.like(0)), x.like(1), x); }

// --- Exponentials and logarithms

LogicalResult ExpOp::jvp(JvpContext &ctx) {
  return unaryJvp(ctx, [](Term dx, Term, Term y) { return dx * y; });
}
LogicalResult Exp2Op::jvp(JvpContext &ctx) {
  return unaryJvp(ctx, [](Term dx, Term, Term y) { return ln2 * (dx * y); });
}
LogicalResult Expm1Op::jvp(JvpContext &ctx) {
  return unaryJvp(ctx, [](Term dx, Term, Term y) { return dx * (y + 1); });
}
LogicalResult LogOp::jvp(JvpContext &ctx) {
  return unaryJvp(ctx, [](Term dx, Term x, Term) { return dx / x; });
}
LogicalResult Log1pOp::jvp(JvpContext &ctx) {
  return unaryJvp(ctx, [](Term dx, Term x, Term) { return dx / (x + 1); });
}
LogicalResult LogisticOp::jvp(JvpContext &ctx) {
  return unaryJvp(ctx, [](Term dx, Term, Term y) { return dx * (y * (1 - y)); });
}

// --- Roots and powers

LogicalResult SqrtOp::jvp(JvpContext &ctx) {
  return unaryJvp(ctx, [](Term dx, Term, Term y) { return dx * (0.5 / y); });
}
LogicalResult RsqrtOp::jvp(JvpContext &ctx) {
  return unaryJvp(ctx, [](Term dx, Term x, Term y) { return dx * (-0.5 * (y / x)); });
}
LogicalResult CbrtOp::jvp(JvpContext &ctx) {
  return unaryJvp(ctx, [](Term dx, Term, Term y) { return dx * ((1.0 / 3) * integerPow(y, -2)); });
}
LogicalResult IntegerPowOp::jvp(JvpContext &ctx) {
  int64_t n = static_cast<int64_t>(getExponent());
  if (n == 0) return success();
  return unaryJvp(ctx, [n](Term dx, Term x, Term) {
    if (n == 1) return dx;
    return dx * (double(n) * (n == 2 ? x : integerPow(x, n - 1)));
  });
}
LogicalResult PowOp::jvp(JvpContext &ctx) {
  auto inBase = [](Term dx, Term x, Term y, Term) {
    Term slope = {x.b, x.b->binary<PowOp>(x.v, (y - 1).v)};
    return dx * (y * slope);
  };
  auto inExponent = [](Term dy, Term x, Term, Term z) { return dy * (apply<LogOp>(replaceZero(x)) * z); };
  return binaryJvp(ctx, inBase, inExponent);
}

// --- Trigonometric and hyperbolic functions

LogicalResult SinOp::jvp(JvpContext &ctx) {
  return unaryJvp(ctx, [](Term dx, Term x, Term) { return dx * apply<CosOp>(x); });
}
LogicalResult CosOp::jvp(JvpContext &ctx) {
  return unaryJvp(ctx, [](Term dx, Term x, Term) { return -(dx * apply<SinOp>(x)); });
}
LogicalResult TanOp::jvp(JvpContext &ctx) {
  return unaryJvp(ctx, [](Term dx, Term, Term y) { return dx * (square(y) + 1); });
}
LogicalResult AsinOp::jvp(JvpContext &ctx) {
  return unaryJvp(ctx, [](Term dx, Term x, Term) { return dx * apply<RsqrtOp>(1 - square(x)); });
}
LogicalResult AcosOp::jvp(JvpContext &ctx) {
  return unaryJvp(ctx, [](Term dx, Term x, Term) { return dx * -apply<RsqrtOp>(1 - square(x)); });
}
LogicalResult AtanOp::jvp(JvpContext &ctx) {
  return unaryJvp(ctx, [](Term dx, Term x, Term) { return dx / (square(x) + 1); });
}
LogicalResult Atan2Op::jvp(JvpContext &ctx) {
  return binaryJvp(
      ctx, [](Term dx, Term x, Term y, Term) { return dx * (y / (square(x) + square(y))); },
      [](Term dy, Term x, Term y, Term) { return dy * (-x / (square(x) + square(y))); });
}
LogicalResult SinhOp::jvp(JvpContext &ctx) {
  return unaryJvp(ctx, [](Term dx, Term x, Term) { return dx * apply<CoshOp>(x); });
}
LogicalResult CoshOp::jvp(JvpContext &ctx) {
  return unaryJvp(ctx, [](Term dx, Term x, Term) { return dx * apply<SinhOp>(x); });
}
/// (1 + y)(1 - y) keeps its digits where y approaches 1.
LogicalResult TanhOp::jvp(JvpContext &ctx) {
  return unaryJvp(ctx, [](Term dx, Term, Term y) { return (dx + dx * y) * (1 - y); });
}
LogicalResult AsinhOp::jvp(JvpContext &ctx) {
  return unaryJvp(ctx, [](Term dx, Term x, Term) { return dx * apply<RsqrtOp>(square(x) + 1); });
}
LogicalResult AcoshOp::jvp(JvpContext &ctx) {
  return unaryJvp(ctx, [](Term dx, Term x, Term) { return dx * apply<RsqrtOp>(square(x) - 1); });
}
LogicalResult AtanhOp::jvp(JvpContext &ctx) {
  return unaryJvp(ctx, [](Term dx, Term x, Term) { return (1 / (x + 1)) * (dx / (1 - x)); });
}

// --- Special functions

LogicalResult ErfOp::jvp(JvpContext &ctx) {
  return unaryJvp(
      ctx, [](Term dx, Term x, Term) { return (2 / std::sqrt(pi)) * (dx * apply<ExpOp>(-square(x))); });
}
LogicalResult ErfcOp::jvp(JvpContext &ctx) {
  return unaryJvp(
      ctx, [](Term dx, Term x, Term) { return (-2 / std::sqrt(pi)) * (dx * apply<ExpOp>(-square(x))); });
}
LogicalResult ErfInvOp::jvp(JvpContext &ctx) {
  return unaryJvp(ctx,
                  [](Term dx, Term, Term y) { return (std::sqrt(pi) / 2) * (dx * apply<ExpOp>(square(y))); });
}
LogicalResult LgammaOp::jvp(JvpContext &ctx) {
  return unaryJvp(ctx, [](Term dx, Term x, Term) { return dx * apply<DigammaOp>(x); });
}
LogicalResult DigammaOp::jvp(JvpContext &ctx) {
  return unaryJvp(
      ctx, [](Term dx, Term x, Term) { return dx * Term{x.b, x.b->make<PolygammaOp>(x.v, uint64_t(1))}; });
}
LogicalResult PolygammaOp::jvp(JvpContext &ctx) {
  uint64_t next = getOrder() + 1;
  return unaryJvp(
      ctx, [next](Term dx, Term x, Term) { return dx * Term{x.b, x.b->make<PolygammaOp>(x.v, next)}; });
}

// --- Kinks

/// The derivative at 0 is 1, as JAX's.
LogicalResult AbsOp::jvp(JvpContext &ctx) {
  return unaryJvp(ctx, [](Term dx, Term x, Term) { return select(compare("ge", x, x.like(0)), dx, -dx); });
}
/// 1 where x alone is the result z, a half where both are, else 0.
static Term share(Term x, Term y, Term z) {
  return select(compare("eq", x, z), z.like(1), z.like(0)) /
         select(compare("eq", y, z), z.like(2), z.like(1));
}
static LogicalResult chooserJvp(JvpContext &ctx) {
  return binaryJvp(
      ctx, [](Term dx, Term x, Term y, Term z) { return dx * share(x, y, z); },
      [](Term dy, Term x, Term y, Term z) { return dy * share(y, x, z); });
}
LogicalResult MaxOp::jvp(JvpContext &ctx) { return chooserJvp(ctx); }
LogicalResult MinOp::jvp(JvpContext &ctx) { return chooserJvp(ctx); }
LogicalResult RemOp::jvp(JvpContext &ctx) {
  return binaryJvp(
      ctx, [](Term dx, Term, Term, Term) { return dx; },
      [](Term dy, Term x, Term y, Term) {
        Term quotient = x / y;
        return -dy * (apply<SignOp>(quotient) * apply<FloorOp>(apply<AbsOp>(quotient)));
      });
}

/// A step between neighbours in a grid of floats, not a function of reals.
LogicalResult NextafterOp::jvp(JvpContext &ctx) {
  return notDifferentiable(*this, ctx, "it steps from one floating-point number to the next");
}

// --- Linear and bilinear

LogicalResult NegOp::transpose(TransposeContext &ctx) {
  if (Tangent ct = ctx.ct()) ctx.acc(0).add(ctx.b.neg(ct.get()));
  return success();
}
LogicalResult AddOp::jvp(JvpContext &ctx) {
  ctx.setTangent(0, ctx.b.add(ctx.dx(0), ctx.dx(1)));
  return success();
}
LogicalResult AddOp::transpose(TransposeContext &ctx) {
  if (Tangent ct = ctx.ct())
    for (unsigned operand : {0, 1})
      if (ctx.isLinear(operand)) ctx.acc(operand).add(ct.get());
  return success();
}
LogicalResult SubOp::jvp(JvpContext &ctx) {
  Tangent dx = ctx.dx(0), dy = ctx.dx(1);
  ctx.setTangent(0, dx && dy ? Tangent(ctx.b.sub(dx.get(), dy.get())) : dx ? dx : ctx.b.neg(dy));
  return success();
}
LogicalResult SubOp::transpose(TransposeContext &ctx) {
  Tangent ct = ctx.ct();
  if (!ct) return success();
  if (ctx.isLinear(0)) ctx.acc(0).add(ct.get());
  if (ctx.isLinear(1)) ctx.acc(1).add(ctx.b.neg(ct.get()));
  return success();
}
LogicalResult MulOp::jvp(JvpContext &ctx) {
  return binaryJvp(
      ctx, [](Term dx, Term, Term y, Term) { return dx * y; },
      [](Term dy, Term x, Term, Term) { return x * dy; });
}
LogicalResult MulOp::transpose(TransposeContext &ctx) {
  Tangent ct = ctx.ct();
  if (!ct) return success();
  if (ctx.isLinear(0))
    ctx.acc(0).add(ctx.b.mul(ct.get(), ctx.x(1)));
  else
    ctx.acc(1).add(ctx.b.mul(ctx.x(0), ct.get()));
  return success();
}
/// By the quotient itself: powers of y would leave the range of a narrow float, and of a wide one for extreme
/// y.
LogicalResult DivOp::jvp(JvpContext &ctx) {
  return binaryJvp(
      ctx, [](Term dx, Term, Term y, Term) { return dx / y; },
      [](Term dy, Term, Term y, Term z) { return -dy * (z / y); });
}
LogicalResult DivOp::transpose(TransposeContext &ctx) {
  if (Tangent ct = ctx.ct()) ctx.acc(0).add(ctx.b.div(ct.get(), ctx.x(1)));
  return success();
}

} // namespace jx
