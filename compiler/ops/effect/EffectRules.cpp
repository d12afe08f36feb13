// Derivatives of effects: they stay in the primal part, and nothing flows through them but barrier's
// identity.
#include "compiler/dialect/JxDialect.h"
#include "compiler/dialect/RegionRules.h"

using namespace mlir;

namespace jx {

#define JX_PRIMAL_ONLY(OpT)                                                                                  \
  LogicalResult OpT::jvp(JvpContext &ctx) { return zeroJvp(*this, ctx); }                                    \
  LogicalResult OpT::transpose(TransposeContext &ctx) { return notLinear(*this, ctx); }
JX_PRIMAL_ONLY(PrintOp)
JX_PRIMAL_ONLY(CheckOp)
JX_PRIMAL_ONLY(LoadOp)
JX_PRIMAL_ONLY(SaveOp)
JX_PRIMAL_ONLY(FileExistsOp)
JX_PRIMAL_ONLY(ClockOp)
JX_PRIMAL_ONLY(OptionOp)
JX_PRIMAL_ONLY(HostIntOp)
JX_PRIMAL_ONLY(HostFloatOp)
#undef JX_PRIMAL_ONLY

LogicalResult BarrierOp::jvp(JvpContext &ctx) {
  for (unsigned i = 0; i < getNumResults(); ++i) ctx.setTangent(i, ctx.dx(i));
  return success();
}

LogicalResult BarrierOp::transpose(TransposeContext &ctx) {
  for (unsigned i = 0; i < getNumResults(); ++i)
    if (ctx.ct(i) && ctx.isLinear(i)) ctx.acc(i).add(ctx.ct(i).get());
  return success();
}

} // namespace jx
