// Element types of host arrays as C++ types, for evaluation: `dispatchElement(type, f)` calls f<T>() with the
// storage type of an element type; `Wide<T>` is the type in which T is added and multiplied.
#pragma once

#include "compiler/dialect/JxDialect.h"
#include "llvm/Support/ErrorHandling.h"
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace jx {

struct Bool {
  uint8_t value;
};
struct Key {
  uint32_t words[2];
};

/// IEEE binary16, held as its bits.
struct Half {
  uint16_t bits;
  float wide() const { return float(std::bit_cast<_Float16>(bits)); }
  static Half from(float x) { return {std::bit_cast<uint16_t>(_Float16(x))}; }
};

/// bfloat16: the upper half of a float, rounded to nearest even.
struct BFloat {
  uint16_t bits;
  float wide() const { return std::bit_cast<float>(uint32_t(bits) << 16); }
  static BFloat from(float x) {
    uint32_t word = std::bit_cast<uint32_t>(x);
    if (std::isnan(x)) return {uint16_t((word >> 16) | 0x40)};
    return {uint16_t((word + 0x7fff + ((word >> 16) & 1)) >> 16)};
  }
};

template <class T> struct ElementTraits {
  using Wide = T;
  static Wide widen(T x) { return x; }
  static T narrow(Wide x) { return x; }
};
template <class T> struct NarrowFloatTraits {
  using Wide = float;
  static float widen(T x) { return x.wide(); }
  static T narrow(float x) { return T::from(x); }
};
template <> struct ElementTraits<Half> : NarrowFloatTraits<Half> {};
template <> struct ElementTraits<BFloat> : NarrowFloatTraits<BFloat> {};
template <> struct ElementTraits<Bool> {
  using Wide = bool;
  static bool widen(Bool x) { return x.value != 0; }
  static Bool narrow(bool x) { return {uint8_t(x)}; }
};
template <class T> using Wide = typename ElementTraits<T>::Wide;
template <class T> Wide<T> widen(T x) { return ElementTraits<T>::widen(x); }
template <class T> T narrow(Wide<T> x) { return ElementTraits<T>::narrow(x); }

template <class T> inline constexpr bool isComplexElement = false;
template <class T> inline constexpr bool isComplexElement<std::complex<T>> = true;

/// Sum and product; integers wrap.
template <class W> W addWrapped(W x, W y) {
  if constexpr (std::is_integral_v<W>)
    return W(uint64_t(x) + uint64_t(y));
  else
    return x + y;
}
template <class W> W mulWrapped(W x, W y) {
  if constexpr (std::is_integral_v<W>)
    return W(uint64_t(x) * uint64_t(y));
  else
    return x * y;
}

/// Larger and smaller of two; nan wins, and -0 is below +0.
template <class W> W maxOf(W x, W y) {
  if constexpr (std::is_floating_point_v<W>) {
    if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<W>::quiet_NaN();
    if (x == y) return std::signbit(x) ? y : x;
  }
  return x > y ? x : y;
}
template <class W> W minOf(W x, W y) {
  if constexpr (std::is_floating_point_v<W>) {
    if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<W>::quiet_NaN();
    if (x == y) return std::signbit(x) ? x : y;
  }
  return x < y ? x : y;
}

/// Calls f.template operator()<T>() for the storage type T of `element`.
template <class F> auto dispatchElement(mlir::Type element, F &&f) {
  if (element.isF32()) return f.template operator()<float>();
  if (element.isF64()) return f.template operator()<double>();
  if (element.isF16()) return f.template operator()<Half>();
  if (element.isBF16()) return f.template operator()<BFloat>();
  if (llvm::isa<KeyType>(element)) return f.template operator()<Key>();
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element)) {
    if (complex.getElementType().isF32()) return f.template operator()<std::complex<float>>();
    return f.template operator()<std::complex<double>>();
  }
  auto integer = llvm::cast<mlir::IntegerType>(element);
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return f.template operator()<Bool>();
  case 8:
    return isUnsigned ? f.template operator()<uint8_t>() : f.template operator()<int8_t>();
  case 16:
    return isUnsigned ? f.template operator()<uint16_t>() : f.template operator()<int16_t>();
  case 32:
    return isUnsigned ? f.template operator()<uint32_t>() : f.template operator()<int32_t>();
  case 64:
    return isUnsigned ? f.template operator()<uint64_t>() : f.template operator()<int64_t>();
  default:
    llvm::report_fatal_error("no host representation of this element type");
  }
}

/// Element i of an integer (or bool) array as int64_t.
inline int64_t integerAt(const HostArray &array, int64_t i) {
  mlir::Type element = array.getElementType();
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  switch (elementBytes(element)) {
  case 1:
    return isUnsigned ? int64_t(array.as<uint8_t>()[i]) : int64_t(array.as<int8_t>()[i]);
  case 2:
    return isUnsigned ? int64_t(array.as<uint16_t>()[i]) : int64_t(array.as<int16_t>()[i]);
  case 4:
    return isUnsigned ? int64_t(array.as<uint32_t>()[i]) : int64_t(array.as<int32_t>()[i]);
  default:
    return array.as<int64_t>()[i];
  }
}

} // namespace jx
