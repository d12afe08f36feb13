// Evaluation of functions of floats on host arrays.
#include "compiler/numerics/Special.h"
#include "compiler/ops/elementwise/HostLoop.h"

using namespace mlir;

namespace jx {

#define JX_MATH(OpT, formula)                                                                                \
  LogicalResult OpT::eval(EvalContext &ctx) {                                                                \
    [[maybe_unused]] OpT op = *this;                                                                         \
    return evalElements<floats, 1>(ctx, [&](auto x) { return formula; });                                    \
  }
#include "compiler/ops/elementwise/Formulas.def"

} // namespace jx
