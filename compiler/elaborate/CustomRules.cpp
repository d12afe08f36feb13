// custom_jvp and custom_vjp. A call names its rule; the rule is elaborated when a transform asks for it, from
// the operation's types alone.
//
// A rule may use arrays of the code around the call: variables of enclosing functions, globals. A transform
// asks when the function around the call may be finished, and its values gone. So inside a function that is
// being traced the rule is elaborated at the call already; the arrays that it turns out to use become further
// arguments of the operation, without a derivative, and the rule's functions take them there.
#include "compiler/dialect/JxDialect.h"
#include "compiler/elaborate/Derivatives.h"
#include <set>

namespace jx::elab {

namespace {

// Whether two callables do the same: one object, or closures of the same code over the same values. A rule
// that calls its own function makes new closures each time; without this, each would ask for a rule of its
// own, without end.
bool sameMeaning(Value a, Value b, unsigned depth = 0) {
  constexpr unsigned maxDepth = 8;
  if (!a || !b) return !a && !b;
  if (a.identical(b)) return true;
  if (a.kind() != b.kind() || depth == maxDepth) return false;
  auto all = [&](const std::vector<Value> &x, const std::vector<Value> &y) {
    if (x.size() != y.size()) return false;
    for (size_t i = 0; i < x.size(); ++i)
      if (!sameMeaning(x[i], y[i], depth + 1)) return false;
    return true;
  };
  if (a.is(Kind::Tuple)) return all(a.asTuple().items, b.asTuple().items);
  if (a.is(Kind::List)) return all(a.asObject()->contents().values, b.asObject()->contents().values);
  if (!a.is(Kind::Function)) return false;
  const auto &f = *static_cast<const FunctionNode *>(a.asObject()->payload);
  const auto &g = *static_cast<const FunctionNode *>(b.asObject()->payload);
  if (f.code != g.code) return false;
  auto captured = [](const FunctionNode &function) {
    std::vector<Value> values;
    for (const Cell &cell : function.frees)
      values.push_back(cell.frame ? cell.frame->at(cell.slot) : Value());
    return values;
  };
  return all(captured(f), captured(g)) && all(f.defaults, g.defaults);
}

// Whether a rule uses arrays of the code around it, through the variables and objects that it reaches.
bool reachesArrays(Value v, std::set<const void *> &seen) {
  if (!v) return false;
  if (v.isAny(Kind::Array, Kind::Host, Kind::Segment)) return true;
  if (v.is(Kind::Text)) return !v.asText().operands.empty();
  auto any = [&](const std::vector<Value> &values) {
    return llvm::any_of(values, [&](Value value) { return reachesArrays(value, seen); });
  };
  if (v.is(Kind::Tuple)) return any(v.asTuple().items);
  if (v.is(Kind::Method))
    return reachesArrays(v.asMethod().self, seen) || reachesArrays(v.asMethod().function, seen);
  if (!v.isObject() || v.isAny(Kind::Module, Kind::Class) || !seen.insert(v.asPointer()).second) return false;
  if (v.is(Kind::Function))
    for (const Cell &cell : static_cast<const FunctionNode *>(v.asObject()->payload)->frees)
      if (cell.frame && reachesArrays(cell.frame->at(cell.slot), seen)) return true;
  return any(v.asObject()->contents().values);
}

// What a rule is elaborated for: the operation's arguments and results.
struct Signature {
  llvm::SmallVector<mlir::Type> arguments, results;
  mlir::Location loc;
};

template <typename Op> Signature signatureOf(Op op) {
  return {llvm::SmallVector<mlir::Type>(op.getArgs().getTypes()),
          llvm::SmallVector<mlir::Type>(op->getResultTypes()), op.getLoc()};
}

// Inputs of a rule function: arrays of the given types.
struct RuleInputs {
  std::vector<Value> values;
  std::unique_ptr<mlir::Block> block = std::make_unique<mlir::Block>();
  void add(mlir::Type type, bool weak, mlir::Location loc) {
    values.push_back(Value::array(block->addArgument(type, loc), weak));
  }
};

// The pair that a rule must return.
std::optional<std::vector<Value>> pairOf(Evaluator &ev, Value result, const char *message) {
  auto parts = result.isAny(Kind::Tuple, Kind::List) ? ev.elements(result) : std::nullopt;
  if (parts && parts->size() == 2) return parts;
  if (ev.isPending(Pending::None)) (void)ev.fail(DiagKind::RuleMismatch, message);
  return std::nullopt;
}

// The function of a rule returns what the operation needs, and nothing beside: arrays that the rule writes to
// objects outside of it have no value there.
std::optional<Traced> withoutExtras(Evaluator &ev, std::optional<Traced> traced) {
  if (!traced || traced->numExtraLeaves == 0) return traced;
  mlir::Operation *end = traced->function.getBody().front().getTerminator();
  end->setOperands(end->getOperands().take_front(traced->outputs.size()));
  traced->function.setFunctionType(
      mlir::FunctionType::get(&ev.context, traced->function.getArgumentTypes(), end->getOperandTypes()));
  Value gone = ev.arena.unbound("it is given a value inside a derivative rule");
  for (const Traced::Extra &extra : traced->extras) {
    if (!extra.form.hasLeaves()) continue;
    if (extra.key)
      ev.heap.put(extra.object, extra.key, gone);
    else
      ev.heap.set(extra.object, extra.index, gone);
  }
  return traced;
}

// (primals..., tangents of the differentiable primals...) -> (results..., tangents of the differentiable
// results...). Zero-size stand-ins never reach a rule: tangents of inputs without derivative are zeros of
// their own type.
std::optional<Traced> traceJvp(Tracing &tracing, const Tracing::Rule &rule, const Signature &types) {
  Evaluator &ev = tracing.ev;
  RuleInputs inputs;
  for (auto [i, type] : llvm::enumerate(types.arguments))
    inputs.add(type, i < rule.numLeaves && rule.weak[i], types.loc);
  unsigned numArgs = types.arguments.size();
  for (mlir::Type type : types.arguments)
    if (isDifferentiable(type)) inputs.add(type, false, types.loc);
  TraceBody body;
  body.run = [&](llvm::ArrayRef<Value> arguments) -> std::optional<std::vector<Value>> {
    std::vector<Value> tangents;
    size_t next = numArgs;
    for (unsigned i = 0; i < rule.numLeaves; ++i) {
      bool has = isDifferentiable(arguments[i].asArray().getType());
      mlir::Value tangent = has ? arguments[next++].asArray() : ev.zeroOf(arguments[i].asArray().getType());
      if (!tangent) return Failed();
      tangents.push_back(Value::array(tangent, arguments[i].isWeak()));
    }
    JX_TRY(primalTree, tracing.trees.unflattenAll(*rule.arguments, arguments.take_front(rule.numLeaves)));
    JX_TRY(tangentTree, tracing.trees.unflattenAll(*rule.arguments, tangents));
    JX_TRY(pair, ev.call(rule.jvp, {primalTree, tangentTree}));
    JX_TRY(parts, pairOf(ev, pair, "a custom_jvp rule must return a pair (primal output, tangent output)"));
    std::vector<Value> outputs, tangentLeaves, primalLeaves;
    JX_CHECK(tracing.trees.flattenUpTo(*rule.results, (*parts)[0], primalLeaves));
    JX_CHECK(tracing.trees.flattenUpTo(*rule.results, (*parts)[1], tangentLeaves));
    for (auto [i, leaf] : llvm::enumerate(primalLeaves)) {
      mlir::Value value = tangentLike(ev, leaf, types.results[i], "primal outputs of a custom_jvp rule");
      if (!value) return Failed();
      outputs.push_back(Value::array(value, false));
    }
    // Results beyond the tree are the function's extras, which have no derivative.
    for (auto [i, leaf] : llvm::enumerate(tangentLeaves)) {
      if (!isDifferentiable(types.results[i])) continue;
      mlir::Value value = tangentLike(ev, leaf, types.results[i], "tangent outputs of a custom_jvp rule");
      if (!value) return Failed();
      outputs.push_back(Value::array(value, false));
    }
    return outputs;
  };
  return withoutExtras(ev, tracing.trace(nameOf(ev, rule.jvp), inputs.values, body, "custom_jvp"));
}

// (args...) -> (results..., residuals...). The residuals' form is kept in the rule.
std::optional<Traced> traceForward(Tracing &tracing, Tracing::Rule &rule, const Signature &types) {
  Evaluator &ev = tracing.ev;
  RuleInputs inputs;
  for (auto [i, type] : llvm::enumerate(types.arguments))
    inputs.add(type, i < rule.numLeaves && rule.weak[i], types.loc);
  rule.residualLeaves.clear();
  rule.residualTypes.clear();
  TraceBody body;
  body.run = [&](llvm::ArrayRef<Value> arguments) -> std::optional<std::vector<Value>> {
    JX_TRY(primalTree, tracing.trees.unflattenAll(*rule.arguments, arguments.take_front(rule.numLeaves)));
    JX_TRY(primals, ev.elements(primalTree));
    JX_TRY(pair, ev.call(rule.forward, *primals));
    JX_TRY(parts,
           pairOf(ev, pair, "the fwd rule of custom_vjp must return a pair (primal output, residuals)"));
    std::vector<Value> outputs, leaves;
    JX_CHECK(tracing.trees.flattenUpTo(*rule.results, (*parts)[0], leaves));
    for (auto [i, leaf] : llvm::enumerate(leaves)) {
      mlir::Value value = tangentLike(ev, leaf, types.results[i], "primal outputs of a fwd rule", true);
      if (!value) return Failed();
      outputs.push_back(Value::array(value, false));
    }
    JX_TRY(residuals, tracing.arrayLeaves((*parts)[1], rule.residuals, true));
    for (Value leaf : *residuals) {
      rule.residualLeaves.push_back(leaf);
      if (!leaf.isArray()) continue;
      rule.residualTypes.push_back(leaf.asArray().getType());
      outputs.push_back(leaf);
    }
    return outputs;
  };
  return withoutExtras(ev, tracing.trace(nameOf(ev, rule.forward), inputs.values, body, "custom_vjp"));
}

// (residuals..., cotangents of the differentiable results...) -> cotangents of the differentiable args.
std::optional<Traced> traceBackward(Tracing &tracing, const Tracing::Rule &rule, const Signature &types) {
  Evaluator &ev = tracing.ev;
  RuleInputs inputs;
  for (Value leaf : rule.residualLeaves)
    if (leaf.isArray()) inputs.add(rule.residualTypes[inputs.values.size()], leaf.isWeak(), types.loc);
  unsigned numResiduals = inputs.values.size();
  for (mlir::Type type : types.results)
    if (isDifferentiable(type)) inputs.add(type, false, types.loc);
  TraceBody body;
  body.run = [&](llvm::ArrayRef<Value> arguments) -> std::optional<std::vector<Value>> {
    std::vector<Value> residuals, cotangents;
    size_t next = 0;
    for (Value leaf : rule.residualLeaves) residuals.push_back(leaf.isArray() ? arguments[next++] : leaf);
    next = numResiduals;
    for (size_t i = 0; i < rule.results->leaves(); ++i) {
      mlir::Type type = types.results[i];
      mlir::Value ct = isDifferentiable(type) ? arguments[next++].asArray() : ev.zeroOf(type);
      if (!ct) return Failed();
      cotangents.push_back(Value::array(ct, false));
    }
    JX_TRY(residualTree, tracing.trees.unflattenAll(*rule.residuals, residuals));
    JX_TRY(cotangentTree, tracing.trees.unflattenAll(*rule.results, cotangents));
    JX_TRY(answer, ev.call(rule.backward, {residualTree, cotangentTree}));
    JX_TRY(parts, ev.elements(answer));
    if (parts->size() != rule.arguments->children.size()) {
      (void)ev.fail(DiagKind::RuleMismatch,
                    "the bwd rule of custom_vjp must return one cotangent an argument: " +
                        std::to_string(rule.arguments->children.size()) + " are needed, " +
                        std::to_string(parts->size()) + " were returned");
      return Failed();
    }
    std::vector<Value> outputs;
    unsigned argument = 0;
    for (size_t k = 0; k < parts->size(); ++k) {
      std::vector<Value> leaves;
      size_t count = rule.arguments->children[k]->leaves();
      if ((*parts)[k].isNone())
        leaves.assign(count, Value::none()); // None stands for zeros
      else
        JX_CHECK(tracing.trees.flattenUpTo(*rule.arguments->children[k], (*parts)[k], leaves));
      for (Value leaf : leaves) {
        mlir::Type type = types.arguments[argument++];
        if (!isDifferentiable(type)) continue;
        mlir::Value value =
            leaf.isNone() ? ev.zeroOf(type) : tangentLike(ev, leaf, type, "cotangents of a bwd rule", true);
        if (!value) return Failed();
        outputs.push_back(Value::array(value, false));
      }
    }
    for (mlir::Type captured : llvm::ArrayRef<mlir::Type>(types.arguments).drop_front(argument)) {
      if (!isDifferentiable(captured)) continue;
      mlir::Value zero = ev.zeroOf(captured);
      if (!zero) return Failed();
      outputs.push_back(Value::array(zero, false));
    }
    return outputs;
  };
  return withoutExtras(ev, tracing.trace(nameOf(ev, rule.backward), inputs.values, body, "custom_vjp"));
}

// --- Arrays of the code around
// -----------------------------------------------------------------------------------

// Gives a function new arguments: each is an old one, by number, or a new one of a type that nothing uses.
using NewArgument = std::pair<std::optional<unsigned>, mlir::Type>;
void setArguments(mlir::func::FuncOp function, llvm::ArrayRef<NewArgument> arguments) {
  mlir::Block &block = function.getBody().front();
  unsigned numOld = block.getNumArguments();
  for (auto &[old, type] : arguments) {
    mlir::BlockArgument made =
        block.addArgument(old ? block.getArgument(*old).getType() : type, function.getLoc());
    if (old) block.getArgument(*old).replaceAllUsesWith(made);
  }
  block.eraseArguments(0, numOld);
  mlir::Operation *end = block.getTerminator();
  function.setFunctionType(
      mlir::FunctionType::get(function.getContext(), block.getArgumentTypes(), end->getOperandTypes()));
}

// Elaborates a rule at its call and finds the arrays of the code around that it uses.
class RuleLifter {
public:
  RuleLifter(Tracing &tracing, unsigned number, Signature types)
      : tracing(tracing), ev(tracing.ev), number(number), types(std::move(types)) {}

  // A rule that cannot be elaborated is an error only where a transform asks for it.
  void run() {
    // A rule that calls its own function needs to know what it passes on: it is elaborated once to find that
    // out.
    constexpr unsigned passes = 2;
    for (unsigned pass = 0; pass < passes; ++pass) {
      Heap::Speculation speculation(ev.heap);
      auto mark = ev.sink.begin();
      Frame *frame = ev.frame;
      unsigned depth = ev.depth;
      Tracing::Rule made = rule();
      ++tracing.lifting;
      rule().state = Tracing::Rule::BeingElaborated;
      rule().callsItself = false;
      bool ok = trace(made);
      bool again = ok && rule().callsItself && !outer.empty() && pass + 1 < passes;
      bool keep = ok && !again && (!outer.empty() || speculation.changes().empty());
      rule().state = Tracing::Rule::Ready;
      --tracing.lifting;
      ev.frame = frame;
      ev.depth = depth;
      if (keep) {
        // What the rule does to objects happens when the program is differentiated, if it is.
        speculation.rollback();
        ev.sink.commit(mark);
        liftInto(made);
        return;
      }
      speculation.rollback();
      ev.sink.rollback(mark);
      if (!ok) rule().failure = ev.pending();
      ev.pending() = {};
      if (!again) return;
      rule().outer = outer;
    }
  }

private:
  Tracing::Rule &rule() { return tracing.rules[number]; }

  bool trace(Tracing::Rule &made) {
    outer.clear();
    auto add = [&](const Traced &traced) {
      for (mlir::Value value : traced.captured)
        if (!llvm::is_contained(outer, value)) outer.push_back(value);
    };
    if (made.jvp) {
      jvp = traceJvp(tracing, made, types);
      if (jvp) add(*jvp);
      return jvp.has_value();
    }
    forward = traceForward(tracing, made, types);
    if (!forward) return false;
    add(*forward);
    backward = traceBackward(tracing, made, types);
    if (backward) add(*backward);
    return backward.has_value();
  }

  // The captured arrays of a function, its last arguments, move behind the operation's other arguments.
  void liftInto(Tracing::Rule made) {
    auto old = [](unsigned k) { return NewArgument{k, mlir::Type()}; };
    auto outerArguments = [&](const Traced &traced, llvm::SmallVectorImpl<NewArgument> &out) {
      unsigned first = mlir::func::FuncOp(traced.function).getNumArguments() - traced.captured.size();
      for (mlir::Value value : outer) {
        auto *at = llvm::find(traced.captured, value).base();
        bool used = at != traced.captured.data() + traced.captured.size();
        out.push_back(used ? old(first + static_cast<unsigned>(at - traced.captured.data()))
                           : NewArgument{std::nullopt, value.getType()});
      }
    };
    unsigned numArgs = types.arguments.size();
    made.outer = outer;
    if (jvp) {
      llvm::SmallVector<NewArgument> arguments;
      for (unsigned k = 0; k < numArgs; ++k) arguments.push_back(old(k));
      outerArguments(*jvp, arguments);
      unsigned tangent = numArgs;
      for (mlir::Type type : types.arguments)
        if (isDifferentiable(type)) arguments.push_back(old(tangent++));
      for (mlir::Value value : outer)
        if (isDifferentiable(value.getType())) arguments.push_back({std::nullopt, value.getType()});
      setArguments(jvp->function, arguments);
      made.jvpFunction = jvp->function;
    } else {
      // What the backward rule uses is handed on as residuals.
      llvm::SmallVector<NewArgument> arguments;
      for (unsigned k = 0; k < numArgs; ++k) arguments.push_back(old(k));
      outerArguments(*forward, arguments);
      setArguments(forward->function, arguments);
      mlir::Block &block = forward->function.getBody().front();
      llvm::SmallVector<mlir::Value> results(block.getTerminator()->getOperands());
      llvm::append_range(results, block.getArguments().drop_front(numArgs));
      block.getTerminator()->setOperands(results);
      forward->function.setFunctionType(mlir::FunctionType::get(&ev.context, block.getArgumentTypes(),
                                                                mlir::ValueRange(results).getTypes()));

      llvm::SmallVector<NewArgument> backwardArguments;
      unsigned numResiduals = llvm::count_if(made.residualLeaves, [](Value v) { return v.isArray(); });
      unsigned numInputs = backward->function.getNumArguments() - backward->captured.size();
      for (unsigned k = 0; k < numResiduals; ++k) backwardArguments.push_back(old(k));
      outerArguments(*backward, backwardArguments);
      for (unsigned k = numResiduals; k < numInputs; ++k) backwardArguments.push_back(old(k));
      setArguments(backward->function, backwardArguments);
      addZeroCotangents(backward->function);
      made.forwardFunction = forward->function;
      made.backwardFunction = backward->function;
    }
    rule() = std::move(made);
  }

  // The arrays of the code around are arguments without a derivative.
  void addZeroCotangents(mlir::func::FuncOp function) {
    mlir::Operation *end = function.getBody().front().getTerminator();
    mlir::OpBuilder::InsertionGuard guard(ev.builder);
    ev.builder.setInsertionPoint(end);
    llvm::SmallVector<mlir::Value> results(end->getOperands());
    for (mlir::Value value : outer)
      if (isDifferentiable(value.getType())) results.push_back(ev.zeroOf(value.getType()));
    end->setOperands(results);
    function.setFunctionType(mlir::FunctionType::get(&ev.context, function.getArgumentTypes(),
                                                     mlir::ValueRange(results).getTypes()));
  }

  Tracing &tracing;
  Evaluator &ev;
  unsigned number;
  Signature types;
  std::vector<mlir::Value> outer;
  std::optional<Traced> jvp, forward, backward;
};

// --- The call
// ----------------------------------------------------------------------------------------------------

// A rule that is elaborated later may not use values that are gone by then.
void refuseOuterArrays(Evaluator &ev, Tracing::Rule &rule) {
  std::set<const void *> seen;
  for (Value part : {rule.jvp, rule.forward, rule.backward})
    if (reachesArrays(part, seen)) {
      (void)ev.unsupported(
          "a derivative rule within rules of other functions that uses arrays of the code around it");
      rule.failure = ev.pending();
      ev.pending() = {};
      return;
    }
}

bool isSameRule(Evaluator &ev, const Tracing::Rule &a, const Tracing::Rule &b) {
  return a.types == b.types && a.weak == b.weak && a.arguments->equals(*b.arguments, ev) &&
         sameMeaning(a.jvp, b.jvp) && sameMeaning(a.forward, b.forward) &&
         sameMeaning(a.backward, b.backward);
}

Value customCall(Evaluator &ev, CallArgs &args, bool isVjp) {
  Value v[4];
  if (isVjp)
    JX_CHECK(ev.bindNative(args, "custom_vjp_call", {"f", "fwd", "bwd", "args"}, 4, v));
  else
    JX_CHECK(ev.bindNative(args, "custom_jvp_call", {"f", "rule", "args"}, 3, v));
  Tracing &tracing = *ev.tracing;
  Value primals = isVjp ? v[3] : v[2];
  JX_TRY(target, traceTarget(ev, v[0], primals, false, isVjp ? "custom_vjp" : "custom_jvp"));
  Tracing::Rule rule;
  if (isVjp)
    rule.forward = v[1], rule.backward = v[2];
  else
    rule.jvp = v[1];
  rule.arguments = target->primals;
  rule.results = target->results;
  rule.numLeaves = target->leaves.size();
  for (Value leaf : target->leaves) {
    rule.weak.push_back(leaf.isWeak());
    rule.types.push_back(leaf.asArray().getType());
  }
  Signature types{rule.types, {}, ev.location()};
  for (mlir::Value value : target->traced.captured) types.arguments.push_back(value.getType());
  mlir::func::FuncOp function = target->traced.function;
  llvm::append_range(types.results, function.getFunctionType().getResults());

  // Calls share a rule that uses no arrays of the code around; what others use may be another value by now.
  unsigned number = 0;
  for (; number < tracing.rules.size(); ++number) {
    Tracing::Rule &known = tracing.rules[number];
    bool open = known.state == Tracing::Rule::BeingElaborated;
    if ((!open && !known.outer.empty()) || !isSameRule(ev, known, rule)) continue;
    known.callsItself |= open;
    break;
  }
  if (number == tracing.rules.size()) {
    tracing.rules.push_back(std::move(rule));
    // Rules of calls in rules of calls are left until they are asked for: some have no end.
    constexpr unsigned deepest = 2;
    if (tracing.isTracing() && tracing.lifting < deepest)
      RuleLifter(tracing, number, types).run();
    else if (tracing.isTracing())
      refuseOuterArrays(ev, tracing.rules[number]);
  }
  // Values that stand for arrays of the code around.
  llvm::SmallVector<mlir::Value> operands = target->operands();
  const std::vector<mlir::Value> outer = tracing.rules[number].outer;
  llvm::SmallVector<NewArgument> arguments;
  for (unsigned k = 0; k < function.getNumArguments(); ++k) arguments.push_back({k, mlir::Type()});
  for (mlir::Value value : outer) {
    arguments.push_back({std::nullopt, value.getType()});
    operands.push_back(value);
  }
  if (!outer.empty()) setArguments(function, arguments);
  JX_TRY(results,
         tracing.call(function, operands, isVjp ? "jx.custom_vjp" : "jx.custom_jvp",
                      ev.builder.getNamedAttr("rule", ev.builder.getStringAttr(std::to_string(number)))));
  llvm::ArrayRef<mlir::Value> all = *results;
  JX_TRY(out, outputsOf(ev, *target, all.take_front(target->numOutputs())));
  JX_TRY(aux, tracing.applyExtras(target->traced, all.drop_front(target->numOutputs())));
  return out;
}

// The rule that an operation names; null after an error. Its elaboration at the call may have failed.
Tracing::Rule *ruleOf(Tracing &tracing, llvm::StringRef number) {
  unsigned id;
  if (number.getAsInteger(10, id) || id >= tracing.rules.size()) return nullptr;
  Tracing::Rule &rule = tracing.rules[id];
  if (rule.failure.reason == Pending::None) return &rule;
  tracing.ev.pending() = rule.failure;
  return nullptr;
}

// A function made when a transform asks, which has the operation's arguments only.
mlir::func::FuncOp closedFunction(Tracing &tracing, const std::optional<Traced> &traced) {
  if (!traced) return {};
  if (traced->captured.empty()) return traced->function;
  (void)tracing.ev.unsupported(
      "a derivative rule that uses arrays which did not exist when its function was called");
  return {};
}

// A function of the rule that an operation names: made when a transform first asks for it, and kept there.
mlir::FailureOr<mlir::func::FuncOp>
madeOnce(Tracing &tracing, llvm::StringRef number, mlir::func::FuncOp Tracing::Rule::*kept,
         llvm::function_ref<std::optional<Traced>(Tracing::Rule &)> make) {
  Tracing::Rule *rule = ruleOf(tracing, number);
  if (!rule) return mlir::failure();
  if (rule->*kept) return rule->*kept;
  size_t at = rule - tracing.rules.data();
  Tracing::Rule copy = *rule; // elaboration may add rules
  mlir::func::FuncOp made = closedFunction(tracing, make(copy));
  if (!made) return mlir::failure();
  tracing.rules[at].residuals = copy.residuals;
  tracing.rules[at].residualLeaves = copy.residualLeaves;
  tracing.rules[at].residualTypes = copy.residualTypes;
  return tracing.rules[at].*kept = made;
}

} // namespace

mlir::FailureOr<mlir::func::FuncOp> Tracing::getJvp(CustomJvpOp op) {
  return madeOnce(*this, op.getRule(), &Rule::jvpFunction,
                  [&](Rule &rule) { return traceJvp(*this, rule, signatureOf(op)); });
}

mlir::FailureOr<mlir::func::FuncOp> Tracing::getForward(CustomVjpOp op) {
  return madeOnce(*this, op.getRule(), &Rule::forwardFunction,
                  [&](Rule &rule) { return traceForward(*this, rule, signatureOf(op)); });
}

mlir::FailureOr<mlir::func::FuncOp> Tracing::getBackward(CustomVjpOp op) {
  // The forward rule says what the residuals are.
  if (mlir::failed(getForward(op))) return mlir::failure();
  return madeOnce(*this, op.getRule(), &Rule::backwardFunction,
                  [&](Rule &rule) { return traceBackward(*this, rule, signatureOf(op)); });
}

void registerCustomRules(Registry &r) {
  r.function("jx._intrinsics", "custom_jvp_call",
             [](Evaluator &ev, CallArgs &args) { return customCall(ev, args, false); });
  r.function("jx._intrinsics", "custom_vjp_call",
             [](Evaluator &ev, CallArgs &args) { return customCall(ev, args, true); });
}

} // namespace jx::elab
