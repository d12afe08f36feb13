// Maps every dtype to unsigned keys once, so that one sort serves all.
#include "SortKeys.h"
#include "Elements.h"
#include <cstring>
#include <type_traits>

namespace jxrt {

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

// What one element is compared by: itself, or two parts of a type.
template <typename T> struct Parts {
  using type = T;
  static constexpr int count = 1;
};
template <typename T> struct Parts<std::complex<T>> {
  using type = T;
  static constexpr int count = 2;
};
template <> struct Parts<KeyElement> {
  using type = uint32_t;
  static constexpr int count = 2;
};

template <typename Part> auto keyOf(Part value) {
  if constexpr (std::is_class_v<Part>)
    return imageOf(static_cast<float>(value));
  else
    return imageOf(value);
}
template <typename T> using KeyOf = decltype(keyOf(typename Parts<T>::type()));

} // namespace

int keyParts(int32_t dtype) {
  return withElementType(dtype, []<typename T>() { return Parts<T>::count; });
}

bool hasNarrowKeys(int32_t dtype) {
  return withElementType(dtype, []<typename T>() { return std::is_same_v<KeyOf<T>, uint32_t>; });
}

template <typename Key>
void writeKeys(const void *data, int32_t dtype, int part, int64_t n, int64_t stride, bool descending,
               Key *keys) {
  withElementType(dtype, [&]<typename T>() {
    if constexpr (std::is_same_v<KeyOf<T>, Key>) {
      const auto *parts = static_cast<const typename Parts<T>::type *>(data) + part;
      for (int64_t i = 0; i < n; ++i) {
        Key key = keyOf(parts[i * stride * Parts<T>::count]);
        keys[i] = descending ? ~key : key;
      }
    }
  });
}
template void writeKeys(const void *, int32_t, int, int64_t, int64_t, bool, uint32_t *);
template void writeKeys(const void *, int32_t, int, int64_t, int64_t, bool, uint64_t *);

} // namespace jxrt
