// Evaluation of conversions. Each goes through the widest number of its source's kind, which holds every
// value exactly, so that rounding happens once.
#include "compiler/dialect/RuleBuilder.h"
#include "compiler/numerics/ElementTypes.h"

using namespace mlir;

namespace jx {

/// double for floats, 64-bit integers for integers, bool for bool.
template <class T>
using WidestOf =
    std::conditional_t<std::is_floating_point_v<ComputeOf<T>>, double,
                       std::conditional_t<std::is_same_v<T, bool>, bool,
                                          std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>>;

template <class T, class W> static T narrow(W wide) {
  return storeElement<T>(num::convert<ComputeOf<T>>(wide));
}

/// From complex numbers the real part is taken; into them the imaginary part is 0.
LogicalResult ConvertOp::eval(EvalContext &ctx) {
  HostArray &result = ctx.alloc();
  int64_t n = result.size();
  Type from = ctx.x().getElementType(), to = result.getElementType();
  if (from == to) {
    ctx.results[0] = ctx.x();
    return success();
  }
  bool known = dispatchElement<numbers | bools>(from, [&](auto source) {
    using S = decltype(source);
    auto convertAll = [&](auto read, auto wideTag) {
      using W = decltype(wideTag);
      dispatchElement<numbers | bools>(to, [&](auto target) {
        using T = decltype(target);
        T *out = result.as<T>();
        for (int64_t i = 0; i < n; ++i) {
          W wide = read(ctx.x().template as<S>()[i]);
          if constexpr (num::isComplex<T>)
            out[i] = {num::convert<decltype(target.re)>(wide), 0};
          else
            out[i] = narrow<T>(wide);
        }
      });
    };
    if constexpr (num::isComplex<S>) {
      if (isa<ComplexType>(to)) {
        dispatchElement<complexes>(to, [&](auto target) {
          using R = decltype(target.re);
          for (int64_t i = 0; i < n; ++i) {
            const S &z = ctx.x().template as<S>()[i];
            result.as<decltype(target)>()[i] = {R(z.re), R(z.im)};
          }
        });
      } else if (to.isInteger(1)) {
        for (int64_t i = 0; i < n; ++i) {
          const S &z = ctx.x().template as<S>()[i];
          result.as<bool>()[i] = z.re != 0 || z.im != 0;
        }
      } else {
        convertAll([](const S &z) { return double(z.re); }, double{});
      }
    } else {
      convertAll([](const S &x) { return WidestOf<S>(loadElement(x)); }, WidestOf<S>{});
    }
  });
  return known ? success() : ctx.fail("`convert` cannot be evaluated on these dtypes");
}

LogicalResult BitcastOp::eval(EvalContext &ctx) {
  ctx.results[0] = ctx.x().withType(ctx.resultType());
  return success();
}

} // namespace jx
