// int, float, bool, complex, abs, round, divmod, pow, and the module math.
#include "compiler/elaborate/Containers.h"
#include "compiler/elaborate/Evaluator.h"
#include "compiler/elaborate/Registry.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

namespace jx::elab {

void registerMathMore(Registry &r);
Value mathAtRun(Evaluator &ev, llvm::StringRef name, llvm::ArrayRef<Value> numbers);

namespace {

using ast::BinaryOp;
using ast::CompareOp;

Value parseInt(Evaluator &ev, llvm::StringRef text, int64_t base) {
  std::string digits = text.trim().str();
  llvm::erase(digits, '_');
  llvm::StringRef rest = digits;
  bool negative = rest.consume_front("-");
  if (!negative) rest.consume_front("+");
  if (base == 0) { // by its prefix
    llvm::StringRef prefix = rest.take_front(2);
    base = prefix.equals_insensitive("0x")   ? 16
           : prefix.equals_insensitive("0b") ? 2
           : prefix.equals_insensitive("0o") ? 8
                                             : 10;
  }
  if (base == 8) rest.consume_front_insensitive("0o");
  if (base == 16) rest.consume_front_insensitive("0x");
  if (base == 2) rest.consume_front_insensitive("0b");
  llvm::DynamicAPInt value(0);
  bool valid = !rest.empty();
  for (char c : rest) {
    int digit = llvm::isDigit(c) ? c - '0' : llvm::isAlpha(c) ? llvm::toLower(c) - 'a' + 10 : 99;
    if (digit >= base) valid = false;
    value = value * llvm::DynamicAPInt(base) + llvm::DynamicAPInt(int64_t(digit));
  }
  if (!valid)
    return ev.fail(DiagKind::BadConversion,
                   "invalid literal for int() with base " + std::to_string(base) + ": '" + text.str() + "'");
  return ev.arena.integer(negative ? -value : value);
}

Value fromDouble(Evaluator &ev, double d) {
  if (std::isnan(d)) return ev.valueError("cannot convert float NaN to integer");
  if (std::isinf(d)) return ev.raise("OverflowError", "cannot convert float infinity to integer");
  d = std::trunc(d);
  if (std::fabs(d) < 9e18) return Value::integer(static_cast<int64_t>(d));
  int exponent;
  double mantissa = std::frexp(d, &exponent); // d = mantissa * 2^exponent, 53 bits of mantissa
  llvm::DynamicAPInt value(static_cast<int64_t>(std::ldexp(mantissa, 53)));
  for (int k = 0; k < exponent - 53; ++k) value *= llvm::DynamicAPInt(2);
  return ev.arena.integer(value);
}

Value makeInt(Evaluator &ev, CallArgs &args) {
  Value v[2];
  JX_CHECK(ev.bindNative(args, "int", {"x", "base"}, 0, v));
  if (!v[0]) return Value::integer(0);
  if (v[0].is(Kind::Text)) {
    v[0] = ev.toStatic(v[0], "the text of an int");
    if (!v[0]) return Failed();
  }
  Value dunder = ev.callDunder(v[0], "__int__", {});
  if (dunder || !ev.isPending(Pending::None)) return dunder;
  v[0] = plainValue(v[0]);
  if (v[0].isAny(Kind::Str)) {
    int64_t base = 10;
    if (v[1]) {
      JX_TRY(given, ev.toStaticInt(v[1], "the base of int()"));
      base = *given;
      if (base != 0 && (base < 2 || base > 36))
        return ev.valueError("int() base must be >= 2 and <= 36, or 0");
    }
    return parseInt(ev, v[0].asStr(), base);
  }
  if (v[0].isAny(Kind::Int)) return v[0];
  if (v[0].is(Kind::Bool)) return Value::integer(v[0].asBool());
  if (v[0].is(Kind::Float)) return fromDouble(ev, v[0].asFloat());
  if (v[0].isHost()) {
    if (v[0].asHost().type == HostType::Int) return v[0];
    return ev.makeHost(ev.hostTensor(v[0], HostType::Int), HostType::Int, {}, {}, v[0].asHost().sources);
  }
  if (v[0].isArray()) return ev.arrayToHost(v[0], HostType::Int);
  Value own = ev.callDunder(v[0], "__index__", {});
  if (own || !ev.isPending(Pending::None)) return own;
  return ev.typeError("int() argument must be a string, a bytes-like object or a real number, not '" +
                      ev.typeName(v[0]) + "'");
}

Value makeFloat(Evaluator &ev, CallArgs &args) {
  Value v[1];
  JX_CHECK(ev.bindNative(args, "float", {"x"}, 0, v));
  if (!v[0]) return Value::real(0);
  if (v[0].is(Kind::Text)) {
    v[0] = ev.toStatic(v[0], "the text of a float");
    if (!v[0]) return Failed();
  }
  if (v[0].is(Kind::Str)) {
    std::string text = v[0].asStr().trim().lower();
    llvm::erase(text, '_');
    char *end;
    double d = std::strtod(text.c_str(), &end);
    if (text.empty() || *end || llvm::StringRef(text).contains('x'))
      return ev.fail(DiagKind::BadConversion,
                     "could not convert string to float: '" + v[0].asStr().str() + "'");
    return Value::real(d);
  }
  if (v[0].isAny(Kind::Int, Kind::Bool, Kind::Float)) return Value::real(toDouble(v[0]));
  if (v[0].isHost()) {
    if (v[0].asHost().type == HostType::Float) return v[0];
    return ev.makeHost(ev.hostTensor(v[0], HostType::Float), HostType::Float, {}, {}, v[0].asHost().sources);
  }
  if (v[0].isArray()) return ev.arrayToHost(v[0], HostType::Float);
  Value own = ev.callDunder(v[0], "__float__", {});
  if (own || !ev.isPending(Pending::None)) return own;
  if (isStandIn(v[0])) {
    args.positional[0] = plainValue(v[0]);
    return makeFloat(ev, args);
  }
  return ev.typeError("float() argument must be a string or a real number, not '" + ev.typeName(v[0]) + "'");
}

Value makeBool(Evaluator &ev, CallArgs &args) {
  Value v[1];
  JX_CHECK(ev.bindNative(args, "bool", {"x"}, 0, v));
  if (!v[0]) return Value::boolean(false);
  if (v[0].isArray() && v[0].arrayType().getNumElements() == 1) return ev.arrayToHost(v[0], HostType::Bool);
  return ev.truthValue(v[0]);
}

// "1", "2j", "1+2j", "(1-j)".
Value parseComplex(Evaluator &ev, llvm::StringRef text) {
  text = text.trim();
  if (text.consume_front("(") && !text.consume_back(")")) text = "";
  text = text.trim();
  double parts[2] = {0, 0};
  bool ok = !text.empty();
  for (int k = 0; ok && !text.empty(); ++k) {
    if (k == 2 || (k == 1 && !text.starts_with("+") && !text.starts_with("-"))) ok = false;
    std::string rest = text.str();
    char *end = nullptr;
    double number = std::strtod(rest.c_str(), &end);
    size_t used = end - rest.c_str();
    if (!used && (text.consume_front("+") || text.consume_front("-") || text.starts_with("j"))) // a bare `j`
      number = rest[0] == '-' ? -1 : 1, ok &= text == "j" || text == "J";
    else
      text = text.drop_front(used), ok &= used != 0;
    bool imaginary = text.consume_front("j") || text.consume_front("J");
    parts[imaginary] = number;
    ok &= imaginary ? text.empty() : k == 0;
  }
  if (!ok) return ev.valueError("complex() arg is a malformed string");
  return ev.arena.complex(parts[0], parts[1]);
}

Value makeComplex(Evaluator &ev, CallArgs &args) {
  Value v[2];
  JX_CHECK(ev.bindNative(args, "complex", {"real", "imag"}, 0, v));
  if (v[0] && v[0].is(Kind::Str) && !v[1]) return parseComplex(ev, v[0].asStr());
  for (Value &part : v)
    if (!part) part = Value::integer(0);
  if (!v[0].isStaticNumber() || !v[1].isStaticNumber())
    return ev.unsupported("complex() of values that are known at run time only");
  Value imaginary = ev.staticBinary(BinaryOp::Mul, v[1], ev.arena.complex(0, 1));
  return ev.staticBinary(BinaryOp::Add, v[0], imaginary);
}

Value absolute(Evaluator &ev, CallArgs &args) {
  Value x = args.positional[0];
  if (x.isArray()) return ev.callLibrary("jax._src.operators", "abs", {x});
  if (x.is(Kind::Complex)) return Value::real(std::hypot(x.asComplex().first, x.asComplex().second));
  if (x.is(Kind::Float)) return Value::real(std::fabs(x.asFloat()));
  if (x.isAny(Kind::Int, Kind::Bool))
    return ev.arena.integer(toBig(x) < llvm::DynamicAPInt(0) ? -toBig(x) : toBig(x));
  if (x.isHost()) {
    HostType type = x.asHost().type == HostType::Float ? HostType::Float : HostType::Int;
    mlir::Value v = ev.hostTensor(x, type);
    if (!v) return Failed();
    return ev.makeHost(ev.emit1("jx.abs", {v}), type, {},
                       type == HostType::Int ? Interval{0, INT64_MAX} : Interval{}, x.asHost().sources);
  }
  Value own = ev.callDunder(x, "__abs__", {});
  if (own || !ev.isPending(Pending::None)) return own;
  return ev.typeError("bad operand type for abs(): '" + ev.typeName(x) + "'");
}

// Rounds half to even; with digits through exact decimal text, as Python does.
Value roundNumber(Evaluator &ev, CallArgs &args) {
  Value v[2];
  JX_CHECK(ev.bindNative(args, "round", {"number", "ndigits"}, 1, v));
  bool toInt = !v[1] || v[1].isNone();
  if (v[0].isArray()) {
    JX_TRY(rounded, ev.call(ev.getAttr(v[0], "round"),
                            toInt ? llvm::SmallVector<Value>{} : llvm::SmallVector<Value>{v[1]}));
    return toInt ? ev.toArray(rounded, {ev.promotion.defaultInt(), false}) : rounded;
  }
  if (v[0].isHost()) {
    if (v[0].asHost().type != HostType::Float) return v[0];
    if (!toInt) {
      JX_TRY(digits, ev.toStaticInt(v[1], "the digits of round()"));
      Value number = Value::array(v[0].asHost().value, false);
      JX_TRY(decimal, ev.callLibrary("jx._numbers", "round_to", {number, Value::integer(*digits)}));
      return ev.makeHost(decimal.asArray(), HostType::Float, {}, {}, v[0].asHost().sources);
    }
    mlir::Value rounded = ev.emit1("jx.round", {v[0].asHost().value},
                                   ev.builder.getNamedAttr("mode", ev.builder.getStringAttr("even")));
    if (!rounded) return Failed();
    return ev.makeHost(ev.convert(rounded, ev.builder.getI64Type()), HostType::Int, {}, {},
                       v[0].asHost().sources);
  }
  if (v[0].isAny(Kind::Int, Kind::Bool)) {
    if (toInt) return ev.arena.integer(toBig(v[0]));
    JX_TRY(digits, ev.toStaticInt(v[1], "the digits of round()"));
    if (*digits >= 0) return ev.arena.integer(toBig(v[0]));
    Value unit = ev.staticBinary(BinaryOp::Pow, Value::integer(10), Value::integer(-*digits));
    Value half = ev.staticBinary(BinaryOp::FloorDiv, unit, Value::integer(2));
    Value quotient = ev.staticBinary(BinaryOp::FloorDiv, v[0], unit),
          rest = ev.staticBinary(BinaryOp::Mod, v[0], unit);
    int order = *ev.staticOrder(rest, half);
    bool odd = toBig(quotient) % llvm::DynamicAPInt(2) != llvm::DynamicAPInt(0);
    if (order > 0 || (order == 0 && odd))
      quotient = ev.staticBinary(BinaryOp::Add, quotient, Value::integer(1));
    return ev.staticBinary(BinaryOp::Mul, quotient, unit);
  }
  if (!v[0].is(Kind::Float)) {
    Value own =
        ev.callDunder(v[0], "__round__", toInt ? llvm::ArrayRef<Value>() : llvm::ArrayRef<Value>(v[1]));
    if (own || !ev.isPending(Pending::None)) return own;
    return ev.typeError("type " + ev.typeName(v[0]) + " doesn't define __round__ method");
  }
  double d = v[0].asFloat();
  if (toInt) return fromDouble(ev, std::nearbyint(d));
  JX_TRY(digits, ev.toStaticInt(v[1], "the digits of round()"));
  if (*digits >= 0) {
    JX_TRY(text, ev.format(v[0], ev.arena.str("." + std::to_string(*digits) + "f")));
    return Value::real(std::strtod(text.asStr().str().c_str(), nullptr));
  }
  double unit = std::pow(10.0, static_cast<double>(-*digits));
  return Value::real(std::nearbyint(d / unit) * unit);
}

Value divMod(Evaluator &ev, CallArgs &args) {
  for (bool reflected : {false, true}) {
    Value self = args.positional[reflected], other = args.positional[!reflected];
    Value own = ev.callDunder(self, reflected ? "__rdivmod__" : "__divmod__", {other});
    if (!own && !ev.isPending(Pending::None)) return Failed();
    if (own && !own.is(Kind::NotImplemented)) return own;
  }
  JX_TRY(quotient, ev.binary(BinaryOp::FloorDiv, args.positional[0], args.positional[1]));
  JX_TRY(rest, ev.binary(BinaryOp::Mod, args.positional[0], args.positional[1]));
  return ev.arena.tuple({quotient, rest});
}

Value power(Evaluator &ev, CallArgs &args) {
  Value v[3];
  JX_CHECK(ev.bindNative(args, "pow", {"base", "exp", "mod"}, 2, v));
  if (!v[2] || v[2].isNone()) return ev.binary(BinaryOp::Pow, v[0], v[1]);
  for (Value part : v)
    if (!part.isAny(Kind::Int, Kind::Bool))
      return ev.typeError("pow() with a modulus takes integers that are known when the program is compiled");
  using Int = llvm::DynamicAPInt;
  Int base = toBig(v[0]), exponent = toBig(v[1]), modulus = toBig(v[2]), result(1);
  if (modulus == 0) return ev.valueError("pow() 3rd argument cannot be 0");
  auto reduce = [&](const Int &x) { return llvm::mod(x, modulus < 0 ? -modulus : modulus); };
  base = reduce(base);
  if (exponent < 0) { // the inverse, by Euclid's algorithm
    Int a = base, b = modulus, x(1), y(0);
    while (b != 0) {
      Int quotient = a / b;
      std::swap(a, b), b = b - quotient * a;
      std::swap(x, y), y = y - quotient * x;
    }
    if (a != 1 && a != -1) return ev.valueError("base is not invertible for the given modulus");
    base = reduce(a == 1 ? x : -x);
    exponent = -exponent;
  }
  for (; exponent != 0; exponent = exponent / Int(2), base = reduce(base * base))
    if (llvm::mod(exponent, Int(2)) == 1) result = reduce(result * base);
  result = reduce(result);
  return ev.arena.integer(modulus < 0 && result != 0 ? result + modulus : result);
}

Value inBase(Evaluator &ev, CallArgs &args, const char *spec) {
  if (args.positional.size() != 1) return ev.typeError("one argument is expected");
  return ev.format(args.positional[0], ev.arena.str(spec));
}

// Where a function of the module math has no value: each comparison that holds makes it a domain error.
using Outside = std::vector<std::pair<CompareOp, double>>;

Status checkDomain(Evaluator &ev, Value x, const Outside &outside) {
  for (auto [op, bound] : outside) {
    Interval range = ev.rangeOf(x);
    bool never = (op == CompareOp::Lt && double(range.low) >= bound) ||
                 (op == CompareOp::LtE && double(range.low) > bound);
    if (never && x.asHost().type != HostType::Float) continue;
    JX_TRY(isOutside, ev.hostCompare(op, x, Value::real(bound)));
    JX_CHECK(ev.emitCheck(ev.hostNot(isOutside), "ValueError", ev.arena.str("math domain error")));
  }
  return Status::success();
}

// math: functions of doubles. On run-time host floats the dialect's operation of the same meaning on f64, or
// the library's function.
void addMath(Registry &r, const char *name, double (*fn)(double), const char *op, Outside outside = {}) {
  r.function("math", name, [name, fn, op, outside](Evaluator &ev, CallArgs &args) -> Value {
    if (args.positional.size() != 1)
      return ev.typeError("math." + std::string(name) + "() takes exactly one argument");
    Value x = args.positional[0];
    if (x.isArray()) {
      x = ev.arrayToHost(x, HostType::Float);
      if (!x) return Failed();
    }
    if (x.isAny(Kind::Int, Kind::Bool, Kind::Float)) {
      double d = toDouble(x), result = fn(d);
      if (std::isnan(result) && !std::isnan(d)) return ev.valueError("math domain error");
      if (std::isinf(result) && std::isfinite(d))
        return llvm::StringRef(name).starts_with("log") ? ev.valueError("math domain error")
                                                        : ev.raise("OverflowError", "math range error");
      return Value::real(result);
    }
    if (!x.isHost()) return ev.typeError("must be real number, not " + ev.typeName(x));
    JX_CHECK(checkDomain(ev, x, outside));
    if (!op) return mathAtRun(ev, name, {x});
    mlir::Value v = ev.hostTensor(x, HostType::Float);
    if (!v) return Failed();
    return ev.makeHost(ev.emit1(op, {v}), HostType::Float, {}, {}, x.asHost().sources);
  });
}

void addRounding(Registry &r, const char *name, double (*fn)(double), const char *op) {
  r.function("math", name, [fn, op](Evaluator &ev, CallArgs &args) -> Value {
    Value x = args.positional.empty() ? Value() : args.positional[0];
    if (!x) return ev.typeError("one argument is expected");
    if (x.isArray()) x = ev.arrayToHost(x, HostType::Float);
    if (!x) return Failed();
    if (x.isAny(Kind::Int, Kind::Bool)) return x;
    if (x.is(Kind::Float)) return fromDouble(ev, fn(x.asFloat()));
    if (!x.isHost()) return ev.typeError("must be real number, not " + ev.typeName(x));
    if (x.asHost().type != HostType::Float) return x;
    mlir::Value v = op ? ev.emit1(op, {x.asHost().value}) : x.asHost().value;
    if (!v) return Failed();
    return ev.makeHost(ev.convert(v, ev.builder.getI64Type()), HostType::Int, {}, {}, x.asHost().sources);
  });
}

void registerMath(Registry &r) {
  addMath(r, "sqrt", std::sqrt, "jx.sqrt", {{CompareOp::Lt, 0}});
  addMath(r, "exp", std::exp, "jx.exp");
  addMath(r, "expm1", std::expm1, "jx.expm1");
  addMath(r, "log2", std::log2, nullptr, {{CompareOp::LtE, 0}});
  addMath(r, "log10", std::log10, nullptr, {{CompareOp::LtE, 0}});
  addMath(r, "log1p", std::log1p, "jx.log1p", {{CompareOp::LtE, -1}});
  addMath(r, "sin", std::sin, "jx.sin");
  addMath(r, "cos", std::cos, "jx.cos");
  addMath(r, "tan", std::tan, "jx.tan");
  addMath(r, "asin", std::asin, "jx.asin", {{CompareOp::Lt, -1}, {CompareOp::Gt, 1}});
  addMath(r, "acos", std::acos, "jx.acos", {{CompareOp::Lt, -1}, {CompareOp::Gt, 1}});
  addMath(r, "atan", std::atan, "jx.atan");
  addMath(r, "sinh", std::sinh, "jx.sinh");
  addMath(r, "cosh", std::cosh, "jx.cosh");
  addMath(r, "tanh", std::tanh, "jx.tanh");
  addMath(r, "erf", std::erf, "jx.erf");
  addMath(r, "erfc", std::erfc, "jx.erfc");
  addMath(r, "gamma", std::tgamma, nullptr);
  addMath(r, "lgamma", [](double x) { return std::lgamma(x); }, "jx.lgamma");
  addMath(r, "fabs", std::fabs, "jx.abs");
  addMath(r, "degrees", [](double x) { return x * (180.0 / M_PI); }, nullptr);
  addMath(r, "radians", [](double x) { return x * (M_PI / 180.0); }, nullptr);
  addRounding(r, "floor", std::floor, "jx.floor");
  addRounding(r, "ceil", std::ceil, "jx.ceil");
  addRounding(r, "trunc", std::trunc, nullptr);
  r.function("math", "log", [](Evaluator &ev, CallArgs &args) -> Value {
    auto one = [&](Value x) -> Value {
      if (x.isArray()) x = ev.arrayToHost(x, HostType::Float);
      if (!x) return Failed();
      if (x.isHost()) {
        JX_CHECK(checkDomain(ev, x, {{CompareOp::LtE, 0}}));
        mlir::Value v = ev.hostTensor(x, HostType::Float);
        if (!v) return Failed();
        return ev.makeHost(ev.emit1("jx.log", {v}), HostType::Float, {}, {}, x.asHost().sources);
      }
      if (!x.isAny(Kind::Int, Kind::Bool, Kind::Float))
        return ev.typeError("must be real number, not " + ev.typeName(x));
      double d = toDouble(x);
      if (d <= 0) return ev.valueError("math domain error");
      return Value::real(std::log(d));
    };
    if (args.positional.empty() || args.positional.size() > 2)
      return ev.typeError("log expected 1 or 2 arguments");
    JX_TRY(value, one(args.positional[0]));
    if (args.positional.size() == 1) return value;
    JX_TRY(base, one(args.positional[1]));
    return ev.binary(BinaryOp::Div, value, base);
  });
  auto binary = [&](const char *name, double (*fn)(double, double)) {
    r.function("math", name, [name, fn](Evaluator &ev, CallArgs &args) -> Value {
      if (args.positional.size() != 2) return ev.typeError(std::string(name) + " expected 2 arguments");
      for (Value &v : args.positional)
        if (v.isArray()) v = ev.arrayToHost(v, HostType::Float);
      Value a = args.positional[0], b = args.positional[1];
      if (!a || !b) return Failed();
      if (a.isNumber() && b.isNumber() && (a.isHost() || b.isHost())) return mathAtRun(ev, name, {a, b});
      if (!a.isStaticNumber() || !b.isStaticNumber()) return ev.typeError("must be real number");
      return Value::real(fn(toDouble(a), toDouble(b)));
    });
  };
  binary("pow", std::pow);
  binary("atan2", std::atan2);
  binary("fmod", std::fmod);
  binary("copysign", std::copysign);
  binary("hypot", std::hypot);
  auto test = [&](const char *name, bool (*fn)(double)) {
    r.function("math", name, [fn, name](Evaluator &ev, CallArgs &args) -> Value {
      if (args.positional.size() != 1) return ev.typeError("one argument is expected");
      Value x = args.positional[0];
      if (x.isArray() || x.isHost()) {
        JX_TRY(host, x.isArray() ? ev.arrayToHost(x, HostType::Float) : x);
        mlir::Value v = ev.hostTensor(host, HostType::Float);
        if (!v) return Failed();
        mlir::Value finite = ev.emit1("jx.is_finite", {v});
        if (!finite) return Failed();
        Value isFinite = ev.makeHost(finite, HostType::Bool, {}, {}, host.asHost().sources);
        if (llvm::StringRef(name) == "isfinite") return isFinite;
        Value isNan = ev.hostCompare(CompareOp::NotEq, host, host);
        if (llvm::StringRef(name) == "isnan") return isNan;
        return ev.hostAnd(ev.hostNot(isFinite), ev.hostNot(isNan));
      }
      return Value::boolean(fn(toDouble(x)));
    });
  };
  test("isnan", [](double d) { return std::isnan(d); });
  test("isinf", [](double d) { return std::isinf(d); });
  test("isfinite", [](double d) { return std::isfinite(d); });
  r.function("math", "gcd", [](Evaluator &ev, CallArgs &args) -> Value {
    llvm::DynamicAPInt result(0);
    for (Value v : args.positional) {
      JX_TRY(known, ev.toStatic(v, "an argument of math.gcd"));
      if (!known.isAny(Kind::Int, Kind::Bool))
        return ev.typeError("'" + ev.typeName(known) + "' object cannot be interpreted as an integer");
      llvm::DynamicAPInt a = result, b = toBig(known);
      if (b < llvm::DynamicAPInt(0)) b = -b;
      while (b != llvm::DynamicAPInt(0)) {
        llvm::DynamicAPInt t = a % b;
        a = b;
        b = t;
      }
      result = a;
    }
    return ev.arena.integer(result);
  });
  r.function("math", "isqrt", [](Evaluator &ev, CallArgs &args) -> Value {
    JX_TRY(n, ev.toStaticInt(args.positional[0], "the argument of math.isqrt"));
    int64_t root = static_cast<int64_t>(std::sqrt(static_cast<double>(*n)));
    while (root * root > *n) --root;
    while ((root + 1) * (root + 1) <= *n) ++root;
    return Value::integer(root);
  });
  auto product = [](Evaluator &ev, int64_t from, int64_t to) {
    Value result = Value::integer(1);
    for (int64_t k = from; k <= to && result; ++k)
      result = ev.staticBinary(BinaryOp::Mul, result, Value::integer(k));
    return result;
  };
  r.function("math", "factorial", [product](Evaluator &ev, CallArgs &args) -> Value {
    JX_TRY(n, ev.toStaticInt(args.positional[0], "the argument of math.factorial"));
    if (*n < 0) return ev.valueError("factorial() not defined for negative values");
    return product(ev, 2, *n);
  });
  r.function("math", "comb", [product](Evaluator &ev, CallArgs &args) -> Value {
    JX_TRY(n, ev.toStaticInt(args.positional[0], "the argument of math.comb"));
    JX_TRY(k, ev.toStaticInt(args.positional[1], "the argument of math.comb"));
    if (*k > *n) return Value::integer(0);
    return ev.staticBinary(BinaryOp::FloorDiv, product(ev, *n - *k + 1, *n), product(ev, 2, *k));
  });
  r.function("math", "prod", [](Evaluator &ev, CallArgs &args) -> Value {
    Value start = args.takeKeyword("start"), result = start ? start : Value::integer(1);
    JX_TRY(items, ev.elements(args.positional[0]));
    for (Value item : *items) {
      result = ev.binary(BinaryOp::Mul, result, item);
      if (!result) return Failed();
    }
    return result;
  });
  r.function("math", "fsum", [](Evaluator &ev, CallArgs &args) -> Value {
    JX_TRY(items, ev.elements(args.positional[0]));
    long double total = 0;
    for (Value item : *items) {
      JX_TRY(known, ev.toStatic(item, "an element of math.fsum"));
      total += toDouble(known);
    }
    return Value::real(static_cast<double>(total));
  });
  r.function("math", "isclose", [](Evaluator &ev, CallArgs &args) -> Value {
    Value v[4];
    JX_CHECK(ev.bindNative(args, "isclose", {"a", "b", "rel_tol", "abs_tol"}, 2, v));
    for (Value &number : v)
      if (number && number.isArray()) number = ev.arrayToHost(number, HostType::Float);
    if (!v[0] || !v[1]) return Failed();
    if (llvm::any_of(v, [](Value number) { return number && number.isHost(); })) {
      JX_TRY(isClose,
             ev.callLibrary("jx._numbers", "isclose",
                            {v[0], v[1], v[2] ? v[2] : Value::real(1e-9), v[3] ? v[3] : Value::real(0)}));
      return isClose;
    }
    double x = toDouble(v[0]), y = toDouble(v[1]), rel = v[2] ? toDouble(v[2]) : 1e-9,
           abs = v[3] ? toDouble(v[3]) : 0;
    return Value::boolean(x == y ||
                          std::fabs(x - y) <= std::max(rel * std::max(std::fabs(x), std::fabs(y)), abs));
  });
  auto number = [&](const char *name, double value) {
    r.constant("math", name, [value](Evaluator &) { return Value::real(value); });
  };
  number("pi", M_PI);
  number("e", M_E);
  number("tau", 2 * M_PI);
  number("inf", HUGE_VAL);
  number("nan", std::nan(""));
}

} // namespace

void registerNumbers(Registry &r) {
  r.constructor("int", makeInt);
  r.constructor("float", makeFloat);
  r.constructor("bool", makeBool);
  r.constructor("complex", makeComplex);
  r.function("builtins", "abs", {1, 1}, absolute);
  r.function("builtins", "round", roundNumber);
  r.function("builtins", "divmod", {2, 2}, divMod);
  r.function("builtins", "pow", power);
  r.function("builtins", "bin", [](Evaluator &ev, CallArgs &args) { return inBase(ev, args, "#b"); });
  r.function("builtins", "hex", [](Evaluator &ev, CallArgs &args) { return inBase(ev, args, "#x"); });
  r.function("builtins", "oct", [](Evaluator &ev, CallArgs &args) { return inBase(ev, args, "#o"); });
  r.property(Kind::Int, "real", [](Evaluator &, CallArgs &args) { return args.positional[0]; });
  r.property(Kind::Int, "imag", [](Evaluator &, CallArgs &) { return Value::integer(0); });
  r.property(Kind::Float, "real", [](Evaluator &, CallArgs &args) { return args.positional[0]; });
  r.property(Kind::Float, "imag", [](Evaluator &, CallArgs &) { return Value::real(0); });
  r.property(Kind::Complex, "real",
             [](Evaluator &, CallArgs &args) { return Value::real(args.positional[0].asComplex().first); });
  r.property(Kind::Complex, "imag",
             [](Evaluator &, CallArgs &args) { return Value::real(args.positional[0].asComplex().second); });
  r.method(Kind::Complex, "conjugate", {0, 0}, [](Evaluator &ev, CallArgs &args) {
    return ev.arena.complex(args.positional[0].asComplex().first, -args.positional[0].asComplex().second);
  });
  r.method(Kind::Float, "as_integer_ratio", {0, 0}, [](Evaluator &ev, CallArgs &args) -> Value {
    double d = args.positional[0].asFloat();
    if (!std::isfinite(d))
      return ev.raise(std::isnan(d) ? "ValueError" : "OverflowError",
                      std::string("cannot convert ") + (std::isnan(d) ? "NaN" : "Infinity") +
                          " to integer ratio");
    int exponent;
    double mantissa = std::frexp(d, &exponent);
    for (; mantissa != std::floor(mantissa); mantissa *= 2) --exponent;
    Value factor = ev.staticBinary(BinaryOp::Pow, Value::integer(2), Value::integer(std::abs(exponent)));
    JX_TRY(whole, fromDouble(ev, mantissa));
    if (exponent < 0) return ev.arena.tuple({whole, factor});
    return ev.arena.tuple({ev.staticBinary(BinaryOp::Mul, whole, factor), Value::integer(1)});
  });
  r.method(Kind::Host, "is_integer", {0, 0}, [](Evaluator &ev, CallArgs &args) -> Value {
    Value x = args.positional[0];
    JX_TRY(rest, ev.hostBinary(BinaryOp::Mod, x, Value::integer(1)));
    return ev.hostCompare(CompareOp::Eq, rest, Value::integer(0));
  });
  r.method(Kind::Float, "is_integer", {0, 0}, [](Evaluator &, CallArgs &args) {
    double d = args.positional[0].asFloat();
    return Value::boolean(std::isfinite(d) && d == std::floor(d));
  });
  r.method(Kind::Int, "bit_length", {0, 0}, [](Evaluator &, CallArgs &args) {
    llvm::DynamicAPInt v = toBig(args.positional[0]);
    if (v < llvm::DynamicAPInt(0)) v = -v;
    int64_t bits = 0;
    for (; v != llvm::DynamicAPInt(0); v = v / llvm::DynamicAPInt(2)) ++bits;
    return Value::integer(bits);
  });
  for (Kind kind : {Kind::Int, Kind::Float})
    r.method(kind, "item", {0, 0}, [](Evaluator &, CallArgs &args) { return args.positional[0]; });
  registerMath(r);
  registerMathMore(r);
}

} // namespace jx::elab
