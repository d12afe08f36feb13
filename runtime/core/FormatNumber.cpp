// Signs, digits, grouping and zero padding as CPython's Python/formatter_unicode.c defines them.
#include "FormatNumber.h"
#include "FloatText.h"
#include <algorithm>
#include <charconv>
#include <cmath>

namespace jxrt {

namespace {

// A number in parts: sign, prefix (0x), digits to be grouped, and the rest (fraction, exponent, percent
// sign).
struct Parts {
  std::string sign, prefix, digits, rest;
};

// Groups digits from the right and, for zero padding, extends them to at least `width` characters with
// separators.
std::string groupDigits(std::string digits, char separator, int size, int64_t width) {
  if (!separator || digits.empty()) { // no digits: nan and inf, which are never grouped
    if (static_cast<int64_t>(digits.size()) < width) digits.insert(0, width - digits.size(), '0');
    return digits;
  }
  std::string reversed;
  int64_t count = 0, total = static_cast<int64_t>(digits.size());
  // Python stops as soon as the width is reached, but never with a separator in front.
  while (count < total || static_cast<int64_t>(reversed.size()) < width) {
    if (count && count % size == 0) reversed += separator;
    reversed += count < total ? digits[total - 1 - count] : '0';
    ++count;
  }
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

std::string joinParts(const Parts &parts, const FormatSpec &spec, int groupSize) {
  int64_t others = parts.sign.size() + parts.prefix.size() + parts.rest.size();
  bool zeros = spec.align == '=' && spec.fill == "0";
  std::string digits = groupDigits(parts.digits, spec.grouping, groupSize, zeros ? spec.width - others : 0);
  std::string body = parts.prefix + digits + parts.rest;
  if (spec.align == '=') {
    std::string padding;
    for (int64_t missing = spec.width - static_cast<int64_t>(parts.sign.size() + body.size()); missing > 0;
         --missing)
      padding += spec.fill;
    return parts.sign + parts.prefix + padding + digits + parts.rest;
  }
  FormatSpec padded = spec;
  if (!padded.align) padded.align = '>';
  return padText(parts.sign + body, padded);
}

std::string signText(bool negative, char sign) {
  return negative ? "-" : sign == '-' ? "" : std::string(1, sign);
}

std::string magnitudeDigits(uint64_t magnitude, int base) {
  char buffer[72];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, magnitude, base).ptr);
}

std::string utf8(uint32_t c) {
  if (c < 0x80) return std::string(1, static_cast<char>(c));
  std::string out;
  int extra = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  out += static_cast<char>((0xFF00 >> (extra + 1) & 0xFF) | c >> 6 * extra);
  while (extra-- > 0) out += static_cast<char>(0x80 | (c >> 6 * extra & 0x3F));
  return out;
}

std::string toChars(double magnitude, std::chars_format form, int precision) {
  std::string buffer(precision + 400, '\0');
  buffer.resize(std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude, form, precision).ptr -
                buffer.data());
  return buffer;
}

// %g digits of a magnitude: `precision` significant digits, zeros dropped unless `keepZeros`. `pointZero`
// makes the result look like a float (1.0) and moves to the scientific form one digit earlier, as format(x,
// ".3") does.
std::string generalDigits(double magnitude, int64_t precision, bool keepZeros, bool pointZero) {
  int digits = static_cast<int>(std::max<int64_t>(precision, 1));
  std::string scientific = toChars(magnitude, std::chars_format::scientific, digits - 1);
  size_t e = scientific.find('e');
  int exponent = std::atoi(scientific.c_str() + e + 1);
  std::string text, tail;
  if (exponent < -4 || exponent >= digits - pointZero) {
    text = scientific.substr(0, e);
    tail = scientific.substr(e);
    pointZero = false;
  } else {
    text = toChars(magnitude, std::chars_format::fixed, std::max(0, digits - 1 - exponent));
  }
  if (keepZeros && text.find('.') == text.npos) text += '.';
  if (!keepZeros && text.find('.') != text.npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  if (pointZero && text.find('.') == text.npos) text += ".0";
  return text + tail;
}

// The unsigned digits of a float under the spec's type and precision.
std::string floatDigits(double value, const FormatSpec &spec, bool complexPart) {
  double magnitude = std::fabs(value);
  char type = spec.type;
  bool upper = type == 'E' || type == 'F' || type == 'G';
  std::string text;
  if (!std::isfinite(value)) {
    text = std::isnan(value) ? "nan" : "inf";
    if (type == '%') text += '%';
  } else if (!type && spec.precision < 0) {
    text = pythonFloatText(magnitude);
    if (complexPart && text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0)
      text.resize(text.size() - 2);
  } else {
    int64_t precision = spec.precision < 0 ? 6 : spec.precision;
    switch (type) {
    case 'e':
    case 'E':
      text = toChars(magnitude, std::chars_format::scientific, precision);
      break;
    case 'f':
    case 'F':
      text = toChars(magnitude, std::chars_format::fixed, precision);
      break;
    case '%':
      text = toChars(magnitude * 100, std::chars_format::fixed, precision) + '%';
      break;
    default:
      text = generalDigits(magnitude, precision, spec.alternate, !type && !complexPart);
      break;
    }
    if (spec.alternate && text.find('.') == text.npos)
      text.insert(std::min(text.find_first_of("e%"), text.size()), ".");
  }
  if (upper)
    for (char &c : text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  return text;
}

// Whether "z" makes this negative number print without its sign.
bool printsAsZero(const std::string &digits) {
  return digits.find_first_of("123456789infaINFA") == digits.npos;
}

Parts floatParts(double value, const FormatSpec &spec, bool complexPart) {
  Parts parts;
  std::string text = floatDigits(value, spec, complexPart);
  bool negative = std::signbit(value) && !std::isnan(value);
  if (spec.noNegativeZero && negative && printsAsZero(text.substr(0, text.find_first_of("eE"))))
    negative = false;
  parts.sign = signText(negative, spec.sign);
  size_t integer = text.find_first_not_of("0123456789");
  parts.digits = text.substr(0, integer);
  if (integer != text.npos) parts.rest = text.substr(integer);
  return parts;
}

} // namespace

bool truncateToInt(double value, Scalar &out, jxrt_format_error &error) {
  if (std::isnan(value)) return fail(error, "ValueError", "cannot convert float NaN to integer");
  if (std::isinf(value)) return fail(error, "OverflowError", "cannot convert float infinity to integer");
  if (std::fabs(value) >= 9.2e18)
    return fail(error, "OverflowError", "float is too large for a 64-bit integer");
  out = Scalar();
  out.integer = static_cast<int64_t>(value);
  return true;
}

bool formatInt(const Scalar &value, const FormatSpec &spec, std::string &out, jxrt_format_error &error) {
  bool isUnsigned = value.kind == ScalarKind::Unsigned;
  bool negative = !isUnsigned && value.integer < 0;
  uint64_t magnitude = isUnsigned ? value.natural
                       : negative ? 0 - static_cast<uint64_t>(value.integer)
                                  : static_cast<uint64_t>(value.integer);
  if (spec.noNegativeZero)
    return fail(error, "ValueError",
                "Negative zero coercion (z) not allowed in format specifier with integer");
  if (spec.type == 'c') {
    if (spec.sign != '-')
      return fail(error, "ValueError", "Sign not allowed with integer format specifier 'c'");
    if (spec.alternate)
      return fail(error, "ValueError", "Alternate form (#) not allowed with integer format specifier 'c'");
    if (negative || magnitude > 0x10FFFF)
      return fail(error, "OverflowError", "%c arg not in range(0x110000)");
    FormatSpec padded = spec;
    if (!padded.align) padded.align = '>';
    out += padText(utf8(static_cast<uint32_t>(magnitude)), padded);
    return true;
  }
  int base = spec.type == 'b' ? 2 : spec.type == 'o' ? 8 : spec.type == 'x' || spec.type == 'X' ? 16 : 10;
  if (spec.grouping == ',' && base != 10)
    return fail(error, "ValueError", std::string("Cannot specify ',' with '") + spec.type + "'.");
  if (spec.grouping && spec.type == 'n')
    return fail(error, "ValueError", std::string("Cannot specify '") + spec.grouping + "' with 'n'.");
  Parts parts;
  parts.sign = signText(negative, spec.sign);
  parts.digits = magnitudeDigits(magnitude, base);
  if (spec.precision > static_cast<int64_t>(parts.digits.size()))
    parts.digits.insert(0, spec.precision - parts.digits.size(), '0');
  if (spec.alternate && base != 10) parts.prefix = std::string("0") + spec.type;
  if (spec.type == 'X')
    for (char &c : parts.digits) c = static_cast<char>(c >= 'a' ? c - 32 : c);
  out += joinParts(parts, spec, base == 10 ? 3 : 4);
  return true;
}

bool formatFloat(double value, const FormatSpec &spec, std::string &out, jxrt_format_error &error) {
  if (spec.grouping && spec.type == 'n')
    return fail(error, "ValueError", std::string("Cannot specify '") + spec.grouping + "' with 'n'.");
  out += joinParts(floatParts(value, spec, false), spec, 3);
  return true;
}

bool formatComplex(const Scalar &value, const FormatSpec &spec, std::string &out, jxrt_format_error &error) {
  if (spec.zeroPadded || spec.align == '=')
    return fail(error, "ValueError",
                spec.zeroPadded ? "Zero padding is not allowed in complex format specifier"
                                : "'=' alignment flag is not allowed in complex format specifier");
  FormatSpec part = spec;
  part.width = -1;
  part.align = '>';
  bool plain = !spec.type;
  bool skipReal = plain && value.real == 0 && !std::signbit(value.real);
  std::string text = skipReal ? "" : joinParts(floatParts(value.real, part, true), part, 3);
  if (!skipReal) part.sign = '+';
  text += joinParts(floatParts(value.imag, part, true), part, 3) + 'j';
  if (plain && !skipReal) text = '(' + text + ')';
  FormatSpec padded = spec;
  if (!padded.align) padded.align = '>';
  out += padText(text, padded);
  return true;
}

} // namespace jxrt
