// Numbers under a parsed format spec.
#pragma once
#include "FormatSpec.h"

namespace jxrt {

// Pads to the spec's width by its alignment; '=' counts as '>'.
std::string padText(const std::string &text, const FormatSpec &spec);

// Types b c d o x X n and none. A precision gives the least number of digits (as % does) when the type allows
// it.
bool formatInt(const Scalar &value, const FormatSpec &spec, std::string &out, jxrt_format_error &error);
// Types e E f F g G n % and none.
bool formatFloat(double value, const FormatSpec &spec, std::string &out, jxrt_format_error &error);
bool formatComplex(const Scalar &value, const FormatSpec &spec, std::string &out, jxrt_format_error &error);

// int(value): an error for infinities, NaN and what exceeds 64 bits.
bool truncateToInt(double value, Scalar &out, jxrt_format_error &error);

} // namespace jxrt
