// Generators that are advanced step by step. See Generators.h.
#include "compiler/elaborate/Generators.h"
#include "compiler/elaborate/Loops.h"
#include "llvm/Support/Casting.h"

namespace jx::elab {

using namespace ast;

namespace {

constexpr const char *placePurpose = "where a generator stands that is advanced step by step";

const GeneratorNode &nodeOf(Value generator) {
  return *static_cast<const GeneratorNode *>(generator.asObject()->payload);
}

// The value expression of a statement that is nothing but a `yield` and what becomes of its value; else null.
const Expr *yieldedIn(const Stmt *stmt) {
  const Expr *value = nullptr;
  if (auto *expression = llvm::dyn_cast<ExprStmt>(stmt)) value = expression->value;
  if (auto *assign = llvm::dyn_cast<Assign>(stmt)) value = assign->value;
  if (auto *annotated = llvm::dyn_cast<AnnAssign>(stmt)) value = annotated->value;
  if (auto *ret = llvm::dyn_cast<Return>(stmt)) value = ret->value;
  return value && llvm::isa<Yield, YieldFrom>(value) ? value : nullptr;
}

bool yieldsIn(Block block) {
  return llvm::any_of(block, [](const Stmt *stmt) { return stmt->jumps.mayYield; });
}

bool canStepThrough(Block block) {
  return llvm::all_of(block, [](const Stmt *stmt) {
    if (!stmt->jumps.mayYield || yieldedIn(stmt)) return true;
    if (auto *branch = llvm::dyn_cast<If>(stmt))
      return canStepThrough(branch->body) && canStepThrough(branch->orelse);
    if (auto *loop = llvm::dyn_cast<For>(stmt))
      return canStepThrough(loop->body) && canStepThrough(loop->orelse);
    if (auto *loop = llvm::dyn_cast<While>(stmt))
      return canStepThrough(loop->body) && canStepThrough(loop->orelse);
    if (auto *with = llvm::dyn_cast<With>(stmt)) return canStepThrough(with->body);
    auto *attempt = llvm::dyn_cast<Try>(stmt);
    return attempt && attempt->handlers.empty() && attempt->orelse.empty() && !yieldsIn(attempt->finally) &&
           canStepThrough(attempt->body);
  });
}

// Sources whose elements are found by position; others are iterated by an iterator.
bool isIndexed(Value v) {
  if (v.is(Kind::List))
    return !v.asObject()->cls &&
           llvm::none_of(v.asObject()->contents().values, [](Value item) { return item.is(Kind::Segment); });
  return v.isAny(Kind::Range, Kind::Tuple) || (v.isArray() && v.arrayType().getRank() > 0);
}

// Where a loop of a generator stands: a source with the position of the next element, or an iterator.
Value cursorOver(Evaluator &ev, Value source) {
  return isIndexed(source) ? ev.arena.tuple({source, Value::integer(0)}) : iteratorOf(ev, source);
}

// The next element; moves the cursor on.
Value take(Evaluator &ev, Value &cursor) {
  if (!cursor.is(Kind::Tuple)) return advance(ev, cursor);
  Value source = cursor.asTuple().items[0];
  JX_TRY(position, ev.toStaticInt(cursor.asTuple().items[1], placePurpose));
  JX_TRY(size, ev.length(source));
  JX_TRY(count, ev.toStaticInt(size, placePurpose));
  if (*position >= *count) return {};
  cursor = ev.arena.tuple({source, Value::integer(*position + 1)});
  return ev.getItem(source, Value::integer(*position));
}

// Runs a generator from where it stands. The place is a tuple with one entry for each block around, outermost
// first: the position in the block, and what the statement there keeps: the branch of an `if`, the cursor of
// a `for`, the managers of a `with`, what a `yield from` iterates over.
class Stepper {
public:
  Stepper(Evaluator &ev, Value generator)
      : ev(ev), generator(generator), code(nodeOf(generator)), own{code.frame,
                                                                   &code.function->scope(),
                                                                   code.function->module,
                                                                   code.function->frees,
                                                                   code.function,
                                                                   ev.frame,
                                                                   ev.here()} {
    own.atEnd = Flow::Normal;
    ev.frame = &own;
    ++ev.depth;
  }
  ~Stepper() {
    ev.frame = own.caller;
    --ev.depth;
  }

  Value step(Value sent);
  Value leave(Flow flow);

private:
  struct Level {
    Block block;
    size_t index;
    Value kept;
  };
  bool atStart() const { return generator.asObject()->size() == 0; }
  Block body() const { return llvm::cast<FunctionDef>(code.function->code)->body(); }
  const Stmt *here(const Level &level) const { return level.block[level.index]; }
  Status load();
  Value suspend(Value value);
  Value finish(Value returned);
  Value run();
  Value stepExpression(Value sent);

  // Each returns what is yielded; null when the body goes on or has failed.
  Value finishYield(const Stmt *stmt, Value value);
  Value delegate(Value sent);
  Value begin(const Stmt *stmt);
  Value beginYield(const Expr *expr);
  Value enter(Value kept, Block block);
  Value loopOn();
  Value leaveWith(Flow &flow);
  Value endBlock();
  Value unwind(Flow flow);
  Truth decide(const Expr *test);

  Evaluator &ev;
  Value generator;
  const GeneratorNode &code;
  Frame own;
  std::vector<Level> levels;
  bool ended = false;
};

// The blocks around the place where the generator stands.
Status Stepper::load() {
  Value place = generator.asObject()->get(ev.arena.str("place"));
  Block block = body();
  if (!place.is(Kind::Tuple)) return ev.unsupported(std::string("knowing ") + placePurpose);
  for (Value entry : place.asTuple().items) {
    // Branches and loops of the run may leave it in one place or another.
    JX_TRY(index, ev.toStaticInt(entry.asTuple().items[0], placePurpose));
    Value kept = entry.asTuple().items[1];
    if (kept.isHost()) kept = ev.toStatic(kept, placePurpose);
    if (!kept) return Failed();
    Level level{block, static_cast<size_t>(*index), kept};
    levels.push_back(level);
    const Stmt *stmt = here(level);
    if (auto *branch = llvm::dyn_cast<If>(stmt)) block = level.kept.asBool() ? branch->body : branch->orelse;
    if (auto *loop = llvm::dyn_cast<For>(stmt)) block = level.kept.isNone() ? loop->orelse : loop->body;
    if (auto *loop = llvm::dyn_cast<While>(stmt)) block = level.kept.asBool() ? loop->body : loop->orelse;
    if (auto *attempt = llvm::dyn_cast<Try>(stmt)) block = attempt->body;
    if (auto *with = llvm::dyn_cast<With>(stmt)) block = with->body;
  }
  return Status::success();
}

Value Stepper::suspend(Value value) {
  std::vector<Value> entries;
  for (const Level &level : levels)
    entries.push_back(ev.arena.tuple({Value::integer(int64_t(level.index)), level.kept}));
  ev.heap.put(generator.asObject(), ev.arena.str("place"), ev.arena.tuple(std::move(entries)));
  return value;
}

Value Stepper::finish(Value returned) {
  ended = true;
  endGenerator(ev, generator, returned);
  return {};
}

Truth Stepper::decide(const Expr *test) {
  Value value = ev.eval(test);
  if (value && ev.truth(value) == Truth::Dynamic) value = ev.truthValue(value);
  if (value) value = ev.toStatic(value, "which way a generator goes that is advanced step by step");
  return value ? ev.truth(value) : Truth::Failed;
}

// --- Statements that hold a `yield`

Value Stepper::finishYield(const Stmt *stmt, Value value) {
  if (auto *assign = llvm::dyn_cast<Assign>(stmt))
    for (const Expr *target : assign->targets)
      if (!ev.assign(target, value)) return unwind(Flow::Failed);
  if (auto *annotated = llvm::dyn_cast<AnnAssign>(stmt))
    if (!ev.assign(annotated->target, value)) return unwind(Flow::Failed);
  if (llvm::isa<Return>(stmt)) {
    ev.returnValue = value;
    return unwind(Flow::Return);
  }
  ++levels.back().index;
  return {};
}

// The next element of what `yield from` iterates over, or its end.
Value Stepper::delegate(Value sent) {
  Level &top = levels.back();
  bool isGenerator = top.kept.is(Kind::Generator);
  Value item = isGenerator ? resume(ev, top.kept, sent) : take(ev, top.kept);
  if (item) return suspend(item);
  if (!ev.isPending(Pending::None)) return unwind(Flow::Failed);
  Value result = isGenerator ? returnedBy(ev, top.kept) : Value::none();
  top.kept = Value::none();
  return finishYield(here(top), result);
}

Value Stepper::beginYield(const Expr *expr) {
  if (auto *yield = llvm::dyn_cast<Yield>(expr)) {
    Value value = yield->value ? ev.eval(yield->value) : Value::none();
    return value ? suspend(value) : unwind(Flow::Failed);
  }
  Value source = ev.eval(llvm::cast<YieldFrom>(expr)->value);
  if (source && !source.is(Kind::Generator)) source = cursorOver(ev, source);
  if (!source) return unwind(Flow::Failed);
  levels.back().kept = source;
  return delegate(Value::none());
}

Value Stepper::enter(Value kept, Block block) {
  levels.back().kept = kept;
  levels.push_back({block, 0, Value::none()});
  return {};
}

// The next trip of the loop on top, its `else`, or what follows.
Value Stepper::loopOn() {
  Level &top = levels.back();
  if (auto *loop = llvm::dyn_cast<For>(here(top))) {
    Value item = take(ev, top.kept);
    if (!item && !ev.isPending(Pending::None)) return unwind(Flow::Failed);
    if (!item) return enter(Value::none(), loop->orelse);
    if (!ev.assign(loop->target, item)) return unwind(Flow::Failed);
    return enter(top.kept, loop->body);
  }
  auto *loop = llvm::cast<While>(here(top));
  Truth test = decide(loop->test);
  if (test == Truth::Failed) return unwind(Flow::Failed);
  return enter(Value::boolean(test == Truth::True), test == Truth::True ? loop->body : loop->orelse);
}

Value Stepper::begin(const Stmt *stmt) {
  if (const Expr *expr = yieldedIn(stmt)) return beginYield(expr);
  if (auto *branch = llvm::dyn_cast<If>(stmt)) {
    Truth test = decide(branch->test);
    if (test == Truth::Failed) return unwind(Flow::Failed);
    return enter(Value::boolean(test == Truth::True), test == Truth::True ? branch->body : branch->orelse);
  }
  if (auto *loop = llvm::dyn_cast<For>(stmt)) {
    Value source = ev.eval(loop->iter);
    if (source) source = cursorOver(ev, source);
    if (!source) return unwind(Flow::Failed);
    levels.back().kept = source;
    return loopOn();
  }
  if (llvm::isa<While>(stmt)) return loopOn();
  if (auto *attempt = llvm::dyn_cast<Try>(stmt)) return enter(Value::none(), attempt->body);
  auto *with = llvm::cast<With>(stmt);
  std::vector<Value> managers;
  for (const WithItem &item : with->items) {
    Value manager = ev.eval(item.context);
    Value entered = manager ? ev.callMethod(manager, "__enter__", {}) : Value();
    if (!entered && ev.isPending(Pending::None))
      (void)ev.fail(DiagKind::NotAContextManager,
                    "'" + ev.typeName(manager) + "' object does not support the context manager protocol");
    if (!entered || (item.target && !ev.assign(item.target, entered))) return unwind(Flow::Failed);
    managers.push_back(manager);
  }
  return enter(ev.arena.tuple(std::move(managers)), with->body);
}

// --- The end of blocks, and leaving them

// Calls `__exit__` of the managers of the `with` on top; an exception that one of them swallows is over.
Value Stepper::leaveWith(Flow &flow) {
  std::vector<Value> managers = levels.back().kept.asTuple().items;
  for (Value manager : llvm::reverse(managers)) {
    Pending saved = ev.pending();
    Value returned = ev.returnValue, exception = saved.exception ? saved.exception : Value::none();
    ev.pending() = {};
    Value type = saved.exception ? Value(ev.classOf(saved.exception)) : Value::none();
    JX_TRY(swallowed, ev.callMethod(manager, "__exit__", {type, exception, Value::none()}));
    ev.returnValue = returned;
    if (flow != Flow::Failed) continue;
    if (ev.truth(swallowed) == Truth::True)
      flow = Flow::Normal;
    else
      ev.pending() = saved;
  }
  return Value::none();
}

// The block on top came to its end.
Value Stepper::endBlock() {
  if (levels.size() == 1) return finish(Value::none());
  levels.pop_back();
  Level &top = levels.back();
  const Stmt *stmt = here(top);
  bool inLoop = llvm::isa<For>(stmt) ? !top.kept.isNone() : llvm::isa<While>(stmt) && top.kept.asBool();
  if (inLoop) return loopOn();
  if (auto *attempt = llvm::dyn_cast<Try>(stmt)) {
    Flow flow = ev.run(attempt->finally);
    if (flow != Flow::Normal) return unwind(flow);
  }
  if (llvm::isa<With>(stmt)) {
    Flow flow = Flow::Normal;
    if (!leaveWith(flow)) return unwind(Flow::Failed);
  }
  top.kept = Value::none();
  ++top.index;
  return {};
}

// Leaves blocks until a loop takes the `break` or `continue`, or nothing is left.
Value Stepper::unwind(Flow flow) {
  while (levels.size() > 1) {
    levels.pop_back();
    Level &top = levels.back();
    const Stmt *stmt = here(top);
    // A demand, or the end of a try, is none of the program's business.
    if (flow == Flow::Failed && !ev.isPending(Pending::Exception)) continue;
    bool inLoop = llvm::isa<For>(stmt) ? !top.kept.isNone() : llvm::isa<While>(stmt) && top.kept.asBool();
    if (inLoop && flow == Flow::Continue) return loopOn();
    if (auto *attempt = llvm::dyn_cast<Try>(stmt)) {
      Pending saved = ev.pending();
      Value returned = ev.returnValue;
      ev.pending() = {};
      Flow last = ev.run(attempt->finally);
      if (last == Flow::Normal) {
        ev.pending() = saved;
        ev.returnValue = returned;
      } else {
        flow = last;
      }
    }
    if (llvm::isa<With>(stmt) && !leaveWith(flow)) flow = Flow::Failed;
    if ((inLoop && flow == Flow::Break) || flow == Flow::Normal) {
      top.kept = Value::none();
      ++top.index;
      return {};
    }
  }
  Value returned = flow == Flow::Return ? ev.returnValue : Value::none();
  ev.returnValue = Value();
  return finish(returned);
}

Value Stepper::run() {
  for (uint64_t steps = 0;; ++steps) {
    if (ended || !ev.isPending(Pending::None)) return {};
    if (steps > ev.options.maxExecutedTrips)
      return ev.fail(DiagKind::TooManyTrips, "this generator runs more than " + std::to_string(steps - 1) +
                                                 " steps between two elements");
    Level &top = levels.back();
    Value yielded;
    if (top.index == top.block.size()) {
      yielded = endBlock();
    } else if (here(top)->jumps.mayYield) {
      NodeScope scope(ev, here(top));
      yielded = begin(here(top));
    } else {
      Flow flow = ev.run(here(top));
      if (flow == Flow::Dynamic) {
        (void)ev.unsupported("leaving a block of a generator that is advanced step by step under a run-time "
                             "condition");
        flow = Flow::Failed;
      }
      if (flow == Flow::Normal)
        ++top.index;
      else
        yielded = unwind(flow);
    }
    if (yielded) return yielded;
  }
}

// --- Generator expressions

// The place is the cursors of the clauses that are open, outermost first.
Value Stepper::stepExpression(Value) {
  auto *comprehension = llvm::cast<Comprehension>(code.function->code);
  std::vector<Value> cursors;
  if (Value place = generator.asObject()->get(ev.arena.str("place")))
    cursors = place.asTuple().items;
  else
    cursors = {cursorOver(ev, code.source)};
  if (!cursors.back()) return {};
  for (uint64_t steps = 0; !cursors.empty(); ++steps) {
    if (steps > ev.options.maxExecutedTrips)
      return ev.fail(DiagKind::TooManyTrips, "this generator runs more than " + std::to_string(steps - 1) +
                                                 " steps between two elements");
    const ComprehensionClause &clause = comprehension->clauses[cursors.size() - 1];
    Value item = take(ev, cursors.back());
    if (!item && !ev.isPending(Pending::None)) return {};
    if (!item) {
      cursors.pop_back();
      continue;
    }
    JX_CHECK(ev.assign(clause.target, item));
    bool holds = true;
    for (const Expr *condition : clause.conditions) {
      Truth test = decide(condition);
      if (test == Truth::Failed) return {};
      holds = holds && test == Truth::True;
      if (!holds) break;
    }
    if (!holds) continue;
    if (cursors.size() < comprehension->clauses.size()) {
      JX_TRY(source, ev.eval(comprehension->clauses[cursors.size()].iter));
      JX_TRY(cursor, cursorOver(ev, source));
      cursors.push_back(cursor);
      continue;
    }
    JX_TRY(element, ev.eval(comprehension->element));
    ev.heap.put(generator.asObject(), ev.arena.str("place"), ev.arena.tuple(cursors));
    return element;
  }
  return finish(Value::none());
}

Value Stepper::step(Value sent) {
  if (llvm::isa<Comprehension>(code.function->code)) {
    Value element = stepExpression(sent);
    if (!element && !ev.isPending(Pending::None)) endGenerator(ev, generator, Value::none());
    return element;
  }
  if (atStart()) {
    levels.push_back({body(), 0, Value::none()});
    return run();
  }
  JX_CHECK(load());
  const Stmt *stmt = here(levels.back());
  NodeScope scope(ev, stmt);
  bool delegates = llvm::isa<YieldFrom>(yieldedIn(stmt));
  Value yielded = delegates ? delegate(sent) : finishYield(stmt, sent);
  return yielded ? yielded : run();
}

// Leaves the place where the generator stands, with what is pending.
Value Stepper::leave(Flow flow) {
  if (atStart() || llvm::isa<Comprehension>(code.function->code)) return finish(Value::none());
  JX_CHECK(load());
  Value yielded = unwind(flow);
  return yielded ? yielded : run();
}

bool hasEnded(Evaluator &ev, Value generator) {
  return generator.asObject()->get(ev.arena.str("returned")) ? true : false;
}

} // namespace

bool canStep(Value generator) {
  const Node *code = nodeOf(generator).function->code;
  if (llvm::isa<Comprehension>(code)) return true;
  return canStepThrough(llvm::cast<FunctionDef>(code)->body());
}

bool hasStarted(Value generator) { return generator.asObject()->size() != 0; }

Value resume(Evaluator &ev, Value generator, Value sent) {
  if (hasEnded(ev, generator)) return {};
  if (!canStep(generator))
    return ev.unsupported(
        "advancing step by step a generator that yields inside of an expression or of a `try` "
        "with handlers");
  if (ev.depth >= ev.options.maxDepth)
    return ev.fail(DiagKind::EndlessRecursion, "calls nest more than " + std::to_string(ev.options.maxDepth) +
                                                   " deep; the innermost is a generator");
  return Stepper(ev, generator).step(sent);
}

Status closeGenerator(Evaluator &ev, Value generator) {
  if (hasEnded(ev, generator)) return Status::success();
  Value yielded = canStep(generator) ? Stepper(ev, generator).leave(Flow::Return) : Value();
  if (yielded) return ev.raise("RuntimeError", "generator ignored GeneratorExit");
  endGenerator(ev, generator, Value::none());
  return ev.isPending(Pending::None) ? Status::success() : Status(Failed());
}

Value throwInto(Evaluator &ev, Value generator, Value exception) {
  if (exception.is(Kind::Class)) {
    CallArgs none;
    exception = ev.instantiate(exception.asObject(), none);
    if (!exception) return Failed();
  }
  if (!exception.is(Kind::Instance) || !ev.isInstance(exception, ev.builtinClass("BaseException")))
    return ev.typeError("exceptions must be classes or instances deriving from BaseException, not " +
                        ev.typeName(exception));
  (void)ev.raise(exception, ev.here());
  if (hasEnded(ev, generator) || !canStep(generator)) return {};
  return Stepper(ev, generator).leave(Flow::Failed);
}

Value returnedBy(Evaluator &ev, Value generator) {
  Value returned = generator.asObject()->get(ev.arena.str("returned"));
  return returned ? returned : Value::none();
}

void endGenerator(Evaluator &ev, Value generator, Value returned) {
  ev.heap.put(generator.asObject(), ev.arena.str("returned"), returned);
}

} // namespace jx::elab
