// The vocabulary in which numerical functions are written once, for two readers: plain C++ numbers (the
// interpreter), and Sym<T> (Symbolic.h), whose operators emit the same operations as kernel code.
//
// Rules that keep the two equal: every rounding is written out, `fma` where one is meant and never elsewhere;
// no branches, only `select` and `selectRare`; no conversion of a float to an integer outside the integer's
// range.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#pragma STDC FP_CONTRACT OFF

namespace jx::num {

template <class T> class Sym;

template <class X> struct Traits {
  using Scalar = X;
  template <class T> using Rebind = T;
};
template <class T> struct Traits<Sym<T>> {
  using Scalar = T;
  template <class U> using Rebind = Sym<U>;
};
/// The C++ number that X stands for, and another number in X's form: Rebind<Sym<float>, bool> is Sym<bool>.
template <class X> using Scalar = typename Traits<X>::Scalar;
template <class X, class T> using Rebind = typename Traits<X>::template Rebind<T>;

template <class X> inline constexpr bool isFloat = std::is_floating_point_v<Scalar<X>>;
template <class X> inline constexpr bool isF32 = std::is_same_v<Scalar<X>, float>;
template <class X> inline constexpr bool isBool = std::is_same_v<Scalar<X>, bool>;
template <class X> inline constexpr bool isSigned = std::is_signed_v<Scalar<X>>;
template <class X> inline constexpr int bitWidth = sizeof(Scalar<X>) * 8;

template <class X> inline constexpr Scalar<X> infinity = std::numeric_limits<Scalar<X>>::infinity();
template <class X> inline constexpr Scalar<X> quietNan = std::numeric_limits<Scalar<X>>::quiet_NaN();

template <int bits, bool isSigned> struct IntegerOf;
template <> struct IntegerOf<8, true> {
  using type = int8_t;
};
template <> struct IntegerOf<16, true> {
  using type = int16_t;
};
template <> struct IntegerOf<32, true> {
  using type = int32_t;
};
template <> struct IntegerOf<64, true> {
  using type = int64_t;
};
template <> struct IntegerOf<8, false> {
  using type = uint8_t;
};
template <> struct IntegerOf<16, false> {
  using type = uint16_t;
};
template <> struct IntegerOf<32, false> {
  using type = uint32_t;
};
template <> struct IntegerOf<64, false> {
  using type = uint64_t;
};
/// The signed and the unsigned integer of X's width, in X's form.
template <class X> using SignedOf = Rebind<X, typename IntegerOf<bitWidth<X>, true>::type>;
template <class X> using UnsignedOf = Rebind<X, typename IntegerOf<bitWidth<X>, false>::type>;

// --- The vocabulary on plain numbers. Sym<T> has the same names.

template <class T>
concept Number = std::is_arithmetic_v<T>;

inline float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
inline double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
inline float sqrt(float x) { return __builtin_sqrtf(x); }
inline double sqrt(double x) { return __builtin_sqrt(x); }
inline float floor(float x) { return __builtin_floorf(x); }
inline double floor(double x) { return __builtin_floor(x); }
inline float ceil(float x) { return __builtin_ceilf(x); }
inline double ceil(double x) { return __builtin_ceil(x); }
inline float trunc(float x) { return __builtin_truncf(x); }
inline double trunc(double x) { return __builtin_trunc(x); }
/// Rounds to the nearest integer, ties to even.
inline float rint(float x) { return __builtin_rintf(x); }
inline double rint(double x) { return __builtin_rint(x); }
inline float abs(float x) { return __builtin_fabsf(x); }
inline double abs(double x) { return __builtin_fabs(x); }
inline float copysign(float x, float sign) { return __builtin_copysignf(x, sign); }
inline double copysign(double x, double sign) { return __builtin_copysign(x, sign); }
/// Exact remainder with the sign of x, as C's fmod.
inline float fmod(float x, float y) { return __builtin_fmodf(x, y); }
inline double fmod(double x, double y) { return __builtin_fmod(x, y); }
/// The C library's functions of doubles, for arguments of any size.
inline double librarySin(double x) { return __builtin_sin(x); }
inline double libraryCos(double x) { return __builtin_cos(x); }
inline double libraryTan(double x) { return __builtin_tan(x); }

template <Number T> T select(bool condition, T onTrue, T onFalse) { return condition ? onTrue : onFalse; }
/// select(condition, rare(), common), for conditions that seldom hold: the code of `rare` runs only where
/// they do.
template <Number T, class F> T selectRare(bool condition, F rare, T common) {
  return condition ? rare() : common;
}
/// Value conversion by C++'s rules; to bool compares with zero.
template <class U, Number T> U cast(T x) { return static_cast<U>(x); }
template <class U, Number T> U bitcast(T x) { return std::bit_cast<U>(x); }
/// Integer arithmetic that wraps.
template <Number T> T wrapAdd(T x, T y) { return T(uint64_t(x) + uint64_t(y)); }
template <Number T> T wrapSub(T x, T y) { return T(uint64_t(x) - uint64_t(y)); }
template <Number T> T wrapMul(T x, T y) { return T(uint64_t(x) * uint64_t(y)); }
/// Integer quotient and remainder, rounding towards zero; the caller excludes a zero divisor and min / -1.
template <Number T> T quotient(T x, T y) { return T(x / y); }
template <Number T> T remainder(T x, T y) { return T(x % y); }
/// Shifts; the caller keeps the amount below the width. The right shift repeats the sign of signed numbers.
template <Number T> T shiftLeft(T x, T amount) { return T(uint64_t(x) << amount); }
template <Number T> T shiftRight(T x, T amount) { return T(x >> amount); }
template <Number T> T bitAnd(T x, T y) { return T(x & y); }
template <Number T> T bitOr(T x, T y) { return T(x | y); }
template <Number T> T bitXor(T x, T y) { return T(x ^ y); }
template <Number T> T countOnes(T x) {
  return T(std::popcount(typename IntegerOf<bitWidth<T>, false>::type(x)));
}
template <Number T> T leadingZeros(T x) {
  return T(std::countl_zero(typename IntegerOf<bitWidth<T>, false>::type(x)));
}

/// c[0] + c[1] x + ... by Horner's rule with fused steps.
template <class X, size_t n> X horner(X x, const double (&c)[n]) {
  X sum = Scalar<X>(c[n - 1]);
  for (size_t i = n - 1; i-- > 0;) sum = fma(sum, x, X(Scalar<X>(c[i])));
  return sum;
}

template <class X> Rebind<X, bool> isNan(X x) { return x != x; }

} // namespace jx::num
