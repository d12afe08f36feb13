// Element types and sizes of arrays, overflow-checked.
#include "jxrt/Array.h"

namespace {
struct DtypeInfo {
  const char *name;
  int64_t bytes;
};
constexpr DtypeInfo dtypes[JXRT_DTYPE_COUNT] = {
    {"bool", 1},    {"int8", 1},      {"int16", 2},       {"int32", 4},   {"int64", 8},    {"uint8", 1},
    {"uint16", 2},  {"uint32", 4},    {"uint64", 8},      {"float16", 2}, {"bfloat16", 2}, {"float32", 4},
    {"float64", 8}, {"complex64", 8}, {"complex128", 16}, {"key<fry>", 8}};
bool isDtype(int32_t dtype) { return dtype >= 0 && dtype < JXRT_DTYPE_COUNT; }
} // namespace

int64_t jxrt_dtype_bytes(int32_t dtype) { return isDtype(dtype) ? dtypes[dtype].bytes : 0; }

const char *jxrt_dtype_name(int32_t dtype) { return isDtype(dtype) ? dtypes[dtype].name : nullptr; }

int64_t jxrt_array_elements(const jxrt_array *array) {
  int64_t count = 1;
  bool zero = false;
  for (int64_t i = 0; i < array->rank; ++i) {
    if (array->shape[i] < 0) return -1;
    if (array->shape[i] == 0)
      zero = true;
    else if (__builtin_mul_overflow(count, array->shape[i], &count))
      return -1;
  }
  return zero ? 0 : count;
}

int64_t jxrt_array_bytes(const jxrt_array *array) {
  int64_t bytes = 0;
  int64_t count = jxrt_array_elements(array);
  if (count < 0 || __builtin_mul_overflow(count, jxrt_dtype_bytes(array->dtype), &bytes)) return -1;
  return bytes;
}
