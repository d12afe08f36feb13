// A loop over many scalar leaves computes, say, sixty sines a trip. Each is dozens of instructions without a
// parallel one in it; eight of them are the same instructions on a vector. LLVM's packing of scalars finds
// parts of this and pays for the seams, so the functions are packed here, where they are one op: operands are
// joined into an array of up to eight elements, which is registers, and results are taken apart again, which
// is free.
//
// Ops are sorted by how many such functions lie on the longest way to them. Within one level none depends on
// another.
#include "compiler/lowering/ControlPacking.h"
#include "compiler/dialect/RegionRules.h"
#include "compiler/lowering/ControlRegisters.h"
#include "compiler/ops/effect/Fences.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace jx {
namespace {

/// Fewer in a block leave its order alone.
constexpr size_t leastFunctions = 4;

bool isPackable(Operation *op) {
  if (!isLongFunction(op) || op->getNumResults() != 1) return false;
  auto isScalar = [](Type type) {
    auto array = dyn_cast<RankedTensorType>(type);
    return array && array.getNumElements() == 1 &&
           (array.getElementType().isF32() || array.getElementType().isF64());
  };
  return llvm::all_of(op->getOperandTypes(), isScalar) && isScalar(op->getResult(0).getType());
}

class BlockPacking {
public:
  explicit BlockPacking(Block &block) : block(block) {}
  void run();

private:
  bool isSuitable();
  void findLevels();
  void sort();
  void pack(ArrayRef<Operation *> members);

  Block &block;
  llvm::DenseMap<Operation *, unsigned> levels;
  /// By level, name, types and attributes, of which the first member is the example.
  SmallVector<SmallVector<Operation *>> groups;
};

/// Whether order costs nothing here: no memory is reused, nothing is timed.
bool BlockPacking::isSuitable() {
  for (Operation &op : block.without_terminator())
    if (isFence(&op) || !llvm::all_of(op.getResultTypes(), livesInRegisters)) return false;
  return true;
}

void BlockPacking::findLevels() {
  unsigned effects = 0;
  for (Operation &op : block.without_terminator()) {
    unsigned level = 0;
    auto after = [&](Value value) {
      Operation *maker = value.getDefiningOp();
      if (maker && maker->getBlock() == &block)
        level = std::max(level, levels.lookup(maker) + isPackable(maker));
    };
    llvm::for_each(op.getOperands(), after);
    llvm::for_each(capturedValues(&op), after);
    // Effects keep their order, and their place among loops: a print must not wait for one that follows it.
    if (!isMemoryEffectFree(&op) || op.getNumRegions() > 0) effects = level = std::max(level, effects);
    levels[&op] = level;
    if (!isPackable(&op)) continue;
    auto like = [&](ArrayRef<Operation *> group) {
      Operation *other = group.front();
      return levels.lookup(other) == level && other->getName() == op.getName() &&
             other->getOperandTypes() == op.getOperandTypes() &&
             other->getAttrDictionary() == op.getAttrDictionary();
    };
    auto found = llvm::find_if(groups, like);
    if (found == groups.end())
      groups.push_back({&op});
    else
      found->push_back(&op);
  }
}

/// Level by level, the packable functions of each last.
void BlockPacking::sort() {
  SmallVector<std::tuple<unsigned, bool, size_t, Operation *>> ops; // the size_t keeps the order of equals
  for (Operation &op : block.without_terminator())
    ops.push_back({levels.lookup(&op), isPackable(&op), ops.size(), &op});
  llvm::sort(ops);
  for (auto &[level, last, position, op] : ops) op->moveBefore(block.getTerminator());
}

void BlockPacking::pack(ArrayRef<Operation *> members) {
  RuleBuilder b(OpBuilder(members.front()), members.front()->getLoc());
  auto lanes = static_cast<int64_t>(members.size());
  SmallVector<Value> operands;
  for (unsigned number = 0; number < members.front()->getNumOperands(); ++number) {
    SmallVector<Value> parts;
    for (Operation *member : members) parts.push_back(b.reshape(member->getOperand(number), {1}));
    operands.push_back(b.concatenate(parts, 0));
  }
  Operation *first = members.front();
  Type type = RankedTensorType::get({lanes}, elementTypeOf(first->getResult(0)));
  OperationState state(b.getLoc(), first->getName(), operands, type, first->getAttrs());
  state.addAttribute(packedAttr, b.getUnitAttr());
  Value packed = b.create(state)->getResult(0);
  for (auto [lane, member] : llvm::enumerate(members)) {
    auto at = static_cast<int64_t>(lane);
    Value part = b.reshape(b.slice(packed, {at}, {at + 1}, {1}), shapeOf(member->getResult(0)));
    member->getResult(0).replaceAllUsesWith(part);
  }
  for (Operation *member : members) member->erase();
}

void BlockPacking::run() {
  if (llvm::count_if(block.without_terminator(), [](Operation &op) { return isPackable(&op); }) <
          static_cast<int64_t>(leastFunctions) ||
      !isSuitable())
    return;
  findLevels();
  if (llvm::none_of(groups, [](auto &group) { return group.size() >= leastFunctions; })) return;
  sort();
  for (ArrayRef<Operation *> group : groups)
    for (; group.size() > 1; group = group.drop_front(std::min<size_t>(group.size(), registerElements)))
      pack(group.take_front(registerElements));
}

} // namespace

void packScalarFunctions(ModuleOp module) {
  llvm::SetVector<Block *> blocks;
  module.walk([&](Operation *loop) {
    if (isa<ForOp, WhileOp>(loop)) loop->walk([&](Block *block) { blocks.insert(block); });
  });
  for (Block *block : blocks) BlockPacking(*block).run();
}

} // namespace jx
