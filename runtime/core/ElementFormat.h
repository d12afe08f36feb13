// The common format of an array's shown elements: NumPy's FloatingFormat, IntegerFormat, BoolFormat and
// ComplexFloatingFormat.
#pragma once
#include "ArrayText.h"
#include "FloatText.h"

namespace jxrt {

// Layout of one column of floats, chosen from the finite values among `values`.
class FloatColumn {
public:
  FloatColumn() = default;
  FloatColumn(const std::vector<double> &values, int32_t dtype, char sign, const PrintOptions &options);
  std::string operator()(double value) const;

private:
  int32_t dtype = JXRT_F64;
  char sign = '-';
  std::string nanstr, infstr;
  bool scientific = false;
  FloatLayout layout;
  int padLeft = 0, padRight = 0;
};

class ElementFormat {
public:
  // `shown` are the elements that will be printed; `scalar` says that the array has rank 0.
  ElementFormat(const std::vector<const char *> &shown, int32_t dtype, bool scalar,
                const PrintOptions &options);
  std::string operator()(const char *element) const;

private:
  int32_t dtype;
  bool scalar;
  size_t width = 0; // of integers
  char sign;
  FloatColumn real, imag;
};

} // namespace jxrt
