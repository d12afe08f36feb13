// Arithmetic, comparison and conversion as XLA defines them: integers wrap, division by zero has a value,
// shifts beyond the width have a value, max and min carry nan, conversions saturate. Threefry.
#pragma once

#include "compiler/numerics/Scalar.h"

namespace jx::num {

// --- Arithmetic of any number

template <class X> X add(X x, X y) {
  if constexpr (isFloat<X>)
    return x + y;
  else
    return wrapAdd(x, y);
}
template <class X> X sub(X x, X y) {
  if constexpr (isFloat<X>)
    return x - y;
  else
    return wrapSub(x, y);
}
template <class X> X mul(X x, X y) {
  if constexpr (isFloat<X>)
    return x * y;
  else
    return wrapMul(x, y);
}
template <class X> X neg(X x) {
  if constexpr (isFloat<X>)
    return -x;
  else
    return wrapSub(X(Scalar<X>(0)), x);
}

/// Integers: x / 0 = -1, min / -1 = min.
template <class X> X div(X x, X y) {
  using S = Scalar<X>;
  if constexpr (isFloat<X>) {
    return x / y;
  } else {
    auto byZero = y == X(S(0));
    X safe = select(byZero, X(S(1)), y);
    if constexpr (!isSigned<X>) {
      return select(byZero, X(S(-1)), quotient(x, safe));
    } else {
      auto overflows = (x == X(std::numeric_limits<S>::min())) & (y == X(S(-1)));
      safe = select(overflows, X(S(1)), safe);
      return select(byZero, X(S(-1)), quotient(x, safe));
    }
  }
}
/// The sign is the dividend's. Integers: x % 0 = x, min % -1 = 0.
template <class X> X rem(X x, X y) {
  using S = Scalar<X>;
  if constexpr (isFloat<X>) {
    return fmod(x, y);
  } else {
    auto byZero = y == X(S(0));
    auto isTrivial = byZero;
    if constexpr (isSigned<X>) isTrivial = byZero | (y == X(S(-1)));
    X result = remainder(x, select(isTrivial, X(S(1)), y));
    return select(byZero, x, result);
  }
}

template <class X> X absolute(X x) {
  if constexpr (isFloat<X>)
    return abs(x);
  else if constexpr (isSigned<X>)
    return select(x < X(Scalar<X>(0)), neg(x), x);
  else
    return x;
}
/// nan and both zeros stay as they are.
template <class X> X sign(X x) {
  using S = Scalar<X>;
  X zero = S(0), one = S(1);
  X nonNegative = select(x > zero, one, x);
  if constexpr (!isSigned<X> && !isFloat<X>)
    return nonNegative;
  else
    return select(x < zero, X(S(-1)), nonNegative);
}

/// nan wins; of two zeros max takes the positive and min the negative one.
template <class X> X max(X x, X y) {
  if constexpr (isBool<X>) {
    return bitOr(x, y);
  } else if constexpr (!isFloat<X>) {
    return select(x < y, y, x);
  } else {
    X larger = select(x < y, y, x);
    X zeros = bitcast<X>(bitAnd(bitcast<SignedOf<X>>(x), bitcast<SignedOf<X>>(y)));
    return select(x == y, zeros, select(isNan(y), y, larger));
  }
}
template <class X> X min(X x, X y) {
  if constexpr (isBool<X>) {
    return bitAnd(x, y);
  } else if constexpr (!isFloat<X>) {
    return select(y < x, y, x);
  } else {
    X smaller = select(y < x, y, x);
    X zeros = bitcast<X>(bitOr(bitcast<SignedOf<X>>(x), bitcast<SignedOf<X>>(y)));
    return select(x == y, zeros, select(isNan(y), y, smaller));
  }
}
template <class X> X clamp(X low, X x, X high) { return min(max(x, low), high); }

/// By repeated squaring, in JAX's order; a negative exponent takes the reciprocal at the end.
template <class X> X integerPow(X x, int64_t exponent) {
  X one = Scalar<X>(1);
  if (exponent == 0) return one;
  bool isReciprocal = exponent < 0;
  uint64_t n = isReciprocal ? 0 - uint64_t(exponent) : uint64_t(exponent);
  X result = one;
  bool started = false;
  while (n > 0) {
    if (n & 1) {
      result = started ? mul(result, x) : x;
      started = true;
    }
    n >>= 1;
    if (n > 0) x = mul(x, x);
  }
  return isReciprocal ? div(one, result) : result;
}

template <class X> X rsqrt(X x) { return X(Scalar<X>(1)) / sqrt(x); }

/// Ties away from zero: adding the largest float below a half rounds no smaller fraction up.
template <class X> X roundAway(X x) {
  using S = Scalar<X>;
  constexpr S half = sizeof(S) == 4 ? S(0x1.fffffep-2) : S(0x1.fffffffffffffp-2);
  return copysign(trunc(abs(x) + X(half)), x);
}
template <class X> Rebind<X, bool> isFinite(X x) { return abs(x) < X(infinity<X>); }

// --- Bits

template <class X> X bitNot(X x) {
  if constexpr (isBool<X>)
    return !x;
  else
    return bitXor(x, X(Scalar<X>(-1)));
}
/// Shifts by at least the width, or by a negative amount, give 0, and the arithmetic one the sign.
template <class X> Rebind<X, bool> isShift(X amount) {
  using U = UnsignedOf<X>;
  return bitcast<U>(amount) < U(Scalar<U>(bitWidth<X>));
}
template <class X> X shiftLeftSafely(X x, X amount) {
  X zero = Scalar<X>(0);
  return select(isShift(amount), shiftLeft(x, select(isShift(amount), amount, zero)), zero);
}
template <class X> X shiftRightLogical(X x, X amount) {
  using U = UnsignedOf<X>;
  X zero = Scalar<X>(0);
  U bits = bitcast<U>(x), shift = bitcast<U>(select(isShift(amount), amount, zero));
  return select(isShift(amount), bitcast<X>(shiftRight(bits, shift)), zero);
}
template <class X> X shiftRightArithmetic(X x, X amount) {
  using I = SignedOf<X>;
  X most = Scalar<X>(bitWidth<X> - 1);
  I shift = bitcast<I>(select(isShift(amount), amount, most));
  return bitcast<X>(shiftRight(bitcast<I>(x), shift));
}

// --- Conversion

/// Value conversion: floats to integers truncate and saturate, nan gives 0; integers wrap; bool compares with
/// 0.
template <class Y, class X> Y convert(X x) {
  using S = Scalar<X>;
  using T = Scalar<Y>;
  if constexpr (std::is_same_v<S, T>) {
    return x;
  } else if constexpr (isFloat<X> && !isFloat<Y> && !isBool<Y>) {
    // The largest integer may not be a float: the bound excluded is the power of two above it.
    constexpr S low = S(std::numeric_limits<T>::min());
    constexpr S above = S(2) * S(uint64_t(1) << (sizeof(T) * 8 - 1 - (isSigned<Y> ? 1 : 0)));
    auto isInside = (x > X(isSigned<Y> ? low - S(1) : S(-1))) & (x < X(above));
    if constexpr (isSigned<Y>) isInside = (x >= X(low)) & (x < X(above));
    Y inside = cast<Y>(select(isInside, x, X(S(0))));
    Y saturated = select(x < X(S(0)), Y(std::numeric_limits<T>::min()), Y(std::numeric_limits<T>::max()));
    saturated = select(isNan(x), Y(T(0)), saturated);
    return select(isInside, inside, saturated);
  } else {
    return cast<Y>(x);
  }
}

// --- Half precision: bits to f32 and back, rounding to nearest even

template <class X> Rebind<X, float> fromBfloat16(X bits) {
  using W = Rebind<X, uint32_t>;
  return bitcast<Rebind<X, float>>(shiftLeft(cast<W>(bits), W(16u)));
}
template <class F> Rebind<F, uint16_t> toBfloat16(F x) {
  using W = Rebind<F, uint32_t>;
  using H = Rebind<F, uint16_t>;
  W bits = bitcast<W>(x);
  W odd = bitAnd(shiftRight(bits, W(16u)), W(1u));
  W rounded = shiftRight(wrapAdd(bits, wrapAdd(odd, W(0x7fffu))), W(16u));
  W quiet = bitOr(shiftRight(bits, W(16u)), W(0x40u));
  return cast<H>(select(isNan(x), quiet, rounded));
}
/// Subnormal halves are multiples of 2^-24, exact in f32.
template <class X> Rebind<X, float> fromFloat16(X half) {
  using W = Rebind<X, uint32_t>;
  using F = Rebind<X, float>;
  W bits = cast<W>(half);
  W exponentAndMantissa = bitAnd(bits, W(0x7fffu));
  F normal = bitcast<F>(wrapAdd(shiftLeft(exponentAndMantissa, W(13u)), W(0x38000000u)));
  F special = bitcast<F>(wrapAdd(shiftLeft(exponentAndMantissa, W(13u)), W(0x70000000u)));
  F subnormal = cast<F>(exponentAndMantissa) * F(0x1p-24f);
  F magnitude = select(exponentAndMantissa < W(0x400u), subnormal,
                       select(exponentAndMantissa < W(0x7c00u), normal, special));
  W sign = shiftLeft(bitAnd(bits, W(0x8000u)), W(16u));
  return bitcast<F>(bitOr(bitcast<W>(magnitude), sign));
}
template <class F> Rebind<F, uint16_t> toFloat16(F x) {
  using W = Rebind<F, uint32_t>;
  using H = Rebind<F, uint16_t>;
  W bits = bitcast<W>(x), sign = shiftRight(bitAnd(bits, W(0x80000000u)), W(16u));
  W magnitude = bitAnd(bits, W(0x7fffffffu));
  // Adding 1/2 leaves a multiple of 2^-24 in the low bits of the sum: the subnormal halves.
  W subnormal = wrapSub(bitcast<W>(abs(x) + F(0.5f)), W(0x3f000000u));
  W odd = bitAnd(shiftRight(magnitude, W(13u)), W(1u));
  W rounded = shiftRight(wrapAdd(wrapSub(magnitude, W(0x38000000u)), wrapAdd(odd, W(0xfffu))), W(13u));
  W nan = bitOr(bitAnd(shiftRight(magnitude, W(13u)), W(0x3ffu)), W(0x7e00u));
  W result = select(magnitude < W(0x38800000u), subnormal, rounded);
  result = select(magnitude >= W(0x477ff000u), W(0x7c00u), result);
  result = select(magnitude > W(0x7f800000u), nan, result);
  return cast<H>(bitOr(result, sign));
}

/// How elements that are computed with as X lie in memory.
enum class Storage { Full, Float16, Bfloat16 };

/// The next float of the storage format from x towards y: one up or down in the order of the bits.
template <class X> X nextafter(X x, X y, Storage storage = Storage::Full) {
  using S = Scalar<X>;
  auto grows = (x < y) == (x > X(S(0)));
  auto stepped = [&](auto bits) {
    using I = decltype(bits);
    return wrapAdd(bits, select(grows, I(Scalar<I>(1)), I(Scalar<I>(-1))));
  };
  X next = bitcast<X>(stepped(bitcast<UnsignedOf<X>>(x)));
  S smallest = std::numeric_limits<S>::denorm_min();
  if constexpr (isF32<X>) {
    if (storage == Storage::Float16) next = fromFloat16(stepped(toFloat16(x))), smallest = 0x1p-24f;
    if (storage == Storage::Bfloat16) next = fromBfloat16(stepped(toBfloat16(x))), smallest = 0x1p-133f;
  }
  next = select(x == X(S(0)), copysign(X(smallest), y), next);
  next = select(x == y, y, next);
  return select(bitOr(isNan(x), isNan(y)), x + y, next);
}

// --- Random bits

/// Twenty rounds of Threefry-2x32 (Salmon and others, 2011) on the counters x0, x1 in place.
template <class W> void threefry2x32(W k0, W k1, W &x0, W &x1) {
  constexpr uint32_t rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  W keys[3] = {k0, k1, bitXor(bitXor(k0, k1), W(0x1BD11BDAu))};
  x0 = wrapAdd(x0, keys[0]);
  x1 = wrapAdd(x1, keys[1]);
  for (uint32_t group = 0; group < 5; ++group) {
    for (uint32_t r : rotations[group % 2]) {
      x0 = wrapAdd(x0, x1);
      x1 = bitOr(shiftLeft(x1, W(r)), shiftRight(x1, W(32 - r)));
      x1 = bitXor(x1, x0);
    }
    x0 = wrapAdd(x0, keys[(group + 1) % 3]);
    x1 = wrapAdd(x1, wrapAdd(keys[(group + 2) % 3], W(group + 1)));
  }
}

} // namespace jx::num
