// Evaluation of dot_general: plain loops over (batch, m, n, k), k ascending in one chain of fused
// multiply-adds; two vectors in the order of a reduction (compiler/numerics/ReductionOrder.h).
#include "compiler/numerics/ReductionOrder.h"
#include "compiler/ops/dot/DotShape.h"
#include "compiler/ops/support/HostElements.h"
#include "compiler/ops/support/RuleSupport.h"
#include "compiler/ops/support/StridedCopy.h"

using namespace mlir;

namespace jx {

/// acc + x * y, rounded once; integers wrap, bools are "or" of "and".
template <class W> static W multiplyAdd(W x, W y, W acc) {
  if constexpr (std::is_same_v<W, bool>) {
    return acc || (x && y);
  } else if constexpr (std::is_floating_point_v<W>) {
    return std::fma(x, y, acc);
  } else if constexpr (isComplexElement<W>) {
    auto real = std::fma(-x.imag(), y.imag(), std::fma(x.real(), y.real(), acc.real()));
    auto imag = std::fma(x.imag(), y.real(), std::fma(x.real(), y.imag(), acc.imag()));
    return {real, imag};
  } else {
    return addWrapped(mulWrapped(x, y), acc);
  }
}

/// The reduction order with products in place of elements: each lane is a chain of fused multiply-adds.
template <class W, class X, class Y> static W dotOfVectors(int64_t k, X x, Y y) {
  SmallVector<W> blocks;
  for (int64_t begin = 0; begin < k; begin += order::blockSize) {
    std::array<W, order::lanes> lane;
    lane.fill(W(0));
    for (int64_t i = 0, n = std::min(order::blockSize, k - begin); i < n; ++i)
      lane[i % order::lanes] = multiplyAdd<W>(x(begin + i), y(begin + i), lane[i % order::lanes]);
    blocks.push_back(order::combineLanes(lane, [](W a, W b) { return addWrapped(a, b); }));
  }
  return order::combineTree(blocks, W(0), [](W a, W b) { return addWrapped(a, b); });
}

/// Offsets, in elements, of all indices over `dims` of an array of `shape`, in row-major order.
static SmallVector<int64_t> offsetsOver(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> strides = rowMajorStrides(shape), offsets;
  forEachIndex(llvm::map_to_vector(dims, [&](int64_t dim) { return shape[dim]; }),
               [&](ArrayRef<int64_t> index) {
                 int64_t offset = 0;
                 for (auto [dim, i] : llvm::zip_equal(dims, index)) offset += i * strides[dim];
                 offsets.push_back(offset);
               });
  return offsets;
}

/// Converts an array to values of W once, so that the loops are plain.
template <class W> static std::unique_ptr<W[]> widened(const HostArray &array) {
  auto values = std::make_unique<W[]>(std::max<int64_t>(1, array.size()));
  dispatchElement(array.getElementType(), [&]<class T>() {
    if constexpr (std::is_convertible_v<Wide<T>, W>)
      for (int64_t i = 0, n = array.size(); i < n; ++i) values[i] = W(widen<T>(array.as<T>()[i]));
  });
  return values;
}

LogicalResult DotGeneralOp::eval(EvalContext &ctx) {
  HostArray &out = ctx.alloc();
  DotShape shape(*this);
  ArrayRef<int64_t> lhsShape = ctx.x(0).getShape(), rhsShape = ctx.x(1).getShape();
  auto lhsBatch = offsetsOver(lhsShape, getLhsBatch()), rhsBatch = offsetsOver(rhsShape, getRhsBatch());
  auto lhsRows = offsetsOver(lhsShape, shape.lhsFree), rhsColumns = offsetsOver(rhsShape, shape.rhsFree);
  auto lhsK = offsetsOver(lhsShape, getLhsContracting()), rhsK = offsetsOver(rhsShape, getRhsContracting());
  bool asReduction = order::usesReductionOrder(shape.m, shape.n, shape.k);
  return dispatchElement(out.getElementType(), [&]<class T>() -> LogicalResult {
    if constexpr (std::is_same_v<T, Key>) {
      return ctx.fail("keys cannot be multiplied");
    } else {
      using W = Wide<T>;
      auto lhs = widened<W>(ctx.x(0)), rhs = widened<W>(ctx.x(1));
      T *to = out.as<T>();
      for (int64_t batch = 0; batch < shape.batch; ++batch)
        for (int64_t row : lhsRows)
          for (int64_t column : rhsColumns) {
            const W *x = lhs.get() + lhsBatch[batch] + row, *y = rhs.get() + rhsBatch[batch] + column;
            W sum = W(0);
            if (asReduction)
              sum = dotOfVectors<W>(
                  shape.k, [&](int64_t i) { return x[lhsK[i]]; }, [&](int64_t i) { return y[rhsK[i]]; });
            else
              for (int64_t i = 0; i < shape.k; ++i) sum = multiplyAdd<W>(x[lhsK[i]], y[rhsK[i]], sum);
            *to++ = narrow<T>(sum);
          }
      return success();
    }
  });
}

} // namespace jx
