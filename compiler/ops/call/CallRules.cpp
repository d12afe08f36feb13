// Transforms of calls: the callee is transformed, once for each combination of bits, and the result is
// called.
#include "compiler/ops/call/CallRules.h"

using namespace mlir;

namespace jx {

CallOp makeCall(RuleBuilder &b, func::FuncOp callee, ValueRange arguments) {
  return b.make<CallOp>(TypeRange(callee.getFunctionType().getResults()), callee.getName(), arguments,
                        /*pure=*/!hasEffects(callee.getBody()));
}

static ResultRange callPlainly(RuleBuilder &b, func::FuncOp callee, ValueRange arguments) {
  return makeCall(b, callee, arguments).getResults();
}

LogicalResult jvpCall(StringRef symbol, JvpContext &ctx, CallMaker call) {
  SmallVector<bool> active;
  for (Tangent tangent : ctx.tangents) active.push_back(!tangent.isZero());
  auto callee = ctx.walk->callee(symbol, active);
  if (failed(callee)) return failure();
  SmallVector<Value> arguments(ctx.primals);
  for (Tangent tangent : ctx.tangents)
    if (tangent) arguments.push_back(tangent.get());
  setPrimalsAndTangents(ctx, call(ctx.b, callee->first, arguments), callee->second);
  return success();
}

LogicalResult CallOp::jvp(JvpContext &ctx) { return jvpCall(getCallee(), ctx, callPlainly); }

void setPrimalsAndTangents(JvpContext &ctx, ValueRange results, ArrayRef<bool> active) {
  unsigned numResults = ctx.op->getNumResults(), next = numResults;
  for (unsigned i = 0; i < numResults; ++i) ctx.setPrimal(i, results[i]);
  for (unsigned i = 0; i < numResults; ++i)
    if (active[i]) ctx.setTangent(i, Tangent(results[next++]));
}

SplitOperands::SplitOperands(Operation *op, SplitContext &ctx) {
  for (Value operand : op->getOperands()) {
    unknown.push_back(ctx.depends(operand));
    (unknown.back() ? unknownArguments : knownArguments).push_back(ctx.knownMap.lookup(operand));
  }
}

LogicalResult splitCall(Operation *op, StringRef symbol, SplitContext &ctx) {
  SplitOperands operands(op, ctx);
  auto parts = ctx.walk.callee(symbol, operands.unknown);
  if (failed(parts)) return failure();
  CallOp known = makeCall(ctx.known, parts->known, operands.knownArguments);
  finishSplitCall(ctx, *parts, operands.knownArguments, known.getResults(), {}, operands.unknownArguments);
  return success();
}

void finishSplitCall(SplitContext &ctx, SplitCallee &parts, ValueRange knownArguments,
                     ValueRange knownResults, ValueRange stored, ValueRange unknownArguments) {
  unsigned numKnown = llvm::count(parts.unknownResults, false), nextStored = 0;
  if (stored.empty()) stored = knownResults.drop_front(numKnown);
  SmallVector<Value> arguments;
  for (int64_t source : parts.residuals) {
    if (source < 0)
      arguments.push_back(stored[nextStored++]);
    else
      arguments.push_back(source < int64_t(knownArguments.size())
                              ? knownArguments[source]
                              : knownResults[source - knownArguments.size()]);
  }
  llvm::append_range(arguments, unknownArguments);
  CallOp linear = makeCall(ctx.linear, parts.linear, arguments);
  unsigned nextKnown = 0, nextUnknown = 0;
  for (auto [result, isUnknown] : llvm::zip_equal(ctx.op->getResults(), parts.unknownResults))
    ctx.knownMap.map(result, isUnknown ? linear.getResult(nextUnknown++) : knownResults[nextKnown++]);
}

LogicalResult CallOp::split(SplitContext &ctx) { return splitCall(*this, getCallee(), ctx); }

/// The totals so far of array operands go into the transposed callee and come back larger, so that a callee
/// that reads a slice adds to it in place.
LogicalResult transposeCall(Operation *op, StringRef symbol, TransposeContext &ctx) {
  TransposeWalk &walk = *ctx.walk;
  SmallVector<bool> linear, reached, hasTotal;
  SmallVector<Value> arguments, totals;
  SmallVector<unsigned> linearOperands;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    linear.push_back(ctx.isLinear(i));
    if (!ctx.isLinear(i)) {
      arguments.push_back(ctx.x(i));
      continue;
    }
    linearOperands.push_back(i);
    Value operand = op->getOperand(i);
    // An operand that is passed twice has one total, which one of the two takes.
    bool first = llvm::find(op->getOperands(), operand).getIndex() == i;
    Tangent total = first ? walk.total(operand, ctx.b) : Tangent();
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    hasTotal.push_back(total && type && type.getRank() > 0);
    if (hasTotal.back()) totals.push_back(total.get());
  }
  for (Tangent cotangent : ctx.cotangents) {
    reached.push_back(!cotangent.isZero());
    if (cotangent) arguments.push_back(cotangent.get());
  }
  llvm::append_range(arguments, totals);
  auto callee = walk.callee(symbol, linear, reached, hasTotal);
  if (failed(callee)) return failure();
  CallOp call = makeCall(ctx.b, *callee, arguments);
  for (auto [position, i] : llvm::enumerate(linearOperands))
    if (hasTotal[position]) walk.setTotal(op->getOperand(i), Tangent(call.getResult(position)));
  for (auto [position, i] : llvm::enumerate(linearOperands))
    if (!hasTotal[position]) walk.add(op->getOperand(i), call.getResult(position), ctx.b);
  return success();
}

LogicalResult CallOp::transpose(TransposeContext &ctx) { return transposeCall(*this, getCallee(), ctx); }

LogicalResult batchCall(StringRef symbol, bool pure, BatchContext &ctx, CallMaker call) {
  bool masked = ctx.mask && !pure;
  SmallVector<Value> arguments;
  if (masked) arguments.push_back(ctx.mask);
  llvm::append_range(arguments, ctx.operands);
  auto callee = ctx.walk->callee(symbol, ctx.batched, masked, /*forceResults=*/false);
  if (failed(callee)) return failure();
  for (auto [i, result] : llvm::enumerate(call(ctx.b, callee->function, arguments)))
    ctx.set(i, result, callee->batchedResults[i]);
  return success();
}

LogicalResult CallOp::batch(BatchContext &ctx) { return batchCall(getCallee(), getPure(), ctx, callPlainly); }

} // namespace jx
