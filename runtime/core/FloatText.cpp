// Digits come from std::to_chars (shortest, and exact at a given precision); this file only lays them out.
// Dragon4 in unique mode stops at the shortest digits or at the precision, whichever comes first; where
// `minDigits` asks for more than the shortest ones, it continues with the exact digits of the value. Both
// follow from two calls of to_chars.
#include "FloatText.h"
#include "Half.h"
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace jxrt {

double roundToDtype(double value, int32_t dtype) {
  if (dtype == JXRT_F32) return static_cast<float>(value);
  return dtype == JXRT_F16 ? f16ToDouble(doubleToF16(value)) : value;
}

namespace {

// |value| = digits[0].digits[1..] * 10^exponent.
struct Decimal {
  std::string digits;
  int exponent;
};

// Splits "d.ddde±xx".
Decimal parseScientific(const char *begin, const char *end) {
  Decimal out{{}, 0};
  const char *p = begin;
  for (; p < end && *p != 'e'; ++p)
    if (*p != '.') out.digits += *p;
  if (p < end) out.exponent = std::atoi(std::string(p + 1, end).c_str());
  return out;
}

Decimal exactScientific(double magnitude, int fraction) {
  std::string buffer(fraction + 32, '\0');
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude,
                           std::chars_format::scientific, fraction);
  return parseScientific(buffer.data(), end.ptr);
}

Decimal shortest(double magnitude, int32_t dtype) {
  char buffer[64];
  if (dtype == JXRT_F64 || magnitude == 0) {
    auto end = std::to_chars(buffer, buffer + sizeof buffer, magnitude, std::chars_format::scientific);
    return parseScientific(buffer, end.ptr);
  }
  if (dtype == JXRT_F32) {
    auto end = std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(magnitude),
                             std::chars_format::scientific);
    return parseScientific(buffer, end.ptr);
  }
  // Half precision: five significant digits always identify a value. At a power of two the interval below is
  // the narrower one, so that of two candidates at the same distance only the upper one may identify it.
  for (int fraction = 0; fraction < 4; ++fraction)
    for (double candidate : {magnitude, std::nextafter(magnitude, INFINITY)}) {
      std::snprintf(buffer, sizeof buffer, "%.*e", fraction, candidate);
      if (roundToDtype(std::strtod(buffer, nullptr), dtype) == magnitude)
        return parseScientific(buffer, buffer + std::strlen(buffer));
    }
  return exactScientific(magnitude, 4);
}

// The digits after the point, trimmed and with the point where it stays.
std::string trimmedFraction(std::string fraction, Trim trim) {
  if (trim != Trim::Keep)
    while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  if (trim == Trim::OneZero && fraction.empty()) fraction = "0";
  return trim == Trim::All && fraction.empty() ? "" : '.' + fraction;
}

// How many digits after the point NumPy prints, given that the shortest digits have `needed`; -1: the
// shortest ones.
int wantedFraction(int needed, const FloatLayout &layout) {
  if (!layout.unique) return layout.precision;
  int wanted = std::max(needed, layout.minDigits);
  if (layout.precision >= 0) wanted = std::min(wanted, layout.precision);
  return wanted == needed ? -1 : wanted;
}

std::string signedInteger(double value, const std::string &integer, const FloatLayout &layout) {
  std::string out = (std::signbit(value) ? "-" : layout.plus ? "+" : "") + integer;
  int missing = layout.padLeft - static_cast<int>(out.size());
  return missing > 0 ? std::string(missing, ' ') + out : out;
}

} // namespace

std::string positionalText(double value, int32_t dtype, const FloatLayout &layout) {
  double magnitude = std::fabs(value);
  Decimal decimal = shortest(magnitude, dtype);
  int count = static_cast<int>(decimal.digits.size());
  int needed = magnitude == 0 ? 0 : std::max(0, count - 1 - decimal.exponent);
  int wanted = wantedFraction(needed, layout);
  std::string integer, fraction;
  if (wanted < 0) {
    if (decimal.exponent < 0) {
      integer = "0";
      fraction = std::string(-decimal.exponent - 1, '0') + decimal.digits;
    } else {
      std::string digits = decimal.digits;
      if (count <= decimal.exponent) digits.append(decimal.exponent + 1 - count, '0');
      integer = digits.substr(0, decimal.exponent + 1);
      fraction = digits.substr(decimal.exponent + 1);
    }
    if (magnitude == 0) fraction.clear();
  } else {
    std::string buffer(wanted + 330, '\0');
    auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude,
                             std::chars_format::fixed, wanted);
    buffer.resize(end.ptr - buffer.data());
    size_t point = buffer.find('.');
    integer = buffer.substr(0, point);
    if (point != std::string::npos) fraction = buffer.substr(point + 1);
  }
  std::string tail = trimmedFraction(fraction, layout.trim);
  int missing = layout.padRight < 0 ? 0 : layout.padRight + 1 - static_cast<int>(tail.size());
  return signedInteger(value, integer, layout) + tail + std::string(std::max(0, missing), ' ');
}

std::string scientificText(double value, int32_t dtype, const FloatLayout &layout) {
  double magnitude = std::fabs(value);
  Decimal decimal = shortest(magnitude, dtype);
  int wanted = wantedFraction(magnitude == 0 ? 0 : static_cast<int>(decimal.digits.size()) - 1, layout);
  if (wanted >= 0) decimal = exactScientific(magnitude, wanted);
  std::string fraction = decimal.digits.substr(1);
  if (magnitude == 0 && wanted < 0) fraction.clear();
  std::string exponent = std::to_string(std::abs(decimal.exponent));
  int missing = layout.expDigits - static_cast<int>(exponent.size());
  if (missing > 0) exponent.insert(0, missing, '0');
  return signedInteger(value, decimal.digits.substr(0, 1), layout) + trimmedFraction(fraction, layout.trim) +
         'e' + (decimal.exponent < 0 ? '-' : '+') + exponent;
}

static std::string nonFiniteText(double value) {
  return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
}

std::string pythonFloatText(double value) {
  if (!std::isfinite(value)) return nonFiniteText(value);
  double magnitude = std::fabs(value);
  bool positional = magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
  FloatLayout layout;
  layout.trim = positional ? Trim::OneZero : Trim::All;
  return positional ? positionalText(value, JXRT_F64, layout) : scientificText(value, JXRT_F64, layout);
}

std::string generalText(double value) {
  if (!std::isfinite(value)) return nonFiniteText(value);
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%g", value);
  return buffer;
}

std::string numpyFloatText(double value, int32_t dtype) {
  if (!std::isfinite(value)) return nonFiniteText(value);
  if (dtype == JXRT_BF16) return generalText(value);
  double magnitude = std::fabs(value);
  double limit = dtype == JXRT_F64 ? 1e16 : dtype == JXRT_F32 ? 1e6 : 1e3;
  bool positional = magnitude == 0 || (magnitude >= 1e-4 && magnitude < limit);
  FloatLayout layout;
  layout.trim = positional ? Trim::OneZero : Trim::All;
  return positional ? positionalText(value, dtype, layout) : scientificText(value, dtype, layout);
}

} // namespace jxrt
