// Units, kernels, data and the entry of a program.
#include "compiler/lowering/ControlFunction.h"
#include "compiler/lowering/ControlOutline.h"
#include "compiler/ops/effect/RuntimeValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace jx {

/// Trips of a loop whose count only the run knows, for estimates.
static constexpr double unknownTrips = 1000;
/// Element operations above which optimised code repays its compilation.
static constexpr double hotWork = 3e5;

double tripsAround(Operation *op) {
  double trips = 1;
  for (Operation *parent = op->getParentOp(); parent && !isa<func::FuncOp>(parent);
       parent = parent->getParentOp()) {
    if (auto loop = dyn_cast<ForOp>(parent))
      trips *= loop.getTripCount() ? double(*loop.getTripCount()) : unknownTrips;
    else if (isa<WhileOp>(parent))
      trips *= unknownTrips;
  }
  return trips;
}

/// Name of the function that an op calls; empty for other ops.
static StringRef calleeOf(Operation *op) {
  if (isa<CallOp, CustomJvpOp, CustomVjpOp, CheckpointOp>(op))
    return op->getAttrOfType<FlatSymbolRefAttr>("callee").getValue();
  return {};
}

double kernelWork(KernelOp kernel) {
  double work = 0;
  for (Operation &op : kernel.getBlock()->without_terminator()) {
    double elements = 0;
    for (Value operand : op.getOperands())
      elements = std::max(elements, double(arrayType(operand).getNumElements()));
    for (Value result : op.getResults())
      elements = std::max(elements, double(arrayType(result).getNumElements()));
    if (auto dot = dyn_cast<DotGeneralOp>(op)) {
      elements = arrayType(dot.getResult()).getNumElements();
      for (int64_t dim : dot.getLhsContracting()) elements *= shapeOf(dot.getLhs())[dim];
    }
    work += elements;
  }
  return work;
}

StringRef ControlProgram::dataSymbol(StringRef bytes) {
  auto [at, isNew] = dataIndex.try_emplace(bytes, data.size());
  if (isNew) data.push_back({"data_" + std::to_string(data.size()), bytes.str()});
  return data[at->second].symbol;
}

int64_t ControlProgram::newStackSlot() { return 32 * stackSlots++; }

void ControlProgram::noteArray(int64_t bytes, Location loc) {
  if (bytes <= largestArray) return;
  largestArray = bytes;
  largestLine = sourceLine(loc);
}

int64_t ControlProgram::optionIndex(StringRef name) {
  auto names = source->getAttrOfType<ArrayAttr>("jx.options");
  for (auto [index, option] : llvm::enumerate(names ? names.getValue() : ArrayRef<Attribute>()))
    if (cast<StringAttr>(option).getValue() == name) return index;
  return -1;
}

std::string ControlProgram::kernelSymbol(KernelOp kernel, double trips, ControlUnit &caller) {
  std::string content;
  llvm::raw_string_ostream stream(content);
  // A small kernel of a hot loop is compiled with it, and inlined.
  bool isLocal = caller.tier == Tier::Hot && isSmallKernel(kernel);
  if (isLocal) stream << caller.name << ' ';
  for (Value input : kernel.getInputs()) stream << input.getType() << ' ';
  stream << kernel.getInPlaceAttr();
  for (Operation &op : *kernel.getBlock()) op.print(stream, OpPrintingFlags().useLocalScope());
  auto [key, isNew] = kernelContents.try_emplace(content);
  Kernel &entry = kernels[key->getKey()];
  if (isNew) {
    entry.op = kernel;
    entry.unit = isLocal ? &caller : nullptr;
    entry.symbol = "kernel_" + llvm::utohexstr(llvm::xxh3_64bits(content), /*LowerCase=*/true);
  }
  entry.work += kernelWork(kernel) * trips;
  return entry.symbol;
}

ControlUnit &ControlProgram::newUnit(StringRef name, Tier tier) {
  return units.emplace_back(ControlUnit{name.str(), ModuleOp::create(source.getLoc()), tier, {}});
}

/// Orders functions callees first, and estimates how often each runs.
LogicalResult ControlProgram::countCalls() {
  llvm::StringMap<char> state; // 1 open, 2 done
  std::function<LogicalResult(func::FuncOp)> visit = [&](func::FuncOp function) -> LogicalResult {
    char &mark = state[function.getName()];
    if (mark == 2) return success();
    if (mark == 1) return function.emitError("recursive function reached lowering");
    mark = 1;
    WalkResult walk = function.walk([&](Operation *op) {
      StringRef callee = calleeOf(op);
      if (callee.empty()) return WalkResult::advance();
      auto target = lookup(callee);
      if (!target) {
        op->emitOpError("calls a function that does not exist");
        return WalkResult::interrupt();
      }
      return failed(visit(target)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walk.wasInterrupted()) return failure();
    state[function.getName()] = 2;
    order.push_back(function);
    return success();
  };
  func::FuncOp entry = lookup("entry");
  if (!entry) return source.emitError("the program has no function @entry");
  if (failed(visit(entry))) return failure();
  functions["entry"].calls = 1;
  for (func::FuncOp function : llvm::reverse(order)) {
    double calls = functions[function.getName()].calls;
    function.walk([&](Operation *op) {
      if (StringRef callee = calleeOf(op); !callee.empty())
        functions[callee].calls += calls * tripsAround(op);
    });
  }
  return success();
}

LogicalResult ControlProgram::emit() {
  symbols.emplace(source);
  if (failed(countCalls())) return failure();
  controlUnit = &newUnit("control", Tier::Cold);
  for (func::FuncOp function : order)
    if (failed(emitFunction(function))) return failure();
  if (failed(emitEntry())) return failure();
  return emitKernels();
}

LogicalResult ControlProgram::emitFunction(func::FuncOp function) {
  Function &info = functions[function.getName()];
  info.symbol = "f_" + function.getName().str();
  ControlUnit &unit = function->hasAttr("jx.hot") ? newUnit(info.symbol, Tier::Hot) : *controlUnit;
  unit.exported.push_back(info.symbol);
  FunctionEmitter emitter(*this, function, unit, info.calls);
  if (failed(emitter.emit(info.symbol))) return failure();
  info.frameBytes = emitter.getFrameBytes();
  return success();
}

LogicalResult ControlProgram::emitKernels() {
  ControlUnit &cold = newUnit("kernels", Tier::Cold);
  for (auto &[content, kernel] : kernels) {
    ControlUnit *unit = kernel.unit;
    if (!unit) unit = kernel.work < hotWork ? &cold : &newUnit(kernel.symbol, Tier::Hot);
    if (!kernel.unit) unit->exported.push_back(kernel.symbol);
    // The caller's declaration makes room for the definition.
    if (Operation *declared = unit->module->lookupSymbol(kernel.symbol)) declared->erase();
    if (failed(emitKernel(kernel.op, kernel.symbol, *unit->module))) return failure();
  }
  return success();
}

/// int32_t jx_entry(jxrt_context *, void **arguments, void **results): clears the stack slots, calls @entry,
/// frees the stacks.
LogicalResult ControlProgram::emitEntry() {
  func::FuncOp entry = lookup("entry");
  ModuleOp module = *controlUnit->module;
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  controlUnit->exported.push_back("jx_entry");
  Location loc = source.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64 = b.getI64Type(), i32 = b.getI32Type();
  auto function =
      func::FuncOp::create(b, loc, "jx_entry", b.getFunctionType({pointer, pointer, pointer}, i32));
  b.setInsertionPointToEnd(function.addEntryBlock());
  auto at = [&](Value base, int64_t bytes) -> Value {
    return LLVM::GEPOp::create(
        b, loc, pointer, b.getI8Type(), base,
        ArrayRef<LLVM::GEPArg>{Value(arith::ConstantIntOp::create(b, loc, i64, bytes))});
  };
  int64_t slotBytes = (32 * stackSlots + 63) / 64 * 64;
  arenaBytes = slotBytes + functions["entry"].frameBytes;
  Value context = function.getArgument(0);
  Value arena = LLVM::LoadOp::create(b, loc, pointer, at(context, 8));
  if (stackSlots)
    LLVM::MemsetOp::create(b, loc, arena, arith::ConstantIntOp::create(b, loc, b.getI8Type(), 0),
                           arith::ConstantIntOp::create(b, loc, i64, slotBytes), /*isVolatile=*/false);
  SmallVector<Value> operands{context, at(arena, slotBytes)};
  for (auto [number, type] : llvm::enumerate(entry.getArgumentTypes())) {
    auto array = dyn_cast<RankedTensorType>(type);
    if (!array) return entry.emitError("a stack cannot be an argument of @entry");
    Value address = LLVM::LoadOp::create(b, loc, pointer, at(function.getArgument(1), number * 8));
    if (!livesInRegisters(type)) {
      operands.push_back(address);
      continue;
    }
    for (int64_t i = 0; i < array.getNumElements(); ++i)
      llvm::append_range(operands, loadElement(b, loc, array.getElementType(),
                                               at(address, i * elementBytes(array.getElementType()))));
  }
  for (auto [number, type] : llvm::enumerate(entry.getResultTypes())) {
    if (!isa<RankedTensorType>(type)) return entry.emitError("a stack cannot be a result of @entry");
    operands.push_back(LLVM::LoadOp::create(b, loc, pointer, at(function.getArgument(2), number * 8)));
  }
  Value status = func::CallOp::create(b, loc, functionSymbol("entry"), TypeRange{i32}, operands).getResult(0);
  if (stackSlots) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto release =
        func::FuncOp::create(b, loc, "jxrt_stack_free", b.getFunctionType({pointer, pointer}, TypeRange{}));
    release.setPrivate();
  }
  for (int64_t slot = 0; slot < stackSlots; ++slot)
    func::CallOp::create(b, loc, "jxrt_stack_free", TypeRange{}, ValueRange{context, at(arena, 32 * slot)});
  func::ReturnOp::create(b, loc, status);
  return success();
}

} // namespace jx
