// Loops: carries in registers or in buffers that are updated in place or handed on by rotating pointers,
// scanned arrays read and stacked arrays written where they lie, and a look at the cancel flag on every back
// edge.
#include "compiler/lowering/ControlFunction.h"
#include "compiler/lowering/ScalarEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace jx {

static bool livesInMemory(Type type) { return isa<RankedTensorType>(type) && !livesInRegisters(type); }

FunctionEmitter::Slot FunctionEmitter::newSpare(Loop &loop, int64_t bytes) {
  Slot slot;
  slot.bytes = bytes;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.preheader);
    Buffer *memory = newBuffer(bytes, loop.op, slot.initial);
    memory->end = liveness.endOf(loop.op);
  }
  slot.pointer = loop.header->addArgument(pointerType, loc);
  slot.buffer = newName();
  loop.slots.push_back(slot);
  return slot;
}

/// Finds or makes the memory of every carry and brings the initial values there.
LogicalResult FunctionEmitter::beginCarries(Loop &loop, ValueRange inits, ValueRange results) {
  unsigned firstOperand = isa<ForOp>(loop.op) ? cast<ForOp>(loop.op).getODSOperandIndexAndLength(1).first : 0;
  SmallVector<std::pair<Value, Wish>> copies;
  for (auto [number, init] : llvm::enumerate(inits)) {
    Value result = results[number];
    loop.slotOfCarry.push_back(-1);
    if (auto type = dyn_cast<StackType>(init.getType())) {
      Value stack = stackResult(result);
      if (init.getDefiningOp() && init.hasOneUse() && init.getDefiningOp()->getBlock() == loop.op->getBlock())
        emitStackSwap(stack, place(init).pointer);
      else
        emitStackCopy(stack, place(init).pointer, type, loc);
      continue;
    }
    if (!livesInMemory(init.getType())) continue;
    int64_t shared;
    auto shares = [&](unsigned operand) { return operand == firstOperand + number; };
    Wish home = chooseDestination(result, loop.op, shares, shared);
    if (home.buffer) home.buffer->end = std::max(home.buffer->end, liveness.endOf(loop.op));
    if (shared < 0) copies.push_back({init, home});
    loop.slotOfCarry.back() = loop.slots.size();
    loop.slots.push_back({Value(), home.pointer, home.buffer, bytesOf(init.getType())});
  }
  for (auto &[init, home] : copies)
    if (failed(copyTo(init, home.pointer))) return mlir::failure();
  return success();
}

/// Makes the header, whose arguments are the trip's number and the carries, and leaves their initial values
/// in the loop; `results` of the op hold stacks.
void FunctionEmitter::enterHeader(Loop &loop, ValueRange inits, ValueRange arguments, ValueRange results) {
  loop.preheader = b.getInsertionBlock();
  loop.header = newBlock(b.getI64Type());
  loop.entryOperands.push_back(i64(0));
  for (auto [init, argument, result] : llvm::zip(inits, arguments, results)) {
    if (isa<StackType>(init.getType())) setMemory(argument, place(result).pointer, nullptr);
    if (!livesInRegisters(init.getType())) continue;
    for (Value scalar : registersOf(init)) {
      loop.entryOperands.push_back(scalar);
      loop.finalRegisters.push_back(loop.header->addArgument(scalar.getType(), loc));
    }
    setRegisters(argument, ArrayRef(loop.finalRegisters).take_back(registersOf(init).size()));
  }
  for (Slot &slot : loop.slots) {
    loop.homes.push_back(slot.buffer);
    slot.pointer = loop.header->addArgument(pointerType, loc);
    slot.buffer = newName();
  }
  for (auto [argument, slot] : llvm::zip(arguments, loop.slotOfCarry))
    if (slot >= 0) setMemory(argument, loop.slots[slot].pointer, loop.slots[slot].buffer);
}

/// Wishes the new carries that `block` makes into the buffers of the old ones.
void FunctionEmitter::wishCarries(Loop &loop, Block *block, ValueRange yielded) {
  for (auto [value, slot] : llvm::zip(yielded, loop.slotOfCarry))
    if (slot >= 0) wish(value, block, {loop.slots[slot].pointer, loop.slots[slot].buffer, &loop});
}

/// Ends a trip, whose new carries are `yielded`, and the loop's code.
LogicalResult FunctionEmitter::endTrip(Loop &loop, ValueRange yielded, ValueRange arguments, Operation *at) {
  SmallVector<Value> backOperands{arith::AddIOp::create(b, loc, loop.header->getArgument(0), i64(1))};
  for (Value value : yielded)
    if (livesInRegisters(value.getType())) llvm::append_range(backOperands, registersOf(value));

  SmallVector<Value> next(loop.slots.size());
  SmallVector<bool> taken(loop.slots.size(), false);
  auto holds = [&](unsigned slot, Value value) {
    if (value.getDefiningOp<ConstantOp>()) return false;
    const Place &where = place(value);
    return where.buffer == loop.slots[slot].buffer && where.pointer == loop.slots[slot].pointer;
  };
  auto assign = [&](unsigned carrySlot, unsigned from) {
    next[carrySlot] = loop.slots[from].pointer;
    taken[from] = true;
  };
  for (auto [value, slot] : llvm::zip(yielded, loop.slotOfCarry))
    if (slot >= 0 && holds(slot, value)) assign(slot, slot);
  for (auto [value, slot] : llvm::zip(yielded, loop.slotOfCarry)) {
    if (slot < 0 || next[slot]) continue;
    for (unsigned from = 0; from < loop.slots.size() && !next[slot]; ++from)
      if (!taken[from] && loop.slots[from].bytes == loop.slots[slot].bytes && holds(from, value))
        assign(slot, from);
  }
  // What is in no buffer of the loop is copied into a free one; there are as many as carries.
  auto takeFree = [&](unsigned slot) {
    unsigned from = slot;
    if (taken[slot])
      for (from = 0; taken[from] || loop.slots[from].bytes != loop.slots[slot].bytes;) ++from;
    assign(slot, from);
    return from;
  };
  SmallVector<std::pair<Value, Wish>> copies;
  for (auto [value, slot] : llvm::zip(yielded, loop.slotOfCarry)) {
    if (slot < 0 || next[slot]) continue;
    unsigned from = takeFree(slot);
    copies.push_back({value, {loop.slots[from].pointer, loop.slots[from].buffer}});
  }
  if (failed(copyAll(copies, at))) return mlir::failure();
  for (unsigned slot = 0; slot < loop.slots.size(); ++slot)
    if (!next[slot]) takeFree(slot);
  llvm::append_range(backOperands, next);
  for (auto [pointer, slot] : llvm::zip(next, loop.slots)) loop.moved.push_back(pointer != slot.pointer);

  // Stacks last: nothing reads an old one any more, save other stacks.
  SmallVector<std::pair<Value, Value>> swaps;
  for (auto [value, argument] : llvm::zip(yielded, arguments)) {
    auto type = dyn_cast<StackType>(value.getType());
    if (!type || place(value).pointer == place(argument).pointer) continue;
    Value from = place(value).pointer;
    if (!value.getDefiningOp() || !value.hasOneUse() || value.getDefiningOp()->getBlock() != at->getBlock()) {
      from = stackSlot();
      emitStackCopy(from, place(value).pointer, type, loc);
    }
    swaps.push_back({place(argument).pointer, from});
  }
  for (auto [to, from] : swaps) emitStackSwap(to, from);

  loc = loop.op->getLoc();
  emitPoll();
  cf::BranchOp::create(b, loc, loop.header, backOperands);
  // Spare buffers have come up since the header was entered.
  b.setInsertionPointToEnd(loop.preheader);
  for (Slot &slot : loop.slots) loop.entryOperands.push_back(slot.initial);
  cf::BranchOp::create(b, loc, loop.header, loop.entryOperands);
  return success();
}

/// After the loop: where the final carries are. The header's arguments hold them.
LogicalResult FunctionEmitter::endCarries(Loop &loop, ValueRange results) {
  ArrayRef<Value> registers = loop.finalRegisters;
  unsigned wandering = 0;
  for (int slot : loop.slotOfCarry) wandering += slot >= 0 && loop.moved[slot];
  size_t nextRegister = 0;
  for (auto [result, slot] : llvm::zip(results, loop.slotOfCarry)) {
    if (livesInRegisters(result.getType())) {
      size_t count = arrayType(result).getNumElements() * numScalars(elementTypeOf(result));
      setRegisters(result, registers.slice(nextRegister, count));
      nextRegister += count;
    }
    if (slot < 0) continue;
    Slot &memory = loop.slots[slot];
    if (!loop.moved[slot]) {
      setMemory(result, memory.initial, loop.homes[slot]);
      continue;
    }
    // A buffer that wandered may have ended elsewhere. Alone it is brought home; several might sit in each
    // other's homes, so they are copied out.
    if (wandering == 1) {
      Block *copy = newBlock(), *ready = newBlock();
      Value away = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, memory.pointer, memory.initial);
      cf::CondBranchOp::create(b, loc, away, copy, ValueRange{}, ready, ValueRange{});
      b.setInsertionPointToEnd(copy);
      emitCopy(memory.initial, memory.pointer, memory.bytes);
      cf::BranchOp::create(b, loc, ready);
      b.setInsertionPointToEnd(ready);
      setMemory(result, memory.initial, loop.homes[slot]);
    } else {
      Value pointer;
      Buffer *buffer = newBuffer(memory.bytes, loop.op, pointer);
      buffer->end = liveness.endOf(loop.op);
      emitCopy(pointer, memory.pointer, memory.bytes);
      setMemory(result, pointer, buffer);
    }
  }
  return success();
}

void FunctionEmitter::emitPoll() {
  Block *stop = newBlock(), *next = newBlock();
  Value flag = LLVM::LoadOp::create(b, loc, b.getI32Type(), context, /*alignment=*/4, /*isVolatile=*/true);
  Value cancelled = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, flag, i32(0));
  cf::CondBranchOp::create(b, loc, cancelled, stop, ValueRange{}, next, ValueRange{});
  b.setInsertionPointToEnd(stop);
  Value status = callRuntime("jxrt_cancelled", {context, wherePointer()}, b.getI32Type());
  func::ReturnOp::create(b, loc, status);
  b.setInsertionPointToEnd(next);
}

/// One element of an array or stack along its leading axis.
Value FunctionEmitter::elementOf(Value base, Value index, Type elementType) {
  return byteOffset(base, arith::MulIOp::create(b, loc, index, i64(bytesOf(elementType))));
}

/// Memory of a stacked output of jx.for, known in full before the loop.
FunctionEmitter::StackedOutput FunctionEmitter::beginStacked(ForOp op, Value result, Value trips) {
  if (auto stackType = dyn_cast<StackType>(result.getType())) {
    Value stack = stackResult(result);
    emitStackReserve(stack, stackType, trips, loc);
    return {stackField(stack, 0, pointerType), stackType.getElementType(), nullptr};
  }
  auto type = cast<RankedTensorType>(result.getType());
  auto element = RankedTensorType::get(type.getShape().drop_front(), type.getElementType());
  if (livesInRegisters(type)) return {stackAlloc(bytesOf(type)), element, nullptr};
  int64_t shared;
  Wish to = chooseDestination(result, op, [](unsigned) { return false; }, shared);
  if (to.buffer) to.buffer->end = std::max(to.buffer->end, liveness.endOf(op));
  return {to.pointer, element, to.buffer};
}

LogicalResult FunctionEmitter::emitFor(ForOp op) {
  Value trips;
  if (auto count = op.getTripCount()) {
    trips = i64(*count);
  } else {
    Value wanted = registersOf(op.getTrip()).front();
    trips = arith::MaxSIOp::create(b, loc, wanted, i64(0));
  }
  Block *body = op.getBlock();
  Operation *yield = body->getTerminator();
  auto results = op.getResults();
  unsigned carries = op.getNumCarries();

  Loop loop;
  loop.op = op;
  if (failed(beginCarries(loop, op.getInits(), results.take_front(carries)))) return mlir::failure();

  SmallVector<StackedOutput> stacked;
  for (Value result : results.drop_front(carries)) stacked.push_back(beginStacked(op, result, trips));
  SmallVector<Value> xsBase;
  for (Value xs : op.getXs()) {
    Value pointer =
        isa<StackType>(xs.getType()) ? stackField(place(xs).pointer, 0, pointerType) : pointerOf(xs);
    xsBase.push_back(pointer);
  }

  enterHeader(loop, op.getInits(), op.getCarryArgs(), results);

  Block *inside = newBlock(), *exit = newBlock();
  b.setInsertionPointToEnd(loop.header);
  Value trip = loop.header->getArgument(0);
  Value more = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, trip, trips);
  cf::CondBranchOp::create(b, loc, more, inside, ValueRange{}, exit, ValueRange{});

  b.setInsertionPointToEnd(inside);
  Value index = trip;
  if (op.getReverse()) {
    Value last = arith::SubIOp::create(b, loc, trips, i64(1));
    index = arith::SubIOp::create(b, loc, last, trip);
  }
  setRegisters(op.getIndex(), index);
  for (auto [slice, base] : llvm::zip(op.getSliceArgs(), xsBase)) {
    Value pointer = elementOf(base, index, slice.getType());
    if (livesInRegisters(slice.getType()))
      setRegisters(slice, load(slice.getType(), pointer));
    else
      setMemory(slice, pointer, nullptr);
  }
  SmallVector<Value> stackedPointer;
  for (const StackedOutput &output : stacked)
    stackedPointer.push_back(elementOf(output.base, index, output.element));
  wishCarries(loop, body, yield->getOperands().take_front(carries));
  for (auto [value, pointer] : llvm::zip(yield->getOperands().drop_front(carries), stackedPointer))
    wish(value, body, {pointer});

  if (failed(emitBlock(*body))) return mlir::failure();
  loc = yield->getLoc();
  for (auto [value, pointer] : llvm::zip(yield->getOperands().drop_front(carries), stackedPointer))
    if (livesInRegisters(value.getType()) || place(value).pointer != pointer)
      if (failed(copyTo(value, pointer))) return mlir::failure();
  if (failed(endTrip(loop, yield->getOperands().take_front(carries), op.getCarryArgs(), yield)))
    return mlir::failure();

  b.setInsertionPointToEnd(exit);
  if (failed(endCarries(loop, results.take_front(carries)))) return mlir::failure();
  for (auto [output, result] : llvm::zip_equal(stacked, results.drop_front(carries))) {
    if (isa<StackType>(result.getType()))
      setStackLength(place(result).pointer, trips);
    else if (livesInRegisters(result.getType()))
      setRegisters(result, load(result.getType(), output.base));
    else
      setMemory(result, output.base, output.buffer);
  }
  return success();
}

LogicalResult FunctionEmitter::emitWhile(WhileOp op) {
  Block &before = op.getBefore().front(), &body = op.getBody().front();
  Operation *yield = body.getTerminator();
  auto results = op.getResults();
  unsigned carries = op.getNumCarries();

  Loop loop;
  loop.op = op;
  if (failed(beginCarries(loop, op.getInits(), results.take_front(carries)))) return mlir::failure();
  auto stacks = results.drop_front(carries + 1);
  for (Value result : stacks)
    emitStackReserve(stackResult(result), cast<StackType>(result.getType()), i64(0), loc);

  enterHeader(loop, op.getInits(), body.getArguments(), results);
  for (auto [argument, carried] : llvm::zip(before.getArguments(), body.getArguments())) {
    Place where = place(carried);
    if (livesInRegisters(argument.getType()))
      setRegisters(argument, where.scalars);
    else
      setMemory(argument, where.pointer, where.buffer);
  }

  b.setInsertionPointToEnd(loop.header);
  if (failed(emitBlock(before))) return mlir::failure();
  loc = op.getLoc();
  Block *inside = newBlock(), *exit = newBlock();
  Value more = registersOf(before.getTerminator()->getOperand(0)).front();
  cf::CondBranchOp::create(b, loc, more, inside, ValueRange{}, exit, ValueRange{});

  b.setInsertionPointToEnd(inside);
  wishCarries(loop, &body, yield->getOperands().take_front(carries));
  if (failed(emitBlock(body))) return mlir::failure();
  loc = yield->getLoc();
  for (auto [value, result] : llvm::zip(yield->getOperands().drop_front(carries), stacks)) {
    Value pointer = emitStackAppend(place(result).pointer, cast<StackType>(result.getType()), loc);
    if (failed(copyTo(value, pointer))) return mlir::failure();
  }
  if (failed(endTrip(loop, yield->getOperands().take_front(carries), body.getArguments(), yield)))
    return mlir::failure();

  b.setInsertionPointToEnd(exit);
  setRegisters(op.getTripCount(), loop.header->getArgument(0));
  return endCarries(loop, results.take_front(carries));
}

} // namespace jx
