// The derivative of scatter with combiner mul, whose updates may meet in one place.
#pragma once

#include "compiler/ops/support/RuleSupport.h"

namespace jx {

/// The tangent of scatter-multiply with respect to operand and updates, right to every order also where
/// factors are zero: JAX has it for unique indices only.
Tangent scatterMultiplyTangent(JvpContext &ctx, ScatterOp op);

} // namespace jx
