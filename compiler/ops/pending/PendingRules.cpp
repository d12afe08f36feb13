// Rules of region ops and effects that are still being written: until then each says so.
#include "compiler/dialect/JxDialect.h"
#include "compiler/dialect/RegionRules.h"

using namespace mlir;

namespace jx {
#define JX_PENDING(OpT, rule, Context)                                                                       \
  LogicalResult OpT::rule(Context &) { return emitOpError("has no " #rule " rule yet"); }
#define JX_REGION(OpT)                                                                                       \
  JX_PENDING(OpT, jvp, JvpContext)                                                                           \
  JX_PENDING(OpT, transpose, TransposeContext)                                                               \
  JX_PENDING(OpT, batch, BatchContext)                                                                       \
  JX_PENDING(OpT, split, SplitContext)
JX_REGION(ForOp)
JX_REGION(WhileOp)
JX_REGION(CondOp)
JX_REGION(CallOp)
JX_REGION(CustomJvpOp)
JX_REGION(CustomVjpOp)
JX_REGION(CustomLinearOp)
JX_REGION(CheckpointOp)
#define JX_EFFECT(OpT) JX_PENDING(OpT, batch, BatchContext)
JX_EFFECT(PrintOp)
JX_EFFECT(CheckOp)
JX_EFFECT(LoadOp)
JX_EFFECT(SaveOp)
JX_EFFECT(ClockOp)
JX_EFFECT(BarrierOp)
JX_EFFECT(OptionOp)
JX_EFFECT(HostIntOp)
JX_EFFECT(HostFloatOp)
} // namespace jx
