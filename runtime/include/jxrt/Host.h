/* Arithmetic of run-time Python numbers where it can raise: ints of 64 bits with overflow check, floats.
 *
 * Results, rounding directions and error classes are Python's. An int that leaves 64 bits is an
 * OverflowError. */
#ifndef JXRT_HOST_H
#define JXRT_HOST_H

#include "jxrt/Context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum jxrt_host_kind {
  JXRT_HOST_ADD = 0,
  JXRT_HOST_SUB = 1,
  JXRT_HOST_MUL = 2,
  JXRT_HOST_DIV = 3, /* floats only; ints are converted before */
  JXRT_HOST_FLOORDIV = 4,
  JXRT_HOST_MOD = 5,
  JXRT_HOST_POW = 6,
  JXRT_HOST_NEG = 7, /* b is ignored, also by ABS */
  JXRT_HOST_ABS = 8,
  JXRT_HOST_SHL = 9,
  JXRT_HOST_SHR = 10
} jxrt_host_kind;

/* The kind of a name: "add", "sub", "mul", "div", "floordiv", "mod", "pow", "neg", "abs", "shl", "shr"; -1 if
 * unknown. */
int32_t jxrt_host_kind_of(const char *name);

int32_t jxrt_host_int(jxrt_context *ctx, int32_t kind, int64_t a, int64_t b, int64_t *result,
                      const char *where);
int32_t jxrt_host_float(jxrt_context *ctx, int32_t kind, double a, double b, double *result,
                        const char *where);

/* int(value): towards zero; ValueError for NaN, OverflowError for infinities and what exceeds 64 bits. */
int32_t jxrt_host_truncate(jxrt_context *ctx, double value, int64_t *result, const char *where);

#ifdef __cplusplus
}
#endif
#endif
