// jit: a callable whose array leaves are arguments of a function of its own, elaborated once for each
// combination of static values, array types and heap slots read.
#include "compiler/elaborate/Callables.h"
#include "llvm/Support/Casting.h"

namespace jx::elab {

namespace {

class JitFunction : public OpaqueObject {
public:
  JitFunction(Value target, std::vector<int64_t> staticNumbers, std::vector<std::string> staticNames)
      : target(target), staticNumbers(std::move(staticNumbers)), staticNames(std::move(staticNames)) {}
  llvm::StringRef typeName() const override { return "PjitFunction"; }
  Value call(Evaluator &ev, Object *self, CallArgs &args) const override;
  void children(std::vector<Value> &held) const override { held.push_back(target); }
  Value getAttr(Evaluator &ev, Object *, llvm::StringRef name) const override {
    if (name == "__wrapped__") return target;
    if (name.starts_with("__")) return ev.findAttr(target, name);
    if (name == "clear_cache")
      return ev.arena.native(name, [](Evaluator &, CallArgs &) { return Value::none(); });
    return {};
  }

private:
  // What the function is elaborated for.
  struct Signature {
    std::vector<Value> statics;                     // static arguments, then leaves that are no arrays
    std::vector<std::pair<mlir::Type, bool>> types; // of the arrays, and whether they are weak
    Tree tree;                                      // of the other arguments
    std::vector<std::string> keywordNames;
    bool insideTransform;
    bool matches(const Signature &other, Evaluator &ev) const;
  };
  struct Entry {
    Signature signature;
    Traced traced;
    ReadSet reads;
  };
  // The arguments of a call: which are static, and the leaves of the others.
  struct Arguments {
    Signature signature;
    std::vector<bool> isStatic;
    std::vector<Value> leaves, arrays; // arrays: those among the leaves
  };
  std::optional<Arguments> deal(Evaluator &ev, const CallArgs &args) const;
  const Entry *find(Evaluator &ev, const Signature &signature) const;
  std::optional<Traced> elaborate(Evaluator &ev, const CallArgs &args, const Arguments &given) const;
  // The arguments of the target, with `arrays` for those of the call.
  std::optional<CallArgs> rebuild(Evaluator &ev, const CallArgs &args, const Arguments &given,
                                  llvm::ArrayRef<Value> arrays) const;
  bool isStatic(size_t number, size_t count) const {
    return llvm::any_of(staticNumbers, [&](int64_t n) {
      return n == int64_t(number) || n + int64_t(count) == int64_t(number);
    });
  }
  // A positional argument whose parameter is among static_argnames.
  bool isStaticByName(size_t number) const {
    if (staticNames.empty() || !target.is(Kind::Function)) return false;
    const auto &params = static_cast<const FunctionNode *>(target.asObject()->payload)->params;
    return number < params.size() && llvm::is_contained(staticNames, std::string(params[number].name.str()));
  }
  Value target;
  std::vector<int64_t> staticNumbers;
  std::vector<std::string> staticNames;
  mutable std::vector<Entry> entries;
};

bool JitFunction::Signature::matches(const Signature &other, Evaluator &ev) const {
  return types == other.types && keywordNames == other.keywordNames &&
         insideTransform == other.insideTransform && tree->equals(*other.tree, ev) &&
         llvm::equal(statics, other.statics, [](Value a, Value b) { return a.identical(b); });
}

std::optional<JitFunction::Arguments> JitFunction::deal(Evaluator &ev, const CallArgs &args) const {
  Arguments given;
  Signature &signature = given.signature;
  signature.insideTransform = ev.tracing->depth() > 0;
  std::vector<Value> dynamic;
  auto add = [&](Value value, bool fixed) {
    given.isStatic.push_back(fixed);
    (fixed ? signature.statics : dynamic).push_back(value);
  };
  for (auto [i, value] : llvm::enumerate(args.positional))
    add(value, isStatic(i, args.positional.size()) || isStaticByName(i));
  for (auto &[name, value] : args.keywords) {
    signature.keywordNames.push_back(name.str());
    add(value, llvm::is_contained(staticNames, name.str()));
  }
  JX_TRY(leaves, ev.tracing->arrayLeaves(ev.arena.tuple(dynamic), signature.tree, true));
  for (Value leaf : *leaves) {
    if (!leaf.isArray()) {
      signature.statics.push_back(leaf);
      continue;
    }
    given.arrays.push_back(leaf);
    signature.types.emplace_back(leaf.asArray().getType(), leaf.isWeak());
  }
  given.leaves = std::move(*leaves);
  for (Value fixed : signature.statics)
    if (fixed.isAny(Kind::List, Kind::Dict, Kind::Set)) {
      (void)ev.fail(DiagKind::StaticUnhashable,
                    "non-hashable static arguments of jit must be hashable; got a value of type '" +
                        ev.typeName(fixed) + "'");
      return Failed();
    }
  return given;
}

// What was elaborated for the signature before, if all that it read of the heap is as it was.
const JitFunction::Entry *JitFunction::find(Evaluator &ev, const Signature &signature) const {
  for (const Entry &entry : entries) {
    if (!entry.signature.matches(signature, ev)) continue;
    ReadSet *outer = ev.heap.reads;
    ev.heap.reads = nullptr;
    bool holds = entry.reads.stillHolds();
    ev.heap.reads = outer;
    if (!holds) continue;
    for (ReadSet *set = outer; set; set = set->outer) set->include(entry.reads);
    return &entry;
  }
  return nullptr;
}

std::optional<CallArgs> JitFunction::rebuild(Evaluator &ev, const CallArgs &args, const Arguments &given,
                                             llvm::ArrayRef<Value> arrays) const {
  std::vector<Value> leaves(given.leaves);
  size_t next = 0;
  for (Value &leaf : leaves)
    if (leaf.isArray()) leaf = arrays[next++];
  JX_TRY(tree, ev.tracing->trees.unflattenAll(*given.signature.tree, leaves));
  const auto &values = tree.asTuple().items;
  CallArgs inner;
  size_t nextStatic = 0, nextValue = 0;
  for (auto [i, fixed] : llvm::enumerate(given.isStatic)) {
    Value value = fixed ? given.signature.statics[nextStatic++] : values[nextValue++];
    if (i < args.positional.size())
      inner.positional.push_back(value);
    else
      inner.keywords.emplace_back(args.keywords[i - args.positional.size()].first, value);
  }
  return inner;
}

std::optional<Traced> JitFunction::elaborate(Evaluator &ev, const CallArgs &args,
                                             const Arguments &given) const {
  Entry entry{given.signature, {}, {}};
  entry.reads.firstNewId = ev.heap.nextObjectId();
  entry.reads.outer = ev.heap.reads;
  ev.heap.reads = &entry.reads;
  TraceBody body;
  body.run = [&](llvm::ArrayRef<Value> arrays) -> std::optional<std::vector<Value>> {
    JX_TRY(inner, rebuild(ev, args, given, arrays));
    JX_TRY(result, ev.call(target, *inner));
    body.auxiliary = withArrays(ev, result);
    if (!body.auxiliary) return Failed();
    return std::vector<Value>();
  };
  auto traced = ev.tracing->trace(nameOf(ev, target), given.arrays, body, "jit");
  ev.heap.reads = entry.reads.outer;
  if (!traced) return Failed();
  entry.traced = *traced;
  entry.reads.outer = nullptr;
  if (!traced->writesHeap) entries.push_back(std::move(entry));
  return traced;
}

Value JitFunction::call(Evaluator &ev, Object *, CallArgs &args) const {
  JX_TRY(given, deal(ev, args));
  const Entry *known = find(ev, given->signature);
  std::optional<Traced> made;
  if (!known) {
    made = elaborate(ev, args, *given);
    if (!made) return Failed();
  }
  const Traced &traced = known ? known->traced : *made;
  llvm::SmallVector<mlir::Value> operands;
  for (Value array : given->arrays) operands.push_back(array.asArray());
  operands.append(traced.captured.begin(), traced.captured.end());
  for (unsigned i : traced.usedKeys)
    ev.tracing->keys.use(operands[i], ev.builder.getBlock(), ev.userHere(), "the function", nullptr);
  JX_TRY(results, ev.tracing->call(traced.function, operands));
  return ev.tracing->applyExtras(traced, *results);
}

std::vector<int64_t> intsOf(Evaluator &ev, Value v) {
  std::vector<int64_t> result;
  if (!v || v.isNone()) return result;
  if (v.isSmallInt()) return {v.asInt()};
  if (auto items = ev.elements(v))
    for (Value item : *items)
      if (item.isSmallInt()) result.push_back(item.asInt());
  return result;
}

// Static arguments are parameters of the function, as far as its signature is known.
Status checkStatics(Evaluator &ev, Value target, llvm::ArrayRef<int64_t> numbers,
                    llvm::ArrayRef<std::string> names) {
  if (!target.is(Kind::Function)) return Status::success();
  const auto &params = static_cast<const FunctionNode *>(target.asObject()->payload)->params;
  auto has = [&](ast::ParamKind kind) {
    return llvm::any_of(params, [&](const ast::Parameter &p) { return p.kind == kind; });
  };
  int64_t positional = llvm::count_if(params, [](const ast::Parameter &p) {
    return p.kind == ast::ParamKind::PositionalOnly || p.kind == ast::ParamKind::PositionalOrKeyword;
  });
  for (int64_t n : numbers)
    if (!has(ast::ParamKind::VarPositional) && (n >= positional || n < -positional))
      return ev.valueError("jit: static_argnums has " + std::to_string(n) +
                           ", but the function accepts only " + std::to_string(positional) +
                           " positional arguments");
  for (const std::string &name : names)
    if (!has(ast::ParamKind::VarKeyword) &&
        llvm::none_of(params, [&](const ast::Parameter &p) { return p.name.str() == name; }))
      return ev.valueError("jit: static_argnames names '" + name + "', which the function does not take");
  return Status::success();
}

Value makeJit(Evaluator &ev, CallArgs &args) {
  Value v[3];
  JX_CHECK(ev.bindNative(args, "jit", {"fun", "static_argnums", "static_argnames"}, 1, v));
  std::vector<std::string> names;
  if (v[2] && v[2].is(Kind::Str))
    names.push_back(v[2].asStr().str());
  else if (v[2] && !v[2].isNone()) {
    JX_TRY(items, ev.elements(v[2]));
    for (Value item : *items) names.push_back(item.asStr().str());
  }
  std::vector<int64_t> numbers = intsOf(ev, v[1]);
  JX_CHECK(checkStatics(ev, v[0], numbers, names));
  return makeOpaque(ev, std::make_shared<JitFunction>(v[0], std::move(numbers), std::move(names)));
}

// The arguments in the order of f's parameters, defaults filled in; `byName` makes a dict of them.
Value bindArgumentsOf(Evaluator &ev, CallArgs &args, bool byName) {
  Value v[3];
  JX_CHECK(ev.bindNative(args, byName ? "bound_arguments" : "bind_arguments", {"f", "args", "kwargs"}, 3, v));
  JX_TRY(bound, callArguments(ev, v[1], v[2]));
  CallArgs &given = *bound;
  Value f = v[0];
  if (f.is(Kind::Method)) {
    given.positional.insert(given.positional.begin(), f.asMethod().self);
    f = f.asMethod().function;
  }
  if (!f.is(Kind::Function)) {
    if (byName) return ev.typeError("the parameters of a '" + ev.typeName(f) + "' object have no names");
    return ev.arena.tuple({given.positional.begin(), given.positional.end()});
  }
  const auto &function = *static_cast<const FunctionNode *>(f.asObject()->payload);
  std::vector<Value> slots(function.scope().locals.size());
  JX_CHECK(ev.bindArguments(function, given, slots));
  if (byName) {
    Object *dict = ev.heap.dict();
    for (size_t i = 0; i < function.params.size(); ++i)
      ev.heap.put(dict, ev.nameStr(function.params[i].name), slots[i]);
    return dict;
  }
  std::vector<Value> result;
  for (size_t i = 0; i < function.params.size(); ++i) {
    if (function.params[i].kind == ast::ParamKind::VarKeyword) continue;
    if (function.params[i].kind == ast::ParamKind::VarPositional) {
      const auto &more = slots[i].asTuple().items;
      result.insert(result.end(), more.begin(), more.end());
    } else {
      result.push_back(slots[i]);
    }
  }
  return ev.arena.tuple(std::move(result));
}

} // namespace

void registerJit(Registry &r) {
  r.function("jx._intrinsics", "jit", makeJit);
  r.function("jx._intrinsics", "bind_arguments",
             [](Evaluator &ev, CallArgs &args) { return bindArgumentsOf(ev, args, false); });
  r.function("jx._intrinsics", "bound_arguments",
             [](Evaluator &ev, CallArgs &args) { return bindArgumentsOf(ev, args, true); });
  r.function("jx._intrinsics", "in_transform",
             [](Evaluator &ev, CallArgs &) { return Value::boolean(ev.inTransform()); });
}

void registerTracing(Registry &r) {
  registerJit(r);
  registerDerivatives(r);
  registerBatching(r);
  registerClosures(r);
  registerControl(r);
}

} // namespace jx::elab
