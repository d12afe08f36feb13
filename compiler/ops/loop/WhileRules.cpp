// Transforms of jx.while. Its linear part is a jx.for over as many trips as the loop took, scanning stacks of
// residuals, so that reverse mode meets no while.
#include "compiler/ops/cond/Impersonation.h"
#include "compiler/ops/loop/LoopParts.h"
#include "compiler/ops/loop/Residuals.h"

using namespace mlir;

namespace jx {

/// A jx.while that is being built, its regions detached.
namespace {
struct WhileParts {
  Region before, body;
  Block *beforeBlock = new Block, *bodyBlock = new Block;
  SmallVector<Value> inits, carryYields, stackedYields;
  Value predicate;

  WhileParts() {
    before.push_back(beforeBlock);
    body.push_back(bodyBlock);
  }
  /// Appends a carry; its arguments in both regions have the number returned.
  unsigned addCarry(Value init, Location loc) {
    inits.push_back(init);
    beforeBlock->addArgument(init.getType(), loc);
    bodyBlock->addArgument(init.getType(), loc);
    return inits.size() - 1;
  }
  WhileOp create(RuleBuilder &b) {
    SmallVector<Type> types;
    for (Value carry : carryYields) types.push_back(carry.getType());
    types.push_back(RankedTensorType::get({}, b.getI64Type()));
    for (Value value : stackedYields) types.push_back(StackType::get(b.getContext(), arrayType(value)));
    RuleBuilder beforeEnd = builderAtEnd(beforeBlock, b.getLoc()),
                bodyEnd = builderAtEnd(bodyBlock, b.getLoc());
    SmallVector<Value> yields(carryYields);
    llvm::append_range(yields, stackedYields);
    YieldOp::create(beforeEnd, b.getLoc(), ValueRange{predicate});
    YieldOp::create(bodyEnd, b.getLoc(), yields);
    auto loop = b.make<WhileOp>(TypeRange(types), inits);
    loop.getBefore().takeBody(before);
    loop.getBody().takeBody(body);
    return loop;
  }
};
} // namespace

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

  OperandRange yields = getBodyBlock()->getTerminator()->getOperands();
  for (unsigned i = 0; i < numCarries; ++i) parts.carryYields.push_back(ctx.primalMap.lookup(yields[i]));
  for (unsigned i : active)
    parts.carryYields.push_back(
        materialiseLike(body, ctx.tangentMap.lookup(yields[i]), parts.carryYields[i]));
  SmallVector<unsigned> activeStacked;
  for (Value value : yields.drop_front(numCarries))
    parts.stackedYields.push_back(ctx.primalMap.lookup(value));
  for (unsigned i = 0; i < getNumStacked(); ++i) {
    Value tangent = ctx.tangentMap.lookup(yields[numCarries + i]);
    if (!tangent) continue;
    activeStacked.push_back(i);
    parts.stackedYields.push_back(tangent);
  }
  WhileOp loop = parts.create(b);
  unsigned next = 0;
  for (unsigned i = 0; i < numCarries; ++i) ctx.setPrimal(i, loop.getResult(next++));
  for (unsigned i : active) ctx.setTangent(i, Tangent(loop.getResult(next++)));
  for (unsigned i = numCarries; i < getNumResults(); ++i) ctx.setPrimal(i, loop.getResult(next++));
  for (unsigned i : activeStacked) ctx.setTangent(numCarries + 1 + i, Tangent(loop.getResult(next++)));
  return success();
}

LogicalResult WhileOp::split(SplitContext &ctx) {
  IRMapping &values = ctx.knownMap;
  unsigned numCarries = getNumCarries();
  if (ctx.depends(getBeforeBlock()->getTerminator()->getOperand(0)))
    return emitOpError("has a condition that depends on tangents");
  WhileParts known;
  LoopParts linear(ctx.linear);
  auto unknown = [&](unsigned i) { return ctx.depends(getBodyBlock()->getArgument(i)); };
  for (unsigned i = 0; i < numCarries; ++i) {
    Value init = values.lookup(getInits()[i]);
    BlockArgument argument = getBodyBlock()->getArgument(i);
    if (unknown(i)) {
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

  OperandRange yields = getBodyBlock()->getTerminator()->getOperands();
  SmallVector<Value> uses; // of the linear terminator, to be seen while residuals are collected
  for (unsigned i = 0; i < numCarries; ++i) {
    Value value = values.lookup(yields[i]);
    (unknown(i) ? uses : known.carryYields).push_back(value);
  }
  unsigned numLinearCarries = uses.size();
  for (Value value : yields.drop_front(numCarries))
    (ctx.depends(value) ? uses : known.stackedYields).push_back(values.lookup(value));
  Operation *marker = YieldOp::create(linearBody, getLoc(), uses);

  recomputeLoopResiduals(linear.body, known.bodyBlock, {});
  SmallVector<std::pair<Value, unsigned>> stacked; // argument of the linear body <- known stacked output
  for (Value residual : usedValuesOf(linear.body, known.bodyBlock)) {
    auto argument = dyn_cast<BlockArgument>(residual);
    if (argument && known.carryYields[argument.getArgNumber()] == residual) {
      replaceUsesInside(residual, known.inits[argument.getArgNumber()], linear.body);
      continue;
    }
    if (isa<StackType>(residual.getType()))
      return emitOpError("a run-time list made in a loop cannot be saved for reverse mode");
    auto existing = llvm::find(known.stackedYields, residual);
    unsigned output = existing - known.stackedYields.begin();
    if (existing == known.stackedYields.end()) known.stackedYields.push_back(residual);
    Value slice = linear.addInput(Value(), residual.getType(), residual.getLoc());
    stacked.emplace_back(slice, output);
    replaceUsesInside(residual, slice, linear.body);
  }
  linear.carryYields.assign(marker->operand_begin(), marker->operand_begin() + numLinearCarries);
  linear.stackedYields.assign(marker->operand_begin() + numLinearCarries, marker->operand_end());
  marker->erase();

  unsigned numKnownCarries = known.carryYields.size();
  WhileOp knownLoop = known.create(ctx.known);
  for (auto [slice, output] : stacked)
    linear.xs[linear.inputNumber(slice)] = knownLoop.getResult(numKnownCarries + 1 + output);
  ForOp linearLoop = linear.create(ctx.linear, knownLoop.getTripCount(), IntegerAttr(), false);

  unsigned nextKnown = 0, nextLinear = 0;
  for (unsigned i = 0; i < numCarries; ++i)
    values.map(getResult(i),
               unknown(i) ? linearLoop.getResult(nextLinear++) : knownLoop.getResult(nextKnown++));
  values.map(getTripCount(), knownLoop.getTripCount());
  nextKnown = numKnownCarries + 1, nextLinear = numLinearCarries;
  for (unsigned i = numCarries; i < yields.size(); ++i)
    values.map(getResult(i + 1), ctx.depends(yields[i]) ? linearLoop.getResult(nextLinear++)
                                                        : knownLoop.getResult(nextKnown++));
  return success();
}

LogicalResult WhileOp::transpose(TransposeContext &ctx) { return notLinear(*this, ctx); }

// --- Batching
// ----------------------------------------------------------------------------------------------------

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
  SmallVector<bool> stackedBatched;
  for (auto [i, yielded] : llvm::enumerate(op.getBodyBlock()->getTerminator()->getOperands())) {
    auto [value, batched] = walk.lookup(yielded);
    if (i < carryBatched.size()) {
      parts.carryYields.push_back(carryBatched[i] && !batched ? broadcastLanes(body, value, ctx.size)
                                                              : value);
    } else {
      parts.stackedYields.push_back(value);
      stackedBatched.push_back(batched);
    }
  }
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
  SmallVector<bool> stackedBatched;
  for (Value yielded : yields.drop_front(numCarries)) {
    auto [value, batched] = walk.lookup(yielded);
    parts.stackedYields.push_back(value);
    stackedBatched.push_back(batched);
  }
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
