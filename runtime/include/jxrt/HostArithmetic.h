/* Arithmetic of run-time Python numbers where it can raise: floor division, powers, shifts. */
#ifndef JXRT_HOST_ARITHMETIC_H
#define JXRT_HOST_ARITHMETIC_H

#include "jxrt/Context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum jxrt_int_kind {
  JXRT_INT_ABS = 0, /* y is not read */
  JXRT_INT_FLOORDIV = 1,
  JXRT_INT_MOD = 2,
  JXRT_INT_POW = 3,
  JXRT_INT_SHL = 4,
  JXRT_INT_SHR = 5
} jxrt_int_kind;

typedef enum jxrt_float_kind {
  JXRT_FLOAT_DIV = 0,
  JXRT_FLOAT_FLOORDIV = 1,
  JXRT_FLOAT_MOD = 2,
  JXRT_FLOAT_POW = 3
} jxrt_float_kind;

/* Python's int arithmetic on 64 bits. Errors: OverflowError where the result needs more, ZeroDivisionError,
 * ValueError for negative exponents and shift counts. */
int32_t jxrt_host_int(jxrt_context *ctx, int32_t kind, int64_t x, int64_t y, int64_t *result,
                      const char *where);

/* Python's float arithmetic. Errors: ZeroDivisionError, OverflowError, ValueError where the result is
 * complex. */
int32_t jxrt_host_float(jxrt_context *ctx, int32_t kind, double x, double y, double *result,
                        const char *where);

#ifdef __cplusplus
}
#endif
#endif
