// Attribute access.
#include "compiler/elaborate/Callable.h"
#include "compiler/elaborate/Evaluator.h"
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

Value instanceAttr(Evaluator &ev, Value object, llvm::StringRef name) {
  Object *self = object.asObject();
  Value inClass = ev.lookUpClass(self->cls, name);
  if (inClass && isBuiltinInstance(inClass, ev, "property")) return bindTo(ev, inClass, object, self->cls);
  if (Value own = self->get(ev.arena.str(name))) return own;
  if (inClass) return bindTo(ev, inClass, object, self->cls);
  if (name == "__class__") return self->cls;
  if (name == "__dict__") return ev.heap.create(Kind::Dict, self->contents());
  if (Value fallback = ev.lookUpClass(self->cls, "__getattr__"))
    return ev.call(fallback, {object, ev.arena.str(name)});
  return {};
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
  // What every object has.
  if (name == "__init__" && static_cast<const ClassNode *>(cls->payload)->isException &&
      self.is(Kind::Instance))
    return ev.arena.native(name, [self](Evaluator &ev, CallArgs &args) -> Value {
      ev.heap.put(self.asObject(), ev.arena.str("args"),
                  ev.arena.tuple({args.positional.begin(), args.positional.end()}));
      return Value::none();
    });
  if (name == "__init__" || name == "__init_subclass__" || name == "__post_init__")
    return ev.arena.native(name, [](Evaluator &, CallArgs &) { return Value::none(); });
  if (name == "__setattr__")
    return ev.arena.native(name, [self](Evaluator &ev, CallArgs &args) -> Value {
      ev.heap.put(self.asObject(), args.positional[0], args.positional[1]);
      return Value::none();
    });
  if (name == "__new__")
    return ev.arena.native(name, [](Evaluator &ev, CallArgs &args) -> Value {
      Object *instance = ev.heap.create(Kind::Instance);
      instance->cls = args.positional[0].asObject();
      return instance;
    });
  return {};
}

Value classAttr(Evaluator &ev, Value object, llvm::StringRef name) {
  Object *cls = object.asObject();
  const auto &node = *static_cast<const ClassNode *>(cls->payload);
  if (Value found = ev.lookUpClass(cls, name)) return bindTo(ev, found, {}, cls);
  if (name == "__name__") return ev.arena.str(node.name);
  if (name == "__qualname__") return ev.arena.str(node.qualifiedName);
  if (name == "__module__") return ev.arena.str(node.moduleName);
  if (name == "__doc__") return Value::none();
  if (name == "__class__") return ev.builtinClass("type");
  if (name == "__dict__") return ev.heap.create(Kind::Dict, cls->contents());
  if (name == "__annotations__") return ev.heap.dict();
  if (name == "__bases__" || name == "__mro__") {
    std::vector<Value> items;
    for (Object *base : name == "__mro__" ? node.order : node.bases) items.push_back(base);
    return ev.arena.tuple(std::move(items));
  }
  // What `object` itself offers; subclasses reach it by name, so it does not stand in the way of their own
  // lookups.
  if (name == "__setattr__")
    return ev.arena.native(name, [](Evaluator &ev, CallArgs &args) -> Value {
      if (args.positional.size() != 3 || !args.positional[0].is(Kind::Instance))
        return ev.typeError("__setattr__ takes an object, a name and a value");
      ev.heap.put(args.positional[0].asObject(), args.positional[1], args.positional[2]);
      return Value::none();
    });
  if (name == "__new__")
    return ev.arena.native(name, [](Evaluator &ev, CallArgs &args) -> Value {
      if (args.positional.empty() || !args.positional[0].is(Kind::Class))
        return ev.typeError("__new__ takes a class");
      Object *instance = ev.heap.create(Kind::Instance);
      instance->cls = args.positional[0].asObject();
      return instance;
    });
  if (name == "__init__") return ev.arena.native(name, [](Evaluator &, CallArgs &) { return Value::none(); });
  for (Object *base : node.order)
    if (const NativeFn *function =
            ev.registry.findClassMethod(static_cast<const ClassNode *>(base->payload)->name, name))
      return ev.arena.native(name, *function);
  if (node.builtin != Kind::Null)
    if (const NativeFn *method = ev.registry.findMethod(node.builtin, name))
      return ev.arena.native(name, *method);
  return {};
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
  if (name == "__dict__") return ev.heap.create(Kind::Dict, object.asObject()->contents());
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

Value Evaluator::findAttr(Value object, llvm::StringRef name) {
  switch (object.kind()) {
  case Kind::Instance:
    if (object.asObject()->cls == builtinClass("super")) return superAttr(*this, object.asObject(), name);
    return instanceAttr(*this, object, name);
  case Kind::Class:
    return classAttr(*this, object, name);
  case Kind::List:
  case Kind::Dict:
  case Kind::Set:
    if (Value found = containerAttr(*this, object, name); found || !isPending(Pending::None)) return found;
    break;
  case Kind::Function:
    return functionAttr(*this, object, name);
  case Kind::Module:
    return moduleAttr(*this, object, name);
  case Kind::Opaque:
    return static_cast<OpaqueObject *>(object.asObject()->opaque.get())
        ->getAttr(*this, object.asObject(), name);
  case Kind::Array:
    if (Value found = arrayAttr(*this, object, name); found || !isPending(Pending::None)) return found;
    break;
  case Kind::Method:
    if (name == "__self__") return object.asMethod().self;
    if (name == "__func__") return object.asMethod().function;
    return findAttr(object.asMethod().function, name);
  case Kind::Native:
    if (name == "__name__" || name == "__qualname__") return arena.str(object.asNative().name);
    if (name == "__doc__") return Value::none();
    break;
  case Kind::Tuple:
    if (Object *cls = object.asTuple().cls)
      if (Value found = lookUpClass(cls, name)) {
        if (found.is(Kind::Int) && isFieldMarker(cls, name)) return object.asTuple().items[found.asInt()];
        return bindTo(*this, found, object, cls);
      }
    break;
  default:
    break;
  }
  if (name == "__class__") return classOf(object);
  CallArgs args;
  args.positional.push_back(object);
  if (const NativeFn *property = registry.findProperty(object.kind(), name)) return (*property)(*this, args);
  if (const NativeFn *method = registry.findMethod(object.kind(), name))
    return arena.method(arena.native(name, *method), object);
  // Methods that need the characters of a string with run-time parts.
  if (object.is(Kind::Text) && registry.findMethod(Kind::Str, name)) {
    JX_TRY(known, toStatic(object, "the string of `" + name.str() + "`"));
    return findAttr(known, name);
  }
  // Methods of number kinds that a bool shares with ints.
  if (object.is(Kind::Bool)) {
    if (const NativeFn *property = registry.findProperty(Kind::Int, name)) return (*property)(*this, args);
    if (const NativeFn *method = registry.findMethod(Kind::Int, name))
      return arena.method(arena.native(name, *method), object);
  }
  return {};
}

Value Evaluator::getAttr(Value object, llvm::StringRef name) {
  Value found = findAttr(object, name);
  if (found || !isPending(Pending::None)) {
    if (found && found.is(Kind::Unbound))
      return fail(DiagKind::PartlyAssigned, "`" + name.str() + "` has no value here: " +
                                                static_cast<const UnboundNode *>(found.asPointer())->reason);
    return found;
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
    if (std::string guess = nearestOf(name, candidates); !guess.empty())
      diagnostic.withHint("the nearest present one is `" + node.name + "." + guess + "`");
    return fail(std::move(diagnostic));
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

Status Evaluator::setAttr(Value object, llvm::StringRef name, Value value) {
  Value key = arena.str(name);
  if (object.is(Kind::Instance)) {
    Object *self = object.asObject();
    if (Value own = lookUpClass(self->cls, "__setattr__")) {
      JX_TRY(done, call(own, {object, key, value}));
      return Status::success();
    }
    if (Value descriptor = lookUpClass(self->cls, name)) {
      if (isBuiltinInstance(descriptor, *this, "property")) {
        Value setter = descriptor.asObject()->get(arena.str("fset"));
        if (!setter || setter.isNone())
          return raise("AttributeError",
                       "property '" + name.str() + "' of '" + typeName(object) + "' object has no setter");
        JX_TRY(done, call(setter, {object, value}));
        return Status::success();
      }
      if (descriptor.is(Kind::Instance) && lookUpClass(descriptor.asObject()->cls, "__set__")) {
        JX_TRY(done, callDunder(descriptor, "__set__", {object, value}));
        return Status::success();
      }
    }
    heap.put(self, key, value);
    return Status::success();
  }
  if (object.isAny(Kind::Function, Kind::Class, Kind::Module)) {
    heap.put(object.asObject(), key, value);
    return Status::success();
  }
  if (object.isAny(Kind::List, Kind::Dict, Kind::Set) && object.asObject()->attributes) {
    Value own = callDunder(object, "__setattr__", {key, value});
    if (own) return Status::success();
    if (!isPending(Pending::None)) return Failed();
    heap.put(object.asObject()->attributes, key, value);
    return Status::success();
  }
  if (object.is(Kind::Method)) return setAttr(object.asMethod().function, name, value);
  return raise("AttributeError",
               "cannot set attribute '" + name.str() + "' of a '" + typeName(object) + "' object");
}

Status Evaluator::delAttr(Value object, llvm::StringRef name) {
  if (object.is(Kind::Instance)) {
    if (Value own = lookUpClass(object.asObject()->cls, "__delattr__")) {
      JX_TRY(done, call(own, {object, arena.str(name)}));
      return Status::success();
    }
    Value descriptor = lookUpClass(object.asObject()->cls, name);
    if (descriptor && isBuiltinInstance(descriptor, *this, "property")) {
      Value deleter = descriptor.asObject()->get(arena.str("fdel"));
      if (!deleter || deleter.isNone())
        return raise("AttributeError",
                     "property '" + name.str() + "' of '" + typeName(object) + "' object has no deleter");
      JX_TRY(done, call(deleter, {object}));
      return Status::success();
    }
  }
  if (object.isAny(Kind::Instance, Kind::Function, Kind::Class, Kind::Module) &&
      heap.erase(object.asObject(), arena.str(name)))
    return Status::success();
  if (object.isAny(Kind::List, Kind::Dict, Kind::Set) && object.asObject()->attributes &&
      heap.erase(object.asObject()->attributes, arena.str(name)))
    return Status::success();
  return raise("AttributeError", "'" + typeName(object) + "' object has no attribute '" + name.str() + "'");
}

} // namespace jx::elab
