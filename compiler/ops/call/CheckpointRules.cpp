// Transforms of jx.checkpoint: the known part keeps only what the policy saves; the linear part computes the
// other residuals again, in a call that stays a call, so that CSE cannot find the first computation's values.
#include "compiler/ops/call/CallRules.h"

using namespace mlir;

namespace jx {

static CheckpointOp makeCheckpoint(RuleBuilder &b, func::FuncOp callee, ValueRange arguments,
                                   StringRef policy, bool recompute) {
  return b.make<CheckpointOp>(TypeRange(callee.getFunctionType().getResults()), callee.getName(), arguments,
                              policy, recompute, /*pure=*/!hasEffects(callee.getBody()));
}

LogicalResult CheckpointOp::jvp(JvpContext &ctx) {
  SmallVector<bool> active;
  for (Tangent tangent : ctx.tangents) active.push_back(!tangent.isZero());
  auto callee = ctx.walk->callee(getCallee(), active);
  if (failed(callee)) return failure();
  SmallVector<Value> arguments(ctx.primals);
  for (Tangent tangent : ctx.tangents)
    if (tangent) arguments.push_back(tangent.get());
  auto call = makeCheckpoint(ctx.b, callee->first, arguments, getPolicy(), getRecompute());
  setPrimalsAndTangents(ctx, call.getResults(), callee->second);
  return success();
}

LogicalResult CheckpointOp::split(SplitContext &ctx) {
  if (getPolicy() == "everything") return splitCall(*this, getCallee(), ctx);
  SmallVector<bool> unknown;
  SmallVector<Value> knownArguments, unknownArguments;
  for (Value operand : getOperands()) {
    unknown.push_back(ctx.depends(operand));
    (unknown.back() ? unknownArguments : knownArguments).push_back(ctx.knownMap.lookup(operand));
  }
  auto parts = ctx.walk.callee(getCallee(), unknown, /*reuseResults=*/false);
  if (failed(parts)) return failure();
  unsigned numKnown = llvm::count(parts->unknownResults, false);
  auto recompute = ctx.walk.recompute(*parts, numKnown, getPolicy());
  if (failed(recompute)) return failure();
  CallOp known = makeCall(ctx.known, recompute->saving, knownArguments);
  SmallVector<Value> arguments(knownArguments);
  llvm::append_range(arguments, known.getResults().drop_front(numKnown));
  SmallVector<Value> stored;
  if (llvm::is_contained(parts->residuals, -1)) {
    auto again = makeCheckpoint(ctx.linear, recompute->recompute, arguments, getPolicy(), /*recompute=*/true);
    stored.assign(again.result_begin(), again.result_end());
  }
  finishSplitCall(ctx, *parts, knownArguments, known.getResults().take_front(numKnown), stored,
                  unknownArguments);
  return success();
}

LogicalResult CheckpointOp::transpose(TransposeContext &ctx) {
  return transposeCall(*this, getCallee(), ctx);
}

LogicalResult CheckpointOp::batch(BatchContext &ctx) {
  SmallVector<Value> arguments;
  auto callee = batchCallee(getCallee(), getPure(), ctx, arguments);
  if (failed(callee)) return failure();
  auto call = makeCheckpoint(ctx.b, callee->function, arguments, getPolicy(), getRecompute());
  for (auto [i, result] : llvm::enumerate(call.getResults())) ctx.set(i, result, callee->batchedResults[i]);
  return success();
}

} // namespace jx
