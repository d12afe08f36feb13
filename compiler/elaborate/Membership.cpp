// Membership, truth and length: by kind of value, else through the dunder methods of classes.
#include "compiler/elaborate/Choices.h"
#include "compiler/elaborate/Containers.h"
#include "compiler/elaborate/Evaluator.h"
#include "compiler/elaborate/Generators.h"

namespace jx::elab {

using ast::BinaryOp;
using ast::UnaryOp;

// Takes elements until one is equal.
static Value containsLazily(Evaluator &ev, Value container, Value item) {
  JX_TRY(iterator, iteratorOf(ev, container));
  for (uint64_t taken = 0; Value candidate = advance(ev, iterator); ++taken) {
    if (taken == ev.options.maxExecutedTrips)
      return ev.fail(DiagKind::TooManyTrips, "more than a million elements are not compared at compile time");
    JX_TRY(same, candidate.identical(item) ? Value::boolean(true) : ev.isEqual(candidate, item));
    JX_TRY(known, ev.toStatic(same, "whether an element of an iterator is equal"));
    Truth equal = ev.truth(known);
    if (equal == Truth::Failed) return Failed();
    if (equal == Truth::True) return Value::boolean(true);
  }
  return ev.isPending(Pending::None) ? Value::boolean(false) : Value();
}

Value Evaluator::contains(Value container, Value item) {
  for (bool first : {true, false})
    if (Value choice = first ? container : item; isChoice(choice))
      return overChoices(*this, choice,
                         [&](Value one) { return first ? contains(one, item) : contains(container, one); });
  if (container.is(Kind::Text) || (container.is(Kind::Str) && item.is(Kind::Text))) {
    JX_TRY(whole, toStatic(container, "a comparison of strings"));
    JX_TRY(part, toStatic(item, "a comparison of strings"));
    return contains(whole, part);
  }
  if (container.isAny(Kind::Str, Kind::Bytes)) {
    item = plainValue(item);
    if (item.kind() != container.kind())
      return typeError("'in <string>' requires string as left operand, not " + typeName(item));
    return Value::boolean(container.asStr().contains(item.asStr()));
  }
  if (Object *own = userClass(container); own && !container.is(Kind::Instance)) {
    Value result = callDunder(container, "__contains__", {item});
    if (result || !isPending(Pending::None)) return result;
  }
  if (container.isAny(Kind::Dict, Kind::Set)) {
    JX_TRY(key, keyIn(*this, container.asObject(), item));
    return Value::boolean(container.asObject()->find(key).has_value());
  }
  if (container.isArray()) return callLibrary("jax._src.operators", "contains", {container, item});
  if (container.is(Kind::Instance)) {
    Value result = callDunder(container, "__contains__", {item});
    if (result || !isPending(Pending::None)) return result;
    if (isStandIn(container)) return contains(plainValue(container), item);
  }
  if (isLazy(*this, container)) return containsLazily(*this, container, item);
  JX_TRY(items,
         elementsOf(*this, container, "argument of type '" + typeName(container) + "' is not iterable"));
  Value any = Value::boolean(false);
  for (Value candidate : *items) {
    JX_TRY(same, candidate.identical(item) ? Value::boolean(true) : isEqual(candidate, item));
    Truth known = truth(same);
    if (known == Truth::Failed) return Failed();
    if (known == Truth::True) return Value::boolean(true);
    if (known == Truth::False) continue;
    JX_TRY(dynamic, truthValue(same));
    any = hostOr(any, dynamic);
  }
  return any;
}

Truth Evaluator::truth(Value v) {
  auto of = [](bool b) { return b ? Truth::True : Truth::False; };
  switch (v.kind()) {
  case Kind::None:
    return Truth::False;
  case Kind::Bool:
    return of(v.asBool());
  case Kind::Int:
    return of(v.isSmallInt() ? v.asInt() != 0 : true);
  case Kind::Float:
    return of(v.asFloat() != 0);
  case Kind::Complex:
    return of(v.asComplex() != std::make_pair(0.0, 0.0));
  case Kind::Str:
  case Kind::Bytes:
    return of(!v.asStr().empty());
  case Kind::Tuple:
    return of(!v.asTuple().items.empty());
  case Kind::List:
  case Kind::Dict:
  case Kind::Set:
    return of(v.asObject()->size() != 0);
  case Kind::Choice:
    return Truth::Dynamic;
  case Kind::Host:
    if (auto &range = v.asHost().range; v.asHost().type == HostType::Int && (range.low > 0 || range.high < 0))
      return Truth::True;
    return Truth::Dynamic;
  case Kind::Array:
    if (v.arrayType().getNumElements() == 1) return Truth::Dynamic;
    fail(DiagKind::AmbiguousTruth,
         "the truth value of an array with more than one element is ambiguous; use `x.any()` or `x.all()`");
    return Truth::Failed;
  case Kind::Text: {
    if (v.asText().program.hasLiteral()) return Truth::True;
    if (isKnownText(v)) {
      auto isEmpty = [](Value text) { return text.asStr().empty(); };
      if (llvm::none_of(v.asText().choices, isEmpty)) return Truth::True;
      return Truth::Dynamic;
    }
    Value known = toStatic(v, "the truth value of a string");
    return known ? truth(known) : Truth::Failed;
  }
  case Kind::Range: {
    Value n = length(v);
    return n ? truth(n) : Truth::Failed;
  }
  case Kind::Instance: {
    Value result = callDunder(v, "__bool__", {});
    if (!result && isPending(Pending::None)) result = callDunder(v, "__len__", {});
    if (!result && isPending(Pending::None) && isStandIn(v)) return truth(plainValue(v));
    if (!result) return isPending(Pending::None) ? Truth::True : Truth::Failed;
    return truth(result);
  }
  default:
    return Truth::True;
  }
}

Value Evaluator::length(Value v) {
  if (userClass(v) && !v.is(Kind::Instance)) {
    Value own = callDunder(v, "__len__", {});
    if (own || !isPending(Pending::None)) return own;
  }
  switch (v.kind()) {
  case Kind::Choice:
    return overChoices(*this, v, [&](Value one) { return length(one); });
  case Kind::Text: {
    if (isKnownText(v)) return overChoices(*this, v, [&](Value one) { return length(one); });
    JX_TRY(known, toStatic(v, "the length of a string"));
    return length(known);
  }
  case Kind::Str: {
    int64_t count = 0;
    for (char c : v.asStr()) count += (c & 0xC0) != 0x80;
    return Value::integer(count);
  }
  case Kind::Bytes:
    return Value::integer(v.asStr().size());
  case Kind::Tuple:
    return Value::integer(v.asTuple().items.size());
  case Kind::Dict:
  case Kind::Set:
    return Value::integer(v.asObject()->size());
  case Kind::List: {
    Value total = Value::integer(0);
    for (Value item : v.asObject()->contents().values) {
      Value count = Value::integer(1);
      if (item.is(Kind::Segment))
        count = binary(BinaryOp::Mul, item.asSegment().count, Value::integer(item.asSegment().perTrip));
      total = binary(BinaryOp::Add, total, count);
      if (!total) return Failed();
    }
    return total;
  }
  case Kind::Array:
    if (v.arrayType().getRank() == 0) return typeError("len() of unsized object");
    return Value::integer(v.arrayType().getDimSize(0));
  case Kind::Range:
    return rangeLength(v);
  case Kind::Iterator:
    break;
  case Kind::Class: // an enumeration
    if (lookUpClass(v.asObject(), "__members__")) {
      JX_TRY(members, elements(v));
      return Value::integer(members->size());
    }
    break;
  default: {
    Value result = callDunder(v, "__len__", {});
    if (result || !isPending(Pending::None)) return result;
    if (isStandIn(v)) return length(plainValue(v));
  }
  }
  return typeError("object of type '" + typeName(v) + "' has no len()");
}

// max(0, ceil((stop - start) / step)), static or host.
Value Evaluator::rangeLength(Value range) {
  const SliceNode &r = range.asSlice();
  JX_TRY(difference, binary(BinaryOp::Sub, r.stop, r.start));
  if (difference.isHost())
    if (auto known = staticDifference(r.stop, r.start)) difference = Value::integer(*known);
  // -(-difference // step), the ceiling
  JX_TRY(negative, unary(UnaryOp::Neg, difference));
  JX_TRY(quotient, binary(BinaryOp::FloorDiv, negative, r.step));
  JX_TRY(count, unary(UnaryOp::Neg, quotient));
  if (count.is(Kind::Int)) return count.isSmallInt() && count.asInt() < 0 ? Value::integer(0) : count;
  return hostMax(count, 0);
}

} // namespace jx::elab
