// Transforms of jx.for. A derivative adds carries, scanned inputs and stacked outputs to the loop; the split
// makes a known loop with extra stacked outputs and a linear loop that scans them; the transpose runs the
// linear loop backwards, the accumulators of captured values being carries.
#include "compiler/ops/cond/Impersonation.h"
#include "compiler/ops/loop/LoopRules.h"

using namespace mlir;

namespace jx {

LogicalResult ForOp::jvp(JvpContext &ctx) {
  RuleBuilder &b = ctx.b;
  unsigned first = getTrip() ? 1 : 0, numCarries = getNumCarries();
  ForParts parts(b);
  ctx.primalMap.map(getIndex(), parts.index());
  for (auto [i, argument] : llvm::enumerate(getCarryArgs()))
    ctx.primalMap.map(argument, parts.addCarry(ctx.x(first + i), argument.getLoc()));
  for (auto [i, argument] : llvm::enumerate(getCarryArgs()))
    if (ctx.walk->isActive(argument))
      ctx.tangentMap[argument] =
          parts.addCarry(materialiseLike(b, ctx.dx(first + i), ctx.x(first + i)), argument.getLoc());
  for (auto [i, argument] : llvm::enumerate(getSliceArgs())) {
    unsigned operand = first + numCarries + i;
    ctx.primalMap.map(argument, parts.addInput(ctx.x(operand), argument.getType(), argument.getLoc()));
    if (ctx.dx(operand))
      ctx.tangentMap[argument] = parts.addInput(ctx.dx(operand).get(), argument.getType(), argument.getLoc());
  }
  RuleBuilder body = builderAtEnd(parts.block, getLoc());
  if (failed(ctx.walk->walk(*getBlock(), body))) return failure();

  JvpYields yields(ctx, *getBlock(), getCarryArgs(), body, parts);
  ForOp loop = parts.create(b, getTrip() ? ctx.x(0) : Value(), getTripCountAttr(), getReverse());
  yields.setResults(ctx, loop.getResults());
  return success();
}

LogicalResult ForOp::split(SplitContext &ctx) {
  ForParts known(ctx.known), linear(ctx.linear);
  IRMapping &values = ctx.knownMap;
  values.map(getIndex(), known.index());
  for (auto [init, argument] : llvm::zip_equal(getInits(), getCarryArgs()))
    values.map(argument,
               (ctx.depends(argument) ? linear : known).addCarry(values.lookup(init), argument.getLoc()));
  DenseMap<Value, Value> inputs; // argument of the known body -> scanned input
  for (auto [input, argument] : llvm::zip_equal(getXs(), getSliceArgs())) {
    bool unknown = ctx.depends(argument);
    Value slice =
        (unknown ? linear : known).addInput(values.lookup(input), argument.getType(), argument.getLoc());
    values.map(argument, slice);
    if (!unknown) inputs[slice] = values.lookup(input);
  }
  RuleBuilder knownBody = builderAtEnd(known.block, getLoc());
  RuleBuilder linearBody = builderAtEnd(linear.block, getLoc());
  if (failed(ctx.walk.walk(*getBlock(), knownBody, linearBody))) return failure();

  LoopSplit loops(ctx, *getBlock(), getCarryArgs(), known, linear);
  auto inputOf = [&](Value slice) { return inputs.lookup(slice); };
  if (failed(loops.saveResiduals(known.block, known.inits, known.index(), inputOf))) return failure();
  Value trip = getTrip() ? values.lookup(getTrip()) : Value();
  ForOp knownLoop = known.create(ctx.known, trip, getTripCountAttr(), getReverse());
  loops.finish(knownLoop, trip, getTripCountAttr(), getReverse());
  return success();
}

LogicalResult ForOp::transpose(TransposeContext &ctx) {
  RuleBuilder &b = ctx.b;
  TransposeWalk &walk = *ctx.walk;
  unsigned numCarries = getNumCarries();
  OperandRange yields = getBlock()->getTerminator()->getOperands();
  for (auto [i, argument] : llvm::enumerate(getCarryArgs()))
    if (!walk.isLinear(argument))
      return emitOpError("a loop that is transposed must carry linear values only");

  // Captured values: non-linear ones are made before the loop, totals of linear ones are carried through it.
  SmallVector<Value> capturedLinear;
  for (Value captured : capturedValues(*this)) {
    if (!walk.isLinear(captured))
      walk.valueOf(captured, b);
    else if (walk.isReached(captured))
      capturedLinear.push_back(captured);
  }
  ForParts parts(b);
  SmallVector<Value> reachedCarries; // arguments of the original
  SmallVector<unsigned> carryNumbers;
  for (auto [i, argument] : llvm::enumerate(getCarryArgs())) {
    // A carry that the body does not read still hands its result's cotangent to what the last trip yields.
    if (!walk.isReached(argument) && !ctx.ct(i)) continue;
    carryNumbers.push_back(i);
    reachedCarries.push_back(argument);
  }
  SmallVector<Value> carryCotangents, totals, stackedCotangents;
  for (unsigned i : carryNumbers)
    carryCotangents.push_back(parts.addCarry(ctx.ct(i) ? ctx.ct(i).get() : b.zeros(getResult(i).getType()),
                                             getCarryArgs()[i].getLoc()));
  for (Value captured : capturedLinear) {
    Tangent total = walk.total(captured, b);
    if (!total) total = walk.zerosOf(captured, b);
    if (!total) return emitOpError("a run-time list of unknown length cannot be transposed");
    totals.push_back(parts.addCarry(total.get(), getLoc()));
  }
  walk.mapValue(getIndex(), parts.index());
  for (auto [input, argument] : llvm::zip_equal(getXs(), getSliceArgs()))
    if (!walk.isLinear(argument))
      walk.mapValue(argument, parts.addInput(walk.valueOf(input, b), argument.getType(), argument.getLoc()));
  SmallVector<unsigned> stackedNumbers;
  for (unsigned i = numCarries; i < getNumResults(); ++i) {
    if (!ctx.ct(i) || !walk.isLinear(yields[i])) continue;
    stackedNumbers.push_back(i);
    stackedCotangents.push_back(parts.addInput(ctx.ct(i).get(), yields[i].getType(), getLoc()));
  }

  RuleBuilder body = builderAtEnd(parts.block, getLoc());
  for (auto [captured, total] : llvm::zip_equal(capturedLinear, totals)) walk.setTotal(captured, total);
  for (auto [i, cotangent] : llvm::zip_equal(carryNumbers, carryCotangents))
    if (walk.isLinear(yields[i])) walk.add(yields[i], cotangent, body);
  for (auto [i, cotangent] : llvm::zip_equal(stackedNumbers, stackedCotangents))
    walk.add(yields[i], cotangent, body);
  if (failed(walk.walk(*getBlock(), body))) return failure();

  for (Value argument : reachedCarries) {
    Tangent total = walk.total(argument, body);
    parts.carryYields.push_back(total ? total.get() : body.zeros(argument.getType()));
    walk.setTotal(argument, {});
  }
  for (Value captured : capturedLinear) parts.carryYields.push_back(walk.total(captured, body).get());
  SmallVector<unsigned> linearInputs;
  for (auto [i, argument] : llvm::enumerate(getSliceArgs())) {
    if (!walk.isLinear(argument) || !walk.isReached(argument)) continue;
    Tangent total = walk.total(argument, body);
    walk.setTotal(argument, {});
    linearInputs.push_back(i);
    parts.stackedYields.push_back(total ? total.get() : body.zeros(argument.getType()));
  }
  Value trip = getTrip() ? walk.valueOf(getTrip(), b) : Value();
  ForOp loop = parts.create(b, trip, getTripCountAttr(), !getReverse());
  unsigned numReached = carryNumbers.size(), numTotals = capturedLinear.size();
  for (auto [i, captured] : llvm::enumerate(capturedLinear))
    walk.setTotal(captured, Tangent(loop.getResult(numReached + i)));
  for (auto [position, i] : llvm::enumerate(carryNumbers))
    if (walk.isLinear(getInits()[i])) walk.add(getInits()[i], loop.getResult(position), b);
  for (auto [position, i] : llvm::enumerate(linearInputs))
    walk.add(getXs()[i], loop.getResult(numReached + numTotals + position), b);
  return success();
}

/// [lanes, trips, ...] to [trips, lanes, ...] and back.
static Value swapLeading(RuleBuilder &b, Value x) {
  SmallVector<int64_t> permutation{1, 0};
  for (int64_t i = 2; i < rankOf(x); ++i) permutation.push_back(i);
  return b.transpose(x, permutation);
}

LogicalResult ForOp::batch(BatchContext &ctx) {
  RuleBuilder &b = ctx.b;
  BatchWalk &walk = *ctx.walk;
  unsigned first = getTrip() ? 1 : 0, numCarries = getNumCarries();
  bool tripBatched = first && ctx.isBatched(0);
  Value trip = first ? ctx.x(0) : Value(), lanesTrip;
  if (tripBatched) { // as many trips as the longest lane takes
    lanesTrip = trip;
    trip = b.reduce("max", lanesTrip, {0});
  }
  ForParts parts(b);
  RuleBuilder body = builderAtEnd(parts.block, getLoc());
  walk.map(getIndex(), parts.index(), false);
  SmallVector<bool> carryBatched;
  SmallVector<Value> carryArguments;
  for (auto [i, argument] : llvm::enumerate(getCarryArgs())) {
    bool batched = walk.isBatched(argument) || tripBatched;
    carryBatched.push_back(batched);
    carryArguments.push_back(
        parts.addCarry(batched ? materialiseLanes(ctx, first + i) : ctx.x(first + i), argument.getLoc()));
    walk.map(argument, carryArguments.back(), batched);
  }
  for (auto [i, argument] : llvm::enumerate(getSliceArgs())) {
    unsigned operand = first + numCarries + i;
    Value input = ctx.x(operand);
    bool batched = ctx.isBatched(operand);
    Type slice = argument.getType();
    if (batched) {
      if (!isa<StackType>(input.getType())) input = swapLeading(b, input);
      slice = laneType(slice, ctx.size);
    }
    walk.map(argument, parts.addInput(input, slice, argument.getLoc()), batched);
  }
  Value mask, innerMask = ctx.mask;
  std::optional<Impersonation> impersonation;
  if (tripBatched) {
    mask = body.compare("lt", body.broadcastInDim(parts.index(), {ctx.size}, {}), lanesTrip);
    innerMask = innerMask ? body.logicalAnd(innerMask, mask) : mask;
    impersonation.emplace(body, walk, mask, ctx.size);
    for (Value captured : capturedValues(*this)) impersonation->enter(captured);
    for (Value argument : getBlock()->getArguments().drop_front(1)) impersonation->enter(argument);
  }
  if (failed(walk.walk(*getBlock(), body, innerMask))) return failure();

  OperandRange yields = getBlock()->getTerminator()->getOperands();
  for (unsigned i = 0; i < numCarries; ++i) {
    auto [value, batched] = walk.lookup(yields[i]);
    if (carryBatched[i] && !batched) value = broadcastLanes(body, value, ctx.size);
    if (tripBatched) value = selectLanes(body, mask, value, carryArguments[i]);
    parts.carryYields.push_back(value);
  }
  SmallVector<bool> stackedBatched = stackBatched(walk, yields.drop_front(numCarries), parts);
  if (impersonation) impersonation->leave();
  ForOp loop = parts.create(b, trip, getTripCountAttr(), getReverse());
  for (unsigned i = 0; i < numCarries; ++i) ctx.set(i, loop.getResult(i), carryBatched[i]);
  for (auto [i, batched] : llvm::enumerate(stackedBatched)) {
    Value stacked = loop.getResult(numCarries + i);
    bool array = !isa<StackType>(stacked.getType());
    ctx.set(numCarries + i, batched && array ? swapLeading(b, stacked) : stacked, batched);
  }
  return success();
}

} // namespace jx
