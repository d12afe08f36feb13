// Loops of a kernel that are worth several threads: the loop becomes a function over a range of its
// iterations, which the runtime's pool calls. What the loop reads from outside goes through a block of 8-byte
// slots; scratch memory that only the loop uses becomes each call's own. The bits do not depend on who
// computes them: iterations are independent.
#include "compiler/lowering/KernelBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace jx {

/// Operations that one thread should at least have: a few microseconds.
static constexpr int64_t kWorkOfThread = 24000;

static std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant))) return std::nullopt;
  return constant.getSExtValue();
}

static std::optional<int64_t> tripsOf(scf::ForOp loop) {
  auto low = constantOf(loop.getLowerBound()), high = constantOf(loop.getUpperBound()),
       step = constantOf(loop.getStep());
  if (!low || !high || !step) return std::nullopt;
  return (*high - *low + *step - 1) / *step;
}

/// Operations that one execution of the block takes, roughly.
static int64_t workOf(Block &block) {
  int64_t work = 0;
  for (Operation &op : block) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      work += tripsOf(loop).value_or(64) * workOf(*loop.getBody());
      continue;
    }
    ++work;
    for (Region &region : op.getRegions())
      for (Block &inner : region) work += workOf(inner);
  }
  return work;
}

static bool isUsedOnlyIn(Value value, Operation *loop) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) { return loop->isAncestor(user); });
}

/// Makes the loop a call of the pool; false where it has to stay as it is.
static bool outline(KernelBody &body, scf::ForOp loop, int64_t trips, int64_t grain, unsigned number,
                    ArrayRef<Value> heap) {
  llvm::SetVector<Value> captured;
  loop.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (!loop->isAncestor(operand.getParentBlock()->getParentOp())) captured.insert(operand);
  });
  SmallVector<Value> slots;
  SmallVector<Operation *> copied;
  for (Value value : captured) {
    Operation *op = value.getDefiningOp();
    // Memory from the runtime that each iteration overwrites cannot be shared.
    if (llvm::is_contained(heap, value) && isUsedOnlyIn(value, loop)) return false;
    if (op &&
        (op->hasTrait<OpTrait::ConstantLike>() || (isa<LLVM::AllocaOp>(op) && isUsedOnlyIn(value, loop))))
      copied.push_back(op);
    else if (isa<LLVM::LLVMPointerType>(value.getType()) || value.getType().isInteger(64) ||
             value.getType().isF32() || value.getType().isInteger(32) || value.getType().isF64())
      slots.push_back(value);
    else
      return false;
  }
  OpBuilder &b = body.b;
  OpBuilder::InsertionGuard guard(b);
  Location loc = body.loc;
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  std::string name = (body.getName() + "_part" + Twine(number)).str();

  auto slotAt = [&](Value base, size_t slot) {
    return LLVM::GEPOp::create(b, loc, pointer, i64, base,
                               ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(static_cast<int32_t>(slot))});
  };
  b.setInsertionPoint(loop);
  Value block = body.scratch(static_cast<int64_t>(slots.size()) * 8);
  for (auto [slot, value] : llvm::enumerate(slots)) LLVM::StoreOp::create(b, loc, value, slotAt(block, slot));
  Value function = LLVM::AddressOfOp::create(b, loc, pointer, name);
  // A range of iterations cannot fail, and neither can the call.
  auto number64 = [&](int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  body.call("jxrt_parallel_for",
            {body.getContext(), function, block, number64(0), number64(trips), number64(grain)}, {i32});

  b.setInsertionPointToEnd(body.module.getBody());
  auto type = LLVM::LLVMFunctionType::get(i32, {pointer, i64, i64, i32});
  auto part = LLVM::LLVMFuncOp::create(b, loc, name, type, LLVM::Linkage::Private);
  Block *entry = part.addEntryBlock(b);
  b.setInsertionPointToEnd(entry);
  IRMapping map;
  for (Operation *op : copied) {
    // The operands of an alloca are constants.
    for (Value operand : op->getOperands())
      if (!map.contains(operand)) b.clone(*operand.getDefiningOp(), map);
    b.clone(*op, map);
  }
  for (auto [slot, value] : llvm::enumerate(slots))
    map.map(value,
            LLVM::LoadOp::create(b, loc, value.getType(), slotAt(entry->getArgument(0), slot)).getResult());
  auto constant = [&](int64_t value) {
    return LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(value));
  };
  int64_t first = *constantOf(loop.getLowerBound()), by = *constantOf(loop.getStep());
  Value step = constant(by);
  auto bound = [&](Value iteration) {
    Value scaled = arith::MulIOp::create(b, loc, iteration, step);
    return arith::AddIOp::create(b, loc, scaled, constant(first)).getResult();
  };
  Value begin = bound(entry->getArgument(1)), end = bound(entry->getArgument(2));
  auto range = scf::ForOp::create(b, loc, begin, end, step);
  range.getBody()->erase();
  range.getRegion().takeBody(loop.getRegion());
  LLVM::ReturnOp::create(b, loc, LLVM::ConstantOp::create(b, loc, i32, b.getI32IntegerAttr(0)));
  range.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) operand.set(map.lookupOrDefault(operand.get()));
  });
  loop.erase();
  for (Operation *op : copied)
    if (isa<LLVM::AllocaOp>(op) && op->use_empty()) op->erase();
  return true;
}

void parallelise(KernelBody &body, Block &block, ArrayRef<Value> heap) {
  unsigned number = 0;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || !loop->hasAttr("jx.parallel") || loop.getNumResults() > 0) continue;
    std::optional<int64_t> trips = tripsOf(loop);
    if (!trips) continue;
    int64_t work = std::max<int64_t>(workOf(*loop.getBody()), 1);
    int64_t grain = (kWorkOfThread + work - 1) / work;
    if (*trips < 2 * grain) continue;
    if (outline(body, loop, *trips, grain, number, heap)) ++number;
  }
}

} // namespace jx
