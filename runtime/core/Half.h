// Conversions of the two 16-bit float types, bit by bit, so that no compiler support is needed.
#pragma once
#include <cstdint>

namespace jxrt {

double f16ToDouble(uint16_t bits);
float bf16ToFloat(uint16_t bits);
// Nearest, ties to even; overflow gives infinity, NaN stays a quiet NaN.
uint16_t doubleToF16(double value);
uint16_t floatToBf16(float value);

// Element types for templates: storage of 16 bits, arithmetic in float.
struct Half {
  uint16_t bits;
  operator float() const { return static_cast<float>(f16ToDouble(bits)); }
  static Half from(float value) { return {doubleToF16(value)}; }
};
struct Bfloat {
  uint16_t bits;
  operator float() const { return bf16ToFloat(bits); }
  static Bfloat from(float value) { return {floatToBf16(value)}; }
};

} // namespace jxrt
