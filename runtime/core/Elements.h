// The C++ type of the elements of each dtype, for what is written once and instantiated for all.
#pragma once
#include "Half.h"
#include "jxrt/Array.h"
#include <complex>

namespace jxrt {

// An element of JXRT_KEY.
struct KeyElement {
  uint32_t words[2];
};

// Calls `use`, a lambda that is generic in the type of an element, with that of `dtype`. Bools are uint8_t.
template <typename Use> decltype(auto) withElementType(int32_t dtype, Use &&use) {
  switch (dtype) {
  case JXRT_BOOL:
  case JXRT_U8:
    return use.template operator()<uint8_t>();
  case JXRT_I8:
    return use.template operator()<int8_t>();
  case JXRT_I16:
    return use.template operator()<int16_t>();
  case JXRT_I32:
    return use.template operator()<int32_t>();
  case JXRT_I64:
    return use.template operator()<int64_t>();
  case JXRT_U16:
    return use.template operator()<uint16_t>();
  case JXRT_U32:
    return use.template operator()<uint32_t>();
  case JXRT_U64:
    return use.template operator()<uint64_t>();
  case JXRT_F16:
    return use.template operator()<Half>();
  case JXRT_BF16:
    return use.template operator()<Bfloat>();
  case JXRT_F32:
    return use.template operator()<float>();
  case JXRT_F64:
    return use.template operator()<double>();
  case JXRT_C64:
    return use.template operator()<std::complex<float>>();
  case JXRT_C128:
    return use.template operator()<std::complex<double>>();
  default:
    return use.template operator()<KeyElement>();
  }
}

} // namespace jxrt
