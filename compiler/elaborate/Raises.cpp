// Exceptions under run-time conditions. See Raises.h.
#include "compiler/elaborate/Raises.h"
#include "compiler/dialect/HostArray.h"
#include "compiler/dialect/JxDialect.h"
#include "compiler/elaborate/Branches.h"
#include "compiler/elaborate/Evaluation.h"

namespace jx::elab {

// A condition that is computed from so little is looked at when the program is compiled.

static Object *classOf(const Pending &raised) { return raised.exception.asObject()->cls; }

bool isRaise(Evaluator &ev) {
  const Pending &pending = ev.pending();
  return pending.reason == Pending::Exception &&
         (pending.fromRaise || ev.whoCatches(classOf(pending)) == Evaluator::Catcher::Here);
}

Guard::Guard(Evaluator &ev, Value raises, Outcome raisingBranch)
    : ev(ev), join(ev, raises), raising(std::move(raisingBranch)), outside(ev.builder.saveInsertionPoint()),
      speculation(std::make_unique<Heap::Speculation>(ev.heap)), mark(ev.sink.begin()) {
  join.ofException = true;
  going.region = std::make_unique<mlir::Region>();
  going.region->push_back(new mlir::Block);
  going.firstNew = speculation->firstNew();
  ev.builder.setInsertionPointToEnd(&going.region->front());
}

// The failure of what is elaborated in the branch takes it back.
Guard::~Guard() {
  if (!open) return;
  speculation->rollback();
  ev.sink.rollback(mark);
  ev.builder.restoreInsertionPoint(outside);
  ev.abandon(std::move(going.region));
  ev.abandon(std::move(raising.region));
}

Flow Guard::close(Flow flow, const Handle *handle) {
  open = false;
  noteEnd(ev, going, flow);
  for (auto &change : speculation->changes()) going.after.insert({change.object, change.object->peek()});
  speculation->rollback();
  going.warnings = ev.sink.rollback(mark);
  ev.builder.restoreInsertionPoint(outside);
  if (handle) {
    Pending raised = raising.tag.raised[0].pending;
    auto handled = elaborateBranch(ev, [&] { return (*handle)(raised); }, std::move(raising));
    if (!handled) {
      ev.abandon(std::move(going.region));
      return Flow::Failed;
    }
    raising = std::move(*handled);
  }
  join.outcomes.push_back(std::move(going));
  join.outcomes.push_back(std::move(raising));
  return join.compare() ? join.finish() : Flow::Failed;
}

// The branch ends the program.
static Status stopWhen(Evaluator &ev, Value condition, Outcome raising) {
  const Pending &raised = raising.tag.raised[0].pending;
  Value exception = raised.exception;
  mlir::Location at = ev.location(raised.diagnostic.primary.range);
  auto stopUnless = [&](Value holds) -> Status {
    JX_TRY(message, ev.str(exception));
    return ev.emitStop(holds, ev.typeName(exception), message, at);
  };
  if (raising.region->front().empty()) {
    ev.abandon(std::move(raising.region));
    return stopUnless(ev.hostNot(condition));
  }
  auto going = elaborateBranch(ev, [] { return Flow::Normal; });
  auto stopped = elaborateBranch(
      ev, [&] { return stopUnless(Value::boolean(false)) ? Flow::Normal : Flow::Failed; },
      std::move(raising));
  if (!stopped) return Failed();
  stopped->after.clear();
  BranchJoin join(ev, condition);
  join.outcomes.push_back(std::move(*going));
  join.outcomes.push_back(std::move(*stopped));
  if (!join.compare() || join.finish() == Flow::Failed) return Failed();
  return Status::success();
}

// The branch is the one that is taken: what it did stands.
static Failed raiseHere(Evaluator &ev, Outcome raising) {
  mlir::Block &block = raising.region->front();
  ev.builder.getInsertionBlock()->getOperations().splice(ev.builder.getInsertionPoint(),
                                                         block.getOperations());
  for (auto &[object, contents] : raising.after) ev.heap.replace(object, contents);
  for (Diagnostic &warning : raising.warnings) ev.sink.report(warning);
  ev.pending() = raising.tag.raised[0].pending;
  return {};
}

Status raiseWhen(Evaluator &ev, Value condition, Outcome raising) {
  if (!condition || !ev.mayEmit()) return Failed();
  Pending raised = raising.tag.raised[0].pending;
  Evaluator::Catcher catcher = ev.whoCatches(classOf(raised));
  // A handler may leave what the rest of the `try` does not, where no run-time input decides between them.
  if (catcher == Evaluator::Catcher::Here && condition.isHost())
    if (auto known =
            evaluateNow(ev, condition.asHost().value, EvaluationLimits::forConvenience(maxDecidedBytes)))
      condition = Value::boolean(known->front().scalarInt() != 0);
  if (catcher == Evaluator::Catcher::Outside) {
    condition = ev.toStatic(condition, "the condition under which an exception is raised inside `try`");
    if (!condition) {
      ev.pending().diagnostic.withHint(
          "raise outside of the function that is compiled or transformed, on what it returns");
      return Failed();
    }
  }
  if (condition.is(Kind::Bool)) {
    if (condition.asBool()) return raiseHere(ev, std::move(raising));
    ev.abandon(std::move(raising.region));
    return Status::success();
  }
  if (catcher == Evaluator::Catcher::None) return stopWhen(ev, condition, std::move(raising));
  ev.guards.push_back(std::make_unique<Guard>(ev, condition, std::move(raising)));
  return Status::success();
}

Status raiseUnless(Evaluator &ev, Value holds, Object *cls, Value message) {
  auto raising = elaborateBranch(ev, [&]() -> Flow {
    CallArgs arguments;
    arguments.positional.push_back(message);
    JX_TRY_FLOW(exception, ev.instantiate(cls, arguments));
    (void)ev.raise(exception, ev.here());
    return Flow::Failed;
  });
  if (!raising) return Failed();
  return raiseWhen(ev, ev.hostNot(holds), std::move(*raising));
}

Flow takeRaises(Evaluator &ev, Flow flow) {
  if (flow != Flow::Dynamic || !ev.flowTag.mayBe(Flow::Raise)) return flow;
  FlowTag tag = ev.flowTag;
  Value returned = ev.returnValue;
  std::vector<Raised> raises = std::move(tag.raised);
  tag.raised.clear();
  tag.possible &= ~(1u << static_cast<unsigned>(Flow::Raise));
  for (auto [i, raised] : llvm::enumerate(raises)) {
    if (!tag.possible && i + 1 == raises.size()) {
      ev.pending() = raised.pending;
      return Flow::Failed;
    }
    Value isIt = ev.hostCompare(ast::CompareOp::Eq, tag.value, Value::integer(raised.number));
    if (!raiseWhen(ev, isIt, raisingOutcome(ev, raised))) return Flow::Failed;
  }
  ev.returnValue = returned;
  for (Flow single : {Flow::Normal, Flow::Break, Flow::Continue, Flow::Return})
    if (tag.possible == 1u << static_cast<unsigned>(single)) return single;
  ev.flowTag = tag;
  return Flow::Dynamic;
}

Flow closeGuards(Evaluator &ev, size_t mark, Flow flow, const Handle *handle) {
  bool goesOn = flow != Flow::Failed || isRaise(ev);
  while (goesOn && ev.guards.size() > mark) {
    std::unique_ptr<Guard> guard = std::move(ev.guards.back());
    ev.guards.pop_back();
    flow = guard->close(flow, handle);
    goesOn = flow != Flow::Failed;
  }
  while (ev.guards.size() > mark) ev.guards.pop_back();
  return flow;
}

Flow runTrip(Evaluator &ev, const std::function<Flow()> &body) {
  size_t mark = ev.guards.size();
  Flow flow = closeGuards(ev, mark, body());
  bool raises = flow == Flow::Failed && ev.isPending(Pending::Exception) &&
                ev.whoCatches(classOf(ev.pending())) == Evaluator::Catcher::Here;
  if (!raises) return flow;
  Outcome outcome;
  noteEnd(ev, outcome, flow);
  ev.flowTag = outcome.tag;
  return Flow::Dynamic;
}

Flow protect(Evaluator &ev, Catching catching, const std::function<Flow()> &body,
             const std::function<Flow(Flow)> &after, const Handle &handle) {
  size_t mark = ev.guards.size();
  ev.tries.push_back(catching);
  Flow flow = body();
  ev.tries.pop_back();
  ev.frame = catching.frame;
  size_t ofBody = ev.guards.size();
  if (flow == Flow::Failed && ev.isPending(Pending::Exception)) {
    Pending raised = ev.pending();
    flow = handle(raised);
  } else if (flow != Flow::Failed) {
    flow = after(flow);
  }
  return closeGuards(ev, mark, closeGuards(ev, ofBody, flow), &handle);
}

} // namespace jx::elab
