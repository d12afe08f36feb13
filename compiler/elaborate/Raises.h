// Exceptions that are raised under a run-time condition inside a `try` or `with`.
//
// Where the exception may be raised a jx.cond begins: one branch makes the exception, and what is elaborated
// from there on goes into the other branch, until the region ends in which the condition stands. At the end
// of the `try` the handlers are elaborated in the branch that raised. Where a loop's body or the branch of
// another condition ends first, the exception leaves it as an outcome (Flow::Raise) with a number of its own,
// and a guard on that number begins behind the loop or condition.
#pragma once
#include "compiler/elaborate/BranchJoin.h"

namespace jx::elab {

// What a `try` does with an exception.
using Handle = std::function<Flow(const Pending &)>;

// The branch in which the program goes on when the exception is not raised.
class Guard {
public:
  Guard(Evaluator &ev, Value raises, Outcome raising);
  ~Guard();
  // Ends the branch, which ended with `flow`; `handle`, if given, goes on in the other one.
  Flow close(Flow flow, const Handle *handle);

private:
  Evaluator &ev;
  BranchJoin join;
  Outcome raising, going;
  mlir::OpBuilder::InsertPoint outside;
  std::unique_ptr<Heap::Speculation> speculation;
  DiagnosticSink::Checkpoint mark;
  bool open = true;
};

// The pending failure is an exception that may be an outcome of a branch.
bool isRaise(Evaluator &ev);
// Raises in the way of `raising` when the condition, a host bool, holds; what follows runs when it does not.
// Stops the program if nothing catches the exception.
Status raiseWhen(Evaluator &ev, Value condition, Outcome raising);
// Raises an exception of the class with the message when the host bool is false, which a handler catches.
Status raiseUnless(Evaluator &ev, Value holds, Object *cls, Value message);
// Makes guards of the exceptions among the outcomes of a join or loop, and returns the flow without them.
Flow takeRaises(Evaluator &ev, Flow flow);
// Closes the guards that were opened since there were `mark`. The flow may then include Flow::Raise.
Flow closeGuards(Evaluator &ev, size_t mark, Flow flow, const Handle *handle = nullptr);
// Runs the body of a compiled loop to its end, guards closed. Where it always raises an exception that a
// handler around catches, that is an outcome too: the loop may have no trips.
Flow runTrip(Evaluator &ev, const std::function<Flow()> &body);
// Runs `body`, then `after` with the flow in which it ended, and `handle` where it raised an exception of
// those that `catching` waits for.
Flow protect(Evaluator &ev, Catching catching, const std::function<Flow()> &body,
             const std::function<Flow(Flow)> &after, const Handle &handle);

// What is elaborated in this scope cannot raise into a `try` around it.
class UnreachableTries {
public:
  UnreachableTries(Evaluator &ev) : ev(ev), outer(ev.firstReachableTry) {
    ev.firstReachableTry = ev.tries.size();
  }
  ~UnreachableTries() { ev.firstReachableTry = outer; }
  UnreachableTries(const UnreachableTries &) = delete;

private:
  Evaluator &ev;
  size_t outer;
};

} // namespace jx::elab
