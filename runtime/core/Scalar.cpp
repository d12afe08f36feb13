// Reading elements and writing single values. Kept apart from ArrayText, which lays out columns of them.
#include "Scalar.h"
#include "Elements.h"
#include "FloatText.h"
#include <cmath>
#include <cstdio>
#include <cstring>

namespace jxrt {

Scalar loadScalar(const void *data, int32_t dtype) {
  Scalar out;
  out.dtype = dtype;
  withElementType(dtype, [&]<typename T>() {
    T value;
    std::memcpy(&value, data, sizeof(T));
    if constexpr (std::is_unsigned_v<T>) {
      out.kind = ScalarKind::Unsigned;
      out.natural = value;
    } else if constexpr (std::is_integral_v<T>) {
      out.integer = value;
    } else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
      out.kind = ScalarKind::Complex;
      out.real = value.real();
      out.imag = value.imag();
    } else if constexpr (!std::is_same_v<T, KeyElement>) {
      out.kind = ScalarKind::Float;
      out.real = value;
    }
  });
  if (dtype == JXRT_BOOL) {
    out.kind = ScalarKind::Bool;
    out.integer = out.natural != 0;
    out.natural = 0;
  }
  return out;
}

namespace {
// (a+bj), or bj where the real part is +0. `part` writes one component.
template <typename Part> std::string complexText(const Scalar &scalar, Part part) {
  std::string imag = part(scalar.imag) + 'j';
  if (scalar.real == 0 && !std::signbit(scalar.real)) return imag;
  bool needsSign = std::isnan(scalar.imag) || !std::signbit(scalar.imag);
  return '(' + part(scalar.real) + (needsSign ? "+" : "") + imag + ')';
}

// A component of a complex number is a float without the ".0".
std::string withoutPointZero(std::string text) {
  if (text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0) text.resize(text.size() - 2);
  return text;
}
} // namespace

std::string pythonText(const Scalar &scalar) {
  switch (scalar.kind) {
  case ScalarKind::Bool:
    return scalar.integer ? "True" : "False";
  case ScalarKind::Int:
    return std::to_string(scalar.integer);
  case ScalarKind::Unsigned:
    return std::to_string(scalar.natural);
  case ScalarKind::Float:
    return pythonFloatText(scalar.real);
  case ScalarKind::Complex:
    return complexText(scalar, [](double value) { return withoutPointZero(pythonFloatText(value)); });
  case ScalarKind::String:
    break;
  }
  return std::string(scalar.text);
}

std::string numpyText(const Scalar &scalar) {
  if (scalar.kind == ScalarKind::Float) return numpyFloatText(scalar.real, scalar.dtype);
  if (scalar.kind != ScalarKind::Complex) return pythonText(scalar);
  int32_t part = scalar.dtype == JXRT_C64 ? JXRT_F32 : JXRT_F64;
  return complexText(scalar, [&](double value) { return withoutPointZero(numpyFloatText(value, part)); });
}

std::string numpyRepr(const Scalar &scalar) {
  if (scalar.kind == ScalarKind::Bool) return scalar.integer ? "np.True_" : "np.False_";
  if (scalar.dtype == JXRT_BF16) return numpyText(scalar);
  std::string text = numpyText(scalar);
  if (scalar.kind == ScalarKind::Complex && text.front() == '(') text = text.substr(1, text.size() - 2);
  return std::string("np.") + jxrt_dtype_name(scalar.dtype) + '(' + text + ')';
}

namespace {
// Decodes the code point at `at` and moves past it; malformed bytes come back one by one.
uint32_t nextCodePoint(std::string_view text, size_t &at) {
  auto byte = static_cast<unsigned char>(text[at]);
  int extra = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : byte >= 0xC0 ? 1 : 0;
  uint32_t value = extra == 0 ? byte : byte & (0x3F >> extra);
  if (at + extra >= text.size()) extra = 0;
  for (int i = 1; i <= extra; ++i) value = value << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3F);
  at += extra + 1;
  return value;
}
} // namespace

std::string stringRepr(std::string_view text, bool ascii) {
  bool hasSingle = text.find('\'') != text.npos, hasDouble = text.find('"') != text.npos;
  char quote = hasSingle && !hasDouble ? '"' : '\'';
  std::string out(1, quote);
  for (size_t at = 0; at < text.size();) {
    size_t begin = at;
    uint32_t c = nextCodePoint(text, at);
    char buffer[16] = "";
    if (c == static_cast<uint32_t>(quote) || c == '\\')
      std::snprintf(buffer, sizeof buffer, "\\%c", static_cast<char>(c));
    else if (c == '\n' || c == '\t' || c == '\r')
      std::snprintf(buffer, sizeof buffer, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
    else if (c < 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0xAD || (ascii && c > 0xA0 && c < 0x100))
      std::snprintf(buffer, sizeof buffer, "\\x%02x", c);
    else if (ascii && c >= 0x10000)
      std::snprintf(buffer, sizeof buffer, "\\U%08x", c);
    else if (ascii && c >= 0x100)
      std::snprintf(buffer, sizeof buffer, "\\u%04x", c);
    if (buffer[0])
      out += buffer;
    else
      out += text.substr(begin, at - begin);
  }
  return out + quote;
}

int64_t codePoints(std::string_view text) {
  int64_t count = 0;
  for (char c : text) count += (c & 0xC0) != 0x80;
  return count;
}

std::string_view firstCodePoints(std::string_view text, int64_t count) {
  size_t at = 0;
  for (; count > 0 && at < text.size(); --count) nextCodePoint(text, at);
  return text.substr(0, at);
}

} // namespace jxrt
