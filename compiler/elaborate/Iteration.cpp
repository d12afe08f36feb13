// Iteration at compile time: elements of containers, generators run inline, comprehensions.
#include "compiler/elaborate/Choices.h"
#include "compiler/elaborate/Containers.h"
#include "compiler/elaborate/Generators.h"
#include "compiler/elaborate/Loops.h"
#include "llvm/Support/Casting.h"

namespace jx::elab {

namespace {

Status iterateRange(Evaluator &ev, const SliceNode &range, const std::function<Status(Value)> &each) {
  JX_TRY(start, ev.toStaticInt(range.start, "the start of a `range` that is not compiled to a loop"));
  JX_TRY(stop, ev.toStaticInt(range.stop, "the length of a `range` that is not compiled to a loop"));
  JX_TRY(step, ev.toStaticInt(range.step, "the step of a `range` that is not compiled to a loop"));
  uint64_t trips = 0;
  for (int64_t i = *start; *step > 0 ? i < *stop : i > *stop; i += *step) {
    if (++trips > ev.options.maxExecutedTrips)
      return ev.fail(DiagKind::TooManyTrips, "this loop runs more than " +
                                                 std::to_string(ev.options.maxExecutedTrips) +
                                                 " times while the program is compiled");
    JX_CHECK(each(Value::integer(i)));
  }
  return Status::success();
}

Status iterateArray(Evaluator &ev, Value array, const std::function<Status(Value)> &each) {
  auto shape = array.arrayType().getShape();
  if (shape.empty()) return ev.fail(DiagKind::NotIterable, "iteration over a 0-d array");
  if (shape[0] > int64_t(ev.options.maxUnrolledElements))
    return ev.fail(DiagKind::UnrollLimit, "an array of " + std::to_string(shape[0]) +
                                              " elements would be taken apart one by one; the limit is " +
                                              std::to_string(ev.options.maxUnrolledElements));
  for (int64_t i = 0; i < shape[0]; ++i) {
    JX_TRY(item, ev.getItem(array, Value::integer(i)));
    JX_CHECK(each(item));
  }
  return Status::success();
}

// __iter__ and __next__ of an instance.
Status iterateInstance(Evaluator &ev, Value object, const std::function<Status(Value)> &each) {
  Value iterator = ev.callDunder(object, "__iter__", {});
  if (!iterator) {
    if (!ev.isPending(Pending::None)) return Failed();
    if (object.asObject()->payload) return ev.iterate(plainValue(object), each);
    if (!ev.lookUpClass(object.asObject()->cls, "__getitem__"))
      return ev.fail(DiagKind::NotIterable, "'" + ev.typeName(object) + "' object is not iterable");
    for (int64_t i = 0;; ++i) {
      Value item = ev.getItem(object, Value::integer(i));
      if (!item) {
        bool ended = ev.isPending(Pending::Exception) &&
                     ev.isInstance(ev.pending().exception, ev.builtinClass("IndexError"));
        if (!ended) return Failed();
        ev.catchException();
        return Status::success();
      }
      JX_CHECK(each(item));
    }
  }
  if (!iterator.is(Kind::Instance)) return ev.iterate(iterator, each);
  for (uint64_t trips = 0;; ++trips) {
    if (trips > ev.options.maxExecutedTrips)
      return ev.fail(DiagKind::TooManyTrips, "an iterator of more than " + std::to_string(trips - 1) +
                                                 " elements is not run while the program is compiled");
    Value item = advance(ev, iterator);
    if (!item) return ev.isPending(Pending::None) ? Status::success() : Status(Failed());
    JX_CHECK(each(item));
  }
}

} // namespace

Status Evaluator::iterate(Value iterable, const std::function<Status(Value)> &each) {
  if (userClass(iterable) && !iterable.is(Kind::Instance)) {
    Value own = callDunder(iterable, "__iter__", {});
    if (own) return iterate(own, each);
    if (!isPending(Pending::None)) return Failed();
  }
  switch (iterable.kind()) {
  case Kind::Choice: {
    JX_TRY(known, certain(*this, iterable, "what is iterated over"));
    return iterate(known, each);
  }
  case Kind::Tuple:
    for (Value item : iterable.asTuple().items) JX_CHECK(each(item));
    return Status::success();
  case Kind::List: {
    Object *list = iterable.asObject();
    for (size_t i = 0; i < list->size(); ++i) { // the body may append
      if (list->at(i).is(Kind::Segment)) {
        JX_TRY(items, segmentElements(list->at(i)));
        for (Value item : *items) JX_CHECK(each(item));
        continue;
      }
      JX_CHECK(each(list->at(i)));
    }
    return Status::success();
  }
  case Kind::Set:
    for (Value key : setOrder(iterable.asObject()->contents().keys)) JX_CHECK(each(key));
    return Status::success();
  case Kind::Dict: {
    std::vector<Value> keys = iterable.asObject()->contents().keys;
    for (Value key : keys) JX_CHECK(each(key));
    return Status::success();
  }
  case Kind::Iterator: { // what is left of it; the position is the first value
    Object *iterator = iterable.asObject();
    while (true) {
      JX_TRY(last, toStaticInt(iterator->at(0), "the position of an iterator"));
      size_t position = *last + 1;
      if (position >= iterator->size()) return Status::success();
      Value item = iterator->at(position);
      heap.set(iterator, 0, Value::integer(position));
      JX_CHECK(each(item));
    }
  }
  case Kind::Text: {
    JX_TRY(known, toStatic(iterable, "the characters of a string"));
    return iterate(known, each);
  }
  case Kind::Str: {
    llvm::StringRef text = iterable.asStr();
    for (size_t i = 0; i < text.size();) {
      size_t bytes = 1;
      while (i + bytes < text.size() && (text[i + bytes] & 0xC0) == 0x80) ++bytes;
      JX_CHECK(each(arena.str(text.substr(i, bytes))));
      i += bytes;
    }
    return Status::success();
  }
  case Kind::Bytes:
    for (unsigned char c : iterable.asStr()) JX_CHECK(each(Value::integer(c)));
    return Status::success();
  case Kind::Range:
    return iterateRange(*this, iterable.asSlice(), each);
  case Kind::Array:
    return iterateArray(*this, iterable, each);
  case Kind::Generator:
    return runGenerator(iterable, each);
  case Kind::Instance:
    return iterateInstance(*this, iterable, each);
  case Kind::Class: {
    // Enumerations iterate over their members.
    Value members = lookUpClass(iterable.asObject(), "__members__"),
          names = lookUpClass(iterable.asObject(), "_member_names_");
    if (!members || !members.is(Kind::Dict) || !names) break;
    for (Value name : names.asObject()->contents().values) JX_CHECK(each(members.asObject()->get(name)));
    return Status::success();
  }
  default:
    break;
  }
  return fail(DiagKind::NotIterable, "'" + typeName(iterable) + "' object is not iterable");
}

// The elements of a generator function that ends after a few, advanced step by step. Nothing, and no trace is
// left, when there are more or the way depends on the run.
static std::optional<std::vector<Value>> fewElements(Evaluator &ev, Value generator) {
  const ast::Node *code = static_cast<const GeneratorNode *>(generator.asObject()->payload)->function->code;
  if (!llvm::isa<ast::FunctionDef>(code) || hasStarted(generator) || !canStep(generator)) return std::nullopt;
  auto region = std::make_unique<mlir::Region>();
  auto *block = new mlir::Block;
  region->push_back(block);
  mlir::OpBuilder::InsertionGuard guard(ev.builder);
  mlir::OpBuilder::InsertPoint point = ev.builder.saveInsertionPoint();
  ev.builder.setInsertionPointToEnd(block);
  Heap::Speculation speculation(ev.heap);
  auto mark = ev.sink.begin();
  Frame *frame = ev.frame;
  unsigned depth = ev.depth;
  std::vector<Value> items;
  Value item = resume(ev, generator, Value::none());
  for (; item && items.size() < ev.options.maxUnroll; item = resume(ev, generator, Value::none()))
    items.push_back(item);
  if (!item && ev.isPending(Pending::None)) {
    speculation.commit();
    ev.sink.commit(mark);
    if (mlir::Block *home = point.getBlock())
      home->getOperations().splice(point.getPoint(), block->getOperations());
    return items;
  }
  ev.pending() = {};
  ev.frame = frame;
  ev.depth = depth;
  speculation.rollback();
  ev.sink.rollback(mark);
  ev.abandon(std::move(region));
  return std::nullopt;
}

std::optional<std::vector<Value>> Evaluator::elements(Value iterable) {
  if (iterable.is(Kind::Tuple) && !iterable.asTuple().cls) return iterable.asTuple().items;
  if (!iterable.is(Kind::Generator)) {
    std::vector<Value> items;
    JX_CHECK(iterate(iterable, [&](Value item) {
      items.push_back(item);
      return Status::success();
    }));
    return items;
  }
  if (std::optional<std::vector<Value>> few = fewElements(*this, iterable)) return few;
  // A loop of the generator may be compiled, or tried and given up: its elements are collected in an object,
  // which that leaves consistent.
  Object *list = heap.list({});
  JX_CHECK(iterate(iterable, [&](Value item) {
    heap.append(list, item);
    return Status::success();
  }));
  return elements(Value(list));
}

// The clauses of a comprehension from number `clause` on; `each` runs for every surviving combination.
Status Evaluator::runClauses(const ast::Comprehension *code, size_t clause, Value source,
                             const std::function<Status()> &each) {
  if (clause == code->clauses.size()) return each();
  const ast::ComprehensionClause &current = code->clauses[clause];
  if (!source) {
    source = eval(current.iter);
    if (!source) return Failed();
  }
  return iterate(source, [&](Value item) -> Status {
    JX_CHECK(assign(current.target, item));
    for (const ast::Expr *condition : current.conditions) {
      JX_TRY(test, eval(condition));
      Value known = toStatic(test, "the condition of a comprehension");
      if (!known) return Failed();
      Truth holds = truth(known);
      if (holds == Truth::Failed) return Failed();
      if (holds == Truth::Dynamic)
        return fail(DiagKind::NeedsStatic,
                    "the condition of a comprehension must be known when the program is compiled");
      if (holds == Truth::False) return Status::success();
    }
    return runClauses(code, clause + 1, {}, each);
  });
}

// A list comprehension of many trips over a range or an array becomes one loop whose elements are stacked; of
// few, it is taken apart. Nothing when it is not to be compiled.
static std::optional<Flow> compileComprehension(Evaluator &ev, const ast::Comprehension *code, Value source,
                                                Object *result) {
  const ast::ComprehensionClause &clause = code->clauses.front();
  bool isRange = source.is(Kind::Range), isArray = source.isArray() && source.arrayType().getRank() > 0;
  if (code->clauses.size() != 1 || !clause.conditions.empty() || !(isRange || isArray)) return std::nullopt;
  JX_TRY_FLOW(trips, ev.length(source));
  if (trips.isSmallInt() && trips.asInt() <= int64_t(ev.options.maxUnroll)) return std::nullopt;
  LoopSpec spec;
  spec.node = code;
  spec.trips = trips;
  if (isArray) spec.xs = {source};
  spec.body = [&](Value index, llvm::ArrayRef<Value> slices) -> Flow {
    Value item = isArray ? slices[0] : Value();
    if (isRange) {
      const SliceNode &range = source.asSlice();
      item = ev.binary(ast::BinaryOp::Add, range.start, ev.binary(ast::BinaryOp::Mul, range.step, index));
    }
    if (!item || !ev.assign(clause.target, item)) return Flow::Failed;
    JX_TRY_FLOW(element, ev.eval(code->element));
    ev.heap.append(result, element);
    return Flow::Normal;
  };
  LoopCompiler compiler(ev, std::move(spec));
  LoopResult compiled = compiler.compile();
  if (compiled == LoopResult::Compiled) return Flow::Normal;
  if (compiled == LoopResult::Failed) return Flow::Failed;
  if (trips.isSmallInt()) return std::nullopt;
  if (compiled == LoopResult::NotStatic) {
    ev.pending() = compiler.demanded;
    return Flow::Failed;
  }
  (void)ev.fail(notRollable(ev, "this comprehension", compiler.reason));
  return Flow::Failed;
}

Value Evaluator::evalComprehension(const ast::Comprehension *code) {
  using ast::ComprehensionKind;
  JX_TRY(source, eval(code->clauses.front().iter));
  Value functionValue = makeFunction(code, "<comprehension>", {});
  const auto *function = static_cast<const FunctionNode *>(functionValue.asObject()->payload);
  Object *locals = heap.create(Kind::Frame, {{}, std::vector<Value>(code->scope->locals.size())});
  if (code->comprehension == ComprehensionKind::Generator) {
    Object *generator = heap.create(Kind::Generator);
    generator->payload = arena.make<GeneratorNode>(function, locals, source);
    return generator;
  }
  Frame own{locals, code->scope, function->module, function->frees, function, frame, here()};
  own.classCell = frame->classCell;
  Kind kind = code->comprehension == ComprehensionKind::List  ? Kind::List
              : code->comprehension == ComprehensionKind::Set ? Kind::Set
                                                              : Kind::Dict;
  Object *result = heap.create(kind);
  frame = &own;
  auto each = [&]() -> Status {
    JX_TRY(element, eval(code->element));
    if (kind == Kind::List) {
      heap.append(result, element);
      return Status::success();
    }
    Value value = Value::none();
    if (kind == Kind::Dict) value = eval(code->value);
    if (!value) return Failed();
    return putItem(*this, result, element, value);
  };
  auto takeApart = [&] { return runClauses(code, 0, source, each) ? Flow::Normal : Flow::Failed; };
  std::optional<Flow> done;
  if (kind == Kind::List && source.isAny(Kind::Range, Kind::Array)) {
    if (source.is(Kind::Range) && source.asSlice().start.isSmallInt() && source.asSlice().stop.isSmallInt())
      done = executeNow(*this, [&](bool &) { return takeApart(); });
    if (!done) done = compileComprehension(*this, code, source, result);
  }
  if (!done) done = takeApart();
  frame = own.caller;
  if (*done == Flow::Failed) return Failed();
  return result;
}

Status Evaluator::runGenerator(Value generator, const std::function<Status(Value)> &each) {
  // Those of the library are endless, or short of loops worth compiling.
  const auto &code = *static_cast<const GeneratorNode *>(generator.asObject()->payload);
  bool isOfLibrary =
      llvm::isa<ast::FunctionDef>(code.function->code) && sources.isLibrary(code.function->code->range.file);
  if (hasStarted(generator) || (isOfLibrary && canStep(generator))) {
    for (uint64_t trips = 0;; ++trips) {
      if (trips > options.maxExecutedTrips)
        return fail(DiagKind::TooManyTrips, "a generator of more than " + std::to_string(trips - 1) +
                                                " elements is not run while the program is compiled");
      Value item = resume(*this, generator, Value::none());
      if (!item) return isPending(Pending::None) ? Status::success() : Status(Failed());
      JX_CHECK(each(item));
    }
  }
  endGenerator(*this, generator, Value::none()); // nothing is left of it for others
  Frame own{
      code.frame, &code.function->scope(), code.function->module, code.function->frees, code.function, frame,
      here()};
  own.consumer = &each;
  own.consumerFrame = frame;
  frame = &own;
  Status ok = Status::success();
  if (auto *comprehension = llvm::dyn_cast<ast::Comprehension>(code.function->code)) {
    ok = runClauses(comprehension, 0, code.source, [&]() -> Status {
      JX_TRY(element, eval(comprehension->element));
      JX_CHECK(yieldValue(element));
      return Status::success();
    });
  } else {
    // What follows a `return` under a run-time condition was elaborated in the branch that goes on.
    Flow flow = run(llvm::cast<ast::FunctionDef>(code.function->code)->body());
    if (flow == Flow::Failed) ok = Failed();
    if (flow == Flow::Return) endGenerator(*this, generator, returnValue);
    if (ok) returnValue = Value();
  }
  frame = own.caller;
  return ok;
}

} // namespace jx::elab
