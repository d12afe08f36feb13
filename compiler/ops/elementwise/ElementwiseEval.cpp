// Evaluation of arithmetic, comparison, selection and bit operations on host arrays.
#include "compiler/numerics/Trigonometric.h"
#include "compiler/ops/elementwise/HostLoop.h"

using namespace mlir;

namespace jx {

#define JX_UNARY(OpT, domain, formula)                                                                       \
  LogicalResult OpT::eval(EvalContext &ctx) {                                                                \
    [[maybe_unused]] OpT op = *this;                                                                         \
    return evalElements<domain, 1>(ctx, [&](auto x) { return formula; });                                    \
  }
#define JX_BINARY(OpT, domain, formula)                                                                      \
  LogicalResult OpT::eval(EvalContext &ctx) {                                                                \
    [[maybe_unused]] OpT op = *this;                                                                         \
    return evalElements<domain, 2>(ctx, [&](auto x, auto y) { return formula; });                            \
  }
#include "compiler/ops/elementwise/Formulas.def"

LogicalResult StopGradientOp::eval(EvalContext &ctx) {
  ctx.results[0] = ctx.x();
  return success();
}

// Complex numbers and keys have equality only.
template <class X> static bool areEqual(X x, X y) {
  if constexpr (num::isComplex<X>)
    return num::equal(x, y);
  else
    return x == y;
}

LogicalResult CompareOp::eval(EvalContext &ctx) {
  StringRef kind = getKind();
  if (kind == "eq") return evalElements<anything, 2>(ctx, [](auto x, auto y) { return areEqual(x, y); });
  if (kind == "ne") return evalElements<anything, 2>(ctx, [](auto x, auto y) { return !areEqual(x, y); });
  constexpr unsigned ordered = reals | bools;
  if (kind == "lt") return evalElements<ordered, 2>(ctx, [](auto x, auto y) { return x < y; });
  if (kind == "le") return evalElements<ordered, 2>(ctx, [](auto x, auto y) { return x <= y; });
  if (kind == "gt") return evalElements<ordered, 2>(ctx, [](auto x, auto y) { return x > y; });
  if (kind == "ge") return evalElements<ordered, 2>(ctx, [](auto x, auto y) { return x >= y; });
  return ctx.fail("unknown comparison `" + kind + "`");
}

LogicalResult ClampOp::eval(EvalContext &ctx) {
  return evalElements<reals | bools, 3>(ctx,
                                        [](auto low, auto x, auto high) { return num::clamp(low, x, high); });
}

/// Copies bytes: selection changes no number, of whatever type.
LogicalResult SelectOp::eval(EvalContext &ctx) {
  const bool *pred = ctx.x(0).as<bool>();
  int64_t stride = ctx.x(0).getRank() == 0 ? 0 : 1;
  if (stride == 0) {
    ctx.results[0] = ctx.x(*pred ? 1 : 2);
    return success();
  }
  HostArray &result = ctx.alloc();
  int64_t width = elementBytes(result.getElementType());
  const char *cases[] = {ctx.x(2).as<char>(), ctx.x(1).as<char>()};
  for (int64_t i = 0, n = result.size(); i < n; ++i)
    std::memcpy(result.as<char>() + i * width, cases[pred[i]] + i * width, width);
  return success();
}

} // namespace jx
