// Arrays as NumPy's array2string lays them out, and the reprs of JAX arrays, keys and NumPy arrays.
#pragma once
#include "jxrt/Array.h"
#include <string>
#include <vector>

namespace jxrt {

// NumPy's print options with its defaults.
struct PrintOptions {
  int precision = 8;
  bool suppress = false;
  int64_t linewidth = 75;
  int64_t threshold = 1000;
  int64_t edgeitems = 3;
  char sign = '-';
  std::string floatmode = "maxprec";
  std::string nanstr = "nan", infstr = "inf";
  std::string separator = " ", prefix, suffix; // of array2string
};

// A contiguous array to print; keys print through their u32 words.
struct ArrayView {
  const char *data = nullptr;
  int32_t dtype = JXRT_F32;
  std::vector<int64_t> shape;

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t elements() const {
    int64_t count = 1;
    for (int64_t dim : shape) count *= dim;
    return count;
  }
};

// numpy.array2string(array, separator, prefix, suffix) under the options.
std::string arrayToString(const ArrayView &array, const PrintOptions &options);

// str(): of a rank-0 array its scalar's.
std::string arrayStr(const ArrayView &array, const PrintOptions &options);
// repr() of a jax.Array: Array([1., 2.], dtype=float32), keys with the words they overlay.
std::string jaxRepr(const ArrayView &array, bool weak, const PrintOptions &options);
// repr() of a numpy.ndarray: array([1., 2.], dtype=float32).
std::string numpyArrayRepr(const ArrayView &array, const PrintOptions &options);
// repr() of .tolist(): nested Python lists of Python numbers.
std::string nestedLists(const ArrayView &array);

} // namespace jxrt
