// Decimal digits of floating-point numbers as NumPy and Python write them: shortest digits of each dtype, the
// positional and scientific layouts of NumPy's Dragon4 functions, and Python's repr.
#pragma once
#include "jxrt/Array.h"
#include <string>

namespace jxrt {

// What happens to trailing zeros: keep them and the point, drop zeros, drop all but one, drop zeros and
// point.
enum class Trim { Keep, Point, OneZero, All };

// Options of NumPy's format_float_positional and format_float_scientific. Negative numbers mean "not given".
struct FloatLayout {
  int precision = -1; // at most this many digits after the point
  int minDigits = -1; // at least this many; only with `unique`
  bool unique = true; // shortest digits that identify the value within its dtype, else exact ones
  Trim trim = Trim::Keep;
  bool plus = false; // '+' before positive values
  int padLeft = -1;  // spaces until the integer part with its sign is this wide
  int padRight = -1; // positional: spaces until the fraction is this wide
  int expDigits = 2; // scientific: at least this many digits of exponent
};

// `value` must be finite and a value of `dtype` (f16, bf16, f32 or f64).
std::string positionalText(double value, int32_t dtype, const FloatLayout &layout);
std::string scientificText(double value, int32_t dtype, const FloatLayout &layout);

// repr() of a Python float: 0.1, 1e+16, inf, nan.
std::string pythonFloatText(double value);

// str() of a NumPy floating scalar of `dtype`; bfloat16 prints six significant digits, as ml_dtypes does.
std::string numpyFloatText(double value, int32_t dtype);

// C's %g with six significant digits.
std::string generalText(double value);

// Nearest value of `dtype` (f16, f32 or f64), ties to even; overflow gives infinity.
double roundToDtype(double value, int32_t dtype);

} // namespace jxrt
