// Arithmetic on values of a function being built, so that derivative rules read as the equations they are.
#pragma once

#include "compiler/dialect/RuleBuilder.h"

namespace jx {

/// An array value together with the builder of the function that it lives in. Numbers take the shape and
/// element type of the other operand.
struct Term {
  RuleBuilder *b;
  mlir::Value v;

  Term like(double number) const { return {b, b->like(v, number)}; }
  friend Term operator-(Term x) { return {x.b, x.b->neg(x.v)}; }
  friend Term operator+(Term x, Term y) { return {x.b, x.b->add(x.v, y.v)}; }
  friend Term operator-(Term x, Term y) { return {x.b, x.b->sub(x.v, y.v)}; }
  friend Term operator*(Term x, Term y) { return {x.b, x.b->mul(x.v, y.v)}; }
  friend Term operator/(Term x, Term y) { return {x.b, x.b->div(x.v, y.v)}; }
  friend Term operator+(Term x, double y) { return x + x.like(y); }
  friend Term operator-(Term x, double y) { return x - x.like(y); }
  friend Term operator*(double x, Term y) { return y.like(x) * y; }
  friend Term operator-(double x, Term y) { return y.like(x) - y; }
  friend Term operator/(double x, Term y) { return y.like(x) / y; }
};

template <typename OpT> Term apply(Term x) { return {x.b, x.b->unary<OpT>(x.v)}; }
inline Term square(Term x) { return x * x; }
inline Term integerPow(Term x, int64_t exponent) {
  return {x.b, x.b->make<IntegerPowOp>(x.v, static_cast<uint64_t>(exponent))};
}
inline Term compare(llvm::StringRef kind, Term x, Term y) { return {x.b, x.b->compare(kind, x.v, y.v)}; }
inline Term select(Term pred, Term onTrue, Term onFalse) {
  return {pred.b, pred.b->select(pred.v, onTrue.v, onFalse.v)};
}

/// The tangent of y = f(x) by `tangent(dx, x, y)`, which is asked only if dx is not zero.
template <typename F> mlir::LogicalResult unaryJvp(JvpContext &ctx, F tangent) {
  if (Tangent dx = ctx.dx())
    ctx.setTangent(0, tangent(Term{&ctx.b, dx.get()}, Term{&ctx.b, ctx.x()}, Term{&ctx.b, ctx.y()}).v);
  return mlir::success();
}

/// The tangent of z = f(x, y): the sum of `left(dx, x, y, z)` and `right(dy, x, y, z)` over those that are
/// not zero.
template <typename L, typename R> mlir::LogicalResult binaryJvp(JvpContext &ctx, L left, R right) {
  auto term = [&](mlir::Value v) { return Term{&ctx.b, v}; };
  Tangent sum;
  if (Tangent dx = ctx.dx(0)) sum = left(term(dx.get()), term(ctx.x(0)), term(ctx.x(1)), term(ctx.y())).v;
  if (Tangent dy = ctx.dx(1))
    sum = ctx.b.add(sum, Tangent(right(term(dy.get()), term(ctx.x(0)), term(ctx.x(1)), term(ctx.y())).v));
  ctx.setTangent(0, sum);
  return mlir::success();
}

} // namespace jx
