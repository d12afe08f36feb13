// Compiled code against the interpreter.
#include "compiler/lowering/Lowering.h"
#include "tests/laws/Laws.h"
#include "tests/laws/Trial.h"

using namespace mlir;

namespace jx::laws {

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
    entry.setPublic();
  }
  Console interpreted, compiled;
  Interpreter interpreter(*trial.module, interpreted.context);
  auto expected = interpreter.run(entry, arguments);
  jxrt_flush(interpreted.context);
  ASSERT_TRUE(succeeded(expected)) << trial.world.diagnostics;

  // As before every lowering, calls are inlined.
  if (!spec.axis.empty()) trial.function.setPrivate();
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

} // namespace jx::laws
