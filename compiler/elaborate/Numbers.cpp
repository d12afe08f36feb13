// Arithmetic of Python numbers that are known at compile time: unbounded ints, doubles, complex.
#include "compiler/elaborate/Evaluator.h"
#include <cmath>
#include <complex>

namespace jx::elab {

using ast::BinaryOp;
using Big = llvm::DynamicAPInt;

namespace {

constexpr int64_t maxBits = 1 << 20; // longest int that is computed at compile time

int64_t bitLength(const Big &v) {
  // Enough for a budget: 64-bit values count as 64.
  if (v >= Big(INT64_MIN) && v <= Big(INT64_MAX)) return 64;
  std::string digits;
  llvm::raw_string_ostream(digits) << v;
  return static_cast<int64_t>(digits.size() * 3.33) + 1;
}

Big floorQuotient(const Big &a, const Big &b) {
  Big q = a / b;
  if (q * b != a && (a < Big(0)) != (b < Big(0))) q -= Big(1);
  return q;
}

double floorDivide(double a, double b) {
  double mod = std::fmod(a, b), quotient = (a - mod) / b;
  if (mod != 0 && (b < 0) != (mod < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, a / b);
  double floored = std::floor(quotient);
  return quotient - floored > 0.5 ? floored + 1 : floored;
}

double modulo(double a, double b) {
  double mod = std::fmod(a, b);
  if (mod != 0) return (b < 0) != (mod < 0) ? mod + b : mod;
  return std::copysign(0.0, b);
}

Value intPower(Evaluator &ev, Big base, const Big &exponent) {
  if (bitLength(base) > 64 && exponent > Big(100000))
    return ev.fail(DiagKind::NumberTooLarge, "this power has too many digits to be computed at compile time");
  if (base == Big(0) || base == Big(1) || base == Big(-1)) {
    bool odd = exponent % Big(2) == Big(1);
    if (exponent == Big(0)) return Value::integer(1);
    return ev.arena.integer(base == Big(-1) && !odd ? Big(1) : base);
  }
  if (exponent > Big(maxBits))
    return ev.fail(DiagKind::NumberTooLarge, "this power has too many digits to be computed at compile time");
  Big result(1);
  for (int64_t e = int64_t(exponent); e; e >>= 1) {
    if (e & 1) result *= base;
    if (e > 1) base *= base;
  }
  return ev.arena.integer(result);
}

Value intBinary(Evaluator &ev, BinaryOp op, Value x, Value y) {
  if (x.isSmallInt() && y.isSmallInt()) {
    int64_t a = x.asInt(), b = y.asInt(), r;
    if (op == BinaryOp::Add && !__builtin_add_overflow(a, b, &r)) return Value::integer(r);
    if (op == BinaryOp::Sub && !__builtin_sub_overflow(a, b, &r)) return Value::integer(r);
    if (op == BinaryOp::Mul && !__builtin_mul_overflow(a, b, &r)) return Value::integer(r);
    if (op == BinaryOp::BitAnd) return Value::integer(a & b);
    if (op == BinaryOp::BitOr) return Value::integer(a | b);
    if (op == BinaryOp::BitXor) return Value::integer(a ^ b);
  }
  Big a = toBig(x), b = toBig(y);
  switch (op) {
  case BinaryOp::Add:
    return ev.arena.integer(a + b);
  case BinaryOp::Sub:
    return ev.arena.integer(a - b);
  case BinaryOp::Mul:
    if (bitLength(a) + bitLength(b) > maxBits)
      return ev.fail(DiagKind::TooManyTrips,
                     "this product has too many digits to be computed at compile time");
    return ev.arena.integer(a * b);
  case BinaryOp::Div:
    if (b == Big(0)) return ev.raise("ZeroDivisionError", "division by zero");
    return Value::real(toDouble(x) / toDouble(y));
  case BinaryOp::FloorDiv:
    if (b == Big(0)) return ev.raise("ZeroDivisionError", "integer division or modulo by zero");
    return ev.arena.integer(floorQuotient(a, b));
  case BinaryOp::Mod:
    if (b == Big(0)) return ev.raise("ZeroDivisionError", "integer modulo by zero");
    return ev.arena.integer(a - floorQuotient(a, b) * b);
  case BinaryOp::Pow:
    if (b < Big(0)) {
      if (a == Big(0)) return ev.raise("ZeroDivisionError", "0.0 cannot be raised to a negative power");
      return Value::real(std::pow(toDouble(x), toDouble(y)));
    }
    return intPower(ev, a, b);
  case BinaryOp::LShift:
  case BinaryOp::RShift: {
    if (b < Big(0)) return ev.valueError("negative shift count");
    if (b > Big(maxBits)) {
      if (op == BinaryOp::RShift) return Value::integer(a < Big(0) ? -1 : 0);
      return ev.fail(DiagKind::NumberTooLarge,
                     "this shift has too many digits to be computed at compile time");
    }
    Value power = intPower(ev, Big(2), b);
    return ev.arena.integer(op == BinaryOp::LShift ? a * toBig(power) : floorQuotient(a, toBig(power)));
  }
  case BinaryOp::BitAnd:
  case BinaryOp::BitOr:
  case BinaryOp::BitXor: {
    // Two's complement of enough bits.
    unsigned bits = static_cast<unsigned>(std::max(bitLength(a), bitLength(b)) + 2);
    std::string s, t;
    llvm::raw_string_ostream(s) << a;
    llvm::raw_string_ostream(t) << b;
    llvm::APInt p(bits, s, 10), q(bits, t, 10);
    llvm::APInt r = op == BinaryOp::BitAnd ? p & q : op == BinaryOp::BitOr ? p | q : p ^ q;
    return ev.arena.integer(Big(r));
  }
  default:
    break;
  }
  return ev.fail(DiagKind::UnsupportedOperands, "unsupported operand type(s) for @: 'int' and 'int'");
}

Value floatBinary(Evaluator &ev, BinaryOp op, double a, double b) {
  switch (op) {
  case BinaryOp::Add:
    return Value::real(a + b);
  case BinaryOp::Sub:
    return Value::real(a - b);
  case BinaryOp::Mul:
    return Value::real(a * b);
  case BinaryOp::Div:
    if (b == 0) return ev.raise("ZeroDivisionError", "float division by zero");
    return Value::real(a / b);
  case BinaryOp::FloorDiv:
    if (b == 0) return ev.raise("ZeroDivisionError", "float floor division by zero");
    return Value::real(floorDivide(a, b));
  case BinaryOp::Mod:
    if (b == 0) return ev.raise("ZeroDivisionError", "float modulo");
    return Value::real(modulo(a, b));
  case BinaryOp::Pow: {
    if (a == 0 && b < 0) return ev.raise("ZeroDivisionError", "0.0 cannot be raised to a negative power");
    if (a < 0 && std::isfinite(b) && b != std::floor(b)) {
      std::complex<double> z = std::pow(std::complex<double>(a), b);
      return ev.arena.complex(z.real(), z.imag());
    }
    double result = std::pow(a, b);
    if (std::isinf(result) && std::isfinite(a) && std::isfinite(b))
      return ev.raise("OverflowError", "(34, 'Numerical result out of range')");
    return Value::real(result);
  }
  default:
    return {};
  }
}

std::complex<double> toComplex(Value v) {
  if (v.is(Kind::Complex)) return {v.asComplex().first, v.asComplex().second};
  return {toDouble(v), 0};
}

} // namespace

Value Evaluator::staticComplexEqual(Value a, Value b) { return Value::boolean(toComplex(a) == toComplex(b)); }

Value Evaluator::staticBinary(BinaryOp op, Value a, Value b) {
  auto refused = [&]() -> Value {
    return fail(DiagKind::UnsupportedOperands, "unsupported operand type(s) for " +
                                                   std::string(spelling(op)) + ": '" + typeName(a) +
                                                   "' and '" + typeName(b) + "'");
  };
  bool ofInts = llvm::is_contained({BinaryOp::LShift, BinaryOp::RShift, BinaryOp::BitAnd, BinaryOp::BitOr,
                                    BinaryOp::BitXor, BinaryOp::MatMul},
                                   op);
  if (ofInts && (a.is(Kind::Float) || b.is(Kind::Float))) return refused();
  if (a.is(Kind::Complex) || b.is(Kind::Complex)) {
    std::complex<double> x = toComplex(a), y = toComplex(b), z;
    switch (op) {
    case BinaryOp::Add:
      z = x + y;
      break;
    case BinaryOp::Sub:
      z = x - y;
      break;
    case BinaryOp::Mul:
      z = x * y;
      break;
    case BinaryOp::Div:
      if (y == 0.0) return raise("ZeroDivisionError", "complex division by zero");
      z = x / y;
      break;
    case BinaryOp::Pow:
      z = std::pow(x, y);
      break;
    default:
      return refused();
    }
    return arena.complex(z.real(), z.imag());
  }
  if (a.is(Kind::Float) || b.is(Kind::Float)) return floatBinary(*this, op, toDouble(a), toDouble(b));
  if (a.is(Kind::Bool) && b.is(Kind::Bool)) {
    if (op == BinaryOp::BitAnd) return Value::boolean(a.asBool() && b.asBool());
    if (op == BinaryOp::BitOr) return Value::boolean(a.asBool() || b.asBool());
    if (op == BinaryOp::BitXor) return Value::boolean(a.asBool() != b.asBool());
  }
  return intBinary(*this, op, a, b);
}

} // namespace jx::elab
