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
  struct Entry {
    std::vector<Value> statics;
    std::vector<std::pair<mlir::Type, bool>> types;
    Tree positional;
    std::vector<std::string> keywordNames;
    Traced traced;
    ReadSet reads;
    unsigned insideTransform;
  };
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

Value JitFunction::call(Evaluator &ev, Object *, CallArgs &args) const {
  Tracing &tracing = *ev.tracing;
  // Static arguments, and the leaves of the others.
  std::vector<Value> dynamic, statics, leaves;
  std::vector<std::string> names;
  std::vector<bool> staticPositions;
  for (auto [i, value] : llvm::enumerate(args.positional)) {
    bool fixed = isStatic(i, args.positional.size()) || isStaticByName(i);
    staticPositions.push_back(fixed);
    (fixed ? statics : dynamic).push_back(value);
  }
  for (auto &[name, value] : args.keywords) {
    names.push_back(name.str());
    bool fixed = llvm::is_contained(staticNames, name.str());
    staticPositions.push_back(fixed);
    (fixed ? statics : dynamic).push_back(value);
  }
  Tree tree;
  JX_TRY(arrays, tracing.arrayLeaves(ev.arena.tuple(dynamic), tree, true));
  for (Value leaf : *arrays) {
    if (!leaf.isArray())
      statics.push_back(leaf);
    else
      leaves.push_back(leaf);
  }
  for (Value fixed : statics)
    if (fixed.isAny(Kind::List, Kind::Dict, Kind::Set))
      return ev.fail(DiagKind::StaticUnhashable,
                     "non-hashable static arguments of jit must be hashable; got a value of type '" +
                         ev.typeName(fixed) + "'");
  std::vector<std::pair<mlir::Type, bool>> types;
  for (Value leaf : leaves) types.emplace_back(leaf.asArray().getType(), leaf.isWeak());

  llvm::SmallVector<mlir::Value> operands;
  for (Value leaf : leaves) operands.push_back(leaf.asArray());
  auto finish = [&](const Traced &traced) -> Value {
    llvm::SmallVector<mlir::Value> all = operands;
    all.append(traced.captured.begin(), traced.captured.end());
    for (unsigned i : traced.usedKeys)
      tracing.keys.use(operands[i], ev.builder.getBlock(), ev.userHere(), "the function", nullptr);
    JX_TRY(results, tracing.call(traced.function, all));
    return tracing.applyExtras(traced, *results);
  };
  for (const Entry &entry : entries) {
    bool same = entry.types == types && entry.statics.size() == statics.size() &&
                entry.keywordNames == names && entry.insideTransform == (tracing.depth() > 0) &&
                entry.positional->equals(*tree, ev);
    for (size_t i = 0; same && i < statics.size(); ++i) same = statics[i].identical(entry.statics[i]);
    if (!same) continue;
    ReadSet *outer = ev.heap.reads;
    ev.heap.reads = nullptr;
    same = entry.reads.stillHolds();
    ev.heap.reads = outer;
    if (!same) continue;
    for (ReadSet *set = outer; set; set = set->outer) set->include(entry.reads);
    return finish(entry.traced);
  }

  Entry entry{statics, types, tree, names, {}, {}, tracing.depth() > 0};
  entry.reads.firstNewId = ev.heap.nextObjectId();
  entry.reads.outer = ev.heap.reads;
  ev.heap.reads = &entry.reads;
  TraceBody body;
  body.run = [&](llvm::ArrayRef<Value> arguments) -> std::optional<std::vector<Value>> {
    std::vector<Value> rebuilt;
    size_t next = 0, nextStatic = statics.size();
    for (Value leaf : *arrays) nextStatic -= !leaf.isArray();
    for (Value leaf : *arrays) rebuilt.push_back(leaf.isArray() ? arguments[next++] : statics[nextStatic++]);
    JX_TRY(all, tracing.trees.unflattenAll(*tree, rebuilt));
    const auto &values = Value(all).asTuple().items;
    CallArgs inner;
    size_t d = 0, s = 0, k = 0;
    for (bool fixed : staticPositions) {
      Value value = fixed ? statics[s++] : values[d++];
      if (k++ < args.positional.size())
        inner.positional.push_back(value);
      else
        inner.keywords.emplace_back(args.keywords[k - 1 - args.positional.size()].first, value);
    }
    JX_TRY(result, ev.call(target, inner));
    body.auxiliary = withArrays(ev, result);
    if (!body.auxiliary) return Failed();
    return std::vector<Value>();
  };
  auto traced = tracing.trace(nameOf(ev, target), leaves, body, "jit");
  ev.heap.reads = entry.reads.outer;
  if (!traced) return Failed();
  entry.traced = *traced;
  entry.reads.outer = nullptr;
  if (!traced->writesHeap) entries.push_back(std::move(entry));
  return finish(*traced);
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
