// Parsing of specs and the padding that all types share; numbers are in FormatNumber.cpp.
#include "FormatSpec.h"
#include "FormatNumber.h"
#include <cstdio>
#include <cstring>

namespace jxrt {

bool fail(jxrt_format_error &error, const char *className, const std::string &message) {
  error.class_name = className;
  std::snprintf(error.message, sizeof error.message, "%s", message.c_str());
  return false;
}

namespace {

bool isAlign(char c) { return c == '<' || c == '>' || c == '^' || c == '='; }

bool readNumber(std::string_view text, size_t &at, int64_t &value, jxrt_format_error &error) {
  value = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    value = value * 10 + (text[at] - '0');
    // A text of more than 2^31 characters is Python's limit in effect; refuse before it exhausts memory.
    if (value > 0x7FFFFFFF) return fail(error, "ValueError", "Too many decimal digits in format string");
  }
  return true;
}

bool isDigit(std::string_view text, size_t at) {
  return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

const char *typeName(const Scalar &value) {
  switch (value.kind) {
  case ScalarKind::Bool:
    return "bool";
  case ScalarKind::Float:
    return "float";
  case ScalarKind::Complex:
    return "complex";
  case ScalarKind::String:
    return "str";
  default:
    return "int";
  }
}

bool formatString(std::string_view text, const FormatSpec &spec, std::string &out, jxrt_format_error &error) {
  if (spec.type && spec.type != 's')
    return fail(error, "ValueError",
                std::string("Unknown format code '") + spec.type + "' for object of type 'str'");
  if (spec.sign != '-' || spec.noNegativeZero || spec.alternate)
    return fail(error, "ValueError",
                spec.alternate        ? "Alternate form (#) not allowed in string format specifier"
                : spec.noNegativeZero ? "Negative zero coercion (z) not allowed in string format specifier"
                                      : "Sign not allowed in string format specifier");
  if (spec.align == '=')
    return fail(error, "ValueError", "'=' alignment not allowed in string format specifier");
  if (spec.grouping)
    return fail(error, "ValueError", std::string("Cannot specify '") + spec.grouping + "' with 's'.");
  if (spec.precision >= 0) text = firstCodePoints(text, spec.precision);
  FormatSpec padded = spec;
  if (!padded.align) padded.align = '<';
  if (padded.zeroPadded && padded.fill == " ") padded.fill = "0";
  out += padText(std::string(text), padded);
  return true;
}

} // namespace

bool parseSpec(std::string_view text, FormatSpec &spec, jxrt_format_error &error) {
  size_t at = 0;
  size_t first = firstCodePoints(text, 1).size();
  bool fillGiven = false;
  if (first < text.size() && isAlign(text[first])) {
    spec.fill = text.substr(0, first);
    spec.align = text[first];
    fillGiven = true;
    at = first + 1;
  } else if (!text.empty() && isAlign(text[0])) {
    spec.align = text[0];
    at = 1;
  }
  auto take = [&](const char *set) {
    return at < text.size() && text[at] && std::strchr(set, text[at]) ? text[at++] : '\0';
  };
  if (char sign = take("+- ")) spec.sign = sign;
  spec.noNegativeZero = take("z");
  spec.alternate = take("#");
  if (!fillGiven && take("0")) {
    spec.zeroPadded = true;
    spec.fill = "0";
  }
  if (isDigit(text, at) && !readNumber(text, at, spec.width, error)) return false;
  if (char grouping = take(",_")) spec.grouping = grouping;
  if (spec.grouping && at < text.size() && (text[at] == ',' || text[at] == '_'))
    return fail(error, "ValueError", "Cannot specify both ',' and '_'.");
  if (take(".")) {
    if (!isDigit(text, at)) return fail(error, "ValueError", "Format specifier missing precision");
    if (!readNumber(text, at, spec.precision, error)) return false;
  }
  if (text.size() - at > 1) return fail(error, "ValueError", "Invalid format specifier");
  if (at < text.size()) spec.type = text[at];
  return true;
}

std::string padText(const std::string &text, const FormatSpec &spec) {
  int64_t missing = spec.width - codePoints(text);
  if (missing <= 0) return text;
  int64_t left = spec.align == '<' ? 0 : spec.align == '^' ? missing / 2 : missing;
  std::string out;
  for (int64_t i = 0; i < left; ++i) out += spec.fill;
  out += text;
  for (int64_t i = left; i < missing; ++i) out += spec.fill;
  return out;
}

bool formatScalar(const Scalar &value, std::string_view text, std::string &out, jxrt_format_error &error) {
  if (text.empty()) {
    out += pythonText(value);
    return true;
  }
  FormatSpec spec;
  if (!parseSpec(text, spec, error)) return false;
  if (spec.width > 1 << 28 || spec.precision > 1 << 28)
    return fail(error, "MemoryError", "width or precision of a format specifier is too large");
  if (value.kind == ScalarKind::String) return formatString(value.text, spec, out, error);
  if (!spec.align && spec.zeroPadded) spec.align = '=';
  bool isInt =
      value.kind == ScalarKind::Int || value.kind == ScalarKind::Unsigned || value.kind == ScalarKind::Bool;
  const char *allowed = isInt ? "bcdoxXneEfFgG%" : value.kind == ScalarKind::Float ? "eEfFgG%n" : "eEfFgGn";
  if (spec.type && !std::strchr(allowed, spec.type))
    return fail(error, "ValueError",
                std::string("Unknown format code '") + spec.type + "' for object of type '" +
                    typeName(value) + "'");
  if (value.kind == ScalarKind::Complex) return formatComplex(value, spec, out, error);
  if (!isInt) return formatFloat(value.real, spec, out, error);
  if (spec.type && std::strchr("eEfFgG%", spec.type))
    return formatFloat(value.kind == ScalarKind::Unsigned ? static_cast<double>(value.natural)
                                                          : static_cast<double>(value.integer),
                       spec, out, error);
  return formatInt(value, spec, out, error);
}

bool percentScalar(const Scalar &value, std::string_view text, const std::string &strText,
                   const std::string &reprText, std::string &out, jxrt_format_error &error) {
  FormatSpec spec;
  size_t at = 0;
  bool left = false, zero = false;
  for (; at < text.size() && std::strchr("-+ #0", text[at]); ++at) {
    if (text[at] == '-') left = true;
    if (text[at] == '+' || (text[at] == ' ' && spec.sign != '+')) spec.sign = text[at];
    if (text[at] == '#') spec.alternate = true;
    if (text[at] == '0') zero = true;
  }
  if (isDigit(text, at) && !readNumber(text, at, spec.width, error)) return false;
  if (at < text.size() && text[at] == '.') {
    ++at;
    spec.precision = 0;
    if (isDigit(text, at) && !readNumber(text, at, spec.precision, error)) return false;
  }
  if (at + 1 != text.size()) return fail(error, "ValueError", "incomplete format");
  spec.type = text[at];
  spec.align = left ? '<' : '>';
  if (spec.width > 1 << 28 || spec.precision > 1 << 28)
    return fail(error, "MemoryError", "width or precision of a format specifier is too large");
  bool isNumber = value.kind != ScalarKind::String && value.kind != ScalarKind::Complex;
  bool isFloat = value.kind == ScalarKind::Float;
  if (std::strchr("sra", spec.type)) {
    std::string plain = spec.type == 's' ? strText : reprText;
    if (spec.precision >= 0) plain = firstCodePoints(plain, spec.precision);
    out += padText(plain, spec);
    return true;
  }
  std::string type = value.kind == ScalarKind::String ? "str" : typeName(value);
  if (!std::strchr("diuoxXeEfFgGc", spec.type))
    return fail(error, "ValueError", std::string("unsupported format character '") + spec.type + "'");
  if (!isNumber)
    return fail(error, "TypeError",
                std::string("%") + spec.type + " format: a real number is required, not " + type);
  if (zero && !left) spec.align = '=', spec.fill = "0";
  if (std::strchr("eEfFgG", spec.type)) {
    if (spec.precision < 0) spec.precision = 6;
    double number = isFloat                              ? value.real
                    : value.kind == ScalarKind::Unsigned ? static_cast<double>(value.natural)
                                                         : static_cast<double>(value.integer);
    return formatFloat(number, spec, out, error);
  }
  Scalar whole = value;
  if (isFloat) {
    if (!std::strchr("diu", spec.type))
      return fail(error, "TypeError",
                  std::string("%") + spec.type + " format: an integer is required, not float");
    if (!truncateToInt(value.real, whole, error)) return false;
  }
  if (spec.type == 'c') {
    spec.sign = '-', spec.precision = -1;
  } else if (std::strchr("diu", spec.type)) {
    spec.type = 'd';
  }
  return formatInt(whole, spec, out, error);
}

} // namespace jxrt

int32_t jxrt_check_spec(const char *text, int64_t bytes, int32_t kind, jxrt_format_error *error) {
  jxrt_format_error ignored;
  jxrt::Scalar sample;
  sample.kind = kind == JXRT_SPEC_FLOAT     ? jxrt::ScalarKind::Float
                : kind == JXRT_SPEC_STRING  ? jxrt::ScalarKind::String
                : kind == JXRT_SPEC_COMPLEX ? jxrt::ScalarKind::Complex
                                            : jxrt::ScalarKind::Int;
  std::string out;
  return !jxrt::formatScalar(sample, {text, static_cast<size_t>(bytes)}, out, error ? *error : ignored);
}
