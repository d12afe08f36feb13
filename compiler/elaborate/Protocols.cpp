// Operators and comparisons: by kind of value, else through the dunder methods of classes.
#include "compiler/elaborate/Choices.h"
#include "compiler/elaborate/Containers.h"
#include "compiler/elaborate/Evaluator.h"
#include "llvm/Support/Casting.h"

namespace jx::elab {

using ast::BinaryOp;
using ast::CompareOp;
using ast::UnaryOp;

namespace {

struct OperatorNames {
  const char *library; // in jax._src.operators
  const char *dunder, *reflected, *inPlace;
};

OperatorNames namesOf(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
    return {"add", "__add__", "__radd__", "__iadd__"};
  case BinaryOp::Sub:
    return {"sub", "__sub__", "__rsub__", "__isub__"};
  case BinaryOp::Mul:
    return {"mul", "__mul__", "__rmul__", "__imul__"};
  case BinaryOp::MatMul:
    return {"matmul", "__matmul__", "__rmatmul__", "__imatmul__"};
  case BinaryOp::Div:
    return {"truediv", "__truediv__", "__rtruediv__", "__itruediv__"};
  case BinaryOp::FloorDiv:
    return {"floordiv", "__floordiv__", "__rfloordiv__", "__ifloordiv__"};
  case BinaryOp::Mod:
    return {"mod", "__mod__", "__rmod__", "__imod__"};
  case BinaryOp::Pow:
    return {"pow", "__pow__", "__rpow__", "__ipow__"};
  case BinaryOp::LShift:
    return {"lshift", "__lshift__", "__rlshift__", "__ilshift__"};
  case BinaryOp::RShift:
    return {"rshift", "__rshift__", "__rrshift__", "__irshift__"};
  case BinaryOp::BitAnd:
    return {"and_", "__and__", "__rand__", "__iand__"};
  case BinaryOp::BitOr:
    return {"or_", "__or__", "__ror__", "__ior__"};
  case BinaryOp::BitXor:
    return {"xor", "__xor__", "__rxor__", "__ixor__"};
  }
  return {};
}

struct CompareNames {
  const char *library, *dunder, *reflected;
};

CompareNames namesOf(CompareOp op) {
  switch (op) {
  case CompareOp::Eq:
    return {"eq", "__eq__", "__eq__"};
  case CompareOp::NotEq:
    return {"ne", "__ne__", "__ne__"};
  case CompareOp::Lt:
    return {"lt", "__lt__", "__gt__"};
  case CompareOp::LtE:
    return {"le", "__le__", "__ge__"};
  case CompareOp::Gt:
    return {"gt", "__gt__", "__lt__"};
  default:
    return {"ge", "__ge__", "__le__"};
  }
}

bool isInstanceLike(Value v) { return v.is(Kind::Class) || userClass(v); }

std::vector<Value> repeated(llvm::ArrayRef<Value> items, int64_t count) {
  std::vector<Value> result;
  for (int64_t i = 0; i < count; ++i) result.insert(result.end(), items.begin(), items.end());
  return result;
}

// d.keys() and d.items() are lists with the operators of sets.
bool isSetView(Evaluator &ev, Value v) {
  return v.is(Kind::List) && v.asObject()->cls &&
         (v.asObject()->cls == ev.builtinClass("dict_keys") ||
          v.asObject()->cls == ev.builtinClass("dict_items"));
}

Value asSet(Evaluator &ev, Value v) {
  if (v.is(Kind::Set)) return v;
  Object *set = ev.heap.create(Kind::Set);
  for (Value item : v.asObject()->contents().values)
    if (item.isHashable()) ev.heap.put(set, item, Value::none());
  return set;
}

// Concatenation and repetition of sequences, unions and the like of sets and dicts. Null without failure when
// the operands are of other kinds.
Value containerBinary(Evaluator &ev, BinaryOp op, Value a, Value b) {
  if (op == BinaryOp::Add && a.is(Kind::Tuple) && b.is(Kind::Tuple)) {
    std::vector<Value> items = a.asTuple().items;
    items.insert(items.end(), b.asTuple().items.begin(), b.asTuple().items.end());
    return ev.arena.tuple(std::move(items));
  }
  if (op == BinaryOp::Add && a.is(Kind::List) && b.is(Kind::List)) {
    std::vector<Value> items = a.asObject()->contents().values;
    const auto &more = b.asObject()->contents().values;
    items.insert(items.end(), more.begin(), more.end());
    return ev.heap.list(std::move(items));
  }
  if (isSetView(ev, a) && (b.is(Kind::Set) || isSetView(ev, b)))
    return containerBinary(ev, op, asSet(ev, a), asSet(ev, b));
  if (a.is(Kind::Set) && isSetView(ev, b)) return containerBinary(ev, op, a, asSet(ev, b));
  if (op == BinaryOp::Mul && (b.isAny(Kind::Tuple, Kind::List)) && !a.isAny(Kind::Tuple, Kind::List))
    std::swap(a, b);
  if (op == BinaryOp::Mul && a.isAny(Kind::Tuple, Kind::List) &&
      (b.isAny(Kind::Int, Kind::Bool) || b.isHost())) {
    JX_TRY(count, ev.toStaticInt(b, "the number of repetitions of a sequence"));
    uint64_t size = a.is(Kind::Tuple) ? a.asTuple().items.size() : a.asObject()->size();
    if (*count > 0 && size * uint64_t(*count) > ev.options.maxExecutedTrips)
      return ev.fail(DiagKind::TooManyTrips,
                     "a sequence of more than a million elements is not built at compile time");
    if (a.is(Kind::Tuple)) return ev.arena.tuple(repeated(a.asTuple().items, *count));
    return ev.heap.list(repeated(a.asObject()->contents().values, *count));
  }
  if (a.is(Kind::Set) && b.is(Kind::Set)) {
    Object *result = ev.heap.create(Kind::Set);
    if (a.asObject()->cls == ev.builtinClass("frozenset")) result->cls = a.asObject()->cls;
    const std::vector<Value> x = a.asObject()->contents().keys, y = b.asObject()->contents().keys;
    auto take = [&](llvm::ArrayRef<Value> keys, Value other, bool whenIn, bool whenOut) -> Status {
      for (Value key : keys) {
        JX_TRY(own, keyIn(ev, other.asObject(), key));
        if (other.asObject()->find(own) ? whenIn : whenOut) ev.heap.put(result, key, Value::none());
      }
      return Status::success();
    };
    JX_CHECK(take(x, b, op == BinaryOp::BitOr || op == BinaryOp::BitAnd, op != BinaryOp::BitAnd));
    if (op == BinaryOp::BitOr || op == BinaryOp::BitXor) JX_CHECK(take(y, a, false, true));
    return result;
  }
  if (op == BinaryOp::BitOr && a.is(Kind::Dict) && b.is(Kind::Dict)) {
    Object *result = ev.heap.create(Kind::Dict, a.asObject()->contents());
    const Contents more = b.asObject()->contents();
    for (size_t i = 0; i < more.keys.size(); ++i) JX_CHECK(putItem(ev, result, more.keys[i], more.values[i]));
    return result;
  }
  return {};
}

Failed operandError(Evaluator &ev, BinaryOp op, Value a, Value b) {
  if (op == BinaryOp::Add && a.isAny(Kind::Str, Kind::Text, Kind::List, Kind::Tuple) && !userClass(a))
    return ev.fail(DiagKind::UnsupportedOperands, "can only concatenate " + ev.typeName(a) + " (not \"" +
                                                      ev.typeName(b) + "\") to " + ev.typeName(a));
  if (op == BinaryOp::Mul) // either side may be the sequence
    for (auto [sequence, count] : {std::pair(a, b), std::pair(b, a)})
      if (sequence.isAny(Kind::Str, Kind::Text, Kind::List, Kind::Tuple))
        return ev.typeError("can't multiply sequence by non-int of type '" + ev.typeName(count) + "'");
  std::string symbol = op == BinaryOp::Pow ? "** or pow()" : std::string(spelling(op));
  return ev.fail(DiagKind::UnsupportedOperands, "unsupported operand type(s) for " + symbol + ": '" +
                                                    ev.typeName(a) + "' and '" + ev.typeName(b) + "'");
}

} // namespace

Value Evaluator::callDunder(Value object, llvm::StringRef name, llvm::ArrayRef<Value> args) {
  Object *cls = isInstanceLike(object) || object.is(Kind::Instance) ? classOf(object) : nullptr;
  if (!cls) return {};
  Value method = lookUpClass(cls, name);
  if (!method) return {};
  llvm::SmallVector<Value> all{object};
  all.append(args.begin(), args.end());
  return call(method, all);
}

Value Evaluator::binary(BinaryOp op, Value a, Value b) {
  if (a.isStaticNumber() && b.isStaticNumber()) return staticBinary(op, a, b);
  if (isOptional(a)) return overChoices(*this, a, [&](Value one) { return binary(op, one, b); });
  if (isOptional(b)) return overChoices(*this, b, [&](Value one) { return binary(op, a, one); });
  OperatorNames names = namesOf(op);
  if (isInstanceLike(a) || isInstanceLike(b)) {
    Value result = callDunder(a, names.dunder, {b});
    if (!result && !isPending(Pending::None)) return Failed();
    if (result && !result.is(Kind::NotImplemented)) return result;
    result = callDunder(b, names.reflected, {a});
    if (!result && !isPending(Pending::None)) return Failed();
    if (result && !result.is(Kind::NotImplemented)) return result;
    if (isStandIn(a) || isStandIn(b)) return binary(op, plainValue(a), plainValue(b));
  }
  if (a.isArray() || b.isArray()) {
    if ((a.isArray() || a.isNumber()) && (b.isArray() || b.isNumber()))
      return callLibrary("jax._src.operators", names.library, {a, b});
    if (op == BinaryOp::Mod && a.isAny(Kind::Str, Kind::Text)) return percentFormat(a, b);
    if (Value result = containerBinary(*this, op, a, b); result || !isPending(Pending::None)) return result;
    return operandError(*this, op, a, b);
  }
  if (a.isNumber() && b.isNumber()) return hostBinary(op, a, b);
  if (a.isAny(Kind::Str, Kind::Text)) {
    if (op == BinaryOp::Add && b.isAny(Kind::Str, Kind::Text)) return concatText({a, b});
    if (op == BinaryOp::Mod) return percentFormat(a, b);
  }
  if (op == BinaryOp::Mul && (a.isAny(Kind::Str, Kind::Text) || b.isAny(Kind::Str, Kind::Text))) {
    if (!a.isAny(Kind::Str, Kind::Text)) std::swap(a, b);
    if (!b.isAny(Kind::Int, Kind::Bool, Kind::Instance) && !b.isHost()) return operandError(*this, op, a, b);
    JX_TRY(count, toStaticInt(b, "the number of repetitions of a string"));
    if (*count > 0 && a.is(Kind::Str) && a.asStr().size() * uint64_t(*count) > (1u << 26))
      return fail(DiagKind::TooManyTrips, "a string of more than 64 MB is not built at compile time");
    return concatText(repeated(a, std::max<int64_t>(*count, 0)));
  }
  if (Value result = containerBinary(*this, op, a, b); result || !isPending(Pending::None)) return result;
  return operandError(*this, op, a, b);
}

Value Evaluator::inPlace(BinaryOp op, Value a, Value b) {
  if (a.is(Kind::List) && op == BinaryOp::Add) {
    JX_TRY(items, elements(b));
    for (Value item : *items) heap.append(a.asObject(), item);
    return a;
  }
  if (a.is(Kind::Set) && op == BinaryOp::BitOr && b.is(Kind::Set)) {
    std::vector<Value> keys = b.asObject()->contents().keys;
    for (Value key : keys) JX_CHECK(putItem(*this, a.asObject(), key, Value::none()));
    return a;
  }
  if (a.is(Kind::Dict) && op == BinaryOp::BitOr && b.is(Kind::Dict)) {
    Contents more = b.asObject()->contents();
    for (size_t i = 0; i < more.keys.size(); ++i)
      JX_CHECK(putItem(*this, a.asObject(), more.keys[i], more.values[i]));
    return a;
  }
  if (a.is(Kind::Instance)) {
    Value result = callDunder(a, namesOf(op).inPlace, {b});
    if (!result && !isPending(Pending::None)) return Failed();
    if (result && !result.is(Kind::NotImplemented)) return result;
  }
  return binary(op, a, b);
}

Value Evaluator::unary(UnaryOp op, Value a) {
  if (isOptional(a)) return overChoices(*this, a, [&](Value one) { return unary(op, one); });
  if (op == UnaryOp::Not) {
    Truth known = truth(a);
    if (known == Truth::Failed) return Failed();
    if (known != Truth::Dynamic) return Value::boolean(known == Truth::False);
    JX_TRY(value, truthValue(a));
    return hostNot(value);
  }
  if (a.isArray())
    return callLibrary("jax._src.operators",
                       op == UnaryOp::Neg   ? "neg"
                       : op == UnaryOp::Pos ? "pos"
                                            : "invert",
                       {a});
  if (a.isStaticNumber()) {
    if (op == UnaryOp::Pos) return a.is(Kind::Bool) ? Value::integer(a.asBool()) : a;
    if (op == UnaryOp::Invert) {
      if (!a.isAny(Kind::Bool, Kind::Int))
        return fail(DiagKind::UnsupportedOperands, "bad operand type for unary ~: '" + typeName(a) + "'");
      return arena.integer(-toBig(a) - 1);
    }
    if (a.is(Kind::Float)) return Value::real(-a.asFloat());
    if (a.is(Kind::Complex)) return arena.complex(-a.asComplex().first, -a.asComplex().second);
    return arena.integer(-toBig(a));
  }
  if (a.isHost()) {
    if (op == UnaryOp::Pos) return a;
    if (op == UnaryOp::Invert)
      return hostBinary(BinaryOp::Sub, hostBinary(BinaryOp::Mul, a, Value::integer(-1)), Value::integer(1));
    if (a.asHost().type == HostType::Float) return hostBinary(BinaryOp::Mul, a, Value::real(-1.0));
    return hostBinary(BinaryOp::Sub, Value::integer(0), a);
  }
  const char *dunder = op == UnaryOp::Neg ? "__neg__" : op == UnaryOp::Pos ? "__pos__" : "__invert__";
  Value result = callDunder(a, dunder, {});
  if (result || !isPending(Pending::None)) return result;
  if (isStandIn(a)) return unary(op, plainValue(a));
  return fail(DiagKind::UnsupportedOperands,
              "bad operand type for unary " + std::string(spelling(op)) + ": '" + typeName(a) + "'");
}

Value Evaluator::isSame(Value a, Value b) {
  if (isOptional(a) && b.isNone()) return hostNot(a.asChoice().present);
  if (isOptional(b) && a.isNone()) return hostNot(b.asChoice().present);
  if (isOptional(a)) return overChoices(*this, a, [&](Value one) { return isSame(one, b); });
  if (isOptional(b)) return overChoices(*this, b, [&](Value one) { return isSame(a, one); });
  if (a.isAny(Kind::Array, Kind::Host, Kind::Text) && b.isAny(Kind::Array, Kind::Host, Kind::Text))
    return Value::boolean(a.identical(b));
  return Value::boolean(a.kind() == b.kind() && a.identical(b));
}

Value Evaluator::isEqual(Value a, Value b) {
  if (isOptional(a)) return overChoices(*this, a, [&](Value one) { return isEqual(one, b); });
  if (isOptional(b)) return overChoices(*this, b, [&](Value one) { return isEqual(a, one); });
  if (a.isStaticNumber() && b.isStaticNumber()) {
    if (a.is(Kind::Complex) || b.is(Kind::Complex)) return staticComplexEqual(a, b);
    return Value::boolean(a.keyEquals(b));
  }
  if (isInstanceLike(a) || isInstanceLike(b)) {
    Value result = callDunder(a, "__eq__", {b});
    if (!result && !isPending(Pending::None)) return Failed();
    if (result && !result.is(Kind::NotImplemented)) return result;
    result = callDunder(b, "__eq__", {a});
    if (!result && !isPending(Pending::None)) return Failed();
    if (result && !result.is(Kind::NotImplemented)) return result;
    if (isStandIn(a) || isStandIn(b)) return isEqual(plainValue(a), plainValue(b));
  }
  if (a.isArray() || b.isArray()) {
    if ((a.isArray() || a.isNumber()) && (b.isArray() || b.isNumber()))
      return callLibrary("jax._src.operators", "eq", {a, b});
    return Value::boolean(false);
  }
  if (a.isNumber() && b.isNumber()) return hostCompare(CompareOp::Eq, a, b);
  if (a.is(Kind::Dtype) || b.is(Kind::Dtype)) {
    mlir::Type x = dtypeFrom(a), y = dtypeFrom(b);
    return Value::boolean(x && x == y);
  }
  if (isSetView(*this, a) || isSetView(*this, b)) {
    if (!(isSetView(*this, a) || a.is(Kind::Set)) || !(isSetView(*this, b) || b.is(Kind::Set)))
      return Value::boolean(false);
    return isEqual(asSet(*this, a), asSet(*this, b));
  }
  if (a.is(Kind::Text) || b.is(Kind::Text)) {
    if (!a.isAny(Kind::Str, Kind::Text) || !b.isAny(Kind::Str, Kind::Text)) return Value::boolean(false);
    if (a.identical(b)) return Value::boolean(true);
    if (isKnownText(a)) return overChoices(*this, a, [&](Value one) { return isEqual(one, b); });
    if (isKnownText(b)) return overChoices(*this, b, [&](Value one) { return isEqual(a, one); });
    JX_TRY(x, toStatic(a, "a comparison of strings"));
    JX_TRY(y, toStatic(b, "a comparison of strings"));
    return isEqual(x, y);
  }
  if (a.kind() != b.kind()) return Value::boolean(false);
  auto sequences = [&](llvm::ArrayRef<Value> x, llvm::ArrayRef<Value> y) -> Value {
    if (x.size() != y.size()) return Value::boolean(false);
    for (size_t i = 0; i < x.size(); ++i) {
      JX_TRY(same, x[i].identical(y[i]) ? Value::boolean(true) : isEqual(x[i], y[i]));
      Truth known = truth(same);
      if (known == Truth::Failed) return Failed();
      if (known == Truth::Dynamic) {
        // The rest as a conjunction of run-time bools.
        JX_TRY(rest,
               isEqual(arena.tuple({x.begin() + i + 1, x.end()}), arena.tuple({y.begin() + i + 1, y.end()})));
        JX_TRY(first, truthValue(same));
        return hostAnd(first, rest);
      }
      if (known == Truth::False) return Value::boolean(false);
    }
    return Value::boolean(true);
  };
  if (a.is(Kind::Tuple)) return sequences(a.asTuple().items, b.asTuple().items);
  if (a.is(Kind::List))
    return a.asObject() == b.asObject()
               ? Value::boolean(true)
               : sequences(a.asObject()->contents().values, b.asObject()->contents().values);
  if (a.isAny(Kind::Dict, Kind::Set)) {
    Contents x = a.asObject()->contents(), y = b.asObject()->contents();
    if (x.keys.size() != y.keys.size()) return Value::boolean(false);
    std::vector<Value> left, right;
    for (size_t i = 0; i < x.keys.size(); ++i) {
      JX_TRY(key, keyIn(*this, b.asObject(), x.keys[i]));
      auto found = b.asObject()->find(key);
      if (!found) return Value::boolean(false);
      left.push_back(x.values[i]);
      right.push_back(y.values[*found]);
    }
    return sequences(left, right);
  }
  if (a.is(Kind::Opaque)) return Value::boolean(opaqueEquals(a, b));
  return Value::boolean(a.identical(b));
}

// Order of static numbers, strings and sequences: -1, 0 or 1; 2 when a nan is among them.
std::optional<int> Evaluator::staticOrder(Value a, Value b, llvm::StringRef symbol) {
  if (a.isStaticNumber() && b.isStaticNumber()) {
    if (a.isAny(Kind::Bool, Kind::Int) && b.isAny(Kind::Bool, Kind::Int)) {
      llvm::DynamicAPInt x = toBig(a), y = toBig(b);
      return x < y ? -1 : x == y ? 0 : 1;
    }
    double x = toDouble(a), y = toDouble(b);
    return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
  }
  if (a.isAny(Kind::Str, Kind::Text) && b.isAny(Kind::Str, Kind::Text)) {
    JX_TRY(x, toStatic(a, "a comparison of strings"));
    JX_TRY(y, toStatic(b, "a comparison of strings"));
    return x.asStr().compare(y.asStr());
  }
  if (a.is(Kind::Bytes) && b.is(Kind::Bytes)) return a.asStr().compare(b.asStr());
  if (a.isAny(Kind::Tuple, Kind::List) && a.kind() == b.kind()) {
    JX_TRY(x, elements(a));
    JX_TRY(y, elements(b));
    for (size_t i = 0; i < std::min(x->size(), y->size()); ++i) {
      JX_TRY(same, isEqual((*x)[i], (*y)[i]));
      if (truth(same) == Truth::True) continue;
      return staticOrder((*x)[i], (*y)[i], symbol);
    }
    return x->size() < y->size() ? -1 : x->size() > y->size();
  }
  (void)fail(DiagKind::UnsupportedOperands, "'" + symbol.str() + "' not supported between instances of '" +
                                                typeName(a) + "' and '" + typeName(b) + "'");
  return std::nullopt;
}

// Sequences are ordered by the first elements that differ, else by their lengths.
static Value compareSequences(Evaluator &ev, CompareOp op, llvm::ArrayRef<Value> x, llvm::ArrayRef<Value> y) {
  if (x.empty() || y.empty()) return ev.compare(op, Value::integer(x.size()), Value::integer(y.size()));
  JX_TRY(same, x[0].identical(y[0]) ? Value::boolean(true) : ev.isEqual(x[0], y[0]));
  JX_TRY(isSame, ev.truthValue(same));
  if (isSame.is(Kind::Bool))
    return isSame.asBool() ? compareSequences(ev, op, x.drop_front(), y.drop_front())
                           : ev.compare(op, x[0], y[0]);
  JX_TRY(here, ev.truthValue(ev.compare(op, x[0], y[0])));
  JX_TRY(rest, compareSequences(ev, op, x.drop_front(), y.drop_front()));
  return ev.hostOr(ev.hostAnd(isSame, rest), ev.hostAnd(ev.hostNot(isSame), here));
}

Value Evaluator::compare(CompareOp op, Value a, Value b) {
  switch (op) {
  case CompareOp::Is:
    return isSame(a, b);
  case CompareOp::IsNot:
    return unary(UnaryOp::Not, isSame(a, b));
  case CompareOp::In:
    return contains(b, a);
  case CompareOp::NotIn: {
    JX_TRY(in, contains(b, a));
    return unary(UnaryOp::Not, in);
  }
  default:
    break;
  }
  bool anyArray = a.isArray() || b.isArray();
  if (anyArray && (a.isArray() || a.isNumber()) && (b.isArray() || b.isNumber()))
    return callLibrary("jax._src.operators", namesOf(op).library, {a, b});
  for (bool first : {true, false})
    if (Value choice = first ? a : b; isChoice(choice))
      return overChoices(*this, choice,
                         [&](Value one) { return first ? compare(op, one, b) : compare(op, a, one); });
  if (op == CompareOp::Eq) return isEqual(a, b);
  if (op == CompareOp::NotEq) {
    if (isInstanceLike(a)) {
      Value result = callDunder(a, "__ne__", {b});
      if (!result && !isPending(Pending::None)) return Failed();
      if (result && !result.is(Kind::NotImplemented)) return result;
    }
    JX_TRY(equal, isEqual(a, b));
    return unary(UnaryOp::Not, equal);
  }
  if (a.isNumber() && b.isNumber() && (a.isHost() || b.isHost())) return hostCompare(op, a, b);
  if (isInstanceLike(a) || isInstanceLike(b)) {
    Value result = callDunder(a, namesOf(op).dunder, {b});
    if (!result && !isPending(Pending::None)) return Failed();
    if (result && !result.is(Kind::NotImplemented)) return result;
    result = callDunder(b, namesOf(op).reflected, {a});
    if (!result && !isPending(Pending::None)) return Failed();
    if (result && !result.is(Kind::NotImplemented)) return result;
    if (isStandIn(a) || isStandIn(b)) return compare(op, plainValue(a), plainValue(b));
  }
  if (a.is(Kind::Set) && b.is(Kind::Set)) {
    Value smaller = op == CompareOp::Lt || op == CompareOp::LtE ? a : b;
    Value larger = smaller.asObject() == a.asObject() ? b : a;
    bool strict = op == CompareOp::Lt || op == CompareOp::Gt;
    if (strict && smaller.asObject()->size() == larger.asObject()->size()) return Value::boolean(false);
    const std::vector<Value> keys = smaller.asObject()->contents().keys;
    for (Value key : keys) {
      JX_TRY(own, keyIn(*this, larger.asObject(), key));
      if (!larger.asObject()->find(own)) return Value::boolean(false);
    }
    return Value::boolean(true);
  }
  if (a.isAny(Kind::Tuple, Kind::List) && a.kind() == b.kind()) {
    JX_TRY(x, elements(a));
    JX_TRY(y, elements(b));
    return compareSequences(*this, op, *x, *y);
  }
  std::optional<int> order = staticOrder(a, b, spelling(op));
  if (!order) return Failed();
  bool result = op == CompareOp::Lt    ? *order < 0
                : op == CompareOp::LtE ? *order <= 0
                : op == CompareOp::Gt  ? *order == 1 || (*order > 0 && *order != 2)
                                       : *order >= 0 && *order != 2;
  return Value::boolean(result);
}

} // namespace jx::elab
