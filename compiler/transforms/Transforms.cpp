// Entry points, memo, naming and rule lookup of the transforms.
#include "compiler/transforms/Engine.h"

using namespace mlir;

namespace jx {

std::string memoKey(func::FuncOp function, StringRef kind, ArrayRef<ArrayRef<bool>> bits) {
  std::string key = (function.getName() + "|" + kind).str();
  for (ArrayRef<bool> set : bits) {
    key += '|';
    for (bool bit : set) key += bit ? '1' : '0';
  }
  return key;
}

func::FuncOp Transforms::Memo::lookup(StringRef symbol) { return module.lookupSymbol<func::FuncOp>(symbol); }

func::FuncOp Transforms::Memo::create(func::FuncOp base, StringRef suffix, ArrayRef<Type> arguments,
                                      ArrayRef<Location> locations) {
  std::string name = (base.getName() + "." + suffix).str();
  for (unsigned number = 2; module.lookupSymbol(name); ++number)
    name = (base.getName() + "." + suffix + Twine(number)).str();
  OpBuilder builder(module.getContext());
  builder.setInsertionPointAfter(base);
  auto function = func::FuncOp::create(builder, base.getLoc(), name, builder.getFunctionType(arguments, {}));
  function.setPrivate();
  Block *entry = function.addEntryBlock();
  for (auto [argument, location] : llvm::zip(entry->getArguments(), locations)) argument.setLoc(location);
  return function;
}

void Transforms::Memo::finish(func::FuncOp function, ArrayRef<Value> results) {
  auto builder = OpBuilder::atBlockEnd(&function.getBody().front());
  func::ReturnOp::create(builder, function.getLoc(), results);
  function.setType(
      builder.getFunctionType(function.getBody().getArgumentTypes(), TypeRange(ValueRange(results))));
}

SmallVector<bool> Transforms::Memo::resultBits(Dependence::Kind kind, func::FuncOp function,
                                               ArrayRef<bool> arguments, StringRef axisName) {
  std::string key = memoKey(function, "bits" + std::to_string(kind) + axisName.str(), {arguments});
  if (auto found = bits.find(key); found != bits.end()) return found->second;
  Dependence dependence(kind, calleeBits(kind, axisName), axisName);
  for (auto [argument, bit] : llvm::zip_equal(function.getArguments(), arguments))
    if (bit) dependence.mark(argument);
  dependence.run(function.getBody());
  SmallVector<bool> results;
  for (Value result : function.getBody().front().getTerminator()->getOperands())
    results.push_back(dependence.contains(result));
  return bits[key] = results;
}

Dependence::CalleeBits Transforms::Memo::calleeBits(Dependence::Kind kind, StringRef axisName) {
  return
      [this, kind, axisName = axisName.str()](Operation *call, StringRef callee, ArrayRef<bool> arguments) {
        func::FuncOp function = lookup(callee);
        return function ? resultBits(kind, function, arguments, axisName)
                        : SmallVector<bool>(call->getNumResults(), true);
      };
}

// --- Entry points

Transforms::Transforms(ModuleOp module, RuleProvider *rules)
    : module(module), rules(rules), memo(std::make_unique<Memo>(module, rules)) {}
Transforms::~Transforms() = default;

/// A custom_vjp has a linear part that can be transposed but not computed: in forward mode it is an error.
static LogicalResult checkComputable(func::FuncOp function, Transforms::Memo &memo,
                                     DenseSet<Operation *> &seen) {
  if (!seen.insert(function).second) return success();
  return failure(function
                     .walk([&](Operation *op) {
                       if (isa<CustomLinearOp>(op)) {
                         op->emitError(
                             "forward-mode differentiation (jvp) cannot go through a custom_vjp function");
                         return WalkResult::interrupt();
                       }
                       auto callee = op->getAttrOfType<FlatSymbolRefAttr>("callee");
                       func::FuncOp target = callee ? memo.lookup(callee.getValue()) : func::FuncOp();
                       bool fails = target && failed(checkComputable(target, memo, seen));
                       return fails ? WalkResult::interrupt() : WalkResult::advance();
                     })
                     .wasInterrupted());
}

LogicalResult Transforms::checkComputable(func::FuncOp function) {
  DenseSet<Operation *> seen;
  return jx::checkComputable(function, *memo, seen);
}

FailureOr<JvpResult> Transforms::jvp(func::FuncOp function, ArrayRef<bool> activeArgs) {
  auto result = memo->jvp(function, activeArgs);
  if (failed(result) || failed(checkComputable(result->function))) return failure();
  return result;
}

FailureOr<LinearizeResult> Transforms::linearize(func::FuncOp function, ArrayRef<bool> activeArgs) {
  auto jvp = memo->jvp(function, activeArgs);
  if (failed(jvp)) return failure();
  unsigned numArgs = function.getNumArguments(), numResults = function.getNumResults();
  SmallVector<bool> unknownArgs(jvp->function.getNumArguments(), false);
  std::fill(unknownArgs.begin() + numArgs, unknownArgs.end(), true);
  SmallVector<bool> unknownResults(jvp->function.getNumResults(), false);
  std::fill(unknownResults.begin() + numResults, unknownResults.end(), true);
  auto parts = memo->split(jvp->function, unknownArgs, StoreAll, unknownResults);
  if (failed(parts)) return failure();
  return LinearizeResult{parts->known, parts->linear, unsigned(parts->residuals.size()), jvp->activeResults};
}

FailureOr<func::FuncOp> Transforms::transpose(func::FuncOp function, unsigned numLinearArgs) {
  SmallVector<bool> linear(function.getNumArguments(), false);
  std::fill(linear.end() - numLinearArgs, linear.end(), true);
  return memo->transpose(function, linear, SmallVector<bool>(function.getNumResults(), true),
                         SmallVector<bool>(numLinearArgs, false));
}

FailureOr<BatchResult> Transforms::batch(func::FuncOp function, ArrayRef<bool> batchedArgs, int64_t size,
                                         StringRef axisName) {
  auto batched = memo->batch(function, batchedArgs, size, axisName, /*masked=*/false, /*forceResults=*/false);
  if (failed(batched)) return failure();
  return BatchResult{batched->function, batched->batchedResults};
}

} // namespace jx
