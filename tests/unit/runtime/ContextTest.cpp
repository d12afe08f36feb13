// Errors, memory, output, options, stacks and threads of one context.
#include "jxrt/Context.h"
#include "jxrt/Effects.h"
#include "jxrt/FormatBuilder.h"
#include "jxrt/Options.h"
#include "jxrt/Threads.h"
#include "gtest/gtest.h"
#include <atomic>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

namespace {

struct Sink {
  std::string out, err;
  int writes = 0;
};

void collect(void *user, int32_t stream, const char *text, int64_t bytes) {
  Sink &sink = *static_cast<Sink *>(user);
  (stream == 2 ? sink.err : sink.out).append(text, bytes);
  ++sink.writes;
}

struct ContextTest : testing::Test {
  Sink sink;
  jxrt_context *ctx = nullptr;
  ContextTest() {
    jxrt_settings settings{};
    settings.threads = 4;
    settings.write = collect;
    settings.write_user = &sink;
    ctx = jxrt_context_create(&settings);
  }
  ~ContextTest() override { jxrt_context_destroy(ctx); }
  std::string message() {
    const jxrt_error *error = jxrt_pending_error(ctx);
    return error ? std::string(error->class_name) + ": " + error->message : "none";
  }
};

TEST_F(ContextTest, LayoutThatGeneratedCodeReliesOn) {
  EXPECT_EQ(offsetof(jxrt_context, cancel), 0u);
  EXPECT_EQ(offsetof(jxrt_context, arena), 8u);
  EXPECT_EQ(offsetof(jxrt_context, arena_bytes), 16u);
  EXPECT_EQ(sizeof(jxrt_array), 32u);
  EXPECT_EQ(sizeof(jxrt_stack), 32u);
  EXPECT_EQ(sizeof(jxrt_value), 48u);
}

TEST_F(ContextTest, FirstErrorIsKeptAndMatchesItsClasses) {
  EXPECT_EQ(jxrt_error_matches(ctx, "Exception"), 0);
  EXPECT_EQ(jxrt_fail(ctx, "FileNotFoundError", "no such file", "a.jx:3"), JXRT_ERROR);
  jxrt_fail(ctx, "ValueError", "later", nullptr);
  EXPECT_EQ(message(), "FileNotFoundError: no such file");
  for (const char *name : {"FileNotFoundError", "OSError", "IOError", "Exception", "BaseException"})
    EXPECT_TRUE(jxrt_error_matches(ctx, name)) << name;
  EXPECT_FALSE(jxrt_error_matches(ctx, "ValueError"));
  jxrt_error_clear(ctx);
  EXPECT_EQ(jxrt_pending_error(ctx), nullptr);
  jxrt_cancel(ctx);
  EXPECT_EQ(ctx->cancel, 1);
  EXPECT_EQ(jxrt_cancelled(ctx, "a.jx:9"), JXRT_CANCELLED);
  EXPECT_FALSE(jxrt_error_matches(ctx, "Exception"));
  EXPECT_TRUE(jxrt_error_matches(ctx, "KeyboardInterrupt"));
}

TEST_F(ContextTest, ExitStatusIsPythons) {
  struct Case {
    const char *className, *message;
    int32_t status, shown;
  };
  const Case cases[] = {
      {"ValueError", "3", 1, 1},    {"KeyboardInterrupt", "", 130, 1}, {"SystemExit", "", 0, 0},
      {"SystemExit", "None", 0, 0}, {"SystemExit", "0", 0, 0},         {"SystemExit", "3", 3, 0},
      {"SystemExit", "-1", 255, 0}, {"SystemExit", "no data", 1, 1},   {"SystemExit", "3 files", 1, 1}};
  int32_t shown = -1;
  EXPECT_EQ(jxrt_exit_status(ctx, &shown), 0);
  EXPECT_EQ(shown, 0);
  for (const Case &one : cases) {
    jxrt_fail(ctx, one.className, one.message, nullptr);
    EXPECT_EQ(jxrt_exit_status(ctx, &shown), one.status) << one.className << ' ' << one.message;
    EXPECT_EQ(shown, one.shown) << one.className << ' ' << one.message;
    jxrt_error_clear(ctx);
  }
}

TEST_F(ContextTest, MemoryIsAlignedCountedAndRefused) {
  void *a = jxrt_alloc(ctx, 1000, nullptr), *b = jxrt_alloc(ctx, 8 << 20, nullptr),
       *c = jxrt_alloc(ctx, 0, nullptr);
  for (void *p : {a, b, c}) EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % 64, 0u);
  EXPECT_EQ(jxrt_memory(ctx).live_bytes, 1000 + (8 << 20));
  EXPECT_EQ(jxrt_memory(ctx).allocations, 3);
  jxrt_free(ctx, b);
  jxrt_free(ctx, a);
  jxrt_free(ctx, c);
  EXPECT_EQ(jxrt_memory(ctx).live_bytes, 0);
  EXPECT_EQ(jxrt_memory(ctx).peak_bytes, 1000 + (8 << 20));
  EXPECT_EQ(jxrt_arena_reserve(ctx, 4096, nullptr), JXRT_OK);
  EXPECT_EQ(jxrt_arena_reserve(ctx, 100, nullptr), JXRT_OK);
  EXPECT_EQ(ctx->arena_bytes, 4096);
  EXPECT_EQ(jxrt_alloc(ctx, int64_t(200) << 40, "a.jx:2"), nullptr);
  EXPECT_EQ(message().rfind("MemoryError: cannot allocate 200.0 TiB", 0), 0u) << message();
  jxrt_error_clear(ctx);
  EXPECT_EQ(jxrt_alloc(ctx, INT64_MAX, nullptr), nullptr);
  jxrt_error_clear(ctx);
  EXPECT_EQ(jxrt_alloc(ctx, -1, nullptr), nullptr);
}

TEST_F(ContextTest, LinesLeaveAsTheyArePrinted) {
  jxrt_value value{};
  value.kind = JXRT_VALUE_FLOAT;
  value.scalar.f = 0.5;
  auto print = [&](const jx::FormatProgram &program) {
    std::string text = program.serialize();
    return jxrt_print(ctx, text.data(), static_cast<int64_t>(text.size()), &value, 1, 1);
  };
  EXPECT_EQ(print(jx::FormatProgram("loss ").str(0, jx::Flavour::Python).literal("\n")), JXRT_OK);
  EXPECT_EQ(sink.out, "loss 0.5\n");
  print(jx::FormatProgram("partial"));
  EXPECT_EQ(sink.out, "loss 0.5\n");
  print(jx::FormatProgram(" line\nrest"));
  EXPECT_EQ(sink.out, "loss 0.5\npartial line\n");
  jxrt_flush(ctx);
  EXPECT_EQ(sink.out, "loss 0.5\npartial line\nrest");
  std::string bad = "%7js;";
  EXPECT_EQ(jxrt_print(ctx, bad.data(), 5, &value, 1, 1), JXRT_ERROR);
}

TEST_F(ContextTest, CheckFailedRendersItsMessage) {
  jxrt_value value{};
  value.scalar.i = 7;
  std::string text = jx::FormatProgram("got ").str(0, jx::Flavour::Python).serialize();
  EXPECT_EQ(jxrt_check_failed(ctx, "AssertionError", text.data(), static_cast<int64_t>(text.size()), &value,
                              1, "a.jx:4"),
            JXRT_ERROR);
  EXPECT_EQ(message(), "AssertionError: got 7");
  EXPECT_STREQ(jxrt_pending_error(ctx)->where, "a.jx:4");
}

TEST_F(ContextTest, StacksGrowByDoubling) {
  jxrt_stack stack;
  jxrt_stack_init(&stack, sizeof(double));
  int64_t before = jxrt_memory(ctx).allocations;
  for (int i = 0; i < 10000; ++i) {
    double value = i;
    ASSERT_EQ(jxrt_stack_push(ctx, &stack, &value, nullptr), JXRT_OK);
  }
  EXPECT_EQ(stack.length, 10000);
  EXPECT_LE(jxrt_memory(ctx).allocations - before, 11);
  for (int i = 0; i < 10000; ++i) ASSERT_EQ(static_cast<double *>(stack.data)[i], i);
  EXPECT_EQ(jxrt_stack_grow(ctx, &stack, INT64_MAX, nullptr), JXRT_ERROR);
  jxrt_stack_free(ctx, &stack);
  EXPECT_EQ(jxrt_memory(ctx).live_bytes, 0);
}

const jxrt_option options[] = {{"epochs", "10", nullptr, JXRT_OPTION_INT, 0},
                               {"lr", "0.001", nullptr, JXRT_OPTION_FLOAT, 0},
                               {"batch_size", "64", "64", JXRT_OPTION_INT, 0},
                               {"verbose", "false", nullptr, JXRT_OPTION_BOOL, 0},
                               {"data_dir", "data", nullptr, JXRT_OPTION_STRING, 0}};

int32_t parse(jxrt_context *ctx, std::vector<const char *> arguments) {
  arguments.insert(arguments.begin(), "prog");
  return jxrt_options_parse(ctx, "prog", "Trains.", options, 5, static_cast<int32_t>(arguments.size()),
                            arguments.data());
}

TEST_F(ContextTest, OptionsAreRead) {
  ASSERT_EQ(
      parse(ctx, {"--epochs", "-3", "--lr=1e-2", "--verbose", "--data-dir", "x y", "--batch-size", "64"}),
      JXRT_PARSED);
  EXPECT_EQ(jxrt_option_int(ctx, 0), -3);
  EXPECT_EQ(jxrt_option_float(ctx, 1), 0.01);
  EXPECT_EQ(jxrt_option_int(ctx, 2), 64);
  EXPECT_EQ(jxrt_option_int(ctx, 3), 1);
  int64_t bytes;
  EXPECT_EQ(std::string(jxrt_option_string(ctx, 4, &bytes)), "x y");
  EXPECT_EQ(bytes, 3);
  EXPECT_EQ(jxrt_option_find(ctx, "lr"), 1);
  EXPECT_EQ(jxrt_option_find(ctx, "rate"), -1);
  ASSERT_EQ(parse(ctx, {"--no-verbose", "--lr", "2"}), JXRT_PARSED);
  EXPECT_EQ(jxrt_option_int(ctx, 3), 0);
  EXPECT_EQ(jxrt_option_float(ctx, 1), 2.0);
  EXPECT_EQ(jxrt_option_int(ctx, 0), 10);
}

TEST_F(ContextTest, WrongOptionsAreExplained) {
  const std::pair<std::vector<const char *>, const char *> cases[] = {
      {{"--epochs", "1.5"}, "option `--epochs` must be an int, not `1.5`"},
      {{"--epochs", "99999999999999999999"}, "option `--epochs` must be an int, not `99999999999999999999`"},
      {{"--lr", "fast"}, "option `--lr` must be a float, not `fast`"},
      {{"--lr"}, "option `--lr` needs a value: a float"},
      {{"--epoch", "1"},
       "unknown option `--epoch`; this program has --epochs, --lr, --batch-size, --verbose, --data-dir"},
      {{"--batch-size", "32"},
       "option `--batch-size` was fixed at 64 when this program was built; build it again for another value"},
      {{"7"}, "unexpected argument `7`; options are given as --name value"}};
  for (const auto &[arguments, expected] : cases) {
    EXPECT_EQ(parse(ctx, arguments), JXRT_PARSE_ERROR);
    EXPECT_EQ(message(), std::string("SystemExit: ") + expected);
    jxrt_error_clear(ctx);
  }
  EXPECT_EQ(parse(ctx, {"--help"}), JXRT_HELP_SHOWN);
  EXPECT_NE(sink.out.find("--lr FLOAT"), std::string::npos);
  EXPECT_NE(sink.out.find("default 0.001"), std::string::npos);
}

TEST_F(ContextTest, ParallelForCoversTheRangeOnce) {
  struct Shared {
    jxrt_context *ctx;
    std::vector<std::atomic<int>> counts;
    explicit Shared(jxrt_context *ctx) : ctx(ctx), counts(10007) {}
  } shared(ctx);
  auto body = [](void *argument, int64_t begin, int64_t end, int32_t worker) -> int32_t {
    Shared &shared = *static_cast<Shared *>(argument);
    EXPECT_LT(worker, jxrt_thread_count(shared.ctx));
    for (int64_t i = begin; i < end; ++i) ++shared.counts[i];
    return JXRT_OK;
  };
  for (int round = 0; round < 200; ++round)
    ASSERT_EQ(jxrt_parallel_for(ctx, body, &shared, 7, 10007, 16), JXRT_OK);
  for (int64_t i = 0; i < 10007; ++i) ASSERT_EQ(shared.counts[i], i < 7 ? 0 : 200) << i;
  EXPECT_EQ(jxrt_parallel_for(ctx, body, &shared, 5, 5, 1), JXRT_OK);
  EXPECT_EQ(
      jxrt_parallel_for(
          ctx, [](void *, int64_t, int64_t, int32_t) -> int32_t { return JXRT_ERROR; }, nullptr, 0, 1000, 1),
      JXRT_ERROR);
}

} // namespace
