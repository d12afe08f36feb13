// Intervals and offsets; see the header.
#include "compiler/lowering/MemoryPlan.h"
#include "compiler/lowering/Kernels.h"

using namespace mlir;

namespace jx {

Liveness::Liveness(func::FuncOp function) : body(&function.getBody()) {
  int64_t time = 0;
  number(*body, time);
}

void Liveness::number(Region &region, int64_t &time) {
  for (Operation &op : region.front()) {
    int64_t begin = ++time;
    // The body of a kernel is the kernel's own affair.
    if (!isa<KernelOp>(op))
      for (Region &nested : op.getRegions()) number(nested, time);
    if (op.getNumRegions() > 0) ++time;
    times[&op] = {begin, time};
  }
}

bool isView(Operation *op) {
  if (op->getNumResults() != 1 || livesInRegisters(op->getResult(0).getType())) return false;
  return isa<ReshapeOp, SliceOp, DynamicSliceOp, StackGetOp>(op);
}

/// The position among the xs of a for of an operand of `op`; none for other operands and ops.
static std::optional<unsigned> xsPosition(OpOperand &operand) {
  auto loop = dyn_cast<ForOp>(operand.getOwner());
  if (!loop) return std::nullopt;
  auto [first, count] = loop.getODSOperandIndexAndLength(2);
  unsigned number = operand.getOperandNumber();
  if (number < first || number >= first + count) return std::nullopt;
  return number - first;
}

void Liveness::forEachRead(Value value, function_ref<void(Value, OpOperand &)> use) const {
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Value current = worklist.pop_back_val();
    for (OpOperand &operand : current.getUses()) {
      Operation *op = operand.getOwner();
      use(current, operand);
      if (isView(op) && operand.getOperandNumber() == 0) worklist.push_back(op->getResult(0));
      if (isa<BarrierOp>(op)) worklist.push_back(op->getResult(operand.getOperandNumber()));
      if (auto position = xsPosition(operand)) worklist.push_back(cast<ForOp>(op).getSliceArgs()[*position]);
    }
  }
}

Operation *Liveness::outermostLoop(Value value, Operation *op) const {
  Operation *outermost = nullptr;
  Region *home = value.getParentRegion();
  for (Region *region = op->getParentRegion(); region != home && region != body;
       region = region->getParentRegion()) {
    // The two regions of a while have the same trips.
    if (region->getParentOp()->isAncestor(home->getParentOp())) break;
    if (isa<ForOp, WhileOp>(region->getParentOp())) outermost = region->getParentOp();
  }
  return outermost;
}

int64_t Liveness::lifeEnd(Value value) const {
  int64_t end = 0;
  forEachRead(value, [&](Value, OpOperand &operand) {
    Operation *op = operand.getOwner();
    Operation *loop = outermostLoop(value, op);
    end = std::max(end, loop ? endOf(loop) : timeOf(op));
    if (xsPosition(operand)) end = std::max(end, endOf(op));
  });
  return end;
}

/// The cond two of whose branches hold the two ops; null if they are not exclusive.
static bool areExclusive(Operation *x, Operation *y) {
  for (Region *rx = x->getParentRegion(); rx; rx = rx->getParentRegion()) {
    auto cond = dyn_cast_or_null<CondOp>(rx->getParentOp());
    if (!cond) continue;
    for (Region *ry = y->getParentRegion(); ry; ry = ry->getParentRegion())
      if (ry != rx && ry->getParentOp() == cond) return true;
  }
  return false;
}

bool Liveness::isReadAfter(Value value, Operation *op) const {
  // A loop that op is in and the value is not repeats every read inside it.
  Operation *repeating = outermostLoop(value, op);
  bool after = false;
  forEachRead(value, [&](Value current, OpOperand &operand) {
    if (after) return;
    Operation *reader = operand.getOwner();
    if (repeating && repeating->isAncestor(reader)) {
      after = true;
      return;
    }
    // Slices of an xs are still to be read while op runs inside that loop.
    if (isa<ForOp>(reader) && reader->isProperAncestor(op)) {
      if (xsPosition(operand)) after = true;
      return;
    }
    if (op->isAncestor(reader)) return; // counted by readsIn
    if (timeOf(reader) > timeOf(op) && !areExclusive(reader, op)) after = true;
  });
  return after;
}

unsigned Liveness::readsIn(Value value, Operation *op) const {
  unsigned reads = 0;
  forEachRead(value, [&](Value, OpOperand &operand) { reads += op->isAncestor(operand.getOwner()); });
  return reads;
}

int64_t assignOffsets(std::deque<Buffer> &buffers, SmallVectorImpl<int64_t> &offsets) {
  // Largest first, each at the lowest place that is free during its life: within a few percent of the optimum
  // on training programs, and simple.
  SmallVector<unsigned> order;
  for (unsigned i = 0; i < buffers.size(); ++i)
    if (buffers[i].planned) order.push_back(i);
  llvm::sort(order, [&](unsigned x, unsigned y) {
    return buffers[x].bytes != buffers[y].bytes ? buffers[x].bytes > buffers[y].bytes : x < y;
  });
  offsets.assign(buffers.size(), 0);
  auto rounded = [&](unsigned i) { return (std::max<int64_t>(buffers[i].bytes, 1) + 63) / 64 * 64; };
  SmallVector<unsigned> placed; // by offset
  int64_t total = 0;
  for (unsigned i : order) {
    int64_t offset = 0;
    for (unsigned other : placed) {
      if (buffers[other].end < buffers[i].begin || buffers[i].end < buffers[other].begin) continue;
      if (offsets[other] >= offset + rounded(i)) break;
      offset = std::max(offset, offsets[other] + rounded(other));
    }
    offsets[i] = offset;
    total = std::max(total, offset + rounded(i));
    placed.insert(
        llvm::upper_bound(placed, i, [&](unsigned x, unsigned y) { return offsets[x] < offsets[y]; }), i);
  }
  return total;
}

} // namespace jx
