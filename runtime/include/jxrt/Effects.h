/* Ordered effects of generated code: printing, failing checks, clocks, growing lists. Files are in Io.h.
 *
 * Every text that is made at run time is a format program with operands (Format.h). `where` is
 * "file.jx:LINE", static. */
#ifndef JXRT_EFFECTS_H
#define JXRT_EFFECTS_H

#include "jxrt/Context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Renders and writes; the program contains the newline that `print` adds. `stream` is 1 for stdout, 2 for
 * stderr. */
int32_t jxrt_print(jxrt_context *ctx, const char *program, int64_t program_bytes, const jxrt_value *operands,
                   int64_t operand_count, int32_t stream);

/* Renders the message and records an error of Python class `class_name`. Never returns JXRT_OK. */
int32_t jxrt_check_failed(jxrt_context *ctx, const char *class_name, const char *program,
                          int64_t program_bytes, const jxrt_value *operands, int64_t operand_count,
                          const char *where);

typedef enum jxrt_clock_kind {
  JXRT_CLOCK_TIME = 0,   /* time.time(): seconds since 1970 */
  JXRT_CLOCK_PERF = 1,   /* time.perf_counter() and time.monotonic() */
  JXRT_CLOCK_PROCESS = 2 /* time.process_time(): CPU seconds of the process */
} jxrt_clock_kind;
double jxrt_clock(int32_t kind);
int64_t jxrt_clock_ns(int32_t kind);

/* Sleeps, waking early when the context is cancelled. */
int32_t jxrt_sleep(jxrt_context *ctx, double seconds, const char *where);

/* --- Growing lists
 * --------------------------------------------------------------------------------------------- Generated
 * code may append in place while length < capacity, and calls jxrt_stack_grow otherwise. */

/* An empty stack; allocates nothing. */
void jxrt_stack_init(jxrt_stack *stack, int64_t element_bytes);
/* Room for at least `extra` more elements; at least doubles, so that appends cost O(1) each. */
int32_t jxrt_stack_grow(jxrt_context *ctx, jxrt_stack *stack, int64_t extra, const char *where);
/* Appends a copy of one element. */
int32_t jxrt_stack_push(jxrt_context *ctx, jxrt_stack *stack, const void *element, const char *where);
void jxrt_stack_free(jxrt_context *ctx, jxrt_stack *stack);

#ifdef __cplusplus
}
#endif
#endif
