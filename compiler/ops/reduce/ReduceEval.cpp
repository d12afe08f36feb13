// Evaluation of the reduction family. Sums and products take the specified order
// (compiler/numerics/ReductionOrder.h).
#include "compiler/numerics/ReductionOrder.h"
#include "compiler/ops/support/HostElements.h"
#include "compiler/ops/support/RuleSupport.h"
#include "compiler/ops/support/StridedCopy.h"

using namespace mlir;

namespace jx {

// --- reduce

/// One kind of reduction over elements of accumulation type W.
template <class W> struct Reduction {
  W identity;
  W (*combine)(W, W);
};

template <class W> static W lowest() {
  if constexpr (std::is_floating_point_v<W>)
    return -std::numeric_limits<W>::infinity();
  else
    return std::numeric_limits<W>::lowest();
}
template <class W> static W highest() {
  if constexpr (std::is_floating_point_v<W>)
    return std::numeric_limits<W>::infinity();
  else
    return std::numeric_limits<W>::max();
}

/// Kinds that inference refuses for W give no combiner.
template <class W> static Reduction<W> reductionOf(StringRef kind) {
  if constexpr (!std::is_same_v<W, bool>) {
    if (kind == "sum") return {W(0), [](W x, W y) { return addWrapped(x, y); }};
    if (kind == "prod") return {W(1), [](W x, W y) { return mulWrapped(x, y); }};
  }
  if constexpr (std::is_arithmetic_v<W>) {
    if (kind == "max") return {lowest<W>(), [](W x, W y) { return maxOf(x, y); }};
    if (kind == "min") return {highest<W>(), [](W x, W y) { return minOf(x, y); }};
  }
  if constexpr (std::is_integral_v<W>) {
    W ones = W(-1); // every bit, and true of bool
    if (kind == "and") return {ones, [](W x, W y) { return W(x & y); }};
    if (kind == "or") return {W(0), [](W x, W y) { return W(x | y); }};
    if (kind == "xor") return {W(0), [](W x, W y) { return W(x ^ y); }};
  }
  return {W(), nullptr};
}

/// Runs one step on values in the accumulation type.
template <class W>
static std::vector<W> runStep(const order::ReductionStep &step, ArrayRef<W> values,
                              const Reduction<W> &reduction) {
  std::vector<W> out(step.outer * step.inner);
  for (int64_t o = 0; o < step.outer; ++o)
    for (int64_t i = 0; i < step.inner; ++i) {
      auto load = [&](int64_t k) { return values[(o * step.n + k) * step.inner + i]; };
      out[o * step.inner + i] =
          step.isContiguous() ? order::foldContiguous(step.n, reduction.identity, load, reduction.combine)
                              : order::foldColumn(step.n, reduction.identity, load, reduction.combine);
    }
  return out;
}

LogicalResult ReduceOp::eval(EvalContext &ctx) {
  HostArray &out = ctx.alloc();
  SmallVector<order::ReductionStep> steps = order::reductionSteps(ctx.x().getShape(), getAxes());
  return dispatchElement(out.getElementType(), [&]<class T>() -> LogicalResult {
    if constexpr (std::is_same_v<T, Key>) {
      return ctx.fail("keys cannot be reduced");
    } else {
      using W = Wide<T>;
      Reduction<W> reduction = reductionOf<W>(getKind());
      if (!reduction.combine) return ctx.fail("no reduction of this kind for this dtype");
      // A plain array rather than std::vector<bool>, whose elements have no address.
      auto values = std::make_unique<W[]>(std::max<int64_t>(1, ctx.x().size()));
      for (int64_t i = 0, n = ctx.x().size(); i < n; ++i) values[i] = widen<T>(ctx.x().as<T>()[i]);
      int64_t count = ctx.x().size();
      for (const order::ReductionStep &step : steps) {
        std::vector<W> reduced = runStep<W>(step, ArrayRef<W>(values.get(), count), reduction);
        count = reduced.size();
        if (count > ctx.x().size()) values = std::make_unique<W[]>(count); // an empty axis went: identities
        for (int64_t i = 0; i < count; ++i) values[i] = reduced[i];
      }
      for (int64_t i = 0, n = out.size(); i < n; ++i) out.as<T>()[i] = narrow<T>(values[i]);
      return success();
    }
  });
}

// --- arg_reduce

LogicalResult ArgReduceOp::eval(EvalContext &ctx) {
  HostArray &out = ctx.alloc();
  ArrayRef<int64_t> shape = ctx.x().getShape();
  int64_t n = shape[getAxis()], inner = rowMajorStrides(shape)[getAxis()];
  int64_t outer = ctx.x().size() / std::max<int64_t>(1, n * inner),
          width = elementBytes(out.getElementType());
  bool isMax = getKind() == "max";
  return dispatchElement(ctx.x().getElementType(), [&]<class T>() -> LogicalResult {
    if constexpr (!std::is_arithmetic_v<Wide<T>>) {
      return ctx.fail("elements of this dtype have no order");
    } else {
      for (int64_t o = 0; o < outer; ++o)
        for (int64_t i = 0; i < inner; ++i) {
          auto at = [&](int64_t k) { return widen<T>(ctx.x().as<T>()[(o * n + k) * inner + i]); };
          int64_t best = 0;
          for (int64_t k = 1; k < n; ++k) {
            if (at(best) != at(best)) break; // the first nan wins
            bool better = isMax ? at(k) > at(best) : at(k) < at(best);
            if (better || at(k) != at(k)) best = k;
          }
          std::memcpy(out.as<char>() + (o * inner + i) * width, &best, width); // little-endian
        }
      return success();
    }
  });
}

// --- cumulative

/// log(exp(x) + exp(y)) in the steps of `jnp.logaddexp`, each rounded to T.
template <class T> static Wide<T> logAddExp(Wide<T> x, Wide<T> y) {
  auto rounded = [](Wide<T> value) { return widen<T>(narrow<T>(value)); };
  Wide<T> difference = rounded(x - y);
  if (std::isnan(difference)) return x + y; // of equal infinities too
  Wide<T> ratio = rounded(std::exp(-std::abs(difference)));
  return std::max(x, y) + rounded(std::log1p(ratio));
}

/// The kinds of a cumulative reduction: those of a reduction, and logsumexp.
template <class T> static Reduction<Wide<T>> cumulativeOf(StringRef kind) {
  using W = Wide<T>;
  if constexpr (std::is_floating_point_v<W>)
    if (kind == "logsumexp") return {lowest<W>(), logAddExp<T>};
  return reductionOf<W>(kind);
}

/// Tile by tile along the axis (`order::scanInTiles`), each step rounded to the dtype.
LogicalResult CumulativeOp::eval(EvalContext &ctx) {
  HostArray &out = ctx.alloc();
  ArrayRef<int64_t> shape = ctx.x().getShape();
  int64_t n = shape[getAxis()], inner = rowMajorStrides(shape)[getAxis()];
  int64_t outer = ctx.x().size() / std::max<int64_t>(1, n * inner);
  return dispatchElement(out.getElementType(), [&]<class T>() -> LogicalResult {
    if constexpr (std::is_same_v<T, Key>) {
      return ctx.fail("keys cannot be accumulated");
    } else {
      using W = Wide<T>;
      Reduction<W> kind = cumulativeOf<T>(getKind());
      if (!kind.combine) return ctx.fail("no cumulative reduction of this kind for this dtype");
      auto combine = [&](W x, W y) { return widen<T>(narrow<T>(kind.combine(x, y))); };
      SmallVector<W> row(n);
      for (int64_t o = 0; o < outer; ++o)
        for (int64_t i = 0; i < inner; ++i) {
          auto at = [&](int64_t k) { return (o * n + k) * inner + i; };
          for (int64_t k = 0; k < n; ++k) row[k] = widen<T>(ctx.x().as<T>()[at(k)]);
          order::scanInTiles<W>(row, kind.identity, getReverse(), combine);
          for (int64_t k = 0; k < n; ++k) out.as<T>()[at(k)] = narrow<T>(row[k]);
        }
      return success();
    }
  });
}

} // namespace jx
