// Complex numbers over either reader of the vocabulary. Products and quotients are the schoolbook formulas,
// the quotient scaled by the larger part of the divisor.
#pragma once

#include "compiler/numerics/Basic.h"

namespace jx::num {

template <class X> struct Complex {
  X re, im;
};
template <class T> inline constexpr bool isComplex = false;
template <class X> inline constexpr bool isComplex<Complex<X>> = true;

template <class X> Complex<X> add(Complex<X> x, Complex<X> y) { return {x.re + y.re, x.im + y.im}; }
template <class X> Complex<X> sub(Complex<X> x, Complex<X> y) { return {x.re - y.re, x.im - y.im}; }
template <class X> Complex<X> neg(Complex<X> x) { return {-x.re, -x.im}; }
template <class X> Complex<X> mul(Complex<X> x, Complex<X> y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
template <class X> Complex<X> div(Complex<X> x, Complex<X> y) {
  auto isReal = abs(y.re) >= abs(y.im);
  X large = select(isReal, y.re, y.im), small = select(isReal, y.im, y.re);
  X ratio = small / large, scale = large + small * ratio;
  X re = select(isReal, x.re + x.im * ratio, x.re * ratio + x.im) / scale;
  X im = select(isReal, x.im - x.re * ratio, x.im * ratio - x.re) / scale;
  return {re, im};
}
template <class X> Complex<X> integerPow(Complex<X> x, int64_t exponent) {
  X zero = Scalar<X>(0), one = Scalar<X>(1);
  Complex<X> result{one, zero};
  for (uint64_t n = exponent < 0 ? 0 - uint64_t(exponent) : uint64_t(exponent); n > 0; n >>= 1, x = mul(x, x))
    if (n & 1) result = mul(result, x);
  return exponent < 0 ? div(Complex<X>{one, zero}, result) : result;
}
template <class X> Rebind<X, bool> equal(Complex<X> x, Complex<X> y) {
  return (x.re == y.re) & (x.im == y.im);
}

} // namespace jx::num
