// Identity, key equality and hashing of values, and the arena.
#include "compiler/elaborate/Value.h"
#include "compiler/elaborate/Heap.h"
#include "compiler/elaborate/HostValue.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

namespace jx::elab {

Value::Value(Object *object) : kindTag(object->kind), pointer(object) {}

bool Value::identical(Value other) const {
  if (kindTag != other.kindTag) return false;
  switch (kindTag) {
  case Kind::Bool:
    return bits == other.bits;
  case Kind::Int:
    return flag || other.flag ? flag == other.flag && asBig() == other.asBig() : bits == other.bits;
  case Kind::Float:
    return bits == other.bits; // nan is nan, 0.0 is not -0.0
  case Kind::Complex:
    return asComplex() == other.asComplex();
  case Kind::Str:
  case Kind::Bytes:
    return pointer == other.pointer || asStr() == other.asStr();
  case Kind::Tuple: {
    const TupleNode &a = asTuple(), &b = other.asTuple();
    if (&a == &b) return true;
    if (a.cls != b.cls || a.items.size() != b.items.size()) return false;
    for (size_t i = 0; i < a.items.size(); ++i)
      if (!a.items[i].identical(b.items[i])) return false;
    return true;
  }
  case Kind::Slice:
  case Kind::Range: {
    const SliceNode &a = asSlice(), &b = other.asSlice();
    return a.start.identical(b.start) && a.stop.identical(b.stop) && a.step.identical(b.step);
  }
  case Kind::Host:
    return asHost().value == other.asHost().value && asHost().type == other.asHost().type;
  case Kind::Text: {
    const TextNode &a = asText(), &b = other.asText();
    return &a == &b || (a.operands.size() == b.operands.size() &&
                        std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(),
                                   [](Value x, Value y) { return x.identical(y); }) &&
                        a.program.serialize() == b.program.serialize());
  }
  case Kind::Choice:
    return asChoice().present.identical(other.asChoice().present) &&
           asChoice().value.identical(other.asChoice().value);
  case Kind::Array:
  case Kind::Dtype:
    return pointer == other.pointer && flag == other.flag;
  case Kind::Method:
    return asMethod().function.identical(other.asMethod().function) &&
           asMethod().self.identical(other.asMethod().self);
  case Kind::Null:
  case Kind::None:
  case Kind::Ellipsis:
  case Kind::NotImplemented:
    return true;
  default:
    return pointer == other.pointer;
  }
}

static bool isIntegral(Value v) { return v.isAny(Kind::Bool, Kind::Int); }

bool Value::keyEquals(Value other) const {
  if (is(Kind::Str)) return other.is(Kind::Str) && identical(other);
  if (isAny(Kind::Bool, Kind::Int, Kind::Float) && other.isAny(Kind::Bool, Kind::Int, Kind::Float)) {
    if (isIntegral(*this) && isIntegral(other)) {
      bool small = (is(Kind::Bool) || isSmallInt()) && (other.is(Kind::Bool) || other.isSmallInt());
      return small ? bits == other.bits : toBig(*this) == toBig(other);
    }
    return toDouble(*this) == toDouble(other);
  }
  if (is(Kind::Tuple) && other.is(Kind::Tuple)) {
    const TupleNode &a = asTuple(), &b = other.asTuple();
    if (a.items.size() != b.items.size()) return false;
    for (size_t i = 0; i < a.items.size(); ++i)
      if (!a.items[i].keyEquals(b.items[i])) return false;
    return true;
  }
  if (is(Kind::Set) && other.is(Kind::Set) && isHashable() && other.isHashable()) {
    const Object *a = asObject(), *b = other.asObject();
    return a->size() == b->size() &&
           llvm::all_of(a->contents().keys, [&](Value key) { return b->find(key).has_value(); });
  }
  return identical(other);
}

size_t Value::keyHash() const {
  switch (kindTag) {
  case Kind::Set: { // a frozenset
    size_t hash = 0;
    for (Value key : asObject()->contents().keys) hash += key.keyHash();
    return hash;
  }
  case Kind::Bool:
  case Kind::Int:
  case Kind::Float: {
    if (flag) return std::hash<double>{}(toDouble(*this));
    double d = is(Kind::Float) ? number : static_cast<double>(static_cast<int64_t>(bits));
    return d == 0 ? 0 : std::hash<double>{}(d);
  }
  case Kind::Str:
  case Kind::Bytes:
    return llvm::hash_value(asStr());
  case Kind::Tuple: {
    size_t hash = 17;
    for (Value item : asTuple().items) hash = hash * 31 + item.keyHash();
    return hash;
  }
  case Kind::Slice:
  case Kind::Range:
    return asSlice().start.keyHash() * 31 + asSlice().stop.keyHash();
  case Kind::Complex:
    return std::hash<double>{}(asComplex().first);
  case Kind::Method:
    return asMethod().function.keyHash();
  case Kind::None:
  case Kind::Ellipsis:
  case Kind::NotImplemented:
  case Kind::Null:
    return static_cast<size_t>(kindTag);
  case Kind::Host:
    return std::hash<void *>{}(asHost().value.getAsOpaquePointer());
  default:
    return std::hash<const void *>{}(pointer);
  }
}

bool Value::isHashable() const {
  if (is(Kind::Tuple)) return llvm::all_of(asTuple().items, [](Value v) { return v.isHashable(); });
  if (is(Kind::Set)) return asObject()->cls != nullptr; // a frozenset
  return !isAny(Kind::Null, Kind::Unbound, Kind::Array, Kind::Host, Kind::Text, Kind::Segment, Kind::Choice,
                Kind::List, Kind::Dict);
}

Value CallArgs::takeKeyword(llvm::StringRef name) {
  for (auto it = keywords.begin(); it != keywords.end(); ++it)
    if (it->first == name) {
      Value value = it->second;
      keywords.erase(it);
      return value;
    }
  return {};
}

Arena::~Arena() {
  for (auto it = destructors.rbegin(); it != destructors.rend(); ++it) it->second(it->first);
}

Value Arena::str(llvm::StringRef text) {
  constexpr size_t longest = 40; // attribute and variable names; longer strings rarely repeat
  if (text.size() > longest) return Value::node(Kind::Str, make<std::string>(text.str()));
  const std::string *&entry = interned[text];
  if (!entry) entry = make<std::string>(text.str());
  return Value::node(Kind::Str, entry);
}

Value Arena::integer(const llvm::DynamicAPInt &value) {
  static const llvm::DynamicAPInt low(INT64_MIN), high(INT64_MAX);
  if (value >= low && value <= high) return Value::integer(int64_t(value));
  return Value::bigInteger(make<llvm::DynamicAPInt>(value));
}

llvm::DynamicAPInt toBig(Value v) {
  if (v.is(Kind::Bool)) return llvm::DynamicAPInt(int64_t(v.asBool()));
  return v.isSmallInt() ? llvm::DynamicAPInt(v.asInt()) : v.asBig();
}

double toDouble(Value v) {
  if (v.is(Kind::Float)) return v.asFloat();
  if (v.is(Kind::Bool)) return v.asBool();
  if (v.isSmallInt()) return static_cast<double>(v.asInt());
  // Through decimal digits: exact to the last bit, and rare.
  std::string digits;
  llvm::raw_string_ostream(digits) << v.asBig();
  return std::strtod(digits.c_str(), nullptr);
}

} // namespace jx::elab
