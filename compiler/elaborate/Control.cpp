// Loops and branches of jax.lax, over the same machinery as Python's.
#include "compiler/dialect/JxDialect.h"
#include "compiler/elaborate/Branches.h"
#include "compiler/elaborate/Callables.h"
#include "compiler/elaborate/Loops.h"
#include "compiler/elaborate/Raises.h"

namespace jx::elab {

namespace {

// While the body of a loop or branch of jax.lax is elaborated.
struct TracedBody {
  TracedBody(Evaluator &ev) : tracing(*ev.tracing), tries(ev) { ++tracing.bodies; }
  ~TracedBody() { --tracing.bodies; }
  Tracing &tracing;
  UnreachableTries tries;
};

// Whether the value of one trip (or branch) can stand for that of another: the same structure, and at each
// leaf the same shape and dtype; where `weakMayChange`, a weak dtype of the first may be promoted to the
// second's. `first` and `second` say what they are.
Status checkSame(Evaluator &ev, Value before, Value after, const std::string &first,
                 const std::string &second, bool weakMayChange, const std::string &rule, DiagKind kind) {
  Pytrees &trees = ev.tracing->trees;
  std::vector<Value> was, is;
  Tree wanted = trees.flatten(before, was), given = wanted ? trees.flatten(after, is) : nullptr;
  if (!given) return Failed();
  if (!wanted->equals(*given, ev))
    return ev.fail(kind, rule + " must have the same pytree structure, but they differ: " + first +
                             " has the structure " + trees.text(*wanted, false) + " and " + second + " has " +
                             trees.text(*given, false));
  for (size_t i = 0; i < was.size(); ++i) {
    if (!was[i].isArray() || !is[i].isArray()) continue;
    auto from = was[i].arrayType(), to = is[i].arrayType();
    bool shapes = from.getShape() != to.getShape();
    auto isPromoted = [&] {
      return weakMayChange && was[i].isWeak() && !isKeyDtype(to.getElementType()) &&
             ev.promotion.promote({{from.getElementType(), true}, {to.getElementType(), is[i].isWeak()}})
                     .dtype == to.getElementType();
    };
    bool dtypes = from.getElementType() != to.getElementType() && !isPromoted();
    if (shapes || dtypes)
      return ev.fail(kind, rule + " must have equal types, but they differ: " +
                               trees.pathText(*wanted, i, first) + " has type `" + typeText(from) +
                               "` but the corresponding part of " + second + " has type `" + typeText(to) +
                               "`, so the " + (shapes ? "shapes" : "dtypes") + " do not match");
  }
  return Status::success();
}

// The weak flags of a tree's leaves.
std::vector<bool> weakFlags(Evaluator &ev, Value tree) {
  std::vector<Value> leaves;
  std::vector<bool> flags;
  if (ev.tracing->trees.flatten(tree, leaves))
    for (Value leaf : leaves) flags.push_back(leaf.isArray() && leaf.isWeak());
  return flags;
}

// A tree with other weak flags.
Value withWeakFlags(Evaluator &ev, Value tree, const std::vector<bool> &flags) {
  std::vector<Value> leaves;
  Tree form = ev.tracing->trees.flatten(tree, leaves);
  if (!form) return Failed();
  for (auto [leaf, isWeak] : llvm::zip_equal(leaves, flags))
    if (leaf.isArray() && leaf.isWeak() != isWeak) leaf = Value::array(leaf.asArray(), isWeak);
  return ev.tracing->trees.unflattenAll(*form, leaves);
}

// What a carry is weak at. As in JAX, the body is given the flags of what the loop starts with, and those
// that the body returns are the result's.
class CarryFlags {
public:
  // The carry that goes into the next trip; null if it does not go with `before`.
  Value next(Evaluator &ev, Value before, Value after, const std::string &loop) {
    JX_CHECK(checkSame(ev, before, after, "the input carry", "the output carry", /*weakMayChange=*/true,
                       loop + " body function: carry input and carry output", DiagKind::CarryChanges));
    returned = weakFlags(ev, after);
    std::vector<Value> was, is;
    if (!ev.tracing->trees.flatten(before, was) || !ev.tracing->trees.flatten(after, is)) return Failed();
    std::vector<bool> flags(is.size());
    for (size_t i = 0; i < is.size(); ++i) // what is promoted is strong
      flags[i] = was[i].isArray() && is[i].isArray() && was[i].isWeak() &&
                 was[i].arrayType().getElementType() == is[i].arrayType().getElementType();
    return withWeakFlags(ev, after, flags);
  }
  // The carry after the loop.
  Value last(Evaluator &ev, Value carry) { return withWeakFlags(ev, carry, returned); }

private:
  std::vector<bool> returned;
};

Failed loopFailure(Evaluator &ev, LoopCompiler &compiler, LoopResult result, const char *what) {
  if (result == LoopResult::Failed) return {};
  if (result == LoopResult::NotStatic) {
    ev.pending() = compiler.demanded;
    return {};
  }
  return ev.fail(DiagKind::CarryChanges,
                 std::string("the carry of `") + what +
                     "` must keep its structure, shapes and dtypes: " + compiler.reason);
}

// for_loop(trips, body, init, xs=None, reverse=False, name="scan"): body(i, carry, x) -> (carry, y).
Value forLoop(Evaluator &ev, CallArgs &args) {
  Value v[6];
  JX_CHECK(ev.bindNative(args, "for_loop", {"trips", "body", "init", "xs", "reverse", "name"}, 3, v));
  std::string name = v[5] ? v[5].asStr().str() : "scan";
  Tracing &tracing = *ev.tracing;
  Value trips = v[0];
  if (trips.isArray()) {
    trips = ev.makeHost(ev.convert(ev.reshapeToScalar(trips.asArray()), ev.builder.getI64Type()),
                        HostType::Int, {}, {}, {ev.dataSymbol(trips)});
    if (!trips) return Failed();
  }
  if (trips.isSmallInt() && trips.asInt() < 0) trips = Value::integer(0);
  if (trips.isHost()) trips = ev.hostMax(trips, 0);
  Tree xsTree;
  std::vector<Value> xs;
  if (v[3] && !v[3].isNone()) {
    JX_TRY(leaves, tracing.arrayLeaves(v[3], xsTree));
    xs = std::move(*leaves);
  }
  JX_TRY(init, withArrays(ev, v[2]));
  enum { Carry, Outputs };
  Object *state = ev.heap.create(Kind::Frame, {{}, {init, Value()}});
  Object *outputs = ev.heap.list({});
  CarryFlags flags;
  LoopSpec spec;
  spec.node = ev.node;
  spec.trips = trips;
  spec.xs = xs;
  spec.reverse = v[4] && ev.truth(v[4]) == Truth::True;
  spec.outputs = {outputs};
  spec.body = [&](Value index, llvm::ArrayRef<Value> slices) -> Flow {
    Value x = Value::none();
    if (xsTree) x = tracing.trees.unflattenAll(*xsTree, slices);
    if (!x) return Flow::Failed;
    JX_TRY_FLOW(result, ev.call(v[1], {index, state->at(Carry), x}));
    auto parts = result.isAny(Kind::Tuple, Kind::List) ? ev.elements(result) : std::nullopt;
    if (!parts || parts->size() != 2) {
      if (ev.isPending(Pending::None))
        (void)ev.fail(DiagKind::BodyNotPair, "the body of a loop must return a pair (carry, output)");
      return Flow::Failed;
    }
    JX_TRY_FLOW(carry, withArrays(ev, (*parts)[0]));
    JX_TRY_FLOW(output, withArrays(ev, (*parts)[1]));
    JX_TRY_FLOW(next, flags.next(ev, state->at(Carry), carry, name));
    ev.heap.set(state, Carry, next);
    ev.heap.append(outputs, output);
    return Flow::Continue;
  };
  TracedBody traced(ev);
  LoopCompiler compiler(ev, spec);
  LoopResult result = compiler.compile();
  if (result != LoopResult::Compiled) return loopFailure(ev, compiler, result, name.c_str());
  Value ys = Value::none();
  if (outputs->size()) {
    const SegmentNode &segment = outputs->at(0).asSegment();
    ys = stackedOutput(ev, segment);
    if (!ys) return Failed();
  }
  JX_TRY(carry, flags.last(ev, state->at(Carry)));
  return ev.arena.tuple({carry, ys});
}

Value whileLoop(Evaluator &ev, CallArgs &args) {
  Value v[3];
  JX_CHECK(ev.bindNative(args, "while_loop", {"cond", "body", "init"}, 3, v));
  JX_TRY(init, withArrays(ev, v[2]));
  Object *state = ev.heap.create(Kind::Frame, {{}, {init}});
  CarryFlags flags;
  LoopSpec spec;
  spec.node = ev.node;
  spec.condition = [&]() -> Value {
    JX_TRY(test, ev.call(v[0], {state->at(0)}));
    bool isArray = Value(test).isArray();
    if (test.is(Kind::Bool) ||
        (isArray && test.arrayType().getRank() == 0 && isBoolDtype(test.arrayType().getElementType())))
      return test;
    if (test.isHost() && !isArray) return test;
    return ev.fail(DiagKind::ConditionNotBool,
                   "while_loop: cond_fun must return a boolean scalar, but it returned " +
                       (isArray ? "an array `" + typeText(test.arrayType()) + "`"
                                : "a value of type '" + ev.typeName(test) + "'"));
  };
  spec.body = [&](Value, llvm::ArrayRef<Value>) -> Flow {
    JX_TRY_FLOW(result, ev.call(v[1], {state->at(0)}));
    JX_TRY_FLOW(carry, withArrays(ev, result));
    JX_TRY_FLOW(next, flags.next(ev, state->at(0), carry, "while_loop"));
    ev.heap.set(state, 0, next);
    return Flow::Continue;
  };
  TracedBody traced(ev);
  LoopCompiler compiler(ev, spec);
  LoopResult result = compiler.compile();
  if (result != LoopResult::Compiled) return loopFailure(ev, compiler, result, "while_loop");
  return flags.last(ev, state->at(0));
}

// The value of a branch that is not taken, of which nothing remains but its structure and types.
Value elaborateApart(Evaluator &ev, llvm::function_ref<Value()> branch) {
  auto region = std::make_unique<mlir::Region>();
  region->push_back(new mlir::Block);
  mlir::OpBuilder::InsertionGuard guard(ev.builder);
  ev.builder.setInsertionPointToEnd(&region->front());
  Heap::Speculation speculation(ev.heap);
  auto mark = ev.sink.begin();
  size_t keysBefore = ev.tracing->keys.size();
  Value result;
  {
    TracedBody traced(ev);
    result = branch();
  }
  ev.tracing->keys.forget(keysBefore);
  ev.sink.rollback(mark);
  speculation.rollback();
  ev.abandon(std::move(region));
  return result;
}

// cond(index, branches, operands).
Value cond(Evaluator &ev, CallArgs &args) {
  Value v[3];
  JX_CHECK(ev.bindNative(args, "cond", {"index", "branches", "operands"}, 3, v));
  JX_TRY(branches, ev.elements(v[1]));
  JX_TRY(operandTree, withArrays(ev, v[2]));
  JX_TRY(operands, ev.elements(operandTree));
  Value index = v[0];
  int64_t last = static_cast<int64_t>(branches->size()) - 1;
  if (index.is(Kind::Bool)) index = Value::integer(index.asBool());
  if (index.isArray()) {
    bool isBool = isBoolDtype(index.arrayType().getElementType());
    HostType type = isBool ? HostType::Bool : HostType::Int;
    index = ev.makeHost(ev.convert(ev.reshapeToScalar(index.asArray()), ev.hostDtype(type)), type, {}, {},
                        {ev.dataSymbol(index)});
    if (!index) return Failed();
  }
  auto run = [&](size_t k) -> Value {
    JX_TRY(result, ev.call((*branches)[k], *operands));
    return withArrays(ev, result);
  };
  if (branches->size() == 1) return run(0);
  // The branches' results agree with the first one's, which is known once it was elaborated. They are weak
  // where it is.
  Value first;
  std::vector<std::function<Value()>> bodies;
  for (size_t k = 0; k < branches->size(); ++k)
    bodies.push_back([&, k]() -> Value {
      JX_TRY(result, run(k));
      bool isCond = branches->size() == 2;
      if (!first) return first = result;
      JX_CHECK(checkSame(ev, first, result, isCond ? "the output of false_fun" : "the output of branch 0",
                         isCond ? "that of true_fun" : "that of branch " + std::to_string(k),
                         /*weakMayChange=*/false, "cond branch outputs", DiagKind::BranchesDiffer));
      return withWeakFlags(ev, result, weakFlags(ev, first));
    });
  // A static index picks (JAX clamps it); the others must be right all the same.
  if (index.isSmallInt()) {
    Value picked;
    for (auto [k, body] : llvm::enumerate(bodies)) {
      bool isPicked = int64_t(k) == std::clamp<int64_t>(index.asInt(), 0, last);
      JX_TRY(result, isPicked ? body() : elaborateApart(ev, body));
      if (isPicked) picked = result;
    }
    return picked;
  }
  TracedBody traced(ev);
  return joinValues(ev, index, bodies);
}

} // namespace

Value stackedOutput(Evaluator &ev, const SegmentNode &segment) {
  Joiner joiner(ev);
  // The element's form with each leaf replaced by its stack.
  size_t next = 0;
  std::function<void(Template &)> restack = [&](Template &form) {
    if (form.form == Template::Leaf) {
      form.leaf.type = segment.stacks[next++].asArray().getType();
      form.leaf.isHost = false;
    }
    for (Template &child : form.children) restack(child);
  };
  Template form = (*segment.forms)[0];
  restack(form);
  llvm::SmallVector<mlir::Value> stacks;
  for (Value stack : segment.stacks) stacks.push_back(stack.asArray());
  llvm::ArrayRef<mlir::Value> leaves = stacks;
  return joiner.instantiate(form, leaves, LeafOrigin{});
}

void registerControl(Registry &r) {
  r.function("jx._intrinsics", "for_loop", forLoop);
  r.function("jx._intrinsics", "while_loop", whileLoop);
  r.function("jx._intrinsics", "cond", cond);
}

} // namespace jx::elab
