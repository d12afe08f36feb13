// Inclusive scans along one axis of (outer, n, inner): rows of `inner` elements are combined with the rows
// before. The order is that of docs/numerics.md: tiles of 16 rows, whose totals are scanned in the same way.
#include "ContextImpl.h"
#include "Elements.h"
#include "jxrt/Sort.h"
#include "jxrt/Threads.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace jxrt {
namespace {

constexpr int64_t kTile = 16;
constexpr int64_t kColumns = 16; // that one pass over a tile keeps in registers

template <typename T> constexpr bool isHalf = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>;
template <typename T> constexpr bool isComplex = false;
template <typename T> constexpr bool isComplex<std::complex<T>> = true;
template <typename T> using Arithmetic = std::conditional_t<isHalf<T>, float, T>;

// A value of the arithmetic type as an element, and back: what each step leaves.
template <typename T> T stored(Arithmetic<T> value) {
  if constexpr (isHalf<T>)
    return T::from(value);
  else
    return value;
}
template <typename T> Arithmetic<T> rounded(Arithmetic<T> value) { return stored<T>(value); }

// Wraps as the hardware does; signed overflow is not undefined here.
template <typename T, typename Op> T wrapped(T a, T b, Op op) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    using Wide = std::conditional_t<(sizeof(T) < 4), uint32_t, Unsigned>;
    return static_cast<T>(
        op(static_cast<Wide>(static_cast<Unsigned>(a)), static_cast<Wide>(static_cast<Unsigned>(b))));
  } else {
    return op(a, b);
  }
}

// Below every element (`sign` -1) or above (+1).
template <typename T> T extreme(int sign) {
  if constexpr (isComplex<T>) {
    auto part = sign * std::numeric_limits<typename T::value_type>::infinity();
    return {part, part};
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(sign) * std::numeric_limits<T>::infinity();
  } else {
    return sign < 0 ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
  }
}

// Minus zero is below zero.
template <typename T> bool less(T a, T b) {
  if constexpr (isComplex<T>)
    return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
  else if constexpr (std::is_floating_point_v<T>)
    return a < b || (a == b && std::signbit(a) && !std::signbit(b));
  else
    return a < b;
}
template <typename T> bool isNan(T a) { return !(a == a); }

// Kinds: the identity in the arithmetic type, and one step on elements of T, which the caller rounds.
struct Sum {
  template <typename T> static T identity() { return T(0); }
  template <typename T> static Arithmetic<T> combine(Arithmetic<T> a, Arithmetic<T> b) {
    return wrapped(a, b, [](auto x, auto y) { return x + y; });
  }
};
struct Product {
  template <typename T> static T identity() { return T(1); }
  template <typename T> static Arithmetic<T> combine(Arithmetic<T> a, Arithmetic<T> b) {
    return wrapped(a, b, [](auto x, auto y) { return x * y; });
  }
};
struct Maximum {
  template <typename T> static T identity() { return extreme<T>(-1); }
  template <typename T> static Arithmetic<T> combine(Arithmetic<T> a, Arithmetic<T> b) {
    return isNan(a) ? a : isNan(b) || less(a, b) ? b : a;
  }
};
struct Minimum {
  template <typename T> static T identity() { return extreme<T>(1); }
  template <typename T> static Arithmetic<T> combine(Arithmetic<T> a, Arithmetic<T> b) {
    return isNan(a) ? a : isNan(b) || less(b, a) ? b : a;
  }
};
// log(exp(a) + exp(b)) of floats, in the steps of `jnp.logaddexp`.
struct LogSumExp {
  template <typename T> static T identity() { return extreme<T>(-1); }
  template <typename T> static Arithmetic<T> combine(Arithmetic<T> a, Arithmetic<T> b) {
    Arithmetic<T> difference = rounded<T>(a - b);
    if (isNan(difference)) return a + b; // of equal infinities too
    Arithmetic<T> ratio = rounded<T>(std::exp(-std::abs(difference)));
    return std::max(a, b) + rounded<T>(std::log1p(ratio));
  }
};

// The scan of `columns` columns of one tile. Every chain runs from its first row to its last: forwards there
// is one a column, in reverse each row starts its own. `in` and `out` may be the same memory.
template <typename T, typename Op, typename Columns>
void scanColumns(const T *in, T *out, int64_t rows, int64_t inner, bool reverse, Columns columns) {
  using A = Arithmetic<T>;
  A chain[kColumns];
  auto start = [&] { std::fill_n(chain, int64_t{columns}, Op::template identity<A>()); };
  auto step = [&](int64_t row) {
    for (int64_t c = 0; c < columns; ++c)
      chain[c] = rounded<T>(Op::template combine<T>(chain[c], static_cast<A>(in[row * inner + c])));
  };
  start();
  for (int64_t row = 0; row < rows; ++row) {
    if (reverse) {
      start();
      for (int64_t k = row; k < rows; ++k) step(k);
    } else {
      step(row);
    }
    for (int64_t c = 0; c < columns; ++c) out[row * inner + c] = stored<T>(chain[c]);
  }
}

// The same of one column in reverse, all chains side by side.
template <typename T, typename Op>
void scanColumnBackwards(const T *in, T *out, int64_t rows, int64_t inner) {
  using A = Arithmetic<T>;
  A chains[kTile];
  std::fill_n(chains, kTile, Op::template identity<A>());
  for (int64_t k = 0; k < rows; ++k) {
    A x = static_cast<A>(in[k * inner]);
    for (int64_t row = 0; row <= k; ++row) chains[row] = rounded<T>(Op::template combine<T>(chains[row], x));
  }
  for (int64_t row = 0; row < rows; ++row) out[row * inner] = stored<T>(chains[row]);
}

template <typename T, typename Op>
void scanTile(const T *in, T *out, int64_t rows, int64_t inner, bool reverse) {
  int64_t column = 0;
  for (; column + kColumns <= inner; column += kColumns)
    scanColumns<T, Op>(in + column, out + column, rows, inner, reverse,
                       std::integral_constant<int64_t, kColumns>());
  for (; column < inner; ++column)
    if (reverse)
      scanColumnBackwards<T, Op>(in + column, out + column, rows, inner);
    else
      scanColumns<T, Op>(in + column, out + column, rows, inner, reverse,
                         std::integral_constant<int64_t, 1>());
}

// The scan of (n, inner). `totals` has room for `totalRows(n)` rows.
template <typename T, typename Op>
void scanRows(const T *in, T *out, T *totals, int64_t n, int64_t inner, bool reverse) {
  if (n == 1) { // not combined with the identity, which would make 0 of -0
    std::copy_n(in, inner, out);
    return;
  }
  int64_t tiles = (n + kTile - 1) / kTile;
  for (int64_t tile = 0; tile < tiles; ++tile) {
    int64_t first = tile * kTile, rows = std::min(kTile, n - first);
    scanTile<T, Op>(in + first * inner, out + first * inner, rows, inner, reverse);
    std::copy_n(out + (reverse ? first : first + rows - 1) * inner, inner, totals + tile * inner);
  }
  if (tiles < 2) return;
  scanRows<T, Op>(totals, totals, totals + tiles * inner, tiles, inner, reverse);
  using A = Arithmetic<T>;
  for (int64_t row = reverse ? 0 : kTile, end = reverse ? (tiles - 1) * kTile : n; row < end; ++row) {
    const T *before = totals + (row / kTile + (reverse ? 1 : -1)) * inner;
    T *to = out + row * inner;
    for (int64_t i = 0; i < inner; ++i)
      to[i] = stored<T>(Op::template combine<T>(static_cast<A>(before[i]), static_cast<A>(to[i])));
  }
}

int64_t totalRows(int64_t n) {
  int64_t rows = 0;
  do rows += n = (n + kTile - 1) / kTile;
  while (n > 1);
  return rows;
}

struct Call {
  jxrt_context *ctx;
  const void *input;
  void *output;
  int64_t n, inner;
  bool reverse;
  const char *where;
};

template <typename T, typename Op> int32_t scan(void *argument, int64_t begin, int64_t end, int32_t) {
  const Call &call = *static_cast<Call *>(argument);
  int64_t size = call.n * call.inner;
  Scratch scratch(call.ctx, totalRows(call.n) * call.inner * static_cast<int64_t>(sizeof(T)), call.where);
  if (!scratch.data()) return JXRT_ERROR;
  for (int64_t batch = begin; batch < end; ++batch)
    scanRows<T, Op>(static_cast<const T *>(call.input) + batch * size,
                    static_cast<T *>(call.output) + batch * size, reinterpret_cast<T *>(scratch.data()),
                    call.n, call.inner, call.reverse);
  return JXRT_OK;
}

// Null where the kind is not defined for the dtype.
jxrt_range_fn scanOf(int32_t kind, int32_t dtype) {
  return withElementType(dtype, [&]<typename T>() -> jxrt_range_fn {
    if constexpr (!std::is_same_v<T, KeyElement>) {
      switch (kind) {
      case JXRT_CUMSUM:
        return dtype == JXRT_BOOL ? nullptr : scan<T, Sum>;
      case JXRT_CUMPROD:
        return dtype == JXRT_BOOL ? nullptr : scan<T, Product>;
      case JXRT_CUMMAX:
        return scan<T, Maximum>;
      case JXRT_CUMMIN:
        return scan<T, Minimum>;
      case JXRT_CUMLOGSUMEXP:
        if constexpr (std::is_floating_point_v<Arithmetic<T>>) return scan<T, LogSumExp>;
      }
    }
    return nullptr;
  });
}

} // namespace
} // namespace jxrt

int32_t jxrt_cumulative(jxrt_context *ctx, int32_t kind, int32_t dtype, const void *input, void *output,
                        int64_t outer, int64_t n, int64_t inner, int32_t reverse, const char *where) {
  jxrt_range_fn scan = jxrt::scanOf(kind, dtype);
  if (!scan) return jxrt_fail(ctx, "TypeError", "cumulative operation is not defined for this dtype", where);
  if (outer == 0 || n == 0 || inner == 0) return JXRT_OK;
  jxrt::Call call{ctx, input, output, n, inner, reverse != 0, where};
  int64_t grain = std::max<int64_t>(1, 32768 / (n * inner));
  return jxrt_parallel_for(ctx, scan, &call, 0, outer, grain);
}
