// Entry, scratch memory, outputs and end of a kernel's function.
#include "compiler/lowering/KernelBody.h"
#include "compiler/lowering/ElementView.h"
#include "compiler/lowering/ScalarEmitter.h"
#include "compiler/ops/effect/RuntimeValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace jx {

/// Scratch memory beyond this, at once and all together, comes from the runtime: stacks of threads are small.
static constexpr int64_t kStackBytes = 256 * 1024, kAllStackBytes = 1024 * 1024;

static int64_t elementsOf(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }
static Type elementTypeIn(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

KernelBody::KernelBody(KernelOp kernel, StringRef name, ModuleOp module)
    : kernel(kernel), module(module), b(module.getContext()), loc(kernel.getLoc()), e(b, loc, module) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  SmallVector<Type> inputs(1 + kernel.getInputs().size() + kernel.getNumResults(), pointer);
  b.setInsertionPointToEnd(module.getBody());
  function = func::FuncOp::create(b, loc, name, b.getFunctionType(inputs, {b.getI32Type()}));
  entry = function.addEntryBlock();
  body = function.addBlock();
  b.setInsertionPointToEnd(body);
  status = constant32(0);
  context = entry->getArgument(0);
  auto numInputs = static_cast<unsigned>(kernel.getInputs().size());
  llvm::DenseSet<unsigned> shared;
  for (unsigned result = 0; result < kernel.getNumResults(); ++result) {
    int64_t operand = kernel.inPlaceOperand(result);
    if (operand < 0) continue;
    shared.insert(1 + static_cast<unsigned>(operand));
    shared.insert(1 + numInputs + result);
  }
  for (unsigned argument = 0; argument < inputs.size(); ++argument)
    if (!shared.contains(argument))
      function.setArgAttr(argument, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
  for (unsigned input = 0; input < numInputs; ++input)
    e.bindBuffer(kernel.getBlock()->getArgument(input), entry->getArgument(1 + input));
  for (unsigned result = 0; result < kernel.getNumResults(); ++result)
    outputs.push_back(entry->getArgument(1 + numInputs + result));
  isWritten.assign(outputs.size(), false);
}

Value KernelBody::constant32(int32_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
}

Value KernelBody::where() {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  std::string line = sourceLine(kernel.getLoc());
  std::string name = (getName() + "_where").str();
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    StringRef text(line.c_str(), line.size() + 1);
    LLVM::GlobalOp::create(b, loc, LLVM::LLVMArrayType::get(b.getI8Type(), text.size()), /*isConstant=*/true,
                           LLVM::Linkage::Private, name, b.getStringAttr(text));
  }
  return LLVM::AddressOfOp::create(b, loc, pointer, name);
}

func::FuncOp KernelBody::declare(StringRef name, FunctionType type) {
  if (auto found = module.lookupSymbol<func::FuncOp>(name)) return found;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto declaration = func::FuncOp::create(b, loc, name, type);
  declaration.setPrivate();
  return declaration;
}

Value KernelBody::scratch(int64_t bytes) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(entry);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value size = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(std::max<int64_t>(bytes, 1)));
  if (bytes <= kStackBytes && stackBytes + bytes <= kAllStackBytes) {
    stackBytes += bytes;
    return LLVM::AllocaOp::create(b, loc, pointer, b.getI8Type(), size, /*alignment=*/64);
  }
  Value memory = call("jxrt_scratch_take", {context, size, where()}, {pointer}).front();
  heap.push_back(memory);
  return memory;
}

Value KernelBody::destination(Value value) {
  for (auto [result, yielded] : llvm::enumerate(kernel.getYield()->getOperands()))
    if (yielded == value && !isWritten[result]) return outputs[result];
  return scratch(elementsOf(value) * elementBytes(elementTypeIn(value)));
}

SmallVector<unsigned, 2> KernelBody::outputsOf(Value value) {
  SmallVector<unsigned, 2> results;
  for (auto [result, yielded] : llvm::enumerate(kernel.getYield()->getOperands()))
    if (yielded == value) results.push_back(static_cast<unsigned>(result));
  return results;
}

void KernelBody::written(Value value, Value pointer) {
  e.bindBuffer(value, pointer);
  for (auto [result, yielded] : llvm::enumerate(kernel.getYield()->getOperands()))
    if (yielded == value && outputs[result] == pointer) isWritten[result] = true;
}

Value KernelBody::materialise(Value value) {
  if (e.isBuffer(value)) return e.bufferOf(value);
  Value pointer = destination(value);
  writeTogether({value}, {pointer});
  written(value, pointer);
  return pointer;
}

void KernelBody::writeTogether(ArrayRef<Value> values, ArrayRef<Value> pointers) {
  if (elementsOf(values.front()) == 0) return;
  SmallVector<int64_t, 4> sizes = e.nestSizes(values);
  e.bestNest(sizes, e.prefersVectors(values), {}, [&](const Position &position) {
    // All reads come before all writes: an output may lie where an operand lay.
    SmallVector<Element> elements;
    for (Value value : values) elements.push_back(e.read(value, position));
    Index at = e.index.linear(position);
    for (auto [value, pointer, element] : llvm::zip_equal(values, pointers, elements))
      e.store(elementTypeIn(value), pointer, at, element);
  });
}

ValueRange KernelBody::call(StringRef callee, ArrayRef<Value> arguments, TypeRange results) {
  SmallVector<Type> types;
  for (Value argument : arguments) types.push_back(argument.getType());
  func::FuncOp declaration = declare(callee, b.getFunctionType(types, results));
  return func::CallOp::create(b, loc, declaration, arguments).getResults();
}

void KernelBody::callRuntime(StringRef name, ArrayRef<Value> arguments) {
  Value result = call(name, arguments, {b.getI32Type()}).front();
  Value good = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, status, constant32(0));
  status = arith::SelectOp::create(b, loc, good, result, status);
}

void KernelBody::finish() {
  // Elemental outputs, by number of elements, those of one number together.
  for (size_t first = 0; first < outputs.size(); ++first) {
    SmallVector<Value> values, pointers;
    Value leader = kernel.getYield()->getOperand(static_cast<unsigned>(first));
    for (auto [result, value] : llvm::enumerate(kernel.getYield()->getOperands())) {
      if (isWritten[result] || elementsOf(value) != elementsOf(leader)) continue;
      values.push_back(value);
      pointers.push_back(outputs[result]);
      isWritten[result] = true;
    }
    if (!values.empty()) writeTogether(values, pointers);
  }
  parallelise(*this, *body, heap);
  auto release = [&] {
    for (Value memory : heap) call("jxrt_scratch_give", {context, memory}, {});
  };
  release();
  func::ReturnOp::create(b, loc, status);
  b.setInsertionPointToEnd(entry);
  if (heap.empty()) {
    cf::BranchOp::create(b, loc, body);
    return;
  }
  Value failed;
  for (Value memory : heap) {
    Value null = LLVM::ZeroOp::create(b, loc, memory.getType());
    Value none = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, memory, null);
    failed = failed ? arith::OrIOp::create(b, loc, failed, none).getResult() : none;
  }
  Block *outOfMemory = function.addBlock();
  cf::CondBranchOp::create(b, loc, failed, outOfMemory, body);
  b.setInsertionPointToEnd(outOfMemory);
  release();
  func::ReturnOp::create(b, loc, constant32(1));
}

} // namespace jx
