// The table of natives.
#include "compiler/elaborate/Registry.h"
#include "compiler/elaborate/Evaluator.h"

namespace jx::elab {

// In CPython's words, which differ by how a native takes its arguments.
static std::string arityMessage(const std::string &owner, const std::string &name, Arity arity,
                                size_t given) {
  std::string count = std::to_string(given);
  if (arity.keywords && arity.most == 0) return name + "() takes no positional arguments";
  if (arity.most == 0) return owner + name + "() takes no arguments (" + count + " given)";
  if (arity.least == 1 && arity.most == 1 && !arity.keywords)
    return owner + name + "() takes exactly one argument (" + count + " given)";
  unsigned bound = given < arity.least ? arity.least : arity.most;
  const char *how = arity.least == arity.most ? "" : given < arity.least ? "at least " : "at most ";
  return name + " expected " + how + std::to_string(bound) + " argument" + (bound == 1 ? "" : "s") +
         ", got " + count;
}

// `fn` behind a check of the number of its arguments. `numObjects` leading ones are not the caller's.
static NativeFn withArity(std::string name, Arity arity, unsigned numObjects, NativeFn fn) {
  return [=, fn = std::move(fn)](Evaluator &ev, CallArgs &args) -> Value {
    size_t given = args.positional.size() - numObjects;
    if (given < arity.least || given > arity.most) {
      std::string owner = numObjects ? ev.typeName(args.positional[0]) + "." : "";
      return ev.fail(given < arity.least ? DiagKind::BadCall : DiagKind::TooManyArguments,
                     arityMessage(owner, name, arity, given));
    }
    if (!arity.keywords && !args.keywords.empty())
      return ev.fail(DiagKind::UnexpectedKeyword, name + "() got an unexpected keyword argument '" +
                                                      args.keywords.front().first.str() + "'");
    return fn(ev, args);
  };
}

void Registry::function(llvm::StringRef module, llvm::StringRef name, Arity arity, NativeFn fn) {
  function(module, name, withArity(name.str(), arity, 0, std::move(fn)));
}

void Registry::constructor(llvm::StringRef className, Arity arity, NativeFn fn) {
  constructor(className, withArity(className.str(), arity, 0, std::move(fn)));
}

void Registry::method(Kind kind, llvm::StringRef name, Arity arity, NativeFn fn) {
  method(kind, name, withArity(name.str(), arity, 1, std::move(fn)));
}

// Of jx._intrinsics, those that take strings with run-time parts. The others need the text: the name of an
// axis, of a dtype or of a flag, which the library passes on from the user.
static bool takesRunTimeText(llvm::StringRef intrinsic) {
  return llvm::is_contained({"print", "check", "load", "save", "file_exists", "file_members", "join_path",
                             "is_array", "is_host", "is_number", "is_static", "is_dtype", "warn"},
                            intrinsic);
}

static NativeFn withStaticText(NativeFn fn) {
  return [fn = std::move(fn)](Evaluator &ev, CallArgs &args) -> Value {
    auto makeStatic = [&](Value &v) {
      if (v.is(Kind::Text)) v = ev.toStatic(v, "a name that the library looks up");
      return bool(v);
    };
    for (Value &v : args.positional)
      if (!makeStatic(v)) return Failed();
    for (auto &[name, v] : args.keywords)
      if (!makeStatic(v)) return Failed();
    return fn(ev, args);
  };
}

void Registry::function(llvm::StringRef module, llvm::StringRef name, NativeFn fn) {
  if (module == "jx._intrinsics" && !takesRunTimeText(name)) fn = withStaticText(std::move(fn));
  constant(module, name,
           [name = name.str(), fn = std::move(fn)](Evaluator &ev) { return ev.arena.native(name, fn); });
}

void Registry::constant(llvm::StringRef module, llvm::StringRef name, Constant make) {
  modules[module][name.str()] = std::move(make);
}

void Registry::method(Kind kind, llvm::StringRef name, NativeFn fn) {
  methods[{kind, name.str()}] = std::move(fn);
}
void Registry::property(Kind kind, llvm::StringRef name, NativeFn fn) {
  properties[{kind, name.str()}] = std::move(fn);
}
void Registry::constructor(llvm::StringRef className, NativeFn fn) {
  constructors[className] = std::move(fn);
}

const std::map<std::string, Registry::Constant> *Registry::moduleEntries(llvm::StringRef module) const {
  auto found = modules.find(module);
  return found == modules.end() ? nullptr : &found->second;
}

static const NativeFn *findMember(const std::map<std::pair<Kind, std::string>, NativeFn> &table, Kind kind,
                                  llvm::StringRef name) {
  auto found = table.find({kind, name.str()});
  return found == table.end() ? nullptr : &found->second;
}

const NativeFn *Registry::findMethod(Kind kind, llvm::StringRef name) const {
  return findMember(methods, kind, name);
}
const NativeFn *Registry::findProperty(Kind kind, llvm::StringRef name) const {
  return findMember(properties, kind, name);
}

const NativeFn *Registry::findConstructor(llvm::StringRef className) const {
  auto found = constructors.find(className);
  return found == constructors.end() ? nullptr : &found->second;
}

std::vector<std::string> Registry::memberNames(Kind kind) const {
  std::vector<std::string> names;
  for (auto *table : {&methods, &properties})
    for (auto &[key, fn] : *table)
      if (key.first == kind) names.push_back(key.second);
  return names;
}

void Registry::classMethod(llvm::StringRef className, llvm::StringRef name, NativeFn fn) {
  classMethods[{className.str(), name.str()}] = std::move(fn);
}

const NativeFn *Registry::findClassMethod(llvm::StringRef className, llvm::StringRef name) const {
  auto found = classMethods.find({className.str(), name.str()});
  return found == classMethods.end() ? nullptr : &found->second;
}

const Registry &Registry::get() {
  static const Registry table = [] {
    Registry r;
    registerNumbers(r);
    registerContainers(r);
    registerIteration(r);
    registerStrings(r);
    registerObjects(r);
    registerDunders(r);
    registerStringFormat(r);
    registerStringCase(r);
    registerStringTables(r);
    registerTyping(r);
    registerIntrinsics(r);
    registerTracing(r);
    registerEffects(r);
    return r;
  }();
  return table;
}

} // namespace jx::elab
