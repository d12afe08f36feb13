// Transforms of jx.checkpoint: the known part keeps only what the policy saves; the linear part computes the
// other residuals again, in a call that stays a call, so that CSE cannot find the first computation's values.
#include "compiler/ops/call/CallRules.h"

using namespace mlir;

namespace jx {

static ResultRange makeCheckpoint(RuleBuilder &b, func::FuncOp callee, ValueRange arguments, StringRef policy,
                                  bool recompute) {
  auto op = b.make<CheckpointOp>(TypeRange(callee.getFunctionType().getResults()), callee.getName(),
                                 arguments, policy, recompute, /*pure=*/!hasEffects(callee.getBody()));
  return op.getResults();
}

/// Calls as checkpoints with the policy of `op`.
static auto likeCheckpoint(CheckpointOp op) {
  return [op](RuleBuilder &b, func::FuncOp callee, ValueRange arguments) mutable {
    return makeCheckpoint(b, callee, arguments, op.getPolicy(), op.getRecompute());
  };
}

LogicalResult CheckpointOp::jvp(JvpContext &ctx) { return jvpCall(getCallee(), ctx, likeCheckpoint(*this)); }

LogicalResult CheckpointOp::split(SplitContext &ctx) {
  if (getPolicy() == "everything") return splitCall(*this, getCallee(), ctx);
  SplitOperands operands(*this, ctx);
  auto parts = ctx.walk.callee(getCallee(), operands.unknown, /*reuseResults=*/false);
  if (failed(parts)) return failure();
  unsigned numKnown = llvm::count(parts->unknownResults, false);
  auto recompute = ctx.walk.recompute(*parts, numKnown, getPolicy());
  if (failed(recompute)) return failure();
  CallOp known = makeCall(ctx.known, recompute->saving, operands.knownArguments);
  SmallVector<Value> arguments(operands.knownArguments);
  llvm::append_range(arguments, known.getResults().drop_front(numKnown));
  SmallVector<Value> stored;
  if (llvm::is_contained(parts->residuals, -1)) {
    auto again = makeCheckpoint(ctx.linear, recompute->recompute, arguments, getPolicy(), /*recompute=*/true);
    stored.assign(again.begin(), again.end());
  }
  finishSplitCall(ctx, *parts, operands.knownArguments, known.getResults().take_front(numKnown), stored,
                  operands.unknownArguments);
  return success();
}

LogicalResult CheckpointOp::transpose(TransposeContext &ctx) {
  return transposeCall(*this, getCallee(), ctx);
}

LogicalResult CheckpointOp::batch(BatchContext &ctx) {
  return batchCall(getCallee(), getPure(), ctx, likeCheckpoint(*this));
}

} // namespace jx
