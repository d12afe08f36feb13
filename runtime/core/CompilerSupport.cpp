// Conversions to bfloat16 for generated code. Weak: a compiler's own library may bring them too.
#include "jxrt/CompilerSupport.h"
#include "Half.h"
#include <bit>
#include <cmath>

extern "C" {

__attribute__((weak)) __bf16 __truncsfbf2(float value) {
  return std::bit_cast<__bf16>(jxrt::floatToBf16(value));
}

__attribute__((weak)) __bf16 __truncdfbf2(double value) {
  // Rounded to odd on the way, so that the two roundings together are one.
  auto narrow = static_cast<float>(value);
  if (std::isfinite(value) && static_cast<double>(narrow) != value) {
    auto bits = std::bit_cast<uint32_t>(narrow);
    if (std::fabs(static_cast<double>(narrow)) > std::fabs(value)) --bits;
    narrow = std::bit_cast<float>(bits | 1);
  }
  return __truncsfbf2(narrow);
}
}
