// `for` statements: which way a loop is taken. See Loops.h.
#include "compiler/elaborate/Loops.h"
#include "compiler/elaborate/Branches.h"
#include "compiler/elaborate/Generators.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Casting.h"

namespace jx::elab {

using namespace ast;

namespace {

class ForLoop {
public:
  ForLoop(Evaluator &ev, const For *stmt) : ev(ev), stmt(stmt) {}
  Flow run(Value iterable);

private:
  // Trips first, first + 1, ... of a range, or of an array's leading dimension.
  Value item(Value index);
  Flow runElse() { return isPart ? Flow::Normal : ev.run(stmt->orelse); }
  std::optional<Flow> execute();
  Flow unroll(int64_t from);
  Flow compile(int64_t from);
  Flow cut(int64_t from, int64_t period);
  std::optional<Flow> compilePeriods(int64_t from, int64_t period);
  Flow runPart(Value first, int64_t count);
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
  bool peeled = false;    // the first trip ran apart from the others
  bool lastApart = false; // the last trip runs apart from the others
  bool isPart = false;    // some trips of a loop that was cut
  int64_t ownParts = static_cast<int64_t>(ev.options.maxUnroll);
  int64_t *partsLeft = &ownParts; // how often the loop may still be cut
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

// Runs the loop at compile time, as far as that goes.
std::optional<Flow> ForLoop::execute() {
  bool ranOut = false;
  std::optional<Flow> done = executeNow(ev, [&](bool &) -> Flow {
    for (int64_t k = 0; k < trips.asInt(); ++k) {
      if (k == int64_t(ev.options.maxExecutedTrips)) {
        (void)ev.fail(DiagKind::TooManyTrips, "this loop runs more than " + std::to_string(k) +
                                                  " times while the program is compiled");
        return Flow::Failed;
      }
      RestScope end(*ev.frame, Flow::Continue);
      JX_TRY_FLOW(value, item(Value::integer(k)));
      if (!ev.assign(stmt->target, value)) return Flow::Failed;
      bool leave;
      Flow flow = afterTrip(ev.run(stmt->body), leave);
      if (leave) return flow;
    }
    ranOut = true;
    return Flow::Normal;
  });
  return done && ranOut ? runElse() : done;
}

Flow ForLoop::unroll(int64_t from) {
  auto trip = [&](size_t k) -> Flow {
    JX_TRY_FLOW(value, item(Value::integer(from + static_cast<int64_t>(k))));
    if (!ev.assign(stmt->target, value)) return Flow::Failed;
    return ev.run(stmt->body);
  };
  return unrollFrom(ev, 0, {endAfter(*staticTrips() - from, [&] { return runElse(); }), trip});
}

LoopSpec ForLoop::specFor(int64_t from) {
  LoopSpec spec;
  spec.node = stmt;
  int64_t end = trips.isSmallInt() ? trips.asInt() - lastApart : 0;
  spec.trips = trips.isSmallInt() ? Value::integer(end - from) : trips;
  bool scanned = !isRange;
  if (scanned) {
    Value rows = iterable;
    if (from || lastApart)
      rows = ev.getItem(iterable, ev.arena.slice(Value::integer(from), Value::integer(end), Value::none()));
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
    if (isPart || object != home->locals) return true; // variables of enclosing functions, globals
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
  if (lastApart) return unroll(trips.asInt() - 1);
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
  if (result == LoopResult::NotStatic && compiler.demanded.demand.period && count && *count - from >= 2 &&
      !mayLeaveEarly(stmt->body) && --*partsLeft >= 0)
    return cut(from, compiler.demanded.demand.period);
  if (result == LoopResult::NotStatic && count && *count - from >= 2 && !lastApart) {
    // A ragged last trip, such as that of `x[i * b:min((i + 1) * b, n)]`: the others have one form.
    lastApart = true;
    LoopCompiler others(ev, specFor(from));
    LoopResult found = others.compile();
    if (found == LoopResult::Compiled) return unroll(*count - 1);
    if (found == LoopResult::Failed) return Flow::Failed;
    lastApart = false;
  }
  if (count && *count - from <= int64_t(ev.options.maxUnroll)) return unroll(from);
  if (result == LoopResult::NotStatic) {
    ev.pending() = compiler.demanded;
    if (count)
      ev.pending().diagnostic.note("the loop has " + std::to_string(*count) + " trips; at most " +
                                   std::to_string(ev.options.maxUnroll) + " are unrolled");
    return Flow::Failed;
  }
  Diagnostic diagnostic = notRollable(ev, "this loop", compiler.reason);
  if (count)
    diagnostic.note("it has " + std::to_string(*count) + " trips; at most " +
                    std::to_string(ev.options.maxUnroll) + " are unrolled");
  (void)ev.fail(std::move(diagnostic));
  return Flow::Failed;
}

// The trips first, first + 1, ... as a loop of their own.
Flow ForLoop::runPart(Value first, int64_t count) {
  ForLoop part(ev, stmt);
  part.isPart = true;
  part.isRange = isRange;
  part.partsLeft = partsLeft;
  part.trips = Value::integer(count);
  JX_TRY_FLOW(end, ev.binary(BinaryOp::Add, first, part.trips));
  if (isRange) {
    JX_TRY_FLOW(start, item(first));
    JX_TRY_FLOW(stop, item(end));
    part.iterable = ev.arena.range(start, stop, iterable.asSlice().step);
  } else {
    part.iterable = ev.getItem(iterable, ev.arena.slice(first, end, Value::none()));
    if (!part.iterable) return Flow::Failed;
  }
  return count == 1 ? part.unroll(0) : part.compile(0);
}

// A loop with a condition on its index that must be known, such as `i % 10 == 0` or `i >= warmup` where a
// list grows: periods of it make a loop, and what is left is halved until each part knows the condition.
Flow ForLoop::cut(int64_t from, int64_t period) {
  ev.pending() = {};
  int64_t count = trips.asInt() - from;
  if (period > 1 && count >= 2 * period)
    if (auto done = compilePeriods(from, period)) return *done == Flow::Normal ? runElse() : *done;
  for (auto [first, size] : {std::pair(from, count / 2), std::pair(from + count / 2, count - count / 2)}) {
    Flow flow = runPart(Value::integer(first), size);
    if (flow != Flow::Normal) return flow;
  }
  return runElse();
}

// Nothing when the condition is not known even so.
std::optional<Flow> ForLoop::compilePeriods(int64_t from, int64_t period) {
  int64_t count = trips.asInt() - from;
  for (int64_t apart : {0, 1}) { // one period apart may give the variables their form
    if (apart) {
      Flow flow = runPart(Value::integer(from), period);
      if (flow != Flow::Normal) return flow;
    }
    int64_t begin = from + apart * period, rest = count % period;
    LoopSpec spec;
    spec.node = stmt->iter; // carries are remembered apart from those of the trips
    spec.trips = Value::integer(count / period - apart);
    spec.isLiveOut = [](Object *, size_t, Value) { return true; };
    int64_t *outerParts = partsLeft;
    spec.body = [&](Value k, llvm::ArrayRef<Value>) -> Flow {
      int64_t parts = static_cast<int64_t>(ev.options.maxUnroll);
      partsLeft = &parts;
      Value first = indexOf(begin, ev.binary(BinaryOp::Mul, Value::integer(period), k));
      Flow flow = first ? runPart(first, period) : Flow::Failed;
      partsLeft = outerParts;
      return flow;
    };
    LoopCompiler compiler(ev, std::move(spec));
    LoopResult result = compiler.compile();
    if (result == LoopResult::Failed) return Flow::Failed;
    if (result == LoopResult::Compiled)
      return rest ? runPart(Value::integer(from + count - rest), rest) : Flow::Normal;
    ev.pending() = {};
    if (apart) return runPart(Value::integer(begin), count - period);
    if (result != LoopResult::Structure) break;
  }
  return std::nullopt;
}

// A loop that a run-time condition may leave is a while over an index and the outcome of the last trip.
Flow ForLoop::compileLeaving(int64_t from) {
  Object *counter = ev.heap.create(Kind::Frame, {{}, {Value::integer(from)}});
  LoopExit exit(ev);
  Value count = trips;
  LoopSpec spec = specFor(from);
  spec.trips = Value();
  spec.xs.clear();
  spec.condition = [&]() -> Value {
    Value more = ev.compare(CompareOp::Lt, counter->at(0), count);
    return ev.hostAnd(exit.goesOn(), more);
  };
  spec.body = [&](Value, llvm::ArrayRef<Value>) -> Flow {
    Value index = counter->at(0);
    Flow flow = exit.run([&]() -> Flow {
      Value value = item(index);
      return value && ev.assign(stmt->target, value) ? ev.run(stmt->body) : Flow::Failed;
    });
    Value next = flow == Flow::Failed ? Value() : ev.binary(BinaryOp::Add, index, Value::integer(1));
    if (!next) return Flow::Failed;
    ev.heap.set(counter, 0, next);
    return flow;
  };
  auto outerLive = spec.isLiveOut;
  spec.isLiveOut = [&exit, outerLive](Object *object, size_t index, Value key) {
    return object == exit.control || outerLive(object, index, key);
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
  return exit.after([&] { return runElse(); });
}

Flow ForLoop::run(Value value) {
  iterable = value;
  isRange = value.is(Kind::Range);
  trips = ev.length(value);
  if (!trips) return Flow::Failed;
  if (trips.isSmallInt()) {
    if (trips.asInt() <= 0) return runElse();
    if (isRange)
      if (auto done = execute()) return *done;
  }
  return compile(0);
}

// A loop that its body may leave takes its elements one at a time, so that what it does not take is left.
// One that the statement itself made is closed when it is left.
Flow runStepwise(Evaluator &ev, const For *stmt, Value iterable, bool isOwn) {
  JX_TRY_FLOW(iterator, iteratorOf(ev, iterable));
  Value item;
  bool leavesAtRunTime = false;
  UnrolledLoop loop;
  loop.endBefore = [&](size_t k) -> std::optional<Flow> {
    item = advance(ev, iterator);
    if (!item && !ev.isPending(Pending::None)) return Flow::Failed;
    if (!item) return ev.run(stmt->orelse);
    if (k < (leavesAtRunTime ? ev.options.maxUnroll : ev.options.maxExecutedTrips)) return std::nullopt;
    Diagnostic diagnostic =
        notRollable(ev, "this loop over an iterator",
                    leavesAtRunTime ? "it is left under a condition that is known at run time only"
                                    : "it does not end while the program is compiled");
    diagnostic.note("it has more than " + std::to_string(k) + " trips");
    (void)ev.fail(std::move(diagnostic));
    return Flow::Failed;
  };
  loop.trip = [&](size_t) {
    if (!ev.assign(stmt->target, item)) return Flow::Failed;
    Flow flow = ev.run(stmt->body);
    leavesAtRunTime |= flow == Flow::Dynamic;
    return flow;
  };
  Flow flow = unrollFrom(ev, 0, loop);
  if (isOwn && item && iterator.is(Kind::Generator) && flow != Flow::Failed && !leavesAtRunTime) {
    Value returned = ev.returnValue;
    if (!closeGenerator(ev, iterator)) return Flow::Failed;
    ev.returnValue = returned;
  }
  return flow;
}

// Loops over containers unroll. Generators run in step with the body; other containers are taken as they are
// now.
Flow runOverElements(Evaluator &ev, const For *stmt, Value iterable, bool isOwn) {
  bool mayLeave = mayLeaveEarly(stmt->body);
  if (mayLeave && isLazy(ev, iterable)) return runStepwise(ev, stmt, iterable, isOwn);
  bool growing = iterable.is(Kind::List) && !mayLeave; // the body may append to it
  if (!growing && !iterable.isAny(Kind::Generator, Kind::Instance, Kind::Iterator)) {
    JX_TRY_FLOW(items, ev.elements(iterable));
    auto trip = [&](size_t k) {
      return ev.assign(stmt->target, (*items)[k]) ? ev.run(stmt->body) : Flow::Failed;
    };
    return unrollFrom(ev, 0, {endAfter(items->size(), [&] { return ev.run(stmt->orelse); }), trip});
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

Flow runFor(Evaluator &ev, const For *stmt) {
  uint32_t firstNew = ev.heap.nextObjectId();
  JX_TRY_FLOW(iterable, ev.eval(stmt->iter));
  if (iterable.is(Kind::Range) || (iterable.isArray() && iterable.arrayType().getRank() > 0))
    return ForLoop(ev, stmt).run(iterable);
  bool isOwn = iterable.is(Kind::Generator) && iterable.asObject()->id >= firstNew;
  return runOverElements(ev, stmt, iterable, isOwn);
}

} // namespace jx::elab
