// Maps every dtype to unsigned keys once, so that one sort serves all.
#include "SortKeys.h"
#include "Half.h"
#include <cstring>
#include <type_traits>

namespace jxrt {

int keyParts(int32_t dtype) { return dtype == JXRT_C64 || dtype == JXRT_C128 || dtype == JXRT_KEY ? 2 : 1; }

bool hasNarrowKeys(int32_t dtype) {
  return dtype != JXRT_I64 && dtype != JXRT_U64 && dtype != JXRT_F64 && dtype != JXRT_C128;
}

namespace {

uint32_t imageOf(float value) {
  if (value != value) return ~0u;
  if (value == 0) value = 0; // drops the sign
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits >> 31 ? ~bits : bits | 1u << 31;
}
uint64_t imageOf(double value) {
  if (value != value) return ~0ull;
  if (value == 0) value = 0;
  uint64_t bits;
  std::memcpy(&bits, &value, 8);
  return bits >> 63 ? ~bits : bits | 1ull << 63;
}
template <typename T>
  requires std::is_integral_v<T>
auto imageOf(T value) {
  using Image = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  Image bias = std::is_signed_v<T> ? Image(1) << (sizeof(Image) * 8 - 1) : 0;
  return static_cast<Image>(value) ^ bias;
}

// `width` is the number of T in one element.
template <typename T, typename Key>
void fill(const void *data, int width, int part, int64_t n, int64_t stride, bool descending, Key *keys) {
  const T *values = static_cast<const T *>(data) + part;
  for (int64_t i = 0; i < n; ++i) {
    Key key;
    if constexpr (std::is_class_v<T>)
      key = imageOf(static_cast<float>(values[i * stride]));
    else
      key = static_cast<Key>(imageOf(values[i * stride * width]));
    keys[i] = descending ? ~key : key;
  }
}

} // namespace

void writeKeys(const void *data, int32_t dtype, int part, int64_t n, int64_t stride, bool descending,
               uint32_t *keys) {
  switch (dtype) {
  case JXRT_I8:
    return fill<int8_t>(data, 1, part, n, stride, descending, keys);
  case JXRT_I16:
    return fill<int16_t>(data, 1, part, n, stride, descending, keys);
  case JXRT_I32:
    return fill<int32_t>(data, 1, part, n, stride, descending, keys);
  case JXRT_BOOL:
  case JXRT_U8:
    return fill<uint8_t>(data, 1, part, n, stride, descending, keys);
  case JXRT_U16:
    return fill<uint16_t>(data, 1, part, n, stride, descending, keys);
  case JXRT_F16:
    return fill<Half>(data, 1, part, n, stride, descending, keys);
  case JXRT_BF16:
    return fill<Bfloat>(data, 1, part, n, stride, descending, keys);
  case JXRT_F32:
    return fill<float>(data, 1, part, n, stride, descending, keys);
  case JXRT_C64:
    return fill<float>(data, 2, part, n, stride, descending, keys);
  case JXRT_KEY:
    return fill<uint32_t>(data, 2, part, n, stride, descending, keys);
  default:
    return fill<uint32_t>(data, 1, part, n, stride, descending, keys);
  }
}

void writeKeys(const void *data, int32_t dtype, int part, int64_t n, int64_t stride, bool descending,
               uint64_t *keys) {
  switch (dtype) {
  case JXRT_I64:
    return fill<int64_t>(data, 1, part, n, stride, descending, keys);
  case JXRT_F64:
    return fill<double>(data, 1, part, n, stride, descending, keys);
  case JXRT_C128:
    return fill<double>(data, 2, part, n, stride, descending, keys);
  default:
    return fill<uint64_t>(data, 1, part, n, stride, descending, keys);
  }
}

} // namespace jxrt
