// Clean-up of loops: what nothing needs, what does not change, what is there twice, what need not be inside.
#include "compiler/dialect/RegionRules.h"
#include "compiler/dialect/RuleBuilder.h"
#include "compiler/ops/effect/Fences.h"
#include "compiler/transforms/SimplifyPatterns.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace jx {
namespace {

/// Which values of a loop's regions are needed, given the results that are used. Effects need their operands;
/// a needed carry needs what is yielded for it.
class LoopLiveness {
public:
  LoopLiveness(Operation *loop, unsigned numCarries, unsigned firstCarryArgument)
      : loop(loop), numCarries(numCarries), first(firstCarryArgument) {}

  void need(Value value) {
    if (live.insert(value).second) worklist.push_back(value);
  }
  void run() {
    for (Region &region : loop->getRegions())
      for (Operation &op : region.front().without_terminator())
        if (!isMemoryEffectFree(&op)) needOp(&op);
    Operation *yield = loop->getRegions().back().front().getTerminator();
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      if (auto argument = dyn_cast<BlockArgument>(value)) {
        if (argument.getOwner()->getParentOp() != loop || argument.getArgNumber() < first) continue;
        unsigned carry = argument.getArgNumber() - first;
        if (carry < numCarries) needCarry(carry, yield);
      } else if (loop->isProperAncestor(value.getDefiningOp())) {
        needOp(value.getDefiningOp());
      }
    }
  }
  void needCarry(unsigned carry, Operation *yield) {
    if (carries.insert(carry).second) need(yield->getOperand(carry));
  }
  bool contains(Value value) const { return live.contains(value); }
  bool hasCarry(unsigned carry) const { return carries.contains(carry); }

private:
  void needOp(Operation *op) {
    if (!ops.insert(op).second) return;
    for (Value operand : op->getOperands()) need(operand);
    for (Value captured : capturedValues(op)) need(captured);
  }
  Operation *loop;
  unsigned numCarries, first;
  DenseSet<Value> live;
  DenseSet<Operation *> ops;
  DenseSet<unsigned> carries;
  SmallVector<Value> worklist;
};

/// Erases the ops of `block` that use block arguments about to go; liveness has found that nothing needs
/// them.
void eraseDead(Block &block, const LoopLiveness &live, PatternRewriter &rewriter) {
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator()) ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (isMemoryEffectFree(op) && llvm::none_of(op->getResults(), [&](Value v) { return live.contains(v); }))
      rewriter.eraseOp(op);
}

/// Replaces a loop by one that was made of its results `kept`.
void replaceKept(Operation *op, Operation *made, ArrayRef<unsigned> kept, PatternRewriter &rewriter) {
  for (auto [i, result] : llvm::zip_equal(kept, made->getResults()))
    rewriter.replaceAllUsesWith(op->getResult(i), result);
  rewriter.eraseOp(op);
}

/// Drops carries, inputs and stacked outputs of jx.for that nothing needs.
LogicalResult dropUnusedFor(ForOp op, PatternRewriter &rewriter) {
  unsigned numCarries = op.getNumCarries();
  Block *block = op.getBlock();
  Operation *yield = block->getTerminator();
  LoopLiveness live(op, numCarries, 1);
  for (OpResult result : op.getResults()) {
    if (result.use_empty()) continue;
    if (result.getResultNumber() < numCarries)
      live.needCarry(result.getResultNumber(), yield);
    else
      live.need(yield->getOperand(result.getResultNumber()));
  }
  live.run();
  SmallVector<Value> inits, xs, yields;
  SmallVector<Type> types;
  llvm::BitVector unusedArguments(block->getNumArguments());
  SmallVector<unsigned> kept;
  for (unsigned i = 0; i < op.getNumResults(); ++i) {
    bool carry = i < numCarries;
    if (carry ? !live.hasCarry(i) : op.getResult(i).use_empty()) {
      if (carry) unusedArguments.set(1 + i);
      continue;
    }
    kept.push_back(i);
    types.push_back(op.getResult(i).getType());
    yields.push_back(yield->getOperand(i));
    if (carry) inits.push_back(op.getInits()[i]);
  }
  for (auto [i, argument] : llvm::enumerate(op.getSliceArgs())) {
    if (live.contains(argument))
      xs.push_back(op.getXs()[i]);
    else
      unusedArguments.set(1 + numCarries + i);
  }
  if (kept.size() == op.getNumResults() && unusedArguments.none()) return failure();
  rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(yields); });
  eraseDead(*block, live, rewriter);
  block->eraseArguments(unusedArguments);
  auto made = ForOp::create(rewriter, op.getLoc(), types, op.getTrip(), inits, xs, op.getTripCountAttr(),
                            op.getReverseAttr());
  rewriter.inlineRegionBefore(op.getBody(), made.getBody(), made.getBody().end());
  replaceKept(op, made, kept, rewriter);
  return success();
}

/// Drops carries and stacked outputs of jx.while that nothing needs.
LogicalResult dropUnusedWhile(WhileOp op, PatternRewriter &rewriter) {
  unsigned numCarries = op.getNumCarries();
  Operation *yield = op.getBodyBlock()->getTerminator();
  LoopLiveness live(op, numCarries, 0);
  live.need(op.getBeforeBlock()->getTerminator()->getOperand(0));
  for (unsigned i = 0; i < numCarries; ++i)
    if (!op.getResult(i).use_empty()) live.needCarry(i, yield);
  for (unsigned i = numCarries; i < yield->getNumOperands(); ++i)
    if (!op.getResult(i + 1).use_empty()) live.need(yield->getOperand(i));
  live.run();
  SmallVector<Value> inits, yields;
  SmallVector<Type> types;
  SmallVector<unsigned> kept;
  llvm::BitVector unused(numCarries);
  for (unsigned i = 0; i < yield->getNumOperands(); ++i) {
    unsigned result = i < numCarries ? i : i + 1;
    if (i == numCarries) {
      kept.push_back(numCarries);
      types.push_back(op.getTripCount().getType());
    }
    if (i < numCarries ? !live.hasCarry(i) : op.getResult(result).use_empty()) {
      if (i < numCarries) unused.set(i);
      continue;
    }
    kept.push_back(result);
    types.push_back(op.getResult(result).getType());
    yields.push_back(yield->getOperand(i));
    if (i < numCarries) inits.push_back(op.getInits()[i]);
  }
  if (yield->getNumOperands() == numCarries) {
    kept.push_back(numCarries);
    types.push_back(op.getTripCount().getType());
  }
  if (kept.size() == op.getNumResults()) return failure();
  rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(yields); });
  eraseDead(*op.getBeforeBlock(), live, rewriter);
  eraseDead(*op.getBodyBlock(), live, rewriter);
  op.getBeforeBlock()->eraseArguments(unused);
  op.getBodyBlock()->eraseArguments(unused);
  auto made = WhileOp::create(rewriter, op.getLoc(), types, inits);
  rewriter.inlineRegionBefore(op.getBefore(), made.getBefore(), made.getBefore().end());
  rewriter.inlineRegionBefore(op.getBody(), made.getBody(), made.getBody().end());
  replaceKept(op, made, kept, rewriter);
  return success();
}

bool replaceIfUsed(Value value, Value replacement, PatternRewriter &rewriter) {
  if (value == replacement || value.use_empty()) return false;
  rewriter.replaceAllUsesWith(value, replacement);
  return true;
}

/// A carry that the body hands on unchanged is its initial value; one that is there twice is used once.
/// `arguments` are the carries in the loop's regions, the body's first.
bool mergeCarries(Operation *yield, ValueRange inits, ValueRange results, ArrayRef<ValueRange> arguments,
                  PatternRewriter &rewriter) {
  bool changed = false;
  ValueRange inBody = arguments.front();
  for (auto [i, init] : llvm::enumerate(inits)) {
    if (yield->getOperand(i) == inBody[i]) {
      changed |= replaceIfUsed(results[i], init, rewriter);
      for (ValueRange others : arguments.drop_front()) changed |= replaceIfUsed(others[i], init, rewriter);
      if (inBody[i].hasOneUse()) continue;
      // Its own yield keeps the argument, so that the carry stays one that is handed on until it is dropped.
      rewriter.replaceUsesWithIf(inBody[i], init, [&, i = i](OpOperand &use) {
        return use.getOwner() != yield || use.getOperandNumber() != i;
      });
      changed = true;
      continue;
    }
    for (unsigned j = 0; j < i; ++j) {
      if (init != inits[j] || yield->getOperand(i) != yield->getOperand(j)) continue;
      for (ValueRange carries : arguments) changed |= replaceIfUsed(carries[i], carries[j], rewriter);
      changed |= replaceIfUsed(results[i], results[j], rewriter);
      break;
    }
  }
  return changed;
}

/// Of `values`, those whose `keys` are equal become one.
bool mergeEqual(ValueRange values, ValueRange keys, PatternRewriter &rewriter) {
  bool changed = false;
  for (unsigned i = 0; i < values.size(); ++i) {
    unsigned first = llvm::find(keys, keys[i]) - keys.begin();
    changed |= replaceIfUsed(values[i], values[first], rewriter);
  }
  return changed;
}

/// Carries, inputs and outputs that are there twice are used once; an output that repeats the elements of an
/// array that the loop scans whole is that array.
LogicalResult mergeFor(ForOp op, PatternRewriter &rewriter) {
  Operation *yield = op.getBlock()->getTerminator();
  unsigned numCarries = op.getNumCarries();
  ValueRange results = op.getResults(), outputs = results.drop_front(numCarries);
  ValueRange stacked = yield->getOperands().drop_front(numCarries);
  bool changed = mergeCarries(yield, op.getInits(), results, {op.getCarryArgs()}, rewriter);
  changed |= mergeEqual(op.getSliceArgs(), op.getXs(), rewriter);
  changed |= mergeEqual(outputs, stacked, rewriter);
  for (auto [output, value] : llvm::zip_equal(outputs, stacked)) {
    auto slice = dyn_cast<BlockArgument>(value);
    if (!slice || slice.getOwner() != op.getBlock() || slice.getArgNumber() <= numCarries) continue;
    Value input = op.getXs()[slice.getArgNumber() - 1 - numCarries];
    if (op.getTripCount() && input.getType() == output.getType() && !isa<StackType>(input.getType()))
      changed |= replaceIfUsed(output, input, rewriter);
  }
  return success(changed);
}

LogicalResult mergeWhile(WhileOp op, PatternRewriter &rewriter) {
  Operation *yield = op.getBodyBlock()->getTerminator();
  unsigned numCarries = op.getNumCarries();
  ValueRange results = op.getResults();
  bool changed =
      mergeCarries(yield, op.getInits(), results,
                   {op.getBodyBlock()->getArguments(), op.getBeforeBlock()->getArguments()}, rewriter);
  changed |=
      mergeEqual(results.drop_front(numCarries + 1), yield->getOperands().drop_front(numCarries), rewriter);
  return success(changed);
}

std::optional<int64_t> staticTrips(ForOp op) {
  if (op.getTripCount()) return int64_t(*op.getTripCount());
  DenseElementsAttr trips;
  if (!matchPattern(op.getTrip(), m_Constant(&trips))) return {};
  return std::max<int64_t>(0, trips.getSplatValue<llvm::APInt>().getSExtValue());
}

/// A loop of no trips gives its initial values and empty outputs; one of one trip is its body.
LogicalResult unrollTrivialFor(ForOp op, PatternRewriter &rewriter) {
  if (!op.getTripCount()) {
    auto trips = staticTrips(op);
    // Run-time lists keep their type, arrays can do without.
    if (!trips || op.getNumStacked() ||
        llvm::any_of(op.getXs().getTypes(), [](Type t) { return isa<StackType>(t); }))
      return failure();
    if (*trips > 1) return failure();
  }
  int64_t trips = *staticTrips(op);
  if (trips > 1) return failure();
  if (llvm::any_of(op.getXs().getTypes(), [](Type t) { return isa<StackType>(t); })) return failure();
  RuleBuilder b(rewriter, op.getLoc());
  b.setInsertionPoint(op);
  b.setListener(rewriter.getListener());
  SmallVector<Value> results;
  if (trips == 0) {
    llvm::append_range(results, op.getInits());
    for (OpResult result : op.getResults().drop_front(op.getNumCarries()))
      results.push_back(b.zeros(result.getType()));
    rewriter.replaceOp(op, results);
    return success();
  }
  SmallVector<Value> arguments{b.index(0)};
  llvm::append_range(arguments, op.getInits());
  for (Value input : op.getXs()) {
    SmallVector<int64_t> starts(rankOf(input), 0), strides(rankOf(input), 1), limits(shapeOf(input));
    limits[0] = 1;
    arguments.push_back(b.reshape(b.slice(input, starts, limits, strides), shapeOf(input).drop_front()));
  }
  Block *block = op.getBlock();
  Operation *yield = block->getTerminator();
  rewriter.inlineBlockBefore(block, op, arguments);
  unsigned numCarries = op.getNumCarries();
  b.setInsertionPoint(op);
  for (auto [i, value] : llvm::enumerate(yield->getOperands()))
    results.push_back(i < numCarries ? value : b.broadcastLeading(value, 1));
  rewriter.eraseOp(yield);
  rewriter.replaceOp(op, results);
  return success();
}

/// Ops that repeat a little data into much, or make it of nothing, are better made where they are used.
bool expands(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() || isa<IotaOp, BroadcastInDimOp>(op);
}

/// Moves pure ops that depend on nothing of the loop in front of it. Recomputation stays where its cotangent
/// appears; a loop that times itself keeps its work.
template <typename LoopT> LogicalResult hoistInvariants(LoopT loop, PatternRewriter &rewriter) {
  Operation *op = loop.getOperation();
  Block &body = op->getRegions().back().front();
  if (isFence(op)) return failure();
  bool changed = false;
  for (Operation &inner : llvm::make_early_inc_range(body.without_terminator())) {
    if (!isMemoryEffectFree(&inner) || expands(&inner)) continue;
    if (auto checkpoint = dyn_cast<CheckpointOp>(inner); checkpoint && checkpoint.getRecompute()) continue;
    auto outside = [&](Value value) {
      Operation *parent = value.getParentBlock()->getParentOp();
      if (!op->isAncestor(parent)) return true;
      Operation *maker = value.getDefiningOp(); // literals can be taken along
      return maker && maker->getBlock() == &body && maker->hasTrait<OpTrait::ConstantLike>();
    };
    if (!llvm::all_of(inner.getOperands(), outside) || !llvm::all_of(capturedValues(&inner), outside))
      continue;
    for (Value operand : inner.getOperands())
      if (Operation *maker = operand.getDefiningOp(); maker && maker->getBlock() == &body)
        rewriter.moveOpBefore(maker, op);
    for (Value captured : capturedValues(&inner))
      if (Operation *maker = captured.getDefiningOp(); maker && maker->getBlock() == &body)
        rewriter.moveOpBefore(maker, op);
    rewriter.moveOpBefore(&inner, op);
    changed = true;
  }
  return success(changed);
}

} // namespace

void populateLoopPatterns(RewritePatternSet &patterns) {
  patterns.add(dropUnusedFor)
      .add(dropUnusedWhile)
      .add(mergeFor)
      .add(mergeWhile)
      .add(unrollTrivialFor)
      .add(hoistInvariants<ForOp>)
      .add(hoistInvariants<WhileOp>);
}

} // namespace jx
