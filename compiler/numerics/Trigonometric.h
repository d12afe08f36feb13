// Circular and hyperbolic functions and their inverses. f32 computes in f64 and rounds, save tanh, which is
// hot. f64 sin, cos and tan are the C library's: their reduction of huge arguments needs tables.
#pragma once

#include "compiler/numerics/ExpLog.h"

namespace jx::num {

inline constexpr double halfPi = 1.5707963267948966, halfPiLow = 6.123233995736766e-17;
inline constexpr double quarterPi = 0.7853981633974483, quarterPiLow = 3.061616997868383e-17;

// --- Reduction of f32 arguments, any size

/// x = (n + f) pi / 2 with |f| <= 1/2; the low bits of `n` count quadrants.
template <class D> struct Quadrant {
  SignedOf<D> n;
  D angle;
};

/// |x| <= 2^30: pi/2 in two parts. What cancels next to its multiples is exact in f64, and enough of it is
/// left for f32.
template <class D> Quadrant<D> reduceSmall(D x) {
  D shifted = fma(x, D(0.6366197723675814), D(roundingShift<D>));
  D n = shifted - D(roundingShift<D>);
  return {integerOf(shifted), fma(n, D(-halfPiLow), fma(n, D(-halfPi), x))};
}

/// x 2/pi modulo 4 by seven pieces of 2/pi of 29 bits, whose products with the 24 bits of x are exact. Pieces
/// that only add multiples of 4 drop out exactly.
template <class D> Quadrant<D> reduceAny(D x) {
  constexpr double pieces[] = {0x1.45f306dp-1,   0x1.9391054p-30, 0x1.4fe13abp-59, 0x1.d1f534dp-88,
                               0x1.b81b6c5p-117, 0x1.5993c4p-148, 0x1.c820ff2p-175};
  D parts[7];
  D sum = D(0.0);
  for (int i = 0; i < 7; ++i) {
    D product = x * D(pieces[i]);
    parts[i] = fma(D(-4.0), rint(product * D(0.25)), product);
    sum = sum + parts[i];
  }
  D shifted = sum + D(roundingShift<D>);
  D fraction = parts[0] - (shifted - D(roundingShift<D>));
  for (int i = 1; i < 7; ++i) fraction = fraction + parts[i];
  return {integerOf(shifted), fraction * D(halfPi)};
}

/// sin and cos for |x| <= pi / 4, good for a result rounded to f32.
template <class D> D sinReduced(D x) {
  D z = x * x;
  return fma(x * z, horner(z, coefficients::sinF32), x);
}
template <class D> D cosReduced(D x) {
  D z = x * x;
  return fma(z * z, horner(z, coefficients::cosF32), fma(D(-0.5), z, D(1.0)));
}

/// function(angle, n) for x = angle + n pi / 2.
template <class D, class F> D reduced(D x, F function) {
  auto of = [&](Quadrant<D> quadrant) { return function(quadrant.angle, quadrant.n); };
  return selectRare(!(abs(x) <= D(0x1p30)), [&] { return of(reduceAny(x)); }, of(reduceSmall(x)));
}

/// sin(angle + n pi / 2)
template <class D> D sinOfQuadrant(D angle, SignedOf<D> n) {
  using I = SignedOf<D>;
  D value = select(bitAnd(n, I(1)) != I(0), cosReduced(angle), sinReduced(angle));
  return select(bitAnd(n, I(2)) != I(0), -value, value);
}

template <class X> X sin(X x) {
  using D = Rebind<X, double>;
  if constexpr (!isF32<X>) {
    return librarySin(x);
  } else {
    D result = reduced(cast<D>(x), [](D angle, SignedOf<D> n) { return sinOfQuadrant(angle, n); });
    return select(x == X(0.0f), x, cast<X>(result));
  }
}
template <class X> X cos(X x) {
  using D = Rebind<X, double>;
  if constexpr (!isF32<X>) {
    return libraryCos(x);
  } else {
    return cast<X>(reduced(
        cast<D>(x), [](D angle, SignedOf<D> n) { return sinOfQuadrant(angle, wrapAdd(n, SignedOf<D>(1))); }));
  }
}
template <class X> X tan(X x) {
  using D = Rebind<X, double>;
  if constexpr (!isF32<X>) {
    return libraryTan(x);
  } else {
    D result = reduced(cast<D>(x), [](D angle, SignedOf<D> n) {
      D s = sinReduced(angle), c = cosReduced(angle);
      auto isOdd = bitAnd(n, SignedOf<D>(1)) != SignedOf<D>(0);
      return select(isOdd, -c, s) / select(isOdd, s, c);
    });
    return select(x == X(0.0f), x, cast<X>(result));
  }
}

// --- Inverses

/// asin for |x| <= 1/2.
template <class D> D asinReduced(D x) {
  D z = x * x;
  return fma(x * z, horner(z, coefficients::asinF64), x);
}

/// asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)) beyond 1/2.
template <class X> X asin(X input) {
  using D = Rebind<X, double>;
  D x = cast<D>(input), ax = abs(x);
  auto isLarge = ax > D(0.5);
  D root = sqrt((D(1.0) - ax) * D(0.5));
  D part = asinReduced(select(isLarge, root, ax));
  D result = select(isLarge, D(quarterPi) - fma(D(2.0), part, D(-quarterPi) - D(halfPiLow)), part);
  return cast<X>(copysign(result, x));
}
template <class X> X acos(X input) {
  using D = Rebind<X, double>;
  D x = cast<D>(input), ax = abs(x);
  auto isLarge = ax > D(0.5);
  D root = sqrt((D(1.0) - ax) * D(0.5));
  D part = asinReduced(select(isLarge, root, x));
  D twice = D(2.0) * part;
  D large = select(x < D(0.0), D(2 * halfPi) - (twice - D(2 * halfPiLow)), twice);
  return cast<X>(select(isLarge, large, D(halfPi) - (part - D(halfPiLow))));
}

/// atan(y / x) for 0 <= y <= x, by one more reduction about pi/4.
template <class D> D atanOfQuotient(D y, D x) {
  auto isSteep = y > D(0.41421356237309503) * x;
  D t = select(isSteep, y - x, y) / select(isSteep, y + x, x);
  D z = t * t;
  D part = fma(t * z, horner(z, coefficients::atanF64), t);
  return select(isSteep, D(quarterPi) + (part + D(quarterPiLow)), part);
}

template <class X> X atan(X input) {
  using D = Rebind<X, double>;
  D x = cast<D>(input), ax = abs(x);
  auto isLarge = ax > D(1.0);
  D part = atanOfQuotient(select(isLarge, D(1.0), ax), select(isLarge, ax, D(1.0)));
  part = select(ax == D(infinity<D>), D(0.0), part);
  D result = select(isLarge, D(halfPi) - (part - D(halfPiLow)), part);
  return cast<X>(copysign(select(isNan(x), x, result), x));
}

/// The angle of the point (x, y), with C's conventions for zeros and infinities.
template <class X> X atan2(X inputY, X inputX) {
  using D = Rebind<X, double>;
  D y = cast<D>(inputY), x = cast<D>(inputX);
  D ay = abs(y), ax = abs(x);
  auto isSteep = ay > ax;
  D small = select(isSteep, ax, ay), large = select(isSteep, ay, ax);
  // Halving keeps the sum of two huge numbers finite; scaling up keeps subnormal quotients exact.
  D scale = select(large > D(1.0), D(0.5), select(large < D(0x1p-900), D(0x1p120), D(1.0)));
  D part = atanOfQuotient(small * scale, large * scale);
  part = select(small == D(0.0), D(0.0), part);
  part = select((large == D(infinity<D>)) & (small < large), D(0.0), part);
  part = select(small == D(infinity<D>), D(quarterPi), part);
  auto isLeft = bitcast<SignedOf<D>>(x) < SignedOf<D>(0);
  D steep = D(halfPi) - (select(isLeft, -part, part) - D(halfPiLow));
  D flat = select(isLeft, D(2 * halfPi) - (part - D(2 * halfPiLow)), part);
  D angle = select(isSteep, steep, flat);
  angle = select(bitOr(isNan(x), isNan(y)), x + y, copysign(angle, y));
  return cast<X>(angle);
}

// --- Hyperbolic

/// -t / (2 + t) with t = expm1(-2|x|), which is well conditioned everywhere.
template <class X> X tanh(X x) {
  using S = Scalar<X>;
  X t = expm1(X(S(-2)) * abs(x));
  X result = copysign(-t / (X(S(2)) + t), x);
  return select(isNan(x), x, result);
}
template <class X> X sinh(X input) {
  using D = Rebind<X, double>;
  D x = cast<D>(input), ax = abs(x);
  D t = expm1(ax);
  D result = D(0.5) * (t + t / (t + D(1.0)));
  D half = exp(D(0.5) * ax);
  result = select(ax > D(40.0), (D(0.5) * half) * half, result);
  return cast<X>(copysign(select(isNan(x), x, result), x));
}
template <class X> X cosh(X input) {
  using D = Rebind<X, double>;
  D x = cast<D>(input), ax = abs(x);
  D half = exp(D(0.5) * ax);
  D e = half * half;
  D t = expm1(ax);
  D result = D(1.0) + (t * t) / (D(2.0) * (D(1.0) + t));
  return cast<X>(select(ax > D(20.0), (D(0.5) * half) * half + D(0.5) / e, result));
}
template <class X> X asinh(X input) {
  using D = Rebind<X, double>;
  D x = cast<D>(input), ax = abs(x);
  D square = ax * ax;
  D small = log1p(ax + square / (D(1.0) + sqrt(square + D(1.0))));
  D result = select(ax > D(0x1p28), log(ax) + D(0.6931471805599453), small);
  return cast<X>(copysign(select(isNan(x), x, result), x));
}
template <class X> X acosh(X input) {
  using D = Rebind<X, double>;
  D x = cast<D>(input), t = x - D(1.0);
  D small = log1p(t + sqrt(fma(t, t, D(2.0) * t)));
  small = select(x >= D(1.0), small, D(quietNan<D>));
  return cast<X>(select(x > D(0x1p28), log(x) + D(0.6931471805599453), small));
}
template <class X> X atanh(X input) {
  using D = Rebind<X, double>;
  D x = cast<D>(input), ax = abs(x);
  D result = D(0.5) * log1p(D(2.0) * ax / (D(1.0) - ax));
  return cast<X>(copysign(result, x));
}

} // namespace jx::num
