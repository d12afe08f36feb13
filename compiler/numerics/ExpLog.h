// Exponentials, logarithms, powers and what is made of them alone. Branch-free; within 2 ULP, pow in f32
// within 1. f32 functions that are seldom hot compute in f64 and round.
#pragma once

#include "compiler/numerics/Coefficients.h"
#include "compiler/numerics/Scalar.h"

namespace jx::num {

/// Adding it rounds a small float to an integer, which the low bits of the sum then hold: no conversion of a
/// float to an integer, which would be undefined for nan.
template <class X>
inline constexpr Scalar<X> roundingShift = isF32<X> ? Scalar<X>(12582912.0) : Scalar<X>(6755399441055744.0);

template <class X> struct Layout; // of the floats' bits
template <> struct Layout<float> {
  static constexpr int mantissa = 23, bias = 127;
};
template <> struct Layout<double> {
  static constexpr int mantissa = 52, bias = 1023;
};

/// The integer that x + roundingShift holds.
template <class X> SignedOf<X> integerOf(X shifted) {
  using I = SignedOf<X>;
  return wrapSub(bitcast<I>(shifted), I(std::bit_cast<Scalar<I>>(roundingShift<X>)));
}

/// 2^n for n from -bias (where it gives 0) to bias + 1 (where it gives infinity).
template <class X> X powerOfTwo(SignedOf<X> n) {
  using I = SignedOf<X>;
  using L = Layout<Scalar<X>>;
  return bitcast<X>(shiftLeft(wrapAdd(n, I(L::bias)), I(L::mantissa)));
}

/// y 2^n for n of up to twice the range of exponents, rounding once.
template <class X> X scaleByPowerOfTwo(X y, SignedOf<X> n) {
  SignedOf<X> half = shiftRight(n, SignedOf<X>(1));
  return y * powerOfTwo<X>(half) * powerOfTwo<X>(wrapSub(n, half));
}

template <class X> X clampKeepingNan(X x, double low, double high) {
  x = select(x > X(Scalar<X>(high)), X(Scalar<X>(high)), x);
  return select(x < X(Scalar<X>(low)), X(Scalar<X>(low)), x);
}

// --- exp

/// exp(r) - 1 for |r| <= ln2 / 2.
template <class X> X expm1Reduced(X r) {
  X q;
  if constexpr (isF32<X>)
    q = horner(r, coefficients::expF32);
  else
    q = horner(r, coefficients::expF64);
  return fma(r * r, q, r);
}

/// x = n ln2 + r.
template <class X> struct ExpParts {
  SignedOf<X> n;
  X r;
};
template <class X> ExpParts<X> splitByLn2(X x) {
  X shifted = fma(x, X(Scalar<X>(1.4426950408889634)), X(roundingShift<X>));
  X n = shifted - X(roundingShift<X>);
  constexpr double high = isF32<X> ? 0x1.62e43p-1 : 0x1.62e42fefa39efp-1;
  constexpr double low = isF32<X> ? -0x1.05c61p-29 : 0x1.abc9e3b39803fp-56;
  X r = fma(n, X(Scalar<X>(-high)), x);
  return {integerOf(shifted), fma(n, X(Scalar<X>(-low)), r)};
}

template <class X> X exp(X x) {
  x = isF32<X> ? clampKeepingNan(x, -104.0, 89.5) : clampKeepingNan(x, -746.0, 710.0);
  auto [n, r] = splitByLn2(x);
  return scaleByPowerOfTwo(X(Scalar<X>(1)) + expm1Reduced(r), n);
}

template <class X> X exp2(X x) {
  x = isF32<X> ? clampKeepingNan(x, -151.0, 129.0) : clampKeepingNan(x, -1076.0, 1025.0);
  X shifted = x + X(roundingShift<X>);
  X r = (x - (shifted - X(roundingShift<X>))) * X(Scalar<X>(0.6931471805599453));
  return scaleByPowerOfTwo(X(Scalar<X>(1)) + expm1Reduced(r), integerOf(shifted));
}

/// exp(x) - 1 = 2^n (exp(r) - 1) + (2^n - 1), halved on the way so that 2^n may pass the largest float.
template <class X> X expm1(X x) {
  X y = isF32<X> ? clampKeepingNan(x, -20.0, 89.0) : clampKeepingNan(x, -40.0, 710.0);
  auto [n, r] = splitByLn2(y);
  X half = powerOfTwo<X>(wrapSub(n, SignedOf<X>(1)));
  X result = fma(half, expm1Reduced(r), half - X(Scalar<X>(0.5))) * X(Scalar<X>(2));
  return select(x == X(Scalar<X>(0)), x, result);
}

// --- log

/// Sum of log(1 + f) and k ln2, for 1 + f between sqrt(1/2) and sqrt(2).
template <class X> X logReduced(X f, X k) {
  if constexpr (isF32<X>) {
    X square = f * f;
    X tail = square * f * horner(f, coefficients::logF32);
    tail = fma(X(-0.5f), square, tail);
    tail = fma(k, X(0x1.7f7d1cp-20f), tail);
    // k times the upper 15 bits of ln2 is exact; what the sum with f loses goes to the tail.
    X upper = k * X(0x1.62e4p-1f);
    X head = upper + f;
    return head + (tail + ((upper - head) + f));
  } else {
    X s = f / (X(2.0) + f);
    X z = s * s;
    X r = z * horner(z, coefficients::logF64);
    X halfSquare = X(0.5) * f * f;
    X low = fma(s, halfSquare + r, k * X(1.90821492927058770002e-10));
    return k * X(6.93147180369123816490e-01) - ((halfSquare - low) - f);
  }
}

/// x = 2^k m with m between sqrt(1/2) and sqrt(2), for positive x, subnormals included.
template <class X> struct LogParts {
  SignedOf<X> k;
  X m;
};
template <class X> LogParts<X> splitExponent(X x) {
  using I = SignedOf<X>;
  using S = Scalar<X>;
  using L = Layout<S>;
  constexpr S scale = isF32<X> ? S(0x1p25) : S(0x1p54);
  auto isTiny = x < X(std::numeric_limits<S>::min());
  I bits = bitcast<I>(select(isTiny, x * X(scale), x));
  I root = I(std::bit_cast<Scalar<I>>(S(0.70710678118654752)));
  bits = wrapSub(bits, root);
  I k = shiftRight(bits, I(L::mantissa));
  I mantissa = bitAnd(bits, I((Scalar<I>(1) << L::mantissa) - 1));
  k = wrapSub(k, select(isTiny, I(isF32<X> ? 25 : 54), I(0)));
  return {k, bitcast<X>(wrapAdd(mantissa, root))};
}

/// What log gives at 0, below 0, at infinity and at nan; `result` elsewhere.
template <class X> X logSpecial(X argument, X result) {
  using S = Scalar<X>;
  result = select(argument == X(infinity<X>), argument, result);
  result = select(argument == X(S(0)), X(-infinity<X>), result);
  return select(argument >= X(S(0)), result, X(quietNan<X>));
}

template <class X> X log(X x) {
  auto [k, m] = splitExponent(x);
  return logSpecial(x, logReduced(m - X(Scalar<X>(1)), cast<X>(k)));
}

/// log(1 + x): the rounding error of 1 + x is added back after the split.
template <class X> X log1p(X x) {
  using S = Scalar<X>;
  using I = SignedOf<X>;
  X u = X(S(1)) + x;
  X lost = select(x >= X(S(1)), X(S(1)) - (u - x), x - (u - X(S(1))));
  auto [k, m] = splitExponent(u);
  // Where the scale leaves the normal floats the lost part is far below the last digit.
  X scale = powerOfTwo<X>(wrapSub(I(0), k));
  X result = logSpecial(u, logReduced(fma(lost, scale, m - X(S(1))), cast<X>(k)));
  return select(x == X(S(0)), x, result);
}

// --- Powers

/// log(x) for positive normal x as high + low, with some 65 bits.
template <class D> struct DoubleDouble {
  D high, low;
};
template <class D> DoubleDouble<D> logDoubleDouble(D x) {
  auto [exponent, m] = splitExponent(x);
  D k = cast<D>(exponent), f = m - D(1.0);
  D u = D(2.0) + f, uLow = f - (u - D(2.0));
  D s = f / u, sLow = (fma(-s, u, f) - s * uLow) / u;
  // log(m) = 2s + (2/3) s^3 + s^5 (...), the first two terms with their rounding errors
  D z = s * s, zLow = fma(s, s, -z) + D(2.0) * s * sLow;
  D cube = s * z, cubeLow = fma(s, z, -cube) + (s * zLow + sLow * z);
  D third = D(coefficients::logF64[0]), thirdLow = D(3.7007434154171886e-17);
  D a = cube * third, aLow = fma(cube, third, -a) + (cubeLow * third + cube * thirdLow);
  D rest = D(coefficients::logF64[7]);
  for (int i = 6; i >= 1; --i) rest = fma(rest, z, D(coefficients::logF64[i]));
  rest = rest * z * cube;
  // k times the upper part of ln2 is exact; then sums of decreasing size, each with its error
  D kHigh = k * D(6.93147180369123816490e-01), kLow = k * D(1.90821492927058770002e-10);
  D twice = D(2.0) * s;
  D sum1 = kHigh + twice;
  D error1 = select(k == D(0.0), D(0.0), (kHigh - sum1) + twice);
  D sum2 = sum1 + a;
  D error2 = (sum1 - sum2) + a;
  D tail = ((D(2.0) * sLow + aLow) + (error1 + error2)) + (rest + kLow);
  D high = sum2 + tail;
  return {high, (sum2 - high) + tail};
}

/// exp(high + low) for low far smaller than high.
template <class D> D expOfSum(D high, D low) {
  D e = exp(high);
  return select(abs(e) < D(infinity<D>), fma(e, low, e), e);
}

/// C's conventions: pow(x, 0) = pow(1, y) = 1, nan for negative x and fractional y, signs of odd powers.
/// `magnitude` is |x|^y where both are ordinary.
template <class X> X powSpecial(X x, X y, X magnitude) {
  using S = Scalar<X>;
  X zero = S(0), one = S(1), inf = infinity<X>, ax = abs(x);
  auto isInteger = rint(y) == y;
  X halfY = y * X(S(0.5));
  auto isOdd = isInteger & (rint(halfY) != halfY);
  auto isNegative = bitcast<SignedOf<X>>(x) < SignedOf<X>(0);
  X result = select((ax == one) & (abs(y) == inf), one, magnitude);
  result = select((x < zero) & (ax < inf) & !isInteger, X(quietNan<X>), result);
  result = select(isNegative & isOdd, -result, result);
  result = select(bitOr(isNan(x), isNan(y)), x + y, result);
  return select((y == zero) | (x == one), one, result);
}

template <class X> X pow(X x, X y) {
  using D = Rebind<X, double>;
  if constexpr (isF32<X>) {
    D product = cast<D>(y) * log(cast<D>(abs(x)));
    return powSpecial(x, y, cast<X>(exp(product)));
  } else {
    D ax = abs(x);
    auto [high, low] = logDoubleDouble(ax);
    D product = y * high;
    D error = fma(y, high, -product) + y * low;
    // 0 and infinity have no logarithm to split, and a product beyond the range of exp no error that matters.
    D extreme = exp(y * logSpecial(ax, high));
    auto isOrdinary = (ax > D(0.0)) & (ax < D(infinity<D>)) & (abs(product) < D(800.0));
    return powSpecial(x, y, select(isOrdinary, expOfSum(product, error), extreme));
  }
}

/// Cube root of x = s 2^(3k) with the sign and zero, infinity and nan of x: three steps of Halley's
/// iteration.
template <class X> X cbrt(X x) {
  using D = Rebind<X, double>;
  using I = SignedOf<D>;
  D a = abs(cast<D>(x));
  // Away from both ends of the range cubes neither vanish nor overflow.
  auto isTiny = a<D(0x1p-900), isHuge = a> D(0x1p900);
  D v = select(isTiny, a * D(0x1p180), select(isHuge, a * D(0x1p-180), a));
  // The bits of a float are nearly its logarithm: a third of them is a guess good to 5%.
  I bits = bitcast<I>(v);
  D third = cast<D>(bits) * D(1.0 / 3);
  auto isOrdinary = (v > D(0.0)) & (v < D(infinity<D>));
  I guess = cast<I>(select(isOrdinary, third, D(0.0)));
  D y = bitcast<D>(wrapAdd(guess, I(3071306043645493248)));
  for (int i = 0; i < 3; ++i) {
    D cube = y * y * y;
    y = fma(y, (v - cube) / fma(D(2.0), cube, v), y);
  }
  // One Newton step with the exact residual leaves an error below one ULP.
  D square = y * y;
  D residual = fma(-square, y, v) - fma(y, y, -square) * y;
  y = fma(residual, D(1.0 / 3) / square, y);
  y = select(isTiny, y * D(0x1p-60), select(isHuge, y * D(0x1p60), y));
  D result = copysign(select(isOrdinary, y, a), cast<D>(x));
  return cast<X>(result);
}

/// 1 / (1 + exp(-x)) without overflow on either side.
template <class X> X logistic(X x) {
  using S = Scalar<X>;
  X e = exp(-abs(x));
  X numerator = select(x < X(S(0)), e, X(S(1)));
  return numerator / (X(S(1)) + e);
}

} // namespace jx::num
