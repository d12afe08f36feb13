// Branches under run-time conditions. See Branches.h.
#include "compiler/elaborate/Branches.h"
#include "compiler/dialect/JxDialect.h"
#include "compiler/elaborate/Joins.h"
#include "compiler/interpreter/Interpreter.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Casting.h"
#include <numeric>

namespace jx::elab {

namespace {

// The end of one branch.
struct Outcome {
  Flow flow = Flow::Failed;
  FlowTag tag;
  Value returned;
  llvm::MapVector<Object *, Contents> after;
  std::unique_ptr<mlir::Region> region;
  std::vector<Diagnostic> warnings;
};

// A slot that the join writes.
struct JoinedSlot {
  Object *object;
  size_t index;
  Value key; // maps
  Template form;
  llvm::SmallVector<Value> values; // one a branch
};

class BranchJoin {
public:
  BranchJoin(Evaluator &ev, Value index) : ev(ev), index(index), joiner(ev) {}

  // False when a branch failed other than by `raise`; `raising` then is none.
  bool elaborate(const Branch &branch, size_t number);
  Flow finish();
  std::optional<size_t> raising;
  Pending raised;

private:
  Status joinHeap();
  Status unevenLists(size_t one, size_t other);
  void joinSlot(Object *object, size_t index, Value key, llvm::SmallVector<Value> values);
  Status joinFlow();
  Status emit();
  Flow apply(mlir::Operation *op);
  Contents contentsAfter(const Outcome &outcome, Object *object) {
    auto found = outcome.after.find(object);
    return found != outcome.after.end() ? found->second : object->contents();
  }

  Evaluator &ev;
  Value index;
  Joiner joiner;
  std::vector<Outcome> outcomes;
  std::vector<JoinedSlot> slots;
  std::vector<std::tuple<Object *, size_t, Value, Value>> poisoned;
  std::vector<std::pair<Object *, Value>> removed;
  std::optional<Template> returnForm, tagForm;
  Flow flow = Flow::Normal;
  FlowTag tag;
  mlir::Operation *op = nullptr;
  mlir::Value selector; // tensor<i32>
};

bool BranchJoin::elaborate(const Branch &branch, size_t number) {
  Outcome outcome;
  outcome.region = std::make_unique<mlir::Region>();
  auto *block = new mlir::Block;
  outcome.region->push_back(block);
  mlir::OpBuilder::InsertionGuard guard(ev.builder);
  ev.builder.setInsertionPointToEnd(block);
  Heap::Speculation speculation(ev.heap);
  auto mark = ev.sink.begin();
  Frame *frame = ev.frame;
  unsigned depth = ev.depth;
  Value outerReturn = ev.returnValue;
  outcome.flow = branch();
  outcome.tag = ev.flowTag;
  outcome.returned = ev.returnValue;
  ev.returnValue = outerReturn;
  ev.frame = frame;
  ev.depth = depth;
  outcome.warnings = ev.sink.rollback(mark);
  if (outcome.flow == Flow::Failed) {
    ev.abandon(std::move(outcome.region));
    if (ev.isPending(Pending::Exception) && ev.pending().fromRaise) {
      raising = number;
      raised = ev.pending();
    }
    return false;
  }
  for (auto &change : speculation.changes()) outcome.after.insert({change.object, change.object->contents()});
  speculation.rollback();
  outcomes.push_back(std::move(outcome));
  return true;
}

static bool hasNone(llvm::ArrayRef<Value> values) {
  return llvm::any_of(values, [](Value v) { return v && v.isNone(); });
}

// What to do about values that have no form in common.
static const char *oneForm(llvm::ArrayRef<Value> values) {
  return hasNone(values)
             ? "instead of `None` use a number that cannot occur, such as -1 or `float(\"inf\")`, and "
               "compare with that"
             : "give it one form before the condition";
}

void BranchJoin::joinSlot(Object *object, size_t slot, Value key, llvm::SmallVector<Value> values) {
  if (llvm::all_of(values, [&](Value v) { return v && values[0] && v.identical(values[0]); })) {
    // Changed in the same way on every path.
    poisoned.emplace_back(object, slot, key, values[0]);
    return;
  }
  if (llvm::all_of(values, [](Value v) { return !v; })) {
    if (key) removed.emplace_back(object, key);
    return;
  }
  if (llvm::any_of(values, [](Value v) { return !v || v.is(Kind::Unbound); })) {
    poisoned.emplace_back(
        object, slot, key,
        ev.arena.unbound("it is given a value in some branches of a run-time condition only"));
    return;
  }
  auto form = joiner.join(values, true);
  if (!form) {
    poisoned.emplace_back(object, slot, key,
                          ev.arena.unbound("the branches of a run-time condition leave " + joiner.reason +
                                           " in it; " + oneForm(values)));
    return;
  }
  slots.push_back({object, slot, key, std::move(*form), std::move(values)});
}

// The least number of trips after which the remainders that a value is made of repeat.
static int64_t periodOf(Evaluator &ev, mlir::Value value, unsigned depth = 0) {
  constexpr unsigned maxDepth = 8;
  mlir::Operation *op = value.getDefiningOp();
  if (!op || depth > maxDepth) return 1;
  int64_t period = 1;
  auto hostInt = llvm::dyn_cast<HostIntOp>(op);
  if (llvm::isa<RemOp>(op) || (hostInt && hostInt.getKind() == "mod"))
    if (auto modulus = ev.evaluateNow(op->getOperand(1)))
      period = std::clamp<int64_t>(std::abs(modulus->scalarInt()), 1, INT32_MAX);
  for (mlir::Value operand : op->getOperands())
    period = std::min<int64_t>(std::lcm(period, periodOf(ev, operand, depth + 1)), INT32_MAX);
  return period;
}

// What the index of a loop decides is known in parts of the loop, which is cut accordingly.
Status BranchJoin::unevenLists(size_t one, size_t other) {
  bool byIndex = index.isHost() && llvm::any_of(index.asHost().sources, [&](Symbol s) {
                   return ev.symbolInfo(s).kind == SymbolInfo::LoopIndex;
                 });
  if (!byIndex)
    return ev.fail(DiagKind::UnevenLists,
                   "the branches of a run-time condition leave a list with different lengths (" +
                       std::to_string(one) + " and " + std::to_string(other) + ")");
  (void)ev.demand(index, "a condition on which the length of a list depends");
  ev.pending().demand.period = periodOf(ev, index.asHost().value);
  return Failed();
}

Status BranchJoin::joinHeap() {
  llvm::MapVector<Object *, char> changed;
  for (Outcome &outcome : outcomes)
    for (auto &[object, contents] : outcome.after) changed.insert({object, 0});
  for (auto &[object, unused] : changed) {
    std::vector<Contents> ends;
    for (Outcome &outcome : outcomes) ends.push_back(contentsAfter(outcome, object));
    if (!object->isMap()) {
      size_t size = ends[0].values.size();
      for (Contents &end : ends)
        if (end.values.size() != size) return unevenLists(size, end.values.size());
      for (size_t i = 0; i < size; ++i) {
        llvm::SmallVector<Value> values;
        for (Contents &end : ends) values.push_back(end.values[i]);
        joinSlot(object, i, {}, std::move(values));
      }
      continue;
    }
    std::vector<Value> keys;
    auto find = [](const Contents &contents, Value key) -> Value {
      for (size_t i = 0; i < contents.keys.size(); ++i)
        if (contents.keys[i].keyEquals(key)) return contents.values[i];
      return {};
    };
    for (Contents &end : ends)
      for (Value key : end.keys)
        if (llvm::none_of(keys, [&](Value k) { return k.keyEquals(key); })) keys.push_back(key);
    for (Value key : keys) {
      llvm::SmallVector<Value> values;
      for (Contents &end : ends) values.push_back(find(end, key));
      bool missing = llvm::any_of(values, [](Value v) { return !v; });
      if (missing && object->kind == Kind::Set)
        return ev.fail(DiagKind::UnevenLists,
                       "the branches of a run-time condition leave different elements in a set");
      joinSlot(object, 0, key, std::move(values));
    }
    for (Value key : object->contents().keys)
      if (llvm::none_of(keys, [&](Value k) { return k.keyEquals(key); })) removed.emplace_back(object, key);
  }
  return Status::success();
}

Status BranchJoin::joinFlow() {
  bool same = llvm::all_of(outcomes,
                           [&](Outcome &o) { return o.flow == outcomes[0].flow && o.flow != Flow::Dynamic; });
  llvm::SmallVector<Value> returned, tags;
  for (Outcome &o : outcomes) {
    bool returns = o.flow == Flow::Return || (o.flow == Flow::Dynamic && o.tag.mayBe(Flow::Return));
    if (returns) returned.push_back(o.returned);
    unsigned own = o.flow == Flow::Dynamic ? o.tag.possible : 1u << static_cast<unsigned>(o.flow);
    tag.possible |= own;
    tags.push_back(o.flow == Flow::Dynamic ? o.tag.value : Value::integer(static_cast<int64_t>(o.flow)));
  }
  flow = same ? outcomes[0].flow : Flow::Dynamic;
  if (!same) {
    tagForm = joiner.join(tags, false);
    if (!tagForm) return Failed();
  }
  if (returned.empty()) return Status::success();
  returnForm = joiner.join(returned, true);
  if (!returnForm)
    return ev.fail(DiagKind::BranchesDiffer,
                   "the branches of a run-time condition give " + joiner.reason +
                       "; every path must give the same form, shape and dtype" +
                       (hasNone(returned) ? std::string(": ") + oneForm(returned) : ""));
  return Status::success();
}

Status BranchJoin::emit() {
  llvm::SmallVector<mlir::Type> types;
  for (JoinedSlot &slot : slots) joiner.types(slot.form, types);
  if (returnForm) joiner.types(*returnForm, types);
  if (tagForm) joiner.types(*tagForm, types);
  mlir::Location loc = ev.location();
  bool anyEffect = false;
  for (size_t k = 0; k < outcomes.size(); ++k) {
    Outcome &o = outcomes[k];
    mlir::OpBuilder::InsertionGuard guard(ev.builder);
    ev.builder.setInsertionPointToEnd(&o.region->front());
    llvm::SmallVector<mlir::Value> yielded;
    for (JoinedSlot &slot : slots) JX_CHECK(joiner.materialise(slot.form, slot.values[k], yielded));
    if (returnForm) {
      bool returns = o.flow == Flow::Return || (o.flow == Flow::Dynamic && o.tag.mayBe(Flow::Return));
      JX_CHECK(returns ? joiner.materialise(*returnForm, o.returned, yielded)
                       : joiner.zeros(*returnForm, yielded));
    }
    if (tagForm)
      JX_CHECK(joiner.materialise(
          *tagForm, o.flow == Flow::Dynamic ? o.tag.value : Value::integer(static_cast<int64_t>(o.flow)),
          yielded));
    YieldOp::create(ev.builder, loc, yielded);
    for (mlir::Operation &inner : o.region->front().without_terminator())
      anyEffect |= !mlir::isMemoryEffectFree(&inner);
  }
  bool choices = llvm::any_of(slots, [](JoinedSlot &s) { return s.form.hasLeaves(); }) ||
                 (returnForm && returnForm->hasLeaves());
  if (types.empty() && !anyEffect && !choices) return Status::success();
  mlir::Value condition = ev.hostTensor(
      index, index.isHost() && index.asHost().type == HostType::Bool ? HostType::Bool : HostType::Int);
  selector = ev.convert(condition, ev.builder.getI32Type());
  if (!selector) return Failed();
  mlir::OperationState state(loc, CondOp::getOperationName());
  state.addOperands(selector);
  state.addTypes(types);
  for (Outcome &o : outcomes) state.addRegion(std::move(o.region));
  op = ev.builder.create(state);
  return Status::success();
}

Flow BranchJoin::apply(mlir::Operation *) {
  llvm::SmallVector<mlir::Value> results;
  if (op) results.append(op->result_begin(), op->result_end());
  llvm::ArrayRef<mlir::Value> leaves = results;
  LeafOrigin origin{SymbolInfo::Data, "", 0, ev.userHere(), {}};
  if (index.isHost()) origin.sources = index.asHost().sources;
  mlir::Value chosen;
  if (selector) chosen = ev.convert(selector, ev.builder.getI64Type());
  auto write = [&](Object *object, size_t slot, Value key, Value value) {
    if (key)
      ev.heap.put(object, key, value);
    else
      ev.heap.set(object, slot, value);
  };
  for (auto &[object, key] : removed) ev.heap.erase(object, key);
  for (auto &[object, slot, key, value] : poisoned) write(object, slot, key, value);
  for (JoinedSlot &slot : slots)
    write(slot.object, slot.index, slot.key, joiner.instantiate(slot.form, leaves, origin, chosen));
  if (returnForm) ev.returnValue = joiner.instantiate(*returnForm, leaves, origin, chosen);
  if (tagForm) tag.value = joiner.instantiate(*tagForm, leaves, origin, chosen);
  ev.flowTag = tag;
  for (Outcome &o : outcomes)
    for (Diagnostic &warning : o.warnings) ev.sink.report(warning);
  return flow;
}

Flow BranchJoin::finish() {
  if (!joinHeap() || !joinFlow() || !emit()) return Flow::Failed;
  return apply(op);
}

Value isBranch(Evaluator &ev, Value index, size_t number) {
  if (index.isHost() && index.asHost().type == HostType::Bool) return number ? index : ev.hostNot(index);
  return ev.hostCompare(ast::CompareOp::Eq, index, Value::integer(number));
}

// The last statement always leaves the block.
bool endsInJump(ast::Block block) {
  if (block.empty()) return false;
  const ast::Stmt *last = block.back();
  if (auto *branch = llvm::dyn_cast<ast::If>(last))
    return endsInJump(branch->body) && endsInJump(branch->orelse);
  return llvm::isa<ast::Return, ast::Break, ast::Continue, ast::Raise>(last);
}

// Runs what remains of the body around.
Flow runRest(Evaluator &ev) {
  Frame *frame = ev.frame;
  const Rest *saved = frame->rest;
  Flow flow = Flow::Normal;
  for (const Rest *rest = saved; rest && flow == Flow::Normal; rest = rest->outer) {
    frame->rest = rest->outer;
    flow = ev.run(rest->block.subspan(rest->next));
  }
  frame->rest = saved;
  if (flow != Flow::Normal) return flow;
  if (frame->atEnd == Flow::Return) ev.returnValue = Value::none();
  return frame->atEnd;
}

} // namespace

Flow joinBranches(Evaluator &ev, Value index, llvm::ArrayRef<Branch> branches) {
  if (!ev.mayEmit()) return Flow::Failed;
  BranchJoin join(ev, index);
  for (auto [i, branch] : llvm::enumerate(branches)) {
    if (join.elaborate(branch, i)) continue;
    if (!join.raising || branches.size() != 2) return Flow::Failed;
    // Only the other branch goes on; taking this one stops the program.
    Pending raised = join.raised;
    ev.pending() = {};
    if (ev.isCaught(raised.exception.asObject()->cls)) {
      JX_TRY_FLOW(known, ev.toStatic(index, "the condition under which an exception is raised inside `try`"));
      JX_TRY_FLOW(taken, ev.truthValue(known));
      size_t number = known.isSmallInt() ? known.asInt() : taken.asBool();
      return branches[std::min(number, branches.size() - 1)]();
    }
    Value taken = isBranch(ev, index, i);
    Value message = ev.str(raised.exception);
    if (!message) return Flow::Failed;
    if (!ev.emitCheck(ev.hostNot(taken), ev.typeName(raised.exception), message)) return Flow::Failed;
    return branches[1 - i]();
  }
  return join.finish();
}

Value joinValues(Evaluator &ev, Value index, llvm::ArrayRef<std::function<Value()>> branches) {
  std::vector<Branch> flows;
  for (auto &branch : branches)
    flows.push_back([&ev, branch] {
      Value value = branch();
      ev.returnValue = value;
      return value ? Flow::Return : Flow::Failed;
    });
  Value outer = ev.returnValue;
  Flow flow = joinBranches(ev, index, flows);
  Value result = ev.returnValue;
  ev.returnValue = outer;
  return flow == Flow::Failed ? Value() : result;
}

Flow runBranches(Evaluator &ev, const ast::If *stmt, Value test) {
  JX_TRY_FLOW(condition, ev.truthValue(test));
  if (condition.is(Kind::Bool)) return ev.run(condition.asBool() ? stmt->body : stmt->orelse);
  bool jumps = stmt->jumps.mayBreak || stmt->jumps.mayContinue || stmt->jumps.mayReturn;
  bool bodyLeaves = endsInJump(stmt->body), elseLeaves = endsInJump(stmt->orelse);
  if (jumps && bodyLeaves != elseLeaves && ev.frame->atEnd != Flow::Normal) {
    auto withRest = [&](ast::Block block) {
      Flow flow = ev.run(block);
      if (flow == Flow::Normal) return runRest(ev);
      if (flow == Flow::Dynamic && ev.flowTag.mayBe(Flow::Normal))
        return continueWhenNormal(ev, [&] { return runRest(ev); });
      return flow;
    };
    return joinBranches(ev, condition,
                        {[&] { return elseLeaves ? ev.run(stmt->orelse) : withRest(stmt->orelse); },
                         [&] { return bodyLeaves ? ev.run(stmt->body) : withRest(stmt->body); }});
  }
  auto closed = [&](ast::Block block) {
    RestScope end(*ev.frame, Flow::Normal);
    return ev.run(block);
  };
  return joinBranches(ev, condition,
                      {[&] { return closed(stmt->orelse); }, [&] { return closed(stmt->body); }});
}

Flow continueWhenNormal(Evaluator &ev, const Branch &rest) {
  FlowTag tag = ev.flowTag;
  Value returned = ev.returnValue;
  unsigned others = tag.possible & ~(1u << static_cast<unsigned>(Flow::Normal));
  if (!others) return rest();
  JX_TRY_FLOW(normal, ev.hostCompare(ast::CompareOp::Eq, tag.value,
                                     Value::integer(static_cast<int64_t>(Flow::Normal))));
  auto leave = [&]() -> Flow {
    ev.returnValue = returned;
    for (Flow single : {Flow::Break, Flow::Continue, Flow::Return})
      if (others == 1u << static_cast<unsigned>(single)) return single;
    ev.flowTag = {tag.value, others};
    return Flow::Dynamic;
  };
  if (normal.is(Kind::Bool)) return normal.asBool() ? rest() : leave();
  return joinBranches(ev, normal, {leave, rest});
}

Value shortCircuit(Evaluator &ev, bool isAnd, Value value, const std::function<Value()> &rest) {
  Truth known = ev.truth(value);
  if (known == Truth::Failed) return Failed();
  if (known != Truth::Dynamic) return (known == Truth::True) == isAnd ? rest() : value;
  JX_TRY(condition, ev.truthValue(value));
  auto keep = [&] { return value; };
  if (condition.is(Kind::Bool)) return condition.asBool() == isAnd ? rest() : value;
  return isAnd ? joinValues(ev, condition, {keep, rest}) : joinValues(ev, condition, {rest, keep});
}

Value choose(Evaluator &ev, Value test, const std::function<Value()> &whenTrue,
             const std::function<Value()> &whenFalse) {
  Truth known = ev.truth(test);
  if (known == Truth::Failed) return Failed();
  if (known != Truth::Dynamic) return known == Truth::True ? whenTrue() : whenFalse();
  JX_TRY(condition, ev.truthValue(test));
  if (condition.is(Kind::Bool)) return condition.asBool() ? whenTrue() : whenFalse();
  return joinValues(ev, condition, {whenFalse, whenTrue});
}

} // namespace jx::elab
