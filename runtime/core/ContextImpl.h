// The private half of a context.
#pragma once
#include "jxrt/Context.h"
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

namespace jxrt {
class ThreadPool;

// One parsed option of the command line.
struct OptionValue {
  std::string name;
  int64_t integer = 0;
  double real = 0;
  std::string text;
};
} // namespace jxrt

struct jxrt_context_impl {
  jxrt_settings settings{};
  int64_t memoryLimit = 0;

  // Error slot.
  bool pending = false;
  std::string errorClass, errorMessage, errorWhere;
  jxrt_error error{};
  std::mutex errorLock; // workers may fail at one time; the first one is kept

  // Memory accounting. Atomic, because kernels may allocate on workers.
  std::atomic<int64_t> liveBytes{0}, peakBytes{0}, allocations{0};

  // Working memory that is kept between calls, free blocks only.
  std::vector<void *> scratch;
  std::mutex scratchLock;

  // Output: the partial last line of each stream.
  std::string partial[2];
  std::mutex outputLock;

  std::vector<jxrt::OptionValue> options;
  std::atomic<jxrt::ThreadPool *> pool{nullptr};
};

namespace jxrt {
// Renders a program, or records its error in the context.
int32_t renderText(jxrt_context *ctx, const char *program, int64_t bytes, const jxrt_value *operands,
                   int64_t count, const char *where, std::string &out);
// Working memory for one call; see jxrt_scratch_take.
class Scratch {
public:
  Scratch(jxrt_context *ctx, int64_t bytes, const char *where)
      : ctx(ctx), memory(jxrt_scratch_take(ctx, bytes, where)) {}
  ~Scratch() { jxrt_scratch_give(ctx, memory); }
  Scratch(const Scratch &) = delete;
  // NULL where memory was out; the error is recorded.
  char *data() const { return static_cast<char *>(memory); }

private:
  jxrt_context *ctx;
  void *memory;
};

// Bytes that a new process may use: what the machine has free, or its control group allows, if that is less.
int64_t availableMemory();

// Ends the pool's threads; Threads.cpp.
void destroyPool(jxrt_context *ctx);
} // namespace jxrt
