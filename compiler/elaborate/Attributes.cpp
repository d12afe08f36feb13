// Attribute access by kind of object. See Attributes.h.
#include "compiler/elaborate/Attributes.h"
#include "compiler/elaborate/Alternatives.h"
#include "compiler/elaborate/Callable.h"
#include "compiler/elaborate/Choices.h"
#include "compiler/elaborate/Registry.h"

namespace jx::elab {

std::string nearestOf(llvm::StringRef wanted, const std::vector<std::string> &candidates) {
  std::string best;
  unsigned bestDistance = wanted.size() <= 2 ? 1 : 3;
  for (const std::string &candidate : candidates) {
    unsigned distance = wanted.edit_distance(candidate, true, bestDistance);
    if (distance < bestDistance) best = candidate, bestDistance = distance;
  }
  return best;
}

namespace {

bool isBuiltinInstance(Value v, Evaluator &ev, llvm::StringRef cls) {
  return v.is(Kind::Instance) && v.asObject()->cls == ev.builtinClass(cls);
}

// A class attribute as an instance sees it: functions become methods, descriptors are read.
Value bindTo(Evaluator &ev, Value attribute, Value self, Object *cls) {
  if (attribute.is(Kind::Function)) return self ? ev.arena.method(attribute, self) : attribute;
  if (attribute.is(Kind::Native)) return self ? ev.arena.method(attribute, self) : attribute;
  if (!attribute.is(Kind::Instance)) return attribute;
  if (isBuiltinInstance(attribute, ev, "staticmethod"))
    return attribute.asObject()->get(ev.arena.str("__func__"));
  if (isBuiltinInstance(attribute, ev, "classmethod"))
    return ev.arena.method(attribute.asObject()->get(ev.arena.str("__func__")), cls);
  if (isBuiltinInstance(attribute, ev, "property")) {
    if (!self) return attribute;
    Value getter = attribute.asObject()->get(ev.arena.str("fget"));
    return ev.call(getter, {self});
  }
  if (ev.lookUpClass(attribute.asObject()->cls, "__get__"))
    return ev.callDunder(attribute, "__get__", {self ? self : Value::none(), Value(cls)});
  return attribute;
}

// What `object` offers, bound to the object.
Value inheritedAttr(Evaluator &ev, Value object, llvm::StringRef name) {
  Value method = objectMethod(ev, name);
  return method && name != "__new__" ? ev.arena.method(method, object) : method;
}

// The class's `__getattribute__`, then its `__getattr__`, where it has them.
Value instanceAttr(Evaluator &ev, Value object, llvm::StringRef name) {
  Object *cls = object.asObject()->cls;
  Value own = ev.lookUpClass(cls, "__getattribute__");
  Value found = own ? ev.call(own, {object, ev.arena.str(name)}) : plainAttr(ev, object, name);
  if (found) return found;
  bool absent = ev.isPending(Pending::None) ||
                (ev.isPending(Pending::Exception) &&
                 ev.isInstance(ev.pending().exception, ev.builtinClass("AttributeError")));
  Value fallback = absent ? ev.lookUpClass(cls, "__getattr__") : Value();
  if (!fallback) return Failed();
  ev.pending() = {};
  return ev.call(fallback, {object, ev.arena.str(name)});
}

// The names in `__slots__` of a class and its bases; nothing when its instances have a `__dict__`.
std::optional<std::vector<Value>> slotsOf(Evaluator &ev, Object *cls) {
  std::vector<Value> names;
  for (Object *base : static_cast<const ClassNode *>(cls->payload)->order) {
    if (base == ev.builtinClass("object")) continue;
    Value slots = base->get(ev.arena.str("__slots__"));
    if (!slots || !slots.isAny(Kind::Tuple, Kind::List, Kind::Str)) return std::nullopt;
    if (slots.is(Kind::Str)) names.push_back(slots);
    auto more = slots.is(Kind::Str) ? std::vector<Value>() : ev.elements(slots);
    if (!more) return std::nullopt;
    names.insert(names.end(), more->begin(), more->end());
  }
  bool hasDict = llvm::any_of(names, [](Value n) { return n.is(Kind::Str) && n.asStr() == "__dict__"; });
  return hasDict ? std::nullopt : std::optional(std::move(names));
}

// Of an instance of a subclass of list, dict or set; null without failure when only the built-in class may
// have it.
Value containerAttr(Evaluator &ev, Value object, llvm::StringRef name) {
  Object *self = object.asObject();
  if (!self->cls || !self->attributes) return {};
  Value inClass = ev.lookUpClass(self->cls, name);
  if (inClass && isBuiltinInstance(inClass, ev, "property")) return bindTo(ev, inClass, object, self->cls);
  if (Value own = self->attributes->get(ev.arena.str(name))) return own;
  if (inClass) return bindTo(ev, inClass, object, self->cls);
  if (name == "__dict__") return self->attributes;
  if (name == "__doc__" || name == "__module__") return ev.findAttr(self->cls, name);
  Value fallback = ev.lookUpClass(self->cls, "__getattr__");
  if (fallback && !ev.registry.findMethod(object.kind(), name))
    return ev.call(fallback, {object, ev.arena.str(name)});
  return {};
}

Value superAttr(Evaluator &ev, Object *proxy, llvm::StringRef name) {
  Object *start = proxy->get(ev.arena.str("start")).asObject();
  Value self = proxy->get(ev.arena.str("self"));
  Object *cls = self.is(Kind::Class) ? self.asObject() : ev.classOf(self);
  const auto &order = static_cast<const ClassNode *>(cls->payload)->order;
  auto from = llvm::find(order, start);
  if (name == "__class__") return proxy->cls;
  for (; from != order.end(); ++from) {
    if (*from == start) continue;
    if (Value found = (*from)->get(ev.arena.str(name))) {
      if (self.is(Kind::Class) && !isBuiltinInstance(found, ev, "classmethod")) return found;
      return bindTo(ev, found, self, cls);
    }
    Kind kind = static_cast<const ClassNode *>((*from)->payload)->builtin;
    if (static_cast<const ClassNode *>((*from)->payload)->moduleName != "builtins" || kind == Kind::Null)
      continue;
    if (const NativeFn *method = ev.registry.findMethod(kind, name))
      return ev.arena.method(ev.arena.native(name, *method), self);
  }
  return inheritedAttr(ev, self, name);
}

Value classAttr(Evaluator &ev, Value object, llvm::StringRef name) {
  Object *cls = object.asObject();
  const auto &node = *static_cast<const ClassNode *>(cls->payload);
  if (name == "__doc__") { // that of a base is not inherited
    Value own = cls->get(ev.arena.str(name));
    return own ? own : Value::none();
  }
  if (Value found = ev.lookUpClass(cls, name)) return bindTo(ev, found, {}, cls);
  if (name == "__name__") return ev.arena.str(node.name);
  if (name == "__qualname__") return ev.arena.str(node.qualifiedName);
  if (name == "__module__") return ev.arena.str(node.moduleName);
  if (name == "__class__") return ev.builtinClass("type");
  if (name == "__dict__") return ev.heap.create(Kind::Dict, cls->contents());
  if (name == "__annotations__") return ev.heap.dict();
  if (name == "__bases__" || name == "__mro__") {
    std::vector<Value> items;
    for (Object *base : name == "__mro__" ? node.order : node.bases) items.push_back(base);
    return ev.arena.tuple(std::move(items));
  }
  for (Object *base : node.order)
    if (const NativeFn *function =
            ev.registry.findClassMethod(static_cast<const ClassNode *>(base->payload)->name, name))
      return ev.arena.native(name, *function);
  if (node.builtin != Kind::Null)
    if (const NativeFn *method = ev.registry.findMethod(node.builtin, name))
      return ev.arena.native(name, *method);
  return objectMethod(ev, name); // by name, so that it does not stand in the way of lookups in classes
}

Value functionAttr(Evaluator &ev, Value object, llvm::StringRef name) {
  if (Value own = object.asObject()->get(ev.arena.str(name))) return own;
  const auto &node = *static_cast<const FunctionNode *>(object.asObject()->payload);
  if (name == "__name__") return ev.arena.str(node.name);
  if (name == "__qualname__") return ev.arena.str(node.qualifiedName);
  if (name == "__module__") return ev.arena.str(static_cast<const ModuleNode *>(node.module->payload)->name);
  if (name == "__doc__") {
    auto *def = llvm::dyn_cast<ast::FunctionDef>(node.code);
    return def && def->docstring() ? ev.arena.str(def->docstring()->value) : Value::none();
  }
  if (name == "__dict__") return ev.heap.viewOf(object.asObject());
  if (name == "__defaults__") {
    std::vector<Value> given;
    for (auto [param, value] : llvm::zip(node.params, node.defaults))
      if (value && param.kind != ast::ParamKind::KeywordOnly) given.push_back(value);
    return given.empty() ? Value::none() : ev.arena.tuple(std::move(given));
  }
  if (name == "__kwdefaults__" || name == "__annotations__") {
    Object *dict = ev.heap.dict();
    for (auto [param, value] : llvm::zip(node.params, node.defaults))
      if (name == "__annotations__" && param.annotation)
        ev.heap.put(dict, ev.nameStr(param.name), ev.arena.str(ev.sources.text(param.annotation->range)));
      else if (name == "__kwdefaults__" && value && param.kind == ast::ParamKind::KeywordOnly)
        ev.heap.put(dict, ev.nameStr(param.name), value);
    auto *def = llvm::dyn_cast<ast::FunctionDef>(node.code);
    if (name == "__annotations__" && def && def->returns)
      ev.heap.put(dict, ev.arena.str("return"), ev.arena.str(ev.sources.text(def->returns->range)));
    if (name == "__kwdefaults__" && dict->size() == 0) return Value::none();
    return dict;
  }
  return {};
}

Value moduleAttr(Evaluator &ev, Value object, llvm::StringRef name) {
  if (Value found = object.asObject()->get(ev.arena.str(name))) return found;
  const auto &node = *static_cast<const ModuleNode *>(object.asObject()->payload);
  if (name == "__name__") return ev.arena.str(node.name);
  if (name == "__dict__") return ev.heap.viewOf(object.asObject());
  if (name == "__doc__") return Value::none();
  if (node.name == "jx._prim") { // every operation of the dialect
    Value native = ev.arena.native(
        name, [op = name.str()](Evaluator &ev, CallArgs &args) { return ev.primitive(op, args); });
    ev.heap.put(object.asObject(), ev.arena.str(name), native);
    return native;
  }
  std::string sub = node.name + "." + name.str();
  if (ev.moduleExists(sub)) {
    Object *module = ev.importModule(sub, ev.here());
    if (!module) return Failed();
    return module;
  }
  return {};
}

Value arrayAttr(Evaluator &ev, Value object, llvm::StringRef name) {
  if (const NativeFn *property = ev.registry.findProperty(Kind::Array, name)) {
    CallArgs args;
    args.positional.push_back(object);
    return (*property)(ev, args);
  }
  if (const NativeFn *method = ev.registry.findMethod(Kind::Array, name))
    return ev.arena.method(ev.arena.native(name, *method), object);
  Object *library = ev.importModule("jax._src.array_methods", ev.here());
  if (!library) return Failed();
  Value found = library->get(ev.arena.str(name));
  if (!found || !found.isAny(Kind::Function, Kind::Native)) return {};
  if (Value properties = library->get(ev.arena.str("properties")); properties && properties.is(Kind::Tuple))
    for (Value property : properties.asTuple().items)
      if (property.is(Kind::Str) && property.asStr() == name) return ev.call(found, {object});
  return ev.arena.method(found, object);
}

} // namespace

Value plainAttr(Evaluator &ev, Value object, llvm::StringRef name) {
  Object *self = object.asObject();
  Value inClass = ev.lookUpClass(self->cls, name);
  bool takesAssignment =
      inClass && (isBuiltinInstance(inClass, ev, "property") ||
                  (inClass.is(Kind::Instance) && ev.lookUpClass(inClass.asObject()->cls, "__set__")));
  if (takesAssignment) return bindTo(ev, inClass, object, self->cls);
  if (Value own = self->get(ev.arena.str(name))) return own;
  if (name == "__doc__" || name == "__module__") return classAttr(ev, self->cls, name);
  if (inClass) return bindTo(ev, inClass, object, self->cls);
  if (name == "__class__") return self->cls;
  if (name == "__dict__" && !slotsOf(ev, self->cls)) return ev.heap.viewOf(self);
  if (Value found = exceptionAttr(ev, object, name)) return found;
  if (isStandIn(object)) {
    Value found = ev.findAttr(plainValue(object), name);
    if (found || !ev.isPending(Pending::None)) return found;
  }
  return inheritedAttr(ev, object, name);
}

// What a kind has of its own; null without failure where it has not.
static Value attrOfKind(Evaluator &ev, Value object, llvm::StringRef name) {
  switch (object.kind()) {
  case Kind::Instance:
    if (object.asObject()->cls == ev.builtinClass("super")) return superAttr(ev, object.asObject(), name);
    return instanceAttr(ev, object, name);
  case Kind::Class:
    return classAttr(ev, object, name);
  case Kind::List:
  case Kind::Dict:
  case Kind::Set:
    return containerAttr(ev, object, name);
  case Kind::Function:
    return functionAttr(ev, object, name);
  case Kind::Module:
    return moduleAttr(ev, object, name);
  case Kind::Opaque:
    return static_cast<OpaqueObject *>(object.asObject()->opaque.get())->getAttr(ev, object.asObject(), name);
  case Kind::Array:
    return arrayAttr(ev, object, name);
  case Kind::Method:
    if (name == "__self__") return object.asMethod().self;
    if (name == "__func__") return object.asMethod().function;
    return ev.findAttr(object.asMethod().function, name);
  case Kind::Native:
    if (name == "__name__" || name == "__qualname__") return ev.arena.str(object.asNative().name);
    if (name == "__doc__") return Value::none();
    return {};
  case Kind::Tuple:
    if (Object *cls = object.asTuple().cls)
      if (Value found = ev.lookUpClass(cls, name)) {
        if (found.is(Kind::Int) && ev.isFieldMarker(cls, name)) return object.asTuple().items[found.asInt()];
        return bindTo(ev, found, object, cls);
      }
    return {};
  default:
    return {};
  }
}

Value Evaluator::findAttr(Value object, llvm::StringRef name) {
  if (Value found = attrOfKind(*this, object, name); found || !isPending(Pending::None)) return found;
  if (name == "__class__") return classOf(object);
  CallArgs args;
  args.positional.push_back(object);
  if (const NativeFn *property = registry.findProperty(object.kind(), name)) return (*property)(*this, args);
  if (const NativeFn *method = registry.findMethod(object.kind(), name))
    return arena.method(arena.native(name, *method), object);
  // Methods that need the characters of a string with run-time parts.
  if (object.is(Kind::Text) && registry.findMethod(Kind::Str, name)) {
    if (isKnownText(object))
      return arena.method(arena.native(name, *registry.findMethod(Kind::Str, name)), object);
    JX_TRY(known, toStatic(object, "the string of `" + name.str() + "`"));
    return findAttr(known, name);
  }
  // Methods of number kinds that a bool shares with ints.
  if (object.is(Kind::Bool)) {
    if (const NativeFn *property = registry.findProperty(Kind::Int, name)) return (*property)(*this, args);
    if (const NativeFn *method = registry.findMethod(Kind::Int, name))
      return arena.method(arena.native(name, *method), object);
  }
  if (object.isAny(Kind::Instance, Kind::Class, Kind::Module, Kind::Opaque)) return {};
  return inheritedAttr(*this, object, name);
}

Value Evaluator::getAttr(Value object, llvm::StringRef name) {
  if (isOptional(object)) return overChoices(*this, object, [&](Value one) { return getAttr(one, name); });
  Value found = findAttr(object, name);
  if (found || !isPending(Pending::None)) {
    if (found && found.is(Kind::Unbound))
      return fail(DiagKind::PartlyAssigned, "`" + name.str() + "` has no value here: " +
                                                static_cast<const UnboundNode *>(found.asPointer())->reason);
    return found ? whole(found) : found;
  }
  std::vector<std::string> candidates = registry.memberNames(object.kind());
  auto addKeys = [&](const Object *scope) {
    for (Value key : scope->contents().keys)
      if (key.is(Kind::Str)) candidates.push_back(key.asStr().str());
  };
  if (object.is(Kind::Module)) {
    const auto &node = *static_cast<const ModuleNode *>(object.asObject()->payload);
    addKeys(object.asObject());
    Diagnostic diagnostic(DiagKind::MissingMember, userHere(),
                          "module `" + node.name + "` has no member `" + name.str() + "`" +
                              (node.isLibrary ? " in jx" : ""));
    if (llvm::StringRef instead = insteadOfMember(node.name, name); !instead.empty())
      diagnostic.withHint(instead.str());
    else if (std::string guess = nearestOf(name, candidates); !guess.empty())
      diagnostic.withHint("the nearest present one is `" + node.name + "." + guess + "`");
    return fail(std::move(diagnostic), "module '" + node.name + "' has no attribute '" + name.str() + "'");
  }
  if (object.is(Kind::Array))
    if (Object *library = findModule("jax._src.array_methods")) addKeys(library);
  if (object.is(Kind::Instance)) {
    addKeys(object.asObject());
    for (Object *cls : static_cast<const ClassNode *>(object.asObject()->cls->payload)->order) addKeys(cls);
  }
  if (object.is(Kind::Class)) addKeys(object.asObject());
  std::string message = object.is(Kind::Class)
                            ? "type object '" +
                                  static_cast<const ClassNode *>(object.asObject()->payload)->name +
                                  "' has no attribute '" + name.str() + "'"
                            : "'" + typeName(object) + "' object has no attribute '" + name.str() + "'";
  (void)raise("AttributeError", message);
  if (std::string guess = nearestOf(name, candidates); !guess.empty())
    pendingState.diagnostic.withHint("did you mean `" + guess + "`?");
  return Failed();
}

Status setPlainAttr(Evaluator &ev, Value object, llvm::StringRef name, Value value) {
  Object *self = object.asObject();
  Value key = ev.arena.str(name);
  if (Value descriptor = ev.lookUpClass(self->cls, name)) {
    if (isBuiltinInstance(descriptor, ev, "property")) {
      Value setter = descriptor.asObject()->get(ev.arena.str("fset"));
      if (!setter || setter.isNone())
        return ev.raise("AttributeError", "property '" + name.str() + "' of '" + ev.typeName(object) +
                                              "' object has no setter");
      JX_TRY(done, ev.call(setter, {object, value}));
      return Status::success();
    }
    if (descriptor.is(Kind::Instance) && ev.lookUpClass(descriptor.asObject()->cls, "__set__")) {
      JX_TRY(done, ev.callDunder(descriptor, "__set__", {object, value}));
      return Status::success();
    }
  }
  if (name == "__class__") return ev.unsupported("assignment to `__class__`");
  if (auto slots = slotsOf(ev, self->cls);
      slots &&
      !llvm::is_contained(
          llvm::map_range(*slots, [](Value slot) { return slot.is(Kind::Str) ? slot.asStr() : ""; }), name))
    return ev.raise("AttributeError",
                    "'" + ev.typeName(object) + "' object has no attribute '" + name.str() + "'");
  if (name == "__dict__") {
    if (!value.is(Kind::Dict))
      return ev.typeError("__dict__ must be set to a dictionary, not a '" + ev.typeName(value) + "'");
    ev.heap.replace(self, value.asObject()->contents());
    return Status::success();
  }
  ev.heap.put(self, key, value);
  return Status::success();
}

Status deletePlainAttr(Evaluator &ev, Value object, llvm::StringRef name) {
  Value descriptor = ev.lookUpClass(object.asObject()->cls, name);
  if (descriptor && isBuiltinInstance(descriptor, ev, "property")) {
    Value deleter = descriptor.asObject()->get(ev.arena.str("fdel"));
    if (!deleter || deleter.isNone())
      return ev.raise("AttributeError",
                      "property '" + name.str() + "' of '" + ev.typeName(object) + "' object has no deleter");
    JX_TRY(done, ev.call(deleter, {object}));
    return Status::success();
  }
  if (ev.heap.erase(object.asObject(), ev.arena.str(name))) return Status::success();
  return ev.raise("AttributeError",
                  "'" + ev.typeName(object) + "' object has no attribute '" + name.str() + "'");
}

Status Evaluator::setAttr(Value object, llvm::StringRef name, Value value) {
  if (isOptional(object))
    return overChoices(*this, object, [&](Value one) { return setAttr(one, name, value); });
  Value key = arena.str(name);
  if (object.is(Kind::Instance)) {
    Value own = lookUpClass(object.asObject()->cls, "__setattr__");
    if (!own) return setPlainAttr(*this, object, name, value);
    JX_TRY(done, call(own, {object, key, value}));
    return Status::success();
  }
  if (object.is(Kind::Class) &&
      static_cast<const ClassNode *>(object.asObject()->payload)->moduleName == "builtins")
    return typeError("cannot set '" + name.str() + "' attribute of immutable type '" +
                     static_cast<const ClassNode *>(object.asObject()->payload)->name + "'");
  if (object.is(Kind::Class)) // an enumeration keeps its members
    if (Value members = object.asObject()->get(arena.str("__members__"));
        members && members.is(Kind::Dict) && members.asObject()->find(key))
      return raise("AttributeError", "cannot reassign member '" + name.str() + "'");
  if (object.isAny(Kind::Function, Kind::Class, Kind::Module)) {
    heap.put(object.asObject(), key, value);
    return Status::success();
  }
  if (object.isAny(Kind::List, Kind::Dict, Kind::Set) && object.asObject()->attributes) {
    Value own = callDunder(object, "__setattr__", {key, value});
    if (own) return Status::success();
    if (!isPending(Pending::None)) return Failed();
    if (name == "__dict__") { // that of a new object: which dict it is does not change later
      if (!value.is(Kind::Dict) || object.asObject()->attributes->size() || heap.isOlder(object.asObject()))
        return unsupported("assignment to `__dict__` of a container that has attributes");
      object.asObject()->attributes = value.asObject();
      return Status::success();
    }
    heap.put(object.asObject()->attributes, key, value);
    return Status::success();
  }
  if (object.is(Kind::Method)) return setAttr(object.asMethod().function, name, value);
  Value existing = findAttr(object, name);
  if (!existing && !isPending(Pending::None)) return Failed();
  if (existing)
    return raise("AttributeError",
                 "'" + typeName(object) + "' object attribute '" + name.str() + "' is read-only");
  return raise("AttributeError", "'" + typeName(object) + "' object has no attribute '" + name.str() + "'");
}

Status Evaluator::delAttr(Value object, llvm::StringRef name) {
  if (object.is(Kind::Instance)) {
    Value own = lookUpClass(object.asObject()->cls, "__delattr__");
    if (!own) return deletePlainAttr(*this, object, name);
    JX_TRY(done, call(own, {object, arena.str(name)}));
    return Status::success();
  }
  if (object.isAny(Kind::Function, Kind::Class, Kind::Module) &&
      heap.erase(object.asObject(), arena.str(name)))
    return Status::success();
  if (object.isAny(Kind::List, Kind::Dict, Kind::Set) && object.asObject()->attributes &&
      heap.erase(object.asObject()->attributes, arena.str(name)))
    return Status::success();
  std::string subject =
      object.is(Kind::Class)
          ? "type object '" + static_cast<const ClassNode *>(object.asObject()->payload)->name + "'"
          : "'" + typeName(object) + "' object";
  return raise("AttributeError", subject + " has no attribute '" + name.str() + "'");
}

} // namespace jx::elab
