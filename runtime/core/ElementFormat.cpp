// Comparisons that choose the scientific form happen in the array's dtype, as they do in NumPy:
// float32(0.0001) is not below 0.0001, and a ratio that overflows float16 is infinite.
#include "ElementFormat.h"
#include "Scalar.h"
#include <algorithm>
#include <cmath>

namespace jxrt {

FloatColumn::FloatColumn(const std::vector<double> &values, int32_t dtype, char sign,
                         const PrintOptions &options)
    : dtype(dtype), sign(sign), nanstr(options.nanstr), infstr(options.infstr) {
  std::vector<double> finite;
  double largest = 0, smallest = INFINITY;
  bool negativeInfinity = false, anyNegative = false;
  for (double value : values) {
    if (!std::isfinite(value)) {
      negativeInfinity |= value < 0;
      continue;
    }
    finite.push_back(value);
    anyNegative |= std::signbit(value);
    if (value == 0) continue;
    largest = std::max(largest, std::fabs(value));
    smallest = std::min(smallest, std::fabs(value));
  }
  if (largest > 0) {
    double limit = dtype == JXRT_F16 ? 1e3 : dtype == JXRT_F32 ? 1e6 : 1e8;
    bool spread = smallest < roundToDtype(0.0001, dtype) || roundToDtype(largest / smallest, dtype) > 1000;
    scientific = largest >= limit || (!options.suppress && spread);
  }

  bool fixed = options.floatmode == "fixed";
  FloatLayout first;
  first.precision = options.floatmode == "unique" ? -1 : options.precision;
  first.unique = !fixed;
  first.trim = fixed ? Trim::Keep : Trim::Point;
  first.plus = sign == '+';
  size_t integer = 0, fraction = 0, exponent = 0;
  for (double value : finite) {
    std::string text = scientific ? scientificText(value, dtype, first) : positionalText(value, dtype, first);
    size_t point = text.find('.'), e = text.find('e');
    integer = std::max(integer, point);
    fraction = std::max(fraction, (e == text.npos ? text.size() : e) - point - 1);
    if (e != text.npos) exponent = std::max(exponent, text.size() - e - 2);
  }

  layout.plus = sign == '+';
  layout.trim = Trim::Point;
  if (!finite.empty()) {
    padLeft = static_cast<int>(integer);
    layout.unique = !fixed;
    if (scientific) {
      layout.trim = Trim::Keep;
      layout.precision = layout.minDigits = static_cast<int>(fraction);
      layout.expDigits = static_cast<int>(exponent);
      padRight = static_cast<int>(exponent + 2 + fraction);
    } else {
      padRight = static_cast<int>(fraction);
      layout.precision = first.precision;
      layout.minDigits = 0;
      if (fixed || options.floatmode == "maxprec_equal") {
        layout.precision = layout.minDigits = padRight;
        layout.trim = Trim::Keep;
      }
    }
    if (sign == ' ' && !anyNegative) ++padLeft;
  } else if (sign == ' ') {
    ++padLeft;
  }
  if (finite.size() != values.size()) {
    bool infinitySign = sign != '-' || negativeInfinity;
    int offset = padRight + 1;
    padLeft = std::max({padLeft, static_cast<int>(nanstr.size()) - offset,
                        static_cast<int>(infstr.size()) + infinitySign - offset});
  }
  layout.padLeft = padLeft;
  if (!scientific) layout.padRight = padRight;
}

std::string FloatColumn::operator()(double value) const {
  if (std::isfinite(value))
    return scientific ? scientificText(value, dtype, layout) : positionalText(value, dtype, layout);
  std::string text = sign == '+' ? "+" : "";
  if (std::isnan(value))
    text += nanstr;
  else
    text = (value < 0 ? "-" : text) + infstr;
  int missing = padLeft + padRight + 1 - static_cast<int>(text.size());
  return std::string(std::max(0, missing), ' ') + text;
}

ElementFormat::ElementFormat(const std::vector<const char *> &shown, int32_t dtype, bool scalar,
                             const PrintOptions &options)
    : dtype(dtype), scalar(scalar), sign(options.sign) {
  bool isComplex = dtype == JXRT_C64 || dtype == JXRT_C128;
  bool isFloat = dtype == JXRT_F16 || dtype == JXRT_F32 || dtype == JXRT_F64;
  if (isComplex || isFloat) {
    std::vector<double> reals, imags;
    for (const char *element : shown) {
      Scalar value = loadScalar(element, dtype);
      reals.push_back(value.real);
      imags.push_back(value.imag);
    }
    int32_t part = dtype == JXRT_C64 ? JXRT_F32 : dtype == JXRT_C128 ? JXRT_F64 : dtype;
    real = FloatColumn(reals, part, options.sign, options);
    if (isComplex) imag = FloatColumn(imags, part, '+', options);
    return;
  }
  if (dtype == JXRT_BOOL || dtype == JXRT_BF16) return;
  // The widest of the largest and the smallest value; the sign option widens a non-negative largest value.
  bool anyNegative = false, anyNatural = false;
  size_t widestNatural = 0, widestNegative = 0;
  for (const char *element : shown) {
    std::string text = pythonText(loadScalar(element, dtype));
    bool negative = text[0] == '-';
    anyNegative |= negative;
    anyNatural |= !negative;
    size_t &widest = negative ? widestNegative : widestNatural;
    widest = std::max(widest, text.size());
  }
  if (sign == ' ' && anyNegative) sign = '-';
  if (sign != '-' && anyNatural) ++widestNatural;
  width = std::max(widestNatural, widestNegative);
}

std::string ElementFormat::operator()(const char *element) const {
  Scalar value = loadScalar(element, dtype);
  switch (value.kind) {
  case ScalarKind::Bool:
    return value.integer ? (scalar ? "True" : " True") : "False";
  case ScalarKind::Complex: {
    std::string text = imag(value.imag);
    text.insert(text.find_last_not_of(' ') + 1, "j");
    return real(value.real) + text;
  }
  case ScalarKind::Float:
    return dtype == JXRT_BF16 ? numpyText(value) : real(value.real);
  default:
    break;
  }
  std::string text = pythonText(value);
  if (sign != '-' && text[0] != '-') text.insert(0, 1, sign);
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

} // namespace jxrt
