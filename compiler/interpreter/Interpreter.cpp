#include "compiler/interpreter/Interpreter.h"
#include "compiler/dialect/JxDialect.h"
#include "compiler/ops/effect/RuntimeValues.h"
#include "jxrt/Context.h"
#include <cmath>

using namespace mlir;

namespace jx {

/// Nested calls beyond this end in an error instead of a stack overflow.
constexpr int maxCallDepth = 2000;

Interpreter::Interpreter(ModuleOp module, void *runtimeContext, InterpreterOptions options)
    : module(module), symbols(module), context(runtimeContext), options(options) {}

LogicalResult Interpreter::fail(Operation *op, const Twine &message) { return op->emitError(message); }

FailureOr<SmallVector<HostArray>> Interpreter::callFunction(StringRef symbol, ArrayRef<HostArray> arguments) {
  auto function = symbols.lookup<func::FuncOp>(symbol);
  if (!function) function = module.lookupSymbol<func::FuncOp>(symbol); // made after the table was
  if (!function) return module.emitError() << "call of unknown function @" << symbol;
  return run(function, arguments);
}

FailureOr<SmallVector<HostArray>> Interpreter::run(func::FuncOp function, ArrayRef<HostArray> arguments) {
  if (depth >= maxCallDepth) return function.emitError("calls are nested too deeply");
  Frame values;
  Frame *caller = std::exchange(frame, &values);
  ++depth;
  auto results = runRegion(function.getBody(), arguments);
  --depth;
  frame = caller;
  return results;
}

FailureOr<SmallVector<HostArray>> Interpreter::runRegion(Region &region, ArrayRef<HostArray> arguments) {
  Block &block = region.front();
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), arguments)) (*frame)[argument] = value;
  for (Operation &op : block.without_terminator())
    if (failed(step(&op))) return failure();
  SmallVector<HostArray> results;
  for (Value value : block.getTerminator()->getOperands()) results.push_back(frame->lookup(value));
  // Values of this block are dead now; a loop would otherwise keep its last trip alive beside the next.
  for (Operation &op : block)
    for (Value result : op.getResults()) frame->erase(result);
  for (Value argument : block.getArguments()) frame->erase(argument);
  return results;
}

FailureOr<SmallVector<HostArray>> Interpreter::evaluate(Operation *op, ArrayRef<HostArray> operands) {
  auto primitive = dyn_cast<PrimitiveInterface>(op);
  if (!primitive) return op->emitError() << "`" << op->getName() << "` cannot be evaluated";
  EvalContext evaluation(*this, op, operands);
  if (failed(primitive.eval(evaluation))) return failure();
  if (options.checkNans && failed(checkNan(op, evaluation))) return failure();
  return std::move(evaluation.results);
}

/// Asks the runtime for the memory of large results, whose refusal is the program's MemoryError.
bool Interpreter::hasMemoryFor(Operation *op) {
  constexpr int64_t large = 64 << 20;
  for (Type type : op->getResultTypes()) {
    auto array = dyn_cast<RankedTensorType>(type);
    int64_t bytes = array ? array.getNumElements() * elementBytes(array.getElementType()) : 0;
    if (bytes < large) continue;
    auto *runtime = static_cast<jxrt_context *>(context);
    void *memory = jxrt_alloc(runtime, bytes, sourceLine(op->getLoc()).c_str());
    if (!memory) return false;
    jxrt_free(runtime, memory);
  }
  return true;
}

static int64_t workOf(Operation *op) {
  constexpr int64_t elementsPerUnit = 64;
  int64_t elements = 0;
  auto count = [&](Type type) {
    if (auto array = dyn_cast<RankedTensorType>(type)) elements += array.getNumElements();
  };
  llvm::for_each(op->getOperandTypes(), count);
  llvm::for_each(op->getResultTypes(), count);
  return 1 + elements / elementsPerUnit;
}

LogicalResult Interpreter::step(Operation *op) {
  if (options.workBudget && (work += workOf(op)) > options.workBudget)
    return op->emitError("compile-time evaluation takes too many operations");
  ++operations;
  if (options.byteBudget)
    for (Type type : op->getResultTypes())
      if (auto array = dyn_cast<RankedTensorType>(type))
        if (array.getNumElements() * elementBytes(array.getElementType()) > options.byteBudget)
          return op->emitError("compile-time evaluation needs too much memory");
  if (context && !hasMemoryFor(op)) return failure();
  if (options.trace) llvm::errs() << op->getLoc() << ": " << op->getName() << "\n";

  SmallVector<HostArray> operands;
  for (Value operand : op->getOperands()) operands.push_back(frame->lookup(operand));
  auto results = evaluate(op, operands);
  if (failed(results)) return failure();
  for (auto [result, value] : llvm::zip_equal(op->getResults(), *results))
    (*frame)[result] = std::move(value);
  // An operand of this very block whose last use this is dies now.
  for (Value operand : op->getOperands()) {
    if (operand.getParentBlock() != op->getBlock()) continue;
    bool usedLater = llvm::any_of(operand.getUsers(), [&](Operation *user) {
      Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
      return ancestor != op && op->isBeforeInBlock(ancestor);
    });
    if (!usedLater) frame->erase(operand);
  }
  return success();
}

static bool hasNan(const HostArray &array) {
  if (array.isStack()) return llvm::any_of(array.getElements(), hasNan);
  if (array.getElementType().isF32()) {
    const float *values = array.as<float>();
    return std::any_of(values, values + array.size(), [](float v) { return std::isnan(v); });
  }
  if (array.getElementType().isF64()) {
    const double *values = array.as<double>();
    return std::any_of(values, values + array.size(), [](double v) { return std::isnan(v); });
  }
  return false;
}

LogicalResult Interpreter::checkNan(Operation *op, const EvalContext &evaluation) {
  if (op->getNumRegions() || llvm::any_of(evaluation.operands, hasNan)) return success();
  if (!llvm::any_of(evaluation.results, hasNan)) return success();
  return op->emitError() << "`" << op->getName().stripDialect() << "` made a nan";
}

} // namespace jx
