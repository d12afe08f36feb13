// Python's integer and float arithmetic, with the messages of CPython 3.11.
#include "jxrt/Host.h"
#include <cmath>
#include <cstring>

namespace {

constexpr const char *names[] = {"add", "sub", "mul", "div", "floordiv", "mod",
                                 "pow", "neg", "abs", "shl", "shr"};

int32_t zeroDivision(jxrt_context *ctx, const char *message, const char *where) {
  return jxrt_fail(ctx, "ZeroDivisionError", message, where);
}
int32_t tooLarge(jxrt_context *ctx, const char *where) {
  return jxrt_fail(ctx, "OverflowError", "a run-time int is limited to 64 bits, and this result needs more",
                   where);
}

// Whether a ** b overflowed.
bool power(int64_t a, int64_t b, int64_t &result) {
  result = 1;
  if (a == 0 || a == 1) {
    result = b == 0 ? 1 : a;
    return false;
  }
  if (a == -1) {
    result = b % 2 ? -1 : 1;
    return false;
  }
  for (; b > 0; --b) // at most 63 rounds: |a| is 2 or more
    if (__builtin_mul_overflow(result, a, &result)) return true;
  return false;
}

// Python's float modulo: the sign of the divisor.
double floatModulo(double a, double b) {
  double remainder = std::fmod(a, b);
  if (remainder == 0) return std::copysign(0.0, b);
  return (b < 0) != (remainder < 0) ? remainder + b : remainder;
}

// CPython's float_floor_div: exact where a / b rounds to the wrong side of an integer.
double floatFloorDivide(double a, double b) {
  double remainder = std::fmod(a, b), quotient = (a - remainder) / b;
  if (remainder != 0 && (b < 0) != (remainder < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, a / b);
  double floored = std::floor(quotient);
  return quotient - floored > 0.5 ? floored + 1 : floored;
}

} // namespace

int32_t jxrt_host_kind_of(const char *name) {
  for (int32_t kind = JXRT_HOST_ADD; kind <= JXRT_HOST_SHR; ++kind)
    if (std::strcmp(name, names[kind]) == 0) return kind;
  return -1;
}

int32_t jxrt_host_int(jxrt_context *ctx, int32_t kind, int64_t a, int64_t b, int64_t *result,
                      const char *where) {
  bool overflow = false;
  switch (kind) {
  case JXRT_HOST_ADD:
    overflow = __builtin_add_overflow(a, b, result);
    break;
  case JXRT_HOST_SUB:
    overflow = __builtin_sub_overflow(a, b, result);
    break;
  case JXRT_HOST_MUL:
    overflow = __builtin_mul_overflow(a, b, result);
    break;
  case JXRT_HOST_NEG:
    overflow = __builtin_sub_overflow(int64_t(0), a, result);
    break;
  case JXRT_HOST_ABS:
    overflow = a < 0 ? __builtin_sub_overflow(int64_t(0), a, result) : (*result = a, false);
    break;
  case JXRT_HOST_FLOORDIV:
  case JXRT_HOST_MOD: {
    bool isDivision = kind == JXRT_HOST_FLOORDIV;
    if (b == 0)
      return zeroDivision(ctx, isDivision ? "integer division or modulo by zero" : "integer modulo by zero",
                          where);
    if (b == -1) { // the one quotient that can overflow
      overflow = isDivision ? __builtin_sub_overflow(int64_t(0), a, result) : (*result = 0, false);
      break;
    }
    int64_t quotient = a / b, remainder = a % b;
    bool adjust = remainder != 0 && (remainder < 0) != (b < 0);
    *result = isDivision ? quotient - adjust : remainder + (adjust ? b : 0);
    break;
  }
  case JXRT_HOST_POW:
    if (b < 0) {
      if (a == 0) return zeroDivision(ctx, "0.0 cannot be raised to a negative power", where);
      return jxrt_fail(ctx, "ValueError",
                       "an int to the power of a negative run-time int is a float in Python; write "
                       "float(base) ** exponent",
                       where);
    }
    overflow = power(a, b, *result);
    break;
  case JXRT_HOST_SHL:
    if (b < 0) return jxrt_fail(ctx, "ValueError", "negative shift count", where);
    *result = b > 63 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << b);
    overflow = b > 63 ? a != 0 : *result >> b != a;
    break;
  case JXRT_HOST_SHR:
    if (b < 0) return jxrt_fail(ctx, "ValueError", "negative shift count", where);
    *result = a >> (b > 63 ? 63 : b);
    break;
  default:
    return jxrt_fail(ctx, "SystemError", "unknown integer operation", where);
  }
  return overflow ? tooLarge(ctx, where) : JXRT_OK;
}

int32_t jxrt_host_float(jxrt_context *ctx, int32_t kind, double a, double b, double *result,
                        const char *where) {
  switch (kind) {
  case JXRT_HOST_ADD:
    *result = a + b;
    return JXRT_OK;
  case JXRT_HOST_SUB:
    *result = a - b;
    return JXRT_OK;
  case JXRT_HOST_MUL:
    *result = a * b;
    return JXRT_OK;
  case JXRT_HOST_NEG:
    *result = -a;
    return JXRT_OK;
  case JXRT_HOST_ABS:
    *result = std::fabs(a);
    return JXRT_OK;
  case JXRT_HOST_DIV:
    if (b == 0) return zeroDivision(ctx, "float division by zero", where);
    *result = a / b;
    return JXRT_OK;
  case JXRT_HOST_FLOORDIV:
    if (b == 0) return zeroDivision(ctx, "float floor division by zero", where);
    *result = floatFloorDivide(a, b);
    return JXRT_OK;
  case JXRT_HOST_MOD:
    if (b == 0) return zeroDivision(ctx, "float modulo", where);
    *result = floatModulo(a, b);
    return JXRT_OK;
  case JXRT_HOST_POW: {
    if (a == 0 && b < 0 && std::isfinite(b))
      return zeroDivision(ctx, "0.0 cannot be raised to a negative power", where);
    if (a < 0 && std::isfinite(a) && std::isfinite(b) && b != std::floor(b))
      return jxrt_fail(
          ctx, "ValueError",
          "a negative number to a fractional power is complex, which run-time Python numbers are not", where);
    *result = std::pow(a, b);
    if (std::isinf(*result) && std::isfinite(a) && std::isfinite(b))
      return jxrt_fail(ctx, "OverflowError", "(34, 'Numerical result out of range')", where);
    return JXRT_OK;
  }
  default:
    return jxrt_fail(ctx, "SystemError", "unknown float operation", where);
  }
}

int32_t jxrt_host_truncate(jxrt_context *ctx, double value, int64_t *result, const char *where) {
  if (std::isnan(value)) return jxrt_fail(ctx, "ValueError", "cannot convert float NaN to integer", where);
  if (std::isinf(value))
    return jxrt_fail(ctx, "OverflowError", "cannot convert float infinity to integer", where);
  if (!(value >= -0x1p63 && value < 0x1p63)) return tooLarge(ctx, where);
  *result = static_cast<int64_t>(value);
  return JXRT_OK;
}
