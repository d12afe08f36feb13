// Output leaves the process line by line, as it is printed; a partial last line waits for its end or for a
// flush.
#include "ContextImpl.h"
#include <cerrno>
#include <unistd.h>

static void emit(jxrt_context_impl &impl, int32_t stream, const char *text, int64_t bytes) {
  if (impl.settings.write) {
    impl.settings.write(impl.settings.write_user, stream, text, bytes);
    return;
  }
  while (bytes > 0) {
    ssize_t written = ::write(stream, text, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return; // a closed pipe: nobody reads on
    text += written;
    bytes -= written;
  }
}

void jxrt_write(jxrt_context *ctx, int32_t stream, const char *text, int64_t bytes) {
  jxrt_context_impl &impl = *ctx->impl;
  std::lock_guard lock(impl.outputLock);
  std::string &partial = impl.partial[stream == 2];
  partial.append(text, bytes);
  size_t lines = partial.rfind('\n') + 1; // npos + 1 is 0
  if (lines == 0) return;
  emit(impl, stream == 2 ? 2 : 1, partial.data(), lines);
  partial.erase(0, lines);
}

void jxrt_flush(jxrt_context *ctx) {
  jxrt_context_impl &impl = *ctx->impl;
  std::lock_guard lock(impl.outputLock);
  for (int stream : {1, 2}) {
    std::string &partial = impl.partial[stream == 2];
    if (!partial.empty()) emit(impl, stream, partial.data(), partial.size());
    partial.clear();
  }
}
