// The methods of `object`, which every class inherits: found last, as functions whose first argument is the
// object. They do not ask the class of the object again.
#include "compiler/elaborate/Attributes.h"
#include "compiler/elaborate/Containers.h"
#include "llvm/ADT/StringMap.h"

namespace jx::elab {

namespace {

Failed noAttribute(Evaluator &ev, Value object, Value name) {
  return ev.raise("AttributeError",
                  "'" + ev.typeName(object) + "' object has no attribute '" + name.asStr().str() + "'");
}

Value newInstance(Evaluator &ev, CallArgs &args) {
  if (args.positional.empty() || !args.positional[0].is(Kind::Class))
    return ev.typeError("object.__new__(X): X is not a type object");
  Object *cls = args.positional[0].asObject();
  args.positional.erase(args.positional.begin());
  return newObject(ev, cls, args);
}

Value getAttribute(Evaluator &ev, CallArgs &args) {
  Value object = args.positional[0], name = args.positional[1];
  if (!name.is(Kind::Str)) return ev.typeError("attribute name must be string");
  if (!object.is(Kind::Instance)) return ev.getAttr(object, name.asStr());
  Value found = plainAttr(ev, object, name.asStr());
  return found || !ev.isPending(Pending::None) ? found : Value(noAttribute(ev, object, name));
}

Value setAttribute(Evaluator &ev, CallArgs &args) {
  if (!args.positional[0].is(Kind::Instance) || !args.positional[1].is(Kind::Str))
    return ev.typeError("can't apply this __setattr__ to " + ev.typeName(args.positional[0]) + " object");
  JX_CHECK(setPlainAttr(ev, args.positional[0], args.positional[1].asStr(), args.positional[2]));
  return Value::none();
}

Value deleteAttribute(Evaluator &ev, CallArgs &args) {
  if (!args.positional[0].is(Kind::Instance) || !args.positional[1].is(Kind::Str))
    return ev.typeError("can't apply this __delattr__ to " + ev.typeName(args.positional[0]) + " object");
  JX_CHECK(deletePlainAttr(ev, args.positional[0], args.positional[1].asStr()));
  return Value::none();
}

// An exception keeps what it was made from.
Value initialise(Evaluator &ev, CallArgs &args) {
  Value self = args.positional[0];
  if (self.is(Kind::Instance) && ev.isInstance(self, ev.builtinClass("BaseException")))
    ev.heap.put(self.asObject(), ev.arena.str("args"),
                ev.arena.tuple({args.positional.begin() + 1, args.positional.end()}));
  return Value::none();
}

Value isItself(Evaluator &, CallArgs &args) {
  bool same = args.positional[0].identical(args.positional[1]);
  return same ? Value::boolean(true) : Value::notImplemented();
}

Value isUnequal(Evaluator &ev, CallArgs &args) {
  JX_TRY(same, ev.isEqual(args.positional[0], args.positional[1]));
  return ev.unary(ast::UnaryOp::Not, same);
}

Value hashById(Evaluator &ev, CallArgs &args) {
  Value self = args.positional[0];
  if (!self.is(Kind::Instance)) {
    JX_TRY(hash, hashOf(ev, self));
    return Value::integer(*hash);
  }
  return Value::integer(static_cast<int64_t>(self.keyHash() >> 2));
}

Value representation(Evaluator &ev, CallArgs &args) {
  return args.positional[0].is(Kind::Instance) ? plainText(ev, args.positional[0], false)
                                               : ev.repr(args.positional[0]);
}

Value string(Evaluator &ev, CallArgs &args) {
  Value self = args.positional[0];
  bool isError = self.is(Kind::Instance) && ev.isInstance(self, ev.builtinClass("BaseException"));
  return isError ? plainText(ev, self, true) : ev.repr(self);
}

Value formatted(Evaluator &ev, CallArgs &args) { return ev.format(args.positional[0], args.positional[1]); }

Value nothing(Evaluator &, CallArgs &) { return Value::none(); }

struct Row {
  size_t arguments; // beside the object
  bool variadic;
  NativeFn fn;
};

} // namespace

Value exceptionAttr(Evaluator &ev, Value instance, llvm::StringRef name) {
  auto isA = [&](const char *cls) { return ev.isInstance(instance, ev.builtinClass(cls)); };
  if (!isA("BaseException")) return {};
  Object *self = instance.asObject();
  Value given = self->get(ev.arena.str("args"));
  auto argument = [&](size_t i) {
    return given && given.is(Kind::Tuple) && i < given.asTuple().items.size() ? given.asTuple().items[i]
                                                                              : Value::none();
  };
  if (name == "__cause__" || name == "__context__" || name == "__traceback__") return Value::none();
  if (name == "__suppress_context__") return Value::boolean(bool(self->get(ev.arena.str("__cause__"))));
  if (name == "value" && isA("StopIteration")) return argument(0);
  if (name == "code" && isA("SystemExit")) return argument(0);
  if (isA("OSError")) { // OSError(number, text, file)
    bool isSystem = given && given.is(Kind::Tuple) && given.asTuple().items.size() >= 2;
    if (name == "errno") return isSystem ? argument(0) : Value::none();
    if (name == "strerror") return isSystem ? argument(1) : Value::none();
    if (name == "filename") return isSystem ? argument(2) : Value::none();
  }
  if (name == "with_traceback")
    return ev.arena.native(name, [instance](Evaluator &, CallArgs &) { return instance; });
  if (name == "add_note")
    return ev.arena.native(name, [self](Evaluator &ev, CallArgs &args) -> Value {
      if (args.positional.size() != 1 || !args.positional[0].is(Kind::Str))
        return ev.typeError("note must be a str");
      Value notes = self->get(ev.arena.str("__notes__"));
      if (!notes) ev.heap.put(self, ev.arena.str("__notes__"), notes = ev.heap.list({}));
      ev.heap.append(notes.asObject(), args.positional[0]);
      return Value::none();
    });
  return {};
}

Value objectMethod(Evaluator &ev, llvm::StringRef name) {
  static const llvm::StringMap<Row> table = {
      {"__new__", {0, true, newInstance}},       {"__init__", {0, true, initialise}},
      {"__init_subclass__", {0, true, nothing}}, {"__getattribute__", {1, false, getAttribute}},
      {"__setattr__", {2, false, setAttribute}}, {"__delattr__", {1, false, deleteAttribute}},
      {"__eq__", {1, false, isItself}},          {"__ne__", {1, false, isUnequal}},
      {"__hash__", {0, false, hashById}},        {"__repr__", {0, false, representation}},
      {"__str__", {0, false, string}},           {"__format__", {1, false, formatted}},
  };
  auto found = table.find(name);
  if (found == table.end()) return {};
  const Row &row = found->second;
  return ev.arena.native(name, [&row, text = name.str()](Evaluator &ev, CallArgs &args) -> Value {
    size_t given = args.positional.size();
    if (!row.variadic && given != row.arguments + 1)
      return ev.typeError("expected " + std::to_string(row.arguments) + " argument" +
                          (row.arguments == 1 ? "" : "s") + ", got " + std::to_string(given ? given - 1 : 0));
    if (row.variadic && given == 0) return ev.typeError("descriptor '" + text + "' needs an argument");
    return row.fn(ev, args);
  });
}

} // namespace jx::elab
