// Arithmetic of Python numbers that are known at run time only: i64 that stop on overflow, f64, bool. Ints
// keep a polynomial and an interval; where the interval proves that nothing overflows, the plain operation
// is emitted.
#include "compiler/elaborate/Choices.h"

namespace jx::elab {

using ast::BinaryOp;
using ast::CompareOp;

HostType Evaluator::hostTypeOf(Value v) {
  if (v.isHost()) return v.asHost().type;
  return v.is(Kind::Bool) ? HostType::Bool : v.is(Kind::Int) ? HostType::Int : HostType::Float;
}

Value Evaluator::makeHost(mlir::Value value, HostType type, std::optional<Polynomial> form, Interval range,
                          std::vector<Symbol> sources) {
  if (!value) return Failed();
  if (form && form->isConstant() && type == HostType::Int) return Value::integer(form->constant);
  if (form) {
    // What does not occur in the polynomial has cancelled.
    sources.clear();
    for (auto &[symbols, coefficient] : form->terms)
      for (Symbol symbol : symbols) {
        const std::vector<Symbol> &from = symbolInfo(symbol).from;
        sources = mergeSources(sources, from.empty() ? std::vector<Symbol>{symbol} : from);
      }
  } else if (type == HostType::Int) {
    form = Polynomial::of(newSymbol({SymbolInfo::Data, "", 0, here(), sources}));
  }
  return Value::node(Kind::Host,
                     arena.make<HostNode>(value, type, std::move(form), range, std::move(sources)));
}

Symbol Evaluator::resultSymbol(const char *operation, Value a, Value b, const std::vector<Symbol> &sources) {
  std::optional<Polynomial> x = formOf(a), y = formOf(b);
  if (!x || !y) return newSymbol({SymbolInfo::Data, "", 0, here(), sources});
  auto [found, isNew] = resultSymbols.try_emplace({operation, *x, *y}, 0);
  if (isNew) found->second = newSymbol({SymbolInfo::Data, "", 0, here(), sources});
  return found->second;
}

Symbol Evaluator::newSymbol(SymbolInfo info) {
  symbols.push_back(std::move(info));
  return static_cast<Symbol>(symbols.size() - 1);
}

mlir::Type Evaluator::hostDtype(HostType type) {
  return type == HostType::Int     ? mlir::Type(builder.getI64Type())
         : type == HostType::Float ? mlir::Type(builder.getF64Type())
                                   : mlir::Type(builder.getI1Type());
}

mlir::Value Evaluator::hostTensor(Value number, HostType type) {
  if (!number) return {};
  if (number.isStaticNumber()) return constantScalar(hostDtype(type), number);
  return convert(number.asHost().value, hostDtype(type));
}

Value Evaluator::hostOf(Value number, HostType type) {
  if (number.isHost() && number.asHost().type == type) return number;
  mlir::Value value = hostTensor(number, type);
  if (!value) return Failed();
  std::vector<Symbol> sources;
  if (number.isHost()) sources = number.asHost().sources;
  Interval range;
  std::optional<Polynomial> form;
  if (type == HostType::Int) range = rangeOf(number), form = formOf(number);
  // A host value of a constant stays one: it stands for a slot that changes.
  return Value::node(Kind::Host, arena.make<HostNode>(value, type, form, range, std::move(sources)));
}

std::optional<Polynomial> Evaluator::formOf(Value v) {
  if (v.isSmallInt()) return Polynomial{v.asInt(), {}};
  if (v.is(Kind::Bool)) return Polynomial{v.asBool(), {}};
  return v.isHost() ? v.asHost().form : std::nullopt;
}

Interval Evaluator::rangeOf(Value v) {
  if (v.isSmallInt()) return Interval::of(v.asInt());
  if (v.is(Kind::Bool)) return Interval::of(v.asBool());
  if (v.isHost() && v.asHost().type == HostType::Bool) return {0, 1};
  return v.isHost() ? v.asHost().range : Interval{};
}

static std::vector<Symbol> sourcesOf(Value a, Value b) {
  static const std::vector<Symbol> none;
  return mergeSources(a.isHost() ? a.asHost().sources : none, b.isHost() ? b.asHost().sources : none);
}

// What Python says of a division by zero.
static const char *zeroDivisionText(BinaryOp op, bool floats) {
  if (op == BinaryOp::Div) return floats ? "float division by zero" : "division by zero";
  if (op == BinaryOp::FloorDiv)
    return floats ? "float floor division by zero" : "integer division or modulo by zero";
  return floats ? "float modulo" : "integer modulo by zero";
}

static bool bounded(Interval r) { return r.low != INT64_MIN && r.high != INT64_MAX; }

// f % m as a polynomial, with its interval: terms that m divides drop out, and so does the multiple of m
// below the rest, where all values of the rest lie between two multiples.
static std::optional<std::pair<Polynomial, Interval>> remainderOf(Evaluator &ev, const Polynomial &f,
                                                                  int64_t m) {
  Polynomial rest{f.constant, {}};
  Interval range = Interval::of(f.constant);
  for (auto &[symbols, coefficient] : f.terms) {
    if (coefficient % m == 0) continue;
    if (symbols.size() != 1) return std::nullopt;
    rest.terms[symbols] = coefficient;
    Interval values = ev.symbolInfo(symbols[0]).values;
    range = addIntervals(range, mulIntervals(Interval::of(coefficient), values), false);
  }
  if (!bounded(range)) return std::nullopt;
  auto floor = [m](int64_t v) { return v / m - (v % m < 0); };
  int64_t below = floor(range.low);
  if (below != floor(range.high)) return std::nullopt;
  rest.constant -= below * m;
  return std::pair(rest, Interval{range.low - below * m, range.high - below * m});
}

Value Evaluator::hostBinary(BinaryOp op, Value a, Value b) {
  if (!a || !b) return Failed();
  if (a.isStaticNumber() && b.isStaticNumber()) return staticBinary(op, a, b);
  if (a.is(Kind::Complex) || b.is(Kind::Complex))
    return unsupported("arithmetic of complex Python numbers that are known at run time only");
  HostType x = hostTypeOf(a), y = hostTypeOf(b);
  bool divides = op == BinaryOp::Div || op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
  if (divides && b.isHost() && rangeOf(b).low <= 0 &&
      whoCatches(builtinClass("ZeroDivisionError")) != Catcher::None) {
    Value holds = hostCompare(CompareOp::NotEq, b, Value::integer(0));
    bool floats = x == HostType::Float || y == HostType::Float;
    if (!holds || !emitCheck(holds, "ZeroDivisionError", arena.str(zeroDivisionText(op, floats))))
      return Failed();
  }
  std::vector<Symbol> sources = sourcesOf(a, b);
  if (x == HostType::Float || y == HostType::Float || op == BinaryOp::Div) {
    mlir::Value l = hostTensor(a, HostType::Float), r = hostTensor(b, HostType::Float);
    if (!l || !r) return Failed();
    const char *raising = op == BinaryOp::Div        ? "div"
                          : op == BinaryOp::FloorDiv ? "floordiv"
                          : op == BinaryOp::Mod      ? "mod"
                          : op == BinaryOp::Pow      ? "pow"
                                                     : nullptr;
    if (raising) {
      // Division by a number that is known and not zero cannot raise.
      if (op == BinaryOp::Div && b.isStaticNumber() && toDouble(b) != 0)
        return makeHost(emit1("jx.div", {l, r}), HostType::Float, {}, {}, sources);
      return makeHost(
          emit1("jx.host_float", {l, r}, builder.getNamedAttr("kind", builder.getStringAttr(raising))),
          HostType::Float, {}, {}, sources);
    }
    const char *plain = op == BinaryOp::Add   ? "jx.add"
                        : op == BinaryOp::Sub ? "jx.sub"
                        : op == BinaryOp::Mul ? "jx.mul"
                                              : nullptr;
    if (!plain)
      return fail(DiagKind::UnsupportedOperands, "unsupported operand type(s) for " +
                                                     std::string(spelling(op)) + ": '" + typeName(a) +
                                                     "' and '" + typeName(b) + "'");
    return makeHost(emit1(plain, {l, r}), HostType::Float, {}, {}, sources);
  }
  bool bits = op == BinaryOp::BitAnd || op == BinaryOp::BitOr || op == BinaryOp::BitXor;
  if (bits) {
    bool asBool = x == HostType::Bool && y == HostType::Bool;
    HostType type = asBool ? HostType::Bool : HostType::Int;
    mlir::Value l = hostTensor(a, type), r = hostTensor(b, type);
    if (!l || !r) return Failed();
    const char *name = op == BinaryOp::BitAnd ? "jx.and" : op == BinaryOp::BitOr ? "jx.or" : "jx.xor";
    return makeHost(emit1(name, {l, r}), type, {}, {}, sources);
  }
  Interval p = rangeOf(a), q = rangeOf(b), range;
  std::optional<Polynomial> f = formOf(a), g = formOf(b), form;
  const char *kind = nullptr, *plain = nullptr;
  switch (op) {
  case BinaryOp::Add:
  case BinaryOp::Sub:
    kind = op == BinaryOp::Add ? "add" : "sub";
    range = addIntervals(p, q, op == BinaryOp::Sub);
    if (f && g) form = Polynomial::add(*f, *g, op == BinaryOp::Add ? 1 : -1);
    if (bounded(range)) plain = op == BinaryOp::Add ? "jx.add" : "jx.sub";
    break;
  case BinaryOp::Mul:
    kind = "mul";
    range = mulIntervals(p, q);
    if (f && g) form = Polynomial::multiply(*f, *g);
    if (bounded(range)) plain = "jx.mul";
    break;
  case BinaryOp::FloorDiv:
    kind = "floordiv";
    if (p.low >= 0 && q.low > 0) {
      range = {0, p.high};
      plain = "jx.div"; // truncation is flooring here, and neither 0 nor -1 divides
    }
    break;
  case BinaryOp::Mod:
    kind = "mod";
    if (q.low > 0) range = {0, q.high == INT64_MAX ? INT64_MAX : q.high - 1};
    if (p.low >= 0 && q.low > 0) plain = "jx.rem";
    if (f && b.isSmallInt() && b.asInt() > 0)
      if (auto rest = remainderOf(*this, *f, b.asInt())) std::tie(form, range) = *rest;
    break;
  case BinaryOp::Pow:
    if (q.low < 0) return unsupported("a power of run-time ints whose exponent may be negative");
    kind = "pow";
    break;
  case BinaryOp::LShift:
    kind = "shl";
    break;
  case BinaryOp::RShift:
    kind = "shr";
    break;
  default:
    return fail(DiagKind::UnsupportedOperands, "unsupported operand type(s) for " +
                                                   std::string(spelling(op)) + ": '" + typeName(a) +
                                                   "' and '" + typeName(b) + "'");
  }
  if (form && form->isConstant()) return Value::integer(form->constant);
  if (!form) form = Polynomial::of(resultSymbol(kind, a, b, sources));
  mlir::Value l = hostTensor(a, HostType::Int), r = hostTensor(b, HostType::Int);
  if (!l || !r) return Failed();
  mlir::Value result =
      plain ? emit1(plain, {l, r})
            : emit1("jx.host_int", {l, r}, builder.getNamedAttr("kind", builder.getStringAttr(kind)));
  return makeHost(result, HostType::Int, form, range, sources);
}

Value Evaluator::hostCompare(CompareOp op, Value a, Value b) {
  if (!a || !b) return Failed();
  HostType x = hostTypeOf(a), y = hostTypeOf(b);
  bool ints = x != HostType::Float && y != HostType::Float;
  if (ints) {
    // Known by polynomial or interval?
    Interval difference = addIntervals(rangeOf(a), rangeOf(b), true);
    if (auto exact = staticDifference(a, b)) difference = Interval::of(*exact);
    auto decided = [&](bool yes, bool no) -> Value {
      return yes ? Value::boolean(true) : no ? Value::boolean(false) : Value();
    };
    Value known;
    switch (op) {
    case CompareOp::Lt:
      known = decided(difference.high < 0, difference.low >= 0);
      break;
    case CompareOp::LtE:
      known = decided(difference.high <= 0, difference.low > 0);
      break;
    case CompareOp::Gt:
      known = decided(difference.low > 0, difference.high <= 0);
      break;
    case CompareOp::GtE:
      known = decided(difference.low >= 0, difference.high < 0);
      break;
    case CompareOp::Eq:
      known = decided(difference.low == 0 && difference.high == 0, difference.low > 0 || difference.high < 0);
      break;
    default:
      known = decided(difference.low > 0 || difference.high < 0, difference.low == 0 && difference.high == 0);
    }
    if (known) return known;
  }
  HostType type = ints ? HostType::Int : HostType::Float;
  mlir::Value l = hostTensor(a, type), r = hostTensor(b, type);
  if (!l || !r) return Failed();
  const char *kind = op == CompareOp::Eq      ? "eq"
                     : op == CompareOp::NotEq ? "ne"
                     : op == CompareOp::Lt    ? "lt"
                     : op == CompareOp::LtE   ? "le"
                     : op == CompareOp::Gt    ? "gt"
                                              : "ge";
  return makeHost(emit1("jx.compare", {l, r}, builder.getNamedAttr("kind", builder.getStringAttr(kind))),
                  HostType::Bool, {}, {}, sourcesOf(a, b));
}

Value Evaluator::hostNot(Value a) {
  if (!a) return Failed();
  if (a.is(Kind::Bool)) return Value::boolean(!a.asBool());
  mlir::Value v = hostTensor(a, HostType::Bool);
  if (!v) return Failed();
  return makeHost(emit1("jx.not", {v}), HostType::Bool, {}, {}, sourcesOf(a, a));
}

Value Evaluator::hostAnd(Value a, Value b) {
  if (!a || !b) return Failed();
  for (auto [x, y] : {std::pair(a, b), std::pair(b, a)})
    if (x.is(Kind::Bool)) return x.asBool() ? y : x;
  mlir::Value l = hostTensor(a, HostType::Bool), r = hostTensor(b, HostType::Bool);
  if (!l || !r) return Failed();
  return makeHost(emit1("jx.and", {l, r}), HostType::Bool, {}, {}, sourcesOf(a, b));
}

Value Evaluator::hostOr(Value a, Value b) { return hostNot(hostAnd(hostNot(a), hostNot(b))); }

Value Evaluator::hostMax(Value a, int64_t low) {
  if (!a) return Failed();
  if (a.is(Kind::Int)) return a.isSmallInt() && a.asInt() < low ? Value::integer(low) : a;
  const HostNode &host = a.asHost();
  if (host.range.low >= low) return a;
  mlir::Value bound = constantScalar(builder.getI64Type(), Value::integer(low));
  if (!bound) return Failed();
  return makeHost(emit1("jx.max", {host.value, bound}), HostType::Int, {}, {low, host.range.high},
                  host.sources);
}

Value Evaluator::truthValue(Value v) {
  Truth known = truth(v);
  if (known == Truth::Failed) return Failed();
  if (known != Truth::Dynamic) return Value::boolean(known == Truth::True);
  if (v.is(Kind::Instance)) {
    Value own = callDunder(v, "__bool__", {});
    if (!own && isPending(Pending::None)) own = callDunder(v, "__len__", {});
    if (!own) return Failed();
    return truthValue(own);
  }
  if (isChoice(v)) return overChoices(*this, v, [&](Value one) { return truthValue(one); });
  if (v.isHost()) {
    if (v.asHost().type == HostType::Bool) return v;
    return hostCompare(CompareOp::NotEq, v, Value::integer(0));
  }
  // A one-element array: its scalar, compared with zero.
  mlir::Value scalar = reshapeToScalar(v.asArray());
  if (!scalar) return Failed();
  mlir::Value test = convert(scalar, builder.getI1Type());
  return makeHost(test, HostType::Bool, {}, {}, {dataSymbol(v)});
}

std::optional<int64_t> Evaluator::staticDifference(Value a, Value b) {
  std::optional<Polynomial> f = formOf(a), g = formOf(b);
  if (!f || !g) return std::nullopt;
  auto difference = Polynomial::add(*f, *g, -1);
  if (!difference || !difference->isConstant()) return std::nullopt;
  return difference->constant;
}

} // namespace jx::elab
