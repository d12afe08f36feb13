// Evaluation of gather and scatter: for every index vector, in row-major order, one window is copied or
// combined.
#include "compiler/ops/support/HostElements.h"
#include "compiler/ops/support/RuleSupport.h"
#include "compiler/ops/support/StridedCopy.h"

using namespace mlir;

namespace jx {

using Dims = ArrayRef<int64_t>;

namespace {

/// Where the window of each index vector starts in the operand.
class WindowStarts {
public:
  WindowStarts(const HostArray &indices, Dims operandShape, SmallVector<int64_t> windowSizes, Dims indexMap,
               Dims operandBatching, Dims indicesBatching, bool clip)
      : indices(indices), operandShape(operandShape), windowSizes(std::move(windowSizes)), indexMap(indexMap),
        operandBatching(operandBatching), indicesBatching(indicesBatching), clip(clip),
        strides(rowMajorStrides(operandShape)), indexStrides(rowMajorStrides(indices.getShape())) {}

  /// Offset of the window in the operand, in elements; nothing if the window does not lie inside.
  std::optional<int64_t> offsetAt(Dims position) const {
    int64_t row = 0, offset = 0;
    for (auto [dim, i] : llvm::enumerate(position)) row += i * indexStrides[dim];
    for (auto [k, dim] : llvm::enumerate(indexMap)) {
      int64_t start = integerAt(indices, row + k), last = operandShape[dim] - windowSizes[dim];
      bool beyond = start < 0 && indices.getElementType().isUnsignedInteger(64); // of 2^63 or more
      if (beyond) start = std::numeric_limits<int64_t>::max();
      if (clip) start = std::clamp<int64_t>(start, 0, last);
      if (start < 0 || start > last) return std::nullopt;
      offset += start * strides[dim];
    }
    for (auto [dim, indexDim] : llvm::zip_equal(operandBatching, indicesBatching))
      offset += position[indexDim] * strides[dim];
    return offset;
  }

private:
  const HostArray &indices;
  Dims operandShape;
  SmallVector<int64_t> windowSizes;
  Dims indexMap, operandBatching, indicesBatching;
  bool clip;
  SmallVector<int64_t> strides, indexStrides;
};

} // namespace

static SmallVector<int64_t> pick(Dims values, Dims dims) {
  return llvm::map_to_vector(dims, [&](int64_t dim) { return values[dim]; });
}

static int64_t dotOffsets(Dims index, Dims strides) {
  int64_t offset = 0;
  for (auto [i, stride] : llvm::zip_equal(index, strides)) offset += i * stride;
  return offset;
}

// --- gather

/// What lanes outside the operand read: nan, the smallest int, the largest uint, true.
static HostArray defaultFill(Type element) {
  HostArray fill(RankedTensorType::get({}, element));
  dispatchElement(element, [&]<class T>() {
    T &value = *fill.as<T>();
    if constexpr (std::is_same_v<T, Bool>)
      value = {1};
    else if constexpr (std::is_same_v<T, Key>)
      value = {{~0u, ~0u}};
    else if constexpr (isComplexElement<T>)
      value = T(std::numeric_limits<typename T::value_type>::quiet_NaN(), 0);
    else if constexpr (std::is_floating_point_v<Wide<T>>)
      value = narrow<T>(std::numeric_limits<Wide<T>>::quiet_NaN());
    else if constexpr (std::is_signed_v<T>)
      value = std::numeric_limits<T>::min();
    else
      value = std::numeric_limits<T>::max();
  });
  return fill;
}

LogicalResult GatherOp::eval(EvalContext &ctx) {
  HostArray &out = ctx.alloc();
  const HostArray &operand = ctx.x(0), &indices = ctx.x(1);
  Type element = out.getElementType();
  int64_t width = elementBytes(element);
  SmallVector<int64_t> outStrides = rowMajorStrides(out.getShape());
  SmallVector<int64_t> windowDims =
      otherDims(operand.getRank(), getCollapsedSliceDims(), getOperandBatchingDims());
  SmallVector<int64_t> window = pick(getSliceSizes(), windowDims);
  SmallVector<int64_t> from = pick(rowMajorStrides(operand.getShape()), windowDims);
  SmallVector<int64_t> to = pick(outStrides, getOffsetDims());
  SmallVector<int64_t> rowStrides = pick(outStrides, otherDims(out.getRank(), getOffsetDims()));
  if (llvm::is_contained(window, 0)) return success();
  HostArray fill;
  if (getMode() == "fill")
    fill =
        getFillValue() ? HostArray::scalar(element, getFillValue()->convertToDouble()) : defaultFill(element);
  WindowStarts starts(indices, operand.getShape(), SmallVector<int64_t>(getSliceSizes()), getStartIndexMap(),
                      getOperandBatchingDims(), getStartIndicesBatchingDims(), getMode() != "fill");
  SmallVector<int64_t> noStrides(window.size(), 0);
  forEachIndex(indices.getShape().drop_back(), [&](Dims position) {
    StridedView<void *> target{out.mutableData(), dotOffsets(position, rowStrides), to};
    if (std::optional<int64_t> offset = starts.offsetAt(position))
      copyStrided(window, {operand.data(), *offset, from}, target, width);
    else
      copyStrided(window, {fill.data(), 0, noStrides}, target, width);
  });
  return success();
}

// --- scatter

template <class W> static W (*combinerOf(StringRef name))(W, W) {
  if (name == "set") return [](W, W update) { return update; };
  if constexpr (!std::is_same_v<W, bool> && !std::is_same_v<W, Key>) {
    if (name == "add") return [](W x, W update) { return addWrapped(x, update); };
    if (name == "sub") return [](W x, W update) { return addWrapped(x, mulWrapped(W(-1), update)); };
    if (name == "mul") return [](W x, W update) { return mulWrapped(x, update); };
  }
  if constexpr (std::is_arithmetic_v<W>) {
    if (name == "min") return [](W x, W update) { return minOf(x, update); };
    if (name == "max") return [](W x, W update) { return maxOf(x, update); };
  }
  return nullptr;
}

LogicalResult ScatterOp::eval(EvalContext &ctx) {
  HostArray out = ctx.x(0);
  const HostArray &indices = ctx.x(1), &updates = ctx.x(2);
  out.unique();
  SmallVector<int64_t> windowDims =
      otherDims(out.getRank(), getInsertedWindowDims(), getOperandBatchingDims());
  SmallVector<int64_t> updateStrides = rowMajorStrides(updates.getShape());
  SmallVector<int64_t> rowStrides = pick(updateStrides, otherDims(updates.getRank(), getUpdateWindowDims()));
  SmallVector<int64_t> window = pick(updates.getShape(), getUpdateWindowDims());
  SmallVector<int64_t> from = pick(updateStrides, getUpdateWindowDims());
  SmallVector<int64_t> to = pick(rowMajorStrides(out.getShape()), windowDims), sizes(out.getRank(), 1);
  for (auto [dim, size] : llvm::zip_equal(windowDims, window)) sizes[dim] = size;
  WindowStarts starts(indices, out.getShape(), sizes, getScatterDimsToOperandDims(), getOperandBatchingDims(),
                      getScatterIndicesBatchingDims(), getMode() == "clip");
  LogicalResult status = dispatchElement(out.getElementType(), [&]<class T>() -> LogicalResult {
    auto combine = combinerOf<Wide<T>>(getCombiner());
    if (!combine) return ctx.fail("no scatter with this combiner for this dtype");
    const T *source = updates.as<T>();
    T *target = out.as<T>();
    forEachIndex(indices.getShape().drop_back(), [&](Dims position) {
      std::optional<int64_t> offset = starts.offsetAt(position);
      if (!offset) return;
      int64_t row = dotOffsets(position, rowStrides);
      forEachIndex(window, [&](Dims index) {
        T &cell = target[*offset + dotOffsets(index, to)];
        cell = narrow<T>(combine(widen<T>(cell), widen<T>(source[row + dotOffsets(index, from)])));
      });
    });
    return success();
  });
  ctx.results[0] = std::move(out);
  return status;
}

} // namespace jx
