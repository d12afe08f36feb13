// Run-time lists (!jx.stack): jxrt_stack structs in slots that live as long as the program runs, so that a
// list that is made again in the next trip of a loop reuses its memory.
#include "compiler/lowering/ControlFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace jx {

// Fields of jxrt_stack, 8 bytes each.
enum StackField { stackData, stackLength, stackCapacity, stackElementBytes };
static constexpr int64_t stackStructBytes = 32;

static int64_t stackElementSize(StackType type) {
  return type.getElementType().getNumElements() * elementBytes(type.getElementType().getElementType());
}

Value FunctionEmitter::stackSlot() {
  Value arena = LLVM::LoadOp::create(b, loc, pointerType, byteOffset(context, 8));
  return byteOffset(arena, program.newStackSlot());
}

Value FunctionEmitter::stackField(Value stack, int field, Type type) {
  return LLVM::LoadOp::create(b, loc, type, byteOffset(stack, field * 8));
}

void FunctionEmitter::setStackLength(Value stack, Value length) {
  LLVM::StoreOp::create(b, loc, length, byteOffset(stack, stackLength * 8));
}

Value FunctionEmitter::stackResult(Value result) {
  Value stack = stackSlot();
  setMemory(result, stack, nullptr);
  return stack;
}

void FunctionEmitter::emitStackReserve(Value stack, StackType type, Value length, Location where) {
  LLVM::StoreOp::create(b, loc, i64(stackElementSize(type)), byteOffset(stack, stackElementBytes * 8));
  setStackLength(stack, i64(0));
  Block *grow = newBlock(), *ready = newBlock();
  Value capacity = stackField(stack, stackCapacity, b.getI64Type());
  Value small = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, capacity, length);
  cf::CondBranchOp::create(b, loc, small, grow, ValueRange{}, ready, ValueRange{});
  b.setInsertionPointToEnd(grow);
  callChecked("jxrt_stack_grow", {context, stack, length, wherePointer()});
  cf::BranchOp::create(b, loc, ready);
  b.setInsertionPointToEnd(ready);
}

Value FunctionEmitter::emitStackAppend(Value stack, StackType type, Location where) {
  Block *grow = newBlock(), *ready = newBlock();
  Value length = stackField(stack, stackLength, b.getI64Type());
  Value capacity = stackField(stack, stackCapacity, b.getI64Type());
  Value full = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, length, capacity);
  cf::CondBranchOp::create(b, loc, full, grow, ValueRange{}, ready, ValueRange{});
  b.setInsertionPointToEnd(grow);
  callChecked("jxrt_stack_grow", {context, stack, i64(1), wherePointer()});
  cf::BranchOp::create(b, loc, ready);
  b.setInsertionPointToEnd(ready);
  setStackLength(stack, arith::AddIOp::create(b, loc, length, i64(1)));
  Value offset = arith::MulIOp::create(b, loc, length, i64(stackElementSize(type)));
  return byteOffset(stackField(stack, stackData, pointerType), offset);
}

void FunctionEmitter::emitStackCopy(Value to, Value from, StackType type, Location where) {
  Value length = stackField(from, stackLength, b.getI64Type());
  emitStackReserve(to, type, length, where);
  Value bytes = arith::MulIOp::create(b, loc, length, i64(stackElementSize(type)));
  LLVM::MemcpyOp::create(b, loc, stackField(to, stackData, pointerType),
                         stackField(from, stackData, pointerType), bytes, /*isVolatile=*/false);
  setStackLength(to, length);
}

void FunctionEmitter::emitStackSwap(Value x, Value y) {
  if (x == y) return;
  for (int64_t offset = 0; offset < stackStructBytes; offset += 8) {
    Value fromX = LLVM::LoadOp::create(b, loc, b.getI64Type(), byteOffset(x, offset));
    Value fromY = LLVM::LoadOp::create(b, loc, b.getI64Type(), byteOffset(y, offset));
    LLVM::StoreOp::create(b, loc, fromY, byteOffset(x, offset));
    LLVM::StoreOp::create(b, loc, fromX, byteOffset(y, offset));
  }
}

LogicalResult FunctionEmitter::emitStackGet(StackGetOp op) {
  Value stack = place(op.getStack()).pointer;
  auto type = cast<StackType>(op.getStack().getType());
  Value length = stackField(stack, stackLength, b.getI64Type());
  Value last = arith::SubIOp::create(b, loc, length, i64(1));
  Value index = registersOf(op.getIndex()).front();
  if (index.getType() != b.getI64Type()) index = arith::ExtSIOp::create(b, loc, b.getI64Type(), index);
  index = arith::MinSIOp::create(b, loc, index, last);
  index = arith::MaxSIOp::create(b, loc, index, i64(0));
  Value offset = arith::MulIOp::create(b, loc, index, i64(stackElementSize(type)));
  // An empty stack has zeros everywhere: the op has no effect, and may run where nobody asks for its result.
  Value isEmpty = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, length, i64(0));
  Value zeros = dataPointer(std::string(stackElementSize(type), '\0'));
  Value element = arith::SelectOp::create(b, loc, isEmpty, zeros,
                                          byteOffset(stackField(stack, stackData, pointerType), offset));
  Type resultType = op.getElement().getType();
  if (livesInRegisters(resultType))
    setRegisters(op.getElement(), load(resultType, element));
  else
    setMemory(op.getElement(), element, nullptr);
  return success();
}

} // namespace jx
