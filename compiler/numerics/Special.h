// Error functions, the gamma function's logarithm and its derivatives. f32 computes in f64 and rounds, save
// erf_inv, whose digits random.normal shows: there the coefficients are those that JAX uses.
#pragma once

#include "compiler/numerics/Trigonometric.h"
#include <vector>

namespace jx::num {

inline constexpr double pi = 3.141592653589793;

// --- Error functions

/// erfc for x >= 0, to full relative accuracy: exp(-x^2) erfcx(x).
template <class D> D erfcPositive(D x) {
  x = select(x > D(28.0), D(28.0), x);
  D t = (x - D(4.0)) / (x + D(4.0));
  D scaled = horner(t, coefficients::erfcxF64) / fma(D(2.0), x, D(1.0));
  D square = x * x;
  return expOfSum(-square, -fma(x, x, -square)) * scaled;
}

template <class X> X erf(X input) {
  using D = Rebind<X, double>;
  D x = cast<D>(input), ax = abs(x);
  D small = x * horner(x * x, coefficients::erfF64);
  D large = copysign(D(1.0) - erfcPositive(ax), x);
  return cast<X>(select(ax < D(1.0), small, select(isNan(x), x, large)));
}
template <class X> X erfc(X input) {
  using D = Rebind<X, double>;
  D x = cast<D>(input);
  D positive = erfcPositive(abs(x));
  return cast<X>(select(isNan(x), x, select(x < D(0.0), D(2.0) - positive, positive)));
}

/// M. Giles, "Approximating the erfinv function" (2012), single precision.
template <class F> F erfInvF32(F x) {
  constexpr double central[] = {1.50140941,     0.246640727,   -0.00417768164, -0.00125372503, 0.00021858087,
                                -4.39150654e-6, -3.5233877e-6, 3.43273939e-7,  2.81022636e-8};
  constexpr double tail[] = {2.83297682,     1.00167406,    0.00943887047,  -0.0076224613,  0.00573950773,
                             -0.00367342844, 0.00134934322, 0.000100950558, -0.000200214257};
  F w = -log1p(-(x * x));
  auto isCentral = w < F(5.0f);
  F t = select(isCentral, w - F(2.5f), sqrt(w) - F(3.0f));
  F p = select(isCentral, F(float(central[8])), F(float(tail[8])));
  for (int i = 7; i >= 0; --i) p = fma(p, t, select(isCentral, F(float(central[i])), F(float(tail[i]))));
  return select(abs(x) == F(1.0f), x * F(infinity<F>), p * x);
}

/// The f32 value improved by Halley steps on erf(y) = x, or on erfc(y) = 1 - x beyond 1/2.
template <class D> D erfInvF64(D x) {
  D ax = abs(x), q = D(1.0) - ax;
  // Near 1 a first guess from erfc(y) ~ exp(-y^2) / (y sqrt(pi)).
  D w = -log(q * D(1.7724538509055159));
  D guess = sqrt(w - D(0.5) * log(w));
  using F = Rebind<D, float>;
  F clamped = cast<F>(select(ax > D(0.9999), D(0.9999), ax));
  D y = select(ax > D(0.9999), guess, cast<D>(erfInvF32(clamped)));
  for (int i = 0; i < 3; ++i) {
    D error = select(ax > D(0.5), q - erfcPositive(y), erf(y) - ax);
    D step = error * D(0.8862269254527580) / exp(-(y * y));
    y = y - step / fma(y, step, D(1.0));
  }
  y = select(ax == D(1.0), D(infinity<D>), y);
  y = select(ax == D(0.0), ax, y);
  return select(ax <= D(1.0), copysign(y, x), D(quietNan<D>));
}

template <class X> X erfInv(X x) {
  if constexpr (isF32<X>)
    return erfInvF32(x);
  else
    return erfInvF64(x);
}

// --- Gamma

/// sin(pi x) and cos(pi x) for |x| <= 1/2.
template <class D> D sinPiReduced(D x) {
  D ax = abs(x);
  auto isSmall = ax <= D(0.25);
  D angle = select(isSmall, ax, D(0.5) - ax) * D(pi), z = angle * angle;
  D s = fma(angle * z, horner(z, coefficients::sinF64), angle);
  D c = fma(z * z, horner(z, coefficients::cosF64), fma(D(-0.5), z, D(1.0)));
  return copysign(select(isSmall, s, c), x);
}

/// log |gamma(x)| by Lanczos' sum with g = 7 and nine terms, and by reflection below 1/2.
template <class X> X lgamma(X input) {
  using D = Rebind<X, double>;
  constexpr double terms[] = {676.520368121885098567009190444019, -1259.13921672240287047156078755283,
                              771.3234287776530788486528258894,   -176.61502916214059906584551354,
                              12.507343278686904814458936853,     -0.13857109526572011689554707,
                              9.984369578019570859563e-6,         1.50563273514931155834e-7};
  D x = cast<D>(input);
  auto isReflected = x < D(0.5);
  D z = select(isReflected, -x, x - D(1.0));
  D sum = D(0.99999999999980993227684700473478);
  for (int i = 0; i < 8; ++i) sum = sum + D(terms[i]) / (z + D(i + 1.0));
  D t = z + D(7.5), logT = log(t);
  D direct = (z + D(0.5) - t / logT) * logT + (D(0.91893853320467274178) + log(sum));
  D reflected = D(1.1447298858494001741) - log(abs(sinPiReduced(x - rint(x)))) - direct;
  D result = select(isReflected, reflected, direct);
  result = select(abs(x) == D(infinity<D>), D(infinity<D>), result);
  return cast<X>(result);
}

/// cot(pi x), infinite at the integers.
template <class D> D cotPi(D x) {
  D r = x - rint(x), ar = abs(r);
  return copysign(sinPiReduced(D(0.5) - ar), r) / sinPiReduced(ar);
}

/// Derivative of lgamma: eight steps up the recurrence, then the asymptotic series; reflection below 1/2.
template <class X> X digamma(X input) {
  using D = Rebind<X, double>;
  constexpr double series[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                               1.0 / 132, -691.0 / 32760, 1.0 / 12};
  D x = cast<D>(input);
  auto isReflected = x < D(0.5);
  D y = select(isReflected, D(1.0) - x, x);
  D sum = D(0.0);
  for (int i = 0; i < 8; ++i) sum = sum + D(1.0) / (y + D(double(i)));
  D w = y + D(8.0), inverse = D(1.0) / (w * w);
  D result = (log(w) - D(0.5) / w) - inverse * horner(inverse, series);
  result = result - sum;
  result = select(isReflected, result - D(pi) * cotPi(x), result);
  result = select(isReflected & (x == rint(x)), D(quietNan<D>), result);
  return cast<X>(select(x == D(infinity<D>), x, result));
}

template <class D> D positivePower(D x, int64_t exponent) {
  D result = D(1.0);
  for (; exponent > 0; exponent >>= 1, x = x * x)
    if (exponent & 1) result = result * x;
  return result;
}

/// The n-th derivative of cot(pi x), n >= 1: a polynomial of degree n + 1 in c = cot(pi x), by c' = -pi (1 +
/// c^2).
template <class D> D cotPiDerivative(int64_t n, D x) {
  std::vector<double> polynomial{0.0, 1.0};
  for (int64_t k = 0; k < n; ++k) {
    std::vector<double> next(polynomial.size() + 1, 0.0);
    for (size_t power = 1; power < polynomial.size(); ++power) {
      double slope = -pi * double(power) * polynomial[power];
      next[power - 1] += slope;
      next[power + 1] += slope;
    }
    polynomial = std::move(next);
  }
  D c = cotPi(x), result = D(polynomial.back());
  for (size_t power = polynomial.size() - 1; power-- > 0;) result = result * c + D(polynomial[power]);
  return result;
}

/// The n-th derivative of digamma, n >= 1: (-1)^(n+1) n! zeta(n + 1, x) by Euler and Maclaurin's sum;
/// reflection below 0, infinite at the poles.
template <class X> X polygamma(int64_t n, X argument) {
  using D = Rebind<X, double>;
  D input = cast<D>(argument);
  auto isReflected = input < D(0.0);
  constexpr double bernoulli[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6};
  D x = select(isReflected, D(1.0) - input, input);
  int64_t s = n + 1;
  D sum = D(0.0);
  for (int i = 0; i < 10; ++i) sum = sum + D(1.0) / positivePower(x + D(double(i)), s);
  D w = x + D(10.0), inverse = D(1.0) / w, power = positivePower(inverse, s);
  sum = sum + power * (w * D(1.0 / double(s - 1)) + D(0.5));
  // B_2j / (2j)! s (s + 1) ... (s + 2j - 2) w^(-s - 2j + 1)
  double factor = double(s) / 2;
  D term = power * inverse;
  for (int j = 1; j <= 7; ++j) {
    sum = sum + D(bernoulli[j - 1] * factor) * term;
    factor *= double(s + 2 * j - 1) * double(s + 2 * j) / ((2.0 * j + 1) * (2.0 * j + 2));
    term = term * inverse * inverse;
  }
  double scale = n % 2 == 0 ? -1.0 : 1.0;
  for (int64_t i = 2; i <= n; ++i) scale *= double(i);
  D direct = D(scale) * sum;
  D reflected = (n % 2 == 0 ? direct : -direct) - D(pi) * cotPiDerivative(n, input);
  D result = select(isReflected, reflected, direct);
  // A pole of odd order has no one-sided value, as JAX has it.
  if (n % 2 == 0) result = select((input <= D(0.0)) & (input == rint(input)), D(quietNan<D>), result);
  return cast<X>(result);
}

} // namespace jx::num
