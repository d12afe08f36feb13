// raise, try and with, over exceptions of elaboration time.
#include "compiler/elaborate/Branches.h"
#include "compiler/elaborate/Raises.h"
#include "llvm/Support/Casting.h"

namespace jx::elab {

using namespace ast;

Status Evaluator::runRaise(const Raise *stmt) {
  if (!stmt->exception) {
    for (Frame *f = frame; f; f = f->caller)
      if (f->handling) {
        (void)raise(f->handling, stmt->range);
        pendingState.fromRaise = true;
        return Failed();
      }
    return raise("RuntimeError", "no active exception to re-raise");
  }
  JX_TRY(exception, eval(stmt->exception));
  if (exception.is(Kind::Class)) {
    CallArgs none;
    exception = instantiate(exception.asObject(), none);
    if (!exception) return Failed();
  }
  if (!exception.is(Kind::Instance) || !isSubclass(exception.asObject()->cls, builtinClass("BaseException")))
    return typeError("exceptions must derive from BaseException");
  if (stmt->cause) {
    JX_TRY(cause, eval(stmt->cause));
    heap.put(exception.asObject(), arena.str("__cause__"), cause);
  }
  (void)raise(exception, stmt->range);
  pendingState.fromRaise = true;
  return Failed();
}

// Whether the handler is for exceptions of the class. A failure to evaluate its type is pending.
static bool handles(Evaluator &ev, const ExceptHandler &handler, Object *cls) {
  if (!handler.type) return true;
  Value type = ev.eval(handler.type);
  if (!type) return false;
  std::vector<Value> classes = type.is(Kind::Tuple) ? type.asTuple().items : std::vector<Value>{type};
  return llvm::any_of(classes,
                      [&](Value one) { return one.is(Kind::Class) && ev.isSubclass(cls, one.asObject()); });
}

Evaluator::Catcher Evaluator::whoCatches(Object *cls) {
  Pending saved = pendingState;
  Frame *here = frame;
  Catcher catcher = Catcher::None;
  for (size_t k = tries.size(); k-- > 0 && catcher == Catcher::None;) {
    bool reachable = k >= firstReachableTry, caught = !tries[k].handlers && reachable;
    frame = tries[k].frame;
    if (tries[k].handlers)
      for (const ExceptHandler &handler : tries[k].handlers->handlers) caught |= handles(*this, handler, cls);
    if (caught) catcher = reachable ? Catcher::Here : Catcher::Outside;
  }
  frame = here;
  pendingState = saved;
  return catcher;
}

// Runs the handler for the exception; when there is none, the exception is pending as before.
static Flow runHandler(Evaluator &ev, const Try *stmt, const Pending &raised) {
  Frame *own = ev.frame;
  for (const ExceptHandler &handler : stmt->handlers) {
    ev.pending() = {};
    bool matches = handles(ev, handler, ev.classOf(raised.exception));
    if (!ev.isPending(Pending::None)) return Flow::Failed;
    if (!matches) continue;
    Value outerHandling = own->handling;
    own->handling = raised.exception;
    if (handler.bound.name)
      (void)ev.bind(handler.bound.binding, handler.bound.slot, handler.bound.name, raised.exception);
    Flow flow = ev.run(handler.body);
    own->handling = outerHandling;
    return flow;
  }
  ev.pending() = raised;
  return Flow::Failed;
}

// Runs `finally` after the rest of the statement ended with `flow`.
static Flow runFinally(Evaluator &ev, Block body, Flow flow) {
  if (body.empty() || ev.isPending(Pending::Needed) || ev.isPending(Pending::Emitted)) return flow;
  Pending saved = ev.pending();
  Value returned = ev.returnValue;
  FlowTag tag = ev.flowTag;
  ev.pending() = {};
  LostSlots lost = flow == Flow::Dynamic ? tag.lost : LostSlots();
  if (flow == Flow::Dynamic)
    for (Raised &raised : tag.raised) llvm::append_range(lost, raised.lost);
  std::vector<Value> held = loseSlots(ev, lost);
  Flow last = ev.run(body);
  if (last != Flow::Normal) return last;
  giveBack(ev, lost, held);
  ev.pending() = saved;
  ev.returnValue = returned;
  ev.flowTag = tag;
  return flow;
}

Flow Evaluator::runTry(const Try *stmt) {
  // An early exit under a run-time condition must not pass `finally` by: the body ends here for it.
  RestScope barrier(*frame, Flow::Normal);
  auto runElse = [&](Flow flow) {
    auto body = [&] { return run(stmt->orelse); };
    if (flow == Flow::Normal) return body();
    bool reaches = flow == Flow::Dynamic && flowTag.mayBe(Flow::Normal) && !stmt->orelse.empty();
    return reaches ? continueWhenNormal(*this, body) : flow;
  };
  Flow flow = protect(
      *this, {frame, stmt}, [&] { return run(stmt->body); }, runElse,
      [&](const Pending &raised) { return runHandler(*this, stmt, raised); });
  return takeRaises(*this, runFinally(*this, stmt->finally, flow));
}

// Through the class of an instance, or an attribute of another object.
Value Evaluator::callMethod(Value object, llvm::StringRef name, llvm::ArrayRef<Value> args) {
  if (object.is(Kind::Instance)) return callDunder(object, name, args);
  Value method = findAttr(object, name);
  return method ? call(method, args) : Value();
}

// A context manager that is a generator function: the body of the statement runs in the place of its `yield`.
static Flow runInGenerator(Evaluator &ev, Value manager, const std::function<Flow(Value)> &body) {
  JX_TRY_FLOW(generator, ev.getAttr(manager, "generator"));
  Flow flow = Flow::Normal;
  unsigned yields = 0;
  Status ok = ev.iterate(generator, [&](Value entered) -> Status {
    if (++yields > 1) return ev.raise("RuntimeError", "generator didn't stop");
    flow = body(entered);
    if (flow == Flow::Failed) return Failed();
    return Status::success();
  });
  if (!ok) return Flow::Failed;
  if (yields == 0) {
    (void)ev.raise("RuntimeError", "generator didn't yield");
    return Flow::Failed;
  }
  return flow == Flow::Failed ? Flow::Normal : flow; // the generator caught the exception
}

// Calls `__exit__` with the exception, or with None. Whether it swallows the exception, or null.
static Value leave(Evaluator &ev, Value manager, Value exception) {
  Value type = exception ? Value(ev.classOf(exception)) : Value::none();
  return ev.callMethod(manager, "__exit__", {type, exception ? exception : Value::none(), Value::none()});
}

// Runs the body of a `with` between `__enter__` and `__exit__` of its manager.
static Flow runManaged(Evaluator &ev, Value manager, const std::function<Flow()> &body) {
  auto after = [&](Flow flow) {
    Value returned = ev.returnValue;
    FlowTag tag = ev.flowTag;
    if (!leave(ev, manager, Value())) return Flow::Failed;
    ev.returnValue = returned;
    ev.flowTag = tag;
    return flow;
  };
  auto handle = [&](const Pending &raised) {
    ev.pending() = {};
    Value swallowed = leave(ev, manager, raised.exception);
    if (!swallowed) return Flow::Failed;
    if (ev.truth(swallowed) == Truth::True) return Flow::Normal;
    ev.pending() = raised;
    return Flow::Failed;
  };
  if (manager.is(Kind::Instance)) return protect(ev, {ev.frame, nullptr}, body, after, handle);
  Flow flow = body();
  if (flow != Flow::Failed) return after(flow);
  return ev.isPending(Pending::Exception) ? handle(Pending(ev.pending())) : flow;
}

Flow Evaluator::runWith(const With *stmt) {
  std::function<Flow(size_t)> from = [&](size_t i) -> Flow {
    if (i == stmt->items.size()) return run(stmt->body);
    const WithItem &item = stmt->items[i];
    JX_TRY_FLOW(manager, eval(item.context));
    if (manager.is(Kind::Instance) && lookUpClass(manager.asObject()->cls, "_runs_generator"))
      return runInGenerator(*this, manager, [&](Value entered) {
        return item.target && !assign(item.target, entered) ? Flow::Failed : from(i + 1);
      });
    Value enter = callMethod(manager, "__enter__", {});
    if (!enter) {
      if (pendingState.reason == Pending::None)
        fail(DiagKind::NotAContextManager,
             "'" + typeName(manager) + "' object does not support the context manager protocol");
      return Flow::Failed;
    }
    if (item.target && !assign(item.target, enter)) return Flow::Failed;
    return takeRaises(*this, runManaged(*this, manager, [&] { return from(i + 1); }));
  };
  RestScope barrier(*frame, Flow::Normal);
  return from(0);
}

} // namespace jx::elab
