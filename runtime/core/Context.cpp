// Life of a context, its error slot and cancel flag.
#include "ContextImpl.h"
#include "jxrt/Format.h"
#include <charconv>
#include <cstdlib>
#include <new>
#include <string_view>
#include <utility>

int32_t jxrt_abi_version(void) { return JXRT_ABI_VERSION; }

jxrt_context *jxrt_context_create(const jxrt_settings *settings) {
  auto *ctx = new (std::nothrow) jxrt_context{};
  auto *impl = new (std::nothrow) jxrt_context_impl;
  if (!ctx || !impl) {
    delete ctx;
    delete impl;
    return nullptr;
  }
  if (settings) impl->settings = *settings;
  impl->memoryLimit = impl->settings.memory_limit;
  if (impl->memoryLimit <= 0) impl->memoryLimit = jxrt::availableMemory();
  ctx->impl = impl;
  return ctx;
}

void jxrt_context_destroy(jxrt_context *ctx) {
  if (!ctx) return;
  jxrt_flush(ctx);
  jxrt::destroyPool(ctx);
  jxrt_free(ctx, ctx->arena);
  for (void *memory : ctx->impl->scratch) jxrt_free(ctx, memory);
  delete ctx->impl;
  delete ctx;
}

void jxrt_cancel(jxrt_context *ctx) { __atomic_store_n(&ctx->cancel, 1, __ATOMIC_RELAXED); }

int32_t jxrt_cancelled(jxrt_context *ctx, const char *where) {
  __atomic_store_n(&ctx->cancel, 0, __ATOMIC_RELAXED);
  jxrt_fail(ctx, "KeyboardInterrupt", "", where);
  return JXRT_CANCELLED;
}

int32_t jxrt_fail(jxrt_context *ctx, const char *className, const char *message, const char *where) {
  jxrt_context_impl &impl = *ctx->impl;
  std::lock_guard lock(impl.errorLock);
  if (impl.pending) return JXRT_ERROR;
  impl.errorClass = className;
  impl.errorMessage = message;
  impl.errorWhere = where ? where : "";
  impl.error = {impl.errorClass.c_str(), impl.errorMessage.c_str(), impl.errorWhere.c_str()};
  impl.pending = true;
  return JXRT_ERROR;
}

const jxrt_error *jxrt_pending_error(const jxrt_context *ctx) {
  return ctx->impl->pending ? &ctx->impl->error : nullptr;
}

void jxrt_error_clear(jxrt_context *ctx) { ctx->impl->pending = false; }

// Python's built-in exceptions that have a parent other than Exception.
static std::string_view parentClass(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> parents[] = {
      {"ZeroDivisionError", "ArithmeticError"},
      {"OverflowError", "ArithmeticError"},
      {"FloatingPointError", "ArithmeticError"},
      {"FileNotFoundError", "OSError"},
      {"FileExistsError", "OSError"},
      {"PermissionError", "OSError"},
      {"IsADirectoryError", "OSError"},
      {"NotADirectoryError", "OSError"},
      {"InterruptedError", "OSError"},
      {"TimeoutError", "OSError"},
      {"ConnectionError", "OSError"},
      {"IndexError", "LookupError"},
      {"KeyError", "LookupError"},
      {"ModuleNotFoundError", "ImportError"},
      {"NotImplementedError", "RuntimeError"},
      {"RecursionError", "RuntimeError"},
      {"UnicodeError", "ValueError"},
      {"UnboundLocalError", "NameError"},
      {"JaxRuntimeError", "ValueError"},
      {"KeyboardInterrupt", "BaseException"},
      {"SystemExit", "BaseException"},
      {"GeneratorExit", "BaseException"},
      {"Exception", "BaseException"},
      {"BaseException", ""}};
  for (auto [child, parent] : parents)
    if (child == name) return parent;
  return "Exception";
}

int32_t jxrt_error_matches(const jxrt_context *ctx, const char *className) {
  if (!ctx->impl->pending) return 0;
  std::string_view wanted = className;
  if (wanted == "IOError" || wanted == "EnvironmentError") wanted = "OSError";
  for (std::string_view name = ctx->impl->errorClass; !name.empty(); name = parentClass(name))
    if (name == wanted) return 1;
  return 0;
}

int32_t jxrt_exit_status(const jxrt_context *ctx, int32_t *shown) {
  const jxrt_context_impl &impl = *ctx->impl;
  *shown = impl.pending;
  if (!impl.pending) return 0;
  if (impl.errorClass == "KeyboardInterrupt") return 130;
  if (impl.errorClass != "SystemExit") return 1;
  std::string_view message = impl.errorMessage;
  int64_t code = 0;
  if (!message.empty() && message != "None") {
    auto [end, failure] = std::from_chars(message.data(), message.data() + message.size(), code);
    if (failure != std::errc() || end != message.data() + message.size()) return 1;
  }
  *shown = 0;
  return static_cast<int32_t>(code & 0xFF);
}

int32_t jxrt::renderText(jxrt_context *ctx, const char *program, int64_t bytes, const jxrt_value *operands,
                         int64_t count, const char *where, std::string &out) {
  jxrt_string text{};
  jxrt_format_error error{};
  if (jxrt_format(ctx, program, bytes, operands, count, &text, &error))
    return jxrt_fail(ctx, error.class_name, error.message, where);
  if (text.data) out.assign(text.data, text.length);
  jxrt_string_free(&text);
  return JXRT_OK;
}
