// `while` statements, and what every loop shares that is left early or unrolled. See Loops.h.
#include "compiler/elaborate/Branches.h"
#include "compiler/elaborate/Loops.h"
#include "compiler/elaborate/Raises.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Casting.h"

namespace jx::elab {

using namespace ast;

bool mayLeaveEarly(Block body) {
  return llvm::any_of(body, [](const Stmt *stmt) { return stmt->jumps.mayBreak || stmt->jumps.mayReturn; });
}

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

Diagnostic notRollable(Evaluator &ev, const std::string &what, const std::string &reason) {
  Diagnostic diagnostic(DiagKind::LoopNotRollable, ev.userHere(), what + " cannot be compiled: " + reason);
  diagnostic.withHint(
      llvm::StringRef(reason).contains(" string ")
          ? "let the loop change a number, and make the string from it after the loop"
          : "give every variable that the body changes the same structure, shape and dtype before the loop");
  return diagnostic;
}

std::optional<Flow> executeNow(Evaluator &ev, const std::function<Flow(bool &)> &work) {
  bool outer = ev.probing, needsRunTime = false;
  mlir::OpBuilder::InsertPoint point = ev.builder.saveInsertionPoint();
  Heap::Speculation speculation(ev.heap);
  auto mark = ev.sink.begin();
  Frame *frame = ev.frame;
  unsigned depth = ev.depth;
  ev.probing = true;
  Flow flow = work(needsRunTime);
  ev.probing = outer;
  if (!needsRunTime && !(flow == Flow::Failed && ev.isPending(Pending::Emitted))) {
    speculation.commit();
    ev.sink.commit(mark);
    return flow;
  }
  ev.pending() = {};
  ev.frame = frame;
  ev.depth = depth;
  ev.builder.restoreInsertionPoint(point);
  speculation.rollback();
  ev.sink.rollback(mark);
  return std::nullopt;
}

std::function<std::optional<Flow>(size_t)> endAfter(size_t n, std::function<Flow()> runElse) {
  return [n, runElse = std::move(runElse)](size_t k) -> std::optional<Flow> {
    if (k < n) return std::nullopt;
    return runElse();
  };
}

Flow unrollFrom(Evaluator &ev, size_t k, const UnrolledLoop &loop) {
  for (;; ++k) {
    if (std::optional<Flow> end = loop.endBefore(k)) return *end;
    Flow flow;
    {
      RestScope end(*ev.frame, Flow::Continue);
      flow = loop.trip(k);
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
    return joinBranches(ev, goesOn, {leave, [&] { return unrollFrom(ev, k + 1, loop); }});
  }
}

namespace {
enum ExitSlot : size_t { Tag, Returned, FirstRaised };
constexpr size_t maxRaises = 16; // exceptions that one loop may end with
} // namespace

LoopExit::LoopExit(Evaluator &ev)
    : control(ev.heap.create(Kind::Frame, {{}, std::vector<Value>(FirstRaised + maxRaises)})), ev(ev) {
  ev.heap.set(control, Tag, FlowTag::of(Flow::Continue).value);
}

Value LoopExit::is(Flow flow) {
  return ev.hostCompare(CompareOp::Eq, control->at(Tag), FlowTag::of(flow).value);
}

Value LoopExit::goesOn() { return ev.hostOr(is(Flow::Normal), is(Flow::Continue)); }

Flow LoopExit::run(const std::function<Flow()> &body) {
  Flow flow = runTrip(ev, body);
  if (flow == Flow::Failed) return flow;
  if (flow == Flow::Normal) flow = Flow::Continue;
  FlowTag tag = flow == Flow::Dynamic ? ev.flowTag : FlowTag::of(flow);
  if (tag.raised.size() > maxRaises) {
    ev.unsupported("a loop that more than " + std::to_string(maxRaises) + " exceptions may leave");
    return Flow::Failed;
  }
  possible |= tag.possible;
  ev.heap.set(control, Tag, tag.value);
  if (tag.mayBe(Flow::Return)) ev.heap.set(control, Returned, ev.returnValue);
  raised = tag.raised;
  for (auto [i, one] : llvm::enumerate(raised)) ev.heap.set(control, FirstRaised + i, one.pending.exception);
  return Flow::Continue;
}

Flow LoopExit::after(const Branch &runElse) {
  for (auto [i, one] : llvm::enumerate(raised)) one.pending.exception = control->at(FirstRaised + i);
  ev.flowTag = {control->at(Tag), possible, raised, {}};
  ev.returnValue = control->at(Returned);
  if (takeRaises(ev, Flow::Dynamic) == Flow::Failed) return Flow::Failed;
  auto inner = [&]() -> Flow {
    if (!(possible >> static_cast<unsigned>(Flow::Break) & 1)) return runElse();
    JX_TRY_FLOW(broke, is(Flow::Break));
    if (broke.is(Kind::Bool)) return broke.asBool() ? Flow::Normal : runElse();
    return joinBranches(ev, broke, {runElse, [] { return Flow::Normal; }});
  };
  if (!(possible >> static_cast<unsigned>(Flow::Return) & 1)) return inner();
  JX_TRY_FLOW(returns, is(Flow::Return));
  auto leave = [&] {
    ev.returnValue = control->at(Returned);
    return Flow::Return;
  };
  if (returns.is(Kind::Bool)) return returns.asBool() ? leave() : inner();
  return joinBranches(ev, returns, {inner, leave});
}

namespace {

class WhileLoop {
public:
  WhileLoop(Evaluator &ev, const While *stmt) : ev(ev), stmt(stmt), leaves(mayLeaveEarly(stmt->body)) {}
  Flow run();

private:
  std::optional<Flow> execute();
  std::optional<Flow> compile();
  Flow unroll(bool mayCompile);
  Flow runElse() { return ev.run(stmt->orelse); }

  Evaluator &ev;
  const While *stmt;
  bool leaves;
  Diagnostic why{DiagKind::LoopNotRollable, {}, ""}; // why the loop was not compiled
  Pending demanded;
};

// Runs the loop at compile time, as far as that goes.
std::optional<Flow> WhileLoop::execute() {
  bool ranOut = false;
  std::optional<Flow> done = executeNow(ev, [&](bool &needsRunTime) -> Flow {
    for (uint64_t k = 0;; ++k) {
      JX_TRY_FLOW(test, ev.eval(stmt->test));
      Truth truth = ev.truth(test);
      if (truth == Truth::Failed) return Flow::Failed;
      needsRunTime = truth == Truth::Dynamic;
      if (needsRunTime) return Flow::Normal;
      ranOut = truth == Truth::False;
      if (ranOut) return Flow::Normal;
      if (k == ev.options.maxExecutedTrips) {
        (void)ev.fail(DiagKind::TooManyTrips, "this loop runs more than " + std::to_string(k) +
                                                  " times while the program is compiled");
        return Flow::Failed;
      }
      RestScope end(*ev.frame, Flow::Continue);
      Flow flow = ev.run(stmt->body);
      if (flow == Flow::Normal || flow == Flow::Continue) continue;
      return flow == Flow::Break ? Flow::Normal : flow;
    }
  });
  return done && ranOut ? runElse() : done;
}

// One jx.while. Nothing when that is not possible; then it left no trace, and `why` says the reason.
std::optional<Flow> WhileLoop::compile() {
  LoopExit exit(ev);
  LoopSpec spec;
  spec.node = stmt;
  spec.condition = [&]() -> Value {
    if (!leaves) return ev.eval(stmt->test);
    JX_TRY(open, exit.goesOn());
    return shortCircuit(ev, true, open, [&] { return ev.eval(stmt->test); });
  };
  spec.body = [&](Value, llvm::ArrayRef<Value>) -> Flow {
    auto body = [&] { return ev.run(stmt->body); };
    return leaves ? exit.run(body) : body();
  };
  const Frame *home = ev.frame;
  spec.isLiveOut = [&](Object *object, size_t index, Value key) {
    if (object != home->locals) return true;
    llvm::StringRef name = key ? key.asStr() : llvm::StringRef(home->scope->locals[index].str());
    return isReadLater(ev, stmt, name);
  };
  LoopCompiler compiler(ev, std::move(spec));
  switch (compiler.compile()) {
  case LoopResult::Compiled:
    if (!leaves) return runElse();
    return exit.after([&] { return runElse(); });
  case LoopResult::Failed:
    return Flow::Failed;
  case LoopResult::NotStatic:
    demanded = compiler.demanded;
    return std::nullopt;
  case LoopResult::LeavesEarly:
    if (!leaves) { // an exception
      leaves = true;
      return compile();
    }
    [[fallthrough]];
  default:
    why = notRollable(ev, "this `while` loop",
                      compiler.reason.empty()
                          ? "it is left early in a way that is not known when the program is compiled"
                          : compiler.reason);
    return std::nullopt;
  }
}

// The trips one by one, as long as the test is known when the program is compiled. Where the first trip gives
// the variables their form, the rest may be compiled.
Flow WhileLoop::unroll(bool mayCompile) {
  UnrolledLoop loop;
  loop.endBefore = [&](size_t k) -> std::optional<Flow> {
    JX_TRY_FLOW(test, ev.eval(stmt->test));
    Truth known = ev.truth(test);
    if (known == Truth::Dynamic) {
      Value value = ev.truthValue(test);
      if (value) value = ev.toStatic(value, "the condition of a `while` loop that cannot be compiled");
      if (!value && ev.isPending(Pending::Needed)) {
        // What is wrong is the loop; the options among what the test depends on may be frozen.
        Pending needed = demanded.reason == Pending::Needed ? demanded : ev.pending();
        if (demanded.reason != Pending::Needed) needed.diagnostic = why;
        needed.demand.sources = mergeSources(needed.demand.sources, ev.pending().demand.sources);
        ev.pending() = std::move(needed);
      }
      known = value ? ev.truth(value) : Truth::Failed;
    }
    if (known == Truth::Failed) return Flow::Failed;
    if (known == Truth::False) return runElse();
    if (k >= ev.options.maxUnroll) {
      Diagnostic diagnostic = demanded.reason == Pending::Needed ? demanded.diagnostic : why;
      diagnostic.note("it has more than " + std::to_string(k) + " trips; at most " +
                      std::to_string(ev.options.maxUnroll) + " are unrolled");
      (void)ev.fail(std::move(diagnostic));
      return Flow::Failed;
    }
    return mayCompile && k == 1 ? compile() : std::nullopt;
  };
  loop.trip = [&](size_t) { return ev.run(stmt->body); };
  return unrollFrom(ev, 0, loop);
}

Flow WhileLoop::run() {
  if (auto done = execute()) return *done;
  // An endless loop of a generator ends when its consumer has enough, which is seen trip by trip.
  auto *constant = llvm::dyn_cast<BoolConst>(stmt->test);
  bool endless = constant && constant->value && ev.frame->consumer;
  if (endless)
    why = notRollable(ev, "this endless loop of a generator", "its consumer decides where it ends");
  else if (auto done = compile())
    return *done;
  return unroll(!endless);
}

} // namespace

Flow runWhile(Evaluator &ev, const While *stmt) { return WhileLoop(ev, stmt).run(); }

} // namespace jx::elab
