// Memory of compiled programs, by the runtime's books: training loops allocate nothing per step, and what
// cannot be had is an error at the user's line.
#include "compiler/driver/Compilation.h"
#include "compiler/interpreter/Interpreter.h"
#include "compiler/lowering/Lowering.h"
#include "jxrt/Options.h"
#include "tests/Console.h"
#include <gtest/gtest.h>

using namespace jx;

namespace {

struct Outcome {
  int32_t status = JXRT_ERROR;
  int64_t allocations = 0;
  std::string output, error;
};

/// A program of this folder, compiled or to be interpreted.
class Program {
public:
  explicit Program(const std::string &name) : path(std::string(JX_TEST_PROGRAMS) + "/" + name + ".jx") {
    ElaborateOptions options;
    options.programPath = path;
    EXPECT_TRUE(compilation.elaborate(path, options) && compilation.prepare());
    compilation.printDiagnostics();
  }
  void compile() {
    auto result = jx::compile(compilation.getModule(), {});
    ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
    compiled = std::move(*result);
  }

  /// Runs with `--steps STEPS`; `limit` bytes may be live, 0 for the machine's.
  Outcome run(int64_t steps, int64_t limit = 0) {
    Outcome outcome;
    // One thread: how many blocks of working memory are in use at a time must not depend on chance.
    test::Console console(/*threads=*/1, limit);
    jxrt_context *context = console.context;
    OptionTable table(compilation.options());
    std::string value = std::to_string(steps);
    const char *arguments[] = {path.c_str(), "--steps", value.c_str()};
    jxrt_options_parse(context, path.c_str(), "", table.data(), table.size(), 3, arguments);
    if (compiled) {
      std::vector<HostArray> results;
      outcome.status = compiled->run(context, {}, results);
    } else {
      Interpreter interpreter(compilation.getModule(), context, InterpreterOptions());
      auto entry = compilation.getModule().lookupSymbol<mlir::func::FuncOp>("entry");
      outcome.status = succeeded(interpreter.run(entry, {})) ? JXRT_OK : JXRT_ERROR;
    }
    jxrt_flush(context);
    outcome.allocations = jxrt_memory(context).allocations;
    if (const jxrt_error *error = jxrt_pending_error(context)) {
      std::string where = error->where;
      outcome.error = where.substr(where.rfind('/') + 1) + " " + error->class_name + ": " + error->message;
    }
    outcome.output = std::move(console.text);
    return outcome;
  }

private:
  std::string path;
  Compilation compilation;
  std::unique_ptr<CompiledProgram> compiled;
};

class TrainingLoops : public testing::TestWithParam<const char *> {};

TEST_P(TrainingLoops, allocateNothingPerStep) {
  Program program(GetParam());
  program.compile();
  Outcome few = program.run(5), many = program.run(20);
  EXPECT_EQ(few.status, JXRT_OK) << few.error;
  EXPECT_EQ(many.status, JXRT_OK) << many.error;
  EXPECT_FALSE(many.output.empty());
  EXPECT_GT(few.allocations, 0);
  EXPECT_EQ(few.allocations, many.allocations);
}
INSTANTIATE_TEST_SUITE_P(Programs, TrainingLoops, testing::Values("mlp_adam", "recurrent", "working_memory"));

TEST(OutOfMemory, namesTheLineOfTheLargestArray) {
  const char *expected = "large_array.jx:9 MemoryError: cannot allocate 34";
  Program interpreted("large_array"), compiled("large_array");
  compiled.compile();
  for (Program *program : {&interpreted, &compiled}) {
    Outcome outcome = program->run(3, 256 << 20);
    EXPECT_EQ(outcome.status, JXRT_ERROR);
    EXPECT_EQ(outcome.error.rfind(expected, 0), 0u) << outcome.error;
  }
}

TEST(OutOfMemory, namesTheLineThatNeedsWorkingMemory) {
  Program program("working_memory");
  program.compile();
  Outcome outcome = program.run(3, 2 << 20);
  EXPECT_EQ(outcome.status, JXRT_ERROR);
  EXPECT_EQ(outcome.error.rfind("working_memory.jx:12 MemoryError: cannot allocate 468.8 KiB", 0), 0u)
      << outcome.error;
}

TEST(OutOfMemory, namesTheLoopWhoseListGrows) {
  Program program("growing_list");
  program.compile();
  Outcome outcome = program.run(3, 64 << 20);
  EXPECT_EQ(outcome.error.rfind("growing_list.jx:10 MemoryError: cannot allocate", 0), 0u) << outcome.error;
}

} // namespace
