// Conds and calls.
#include "compiler/lowering/ControlFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace jx {

/// Where a cond's result goes: where it is wanted, else over an array that a branch passes through and that
/// dies in the cond, so that `cond(p, update, identity, x)` copies nothing.
FunctionEmitter::Wish FunctionEmitter::chooseCondDestination(CondOp op, unsigned number) {
  Value result = op.getResult(number);
  auto isFree = [&](Buffer *buffer) {
    if (llvm::is_contained(claimed, buffer)) return false;
    return llvm::none_of(buffer->values, [&](Value value) { return liveness.isReadAfter(value, op); });
  };
  int64_t bytes = bytesOf(result.getType());
  Wish wished = wishes.lookup(result);
  if (wished.pointer && (!wished.buffer || isFree(wished.buffer))) {
    if (wished.buffer) claimed.push_back(wished.buffer);
    return wished;
  }
  Wish chosen;
  if (wished.loop) {
    Slot spare = newSpare(*wished.loop, bytes);
    chosen = {spare.pointer, spare.buffer};
  }
  for (Region &branch : op.getBranches()) {
    if (chosen.pointer) break;
    Value value = branch.front().getTerminator()->getOperand(number);
    if (branch.isAncestor(value.getParentRegion()) || value.getDefiningOp<ConstantOp>()) continue;
    Place where = place(value);
    if (where.buffer && isFree(where.buffer)) chosen = {where.pointer, where.buffer};
  }
  if (!chosen.pointer) chosen.buffer = newBuffer(bytes, op, chosen.pointer);
  claimed.push_back(chosen.buffer);
  return chosen;
}

LogicalResult FunctionEmitter::emitCond(CondOp op) {
  Location outer = op.getLoc();
  Value index = registersOf(op.getIndex()).front();
  SmallVector<Wish> destinations(op.getNumResults());
  SmallVector<Type> joined;
  for (auto [number, result] : llvm::enumerate(op.getResults())) {
    if (isa<StackType>(result.getType())) {
      destinations[number].pointer = stackSlot();
    } else if (!livesInRegisters(result.getType())) {
      destinations[number] = chooseCondDestination(op, number);
      if (Buffer *buffer = destinations[number].buffer)
        buffer->end = std::max(buffer->end, liveness.endOf(op));
    } else {
      llvm::append_range(joined, scalarTypes(result.getType()));
    }
  }
  Block *after = newBlock(joined);
  unsigned count = op.getBranches().size();
  for (auto [number, branch] : llvm::enumerate(op.getBranches())) {
    Block *taken = newBlock();
    if (number + 1 < count) {
      // Indices below the first and above the last branch are clamped.
      Block *other = newBlock();
      Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, index,
                                         constantInt(index.getType(), number));
      cf::CondBranchOp::create(b, loc, here, taken, ValueRange{}, other, ValueRange{});
      b.setInsertionPointToEnd(taken);
      if (failed(emitBranch(op, branch.front(), destinations, after))) return mlir::failure();
      loc = outer;
      b.setInsertionPointToEnd(other);
    } else {
      cf::BranchOp::create(b, loc, taken);
      b.setInsertionPointToEnd(taken);
      if (failed(emitBranch(op, branch.front(), destinations, after))) return mlir::failure();
      loc = outer;
    }
  }
  b.setInsertionPointToEnd(after);
  size_t next = 0;
  for (auto [number, result] : llvm::enumerate(op.getResults())) {
    if (!livesInRegisters(result.getType())) {
      setMemory(result, destinations[number].pointer, destinations[number].buffer);
      continue;
    }
    SmallVector<Value> values;
    for (size_t i = 0; i < scalarTypes(result.getType()).size(); ++i)
      values.push_back(after->getArgument(next++));
    setRegisters(result, values);
  }
  return success();
}

LogicalResult FunctionEmitter::emitBranch(CondOp op, Block &block, ArrayRef<Wish> destinations,
                                          Block *after) {
  Operation *yield = block.getTerminator();
  for (auto [value, to] : llvm::zip(yield->getOperands(), destinations))
    if (to.pointer) wish(value, &block, to);
  if (failed(emitBlock(block))) return mlir::failure();
  loc = yield->getLoc();
  SmallVector<std::pair<Value, Wish>> copies;
  SmallVector<Value> joined;
  for (auto [value, to] : llvm::zip(yield->getOperands(), destinations)) {
    if (auto type = dyn_cast<StackType>(value.getType())) {
      Value from = place(value).pointer;
      if (value.getDefiningOp() && value.getDefiningOp()->getBlock() == &block && value.hasOneUse())
        emitStackSwap(to.pointer, from);
      else
        emitStackCopy(to.pointer, from, type, loc);
    } else if (livesInRegisters(value.getType())) {
      llvm::append_range(joined, registersOf(value));
    } else if (value.getDefiningOp<ConstantOp>() || place(value).pointer != to.pointer) {
      copies.push_back({value, to});
    }
  }
  if (failed(copyAll(copies, yield))) return mlir::failure();
  cf::BranchOp::create(b, loc, after, joined);
  return success();
}

LogicalResult FunctionEmitter::emitCall(Operation *op, StringRef callee, OperandRange arguments) {
  if (!program.lookup(callee)) return op->emitOpError("calls a function that does not exist");
  Value calleeFrame;
  reserve(program.frameBytes(callee), op, calleeFrame);
  SmallVector<Value> operands{context, calleeFrame};
  for (Value argument : arguments) {
    if (livesInRegisters(argument.getType()))
      llvm::append_range(operands, registersOf(argument));
    else
      operands.push_back(pointerOf(argument));
  }
  SmallVector<Value> loads(op->getNumResults());
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    if (isa<StackType>(result.getType())) {
      operands.push_back(stackResult(result));
    } else if (livesInRegisters(result.getType())) {
      loads[number] = stackAlloc(bytesOf(result.getType()));
      operands.push_back(loads[number]);
    } else {
      int64_t shared;
      Wish to = chooseDestination(result, op, [](unsigned) { return false; }, shared);
      operands.push_back(to.pointer);
      setMemory(result, to.pointer, to.buffer);
    }
  }
  callChecked(program.functionSymbol(callee), operands);
  for (auto [result, pointer] : llvm::zip(op->getResults(), loads))
    if (pointer) setRegisters(result, load(result.getType(), pointer));
  return success();
}

} // namespace jx
