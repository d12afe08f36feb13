// One element of an array or one host value, and its text as a Python number or as a NumPy scalar.
#pragma once
#include "jxrt/Array.h"
#include <string>
#include <string_view>

namespace jxrt {

enum class ScalarKind { Bool, Int, Unsigned, Float, Complex, String };

struct Scalar {
  ScalarKind kind = ScalarKind::Int;
  int32_t dtype = JXRT_I64; // of the element; host values are i64, f64, bool, c128
  int64_t integer = 0;      // Bool and Int
  uint64_t natural = 0;     // Unsigned
  double real = 0, imag = 0;
  std::string_view text;
};

// Reads the element at `data`. `dtype` is not JXRT_KEY.
Scalar loadScalar(const void *data, int32_t dtype);

// str() and repr() of the value as a Python number (after .item()); strings come back as they are.
std::string pythonText(const Scalar &scalar);

// str() of the value as a NumPy scalar: 1e+06 for a float32 million, six digits for bfloat16.
std::string numpyText(const Scalar &scalar);

// repr() of the value as a NumPy scalar: np.float32(0.1), np.True_.
std::string numpyRepr(const Scalar &scalar);

// repr() and ascii() of a Python string in UTF-8.
std::string stringRepr(std::string_view text, bool ascii);

// Code points in UTF-8 text, which is what widths count.
int64_t codePoints(std::string_view text);
// The first `count` code points.
std::string_view firstCodePoints(std::string_view text, int64_t count);

} // namespace jxrt
