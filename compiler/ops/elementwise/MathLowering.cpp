// Kernel code of functions of floats.
#include "compiler/numerics/Special.h"
#include "compiler/ops/elementwise/ElementwiseEmission.h"

using namespace mlir;

namespace jx {

bool emitMath(Operation *operation, Type element, ValueRange scalars, SmallVectorImpl<Value> &results) {
  return llvm::TypeSwitch<Operation *, bool>(operation)
#define JX_MATH(OpT, formula)                                                                                \
  .Case<OpT>([&]([[maybe_unused]] OpT op) {                                                                  \
    return emitElements<floats, 1>(element, scalars, results, [&](auto x) { return formula; });              \
  })
#include "compiler/ops/elementwise/Formulas.def"
      .Default([](Operation *) { return false; });
}

} // namespace jx
