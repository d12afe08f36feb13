// Half and bfloat16 conversions; see the header.
#include "Half.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace jxrt {

double f16ToDouble(uint16_t bits) {
  int exponent = bits >> 10 & 31;
  int mantissa = bits & 1023;
  double sign = bits >> 15 ? -1.0 : 1.0;
  if (exponent == 31) return mantissa ? std::nan("") : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

float bf16ToFloat(uint16_t bits) {
  uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, 4);
  return value;
}

uint16_t doubleToF16(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::fabs(value);
  if (std::isnan(value)) return sign | 0x7E00;
  if (magnitude == 0) return sign;
  if (std::isinf(value)) return sign | 0x7C00;
  int exponent = std::max(std::ilogb(magnitude), -14);
  // In units of the last place the value is an integer of at most 11 bits; a carry moves into the exponent by
  // itself.
  auto units = static_cast<int64_t>(std::nearbyint(std::ldexp(magnitude, 10 - std::min(exponent, 16))));
  int64_t bits = units + (static_cast<int64_t>(std::min(exponent, 16) + 14) << 10);
  return sign | static_cast<uint16_t>(std::min<int64_t>(bits, 0x7C00));
}

uint16_t floatToBf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (std::isnan(value)) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

} // namespace jxrt
