// Compiled code against the interpreter: the op, and its derivatives in every form that a transform makes.
#include "compiler/lowering/Lowering.h"
#include "tests/laws/Laws.h"
#include "tests/laws/Trial.h"

using namespace mlir;

namespace jx::laws {
namespace {

/// Interprets `entry`, then compiles and runs it; both must give and print the same. Uses the module up.
void compare(Trial &trial, func::FuncOp entry, ArrayRef<HostArray> arguments) {
  Console interpreted, compiled;
  Interpreter interpreter(*trial.module, interpreted.context);
  auto expected = interpreter.run(entry, arguments);
  jxrt_flush(interpreted.context);
  ASSERT_TRUE(succeeded(expected)) << trial.world.diagnostics;

  // As before every lowering, calls are inlined.
  for (auto function : trial.module->getOps<func::FuncOp>()) function.setPrivate();
  entry.setPublic();
  entry.setName("entry");
  inlineCalls(entry);
  removeUnusedFunctions(*trial.module);
  DialectRegistry registry;
  registerLoweringDialects(registry);
  trial.world.context.appendDialectRegistry(registry);
  LoweringOptions options;
  options.threads = 1;
  auto program = compile(*trial.module, options);
  ASSERT_TRUE(bool(program)) << llvm::toString(program.takeError()) << trial.world.diagnostics;
  std::vector<HostArray> results;
  int32_t status = (*program)->run(compiled.context, arguments, results);
  jxrt_flush(compiled.context);
  const jxrt_error *error = jxrt_pending_error(compiled.context);
  ASSERT_EQ(status, JXRT_OK) << (error ? error->message : "");
  ASSERT_EQ(results.size(), expected->size());
  for (auto [index, value] : llvm::enumerate(*expected))
    EXPECT_EQ(difference(results[index], value, {}), "") << "result " << index;
  EXPECT_EQ(compiled.text, interpreted.text);
}

/// A function being written that calls others of the trial's module, under the row's named axis where it has
/// one.
class Caller {
public:
  explicit Caller(Trial &trial)
      : trial(trial), builder(OpBuilder::atBlockEnd(trial.module->getBody())),
        loc(UnknownLoc::get(&trial.world.context)),
        function(func::FuncOp::create(builder, loc, "derivatives", builder.getFunctionType({}, {}))) {
    builder.setInsertionPointToStart(function.addEntryBlock());
  }

  /// A new parameter that is `array` when the function runs.
  Value parameter(const HostArray &array) {
    arguments.push_back(array);
    return function.front().addArgument(array.getType(), loc);
  }
  SmallVector<Value> call(func::FuncOp callee, ArrayRef<Value> operands) {
    if (!trial.spec.axis.empty()) {
      // What is batched has the axis in front of the type that the callee takes.
      SmallVector<bool> batched;
      for (auto [operand, type] : llvm::zip_equal(operands, callee.getArgumentTypes()))
        batched.push_back(operand.getType() != type);
      auto batch = trial.transforms->batch(callee, batched, trial.spec.axisSize, trial.spec.axis);
      EXPECT_TRUE(succeeded(batch)) << trial.world.diagnostics;
      if (failed(batch)) return {};
      callee = batch->function;
    }
    auto call = CallOp::create(builder, loc, callee.getResultTypes(), callee.getSymName(), operands,
                               /*pure=*/false);
    return llvm::to_vector_of<Value>(call.getResults());
  }
  func::FuncOp finish(ArrayRef<Value> results) {
    func::ReturnOp::create(builder, loc, results);
    function.setFunctionType(
        builder.getFunctionType(function.front().getArgumentTypes(), ValueRange(results).getTypes()));
    return function;
  }

  Arrays arguments;

private:
  Trial &trial;
  OpBuilder builder;
  Location loc;
  func::FuncOp function;
};

} // namespace

void checkCompiled(const OpSpec &spec) {
  Trial trial(spec);
  if (!trial.function) return;
  Arrays arguments = trial.operands();
  func::FuncOp entry = trial.function;
  if (!spec.axis.empty()) {
    SmallVector<bool> all(arguments.size(), true);
    auto batch = trial.transforms->batch(entry, all, spec.axisSize, spec.axis);
    ASSERT_TRUE(succeeded(batch)) << trial.world.diagnostics;
    entry = batch->function;
  }
  compare(trial, entry, arguments);
}

void checkCompiledDerivatives(const OpSpec &spec) {
  Trial trial(spec);
  if (!trial.function) return;
  SmallVector<bool> active = trial.active();
  if (!llvm::is_contained(active, true)) return;

  Caller caller(trial);
  SmallVector<Value> point, directions, results;
  for (const HostArray &operand : trial.operands()) point.push_back(caller.parameter(operand));
  for (auto [isActive, type] : llvm::zip_equal(active, trial.function.getArgumentTypes()))
    if (isActive) directions.push_back(caller.parameter(trial.direction(trial.outerType(type))));

  if (spec.derivatives != Derivatives::ReverseOnly) {
    auto jvp = trial.transforms->jvp(trial.function, active);
    ASSERT_TRUE(succeeded(jvp)) << trial.world.diagnostics;
    SmallVector<Value> arguments = point;
    llvm::append_range(arguments, directions);
    llvm::append_range(results, caller.call(jvp->function, arguments));
  }

  auto parts = trial.transforms->linearize(trial.function, active);
  ASSERT_TRUE(succeeded(parts)) << trial.world.diagnostics;
  SmallVector<Value> known = caller.call(parts->known, point);
  unsigned numResults = trial.function.getNumResults();
  ASSERT_EQ(known.size(), numResults + parts->numResiduals);
  llvm::append_range(results, ArrayRef(known).take_front(numResults));
  if (llvm::is_contained(parts->activeResults, true)) {
    ArrayRef<Value> residuals = ArrayRef(known).drop_front(numResults);
    if (spec.derivatives != Derivatives::ReverseOnly) {
      SmallVector<Value> arguments(residuals);
      llvm::append_range(arguments, directions);
      llvm::append_range(results, caller.call(parts->linear, arguments));
    }
    auto transposed = trial.transforms->transpose(parts->linear, directions.size());
    ASSERT_TRUE(succeeded(transposed)) << trial.world.diagnostics;
    SmallVector<Value> arguments(residuals);
    for (auto [isActive, type] : llvm::zip_equal(parts->activeResults, trial.function.getResultTypes()))
      if (isActive) arguments.push_back(caller.parameter(trial.direction(trial.outerType(type))));
    llvm::append_range(results, caller.call(*transposed, arguments));
  }
  compare(trial, caller.finish(results), caller.arguments);
}

} // namespace jx::laws
