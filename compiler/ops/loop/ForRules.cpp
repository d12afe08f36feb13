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

namespace {
/// The loop that transposes a linear one. Its carries are the cotangents of the original's, then the totals
/// of captured linear values; it scans non-linear inputs and the cotangents of stacks, and stacks the
/// cotangents of linear inputs.
class ForTranspose {
public:
  ForTranspose(ForOp op, TransposeContext &ctx)
      : op(op), ctx(ctx), walk(*ctx.walk), b(ctx.b), yields(op.getBlock()->getTerminator()->getOperands()),
        parts(b) {}

  LogicalResult run() {
    for (Value argument : op.getCarryArgs())
      if (!walk.isLinear(argument))
        return op.emitOpError("a loop that is transposed must carry linear values only");
    addCarries();
    if (failed(addCaptured())) return failure();
    addInputs();
    RuleBuilder body = builderAtEnd(parts.block, op.getLoc());
    seed(body);
    if (failed(walk.walk(*op.getBlock(), body))) return failure();
    yieldTotals(body);
    Value trip = op.getTrip() ? walk.valueOf(op.getTrip(), b) : Value();
    addResults(parts.create(b, trip, op.getTripCountAttr(), !op.getReverse()).getResults());
    return success();
  }

private:
  void addCarries() {
    for (auto [i, argument] : llvm::enumerate(op.getCarryArgs())) {
      Tangent ct = ctx.ct(i);
      // A carry that the body does not read still hands its result's cotangent to what the last trip yields.
      if (!walk.isReached(argument) && !ct) continue;
      Value init = ct ? ct.get() : b.zeros(argument.getType());
      carries.emplace_back(i, parts.addCarry(init, argument.getLoc()));
    }
  }

  /// Non-linear captured values are made before the loop.
  LogicalResult addCaptured() {
    for (Value value : capturedValues(op)) {
      if (!walk.isLinear(value)) {
        walk.valueOf(value, b);
        continue;
      }
      if (!walk.isReached(value)) continue;
      Tangent total = walk.total(value, b);
      if (!total) total = walk.zerosOf(value, b);
      if (!total) return op.emitOpError("a run-time list of unknown length cannot be transposed");
      captured.emplace_back(value, parts.addCarry(total.get(), op.getLoc()));
    }
    return success();
  }

  void addInputs() {
    walk.mapValue(op.getIndex(), parts.index());
    for (auto [input, slice] : llvm::zip_equal(op.getXs(), op.getSliceArgs()))
      if (!walk.isLinear(slice))
        walk.mapValue(slice, parts.addInput(walk.valueOf(input, b), slice.getType(), slice.getLoc()));
    for (unsigned i = op.getNumCarries(); i < op.getNumResults(); ++i)
      if (ctx.ct(i) && walk.isLinear(yields[i]))
        stacked.emplace_back(i, parts.addInput(ctx.ct(i).get(), yields[i].getType(), op.getLoc()));
  }

  /// The cotangents with which a trip begins.
  void seed(RuleBuilder &body) {
    for (auto [value, total] : captured) walk.setTotal(value, total);
    for (auto [i, cotangent] : carries)
      if (walk.isLinear(yields[i])) walk.add(yields[i], cotangent, body);
    for (auto [i, cotangent] : stacked) walk.add(yields[i], cotangent, body);
  }

  void yieldTotals(RuleBuilder &body) {
    auto take = [&](BlockArgument argument) {
      Tangent total = walk.total(argument, body);
      walk.setTotal(argument, {});
      return total ? total.get() : body.zeros(argument.getType());
    };
    for (auto [i, cotangent] : carries) parts.carryYields.push_back(take(op.getCarryArgs()[i]));
    for (auto [value, total] : captured) parts.carryYields.push_back(walk.total(value, body).get());
    for (auto [i, slice] : llvm::enumerate(op.getSliceArgs())) {
      if (!walk.isLinear(slice) || !walk.isReached(slice)) continue;
      inputs.push_back(i);
      parts.stackedYields.push_back(take(slice));
    }
  }

  void addResults(ResultRange results) {
    unsigned next = carries.size();
    for (auto [value, total] : captured) walk.setTotal(value, Tangent(results[next++]));
    for (auto [position, carry] : llvm::enumerate(carries)) {
      Value init = op.getInits()[carry.first];
      if (walk.isLinear(init)) walk.add(init, results[position], b);
    }
    for (unsigned i : inputs) walk.add(op.getXs()[i], results[next++], b);
  }

  ForOp op;
  TransposeContext &ctx;
  TransposeWalk &walk;
  RuleBuilder &b;
  OperandRange yields;
  ForParts parts;
  SmallVector<std::pair<unsigned, Value>> carries, stacked; ///< result of the original, its cotangent
  SmallVector<std::pair<Value, Value>> captured;            ///< linear value, its total
  SmallVector<unsigned> inputs;                             ///< linear ones
};
} // namespace

LogicalResult ForOp::transpose(TransposeContext &ctx) { return ForTranspose(*this, ctx).run(); }

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
