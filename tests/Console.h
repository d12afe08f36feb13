// A runtime context that keeps what a program prints, for tests that run programs in process.
#pragma once

#include "jxrt/Context.h"
#include <string>

namespace jx::test {

struct Console {
  std::string text; ///< of both streams, once they are flushed
  jxrt_context *context;

  /// Zeros stand for the defaults of jxrt_settings.
  explicit Console(int32_t threads = 0, int64_t memoryLimit = 0) {
    jxrt_settings settings = {};
    settings.threads = threads;
    settings.memory_limit = memoryLimit;
    settings.write = [](void *user, int32_t, const char *bytes, int64_t count) {
      static_cast<std::string *>(user)->append(bytes, count);
    };
    settings.write_user = &text;
    context = jxrt_context_create(&settings);
  }
  ~Console() { jxrt_context_destroy(context); }
  Console(const Console &) = delete;

  /// The pending error as "Class: message"; empty where there is none.
  std::string error() const {
    const jxrt_error *pending = jxrt_pending_error(context);
    return pending ? std::string(pending->class_name) + ": " + pending->message : "";
  }
};

} // namespace jx::test
