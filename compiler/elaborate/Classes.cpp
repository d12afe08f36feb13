// Classes: creation, method resolution order, instances, NamedTuple, and the classes of built-in values.
#include "compiler/elaborate/Callable.h"
#include "compiler/elaborate/Containers.h"
#include "compiler/elaborate/Evaluator.h"
#include "compiler/elaborate/Registry.h"

namespace jx::elab {

namespace {

struct BuiltinClass {
  const char *name, *base;
  Kind kind;
};

// In order of definition: a base stands before its subclasses.
constexpr BuiltinClass builtinClasses[] = {
    {"object", nullptr, Kind::Null},
    {"type", "object", Kind::Class},
    {"int", "object", Kind::Int},
    {"bool", "int", Kind::Bool},
    {"float", "object", Kind::Float},
    {"complex", "object", Kind::Complex},
    {"str", "object", Kind::Str},
    {"bytes", "object", Kind::Bytes},
    {"tuple", "object", Kind::Tuple},
    {"list", "object", Kind::List},
    {"dict", "object", Kind::Dict},
    {"set", "object", Kind::Set},
    {"frozenset", "object", Kind::Null},
    {"dict_keys", "object", Kind::Null},
    {"dict_values", "object", Kind::Null},
    {"dict_items", "object", Kind::Null},
    {"range", "object", Kind::Range},
    {"slice", "object", Kind::Slice},
    {"NoneType", "object", Kind::None},
    {"ellipsis", "object", Kind::Ellipsis},
    {"NotImplementedType", "object", Kind::NotImplemented},
    {"function", "object", Kind::Function},
    {"builtin_function_or_method", "object", Kind::Native},
    {"method", "object", Kind::Method},
    {"module", "object", Kind::Module},
    {"generator", "object", Kind::Generator},
    {"iterator", "object", Kind::Iterator},
    {"Array", "object", Kind::Array},
    {"ArrayImpl", "Array", Kind::Array},
    {"dtype", "object", Kind::Dtype},
    {"property", "object", Kind::Null},
    {"staticmethod", "object", Kind::Null},
    {"classmethod", "object", Kind::Null},
    {"super", "object", Kind::Null},
    {"NamedTuple", "tuple", Kind::Null},
    {"TypedDict", "dict", Kind::Null},
    {"Generic", "object", Kind::Null},
    {"Protocol", "object", Kind::Null},
    {"BaseException", "object", Kind::Null},
    {"Exception", "BaseException", Kind::Null},
    {"KeyboardInterrupt", "BaseException", Kind::Null},
    {"SystemExit", "BaseException", Kind::Null},
    {"GeneratorExit", "BaseException", Kind::Null},
    {"ArithmeticError", "Exception", Kind::Null},
    {"ZeroDivisionError", "ArithmeticError", Kind::Null},
    {"OverflowError", "ArithmeticError", Kind::Null},
    {"FloatingPointError", "ArithmeticError", Kind::Null},
    {"AssertionError", "Exception", Kind::Null},
    {"AttributeError", "Exception", Kind::Null},
    {"ImportError", "Exception", Kind::Null},
    {"ModuleNotFoundError", "ImportError", Kind::Null},
    {"LookupError", "Exception", Kind::Null},
    {"IndexError", "LookupError", Kind::Null},
    {"KeyError", "LookupError", Kind::Null},
    {"MemoryError", "Exception", Kind::Null},
    {"NameError", "Exception", Kind::Null},
    {"UnboundLocalError", "NameError", Kind::Null},
    {"OSError", "Exception", Kind::Null},
    {"FileNotFoundError", "OSError", Kind::Null},
    {"PermissionError", "OSError", Kind::Null},
    {"FileExistsError", "OSError", Kind::Null},
    {"IsADirectoryError", "OSError", Kind::Null},
    {"NotADirectoryError", "OSError", Kind::Null},
    {"TimeoutError", "OSError", Kind::Null},
    {"ConnectionError", "OSError", Kind::Null},
    {"InterruptedError", "OSError", Kind::Null},
    {"EOFError", "Exception", Kind::Null},
    {"BufferError", "Exception", Kind::Null},
    {"ReferenceError", "Exception", Kind::Null},
    {"RuntimeError", "Exception", Kind::Null},
    {"NotImplementedError", "RuntimeError", Kind::Null},
    {"RecursionError", "RuntimeError", Kind::Null},
    {"StopIteration", "Exception", Kind::Null},
    {"StopAsyncIteration", "Exception", Kind::Null},
    {"SystemError", "Exception", Kind::Null},
    {"SyntaxError", "Exception", Kind::Null},
    {"IndentationError", "SyntaxError", Kind::Null},
    {"TypeError", "Exception", Kind::Null},
    {"ValueError", "Exception", Kind::Null},
    {"UnicodeError", "ValueError", Kind::Null},
    {"Warning", "Exception", Kind::Null},
    {"UserWarning", "Warning", Kind::Null},
    {"DeprecationWarning", "Warning", Kind::Null},
    {"RuntimeWarning", "Warning", Kind::Null},
    {"FutureWarning", "Warning", Kind::Null},
    {"PendingDeprecationWarning", "Warning", Kind::Null},
    {"SyntaxWarning", "Warning", Kind::Null},
    {"ImportWarning", "Warning", Kind::Null},
    {"UnicodeWarning", "Warning", Kind::Null},
    {"BytesWarning", "Warning", Kind::Null},
    {"ResourceWarning", "Warning", Kind::Null},
};

const ClassNode &nodeOf(const Object *cls) { return *static_cast<const ClassNode *>(cls->payload); }

// The C3 linearisation; empty when the bases have no consistent order.
std::vector<Object *> linearise(Object *cls, const std::vector<Object *> &bases) {
  std::vector<std::vector<Object *>> lists;
  for (Object *base : bases) lists.push_back(nodeOf(base).order);
  lists.push_back(bases);
  std::vector<Object *> order{cls};
  while (true) {
    llvm::erase_if(lists, [](auto &list) { return list.empty(); });
    if (lists.empty()) return order;
    Object *next = nullptr;
    for (auto &list : lists) {
      bool inTail = llvm::any_of(
          lists, [&](auto &other) { return llvm::is_contained(llvm::drop_begin(other), list[0]); });
      if (!inTail) {
        next = list[0];
        break;
      }
    }
    if (!next) return {};
    order.push_back(next);
    for (auto &list : lists)
      if (list[0] == next) list.erase(list.begin());
  }
}

Object *makeClassObject(Evaluator &ev, ClassNode node, Contents contents) {
  Object *cls = ev.heap.create(Kind::Class, std::move(contents));
  node.order = linearise(cls, node.bases);
  if (node.order.empty()) return nullptr;
  for (Object *base : node.bases) node.isException |= nodeOf(base).isException;
  cls->payload = ev.arena.make<ClassNode>(std::move(node));
  return cls;
}

// Names of the fields of a NamedTuple class, in order.
std::vector<Value> fieldsOf(Evaluator &ev, Object *cls) {
  Value fields = ev.lookUpClass(cls, "_fields");
  return fields && fields.is(Kind::Tuple) ? fields.asTuple().items : std::vector<Value>();
}

Value makeNamedTuple(Evaluator &ev, Object *cls, CallArgs &args) {
  std::vector<Value> names = fieldsOf(ev, cls), items(names.size());
  Value defaults = ev.lookUpClass(cls, "_field_defaults");
  std::string what = nodeOf(cls).name + "()";
  if (args.positional.size() > names.size())
    return ev.fail(DiagKind::TooManyArguments, what + " takes " + std::to_string(names.size()) +
                                                   " arguments but " +
                                                   std::to_string(args.positional.size()) + " were given");
  for (auto [i, value] : llvm::enumerate(args.positional)) items[i] = value;
  for (auto &[keyword, value] : args.keywords) {
    auto at = llvm::find_if(names, [&](Value name) { return name.asStr() == keyword; });
    if (at == names.end())
      return ev.fail(DiagKind::UnexpectedKeyword,
                     what + " got an unexpected keyword argument '" + keyword.str() + "'");
    items[at - names.begin()] = value;
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (!items[i] && defaults && defaults.is(Kind::Dict)) items[i] = defaults.asObject()->get(names[i]);
    if (!items[i])
      return ev.fail(DiagKind::BadCall, nodeOf(cls).name +
                                            ".__new__() missing 1 required positional argument: '" +
                                            names[i].asStr().str() + "'");
  }
  return ev.arena.tuple(std::move(items), cls);
}

// Turns annotated names into fields: the class keeps each field's position under its name.
void addNamedTupleFields(Evaluator &ev, Object *cls) {
  std::vector<Value> names;
  Object *defaults = ev.heap.dict();
  if (Value annotations = cls->get(ev.arena.str("__annotations__")))
    names = annotations.asObject()->contents().keys;
  for (size_t i = 0; i < names.size(); ++i) {
    if (Value value = cls->get(names[i])) ev.heap.put(defaults, names[i], value);
    ev.heap.put(cls, names[i], Value::integer(i));
  }
  ev.heap.put(cls, ev.arena.str("_fields"), ev.arena.tuple(names));
  ev.heap.put(cls, ev.arena.str("_field_defaults"), defaults);
  Object *make = ev.heap.create(Kind::Instance);
  make->cls = ev.builtinClass("classmethod");
  ev.heap.put(make, ev.arena.str("__func__"),
              ev.arena.native("_make", [](Evaluator &ev, CallArgs &args) -> Value {
                if (args.positional.size() != 2) return ev.typeError("_make() takes an iterable");
                JX_TRY(items, ev.elements(args.positional[1]));
                return ev.call(args.positional[0], *items);
              }));
  ev.heap.put(cls, ev.arena.str("_make"), make);
}

} // namespace

void Evaluator::createBuiltins() {
  auto *node = arena.make<ModuleNode>();
  node->name = "builtins";
  node->isLibrary = true;
  builtins = heap.create(Kind::Module);
  builtins->payload = node;
  for (const BuiltinClass &row : builtinClasses) {
    ClassNode cls;
    cls.name = cls.qualifiedName = row.name;
    cls.moduleName = "builtins";
    if (row.base) cls.bases = {builtinClass(row.base)};
    cls.builtin = row.kind;
    cls.isException = llvm::StringRef(row.name) == "BaseException";
    Object *object = makeClassObject(*this, std::move(cls), {});
    heap.put(builtins, arena.str(row.name), object);
    builtinTable[row.name] = object;
  }
  for (const char *hidden :
       {"NamedTuple", "TypedDict", "Generic", "Protocol", "Array", "ArrayImpl", "dtype", "function", "module",
        "method", "generator", "iterator", "ellipsis", "NoneType", "NotImplementedType",
        "builtin_function_or_method", "dict_keys", "dict_values", "dict_items"})
    heap.erase(builtins, arena.str(hidden));
  heap.put(builtins, arena.str("Ellipsis"), Value::ellipsis());
  heap.put(builtins, arena.str("NotImplemented"), Value::notImplemented());
  heap.put(builtins, arena.str("IOError"), builtinClass("OSError"));
  if (const auto *entries = registry.moduleEntries("builtins"))
    for (auto &[name, make] : *entries) heap.put(builtins, arena.str(name), make(*this));
}

Object *Evaluator::builtinClass(llvm::StringRef name) const {
  auto found = builtinTable.find(name);
  return found == builtinTable.end() ? nullptr : found->second;
}

Object *Evaluator::classOf(Value v) {
  if (Object *own = userClass(v)) return own;
  switch (v.kind()) {
  case Kind::Host:
    return builtinClass(v.asHost().type == HostType::Int     ? "int"
                        : v.asHost().type == HostType::Float ? "float"
                                                             : "bool");
  case Kind::Text:
    return builtinClass("str");
  case Kind::Array: // of two classes of arrays, jax.Array and the one that is made
    return builtinClass("ArrayImpl");
  default:
    for (const BuiltinClass &row : builtinClasses)
      if (row.kind == v.kind() && v.kind() != Kind::Null) return builtinClass(row.name);
    return builtinClass("object");
  }
}

std::string Evaluator::typeName(Value v) {
  if (v.is(Kind::Opaque)) return static_cast<OpaqueObject *>(v.asObject()->opaque.get())->typeName().str();
  if (v.isArray()) return "Array"; // as programs name it
  return nodeOf(classOf(v)).name;
}

bool Evaluator::isSubclass(const Object *cls, const Object *base) {
  return llvm::is_contained(nodeOf(cls).order, base);
}

bool Evaluator::isInstance(Value v, Object *cls) { return isSubclass(classOf(v), cls); }

Value Evaluator::lookUpClass(Object *cls, llvm::StringRef name) {
  Value key = arena.str(name);
  for (Object *base : nodeOf(cls).order)
    if (Value found = base->get(key)) return found;
  return {};
}

bool Evaluator::isFieldMarker(Object *cls, llvm::StringRef name) {
  return llvm::any_of(fieldsOf(*this, cls), [&](Value field) { return field.asStr() == name; });
}

// The class itself, from its namespace; `cell` is the `__class__` of its methods.
static Value finishClass(Evaluator &ev, ClassNode node, Contents contents, Object *cell, CallArgs &keywords) {
  bool namedTuple = llvm::is_contained(node.bases, ev.builtinClass("NamedTuple"));
  std::string name = node.name;
  Object *cls = makeClassObject(ev, std::move(node), std::move(contents));
  if (!cls)
    return ev.fail(DiagKind::BadBases,
                   "cannot create a consistent method resolution order for the bases of `" + name + "`");
  if (cell) ev.heap.set(cell, 0, cls);
  // Equality by content without a hash to go with it: instances are no keys.
  Value hashName = ev.arena.str("__hash__");
  if (cls->get(ev.arena.str("__eq__")) && !cls->get(hashName)) ev.heap.put(cls, hashName, Value::none());
  if (namedTuple) addNamedTupleFields(ev, cls);
  for (size_t i = 0; i < cls->size(); ++i) {
    Value attribute = cls->at(i);
    if (attribute.is(Kind::Instance) && ev.lookUpClass(attribute.asObject()->cls, "__set_name__")) {
      JX_TRY(done, ev.callDunder(attribute, "__set_name__", {Value(cls), cls->keyAt(i)}));
    }
  }
  for (Object *base : llvm::drop_begin(nodeOf(cls).order)) {
    Value hook = base->get(ev.arena.str("__init_subclass__"));
    if (!hook) continue;
    if (hook.is(Kind::Instance)) hook = hook.asObject()->get(ev.arena.str("__func__"));
    keywords.positional.insert(keywords.positional.begin(), Value(cls));
    JX_TRY(done, ev.call(hook, keywords));
    break;
  }
  return cls;
}

// `type(name, bases, namespace)`.
Value makeClassFrom(Evaluator &ev, Value name, Value bases, Value members) {
  if (!name.is(Kind::Str) || !bases.is(Kind::Tuple) || !members.is(Kind::Dict))
    return ev.typeError("type() takes a name, a tuple of classes and a dict");
  ClassNode node;
  node.name = node.qualifiedName = name.asStr().str();
  node.moduleName = static_cast<const ModuleNode *>(ev.frame->module->payload)->name;
  for (Value base : bases.asTuple().items) {
    if (!base.is(Kind::Class)) return ev.typeError("the bases of a class must be classes");
    node.bases.push_back(base.asObject());
  }
  if (node.bases.empty()) node.bases.push_back(ev.builtinClass("object"));
  for (Object *base : node.bases)
    if (nodeOf(base).builtin != Kind::Null) node.builtin = nodeOf(base).builtin;
  CallArgs none;
  return finishClass(ev, std::move(node), members.asObject()->contents(), nullptr, none);
}

Value Evaluator::makeClass(const ast::ClassDef *def) {
  ClassNode node;
  node.name = def->name.str();
  node.qualifiedName = qualifiedName(node.name);
  node.moduleName = static_cast<const ModuleNode *>(frame->module->payload)->name;
  for (const ast::Expr *expr : def->bases) {
    JX_TRY(base, eval(expr));
    if (!base.is(Kind::Class))
      return fail(DiagKind::BadBases, "the bases of a class must be classes, not '" + typeName(base) + "'");
    if (llvm::StringRef name = nodeOf(base.asObject()).name;
        (name == "Generic" || name == "Protocol") && nodeOf(base.asObject()).moduleName == "builtins")
      continue;
    node.bases.push_back(base.asObject());
  }
  CallArgs keywords;
  for (const ast::Keyword &keyword : def->keywords) {
    JX_TRY(value, eval(keyword.value));
    if (keyword.name.str() == "metaclass") continue;
    keywords.keywords.emplace_back(keyword.name.str(), value);
  }
  if (node.bases.empty()) node.bases.push_back(builtinClass("object"));
  for (Object *base : node.bases)
    if (nodeOf(base).builtin != Kind::Null) node.builtin = nodeOf(base).builtin;

  Object *body = heap.dict(); // the namespace while the body runs
  Object *cell = heap.create(Kind::Frame, {{}, {Value()}});
  heap.put(body, arena.str("__qualname__"), arena.str(node.qualifiedName));
  if (def->docstring) heap.put(body, arena.str("__doc__"), arena.str(def->docstring->value));
  std::vector<Cell> frees;
  for (Name name : def->scope->frees) {
    Cell found{nullptr, 0};
    if (frame->locals->kind == Kind::Frame)
      for (uint32_t i = 0; i < frame->scope->locals.size(); ++i)
        if (frame->scope->locals[i] == name) found = {frame->locals, i};
    for (uint32_t i = 0; !found.frame && i < frame->scope->frees.size(); ++i)
      if (frame->scope->frees[i] == name) found = frame->frees[i];
    frees.push_back(found);
  }
  Frame own{body, def->scope, frame->module, frees, frame->function, frame, here()};
  own.classCell = cell;
  frame = &own;
  Flow flow = run(def->body);
  frame = own.caller;
  if (flow != Flow::Normal) {
    if (flow != Flow::Failed) return unsupported("leaving a class body early");
    return Failed();
  }
  heap.erase(body, arena.str("__qualname__"));
  return finishClass(*this, std::move(node), body->contents(), cell, keywords);
}

Value newObject(Evaluator &ev, Object *cls, CallArgs &args) {
  Kind kind = nodeOf(cls).builtin;
  if (kind == Kind::Tuple) {
    if (args.positional.empty()) return ev.arena.tuple({}, cls);
    JX_TRY(items, ev.elements(args.positional[0]));
    return ev.arena.tuple(std::move(*items), cls);
  }
  bool isContainer = kind == Kind::List || kind == Kind::Dict || kind == Kind::Set;
  Object *object = ev.heap.create(isContainer ? kind : Kind::Instance);
  object->cls = cls;
  if (isContainer) object->attributes = ev.heap.dict();
  for (Object *base : nodeOf(cls).order) {
    bool standsFor = llvm::is_contained({Kind::Int, Kind::Float, Kind::Complex, Kind::Str, Kind::Bytes},
                                        nodeOf(base).builtin) &&
                     nodeOf(base).moduleName == "builtins";
    if (!standsFor) continue;
    JX_TRY(value, (*ev.registry.findConstructor(nodeOf(base).name))(ev, args));
    if (!value.isStaticNumber() && !value.isAny(Kind::Str, Kind::Bytes))
      return ev.unsupported("an instance of a subclass of `" + nodeOf(base).name +
                            "` with a value that is known at run time only");
    object->payload = ev.arena.make<Value>(value);
    break;
  }
  return object;
}

Value Evaluator::instantiate(Object *cls, CallArgs &args) {
  const ClassNode &node = nodeOf(cls);
  bool hasFields = isSubclass(cls, builtinClass("tuple")) && lookUpClass(cls, "_fields");
  if (hasFields && !lookUpClass(cls, "__new__")) return makeNamedTuple(*this, cls, args);
  if (isSubclass(cls, builtinClass("TypedDict"))) return (*registry.findConstructor("dict"))(*this, args);
  if (cls->payload && node.moduleName == "builtins")
    if (const NativeFn *constructor = registry.findConstructor(node.name)) return (*constructor)(*this, args);
  Value instance;
  CallArgs initArgs = args;
  if (Value make = lookUpClass(cls, "__new__")) {
    CallArgs newArgs = args;
    newArgs.positional.insert(newArgs.positional.begin(), Value(cls));
    if (make.is(Kind::Instance)) make = make.asObject()->get(arena.str("__func__"));
    instance = call(make, newArgs);
    if (!instance) return Failed();
    Object *made = userClass(instance);
    if (!made || !isSubclass(made, cls)) return instance;
  } else {
    CallArgs newArgs = args;
    instance = newObject(*this, cls, newArgs);
    if (!instance) return Failed();
  }
  if (node.isException)
    heap.put(instance.asObject(), arena.str("args"),
             arena.tuple({args.positional.begin(), args.positional.end()}));
  if (Value init = lookUpClass(cls, "__init__")) {
    initArgs.positional.insert(initArgs.positional.begin(), instance);
    JX_TRY(done, call(init, initArgs));
  } else if (instance.isAny(Kind::List, Kind::Dict, Kind::Set)) {
    JX_CHECK(fillContainer(*this, instance, initArgs));
  } else if (instance.is(Kind::Instance) && !instance.asObject()->payload && !node.isException &&
             (!args.positional.empty() || !args.keywords.empty()) && !lookUpClass(cls, "__new__")) {
    return fail(DiagKind::TooManyArguments, node.name + "() takes no arguments");
  }
  return instance;
}

} // namespace jx::elab
