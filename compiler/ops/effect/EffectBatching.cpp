// Effects under vmap: lane by lane, in order of lanes, op by op; idle lanes of batched control flow have
// none.
#include "compiler/ops/cond/Impersonation.h"

using namespace mlir;

namespace jx {

static LogicalResult cloneUnbatched(Operation *op, BatchContext &ctx) {
  IRMapping map;
  map.map(op->getOperands(), ctx.operands);
  Operation *clone = ctx.b.clone(*op, map);
  for (auto [i, result] : llvm::enumerate(clone->getResults())) ctx.set(i, result, false);
  return success();
}

/// Ops without results, once a lane.
static LogicalResult runLaneByLane(Operation *op, BatchContext &ctx) {
  if (!ctx.anyBatched() && !ctx.mask) return cloneUnbatched(op, ctx);
  RuleBuilder &b = ctx.b;
  SmallVector<Value> inputs;
  SmallVector<Type> slices;
  if (ctx.mask) {
    inputs.push_back(ctx.mask);
    slices.push_back(RankedTensorType::get({}, b.getI1Type()));
  }
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (!ctx.isBatched(i)) continue;
    if (isa<StackType>(operand.getType()))
      return op->emitError("a run-time list cannot be printed lane by lane");
    inputs.push_back(ctx.x(i));
    slices.push_back(operand.getType());
  }
  auto loop = b.make<ForOp>(TypeRange{}, Value(), ValueRange{}, inputs, b.getI64IntegerAttr(ctx.size),
                            b.getBoolAttr(false));
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&loop.getBody());
  block->addArgument(RankedTensorType::get({}, b.getI64Type()), b.getLoc());
  for (Type type : slices) block->addArgument(type, b.getLoc());
  IRMapping map;
  unsigned next = 1;
  Value active = ctx.mask ? Value(block->getArgument(next++)) : Value();
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    map.map(operand, ctx.isBatched(i) ? Value(block->getArgument(next++)) : ctx.x(i));
  if (!active) {
    b.clone(*op, map);
  } else {
    auto branch = b.make<CondOp>(TypeRange{}, b.convert(active, b.getI32Type()), 2);
    for (unsigned number : {0u, 1u}) {
      OpBuilder::InsertionGuard inner(b);
      b.createBlock(&branch.getBranches()[number]);
      if (number == 1) b.clone(*op, map);
      b.make<YieldOp>();
    }
  }
  b.make<YieldOp>();
  return success();
}

LogicalResult PrintOp::batch(BatchContext &ctx) { return runLaneByLane(*this, ctx); }

/// Holds if it holds in every active lane; the message shows the first lane that fails.
LogicalResult CheckOp::batch(BatchContext &ctx) {
  if (!ctx.anyBatched() && !ctx.mask) return cloneUnbatched(*this, ctx);
  RuleBuilder &b = ctx.b;
  Value holds = ctx.materialise(0);
  if (ctx.mask) holds = b.logicalOr(holds, b.logicalNot(ctx.mask));
  SmallVector<Value> arguments;
  Value lane;
  for (unsigned i = 1; i < getNumOperands(); ++i) {
    if (!ctx.isBatched(i)) {
      arguments.push_back(ctx.x(i));
      continue;
    }
    if (isa<StackType>(ctx.x(i).getType()))
      return emitError("a run-time list cannot be shown in a check under vmap");
    if (!lane)
      lane = b.make<ArgReduceOp>(b.convert(b.logicalNot(holds), b.getI32Type()), "max", 0, b.getI64Type());
    SmallVector<Value> starts{lane};
    SmallVector<int64_t> sizes(shapeOf(ctx.x(i)));
    sizes[0] = 1;
    for (int64_t d = 1; d < rankOf(ctx.x(i)); ++d) starts.push_back(b.index(0));
    arguments.push_back(b.reshape(b.dynamicSlice(ctx.x(i), starts, sizes), shapeOf(ctx.x(i)).drop_front()));
  }
  b.make<CheckOp>(TypeRange{}, b.reduce("and", holds, {0}), arguments, getErrorAttr(), getFormatAttr());
  return success();
}

LogicalResult BarrierOp::batch(BatchContext &ctx) {
  auto made = ctx.b.make<BarrierOp>(ValueRange(ctx.operands));
  for (auto [i, result] : llvm::enumerate(made.getResults())) ctx.set(i, result, ctx.isBatched(i));
  return success();
}

/// Ops on values of the host: vmap does not reach them.
static LogicalResult hostOnly(Operation *op, BatchContext &ctx, StringRef what) {
  if (ctx.anyBatched()) return op->emitError() << what << " cannot be done lane by lane under vmap";
  return cloneUnbatched(op, ctx);
}
LogicalResult LoadOp::batch(BatchContext &ctx) { return hostOnly(*this, ctx, "loading a file"); }
LogicalResult SaveOp::batch(BatchContext &ctx) { return hostOnly(*this, ctx, "saving a file"); }
LogicalResult FileExistsOp::batch(BatchContext &ctx) { return hostOnly(*this, ctx, "looking for a file"); }
LogicalResult ClockOp::batch(BatchContext &ctx) { return hostOnly(*this, ctx, "reading the clock"); }
LogicalResult OptionOp::batch(BatchContext &ctx) { return hostOnly(*this, ctx, "reading an option"); }
LogicalResult HostIntOp::batch(BatchContext &ctx) { return hostOnly(*this, ctx, "Python arithmetic"); }
LogicalResult HostFloatOp::batch(BatchContext &ctx) { return hostOnly(*this, ctx, "Python arithmetic"); }

} // namespace jx
