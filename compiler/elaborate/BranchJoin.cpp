// Elaborating the branches of a run-time condition and joining their ends. See BranchJoin.h.
#include "compiler/elaborate/BranchJoin.h"
#include "compiler/dialect/JxDialect.h"
#include "compiler/elaborate/Raises.h"
#include "compiler/interpreter/Interpreter.h"
#include <numeric>

namespace jx::elab {

namespace {

constexpr int64_t firstRaiseNumber = 16; // the values of Flow are below

void write(Evaluator &ev, Object *object, size_t slot, Value key, Value value) {
  if (key)
    ev.heap.put(object, key, value);
  else
    ev.heap.set(object, slot, value);
}

Value read(const Object *object, size_t slot, Value key) { return key ? object->get(key) : object->at(slot); }

bool returns(const Outcome &outcome) { return outcome.tag.mayBe(Flow::Return); }

} // namespace

void noteEnd(Evaluator &ev, Outcome &outcome, Flow flow) {
  outcome.flow = flow;
  outcome.returned = ev.returnValue;
  if (flow == Flow::Dynamic) {
    outcome.tag = ev.flowTag;
  } else if (flow != Flow::Failed) {
    outcome.tag = FlowTag::of(flow);
  } else if (isRaise(ev)) {
    Raised raised{firstRaiseNumber + ev.raiseNumbers++, ev.pending(), {}};
    raised.pending.fromRaise = true;
    ev.pending() = {};
    outcome.flow = Flow::Raise;
    outcome.tag = {Value::integer(raised.number), 1u << static_cast<unsigned>(Flow::Raise), {raised}, {}};
  }
}

std::optional<Outcome> elaborateBranch(Evaluator &ev, const std::function<Flow()> &branch, Outcome outcome) {
  if (!outcome.region) {
    outcome.region = std::make_unique<mlir::Region>();
    outcome.region->push_back(new mlir::Block);
    outcome.firstNew = ev.heap.nextObjectId();
  }
  mlir::OpBuilder::InsertionGuard guard(ev.builder);
  ev.builder.setInsertionPointToEnd(&outcome.region->front());
  Heap::Speculation speculation(ev.heap);
  for (auto &[object, contents] : outcome.after) ev.heap.replace(object, contents);
  auto mark = ev.sink.begin();
  size_t outerGuards = ev.guards.size();
  Frame *frame = ev.frame;
  unsigned depth = ev.depth;
  Value outerReturn = ev.returnValue;
  noteEnd(ev, outcome, closeGuards(ev, outerGuards, branch()));
  ev.returnValue = outerReturn;
  ev.frame = frame;
  ev.depth = depth;
  llvm::append_range(outcome.warnings, ev.sink.rollback(mark));
  if (outcome.flow == Flow::Failed) {
    // Whoever advances an iterator would take it for the end of the elements.
    if (ev.isPending(Pending::Exception) &&
        ev.isInstance(ev.pending().exception, ev.builtinClass("StopIteration")))
      (void)ev.unsupported("an iterator that ends under a run-time condition");
    ev.abandon(std::move(outcome.region));
    return std::nullopt;
  }
  outcome.after.clear();
  for (auto &change : speculation.changes()) outcome.after.insert({change.object, change.object->peek()});
  speculation.rollback();
  return outcome;
}

std::vector<Value> loseSlots(Evaluator &ev, const LostSlots &slots) {
  Value gone = ev.arena.unbound("it may have no value yet where the code before is left early");
  std::vector<Value> values;
  for (auto &[object, slot, key] : slots) {
    values.push_back(read(object, slot, key));
    write(ev, object, slot, key, gone);
  }
  return values;
}

void giveBack(Evaluator &ev, const LostSlots &slots, llvm::ArrayRef<Value> values) {
  for (auto [place, value] : llvm::zip(slots, values)) {
    auto &[object, slot, key] = place;
    Value now = read(object, slot, key);
    if (!now || now.is(Kind::Unbound)) write(ev, object, slot, key, value);
  }
}

Outcome raisingOutcome(Evaluator &ev, Raised raised) {
  auto raise = [&]() -> Flow {
    (void)loseSlots(ev, raised.lost);
    ev.pending() = raised.pending;
    return Flow::Failed;
  };
  return std::move(*elaborateBranch(ev, raise));
}

BranchJoin::~BranchJoin() {
  for (Outcome &outcome : outcomes)
    if (outcome.region) ev.abandon(std::move(outcome.region));
}

// The common form of what the branches give; null where a branch gives nothing.
std::optional<Template> BranchJoin::formOf(llvm::ArrayRef<Value> values) {
  llvm::SmallVector<Value> given;
  const Outcome *last = nullptr;
  for (auto [value, outcome] : llvm::zip(values, outcomes))
    if (value) {
      given.push_back(value);
      last = &outcome;
    }
  if (given.size() > 1) return joiner.join(given, true);
  return joiner.open(given[0], [&](mlir::Value v) { return isDefinedIn(*last->region, v); }, last->firstNew);
}

// The form of a slot where control goes on; the values of branches that leave become null.
std::optional<Template> BranchJoin::formWhereReached(llvm::MutableArrayRef<Value> values) {
  bool anyNormal = llvm::any_of(outcomes, [](const Outcome &o) { return o.tag.mayBe(Flow::Normal); });
  bool any = false;
  for (auto [value, outcome] : llvm::zip(values, outcomes)) {
    bool reaches = anyNormal ? outcome.tag.mayBe(Flow::Normal) : outcome.flow != Flow::Raise;
    if (!reaches)
      value = Value();
    else if (!value || value.is(Kind::Unbound))
      return std::nullopt;
    any |= reaches;
  }
  return any ? formOf(values) : std::nullopt;
}

// A value as its branch left it: copies stand for the older objects that the branch changed, whose contents
// have been taken back.
Value BranchJoin::atEnd(const Outcome &outcome, Value value, llvm::SmallPtrSetImpl<Object *> &inside) {
  auto partsAtEnd = [&](std::vector<Value> &parts) {
    bool changed = false;
    for (Value &part : parts) {
      Value end = part ? atEnd(outcome, part, inside) : part;
      changed |= part && !end.identical(part);
      part = end;
    }
    return changed;
  };
  if (value.is(Kind::Tuple)) {
    std::vector<Value> items = value.asTuple().items;
    return partsAtEnd(items) ? ev.arena.tuple(std::move(items), value.asTuple().cls) : value;
  }
  if (!value.isAny(Kind::List, Kind::Dict, Kind::Set, Kind::Instance)) return value;
  Object *object = value.asObject();
  if (!inside.insert(object).second) return value;
  Contents contents = contentsAfter(outcome, object);
  bool changed = partsAtEnd(contents.values);
  changed |= outcome.after.contains(object);
  inside.erase(object);
  if (!changed) return value;
  Object *copy = ev.heap.create(value.kind(), std::move(contents));
  copy->cls = object->cls;
  copy->attributes = object->attributes;
  copy->payload = object->payload;
  copy->opaque = object->opaque;
  return copy;
}

// The same for one value of each branch, which the join is to give a form in common. What is one object on
// every path stays it.
void BranchJoin::takeEnds(llvm::MutableArrayRef<Value> values) {
  if (llvm::all_of(values, [&](Value v) { return v && values[0] && v.identical(values[0]); })) return;
  bool tuples = llvm::all_of(values, [&](Value v) {
    return v && v.is(Kind::Tuple) && v.asTuple().items.size() == values[0].asTuple().items.size();
  });
  if (!tuples) {
    for (auto [value, outcome] : llvm::zip(values, outcomes)) {
      llvm::SmallPtrSet<Object *, 8> inside;
      if (value) value = atEnd(outcome, value, inside);
    }
    return;
  }
  std::vector<std::vector<Value>> rows;
  for (Value v : values) rows.push_back(v.asTuple().items);
  for (size_t i = 0; i < rows[0].size(); ++i) {
    llvm::SmallVector<Value> column;
    for (auto &row : rows) column.push_back(row[i]);
    takeEnds(column);
    for (auto [row, item] : llvm::zip(rows, column)) row[i] = item;
  }
  for (auto [value, row] : llvm::zip(values, rows))
    value = ev.arena.tuple(std::move(row), value.asTuple().cls);
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
  takeEnds(values);
  std::optional<Template> form;
  std::string reason = "it is given a value in some branches of a run-time condition only";
  if (llvm::none_of(values, [](Value v) { return !v || v.is(Kind::Unbound); })) {
    form = joiner.join(values, true);
    reason = "the branches of a run-time condition leave " + joiner.reason +
             " in it; give it one form before the condition";
    unfit |= !form;
  }
  // Where a branch leaves, a variable need not have its later form; but a dict shows which keys it has.
  bool newKey = object->kind == Kind::Dict && llvm::any_of(values, [](Value v) { return !v; });
  if (!form && !newKey) {
    form = formWhereReached(values);
    if (form) {
      tag.lost.emplace_back(object, slot, key);
      for (auto [value, outcome] : llvm::zip(values, outcomes))
        if (!value)
          for (Raised &raised : outcome.tag.raised) raised.lost.emplace_back(object, slot, key);
    }
  }
  if (form)
    slots.push_back({object, slot, key, std::move(*form), std::move(values)});
  else
    poisoned.emplace_back(object, slot, key, ev.arena.unbound(reason));
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

// A list that the branches leave with different lengths. What the index of a loop decides is known in parts
// of the loop, which is cut accordingly; else the list may not be read any more.
Status BranchJoin::joinUneven(Object *list, size_t one, size_t other) {
  bool byIndex = index.isHost() && llvm::any_of(index.asHost().sources, [&](Symbol s) {
                   return ev.symbolInfo(s).kind == SymbolInfo::LoopIndex;
                 });
  if (byIndex && !ofException) {
    (void)ev.demand(index, "a condition on which the length of a list depends");
    ev.pending().demand.period = periodOf(ev, index.asHost().value);
    return Failed();
  }
  unfit = true;
  resized.emplace_back(list, 1);
  poisoned.emplace_back(
      list, 0, Value(),
      ev.arena.unbound("the branches of a run-time condition leave a list with different lengths (" +
                           std::to_string(one) + " and " + std::to_string(other) + ")",
                       /*ofWholeList=*/true));
  return Status::success();
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
      auto other = llvm::find_if(ends, [&](Contents &end) { return end.values.size() != size; });
      if (other != ends.end()) {
        JX_CHECK(joinUneven(object, size, other->values.size()));
        continue;
      }
      if (size != object->peek().values.size()) resized.emplace_back(object, size);
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
      unfit |= missing && object->kind != Kind::Frame && object->kind != Kind::Module;
      if (missing && object->kind == Kind::Set)
        return ev.fail(DiagKind::UnevenLists,
                       "the branches of a run-time condition leave different elements in a set");
      joinSlot(object, 0, key, std::move(values));
    }
    for (Value key : object->peek().keys)
      if (llvm::none_of(keys, [&](Value k) { return k.keyEquals(key); })) removed.emplace_back(object, key);
  }
  return Status::success();
}

Status BranchJoin::joinFlow() {
  bool same = llvm::all_of(outcomes, [&](Outcome &o) {
    return o.flow == outcomes[0].flow && o.flow != Flow::Dynamic && o.flow != Flow::Raise;
  });
  llvm::SmallVector<Value> returned, tags;
  for (Outcome &o : outcomes) {
    returned.push_back(returns(o) ? o.returned : Value());
    llvm::append_range(tag.lost, o.tag.lost);
    tag.possible |= o.tag.possible;
    tags.push_back(o.tag.value);
  }
  takeEnds(returned);
  for (auto [o, value] : llvm::zip(outcomes, returned))
    if (value) o.returned = value;
  flow = same ? outcomes[0].flow : Flow::Dynamic;
  if (!same) {
    tagForm = joiner.join(tags, false);
    if (!tagForm) return Failed();
  }
  if (!tag.mayBe(Flow::Return)) return Status::success();
  returnForm = formOf(returned);
  unfit |= !returnForm;
  if (!returnForm)
    return ev.fail(DiagKind::BranchesDiffer, "the branches of a run-time condition give " + joiner.reason +
                                                 "; every path must give the same form, shape and dtype");
  return Status::success();
}

// Every exception stays what its branch made, with the run-time values in it as results.
Status BranchJoin::joinRaises() {
  for (auto [k, outcome] : llvm::enumerate(outcomes)) {
    auto isInside = [&](mlir::Value v) { return isDefinedIn(*outcome.region, v); };
    for (Raised &raised : outcome.tag.raised) {
      auto form = joiner.open(raised.pending.exception, isInside, outcome.firstNew);
      if (!form)
        return ev.fail(DiagKind::BranchesDiffer,
                       "an exception that is raised under a run-time condition holds " + joiner.reason);
      raises.push_back({k, raised, std::move(*form)});
    }
  }
  return Status::success();
}

Status BranchJoin::emit() {
  llvm::SmallVector<mlir::Type> types;
  for (JoinedSlot &slot : slots) joiner.types(slot.form, types);
  if (returnForm) joiner.types(*returnForm, types);
  for (JoinedRaise &raise : raises) joiner.types(raise.form, types);
  if (tagForm) joiner.types(*tagForm, types);
  mlir::Location loc = ev.location();
  bool anyEffect = false;
  for (size_t k = 0; k < outcomes.size(); ++k) {
    Outcome &o = outcomes[k];
    mlir::OpBuilder::InsertionGuard guard(ev.builder);
    ev.builder.setInsertionPointToEnd(&o.region->front());
    llvm::SmallVector<mlir::Value> yielded;
    auto put = [&](const Template &form, bool here, Value value) {
      return here ? joiner.materialise(form, value, yielded) : joiner.zeros(form, yielded);
    };
    for (JoinedSlot &slot : slots) JX_CHECK(put(slot.form, bool(slot.values[k]), slot.values[k]));
    if (returnForm) JX_CHECK(put(*returnForm, returns(o), o.returned));
    for (JoinedRaise &raise : raises)
      JX_CHECK(put(raise.form, raise.branch == k, raise.raised.pending.exception));
    if (tagForm) JX_CHECK(put(*tagForm, true, o.tag.value));
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

Flow BranchJoin::apply() {
  llvm::SmallVector<mlir::Value> results;
  if (op) results.append(op->result_begin(), op->result_end());
  llvm::ArrayRef<mlir::Value> leaves = results;
  LeafOrigin origin{SymbolInfo::Data, "", 0, ev.userHere(), {}};
  if (index.isHost()) origin.sources = index.asHost().sources;
  mlir::Value chosen;
  if (selector) chosen = ev.convert(selector, ev.builder.getI64Type());
  for (auto &[object, size] : resized) ev.heap.replace(object, {{}, std::vector<Value>(size)});
  for (auto &[object, key] : removed) ev.heap.erase(object, key);
  for (auto &[object, slot, key, value] : poisoned) write(ev, object, slot, key, value);
  for (JoinedSlot &slot : slots)
    write(ev, slot.object, slot.index, slot.key, joiner.instantiate(slot.form, leaves, origin, chosen));
  if (returnForm) ev.returnValue = joiner.instantiate(*returnForm, leaves, origin, chosen);
  for (JoinedRaise &raise : raises) {
    raise.raised.pending.exception = joiner.instantiate(raise.form, leaves, origin, chosen);
    tag.raised.push_back(std::move(raise.raised));
  }
  if (tagForm) tag.value = joiner.instantiate(*tagForm, leaves, origin, chosen);
  ev.flowTag = tag;
  for (Outcome &o : outcomes)
    for (Diagnostic &warning : o.warnings) ev.sink.report(warning);
  return flow;
}

Status BranchJoin::compare() {
  joiner.isInside = [this](mlir::Value v) {
    return llvm::any_of(outcomes, [&](const Outcome &o) { return o.region && isDefinedIn(*o.region, v); });
  };
  for (const Outcome &outcome : outcomes) joiner.firstNew = std::min(joiner.firstNew, outcome.firstNew);
  JX_CHECK(joinHeap());
  JX_CHECK(joinFlow());
  return joinRaises();
}

Flow BranchJoin::finish() { return emit() ? apply() : Flow::Failed; }

} // namespace jx::elab
