// raise, try and with, over exceptions of elaboration time.
#include "compiler/elaborate/Evaluator.h"
#include "llvm/Support/Casting.h"

namespace jx::elab {

using namespace ast;

Status Evaluator::runRaise(const Raise *stmt) {
  if (!stmt->exception) {
    for (Frame *f = frame; f; f = f->caller)
      if (f->handling) return raise(f->handling, stmt->range);
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

// Classes of the handler; null after a failure.
static std::optional<std::vector<Value>> handledBy(Evaluator &ev, const ExceptHandler &handler) {
  if (!handler.type) return std::vector<Value>{ev.builtinClass("BaseException")};
  JX_TRY(type, ev.eval(handler.type));
  return type.is(Kind::Tuple) ? type.asTuple().items : std::vector<Value>{type};
}

bool Evaluator::isCaught(Object *cls) {
  Pending saved = pendingState;
  Frame *here = frame;
  bool caught = false;
  for (size_t k = tries.size(); k-- > 0 && !caught;) {
    frame = tries[k].first;
    for (const ExceptHandler &handler : tries[k].second->handlers) {
      auto classes = handledBy(*this, handler);
      caught |= classes && llvm::any_of(*classes, [&](Value one) {
                  return one.is(Kind::Class) && isSubclass(cls, one.asObject());
                });
    }
  }
  frame = here;
  pendingState = saved;
  return caught;
}

Flow Evaluator::runTry(const Try *stmt) {
  Frame *own = frame;
  // An early exit under a run-time condition must not pass `finally` by: the body ends here for it.
  RestScope barrier(*own, Flow::Normal);
  tries.emplace_back(own, stmt);
  Flow flow = run(stmt->body);
  tries.pop_back();
  if (flow == Flow::Failed && isPending(Pending::Exception)) {
    Pending raised = pendingState;
    frame = own;
    for (const ExceptHandler &handler : stmt->handlers) {
      pendingState = {};
      auto classes = handledBy(*this, handler);
      if (!classes) break;
      bool matches = llvm::any_of(*classes, [&](Value cls) {
        return cls.is(Kind::Class) && isInstance(raised.exception, cls.asObject());
      });
      if (!matches) continue;
      pendingState = {};
      Value outerHandling = own->handling;
      own->handling = raised.exception;
      if (handler.bound.name)
        (void)bind(handler.bound.binding, handler.bound.slot, handler.bound.name, raised.exception);
      flow = run(handler.body);
      own->handling = outerHandling;
      break;
    }
    if (flow == Flow::Failed && pendingState.reason == Pending::None) pendingState = raised;
  } else if (flow == Flow::Normal) {
    flow = run(stmt->orelse);
  }
  if (!stmt->finally.empty() && !isPending(Pending::Needed) && !isPending(Pending::Emitted)) {
    Pending saved = pendingState;
    Value savedReturn = returnValue, savedTag = flowTag.value;
    pendingState = {};
    Flow last = run(stmt->finally);
    if (last != Flow::Normal) {
      flow = last;
    } else {
      pendingState = saved;
      returnValue = savedReturn;
      flowTag.value = savedTag;
    }
  }
  return flow;
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
    Flow flow = from(i + 1);
    if (flow == Flow::Failed && !isPending(Pending::Exception)) return flow;
    Pending saved = pendingState;
    Value savedReturn = returnValue;
    pendingState = {};
    Value type = saved.exception ? Value(classOf(saved.exception)) : Value::none();
    Value exception = saved.exception ? saved.exception : Value::none();
    Value swallowed = callMethod(manager, "__exit__", {type, exception, Value::none()});
    if (!swallowed) return Flow::Failed;
    returnValue = savedReturn;
    if (flow != Flow::Failed) return flow;
    if (truth(swallowed) == Truth::True) return Flow::Normal;
    pendingState = saved;
    return Flow::Failed;
  };
  Frame *own = frame;
  RestScope barrier(*own, Flow::Normal);
  Flow flow = from(0);
  return flow;
}

} // namespace jx::elab
