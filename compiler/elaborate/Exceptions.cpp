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

Flow Evaluator::runTry(const Try *stmt) {
  Frame *own = frame;
  // An early exit under a run-time condition must not pass `finally` by: the body ends here for it.
  RestScope barrier(*own, Flow::Normal);
  Flow flow = run(stmt->body);
  if (flow == Flow::Failed && isPending(Pending::Exception)) {
    Pending raised = pendingState;
    frame = own;
    for (const ExceptHandler &handler : stmt->handlers) {
      bool matches = true;
      if (handler.type) {
        pendingState = {};
        Value type = eval(handler.type);
        if (!type) break;
        std::vector<Value> classes = type.is(Kind::Tuple) ? type.asTuple().items : std::vector<Value>{type};
        matches = llvm::any_of(classes, [&](Value cls) {
          return cls.is(Kind::Class) && isInstance(raised.exception, cls.asObject());
        });
      }
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

Flow Evaluator::runWith(const With *stmt) {
  std::function<Flow(size_t)> from = [&](size_t i) -> Flow {
    if (i == stmt->items.size()) return run(stmt->body);
    const WithItem &item = stmt->items[i];
    JX_TRY_FLOW(manager, eval(item.context));
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
