// Places, buffers and destinations of values, and the ops without control flow.
#include "compiler/lowering/ControlFunction.h"
#include "compiler/dialect/HostArray.h"
#include "compiler/lowering/ScalarEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace jx {

FunctionEmitter::FunctionEmitter(ControlProgram &program, func::FuncOp source, ControlUnit &unit,
                                 double calls)
    : program(program), source(source), unit(unit), calls(calls), liveness(source), b(source.getContext()),
      loc(source.getLoc()), pointerType(LLVM::LLVMPointerType::get(source.getContext())) {}

SmallVector<Type> scalarTypes(Type type) {
  auto array = cast<RankedTensorType>(type);
  SmallVector<Type, 2> element;
  appendScalarTypes(array.getElementType(), element);
  SmallVector<Type> types;
  for (int64_t i = 0; i < array.getNumElements(); ++i) llvm::append_range(types, element);
  return types;
}

int64_t bytesOf(Type type) {
  auto array = cast<RankedTensorType>(type);
  return array.getNumElements() * elementBytes(array.getElementType());
}

// --- Small pieces of code
// ----------------------------------------------------------------------------------------

Value FunctionEmitter::constantInt(Type type, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, type, value);
}

Value FunctionEmitter::byteOffset(Value pointer, Value bytes) {
  return LLVM::GEPOp::create(b, loc, pointerType, b.getI8Type(), pointer, ArrayRef<LLVM::GEPArg>{bytes});
}

Value FunctionEmitter::byteOffset(Value pointer, int64_t bytes) {
  return bytes ? byteOffset(pointer, i64(bytes)) : pointer;
}

Block *FunctionEmitter::newBlock(TypeRange arguments) {
  Block *block = new Block;
  target.getBody().push_back(block);
  block->addArguments(arguments, SmallVector<Location>(arguments.size(), loc));
  return block;
}

void FunctionEmitter::declare(StringRef name, TypeRange arguments, TypeRange results) {
  ModuleOp module = *unit.module;
  if (module.lookupSymbol(name)) return;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto function = func::FuncOp::create(b, loc, name, b.getFunctionType(arguments, results));
  function.setPrivate();
}

Value FunctionEmitter::callRuntime(StringRef name, ValueRange arguments, Type result) {
  SmallVector<Type> results;
  if (result) results.push_back(result);
  declare(name, arguments.getTypes(), results);
  auto call = func::CallOp::create(b, loc, name, results, arguments);
  return result ? call.getResult(0) : Value();
}

void FunctionEmitter::callChecked(StringRef name, ValueRange arguments) {
  returnUnlessOk(callRuntime(name, arguments, b.getI32Type()));
}

void FunctionEmitter::returnUnlessOk(Value status) {
  if (!failure) {
    failure = newBlock(b.getI32Type());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(failure);
    func::ReturnOp::create(b, loc, failure->getArgument(0));
  }
  Block *next = newBlock();
  Value bad = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, status, i32(0));
  cf::CondBranchOp::create(b, loc, bad, failure, ValueRange{status}, next, ValueRange{});
  b.setInsertionPointToEnd(next);
}

Value FunctionEmitter::dataPointer(StringRef bytes) {
  StringRef symbol = program.dataSymbol(bytes);
  ModuleOp module = *unit.module;
  if (!module.lookupSymbol(symbol)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(b, loc, b.getI8Type(), /*isConstant=*/true, LLVM::Linkage::External, symbol,
                           Attribute());
  }
  return LLVM::AddressOfOp::create(b, loc, pointerType, symbol);
}

Value FunctionEmitter::stackAlloc(int64_t bytes) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(entry);
  Value count = i64(std::max<int64_t>(bytes, 1));
  return LLVM::AllocaOp::create(b, loc, pointerType, b.getI8Type(), count, 16);
}

Buffer *FunctionEmitter::reserve(int64_t bytes, Operation *at, Value &pointer) {
  Buffer &buffer = buffers.emplace_back();
  buffer.bytes = bytes;
  buffer.begin = buffer.end = liveness.timeOf(at);
  Value offset = i64(0);
  buffer.address = offset.getDefiningOp();
  pointer = byteOffset(frame, offset);
  return &buffer;
}

void FunctionEmitter::emitCopy(Value to, Value from, int64_t bytes) {
  if (to == from || bytes == 0) return;
  LLVM::MemcpyOp::create(b, loc, to, from, i64(bytes), /*isVolatile=*/false);
}

void FunctionEmitter::emitFill(Value to, Type type, ElementsAttr splat) {
  auto array = cast<RankedTensorType>(type);
  int64_t count = array.getNumElements(), width = elementBytes(array.getElementType());
  if (count == 0) return;
  HostArray element =
      HostArray::fromAttr(cast<DenseElementsAttr>(splat).resizeSplat(cast<ShapedType>(array.clone({1}))));
  StringRef bytes(element.as<char>(), width);
  if (bytes.find_first_not_of(bytes[0]) == StringRef::npos) {
    LLVM::MemsetOp::create(b, loc, to, constantInt(b.getI8Type(), static_cast<int8_t>(bytes[0])),
                           i64(count * width),
                           /*isVolatile=*/false);
    return;
  }
  Registers scalars = constantRegisters(b, loc, element.toAttr());
  Block *body = newBlock(b.getI64Type()), *after = newBlock();
  cf::BranchOp::create(b, loc, body, ValueRange{i64(0)});
  b.setInsertionPointToEnd(body);
  Value index = body->getArgument(0);
  storeElement(b, loc, array.getElementType(), scalars,
               elementPointer(b, loc, array.getElementType(), to, index));
  Value next = arith::AddIOp::create(b, loc, index, i64(1));
  Value more = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, next, i64(count));
  cf::CondBranchOp::create(b, loc, more, body, ValueRange{next}, after, ValueRange{});
  b.setInsertionPointToEnd(after);
}

// --- Places
// --------------------------------------------------------------------------------------------------------

FunctionEmitter::Place &FunctionEmitter::place(Value value) { return places[value]; }

void FunctionEmitter::setRegisters(Value value, ArrayRef<Value> scalars) {
  Place &where = places[value];
  where.scalars.assign(scalars.begin(), scalars.end());
}

void FunctionEmitter::setMemory(Value value, Value pointer, Buffer *buffer) {
  Place &where = places[value];
  where.pointer = pointer;
  where.buffer = buffer;
  if (buffer) buffer->values.push_back(value);
}

Registers FunctionEmitter::load(Type type, Value pointer) {
  auto array = cast<RankedTensorType>(type);
  int64_t width = elementBytes(array.getElementType());
  Registers scalars;
  for (int64_t i = 0; i < array.getNumElements(); ++i)
    llvm::append_range(scalars, loadElement(b, loc, array.getElementType(), byteOffset(pointer, i * width)));
  return scalars;
}

void FunctionEmitter::store(Type type, ArrayRef<Value> scalars, Value pointer) {
  auto array = cast<RankedTensorType>(type);
  int64_t width = elementBytes(array.getElementType());
  unsigned parts = numScalars(array.getElementType());
  for (int64_t i = 0; i < array.getNumElements(); ++i)
    storeElement(b, loc, array.getElementType(), scalars.slice(i * parts, parts),
                 byteOffset(pointer, i * width));
}

Value FunctionEmitter::pointerOf(Value value) {
  if (livesInRegisters(value.getType())) {
    Value pointer = stackAlloc(bytesOf(value.getType()));
    store(value.getType(), registersOf(value), pointer);
    return pointer;
  }
  if (auto constant = value.getDefiningOp<ConstantOp>()) {
    HostArray array = HostArray::fromAttr(constant.getValue());
    return dataPointer(StringRef(array.as<char>(), array.sizeInBytes()));
  }
  return place(value).pointer;
}

LogicalResult FunctionEmitter::copyTo(Value value, Value pointer) {
  Type type = value.getType();
  if (livesInRegisters(type)) {
    store(type, registersOf(value), pointer);
    return success();
  }
  if (auto constant = value.getDefiningOp<ConstantOp>())
    if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()); dense && dense.isSplat()) {
      emitFill(pointer, type, dense);
      return success();
    }
  emitCopy(pointer, pointerOf(value), bytesOf(type));
  return success();
}

LogicalResult FunctionEmitter::copyAll(ArrayRef<std::pair<Value, Wish>> copies, Operation *at) {
  auto bufferOf = [&](Value value) -> Buffer * {
    while (Operation *op = value.getDefiningOp()) {
      if (!isView(op)) break;
      value = op->getOperand(0);
    }
    return place(value).buffer;
  };
  auto isSource = [&](Buffer *buffer, Value except) {
    return buffer && llvm::any_of(copies, [&](auto &copy) {
             return copy.first != except && bufferOf(copy.first) == buffer;
           });
  };
  bool conflict = llvm::any_of(copies, [&](auto &copy) { return isSource(copy.second.buffer, copy.first); });
  SmallVector<Value> sources;
  for (auto &[value, to] : copies) {
    if (!conflict) {
      if (failed(copyTo(value, to.pointer))) return mlir::failure();
      continue;
    }
    Value temporary;
    newBuffer(bytesOf(value.getType()), at, temporary);
    if (failed(copyTo(value, temporary))) return mlir::failure();
    sources.push_back(temporary);
  }
  for (auto [source, copy] : llvm::zip(sources, copies))
    emitCopy(copy.second.pointer, source, bytesOf(copy.first.getType()));
  return success();
}

// --- Destinations
// ----------------------------------------------------------------------------------------------

bool FunctionEmitter::mayOverwrite(Buffer *buffer, Operation *op, function_ref<bool(unsigned)> shares,
                                   int64_t &shared) {
  shared = -1;
  if (llvm::is_contained(claimed, buffer)) return false;
  unsigned reads = 0;
  for (Value value : buffer->values) {
    if (liveness.isReadAfter(value, op)) return false;
    reads += liveness.readsIn(value, op);
  }
  if (reads == 0) return true;
  if (reads > 1) return false;
  for (OpOperand &operand : op->getOpOperands())
    if (place(operand.get()).buffer == buffer && shares(operand.getOperandNumber())) {
      shared = operand.getOperandNumber();
      return true;
    }
  return false;
}

FunctionEmitter::Wish FunctionEmitter::chooseDestination(Value value, Operation *op,
                                                         function_ref<bool(unsigned)> shares,
                                                         int64_t &shared) {
  shared = -1;
  Wish wished = wishes.lookup(value);
  auto take = [&](Wish wish) {
    if (wish.buffer) claimed.push_back(wish.buffer);
    return wish;
  };
  if (wished.pointer && (!wished.buffer || mayOverwrite(wished.buffer, op, shares, shared)))
    return take(wished);
  int64_t bytes = bytesOf(value.getType());
  if (wished.loop) {
    Slot spare = newSpare(*wished.loop, bytes);
    return take({spare.pointer, spare.buffer});
  }
  for (OpOperand &operand : op->getOpOperands()) {
    Type type = operand.get().getType();
    if (!isa<RankedTensorType>(type) || livesInRegisters(type) || bytesOf(type) != bytes) continue;
    Place where = place(operand.get());
    if (!where.buffer || !shares(operand.getOperandNumber())) continue;
    if (mayOverwrite(where.buffer, op, shares, shared) && shared == operand.getOperandNumber())
      return take({where.pointer, where.buffer});
  }
  shared = -1;
  Wish fresh;
  fresh.buffer = newBuffer(bytes, op, fresh.pointer);
  return take(fresh);
}

void FunctionEmitter::wish(Value value, Block *block, const Wish &wish) {
  if (!isa<RankedTensorType>(value.getType()) || livesInRegisters(value.getType())) return;
  while (auto reshape = value.getDefiningOp<ReshapeOp>()) {
    if (reshape->getBlock() != block) return;
    value = reshape.getOperand();
  }
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != block) return;
  wishes.try_emplace(value, wish);
}

// --- Functions
// -----------------------------------------------------------------------------------------------------

LogicalResult FunctionEmitter::emit(StringRef symbol) {
  Block &body = source.getBody().front();
  SmallVector<Type> inputs{pointerType, pointerType};
  for (Type type : source.getArgumentTypes()) {
    if (!livesInRegisters(type)) {
      inputs.push_back(pointerType);
      continue;
    }
    llvm::append_range(inputs, scalarTypes(type));
  }
  inputs.append(source.getNumResults(), pointerType);

  ModuleOp module = *unit.module;
  if (Operation *declared = module.lookupSymbol(symbol)) declared->erase();
  b.setInsertionPointToEnd(module.getBody());
  target = func::FuncOp::create(b, loc, symbol, b.getFunctionType(inputs, b.getI32Type()));
  entry = target.addEntryBlock();
  Block *first = newBlock();
  b.setInsertionPointToEnd(first);
  context = entry->getArgument(0);
  frame = entry->getArgument(1);

  unsigned next = 2;
  for (BlockArgument argument : body.getArguments()) {
    if (!livesInRegisters(argument.getType())) {
      setMemory(argument, entry->getArgument(next++), nullptr);
      continue;
    }
    SmallVector<Value> scalars;
    for (size_t i = scalarTypes(argument.getType()).size(); i > 0; --i)
      scalars.push_back(entry->getArgument(next++));
    setRegisters(argument, scalars);
  }
  for (unsigned i = 0; i < source.getNumResults(); ++i) resultPointers.push_back(entry->getArgument(next++));
  for (auto [value, pointer] : llvm::zip(body.getTerminator()->getOperands(), resultPointers))
    wish(value, &body, {pointer});

  if (failed(emitBlock(body))) return mlir::failure();
  b.setInsertionPointToEnd(entry);
  cf::BranchOp::create(b, loc, first);

  for (Buffer &buffer : buffers)
    for (Value value : buffer.values) buffer.end = std::max(buffer.end, liveness.lifeEnd(value));
  SmallVector<int64_t> offsets;
  frameBytes = assignOffsets(buffers, offsets);
  for (auto [buffer, offset] : llvm::zip(buffers, offsets))
    if (buffer.address) cast<arith::ConstantOp>(buffer.address).setValueAttr(b.getI64IntegerAttr(offset));
  return success();
}

LogicalResult FunctionEmitter::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(emitOp(&op))) return mlir::failure();
  if (auto ret = dyn_cast<func::ReturnOp>(block.getTerminator())) return emitReturn(ret);
  return success();
}

LogicalResult FunctionEmitter::emitOp(Operation *op) {
  loc = op->getLoc();
  claimed.clear();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](KernelOp kernel) { return emitKernel(kernel); })
      .Case([&](ForOp loop) { return emitFor(loop); })
      .Case([&](WhileOp loop) { return emitWhile(loop); })
      .Case([&](CondOp cond) { return emitCond(cond); })
      .Case<CallOp, CustomJvpOp, CustomVjpOp, CheckpointOp>(
          [&](auto call) { return emitCall(call, call.getCallee(), call.getArgs()); })
      .Case([&](ConstantOp constant) {
        emitConstant(constant);
        return success();
      })
      .Case([&](ReshapeOp reshape) { return emitReshape(reshape); })
      .Case([&](SliceOp slice) { return emitSlice(slice); })
      .Case([&](DynamicSliceOp slice) { return emitDynamicSlice(slice); })
      .Case([&](DynamicUpdateSliceOp update) { return emitDynamicUpdateSlice(update); })
      .Case([&](StackGetOp get) { return emitStackGet(get); })
      .Case([&](StackLengthOp length) {
        setRegisters(length.getResult(), stackField(place(length.getStack()).pointer, 1, b.getI64Type()));
        return success();
      })
      .Default([&](Operation *other) -> LogicalResult {
        if (isRegisterOp(other)) return emitRegisterOp(other);
        if (isa<OptionOp>(other) || !isMemoryEffectFree(other)) return emitEffect(other);
        return other->emitOpError("reached the control program outside a kernel");
      });
}

void FunctionEmitter::emitConstant(ConstantOp op) {
  // Arrays in memory are named where they are used.
  if (livesInRegisters(op.getResult().getType()))
    setRegisters(op.getResult(), constantRegisters(b, loc, op.getValue()));
}

LogicalResult FunctionEmitter::emitRegisterOp(Operation *op) {
  SmallVector<Registers> operands;
  for (Value operand : op->getOperands()) operands.emplace_back(registersOf(operand));
  SmallVector<Registers, 2> results = emitInRegisters(b, loc, op, operands);
  for (auto [result, scalars] : llvm::zip(op->getResults(), results)) setRegisters(result, scalars);
  return success();
}

LogicalResult FunctionEmitter::emitKernel(KernelOp op) {
  SmallVector<Value> arguments{context};
  for (Value input : op.getInputs()) arguments.push_back(pointerOf(input));
  SmallVector<int64_t> inPlace(op.getNumResults(), -1);
  SmallVector<Value> loads(op.getNumResults());
  for (auto [number, result] : llvm::enumerate(op.getResults())) {
    if (livesInRegisters(result.getType())) {
      loads[number] = stackAlloc(bytesOf(result.getType()));
      arguments.push_back(loads[number]);
      continue;
    }
    auto shares = [&](unsigned operand) { return mayShareBuffer(op, number, operand); };
    Wish to = chooseDestination(result, op, shares, inPlace[number]);
    // Sharing is by pointer: a buffer may hold a reshaped view, never one at an offset.
    arguments.push_back(to.pointer);
    setMemory(result, to.pointer, to.buffer);
  }
  op.setInPlaceAttr(b.getDenseI64ArrayAttr(inPlace));
  callChecked(program.kernelSymbol(op, calls * tripsAround(op), unit), arguments);
  for (auto [result, pointer] : llvm::zip(op.getResults(), loads))
    if (pointer) setRegisters(result, load(result.getType(), pointer));
  return success();
}

LogicalResult FunctionEmitter::emitReturn(func::ReturnOp op) {
  loc = op.getLoc();
  for (auto [value, pointer] : llvm::zip(op.getOperands(), resultPointers)) {
    if (auto stack = dyn_cast<StackType>(value.getType())) {
      Value from = place(value).pointer;
      // A stack that this function made is handed over, with the caller's old memory in exchange.
      if (value.getDefiningOp() && value.hasOneUse())
        emitStackSwap(pointer, from);
      else
        emitStackCopy(pointer, from, stack, loc);
    } else if (place(value).pointer != pointer || livesInRegisters(value.getType())) {
      if (failed(copyTo(value, pointer))) return mlir::failure();
    }
  }
  func::ReturnOp::create(b, loc, i32(0));
  return success();
}

} // namespace jx
