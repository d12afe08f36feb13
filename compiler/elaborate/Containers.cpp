// Item access, and instances of subclasses of list, dict and set. See Containers.h.
#include "compiler/elaborate/Containers.h"
#include "compiler/elaborate/Choices.h"
#include "compiler/elaborate/Registry.h"

namespace jx::elab {

std::optional<std::vector<Value>> elementsOf(Evaluator &ev, Value iterable, const std::string &otherwise) {
  std::optional<std::vector<Value>> items = ev.elements(iterable);
  if (!items && ev.isPending(Pending::Exception) && ev.pending().diagnostic.kind == DiagKind::NotIterable)
    return ev.fail(DiagKind::NotIterable, otherwise);
  return items;
}

Status fillContainer(Evaluator &ev, Value container, CallArgs &args) {
  const char *name = container.is(Kind::List) ? "list" : container.is(Kind::Dict) ? "dict" : "set";
  JX_TRY(filled, (*ev.registry.findConstructor(name))(ev, args));
  ev.heap.replace(container.asObject(), filled.asObject()->contents());
  return Status::success();
}

// CPython's table of a set: linear probes of nine entries, then a jump by the rest of the hash.
std::vector<Value> setOrder(const std::vector<Value> &keys) {
  if (!llvm::all_of(keys, [](Value k) { return plainHash(k).has_value(); })) return keys;
  constexpr size_t probes = 9, smallest = 8, large = 50000;
  std::vector<Value> table(smallest);
  auto place = [](std::vector<Value> &into, Value key) {
    size_t mask = into.size() - 1, hash = static_cast<size_t>(*plainHash(key)), perturb = hash;
    for (size_t i = hash & mask;; perturb >>= 5, i = (i * 5 + 1 + perturb) & mask) {
      size_t last = i + probes <= mask ? i + probes : i;
      for (size_t k = i; k <= last; ++k)
        if (!into[k]) {
          into[k] = key;
          return;
        }
    }
  };
  for (size_t used = 1; used <= keys.size(); ++used) {
    place(table, keys[used - 1]);
    if (used * 5 < (table.size() - 1) * 3) continue;
    size_t wanted = used > large ? used * 2 : used * 4, size = smallest;
    while (size <= wanted) size *= 2;
    std::vector<Value> larger(size);
    for (Value key : table)
      if (key) place(larger, key);
    table = std::move(larger);
  }
  llvm::erase_if(table, [](Value key) { return !key; });
  return table;
}

Value builtinItem(Evaluator &ev, Value object, Value index) {
  switch (object.kind()) {
  case Kind::Array:
    return ev.callLibrary("jax._src.operators", "getitem", {object, index});
  case Kind::Dict: {
    Value picked = itemOfDictFromData(ev, object.asObject(), index);
    if (picked || !ev.isPending(Pending::None)) return picked;
    JX_TRY(key, keyIn(ev, object.asObject(), index));
    if (Value found = object.asObject()->get(key)) {
      if (found.is(Kind::Unbound))
        return ev.fail(DiagKind::PartlyAssigned,
                       "this item has no value here: " +
                           static_cast<const UnboundNode *>(found.asPointer())->reason);
      return ev.whole(found);
    }
    if (object.asObject()->cls) {
      Value made = ev.callDunder(object, "__missing__", {key});
      if (made || !ev.isPending(Pending::None)) return made;
    }
    return ev.raiseKeyError(key, object.asObject());
  }
  case Kind::Text: {
    JX_TRY(known, ev.toStatic(object, "a character of a string"));
    return ev.sequenceItem(known, index);
  }
  case Kind::Tuple:
  case Kind::List:
  case Kind::Str:
  case Kind::Bytes:
  case Kind::Range:
    return ev.sequenceItem(object, index);
  case Kind::Class: { // Generic[T], list[int], Enum["NAME"]
    Value own = ev.callDunder(object, "__class_getitem__", {index});
    if (own || !ev.isPending(Pending::None)) return own;
    if (Value method = ev.lookUpClass(object.asObject(), "__class_getitem__"))
      return ev.call(method, {object, index});
    return object;
  }
  case Kind::Native:
  case Kind::Dtype: // subscripted annotations that are evaluated: Callable[...], Float[Array, ...]
    return object;
  case Kind::Function:
    if (ev.sources.isLibrary(static_cast<const FunctionNode *>(object.asObject()->payload)->code->range.file))
      return object;
    [[fallthrough]];
  default: {
    Value result = ev.callDunder(object, "__getitem__", {index});
    if (result || !ev.isPending(Pending::None)) return result;
    if (isStandIn(object)) return builtinItem(ev, plainValue(object), index);
    return ev.typeError("'" + ev.typeName(object) + "' object is not subscriptable");
  }
  }
}

Status setBuiltinItem(Evaluator &ev, Value object, Value index, Value value) {
  if (object.is(Kind::Dict)) return putItem(ev, object.asObject(), index, value);
  if (object.is(Kind::List)) return ev.setListItem(object, index, value);
  if (object.isArray())
    return ev.fail(Diagnostic(DiagKind::ArrayAssignment, ev.userHere(),
                              "JAX arrays are immutable; items of `" + ev.describeArray(object) +
                                  "` cannot be assigned to")
                       .withHint("instead of `x[i] = y` write `x = x.at[i].set(y)`"));
  if (object.is(Kind::Tuple))
    return ev.fail(DiagKind::ImmutableItem,
                   "'" + ev.typeName(object) + "' object does not support item assignment");
  Value done = ev.callDunder(object, "__setitem__", {index, value});
  if (done) return Status::success();
  if (!ev.isPending(Pending::None)) return Failed();
  return ev.fail(DiagKind::ImmutableItem,
                 "'" + ev.typeName(object) + "' object does not support item assignment");
}

Status deleteBuiltinItem(Evaluator &ev, Value object, Value index) {
  if (object.is(Kind::Dict)) {
    JX_TRY(key, keyIn(ev, object.asObject(), index));
    if (ev.heap.erase(object.asObject(), key)) return Status::success();
    return ev.raiseKeyError(key, object.asObject());
  }
  if (object.is(Kind::List)) return ev.deleteListItem(object, index);
  Value done = ev.callDunder(object, "__delitem__", {index});
  if (done) return Status::success();
  if (!ev.isPending(Pending::None)) return Failed();
  return ev.fail(DiagKind::ImmutableItem,
                 "'" + ev.typeName(object) + "' object doesn't support item deletion");
}

Value Evaluator::getItem(Value object, Value index) {
  if (isChoice(object)) return overChoices(*this, object, [&](Value one) { return getItem(one, index); });
  if (isChoice(index)) return overChoices(*this, index, [&](Value one) { return getItem(object, one); });
  if (object.isAny(Kind::List, Kind::Dict) && object.asObject()->cls) {
    Value own = callDunder(object, "__getitem__", {index});
    if (own || !isPending(Pending::None)) return own;
    if (!object.asObject()->attributes)
      return typeError("'" + typeName(object) + "' object is not subscriptable");
  }
  return builtinItem(*this, object, index);
}

Status Evaluator::setItem(Value object, Value index, Value value) {
  if (isOptional(object))
    return overChoices(*this, object, [&](Value one) { return setItem(one, index, value); });
  if (isChoice(index))
    return overChoices(*this, index, [&](Value one) { return setItem(object, one, value); });
  if (object.isAny(Kind::List, Kind::Dict) && object.asObject()->cls) {
    Value done = callDunder(object, "__setitem__", {index, value});
    if (done) return Status::success();
    if (!isPending(Pending::None)) return Failed();
  }
  return setBuiltinItem(*this, object, index, value);
}

Status Evaluator::delItem(Value object, Value index) {
  if (isOptional(object)) return overChoices(*this, object, [&](Value one) { return delItem(one, index); });
  if (object.isAny(Kind::List, Kind::Dict) && object.asObject()->cls) {
    Value done = callDunder(object, "__delitem__", {index});
    if (done) return Status::success();
    if (!isPending(Pending::None)) return Failed();
  }
  return deleteBuiltinItem(*this, object, index);
}

} // namespace jx::elab
