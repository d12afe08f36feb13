// From an MLIR element type to the C++ type of its elements in memory, and to the number that functions
// compute with.
#pragma once

#include "compiler/dialect/JxDialect.h"
#include "compiler/numerics/Basic.h"
#include "compiler/numerics/Complex.h"

namespace jx {

/// Half precision in memory; arithmetic is in f32, rounded after each function.
struct Float16 {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};
/// A threefry key in memory.
struct KeyBits {
  uint32_t words[2];
  bool operator==(const KeyBits &) const = default;
};
template <class T> inline constexpr bool isHalf = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
/// What functions compute with for elements stored as T.
template <class T> using ComputeOf = std::conditional_t<isHalf<T>, float, T>;

/// Sets of element types, for dispatch.
enum Domain : unsigned {
  halves = 1,
  fullFloats = 2,
  floats = halves | fullFloats,
  signedInts = 4,
  unsignedInts = 8,
  ints = signedInts | unsignedInts,
  bools = 16,
  complexes = 32,
  keys = 64,
  reals = ints | floats,
  numbers = reals | complexes,
  anything = numbers | bools | keys,
};

/// Calls `f(T{})` with the type in memory of `element`, if that lies in `domain`; false if not.
template <unsigned domain, class F> bool dispatchElement(mlir::Type element, F f) {
  if constexpr ((domain & fullFloats) != 0) {
    if (element.isF32()) return f(float{}), true;
    if (element.isF64()) return f(double{}), true;
  }
  if constexpr ((domain & halves) != 0) {
    if (element.isF16()) return f(Float16{}), true;
    if (element.isBF16()) return f(BFloat16{}), true;
  }
  if constexpr ((domain & bools) != 0)
    if (element.isInteger(1)) return f(bool{}), true;
  if constexpr ((domain & signedInts) != 0) {
    if (element.isSignlessInteger(8) || element.isSignedInteger(8)) return f(int8_t{}), true;
    if (element.isSignlessInteger(16) || element.isSignedInteger(16)) return f(int16_t{}), true;
    if (element.isSignlessInteger(32) || element.isSignedInteger(32)) return f(int32_t{}), true;
    if (element.isSignlessInteger(64) || element.isSignedInteger(64)) return f(int64_t{}), true;
  }
  if constexpr ((domain & unsignedInts) != 0) {
    if (element.isUnsignedInteger(8)) return f(uint8_t{}), true;
    if (element.isUnsignedInteger(16)) return f(uint16_t{}), true;
    if (element.isUnsignedInteger(32)) return f(uint32_t{}), true;
    if (element.isUnsignedInteger(64)) return f(uint64_t{}), true;
  }
  if constexpr ((domain & complexes) != 0) {
    if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element))
      return complex.getElementType().isF32() ? f(num::Complex<float>{}) : f(num::Complex<double>{}), true;
  }
  if constexpr ((domain & keys) != 0)
    if (llvm::isa<KeyType>(element)) return f(KeyBits{}), true;
  return false;
}

inline num::Storage storageOf(mlir::RankedTensorType type) {
  mlir::Type element = type.getElementType();
  return element.isF16()    ? num::Storage::Float16
         : element.isBF16() ? num::Storage::Bfloat16
                            : num::Storage::Full;
}

/// Between memory and the number to compute with.
template <class T> ComputeOf<T> loadElement(const T &stored) {
  if constexpr (std::is_same_v<T, Float16>)
    return num::fromFloat16(stored.bits);
  else if constexpr (std::is_same_v<T, BFloat16>)
    return num::fromBfloat16(stored.bits);
  else
    return stored;
}
template <class T, class C> T storeElement(C computed) {
  if constexpr (std::is_same_v<T, Float16>)
    return {num::toFloat16(computed)};
  else if constexpr (std::is_same_v<T, BFloat16>)
    return {num::toBfloat16(computed)};
  else
    return computed;
}

} // namespace jx
