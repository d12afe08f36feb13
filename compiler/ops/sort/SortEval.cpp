// Evaluation of sort and top_k. Elements are mapped to unsigned numbers of the same order, which one stable
// sort of positions then compares.
#include "compiler/ops/support/HostElements.h"
#include "compiler/ops/support/RuleSupport.h"
#include "compiler/ops/support/StridedCopy.h"
#include <algorithm>
#include <numeric>

using namespace mlir;

namespace jx {

/// A number that orders as the float does: -0 equals 0, nan is last.
static uint64_t orderOfFloat(double x) {
  constexpr uint64_t sign = uint64_t(1) << 63;
  if (std::isnan(x)) return ~uint64_t(0);
  uint64_t bits = std::bit_cast<uint64_t>(x + 0.0); // -0 + 0 is 0
  return bits & sign ? ~bits : bits | sign;
}

/// The order of element i of an array: one number, two for complex (real part first).
static std::array<uint64_t, 2> orderOf(const HostArray &array, int64_t i) {
  return dispatchElement(array.getElementType(), [&]<class T>() -> std::array<uint64_t, 2> {
    if constexpr (std::is_same_v<T, Key>) {
      return {0, 0};
    } else {
      auto x = widen<T>(array.as<T>()[i]);
      using W = decltype(x);
      if constexpr (isComplexElement<W>)
        return {orderOfFloat(x.real()), orderOfFloat(x.imag())};
      else if constexpr (std::is_floating_point_v<W>)
        return {orderOfFloat(x), 0};
      else if constexpr (std::is_signed_v<W>)
        return {uint64_t(int64_t(x)) ^ (uint64_t(1) << 63), 0};
      else
        return {uint64_t(x), 0};
    }
  });
}

LogicalResult SortOp::eval(EvalContext &ctx) {
  ArrayRef<int64_t> shape = ctx.x().getShape();
  int64_t n = shape[getDimension()], inner = rowMajorStrides(shape)[getDimension()];
  int64_t outer = ctx.x().size() / std::max<int64_t>(1, n * inner);
  unsigned count = ctx.operands.size(), keys = getNumKeys();
  for (unsigned i = 0; i < count; ++i) ctx.alloc(i);
  std::vector<int64_t> positions(n);
  std::vector<std::array<uint64_t, 2>> order(n * keys);
  for (int64_t row = 0; row < outer * inner; ++row) {
    int64_t start = row / inner * n * inner + row % inner;
    for (int64_t i = 0; i < n; ++i)
      for (unsigned key = 0; key < keys; ++key)
        order[i * keys + key] = orderOf(ctx.x(key), start + i * inner);
    std::iota(positions.begin(), positions.end(), 0);
    llvm::sort(positions, [&](int64_t x, int64_t y) {
      const auto *left = &order[x * keys], *right = &order[y * keys];
      int sign = 0;
      for (unsigned key = 0; sign == 0 && key < keys; ++key)
        sign = left[key] < right[key] ? -1 : int(right[key] < left[key]);
      return sign != 0 ? sign < 0 : x < y; // ties by position: the sort is stable
    });
    for (unsigned operand = 0; operand < count; ++operand) {
      int64_t width = elementBytes(ctx.x(operand).getElementType());
      for (int64_t i = 0; i < n; ++i)
        std::memcpy(ctx.results[operand].as<char>() + (start + i * inner) * width,
                    ctx.x(operand).as<char>() + (start + positions[i] * inner) * width, width);
    }
  }
  return success();
}

LogicalResult TopKOp::eval(EvalContext &ctx) {
  ctx.alloc(0);
  ctx.alloc(1);
  int64_t n = ctx.x().getShape().back(), k = getK(), width = elementBytes(ctx.x().getElementType());
  int64_t rows = ctx.x().size() / std::max<int64_t>(1, n);
  std::vector<int32_t> positions(n);
  std::vector<uint64_t> order(n);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < n; ++i) order[i] = orderOf(ctx.x(), row * n + i)[0];
    std::iota(positions.begin(), positions.end(), 0);
    std::partial_sort(positions.begin(), positions.begin() + k, positions.end(), [&](int32_t x, int32_t y) {
      return order[x] != order[y] ? order[x] > order[y] : x < y;
    });
    for (int64_t i = 0; i < k; ++i) {
      std::memcpy(ctx.results[0].as<char>() + (row * k + i) * width,
                  ctx.x().as<char>() + (row * n + positions[i]) * width, width);
      ctx.results[1].as<int32_t>()[row * k + i] = positions[i];
    }
  }
  return success();
}

} // namespace jx
