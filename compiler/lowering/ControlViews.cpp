// Reads and updates of parts of arrays without a kernel: views are pointers, a few elements are loaded and
// stored one by one.
#include "compiler/lowering/ControlFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace jx {

LogicalResult FunctionEmitter::emitReshape(ReshapeOp op) {
  Value from = op.getOperand(), to = op.getResult();
  if (livesInRegisters(to.getType())) {
    Place where = place(from);
    setRegisters(to, where.scalars);
    return success();
  }
  if (from.getDefiningOp<ConstantOp>()) {
    setMemory(to, pointerOf(from), nullptr);
    return success();
  }
  Place where = place(from);
  setMemory(to, where.pointer, where.buffer);
  return success();
}

/// The window of result's shape at linear element `start` of the array `operand`, `strides` apart.
void FunctionEmitter::emitWindow(Value result, Value operand, Value start, ArrayRef<int64_t> strides) {
  auto type = cast<RankedTensorType>(result.getType());
  Value base = elementPointer(b, loc, type.getElementType(), pointerOf(operand), start);
  if (!livesInRegisters(type)) {
    setMemory(result, base, nullptr);
    return;
  }
  int64_t width = elementBytes(type.getElementType());
  SmallVector<int64_t> inside = rowMajorStrides(type.getShape());
  Registers scalars;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    int64_t offset = 0;
    for (auto [extent, stride, step] : llvm::zip(type.getShape(), strides, inside))
      offset += i / step % extent * stride;
    llvm::append_range(scalars, loadElement(b, loc, type.getElementType(), byteOffset(base, offset * width)));
  }
  setRegisters(result, scalars);
}

LogicalResult FunctionEmitter::emitSlice(SliceOp op) {
  if (isRegisterOp(op)) return emitRegisterOp(op);
  SmallVector<int64_t> strides = rowMajorStrides(shapeOf(op.getOperand()));
  int64_t start = 0;
  for (auto [first, stride, step] : llvm::zip(op.getStarts(), strides, op.getStrides())) {
    start += first * stride;
    stride *= step;
  }
  emitWindow(op.getResult(), op.getOperand(), i64(start), strides);
  return success();
}

Value FunctionEmitter::windowStart(ValueRange starts, ArrayRef<int64_t> sizes, ArrayRef<int64_t> shape) {
  Value position = i64(0);
  for (auto [start, size, extent, stride] : llvm::zip(starts, sizes, shape, rowMajorStrides(shape))) {
    Value clamped = clampedStart(b, loc, registersOf(start).front(), elementTypeOf(start), extent - size);
    position = arith::AddIOp::create(b, loc, position, arith::MulIOp::create(b, loc, clamped, i64(stride)));
  }
  return position;
}

LogicalResult FunctionEmitter::emitDynamicSlice(DynamicSliceOp op) {
  if (isRegisterOp(op)) return emitRegisterOp(op);
  auto shape = shapeOf(op.getOperand());
  emitWindow(op.getResult(), op.getOperand(), windowStart(op.getStarts(), op.getSizes(), shape),
             rowMajorStrides(shape));
  return success();
}

LogicalResult FunctionEmitter::emitDynamicUpdateSlice(DynamicUpdateSliceOp op) {
  if (isRegisterOp(op)) return emitRegisterOp(op);
  Value operand = op.getOperand(), result = op.getResult();
  int64_t shared;
  Wish to = chooseDestination(result, op, [](unsigned number) { return number == 0; }, shared);
  if (shared < 0 && failed(copyTo(operand, to.pointer))) return mlir::failure();
  auto shape = shapeOf(operand), sizes = shapeOf(op.getUpdate());
  Type elementType = elementTypeOf(operand);
  Value base = elementPointer(b, loc, elementType, to.pointer, windowStart(op.getStarts(), sizes, shape));
  int64_t width = elementBytes(elementType);
  SmallVector<int64_t> inside = rowMajorStrides(sizes), strides = rowMajorStrides(shape);
  ArrayRef<Value> update = registersOf(op.getUpdate());
  int64_t count = arrayType(op.getUpdate()).getNumElements();
  for (int64_t i = 0; i < count; ++i) {
    int64_t offset = 0;
    for (auto [extent, stride, step] : llvm::zip(sizes, strides, inside))
      offset += i / step % extent * stride;
    size_t parts = update.size() / count;
    storeElement(b, loc, elementType, update.slice(i * parts, parts), byteOffset(base, offset * width));
  }
  setMemory(result, to.pointer, to.buffer);
  return success();
}

} // namespace jx
