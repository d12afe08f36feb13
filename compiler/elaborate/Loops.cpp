// `for` and `while` statements: which way a loop is taken. See Loops.h.
#include "compiler/elaborate/Loops.h"
#include "compiler/elaborate/Branches.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Casting.h"

namespace jx::elab {

using namespace ast;

namespace {

bool mayLeaveEarly(Block body) {
  return llvm::any_of(body, [](const Stmt *stmt) { return stmt->jumps.mayBreak || stmt->jumps.mayReturn; });
}

// Whether a name is read after the loop, judged by the text that follows in the same function or module.
bool isReadLater(Evaluator &ev, const Stmt *loop, llvm::StringRef name) {
  const Frame &frame = *ev.frame;
  llvm::StringRef text = ev.sources.text(loop->range.file);
  uint32_t end = text.size();
  if (frame.function && frame.function->code->range.file == loop->range.file)
    end = frame.function->code->range.end;
  llvm::StringRef rest = text.slice(loop->range.end, end);
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = rest.find(name); at != llvm::StringRef::npos; at = rest.find(name, at + 1)) {
    if ((at && (isWord(rest[at - 1]) || rest[at - 1] == '.')) ||
        (at + name.size() < rest.size() && isWord(rest[at + name.size()])))
      continue;
    // `name = ...` that does not use the name itself gives it a new value first.
    llvm::StringRef before = rest.take_front(at).rsplit('\n').second.trim();
    llvm::StringRef line = rest.drop_front(at + name.size()).split('\n').first.ltrim();
    bool assigned = before.empty() && line.starts_with("=") && !line.starts_with("==") &&
                    !line.drop_front().contains(name);
    return !assigned;
  }
  return false;
}

// Trips k, k + 1, ..., n - 1, one after another. Where a run-time condition leaves the loop, the later trips
// are elaborated in the branch that goes on.
Flow unrollFrom(Evaluator &ev, size_t k, size_t n, const std::function<Flow(size_t)> &trip,
                const std::function<Flow()> &runElse) {
  for (; k < n; ++k) {
    Flow flow;
    {
      RestScope end(*ev.frame, Flow::Continue);
      flow = trip(k);
    }
    if (flow == Flow::Normal || flow == Flow::Continue) continue;
    if (flow == Flow::Break) return Flow::Normal;
    if (flow != Flow::Dynamic) return flow;
    FlowTag tag = ev.flowTag;
    Value returned = ev.returnValue;
    auto is = [&](Flow one) -> Value {
      if (!tag.mayBe(one)) return Value::boolean(false);
      return ev.hostCompare(CompareOp::Eq, tag.value, Value::integer(static_cast<int64_t>(one)));
    };
    auto leave = [&]() -> Flow {
      if (!tag.mayBe(Flow::Return)) return Flow::Normal;
      auto giveBack = [&] {
        ev.returnValue = returned;
        return Flow::Return;
      };
      if (!tag.mayBe(Flow::Break)) return giveBack();
      JX_TRY_FLOW(returns, is(Flow::Return));
      return joinBranches(ev, returns, {[] { return Flow::Normal; }, giveBack});
    };
    JX_TRY_FLOW(goesOn, ev.hostOr(is(Flow::Normal), is(Flow::Continue)));
    if (goesOn.is(Kind::Bool)) return leave();
    return joinBranches(ev, goesOn, {leave, [&] { return unrollFrom(ev, k + 1, n, trip, runElse); }});
  }
  return runElse();
}

class ForLoop {
public:
  ForLoop(Evaluator &ev, const For *stmt) : ev(ev), stmt(stmt) {}
  Flow run(Value iterable);

private:
  // Trips first, first + 1, ... of a range, or of an array's leading dimension.
  Value item(Value index);
  Flow runElse() { return ev.run(stmt->orelse); }
  Flow execute(bool &emitted);
  Flow unroll(int64_t from);
  Flow compile(int64_t from);
  Flow compileLeaving(int64_t from);
  Flow fallBack(LoopCompiler &compiler, LoopResult result, int64_t from);
  Flow afterTrip(Flow flow, bool &leave);
  LoopSpec specFor(int64_t from);
  Status bindLast(Value trips);
  Value indexOf(int64_t from, Value k) { return ev.binary(BinaryOp::Add, Value::integer(from), k); }
  std::optional<int64_t> staticTrips() const {
    return trips.isSmallInt() ? std::optional(trips.asInt()) : std::nullopt;
  }

  Evaluator &ev;
  const For *stmt;
  Value iterable, trips;
  bool isRange = false;
  bool peeled = false;
};

Value ForLoop::item(Value index) {
  if (!isRange) return ev.getItem(iterable, index);
  const SliceNode &range = iterable.asSlice();
  return ev.binary(BinaryOp::Add, range.start, ev.binary(BinaryOp::Mul, range.step, index));
}

// One trip ended with `flow`. True in `leave` when the loop is over.
Flow ForLoop::afterTrip(Flow flow, bool &leave) {
  leave = flow != Flow::Normal && flow != Flow::Continue;
  return flow == Flow::Break ? Flow::Normal : flow;
}

// Runs the loop at compile time until something would be emitted.
Flow ForLoop::execute(bool &emitted) {
  bool outer = ev.probing;
  mlir::OpBuilder::InsertPoint point = ev.builder.saveInsertionPoint();
  Heap::Speculation speculation(ev.heap);
  auto mark = ev.sink.begin();
  Frame *frame = ev.frame;
  unsigned depth = ev.depth;
  ev.probing = true;
  Flow flow = Flow::Normal;
  bool leave = false;
  for (int64_t k = 0; k < trips.asInt() && !leave; ++k) {
    if (k == int64_t(ev.options.maxExecutedTrips)) {
      (void)ev.fail(DiagKind::TooManyTrips,
                    "this loop runs more than " + std::to_string(k) + " times while the program is compiled");
      flow = Flow::Failed;
      break;
    }
    RestScope end(*ev.frame, Flow::Continue);
    Value value = item(Value::integer(k));
    flow = value && ev.assign(stmt->target, value) ? ev.run(stmt->body) : Flow::Failed;
    flow = afterTrip(flow, leave);
    if (flow == Flow::Normal && leave) { // break
      ev.probing = outer;
      speculation.commit();
      ev.sink.commit(mark);
      return Flow::Normal;
    }
  }
  ev.probing = outer;
  if (flow == Flow::Failed && ev.isPending(Pending::Emitted)) {
    ev.pending() = {};
    ev.frame = frame;
    ev.depth = depth;
    ev.builder.restoreInsertionPoint(point);
    speculation.rollback();
    ev.sink.rollback(mark);
    emitted = true;
    return Flow::Normal;
  }
  speculation.commit();
  ev.sink.commit(mark);
  if (flow == Flow::Failed || flow == Flow::Return || flow == Flow::Dynamic) return flow;
  return runElse();
}

Flow ForLoop::unroll(int64_t from) {
  auto trip = [&](size_t k) -> Flow {
    JX_TRY_FLOW(value, item(Value::integer(from + static_cast<int64_t>(k))));
    if (!ev.assign(stmt->target, value)) return Flow::Failed;
    return ev.run(stmt->body);
  };
  return unrollFrom(ev, 0, *staticTrips() - from, trip, [&] { return runElse(); });
}

LoopSpec ForLoop::specFor(int64_t from) {
  LoopSpec spec;
  spec.node = stmt;
  spec.trips = trips.isSmallInt() ? Value::integer(trips.asInt() - from) : trips;
  bool scanned = !isRange;
  if (scanned) {
    Value rows = iterable;
    if (from) rows = ev.getItem(iterable, ev.arena.slice(Value::integer(from), Value::none(), Value::none()));
    if (rows) spec.xs = {rows};
  }
  spec.body = [this, from, scanned](Value index, llvm::ArrayRef<Value> slices) -> Flow {
    Value value = scanned ? slices[0] : item(indexOf(from, index));
    if (!value || !ev.assign(stmt->target, value)) return Flow::Failed;
    return ev.run(stmt->body);
  };
  if (auto *name = llvm::dyn_cast<NameExpr>(stmt->target))
    if (isRange && name->binding == Binding::Local && ev.frame->locals->kind == Kind::Frame)
      spec.derived.emplace_back(ev.frame->locals, name->slot);
  const Frame *home = ev.frame;
  spec.isLiveOut = [this, home](Object *object, size_t index, Value key) {
    if (object != home->locals) return true; // variables of enclosing functions, globals
    llvm::StringRef name = key ? key.asStr() : llvm::StringRef(home->scope->locals[index].str());
    return isReadLater(ev, stmt, name);
  };
  return spec;
}

// After a compiled loop over a range the target has its last value.
Status ForLoop::bindLast(Value count) {
  if (!isRange) return Status::success();
  if (count.isSmallInt() && count.asInt() == 0) return Status::success();
  JX_TRY(last, ev.binary(BinaryOp::Sub, count, Value::integer(1)));
  JX_TRY(value, item(last));
  return ev.assign(stmt->target, value);
}

Flow ForLoop::compile(int64_t from) {
  LoopCompiler compiler(ev, specFor(from));
  LoopResult result = compiler.compile();
  if (result != LoopResult::Compiled) return fallBack(compiler, result, from);
  if (!bindLast(trips)) return Flow::Failed;
  return runElse();
}

Flow ForLoop::fallBack(LoopCompiler &compiler, LoopResult result, int64_t from) {
  if (result == LoopResult::Failed) return Flow::Failed;
  if (result == LoopResult::LeavesEarly) return compileLeaving(from);
  auto count = staticTrips();
  if (result == LoopResult::Structure && count && *count - from >= 1 && !peeled) {
    // The first trip gives the variables their form.
    peeled = true;
    RestScope end(*ev.frame, Flow::Continue);
    JX_TRY_FLOW(value, item(Value::integer(from)));
    if (!ev.assign(stmt->target, value)) return Flow::Failed;
    bool leave;
    Flow flow = ev.run(stmt->body);
    if (flow == Flow::Dynamic) {
      ev.unsupported("leaving the first trip of a loop under a run-time condition while its variables change "
                     "their form");
      return Flow::Failed;
    }
    flow = afterTrip(flow, leave);
    if (leave) return flow;
    return *count - from == 1 ? runElse() : compile(from + 1);
  }
  if (count && *count - from <= int64_t(ev.options.maxUnroll)) return unroll(from);
  if (result == LoopResult::NotStatic) {
    ev.pending() = compiler.demanded;
    if (count)
      ev.pending().diagnostic.note("the loop has " + std::to_string(*count) + " trips; at most " +
                                   std::to_string(ev.options.maxUnroll) + " are unrolled");
    return Flow::Failed;
  }
  Diagnostic diagnostic(DiagKind::LoopNotRollable, ev.userHere(),
                        "this loop cannot be compiled: " + compiler.reason);
  if (count)
    diagnostic.note("it has " + std::to_string(*count) + " trips; at most " +
                    std::to_string(ev.options.maxUnroll) + " are unrolled");
  diagnostic.withHint(
      "give every variable that the body changes the same structure, shape and dtype before the loop");
  (void)ev.fail(std::move(diagnostic));
  return Flow::Failed;
}

// A loop that a run-time condition may leave is a while over an index and a tag.
Flow ForLoop::compileLeaving(int64_t from) {
  const int64_t goOn = static_cast<int64_t>(Flow::Continue);
  enum { Index, Tag, Returned };
  Object *control = ev.heap.create(Kind::Frame, {{}, {Value::integer(from), Value::integer(goOn), Value()}});
  Value count = trips;
  LoopSpec spec = specFor(from);
  auto body = std::move(spec.body);
  spec.trips = Value();
  spec.xs.clear();
  unsigned possible = 0;
  spec.condition = [&]() -> Value {
    Value more = ev.compare(CompareOp::Lt, control->at(Index), count);
    Value open = ev.compare(CompareOp::Eq, control->at(Tag), Value::integer(goOn));
    return ev.hostAnd(open, more);
  };
  spec.body = [&](Value, llvm::ArrayRef<Value>) -> Flow {
    Value index = control->at(Index);
    Value value = item(index);
    if (!value || !ev.assign(stmt->target, value)) return Flow::Failed;
    Flow flow = ev.run(stmt->body);
    if (flow == Flow::Failed) return flow;
    if (flow == Flow::Normal) flow = Flow::Continue;
    FlowTag tag = ev.flowTag;
    if (flow != Flow::Dynamic)
      tag = {Value::integer(static_cast<int64_t>(flow)), 1u << static_cast<unsigned>(flow)};
    possible |= tag.possible;
    ev.heap.set(control, Tag, tag.value);
    if (tag.mayBe(Flow::Return)) ev.heap.set(control, Returned, ev.returnValue);
    Value next = ev.binary(BinaryOp::Add, index, Value::integer(1));
    if (!next) return Flow::Failed;
    ev.heap.set(control, Index, next);
    return Flow::Continue;
  };
  auto outerLive = spec.isLiveOut;
  spec.isLiveOut = [control, outerLive](Object *object, size_t index, Value key) {
    return object == control || outerLive(object, index, key);
  };
  spec.derived.clear();
  LoopCompiler compiler(ev, std::move(spec));
  LoopResult result = compiler.compile();
  if (result == LoopResult::LeavesEarly) {
    ev.unsupported("this combination of early exits from a loop");
    return Flow::Failed;
  }
  if (result != LoopResult::Compiled) {
    peeled = true; // a peeled trip could leave
    return fallBack(compiler, result, from);
  }
  return afterLeavingLoop(ev, control->at(Tag), possible, control->at(Returned), [&] { return runElse(); });
}

Flow ForLoop::run(Value value) {
  iterable = value;
  isRange = value.is(Kind::Range);
  trips = ev.length(value);
  if (!trips) return Flow::Failed;
  if (trips.isSmallInt()) {
    if (trips.asInt() <= 0) return runElse();
    if (isRange) {
      bool emitted = false;
      Flow flow = execute(emitted);
      if (!emitted) return flow;
    }
  }
  return compile(0);
}

// Loops over containers unroll. Generators run in step with the body; other containers are taken as they are
// now.
Flow runOverElements(Evaluator &ev, const For *stmt, Value iterable) {
  if (!iterable.isAny(Kind::Generator, Kind::List, Kind::Instance)) {
    JX_TRY_FLOW(items, ev.elements(iterable));
    auto trip = [&](size_t k) {
      return ev.assign(stmt->target, (*items)[k]) ? ev.run(stmt->body) : Flow::Failed;
    };
    return unrollFrom(ev, 0, items->size(), trip, [&] { return ev.run(stmt->orelse); });
  }
  if (iterable.is(Kind::List) &&
      llvm::any_of(stmt->body, [](const Stmt *s) { return s->jumps.mayBreak || s->jumps.mayReturn; })) {
    JX_TRY_FLOW(items, ev.elements(iterable));
    auto trip = [&](size_t k) {
      return ev.assign(stmt->target, (*items)[k]) ? ev.run(stmt->body) : Flow::Failed;
    };
    return unrollFrom(ev, 0, items->size(), trip, [&] { return ev.run(stmt->orelse); });
  }
  Flow result = Flow::Normal;
  bool left = false;
  Status ok = ev.iterate(iterable, [&](Value item) -> Status {
    RestScope end(*ev.frame, Flow::Continue);
    JX_CHECK(ev.assign(stmt->target, item));
    Flow flow = ev.run(stmt->body);
    if (flow == Flow::Failed) return Failed();
    if (flow == Flow::Normal || flow == Flow::Continue) return Status::success();
    if (flow == Flow::Dynamic)
      return ev.unsupported("leaving a loop over a generator under a run-time condition");
    left = true;
    result = flow == Flow::Break ? Flow::Normal : flow;
    return ev.stopIteration();
  });
  if (!ok && ev.isPending(Pending::Stopped)) {
    ev.pending() = {};
    ok = Status::success();
  }
  if (!ok) return Flow::Failed;
  return left ? result : ev.run(stmt->orelse);
}

} // namespace

Flow afterLeavingLoop(Evaluator &ev, Value tag, unsigned possible, Value returned, const Branch &runElse) {
  auto is = [&](Flow flow) {
    return ev.hostCompare(CompareOp::Eq, tag, Value::integer(static_cast<int64_t>(flow)));
  };
  auto inner = [&]() -> Flow {
    if (!(possible >> static_cast<unsigned>(Flow::Break) & 1)) return runElse();
    JX_TRY_FLOW(broke, is(Flow::Break));
    if (broke.is(Kind::Bool)) return broke.asBool() ? Flow::Normal : runElse();
    return joinBranches(ev, broke, {runElse, [] { return Flow::Normal; }});
  };
  if (!(possible >> static_cast<unsigned>(Flow::Return) & 1)) return inner();
  JX_TRY_FLOW(returns, is(Flow::Return));
  auto leave = [&] {
    ev.returnValue = returned;
    return Flow::Return;
  };
  if (returns.is(Kind::Bool)) return returns.asBool() ? leave() : inner();
  return joinBranches(ev, returns, {inner, leave});
}

Flow runFor(Evaluator &ev, const For *stmt) {
  JX_TRY_FLOW(iterable, ev.eval(stmt->iter));
  if (iterable.is(Kind::Range) || (iterable.isArray() && iterable.arrayType().getRank() > 0))
    return ForLoop(ev, stmt).run(iterable);
  return runOverElements(ev, stmt, iterable);
}

Flow runWhile(Evaluator &ev, const While *stmt) {
  // First at compile time, as far as that goes.
  bool outer = ev.probing;
  {
    mlir::OpBuilder::InsertPoint point = ev.builder.saveInsertionPoint();
    Heap::Speculation speculation(ev.heap);
    auto mark = ev.sink.begin();
    Frame *frame = ev.frame;
    unsigned depth = ev.depth;
    ev.probing = true;
    Flow flow = Flow::Normal;
    bool leave = false, broke = false, dynamic = false;
    for (uint64_t k = 0; !leave; ++k) {
      Value test = ev.eval(stmt->test);
      Truth truth = test ? ev.truth(test) : Truth::Failed;
      if (truth == Truth::Failed) flow = Flow::Failed;
      if (truth == Truth::Dynamic) dynamic = true;
      if (truth != Truth::True) break;
      if (k == ev.options.maxExecutedTrips) {
        (void)ev.fail(DiagKind::TooManyTrips, "this loop runs more than " + std::to_string(k) +
                                                  " times while the program is compiled");
        flow = Flow::Failed;
        break;
      }
      RestScope end(*ev.frame, Flow::Continue);
      flow = ev.run(stmt->body);
      broke = flow == Flow::Break;
      leave = flow != Flow::Normal && flow != Flow::Continue;
    }
    ev.probing = outer;
    bool emitted = dynamic || (flow == Flow::Failed && ev.isPending(Pending::Emitted));
    if (!emitted) {
      speculation.commit();
      ev.sink.commit(mark);
      if (flow == Flow::Failed || flow == Flow::Return || flow == Flow::Dynamic) return flow;
      return broke ? Flow::Normal : ev.run(stmt->orelse);
    }
    ev.pending() = {};
    ev.frame = frame;
    ev.depth = depth;
    ev.builder.restoreInsertionPoint(point);
    speculation.rollback();
    ev.sink.rollback(mark);
  }
  const int64_t goOn = static_cast<int64_t>(Flow::Continue);
  enum { Tag, Returned };
  bool leaves = mayLeaveEarly(stmt->body);
  Object *control = ev.heap.create(Kind::Frame, {{}, {Value::integer(goOn), Value()}});
  unsigned possible = 0;
  LoopSpec spec;
  spec.node = stmt;
  spec.condition = [&]() -> Value {
    if (!leaves) return ev.eval(stmt->test);
    Value open = ev.compare(CompareOp::Eq, control->at(Tag), Value::integer(goOn));
    return shortCircuit(ev, true, open, [&] { return ev.eval(stmt->test); });
  };
  spec.body = [&](Value, llvm::ArrayRef<Value>) -> Flow {
    Flow flow = ev.run(stmt->body);
    if (flow == Flow::Failed || !leaves) return flow;
    if (flow == Flow::Normal) flow = Flow::Continue;
    FlowTag tag = ev.flowTag;
    if (flow != Flow::Dynamic)
      tag = {Value::integer(static_cast<int64_t>(flow)), 1u << static_cast<unsigned>(flow)};
    possible |= tag.possible;
    ev.heap.set(control, Tag, tag.value);
    if (tag.mayBe(Flow::Return)) ev.heap.set(control, Returned, ev.returnValue);
    return Flow::Continue;
  };
  const Frame *home = ev.frame;
  spec.isLiveOut = [&](Object *object, size_t index, Value key) {
    if (object != home->locals) return true;
    llvm::StringRef name = key ? key.asStr() : llvm::StringRef(home->scope->locals[index].str());
    return isReadLater(ev, stmt, name);
  };
  LoopCompiler compiler(ev, std::move(spec));
  LoopResult result = compiler.compile();
  if (result == LoopResult::Compiled)
    return leaves ? afterLeavingLoop(ev, control->at(Tag), possible, control->at(Returned),
                                     [&] { return ev.run(stmt->orelse); })
                  : ev.run(stmt->orelse);
  if (result == LoopResult::NotStatic) {
    ev.pending() = compiler.demanded;
    return Flow::Failed;
  }
  if (result == LoopResult::Failed) return Flow::Failed;
  (void)ev.fail(DiagKind::LoopNotRollable,
                "this `while` loop cannot be compiled: " +
                    (compiler.reason.empty()
                         ? "it is left early in a way that is not known when the program is compiled"
                         : compiler.reason));
  return Flow::Failed;
}

} // namespace jx::elab
