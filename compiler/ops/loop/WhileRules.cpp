// Transforms of jx.while. Its linear part is a jx.for over as many trips as the loop took, scanning stacks of
// residuals, so that reverse mode meets no while.
#include "compiler/ops/cond/Impersonation.h"
#include "compiler/ops/loop/LoopRules.h"

using namespace mlir;

namespace jx {

LogicalResult WhileOp::jvp(JvpContext &ctx) {
  RuleBuilder &b = ctx.b;
  WhileParts parts;
  unsigned numCarries = getNumCarries();
  SmallVector<unsigned> active;
  for (unsigned i = 0; i < numCarries; ++i) {
    unsigned number = parts.addCarry(ctx.x(i), getBodyBlock()->getArgument(i).getLoc());
    ctx.primalMap.map(getBeforeBlock()->getArgument(i), parts.beforeBlock->getArgument(number));
    ctx.primalMap.map(getBodyBlock()->getArgument(i), parts.bodyBlock->getArgument(number));
    if (ctx.walk->isActive(getBodyBlock()->getArgument(i))) active.push_back(i);
  }
  for (unsigned i : active) {
    Value init = materialiseLike(b, ctx.dx(i), ctx.x(i));
    unsigned number = parts.addCarry(init, getBodyBlock()->getArgument(i).getLoc());
    ctx.tangentMap[getBeforeBlock()->getArgument(i)] = parts.beforeBlock->getArgument(number);
    ctx.tangentMap[getBodyBlock()->getArgument(i)] = parts.bodyBlock->getArgument(number);
  }
  RuleBuilder before = builderAtEnd(parts.beforeBlock, getLoc());
  if (failed(ctx.walk->walk(*getBeforeBlock(), before))) return failure();
  parts.predicate = ctx.primalMap.lookup(getBeforeBlock()->getTerminator()->getOperand(0));
  RuleBuilder body = builderAtEnd(parts.bodyBlock, getLoc());
  if (failed(ctx.walk->walk(*getBodyBlock(), body))) return failure();

  JvpYields yields(ctx, *getBodyBlock(), getBodyBlock()->getArguments(), body, parts);
  yields.setResults(ctx, parts.create(b).getResults());
  return success();
}

LogicalResult WhileOp::split(SplitContext &ctx) {
  IRMapping &values = ctx.knownMap;
  unsigned numCarries = getNumCarries();
  if (ctx.depends(getBeforeBlock()->getTerminator()->getOperand(0)))
    return emitOpError("has a condition that depends on tangents");
  WhileParts known;
  ForParts linear(ctx.linear);
  for (unsigned i = 0; i < numCarries; ++i) {
    Value init = values.lookup(getInits()[i]);
    BlockArgument argument = getBodyBlock()->getArgument(i);
    if (ctx.depends(argument)) {
      values.map(argument, linear.addCarry(init, argument.getLoc()));
      continue;
    }
    unsigned number = known.addCarry(init, argument.getLoc());
    values.map(argument, known.bodyBlock->getArgument(number));
    values.map(getBeforeBlock()->getArgument(i), known.beforeBlock->getArgument(number));
  }
  RuleBuilder before = builderAtEnd(known.beforeBlock, getLoc());
  for (Operation &op : getBeforeBlock()->without_terminator())
    if (llvm::none_of(op.getOperands(), ctx.depends)) before.clone(op, values);
  known.predicate = values.lookup(getBeforeBlock()->getTerminator()->getOperand(0));
  RuleBuilder knownBody = builderAtEnd(known.bodyBlock, getLoc());
  RuleBuilder linearBody = builderAtEnd(linear.block, getLoc());
  if (failed(ctx.walk.walk(*getBodyBlock(), knownBody, linearBody))) return failure();

  LoopSplit loops(ctx, *getBodyBlock(), getBodyBlock()->getArguments(), known, linear);
  auto noInputs = [](Value) { return Value(); };
  if (failed(loops.saveResiduals(known.bodyBlock, known.inits, /*index=*/{}, noInputs))) return failure();
  WhileOp knownLoop = known.create(ctx.known);
  values.map(getTripCount(), knownLoop.getTripCount());
  loops.finish(knownLoop, knownLoop.getTripCount(), IntegerAttr(), /*reverse=*/false);
  return success();
}

LogicalResult WhileOp::transpose(TransposeContext &ctx) { return notLinear(*this, ctx); }

// --- Batching

/// One trip count for all lanes: an ordinary loop with batched carries.
static LogicalResult batchTogether(WhileOp op, BatchContext &ctx) {
  RuleBuilder &b = ctx.b;
  BatchWalk &walk = *ctx.walk;
  WhileParts parts;
  SmallVector<bool> carryBatched;
  for (unsigned i = 0; i < op.getNumCarries(); ++i) {
    BlockArgument argument = op.getBodyBlock()->getArgument(i);
    bool batched = walk.isBatched(argument);
    carryBatched.push_back(batched);
    parts.addCarry(batched ? materialiseLanes(ctx, i) : ctx.x(i), argument.getLoc());
    walk.map(op.getBeforeBlock()->getArgument(i), parts.beforeBlock->getArgument(i), batched);
    walk.map(argument, parts.bodyBlock->getArgument(i), batched);
  }
  RuleBuilder before = builderAtEnd(parts.beforeBlock, op.getLoc());
  if (failed(walk.walk(*op.getBeforeBlock(), before, ctx.mask))) return failure();
  parts.predicate = walk.lookup(op.getBeforeBlock()->getTerminator()->getOperand(0)).first;
  RuleBuilder body = builderAtEnd(parts.bodyBlock, op.getLoc());
  if (failed(walk.walk(*op.getBodyBlock(), body, ctx.mask))) return failure();
  OperandRange yields = op.getBodyBlock()->getTerminator()->getOperands();
  for (auto [carryIsBatched, yielded] : llvm::zip(carryBatched, yields)) {
    auto [value, batched] = walk.lookup(yielded);
    parts.carryYields.push_back(carryIsBatched && !batched ? broadcastLanes(body, value, ctx.size) : value);
  }
  SmallVector<bool> stackedBatched = stackBatched(walk, yields.drop_front(carryBatched.size()), parts);
  WhileOp loop = parts.create(b);
  for (auto [i, batched] : llvm::enumerate(carryBatched)) ctx.set(i, loop.getResult(i), batched);
  ctx.set(op.getNumCarries(), loop.getTripCount(), false);
  for (auto [i, batched] : llvm::enumerate(stackedBatched))
    ctx.set(op.getNumCarries() + 1 + i, loop.getResult(op.getNumCarries() + 1 + i), batched);
  return success();
}

/// The condition on `carries`, lane by lane.
static FailureOr<Value> lanePredicate(WhileOp op, BatchContext &ctx, RuleBuilder &b, ValueRange carries,
                                      ArrayRef<bool> batched, Value mask) {
  for (unsigned i = 0; i < op.getNumCarries(); ++i)
    ctx.walk->map(op.getBeforeBlock()->getArgument(i), carries[i], batched[i]);
  if (failed(ctx.walk->walk(*op.getBeforeBlock(), b, mask))) return failure();
  auto [value, isBatched] = ctx.walk->lookup(op.getBeforeBlock()->getTerminator()->getOperand(0));
  return isBatched ? value : b.broadcastLeading(value, ctx.size);
}

/// Lanes stop one by one: the loop runs while any lane does, finished lanes keep their carries and
/// impersonate a running one in the body. The mask and the lanes' trip counts are carries.
static LogicalResult batchLanes(WhileOp op, BatchContext &ctx) {
  RuleBuilder &b = ctx.b;
  BatchWalk &walk = *ctx.walk;
  unsigned numCarries = op.getNumCarries();
  WhileParts parts;
  SmallVector<bool> carryBatched;
  SmallVector<Value> inits;
  for (unsigned i = 0; i < numCarries; ++i) {
    BlockArgument argument = op.getBodyBlock()->getArgument(i);
    carryBatched.push_back(walk.isBatched(argument));
    inits.push_back(carryBatched[i] ? materialiseLanes(ctx, i) : ctx.x(i));
    parts.addCarry(inits[i], argument.getLoc());
  }
  auto firstMask = lanePredicate(op, ctx, b, inits, carryBatched, ctx.mask);
  if (failed(firstMask)) return failure();
  unsigned maskNumber = parts.addCarry(*firstMask, op.getLoc());
  auto countType = RankedTensorType::get({ctx.size}, b.getI64Type());
  unsigned countNumber = parts.addCarry(b.zeros(countType), op.getLoc());
  RuleBuilder before = builderAtEnd(parts.beforeBlock, op.getLoc());
  parts.predicate = anyLane(before, parts.beforeBlock->getArgument(maskNumber));

  RuleBuilder body = builderAtEnd(parts.bodyBlock, op.getLoc());
  Value mask = parts.bodyBlock->getArgument(maskNumber), count = parts.bodyBlock->getArgument(countNumber);
  for (unsigned i = 0; i < numCarries; ++i)
    walk.map(op.getBodyBlock()->getArgument(i), parts.bodyBlock->getArgument(i), carryBatched[i]);
  Value effectMask = ctx.mask ? body.logicalAnd(ctx.mask, mask) : mask;
  Impersonation impersonation(body, walk, mask, ctx.size);
  for (Value captured : capturedValues(op)) impersonation.enter(captured);
  for (Value argument : op.getBodyBlock()->getArguments()) impersonation.enter(argument);
  if (failed(walk.walk(*op.getBodyBlock(), body, effectMask))) return failure();

  OperandRange yields = op.getBodyBlock()->getTerminator()->getOperands();
  SmallVector<Value> next;
  for (unsigned i = 0; i < numCarries; ++i) {
    if (yields[i] == op.getBodyBlock()->getArgument(i)) { // unchanged by the body, in every lane
      next.push_back(parts.bodyBlock->getArgument(i));
      continue;
    }
    auto [value, batched] = walk.lookup(yields[i]);
    if (!batched) value = broadcastLanes(body, value, ctx.size);
    next.push_back(selectLanes(body, mask, value, parts.bodyBlock->getArgument(i)));
  }
  SmallVector<bool> stackedBatched = stackBatched(walk, yields.drop_front(numCarries), parts);
  impersonation.leave();
  auto nextMask = lanePredicate(op, ctx, body, next, carryBatched, effectMask);
  if (failed(nextMask)) return failure();
  parts.carryYields = std::move(next);
  parts.carryYields.push_back(body.logicalAnd(mask, *nextMask));
  parts.carryYields.push_back(body.add(count, body.convert(mask, b.getI64Type())));

  WhileOp loop = parts.create(b);
  for (unsigned i = 0; i < numCarries; ++i) ctx.set(i, loop.getResult(i), carryBatched[i]);
  ctx.set(numCarries, loop.getResult(countNumber), true);
  for (auto [i, batched] : llvm::enumerate(stackedBatched))
    ctx.set(numCarries + 1 + i, loop.getResult(loop.getNumCarries() + 1 + i), batched);
  return success();
}

LogicalResult WhileOp::batch(BatchContext &ctx) {
  bool lanesDiffer = ctx.walk->isBatched(getBeforeBlock()->getTerminator()->getOperand(0));
  return lanesDiffer ? batchLanes(*this, ctx) : batchTogether(*this, ctx);
}

} // namespace jx
