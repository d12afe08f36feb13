#include "compiler/ops/loop/Residuals.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace jx {

SmallVector<Value> usedValuesOf(Region &linear, Block *known) {
  llvm::SetVector<Value> used;
  linear.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (operand.getParentBlock() == known) used.insert(operand);
  });
  return used.takeVector();
}

void replaceUsesInside(Value value, Value replacement, Region &region) {
  // By walking: the region may belong to no op yet, which asking for ancestors would not survive.
  region.walk([&](Operation *op) { op->replaceUsesOfWith(value, replacement); });
}

static int64_t bytesOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getNumElements() * elementBytes(type.getElementType()) : INT64_MAX;
}

static bool isLiteral(Operation *op) { return op->hasTrait<OpTrait::ConstantLike>() || isa<IotaOp>(op); }

/// Ops that make something large of something small.
static bool expands(Operation *op) {
  return isa<BroadcastInDimOp, ConvertOp>(op) && bytesOf(op->getOperand(0)) < bytesOf(op->getResult(0));
}

namespace {
/// Whether values are functions of a loop's index and of values from outside, by cheap ops only.
class IndexFunctions {
public:
  IndexFunctions(Block *known, Value index) : known(known), index(index) {}
  bool contains(Value value) {
    if (!index) return false;
    if (value == index || value.getParentBlock() != known) return true;
    Operation *op = value.getDefiningOp();
    if (!op) return false;
    auto [entry, isNew] = memo.try_emplace(op, false);
    if (isNew) {
      bool result = isCheap(op) && llvm::all_of(op->getOperands(), [&](Value v) { return contains(v); });
      memo[op] = result;
      return result;
    }
    return entry->second;
  }

private:
  static bool isCheap(Operation *op) {
    if (op->getNumRegions() || !isMemoryEffectFree(op) || op->getNumResults() != 1) return false;
    if (isa<RegionPrimitiveInterface>(op)) return false;
    if (isLiteral(op) || isa<DynamicSliceOp, SliceOp, ReshapeOp, BroadcastInDimOp>(op)) return true;
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    bool scalar = type && type.getRank() == 0;
    return scalar && llvm::all_of(op->getOperandTypes(), [](Type operand) {
             auto array = dyn_cast<RankedTensorType>(operand);
             return array && array.getRank() == 0;
           });
  }
  Block *known;
  Value index;
  DenseMap<Operation *, bool> memo;
};
} // namespace

/// Removes prints, checks and other effects from a copy: they happen where it was copied from.
static void dropEffects(Operation *copy) {
  SmallVector<Operation *> effects;
  copy->walk([&](Operation *op) {
    if (op->getNumResults() == 0 && op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>() &&
        !isMemoryEffectFree(op))
      effects.push_back(op);
  });
  for (Operation *op : effects) op->erase();
}

/// Arithmetic that costs no more than reading its result would.
static bool isCheapArithmetic(Operation *op) {
  return isa<AddOp, SubOp, MulOp, NegOp, NotOp, AndOp, OrOp, CompareOp>(op);
}

static void recompute(Region &linear, Block *known, Value index, bool inLoop) {
  IndexFunctions indexFunctions(known, index);
  SmallVector<Value> used = usedValuesOf(linear, known);
  DenseSet<Value> saved(used.begin(), used.end());
  // What the linear part has without saving more: values from outside, literals, what it uses anyway.
  auto isThere = [&](Value value) {
    if (value.getParentBlock() != known || saved.contains(value)) return true;
    Operation *op = value.getDefiningOp();
    return op ? isLiteral(op) : !inLoop;
  };
  llvm::SetVector<Operation *> candidates;
  auto consider = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || value.getParentBlock() != known) return;
    bool list = inLoop && isa<StackType>(value.getType());
    bool derived = isCheapArithmetic(op) && llvm::all_of(op->getOperands(), isThere);
    if (list || derived || isLiteral(op) || expands(op) || indexFunctions.contains(value))
      candidates.insert(op);
  };
  for (Value value : used) consider(value);
  // From the last op to the first, each clone in front of those before it: users stand after what they use.
  while (!candidates.empty()) {
    Operation *last = candidates.front();
    for (Operation *op : candidates)
      if (last->isBeforeInBlock(op)) last = op;
    candidates.remove(last);
    OpBuilder builder(last->getContext());
    builder.setInsertionPointToStart(&linear.front());
    Operation *clone = builder.clone(*last);
    if (clone->getNumRegions()) dropEffects(clone);
    for (auto [original, copy] : llvm::zip_equal(last->getResults(), clone->getResults()))
      replaceUsesInside(original, copy, linear);
    for (Value operand : clone->getOperands()) consider(operand);
    for (Value captured : capturedValues(clone)) consider(captured);
  }
}

void recomputeCheapResiduals(Region &linear, Block *known) { recompute(linear, known, {}, false); }

void recomputeLoopResiduals(Region &linear, Block *known, Value index) {
  recompute(linear, known, index, true);
}

void mapSplitResults(SplitContext &ctx, ValueRange results, ValueRange known, ValueRange linear) {
  unsigned nextKnown = 0, nextLinear = 0;
  for (Value result : results)
    ctx.knownMap.map(result, ctx.depends(result) ? linear[nextLinear++] : known[nextKnown++]);
}

} // namespace jx
