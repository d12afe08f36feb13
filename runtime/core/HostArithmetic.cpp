// Python's arithmetic on 64-bit ints and floats, with Python's errors.
#include "jxrt/HostArithmetic.h"
#include <algorithm>
#include <cmath>

static int64_t floorDivide(int64_t x, int64_t y) { return x / y - (x % y != 0 && (x < 0) != (y < 0)); }

extern "C" int32_t jxrt_host_int(jxrt_context *ctx, int32_t kind, int64_t x, int64_t y, int64_t *result,
                                 const char *where) {
  bool overflow = false;
  int64_t z = 0;
  switch (kind) {
  case JXRT_INT_ABS:
    overflow = x == INT64_MIN;
    z = overflow || x >= 0 ? x : -x;
    break;
  case JXRT_INT_FLOORDIV:
  case JXRT_INT_MOD:
    if (y == 0) return jxrt_fail(ctx, "ZeroDivisionError", "integer division or modulo by zero", where);
    if (y == -1) { // the one divisor whose quotient can overflow
      overflow = kind == JXRT_INT_FLOORDIV && x == INT64_MIN;
      z = kind == JXRT_INT_MOD || overflow ? 0 : -x;
    } else {
      z = floorDivide(x, y);
      if (kind == JXRT_INT_MOD) z = x - z * y;
    }
    break;
  case JXRT_INT_POW:
    if (y < 0)
      return jxrt_fail(ctx, "ValueError", "a run-time int power needs an exponent of 0 or more", where);
    z = 1;
    for (int64_t base = x, left = y; left && !overflow; left >>= 1) {
      if (left & 1) overflow = __builtin_mul_overflow(z, base, &z);
      if (left > 1 && !overflow) overflow = __builtin_mul_overflow(base, base, &base);
    }
    break;
  case JXRT_INT_SHL:
    if (y < 0) return jxrt_fail(ctx, "ValueError", "negative shift count", where);
    overflow = x != 0 && (y > 62 || (z = x << y) >> y != x);
    break;
  case JXRT_INT_SHR:
    if (y < 0) return jxrt_fail(ctx, "ValueError", "negative shift count", where);
    z = x >> std::min<int64_t>(y, 63);
    break;
  default:
    return jxrt_fail(ctx, "SystemError", "unknown kind of integer arithmetic", where);
  }
  if (overflow) return jxrt_fail(ctx, "OverflowError", "a run-time int does not fit 64 bits", where);
  *result = z;
  return JXRT_OK;
}

/// Quotient and remainder as CPython's float_divmod rounds them.
static void floatDivmod(double x, double y, double &quotient, double &remainder) {
  remainder = std::fmod(x, y);
  double rough = (x - remainder) / y;
  if (remainder != 0) {
    if ((y < 0) != (remainder < 0)) {
      remainder += y;
      rough -= 1;
    }
  } else {
    remainder = std::copysign(0.0, y);
  }
  quotient = rough != 0 ? std::floor(rough) : std::copysign(0.0, x / y);
  if (rough - quotient > 0.5) quotient += 1;
}

extern "C" int32_t jxrt_host_float(jxrt_context *ctx, int32_t kind, double x, double y, double *result,
                                   const char *where) {
  double quotient, remainder;
  switch (kind) {
  case JXRT_FLOAT_DIV:
    if (y == 0) return jxrt_fail(ctx, "ZeroDivisionError", "float division by zero", where);
    *result = x / y;
    return JXRT_OK;
  case JXRT_FLOAT_FLOORDIV:
  case JXRT_FLOAT_MOD:
    if (y == 0)
      return jxrt_fail(ctx, "ZeroDivisionError",
                       kind == JXRT_FLOAT_MOD ? "float modulo" : "float floor division by zero", where);
    floatDivmod(x, y, quotient, remainder);
    *result = kind == JXRT_FLOAT_MOD ? remainder : quotient;
    return JXRT_OK;
  case JXRT_FLOAT_POW:
    if (x == 0 && y < 0) return jxrt_fail(ctx, "ZeroDivisionError", "zero to a negative power", where);
    if (x < 0 && std::isfinite(x) && std::isfinite(y) && y != std::floor(y))
      return jxrt_fail(ctx, "ValueError", "a negative run-time float to a fractional power is complex",
                       where);
    *result = std::pow(x, y);
    if (std::isinf(*result) && std::isfinite(x) && std::isfinite(y))
      return jxrt_fail(ctx, "OverflowError", "(34, 'Numerical result out of range')", where);
    return JXRT_OK;
  default:
    return jxrt_fail(ctx, "SystemError", "unknown kind of float arithmetic", where);
  }
}
