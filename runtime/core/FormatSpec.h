// Python's format specification mini-language and %-formatting, on single values.
#pragma once
#include "Scalar.h"
#include "jxrt/Format.h"

namespace jxrt {

// A parsed "[[fill]align][sign][z][#][0][width][grouping][.precision][type]".
struct FormatSpec {
  std::string fill = " ";
  char align = 0; // '<' '>' '^' '=' or 0: the type's default
  char sign = '-';
  bool noNegativeZero = false, alternate = false, zeroPadded = false;
  int64_t width = -1;
  char grouping = 0; // ',' '_' or 0
  int64_t precision = -1;
  char type = 0;
};

// Records `className: message`; returns false, so that callers can return it.
bool fail(jxrt_format_error &error, const char *className, const std::string &message);

// Parses `text`; Python's ValueError where it is malformed.
bool parseSpec(std::string_view text, FormatSpec &spec, jxrt_format_error &error);

// format(value, spec). An empty spec is str(value) as a Python number.
bool formatScalar(const Scalar &value, std::string_view spec, std::string &out, jxrt_format_error &error);

// ("%" + spec) % value, where `strText` and `reprText` are what %s and %r print.
bool percentScalar(const Scalar &value, std::string_view spec, const std::string &strText,
                   const std::string &reprText, std::string &out, jxrt_format_error &error);

} // namespace jxrt
