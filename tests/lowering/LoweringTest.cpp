// Compiled programs against the interpreter: results bit for bit, output and errors as text.
#include "compiler/lowering/Lowering.h"
#include "compiler/dialect/JxDialect.h"
#include "compiler/interpreter/Interpreter.h"
#include "mlir/Parser/Parser.h"
#include "tests/Console.h"
#include "llvm/Support/MemoryBuffer.h"
#include <filesystem>
#include <gtest/gtest.h>

using namespace mlir;
using namespace jx;
using jx::test::Console;

namespace {

std::vector<std::filesystem::path> programs() {
  std::vector<std::filesystem::path> paths;
  for (const char *folder : {JX_TEST_PROGRAMS, JX_TEST_GENERATED})
    for (auto &file : std::filesystem::directory_iterator(folder))
      if (file.path().extension() == ".mlir") paths.push_back(file.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string hex(const HostArray &array) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (int64_t i = 0; i < array.sizeInBytes(); ++i)
    stream << llvm::format_hex_no_prefix(array.as<uint8_t>()[i], 2);
  return text;
}

class CompiledEqualsInterpreted : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(CompiledEqualsInterpreted, bits) {
  DialectRegistry registry;
  registry.insert<JxDialect, func::FuncDialect>();
  registerLoweringDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = parseSourceFile<ModuleOp>(GetParam().string(), &context);
  ASSERT_TRUE(module);

  Console expected;
  Interpreter interpreter(*module, expected.context);
  FailureOr<SmallVector<HostArray>> wanted = failure();
  {
    ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
    wanted = interpreter.run(module->lookupSymbol<func::FuncOp>("entry"), {});
  }
  jxrt_flush(expected.context);

  LoweringOptions options;
  if (const char *stage = std::getenv("JX_DUMP")) {
    options.dumpStage = stage;
    options.dumpTo = &llvm::errs();
  }
  auto program = compile(*module, options);
  ASSERT_TRUE(bool(program)) << llvm::toString(program.takeError());
  // Twice: what a run leaves behind must not be seen by the next.
  for (int run = 0; run < 2; ++run) {
    Console actual;
    std::vector<HostArray> results;
    int32_t status = (*program)->run(actual.context, {}, results);
    jxrt_flush(actual.context);
    EXPECT_EQ(actual.text, expected.text);
    EXPECT_EQ(actual.error(), expected.error());
    EXPECT_EQ(status == JXRT_OK, succeeded(wanted));
    if (failed(wanted)) continue;
    ASSERT_EQ(results.size(), wanted->size());
    for (size_t i = 0; i < results.size(); ++i)
      EXPECT_EQ(hex(results[i]), hex((*wanted)[i])) << "result " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, CompiledEqualsInterpreted, testing::ValuesIn(programs()),
                         [](const auto &info) { return info.param.stem().string(); });

} // namespace
