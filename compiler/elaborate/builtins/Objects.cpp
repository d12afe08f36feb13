// type, isinstance, attributes by name, property and its kin, super, id, hash, callable, vars, dir.
#include "compiler/elaborate/Containers.h"
#include "compiler/elaborate/Evaluator.h"
#include "compiler/elaborate/Registry.h"
#include "llvm/Support/Casting.h"

namespace jx::elab {

namespace {

// Whether a value is of a class or of one of a tuple of classes.
std::optional<bool> matches(Evaluator &ev, Value v, Value cls, bool subclass) {
  if (cls.is(Kind::Tuple)) {
    for (Value one : cls.asTuple().items) {
      JX_TRY(found, matches(ev, v, one, subclass));
      if (*found) return true;
    }
    return false;
  }
  if (cls.isNone()) return v.isNone();
  if (cls.is(Kind::Dtype)) return false;
  if (!cls.is(Kind::Class)) {
    (void)ev.typeError(subclass ? "issubclass() arg 2 must be a class, a tuple of classes, or a union"
                                : "isinstance() arg 2 must be a type, a tuple of types, or a union");
    return Failed();
  }
  Object *wanted = cls.asObject();
  if (subclass) return v.is(Kind::Class) && ev.isSubclass(v.asObject(), wanted);
  // Classes may decide for themselves (abstract classes of collections, protocols).
  if (Value hook = ev.lookUpClass(wanted, "__instancecheck__")) {
    if (hook.is(Kind::Instance)) hook = hook.asObject()->get(ev.arena.str("__func__"));
    JX_TRY(answer, ev.call(hook, {cls, v}));
    return ev.truth(answer) == Truth::True;
  }
  return ev.isInstance(v, wanted);
}

Value instanceOf(Evaluator &ev, llvm::StringRef cls,
                 std::initializer_list<std::pair<const char *, Value>> attributes) {
  Object *object = ev.heap.create(Kind::Instance);
  object->cls = ev.builtinClass(cls);
  for (auto &[name, value] : attributes) ev.heap.put(object, ev.arena.str(name), value);
  return object;
}

// A property of a getter, a setter and a deleter, with the decorators that replace one of them.
Value propertyOf(Evaluator &ev, std::array<Value, 3> parts) {
  Value result = instanceOf(ev, "property", {{"fget", parts[0]}, {"fset", parts[1]}, {"fdel", parts[2]}});
  const char *names[] = {"getter", "setter", "deleter"};
  for (size_t k = 0; k < parts.size(); ++k)
    ev.heap.put(result.asObject(), ev.arena.str(names[k]),
                ev.arena.native(names[k], [parts, k](Evaluator &ev, CallArgs &args) -> Value {
                  if (args.positional.size() != 1) return ev.typeError("one function is expected");
                  std::array<Value, 3> changed = parts;
                  changed[k] = args.positional[0];
                  return propertyOf(ev, changed);
                }));
  return result;
}

Value makeProperty(Evaluator &ev, CallArgs &args) {
  Value v[4];
  JX_CHECK(ev.bindNative(args, "property", {"fget", "fset", "fdel", "doc"}, 0, v));
  for (Value &part : v)
    if (!part) part = Value::none();
  return propertyOf(ev, {v[0], v[1], v[2]});
}

// super() finds the class cell and the first argument of the method around.
Value makeSuper(Evaluator &ev, CallArgs &args) {
  if (args.positional.size() == 2)
    return instanceOf(ev, "super", {{"start", args.positional[0]}, {"self", args.positional[1]}});
  for (Frame *f = ev.frame; f; f = f->caller) {
    if (!f->function) continue;
    for (size_t i = 0; i < f->scope->frees.size(); ++i)
      if (f->scope->frees[i].str() == "__class__" && f->frees[i].frame && !f->function->params.empty())
        return instanceOf(ev, "super",
                          {{"start", f->frees[i].frame->at(f->frees[i].slot)}, {"self", f->locals->at(0)}});
    if (f->scope->kind == ScopeKind::Function) break;
  }
  return ev.raise("RuntimeError", "super(): no arguments");
}

// The name of an attribute, the second argument; it may be a run-time string, which must be known then.
Status makeNameStatic(Evaluator &ev, CallArgs &args) {
  args.positional[1] = ev.toStatic(args.positional[1], "the name of an attribute");
  if (!args.positional[1]) return Failed();
  if (args.positional[1].is(Kind::Str)) return Status::success();
  return ev.typeError("attribute name must be string, not '" + ev.typeName(args.positional[1]) + "'");
}

// The variables of the function, class or module that is running, as a dict of their own.
Value variablesHere(Evaluator &ev) {
  const Frame &frame = *ev.frame;
  if (frame.locals->kind != Kind::Frame) return ev.heap.create(Kind::Dict, frame.locals->contents());
  Object *dict = ev.heap.dict();
  for (auto [i, name] : llvm::enumerate(frame.scope->locals))
    if (Value value = frame.locals->at(i); value && !value.is(Kind::Unbound))
      ev.heap.put(dict, ev.nameStr(name), value);
  return dict;
}

Value getAttribute(Evaluator &ev, CallArgs &args) {
  JX_CHECK(makeNameStatic(ev, args));
  if (args.positional.size() == 2) return ev.getAttr(args.positional[0], args.positional[1].asStr());
  Value found = ev.findAttr(args.positional[0], args.positional[1].asStr());
  if (found) return found;
  if (ev.isPending(Pending::None)) return args.positional[2];
  if (!ev.isPending(Pending::Exception) ||
      !ev.isInstance(ev.pending().exception, ev.builtinClass("AttributeError")))
    return Failed();
  ev.catchException();
  return args.positional[2];
}

} // namespace

void registerObjects(Registry &r) {
  r.constructor("object", [](Evaluator &ev, CallArgs &args) -> Value {
    if (!args.positional.empty() || !args.keywords.empty())
      return ev.typeError("object() takes no arguments");
    return instanceOf(ev, "object", {});
  });
  r.constructor("type", [](Evaluator &ev, CallArgs &args) -> Value {
    if (args.positional.size() == 3)
      return makeClassFrom(ev, args.positional[0], args.positional[1], args.positional[2]);
    if (args.positional.size() != 1) return ev.typeError("type() takes 1 or 3 arguments");
    return ev.classOf(args.positional[0]);
  });
  r.constructor("property", makeProperty);
  r.constructor("staticmethod", {1, 1}, [](Evaluator &ev, CallArgs &args) {
    return instanceOf(ev, "staticmethod", {{"__func__", args.positional[0]}});
  });
  r.constructor("classmethod", {1, 1}, [](Evaluator &ev, CallArgs &args) {
    return instanceOf(ev, "classmethod", {{"__func__", args.positional[0]}});
  });
  r.constructor("super", makeSuper);
  r.function("builtins", "isinstance", {2, 2}, [](Evaluator &ev, CallArgs &args) -> Value {
    JX_TRY(found, matches(ev, args.positional[0], args.positional[1], false));
    return Value::boolean(*found);
  });
  r.function("builtins", "issubclass", {2, 2}, [](Evaluator &ev, CallArgs &args) -> Value {
    if (!args.positional[0].is(Kind::Class)) return ev.typeError("issubclass() arg 1 must be a class");
    JX_TRY(found, matches(ev, args.positional[0], args.positional[1], true));
    return Value::boolean(*found);
  });
  r.function("builtins", "getattr", {2, 3}, getAttribute);
  r.function("builtins", "hasattr", {2, 2}, [](Evaluator &ev, CallArgs &args) -> Value {
    args.positional.push_back(Value::notImplemented());
    JX_TRY(found, getAttribute(ev, args));
    return Value::boolean(!found.is(Kind::NotImplemented));
  });
  r.function("builtins", "setattr", {3, 3}, [](Evaluator &ev, CallArgs &args) -> Value {
    JX_CHECK(makeNameStatic(ev, args));
    JX_CHECK(ev.setAttr(args.positional[0], args.positional[1].asStr(), args.positional[2]));
    return Value::none();
  });
  r.function("builtins", "delattr", {2, 2}, [](Evaluator &ev, CallArgs &args) -> Value {
    JX_CHECK(makeNameStatic(ev, args));
    JX_CHECK(ev.delAttr(args.positional[0], args.positional[1].asStr()));
    return Value::none();
  });
  r.function("builtins", "callable", {1, 1}, [](Evaluator &ev, CallArgs &args) -> Value {
    Value v = args.positional[0];
    bool direct = v.isAny(Kind::Function, Kind::Native, Kind::Method, Kind::Class, Kind::Opaque, Kind::Dtype);
    return Value::boolean(direct || (v.is(Kind::Instance) && ev.lookUpClass(v.asObject()->cls, "__call__")));
  });
  r.function("builtins", "id", {1, 1}, [](Evaluator &, CallArgs &args) {
    Value v = args.positional[0];
    return Value::integer(v.isObject() ? v.asObject()->id : static_cast<int64_t>(v.keyHash() >> 2));
  });
  r.function("builtins", "hash", {1, 1}, [](Evaluator &ev, CallArgs &args) -> Value {
    JX_TRY(hash, hashOf(ev, args.positional[0]));
    return Value::integer(*hash);
  });
  r.function("builtins", "vars", {0, 1}, [](Evaluator &ev, CallArgs &args) {
    return args.positional.empty() ? variablesHere(ev) : ev.getAttr(args.positional[0], "__dict__");
  });
  r.function("builtins", "locals", {0, 0}, [](Evaluator &ev, CallArgs &) { return variablesHere(ev); });
  r.function("builtins", "globals", {0, 0}, [](Evaluator &ev, CallArgs &) -> Value {
    return ev.heap.create(Kind::Dict, ev.frame->module->contents());
  });
  r.function("builtins", "dir", {0, 1}, [](Evaluator &ev, CallArgs &args) -> Value {
    std::vector<Value> names;
    Value v = args.positional.empty() ? Value(ev.frame->module) : args.positional[0];
    auto addKeysOf = [&](Object *object) {
      for (Value key : object->contents().keys) names.push_back(key);
    };
    if (v.isAny(Kind::Instance, Kind::Class, Kind::Module)) addKeysOf(v.asObject());
    if (v.isAny(Kind::Instance, Kind::Class)) {
      Object *cls = v.is(Kind::Class) ? v.asObject() : v.asObject()->cls;
      for (Object *base : static_cast<const ClassNode *>(cls->payload)->order) addKeysOf(base);
    }
    for (const std::string &name : ev.registry.memberNames(v.kind())) names.push_back(ev.arena.str(name));
    llvm::sort(names, [](Value a, Value b) { return a.asStr() < b.asStr(); });
    auto same = [](Value a, Value b) { return a.asStr() == b.asStr(); };
    names.erase(std::unique(names.begin(), names.end(), same), names.end());
    return ev.heap.list(std::move(names));
  });
}

} // namespace jx::elab
