// Printing, failing checks, clocks and growing lists.
#include "jxrt/Effects.h"
#include "ContextImpl.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>

int32_t jxrt_print(jxrt_context *ctx, const char *program, int64_t programBytes, const jxrt_value *operands,
                   int64_t operandCount, int32_t stream) {
  std::string text;
  if (int32_t status = jxrt::renderText(ctx, program, programBytes, operands, operandCount, nullptr, text))
    return status;
  jxrt_write(ctx, stream, text.data(), static_cast<int64_t>(text.size()));
  return JXRT_OK;
}

int32_t jxrt_check_failed(jxrt_context *ctx, const char *className, const char *program, int64_t programBytes,
                          const jxrt_value *operands, int64_t operandCount, const char *where) {
  std::string text;
  if (int32_t status = jxrt::renderText(ctx, program, programBytes, operands, operandCount, where, text))
    return status;
  return jxrt_fail(ctx, className, text.c_str(), where);
}

int64_t jxrt_clock_ns(int32_t kind) {
  timespec now;
  clock_gettime(kind == JXRT_CLOCK_TIME      ? CLOCK_REALTIME
                : kind == JXRT_CLOCK_PROCESS ? CLOCK_PROCESS_CPUTIME_ID
                                             : CLOCK_MONOTONIC,
                &now);
  return static_cast<int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}

double jxrt_clock(int32_t kind) { return static_cast<double>(jxrt_clock_ns(kind)) * 1e-9; }

int32_t jxrt_sleep(jxrt_context *ctx, double seconds, const char *where) {
  if (std::isnan(seconds)) return jxrt_fail(ctx, "ValueError", "Invalid value NaN (not a number)", where);
  if (seconds < 0) return jxrt_fail(ctx, "ValueError", "sleep length must be non-negative", where);
  double end = jxrt_clock(JXRT_CLOCK_PERF) + seconds;
  for (double left = seconds; left > 0; left = end - jxrt_clock(JXRT_CLOCK_PERF)) {
    if (__atomic_load_n(&ctx->cancel, __ATOMIC_RELAXED)) return jxrt_cancelled(ctx, where);
    double slice = std::min(left, 0.05);
    timespec pause{0, static_cast<long>(slice * 1e9)};
    nanosleep(&pause, nullptr);
  }
  return JXRT_OK;
}

void jxrt_stack_init(jxrt_stack *stack, int64_t elementBytes) { *stack = {nullptr, 0, 0, elementBytes}; }

int32_t jxrt_stack_grow(jxrt_context *ctx, jxrt_stack *stack, int64_t extra, const char *where) {
  int64_t needed, capacity, bytes;
  if (__builtin_add_overflow(stack->length, extra, &needed)) needed = INT64_MAX;
  if (needed <= stack->capacity) return JXRT_OK;
  if (__builtin_mul_overflow(stack->capacity, 2, &capacity)) capacity = INT64_MAX;
  capacity = std::max<int64_t>({needed, capacity, 16});
  if (__builtin_mul_overflow(capacity, stack->element_bytes, &bytes)) bytes = INT64_MAX;
  void *grown = jxrt_alloc(ctx, bytes, where);
  if (!grown) return JXRT_ERROR;
  if (stack->length > 0) std::memcpy(grown, stack->data, stack->length * stack->element_bytes);
  jxrt_free(ctx, stack->data);
  stack->data = grown;
  stack->capacity = capacity;
  return JXRT_OK;
}

int32_t jxrt_stack_push(jxrt_context *ctx, jxrt_stack *stack, const void *element, const char *where) {
  if (stack->length == stack->capacity)
    if (int32_t status = jxrt_stack_grow(ctx, stack, 1, where)) return status;
  if (stack->element_bytes > 0)
    std::memcpy(static_cast<char *>(stack->data) + stack->length * stack->element_bytes, element,
                stack->element_bytes);
  ++stack->length;
  return JXRT_OK;
}

void jxrt_stack_free(jxrt_context *ctx, jxrt_stack *stack) {
  jxrt_free(ctx, stack->data);
  jxrt_stack_init(stack, stack->element_bytes);
}
