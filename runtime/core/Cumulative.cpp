// Inclusive scans along one axis of (outer, n, inner): rows of `inner` elements are combined with the row
// before.
#include "Elements.h"
#include "jxrt/Sort.h"
#include "jxrt/Threads.h"
#include <algorithm>
#include <cmath>
#include <type_traits>

namespace jxrt {
namespace {

template <typename T> constexpr bool isHalf = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>;
template <typename T> struct Arithmetic {
  using type = T;
};
template <> struct Arithmetic<Half> {
  using type = float;
};
template <> struct Arithmetic<Bfloat> {
  using type = float;
};
template <typename T> constexpr bool isComplex = false;
template <typename T> constexpr bool isComplex<std::complex<T>> = true;

// Wraps as the hardware does; signed overflow is not undefined here.
template <typename T, typename Op> T wrapped(T a, T b, Op op) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    using Unsigned = std::make_unsigned_t<T>;
    using Wide = std::conditional_t<(sizeof(T) < 4), uint32_t, Unsigned>;
    return static_cast<T>(
        op(static_cast<Wide>(static_cast<Unsigned>(a)), static_cast<Wide>(static_cast<Unsigned>(b))));
  } else {
    return op(a, b);
  }
}

template <typename T> bool less(T a, T b) {
  if constexpr (isComplex<T>)
    return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
  else
    return a < b;
}
template <typename T> bool isNan(T a) { return !(a == a); }

template <typename T> T combine(int32_t kind, T a, T b) {
  switch (kind) {
  case JXRT_CUMSUM:
    return wrapped(a, b, [](auto x, auto y) { return x + y; });
  case JXRT_CUMPROD:
    return wrapped(a, b, [](auto x, auto y) { return x * y; });
  case JXRT_CUMMAX:
    return isNan(a) ? a : isNan(b) ? b : less(a, b) ? b : a;
  case JXRT_CUMMIN:
    return isNan(a) ? a : isNan(b) ? b : less(b, a) ? b : a;
  default:
    if constexpr (std::is_floating_point_v<T>) {
      if (isNan(a) || isNan(b)) return a + b;
      T high = std::max(a, b), low = std::min(a, b);
      if (std::isinf(high)) return high;
      return static_cast<T>(static_cast<double>(high) +
                            std::log1p(std::exp(static_cast<double>(low) - high)));
    }
    return a;
  }
}

struct Call {
  int32_t kind;
  const void *input;
  void *output;
  int64_t n, inner;
  bool reverse;
};

template <typename T> int32_t scan(void *argument, int64_t begin, int64_t end, int32_t) {
  const Call &call = *static_cast<Call *>(argument);
  using A = typename Arithmetic<T>::type;
  for (int64_t batch = begin; batch < end; ++batch) {
    const T *in = static_cast<const T *>(call.input) + batch * call.n * call.inner;
    T *out = static_cast<T *>(call.output) + batch * call.n * call.inner;
    for (int64_t step = 0; step < call.n; ++step) {
      int64_t row = (call.reverse ? call.n - 1 - step : step) * call.inner;
      int64_t before = row + (call.reverse ? call.inner : -call.inner);
      for (int64_t i = 0; i < call.inner; ++i) {
        if (step == 0) {
          out[row + i] = in[row + i];
          continue;
        }
        A value = combine<A>(call.kind, static_cast<A>(out[before + i]), static_cast<A>(in[row + i]));
        if constexpr (isHalf<T>)
          out[row + i] = T::from(value);
        else
          out[row + i] = value;
      }
    }
  }
  return JXRT_OK;
}

jxrt_range_fn scanOf(int32_t dtype) {
  return withElementType(dtype, []<typename T>() -> jxrt_range_fn {
    if constexpr (std::is_same_v<T, KeyElement>)
      return nullptr;
    else
      return scan<T>;
  });
}

} // namespace
} // namespace jxrt

int32_t jxrt_cumulative(jxrt_context *ctx, int32_t kind, int32_t dtype, const void *input, void *output,
                        int64_t outer, int64_t n, int64_t inner, int32_t reverse, const char *where) {
  jxrt_range_fn scan = jxrt::scanOf(dtype);
  bool isFloat = dtype >= JXRT_F16 && dtype <= JXRT_F64;
  bool arithmetic = kind == JXRT_CUMSUM || kind == JXRT_CUMPROD;
  if (!scan || kind < JXRT_CUMSUM || kind > JXRT_CUMLOGSUMEXP || (kind == JXRT_CUMLOGSUMEXP && !isFloat) ||
      (arithmetic && dtype == JXRT_BOOL))
    return jxrt_fail(ctx, "TypeError", "cumulative operation is not defined for this dtype", where);
  jxrt::Call call{kind, input, output, n, inner, reverse != 0};
  int64_t grain = std::max<int64_t>(1, 32768 / std::max<int64_t>(1, n * inner));
  return jxrt_parallel_for(ctx, scan, &call, 0, outer, grain);
}
