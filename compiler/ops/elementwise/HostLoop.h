// Loops over host arrays for elementwise evaluation: load, compute in the number of the element type, store.
#pragma once

#include "compiler/dialect/RuleBuilder.h"
#include "compiler/numerics/ElementTypes.h"

namespace jx {

inline mlir::LogicalResult unsupportedElement(EvalContext &ctx) {
  return ctx.fail("`" + ctx.op->getName().stripDialect() + "` cannot be evaluated on these dtypes yet");
}

/// One element after another: result[i] = f(operands[i]...), results of any type that f returns for elements
/// of type T.
template <class T, class F, size_t... k>
void mapHostArrays(EvalContext &ctx, F f, std::index_sequence<k...>) {
  using C = decltype(f((void(k), ComputeOf<T>{})...));
  // Predicates are bools; every other result has its operands' type.
  using R = std::conditional_t<std::is_same_v<C, bool>, bool, T>;
  HostArray &result = ctx.alloc();
  R *out = result.as<R>();
  const T *in[] = {ctx.operands[k].template as<T>()...};
  // A scalar beside arrays is repeated.
  int64_t stride[] = {(ctx.operands[k].getRank() == 0 ? 0 : 1)...};
  for (int64_t i = 0, n = result.size(); i < n; ++i)
    out[i] = storeElement<R>(C(f(loadElement(in[k][i * stride[k]])...)));
}

template <unsigned domain, size_t arity, class F> mlir::LogicalResult evalElements(EvalContext &ctx, F f) {
  bool known = dispatchElement<domain>(ctx.x(0).getElementType(), [&](auto tag) {
    mapHostArrays<decltype(tag)>(ctx, f, std::make_index_sequence<arity>());
  });
  return known ? mlir::success() : unsupportedElement(ctx);
}

} // namespace jx
