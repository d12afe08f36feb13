// The module math: functions of several results or arguments, and of ints, on numbers that are known when the
// program is compiled; some on run-time ones too.
#include "compiler/elaborate/Evaluator.h"
#include "compiler/elaborate/Registry.h"
#include <cmath>

namespace jx::elab {

Value mathAtRun(Evaluator &ev, llvm::StringRef name, llvm::ArrayRef<Value> numbers);

namespace {

using Function = std::function<Value(Evaluator &, llvm::ArrayRef<Value>)>;

// A function of static numbers; host numbers are asked for.
void add(Registry &r, const char *name, size_t least, size_t most, Function fn) {
  r.function(
      "math", name, [name = std::string(name), least, most, fn](Evaluator &ev, CallArgs &args) -> Value {
        size_t given = args.positional.size();
        if (given < least || given > most || !args.keywords.empty())
          return ev.typeError("math." + name + "() takes " +
                              (least == most ? std::to_string(least) : "at least " + std::to_string(least)) +
                              " arguments (" + std::to_string(given) + " given)");
        for (Value &value : args.positional) {
          if (!value.isNumber() && !value.isArray()) continue;
          value = ev.toStatic(value, "an argument of math." + name);
          if (!value) return Failed();
        }
        return fn(ev, args.positional);
      });
}

std::optional<double> realOf(Evaluator &ev, Value v) {
  if (v.isAny(Kind::Int, Kind::Bool, Kind::Float)) return toDouble(v);
  (void)ev.typeError("must be real number, not " + ev.typeName(v));
  return std::nullopt;
}

void addReal(Registry &r, const char *name, double (*fn)(double)) {
  r.function("math", name, {1, 1}, [name, fn](Evaluator &ev, CallArgs &args) -> Value {
    Value v = args.positional[0];
    if (v.isArray()) v = ev.arrayToHost(v, HostType::Float);
    if (!v) return Failed();
    if (v.isHost()) return mathAtRun(ev, name, {v});
    JX_TRY(x, realOf(ev, v));
    double result = fn(*x);
    if (std::isnan(result) && !std::isnan(*x)) return ev.valueError("math domain error");
    return Value::real(result);
  });
}

llvm::DynamicAPInt gcdOf(llvm::DynamicAPInt a, llvm::DynamicAPInt b) {
  while (b != 0) std::swap(a, b), b = b % a;
  return a < 0 ? -a : a;
}

Value lcm(Evaluator &ev, llvm::ArrayRef<Value> args) {
  llvm::DynamicAPInt result(1);
  for (Value v : args) {
    if (!v.isAny(Kind::Int, Kind::Bool)) return ev.typeError("'" + ev.typeName(v) + "' object is no integer");
    llvm::DynamicAPInt x = toBig(v);
    if (x == 0) return Value::integer(0);
    if (x < 0) x = -x;
    result = result / gcdOf(result, x) * x;
  }
  return ev.arena.integer(result);
}

// n! / (n - k)!
Value perm(Evaluator &ev, llvm::ArrayRef<Value> args) {
  JX_TRY(n, ev.toStaticInt(args[0], "an argument of math.perm"));
  int64_t k = *n;
  if (args.size() > 1 && !args[1].isNone()) {
    JX_TRY(given, ev.toStaticInt(args[1], "an argument of math.perm"));
    k = *given;
  }
  if (*n < 0 || k < 0) return ev.valueError("n and k must be non-negative integers");
  llvm::DynamicAPInt result(k > *n ? 0 : 1);
  for (int64_t i = 0; i < k && k <= *n; ++i) result *= llvm::DynamicAPInt(*n - i);
  return ev.arena.integer(result);
}

Value dist(Evaluator &ev, llvm::ArrayRef<Value> args) {
  JX_TRY(p, ev.elements(args[0]));
  JX_TRY(q, ev.elements(args[1]));
  if (p->size() != q->size()) return ev.valueError("both points must have the same number of dimensions");
  double sum = 0;
  for (auto [a, b] : llvm::zip(*p, *q)) {
    JX_TRY(x, realOf(ev, a));
    JX_TRY(y, realOf(ev, b));
    sum += (*x - *y) * (*x - *y);
  }
  return Value::real(std::sqrt(sum));
}

} // namespace

// The function of jx._numbers on float64 scalars, as a host float.
Value mathAtRun(Evaluator &ev, llvm::StringRef name, llvm::ArrayRef<Value> numbers) {
  llvm::SmallVector<Value> scalars;
  std::vector<Symbol> sources;
  for (Value number : numbers) {
    mlir::Value v = ev.hostTensor(number, HostType::Float);
    if (!v) return Failed();
    scalars.push_back(Value::array(v, false));
    if (number.isHost()) sources = mergeSources(sources, number.asHost().sources);
  }
  JX_TRY(result, ev.callLibrary("jx._numbers", name, scalars));
  return ev.makeHost(result.asArray(), HostType::Float, {}, {}, sources);
}

void registerMathMore(Registry &r) {
  addReal(r, "cbrt", std::cbrt);
  addReal(r, "exp2", std::exp2);
  addReal(r, "asinh", std::asinh);
  addReal(r, "acosh", std::acosh);
  addReal(r, "atanh", std::atanh);
  add(r, "lcm", 0, SIZE_MAX, lcm);
  add(r, "perm", 1, 2, perm);
  add(r, "dist", 2, 2, dist);
  add(r, "modf", 1, 1, [](Evaluator &ev, llvm::ArrayRef<Value> args) -> Value {
    JX_TRY(x, realOf(ev, args[0]));
    double whole, part = std::modf(*x, &whole);
    return ev.arena.tuple({Value::real(part), Value::real(whole)});
  });
  add(r, "frexp", 1, 1, [](Evaluator &ev, llvm::ArrayRef<Value> args) -> Value {
    JX_TRY(x, realOf(ev, args[0]));
    int exponent;
    double mantissa = std::frexp(*x, &exponent);
    return ev.arena.tuple({Value::real(mantissa), Value::integer(exponent)});
  });
  add(r, "ldexp", 2, 2, [](Evaluator &ev, llvm::ArrayRef<Value> args) -> Value {
    JX_TRY(x, realOf(ev, args[0]));
    JX_TRY(exponent, ev.toStaticInt(args[1], "the exponent of math.ldexp"));
    return Value::real(std::ldexp(*x, static_cast<int>(*exponent)));
  });
}

} // namespace jx::elab
