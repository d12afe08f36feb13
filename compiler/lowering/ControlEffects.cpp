// Effects: calls of the runtime's C ABI, with format operands and descriptors laid out on the native stack.
#include "compiler/lowering/ControlFunction.h"
#include "compiler/ops/effect/RuntimeValues.h"
#include "jxrt/Array.h"
#include "jxrt/Effects.h"
#include "jxrt/Host.h"
#include "jxrt/Io.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstddef>

using namespace mlir;

namespace jx {

Value FunctionEmitter::wherePointer() { return textPointer(sourceLine(loc)); }

void FunctionEmitter::emitRequire(Value condition, StringRef errorClass, StringRef message) {
  Block *fail = newBlock(), *next = newBlock();
  cf::CondBranchOp::create(b, loc, condition, next, ValueRange{}, fail, ValueRange{});
  b.setInsertionPointToEnd(fail);
  Value status = callRuntime(
      "jxrt_fail", {context, textPointer(errorClass), textPointer(message), wherePointer()}, b.getI32Type());
  func::ReturnOp::create(b, loc, status);
  b.setInsertionPointToEnd(next);
}

Value FunctionEmitter::shapePointer(ArrayRef<int64_t> shape) {
  if (shape.empty()) return LLVM::ZeroOp::create(b, loc, pointerType);
  return dataPointer(StringRef(reinterpret_cast<const char *>(shape.data()), shape.size() * sizeof(int64_t)));
}

void FunctionEmitter::storeField(Value base, int64_t offset, Value value) {
  LLVM::StoreOp::create(b, loc, value, byteOffset(base, offset));
}

Value FunctionEmitter::formatOperands(ValueRange operands) {
  if (operands.empty()) return LLVM::ZeroOp::create(b, loc, pointerType);
  Value values = stackAlloc(operands.size() * sizeof(jxrt_value));
  for (auto [number, operand] : llvm::enumerate(operands)) {
    Value value = byteOffset(values, number * sizeof(jxrt_value));
    auto stack = dyn_cast<StackType>(operand.getType());
    auto type = stack ? stack.getElementType() : cast<RankedTensorType>(operand.getType());
    Value pointer = stack ? stackField(place(operand).pointer, 0, pointerType) : pointerOf(operand);
    storeField(value, offsetof(jxrt_value, kind), i32(stack ? JXRT_VALUE_STACK : JXRT_VALUE_ARRAY));
    storeField(value, offsetof(jxrt_value, dtype), i32(runtimeDtype(type.getElementType())));
    storeField(value, offsetof(jxrt_value, rank), i64(type.getRank()));
    storeField(value, offsetof(jxrt_value, shape), shapePointer(type.getShape()));
    storeField(value, offsetof(jxrt_value, data), pointer);
    storeField(value, offsetof(jxrt_value, scalar),
               stack ? stackField(place(operand).pointer, 1, b.getI64Type()) : i64(0));
    storeField(value, offsetof(jxrt_value, reserved), i64(0));
  }
  return values;
}

void FunctionEmitter::storeDescriptor(Value descriptor, RankedTensorType type, Value pointer) {
  storeField(descriptor, offsetof(jxrt_array, data), pointer);
  storeField(descriptor, offsetof(jxrt_array, rank), i64(type.getRank()));
  storeField(descriptor, offsetof(jxrt_array, shape), shapePointer(type.getShape()));
  storeField(descriptor, offsetof(jxrt_array, dtype), i32(runtimeDtype(type.getElementType())));
  storeField(descriptor, offsetof(jxrt_array, reserved), i32(0));
}

LogicalResult FunctionEmitter::emitEffect(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](PrintOp print) { return emitPrint(print); })
      .Case([&](CheckOp check) { return emitCheck(check); })
      .Case([&](LoadOp loading) { return emitLoad(loading); })
      .Case([&](SaveOp save) { return emitSave(save); })
      .Case([&](FileExistsOp look) { return emitFileExists(look); })
      .Case([&](HostIntOp arithmetic) { return emitHostInt(arithmetic); })
      .Case([&](HostFloatOp arithmetic) { return emitHostFloat(arithmetic); })
      .Case([&](ClockOp clock) {
        int32_t kind = llvm::StringSwitch<int32_t>(clock.getKind())
                           .Case("time", JXRT_CLOCK_TIME)
                           .Case("process", JXRT_CLOCK_PROCESS)
                           .Default(JXRT_CLOCK_PERF);
        setRegisters(clock.getResult(0), callRuntime("jxrt_clock", {i32(kind)}, b.getF64Type()));
        return success();
      })
      .Case([&](BarrierOp barrier) {
        for (auto [result, operand] : llvm::zip(barrier.getResults(), barrier.getArgs())) {
          Place where = place(operand);
          if (livesInRegisters(result.getType()))
            setRegisters(result, where.scalars);
          else
            setMemory(result, pointerOf(operand), where.buffer);
        }
        return success();
      })
      .Case([&](OptionOp option) -> LogicalResult {
        int64_t index = program.optionIndex(option.getName());
        if (index < 0)
          return option.emitOpError("names an option that the program does not have: `")
                 << option.getName() << "`";
        bool isFloat = isa<FloatType>(option.getDtype());
        Value value = callRuntime(isFloat ? "jxrt_option_float" : "jxrt_option_int", {context, i32(index)},
                                  isFloat ? Type(b.getF64Type()) : Type(b.getI64Type()));
        Type wanted = scalarTypes(option.getResult().getType()).front();
        if (isFloat && !wanted.isF64()) value = arith::TruncFOp::create(b, loc, wanted, value);
        if (!isFloat && !wanted.isInteger(64)) value = arith::TruncIOp::create(b, loc, wanted, value);
        setRegisters(option.getResult(), value);
        return success();
      })
      .Default([](Operation *other) { return other->emitOpError("is an effect that cannot be compiled"); });
}

LogicalResult FunctionEmitter::emitPrint(PrintOp op) {
  StringRef format = op.getFormat();
  callChecked("jxrt_print", {context, dataPointer(format), i64(format.size()), formatOperands(op.getArgs()),
                             i64(op.getArgs().size()), i32(op.getToStderr() ? 2 : 1)});
  return success();
}

LogicalResult FunctionEmitter::emitCheck(CheckOp op) {
  Block *fail = newBlock(), *next = newBlock();
  cf::CondBranchOp::create(b, loc, registersOf(op.getPred()).front(), next, ValueRange{}, fail, ValueRange{});
  b.setInsertionPointToEnd(fail);
  StringRef format = op.getFormat();
  Value status = callRuntime("jxrt_check_failed",
                             {context, textPointer(op.getError()), dataPointer(format), i64(format.size()),
                              formatOperands(op.getArgs()), i64(op.getArgs().size()), wherePointer()},
                             b.getI32Type());
  func::ReturnOp::create(b, loc, status);
  b.setInsertionPointToEnd(next);
  return success();
}

LogicalResult FunctionEmitter::emitLoad(LoadOp op) {
  Value result = op.getResult(0);
  auto type = arrayType(result);
  Wish to;
  int64_t shared;
  if (livesInRegisters(type))
    to.pointer = stackAlloc(bytesOf(type));
  else
    to = chooseDestination(result, op, [](unsigned) { return false; }, shared);
  Value descriptor = stackAlloc(sizeof(jxrt_array));
  storeDescriptor(descriptor, type, to.pointer);
  StringRef path = op.getPath();
  callChecked("jxrt_load", {context, dataPointer(path), i64(path.size()), formatOperands(op.getArgs()),
                            i64(op.getArgs().size()), i32(fileFormat(op.getFileFormat())),
                            textPointer(op.getMember()), descriptor, wherePointer()});
  if (livesInRegisters(type))
    setRegisters(result, load(type, to.pointer));
  else
    setMemory(result, to.pointer, to.buffer);
  return success();
}

LogicalResult FunctionEmitter::emitSave(SaveOp op) {
  size_t count = op.getArrays().size();
  Value descriptors = stackAlloc(count * sizeof(jxrt_array));
  for (auto [number, array] : llvm::enumerate(op.getArrays()))
    storeDescriptor(byteOffset(descriptors, number * sizeof(jxrt_array)), arrayType(array), pointerOf(array));
  Value names = LLVM::ZeroOp::create(b, loc, pointerType);
  if (!op.getMembers().empty()) {
    names = stackAlloc(op.getMembers().size() * sizeof(char *));
    for (auto [number, name] : llvm::enumerate(op.getMembers()))
      storeField(names, number * sizeof(char *), textPointer(cast<StringAttr>(name).getValue()));
  }
  StringRef path = op.getPath();
  callChecked("jxrt_save", {context, dataPointer(path), i64(path.size()), formatOperands(op.getArgs()),
                            i64(op.getArgs().size()), i32(fileFormat(op.getFileFormat())),
                            i32(op.getCompressed()), names, descriptors, i64(count), wherePointer()});
  return success();
}

LogicalResult FunctionEmitter::emitFileExists(FileExistsOp op) {
  StringRef path = op.getPath();
  Value found = stackAlloc(sizeof(int32_t));
  callChecked("jxrt_file_exists",
              {context, dataPointer(path), i64(path.size()), formatOperands(op.getArgs()),
               i64(op.getArgs().size()), i32(pathKind(op.getKind())), found, wherePointer()});
  Value word = LLVM::LoadOp::create(b, loc, b.getI32Type(), found);
  setRegisters(op.getResult(0), Value(arith::TruncIOp::create(b, loc, b.getI1Type(), word)));
  return success();
}

// --- Python arithmetic
// -------------------------------------------------------------------------------------------

LogicalResult FunctionEmitter::emitHostInt(HostIntOp op) {
  StringRef kind = op.getKind();
  Value x = registersOf(op.getArgs().front()).front(), y = i64(0);
  if (op.getArgs().size() > 1) y = registersOf(op.getArgs()[1]).front();
  if (kind == "neg") std::swap(x, y);
  // The common ones inline; the rest is the runtime's.
  auto checked = [&](auto tag) {
    using OverflowOp = decltype(tag);
    auto pair = LLVM::LLVMStructType::getLiteral(b.getContext(), {b.getI64Type(), b.getI1Type()});
    Value both = OverflowOp::create(b, loc, pair, x, y);
    Value overflow = LLVM::ExtractValueOp::create(b, loc, both, ArrayRef<int64_t>{1});
    Value fits = arith::XOrIOp::create(b, loc, overflow, constantInt(b.getI1Type(), 1));
    emitRequire(fits, "OverflowError", "a run-time int does not fit 64 bits");
    setRegisters(op.getResult(0), Value(LLVM::ExtractValueOp::create(b, loc, both, ArrayRef<int64_t>{0})));
  };
  if (kind == "add")
    checked(LLVM::SAddWithOverflowOp());
  else if (kind == "sub" || kind == "neg")
    checked(LLVM::SSubWithOverflowOp());
  else if (kind == "mul")
    checked(LLVM::SMulWithOverflowOp());
  else {
    int32_t number = jxrt_host_kind_of(kind.str().c_str());
    if (number < 0) return op.emitOpError("has an unknown kind");
    Value out = stackAlloc(sizeof(int64_t));
    callChecked("jxrt_host_int", {context, i32(number), x, y, out, wherePointer()});
    setRegisters(op.getResult(0), Value(LLVM::LoadOp::create(b, loc, b.getI64Type(), out)));
  }
  return success();
}

LogicalResult FunctionEmitter::emitHostFloat(HostFloatOp op) {
  int32_t number = jxrt_host_kind_of(op.getKind().str().c_str());
  if (number < 0) return op.emitOpError("has an unknown kind");
  Value x = registersOf(op.getArgs()[0]).front(), y = registersOf(op.getArgs()[1]).front();
  Value out = stackAlloc(sizeof(double));
  callChecked("jxrt_host_float", {context, i32(number), x, y, out, wherePointer()});
  setRegisters(op.getResult(0), Value(LLVM::LoadOp::create(b, loc, b.getF64Type(), out)));
  return success();
}

} // namespace jx
