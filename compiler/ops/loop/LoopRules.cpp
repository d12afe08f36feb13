#include "compiler/ops/loop/LoopRules.h"
#include "compiler/ops/loop/Residuals.h"

using namespace mlir;

namespace jx {

// --- Forward mode

JvpYields::JvpYields(JvpContext &ctx, Block &original, ValueRange carries, RuleBuilder &body,
                     LoopYields &parts)
    : numCarries(carries.size()) {
  ValueRange yields = original.getTerminator()->getOperands();
  ValueRange stacked = yields.drop_front(numCarries);
  numStacked = stacked.size();
  for (Value value : yields.take_front(numCarries)) parts.carryYields.push_back(ctx.primalMap.lookup(value));
  for (auto [i, carry] : llvm::enumerate(carries)) {
    if (!ctx.walk->isActive(carry)) continue;
    activeCarries.push_back(i);
    Value tangent = ctx.tangentMap.lookup(yields[i]);
    parts.carryYields.push_back(materialiseLike(body, tangent, parts.carryYields[i]));
  }
  for (Value value : stacked) parts.stackedYields.push_back(ctx.primalMap.lookup(value));
  for (auto [i, value] : llvm::enumerate(stacked)) {
    Value tangent = ctx.tangentMap.lookup(value);
    if (!tangent) continue;
    activeStacked.push_back(i);
    parts.stackedYields.push_back(tangent);
  }
}

void JvpYields::setResults(JvpContext &ctx, ValueRange results) const {
  unsigned numResults = ctx.op->getNumResults(), next = 0;
  for (unsigned i = 0; i < numCarries; ++i) ctx.setPrimal(i, results[next++]);
  for (unsigned i : activeCarries) ctx.setTangent(i, Tangent(results[next++]));
  for (unsigned i = numCarries; i < numResults; ++i) ctx.setPrimal(i, results[next++]);
  for (unsigned i : activeStacked) ctx.setTangent(numResults - numStacked + i, Tangent(results[next++]));
}

// --- Splitting

LoopSplit::LoopSplit(SplitContext &ctx, Block &original, ValueRange carries, LoopYields &known,
                     ForParts &linear)
    : ctx(ctx), known(known), linear(linear), numCarries(carries.size()) {
  ValueRange yields = original.getTerminator()->getOperands();
  numStacked = yields.size() - numCarries;
  auto side = [&](Value value) -> LoopYields & { return ctx.depends(value) ? linear : known; };
  for (auto [carry, value] : llvm::zip(carries, yields))
    side(carry).carryYields.push_back(ctx.knownMap.lookup(value));
  for (Value value : yields.drop_front(numCarries))
    side(value).stackedYields.push_back(ctx.knownMap.lookup(value));
  // The linear yields are to be seen as uses while residuals are collected.
  marker = linear.yield(linear.block, ctx.op->getLoc());
}

LogicalResult LoopSplit::saveResiduals(Block *body, ValueRange inits, Value index,
                                       llvm::function_ref<Value(Value)> inputOf) {
  recomputeLoopResiduals(linear.body, body, index);
  for (Value residual : usedValuesOf(linear.body, body)) {
    auto replace = [&](Value value) { replaceUsesInside(residual, value, linear.body); };
    if (index && residual == index) {
      replace(linear.index());
      continue;
    }
    auto argument = dyn_cast<BlockArgument>(residual);
    unsigned carry = argument ? argument.getArgNumber() - (index ? 1 : 0) : inits.size();
    if (carry < inits.size() && known.carryYields[carry] == residual) {
      replace(inits[carry]);
      continue;
    }
    Value input = inputOf(residual);
    if (!input) {
      if (isa<StackType>(residual.getType()))
        return ctx.op->emitOpError("a run-time list made in a loop cannot be saved for reverse mode");
      auto existing = llvm::find(known.stackedYields, residual);
      scanned.emplace_back(linear.xs.size(), existing - known.stackedYields.begin());
      if (existing == known.stackedYields.end()) known.stackedYields.push_back(residual);
    }
    replace(linear.addInput(input, residual.getType(), residual.getLoc()));
  }
  return success();
}

void LoopSplit::finish(Operation *knownLoop, Value trip, IntegerAttr trips, bool reverse) {
  unsigned numLinear = linear.carryYields.size();
  linear.carryYields.assign(marker->operand_begin(), marker->operand_begin() + numLinear);
  linear.stackedYields.assign(marker->operand_begin() + numLinear, marker->operand_end());
  marker->erase();
  ValueRange loop = knownLoop->getResults(), stacks = loop.take_back(known.stackedYields.size());
  for (auto [input, stack] : scanned) linear.xs[input] = stacks[stack];
  ValueRange linearLoop = linear.create(ctx.linear, trip, trips, reverse).getResults();
  ValueRange results = ctx.op->getResults();
  mapSplitResults(ctx, results.take_front(numCarries), loop, linearLoop);
  mapSplitResults(ctx, results.take_back(numStacked), stacks, linearLoop.drop_front(numLinear));
}

// --- Batching

SmallVector<bool> stackBatched(BatchWalk &walk, ValueRange yields, LoopYields &parts) {
  SmallVector<bool> bits;
  for (Value yielded : yields) {
    auto [value, batched] = walk.lookup(yielded);
    parts.stackedYields.push_back(value);
    bits.push_back(batched);
  }
  return bits;
}

} // namespace jx
