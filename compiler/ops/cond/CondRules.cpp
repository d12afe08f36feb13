// Transforms of jx.cond. The branch that runs forwards runs in the linear part and backwards too, by the same
// index; lanes that choose differently run each branch that any lane chose, idle lanes impersonating an
// active one.
#include "compiler/ops/cond/Impersonation.h"
#include "compiler/ops/loop/Residuals.h"

using namespace mlir;

namespace jx {

/// Makes a cond of branches that were built detached, each without its yield of `yields[branch]`.
static CondOp createCond(RuleBuilder &b, Value index, MutableArrayRef<std::unique_ptr<Region>> branches,
                         ArrayRef<SmallVector<Value>> yields) {
  SmallVector<Type> types(ValueRange(yields.front()).getTypes());
  auto op = b.make<CondOp>(TypeRange(types), index, branches.size());
  for (auto [number, branch] : llvm::enumerate(branches)) {
    RuleBuilder atEnd = builderAtEnd(&branch->front(), b.getLoc());
    YieldOp::create(atEnd, b.getLoc(), yields[number]);
    op.getBranches()[number].takeBody(*branch);
  }
  return op;
}

static std::unique_ptr<Region> detachedBranch() {
  auto region = std::make_unique<Region>();
  region->push_back(new Block);
  return region;
}

LogicalResult CondOp::jvp(JvpContext &ctx) {
  SmallVector<unsigned> active;
  for (OpResult result : getResults())
    if (ctx.walk->isActive(result)) active.push_back(result.getResultNumber());
  SmallVector<std::unique_ptr<Region>> branches;
  SmallVector<SmallVector<Value>> yields;
  for (Region &branch : getBranches()) {
    branches.push_back(detachedBranch());
    RuleBuilder body = builderAtEnd(&branches.back()->front(), getLoc());
    if (failed(ctx.walk->walk(branch.front(), body))) return failure();
    OperandRange yielded = branch.front().getTerminator()->getOperands();
    SmallVector<Value> &values = yields.emplace_back();
    for (Value value : yielded) values.push_back(ctx.primalMap.lookup(value));
    for (unsigned i : active)
      values.push_back(materialiseLike(body, ctx.tangentMap.lookup(yielded[i]), values[i]));
  }
  CondOp op = createCond(ctx.b, ctx.x(), branches, yields);
  for (unsigned i = 0; i < getNumResults(); ++i) ctx.setPrimal(i, op.getResult(i));
  for (auto [position, i] : llvm::enumerate(active))
    ctx.setTangent(i, Tangent(op.getResult(getNumResults() + position)));
  return success();
}

/// What a branch that has no such residual gives in its place.
static Value filler(RuleBuilder &b, Type type) {
  if (auto stack = dyn_cast<StackType>(type)) return zerosOfStack(b, stack, b.index(0));
  return b.zeros(type);
}

LogicalResult CondOp::split(SplitContext &ctx) {
  IRMapping &values = ctx.knownMap;
  if (ctx.depends(getIndex())) return emitOpError("has an index that depends on tangents");
  SmallVector<std::unique_ptr<Region>> known, linear;
  SmallVector<SmallVector<Value>> knownYields, linearYields;
  /// Residual number of a branch, to its slot among the known cond's results.
  SmallVector<SmallVector<std::pair<Value, unsigned>>> residuals;
  SmallVector<Type> slots;
  unsigned numKnown = llvm::count_if(getResults(), [&](Value result) { return !ctx.depends(result); });
  for (Region &branch : getBranches()) {
    known.push_back(detachedBranch());
    linear.push_back(detachedBranch());
    Block *knownBlock = &known.back()->front(), *linearBlock = &linear.back()->front();
    RuleBuilder knownBody = builderAtEnd(knownBlock, getLoc());
    RuleBuilder linearBody = builderAtEnd(linearBlock, getLoc());
    if (failed(ctx.walk.walk(branch.front(), knownBody, linearBody))) return failure();
    SmallVector<Value> &knownValues = knownYields.emplace_back(), unknownValues;
    for (auto [result, value] : llvm::zip_equal(getResults(), branch.front().getTerminator()->getOperands()))
      (ctx.depends(result) ? unknownValues : knownValues).push_back(values.lookup(value));
    Operation *marker = YieldOp::create(linearBody, getLoc(), unknownValues);
    recomputeCheapResiduals(*linear.back(), knownBlock);
    // Slots of one type are shared between branches; a run-time list keeps its own, so that it is the one
    // list there.
    SmallVector<bool> taken(slots.size(), false);
    auto &branchResiduals = residuals.emplace_back();
    for (Value residual : usedValuesOf(*linear.back(), knownBlock)) {
      if (auto same = llvm::find(knownValues, residual); same != knownValues.end()) {
        branchResiduals.emplace_back(residual, same - knownValues.begin());
        continue;
      }
      unsigned slot = 0;
      while (slot < taken.size() &&
             (taken[slot] || slots[slot] != residual.getType() || isa<StackType>(slots[slot])))
        ++slot;
      if (slot == taken.size()) {
        slots.push_back(residual.getType());
        taken.push_back(true);
      }
      taken[slot] = true;
      branchResiduals.emplace_back(residual, numKnown + slot);
    }
    linearYields.emplace_back(marker->getOperands());
    marker->erase();
  }
  for (auto [number, branch] : llvm::enumerate(known)) {
    RuleBuilder body = builderAtEnd(&branch->front(), getLoc());
    SmallVector<Value> inSlot(slots.size());
    for (auto [residual, position] : residuals[number])
      if (position >= numKnown) inSlot[position - numKnown] = residual;
    for (auto [slot, type] : llvm::enumerate(slots))
      knownYields[number].push_back(inSlot[slot] ? inSlot[slot] : filler(body, type));
  }
  Value index = values.lookup(getIndex());
  CondOp knownCond = createCond(ctx.known, index, known, knownYields);
  for (auto [number, branch] : llvm::enumerate(linear)) {
    for (auto [residual, position] : residuals[number]) {
      Value saved = knownCond.getResult(position);
      replaceUsesInside(residual, saved, *branch);
      for (Value &yielded : linearYields[number])
        if (yielded == residual) yielded = saved;
    }
  }
  CondOp linearCond = createCond(ctx.linear, index, linear, linearYields);
  mapSplitResults(ctx, getResults(), knownCond.getResults(), linearCond.getResults());
  return success();
}

LogicalResult CondOp::transpose(TransposeContext &ctx) {
  RuleBuilder &b = ctx.b;
  TransposeWalk &walk = *ctx.walk;
  SmallVector<Value> captured;
  for (Value value : capturedValues(*this)) {
    if (!walk.isLinear(value))
      walk.valueOf(value, b);
    else if (walk.isReached(value))
      captured.push_back(value);
  }
  // Each branch takes the totals so far and yields the new ones; a branch that adds nothing hands them on.
  SmallVector<Tangent> totals;
  for (Value value : captured) totals.push_back(walk.total(value, b));
  SmallVector<std::unique_ptr<Region>> branches;
  SmallVector<SmallVector<Value>> yields;
  for (Region &branch : getBranches()) {
    branches.push_back(detachedBranch());
    RuleBuilder body = builderAtEnd(&branches.back()->front(), getLoc());
    for (auto [value, total] : llvm::zip_equal(captured, totals)) walk.setTotal(value, total);
    for (auto [result, value] : llvm::zip_equal(getResults(), branch.front().getTerminator()->getOperands()))
      if (Tangent cotangent = ctx.ct(result.getResultNumber()); cotangent && walk.isLinear(value))
        walk.add(value, cotangent.get(), body);
    if (failed(walk.walk(branch.front(), body))) return failure();
    SmallVector<Value> &yielded = yields.emplace_back();
    for (Value value : captured) {
      Tangent total = walk.total(value, body);
      yielded.push_back(total ? total.get() : walk.zerosOf(value, body));
      if (!yielded.back()) return emitOpError("a run-time list of unknown length cannot be transposed");
    }
  }
  if (captured.empty()) return success();
  CondOp op = createCond(b, walk.valueOf(getIndex(), b), branches, yields);
  for (auto [value, total] : llvm::zip_equal(captured, op.getResults())) walk.setTotal(value, Tangent(total));
  return success();
}

/// One index for all lanes: a real cond.
static LogicalResult batchTogether(CondOp op, BatchContext &ctx) {
  SmallVector<std::unique_ptr<Region>> branches;
  SmallVector<SmallVector<std::pair<Value, bool>>> yielded;
  SmallVector<bool> batched(op.getNumResults(), false);
  for (Region &branch : op.getBranches()) {
    branches.push_back(detachedBranch());
    RuleBuilder body = builderAtEnd(&branches.back()->front(), op.getLoc());
    if (failed(ctx.walk->walk(branch.front(), body, ctx.mask))) return failure();
    auto &values = yielded.emplace_back();
    for (auto [i, value] : llvm::enumerate(branch.front().getTerminator()->getOperands())) {
      values.push_back(ctx.walk->lookup(value));
      if (values.back().second) batched[i] = true;
    }
  }
  SmallVector<SmallVector<Value>> yields;
  for (auto [number, values] : llvm::enumerate(yielded)) {
    RuleBuilder body = builderAtEnd(&branches[number]->front(), op.getLoc());
    auto &all = yields.emplace_back();
    for (auto [i, value] : llvm::enumerate(values))
      all.push_back(batched[i] && !value.second ? broadcastLanes(body, value.first, ctx.size) : value.first);
  }
  CondOp made = createCond(ctx.b, ctx.x(), branches, yields);
  for (auto [i, result] : llvm::enumerate(made.getResults())) ctx.set(i, result, batched[i]);
  return success();
}

/// Whether a branch yields, for result `i`, a run-time list without elements: a filler.
static bool yieldsEmptyList(Region &branch, unsigned i) {
  auto loop = branch.front().getTerminator()->getOperand(i).getDefiningOp<ForOp>();
  if (!loop || !loop.getTrip()) return false;
  auto trips = loop.getTrip().getDefiningOp<ConstantOp>();
  return trips && HostArray::fromAttr(trips.getValue()).scalarInt() == 0;
}

LogicalResult CondOp::batch(BatchContext &ctx) {
  if (!ctx.isBatched()) return batchTogether(*this, ctx);
  RuleBuilder &b = ctx.b;
  BatchWalk &walk = *ctx.walk;
  int64_t last = getBranches().size() - 1;
  Value lower = b.like(ctx.x(), 0), upper = b.like(ctx.x(), last);
  Value index = b.make<MinOp>(b.make<MaxOp>(ctx.x(), lower), upper);
  SmallVector<Value> outputs; // so far
  for (auto [number, branch] : llvm::enumerate(getBranches())) {
    Value mask = b.compare("eq", index, b.like(index, double(number)));
    Value effectMask = ctx.mask ? b.logicalAnd(ctx.mask, mask) : mask;
    SmallVector<std::unique_ptr<Region>> arms;
    SmallVector<SmallVector<Value>> yields(2);
    arms.push_back(detachedBranch());
    arms.push_back(detachedBranch());
    RuleBuilder idle = builderAtEnd(&arms[0]->front(), getLoc());
    RuleBuilder body = builderAtEnd(&arms[1]->front(), getLoc());
    Impersonation impersonation(body, walk, mask, ctx.size);
    for (Value captured : capturedValues(*this)) impersonation.enter(captured);
    if (failed(walk.walk(branch.front(), body, effectMask))) return failure();
    for (auto [i, yielded] : llvm::enumerate(branch.front().getTerminator()->getOperands())) {
      auto [value, batched] = walk.lookup(yielded);
      if (!batched) value = broadcastLanes(body, value, ctx.size);
      Value before = outputs.empty() ? Value() : outputs[i];
      yields[0].push_back(before ? before : filler(idle, value.getType()));
      bool keep = before && isa<StackType>(value.getType()) && yieldsEmptyList(branch, i);
      yields[1].push_back(keep ? before : before ? selectLanes(body, mask, value, before) : value);
    }
    impersonation.leave();
    Value any = b.convert(anyLane(b, mask), b.getI32Type());
    CondOp guarded = createCond(b, any, arms, yields);
    outputs.assign(guarded.result_begin(), guarded.result_end());
  }
  for (auto [i, output] : llvm::enumerate(outputs)) ctx.set(i, output, true);
  return success();
}

} // namespace jx
