// range, enumerate, zip, map, filter, reversed, iter, next, and the methods of generators.
#include "compiler/elaborate/Containers.h"
#include "compiler/elaborate/Evaluator.h"
#include "compiler/elaborate/Generators.h"
#include "compiler/elaborate/Registry.h"
#include <algorithm>

namespace jx::elab {

namespace {

// An iterator over elements that are known: position, then the elements.
Value iteratorOver(Evaluator &ev, std::vector<Value> items) {
  items.insert(items.begin(), Value::integer(0));
  return ev.heap.create(Kind::Iterator, {{}, std::move(items)});
}

Value makeRange(Evaluator &ev, CallArgs &args) {
  auto &p = args.positional;
  if (!args.keywords.empty()) return ev.typeError("range() takes no keyword arguments");
  if (p.empty() || p.size() > 3)
    return ev.typeError(p.empty() ? "range expected at least 1 argument, got 0"
                                  : "range expected at most 3 arguments, got " + std::to_string(p.size()));
  for (Value &v : p) {
    if (v.isArray()) {
      v = isIntDtype(v.arrayType().getElementType())
              ? ev.arrayToHost(v, HostType::Int)
              : Value(ev.typeError("'Array' object of a float dtype cannot be interpreted as an integer"));
      if (!v) return Failed();
    }
    if (v.is(Kind::Instance)) {
      Value own = ev.callDunder(v, "__index__", {});
      v = own ? own : plainValue(v);
    }
    if (v.is(Kind::Bool)) v = Value::integer(v.asBool());
    if (!v.is(Kind::Int) && !(v.isHost() && v.asHost().type != HostType::Float))
      return ev.typeError("'" + ev.typeName(v) + "' object cannot be interpreted as an integer");
  }
  Value start = p.size() > 1 ? p[0] : Value::integer(0), stop = p.size() > 1 ? p[1] : p[0];
  Value step = p.size() > 2 ? p[2] : Value::integer(1);
  if (step.isHost()) {
    JX_TRY(known, ev.toStatic(step, "the step of a range"));
    step = known;
  }
  if (step.isSmallInt() && step.asInt() == 0) return ev.valueError("range() arg 3 must not be zero");
  return ev.arena.range(start, stop, step);
}

// `zip`, `enumerate` and their kin over elements that are made one by one: objects of the library, which take
// an element when one is taken from them.
Value lazily(Evaluator &ev, llvm::StringRef name, CallArgs &args) {
  Object *library = ev.importModule("jx._iterators", ev.here());
  if (!library) return Failed();
  return ev.call(library->get(ev.arena.str(name)), args);
}

bool anyLazy(Evaluator &ev, llvm::ArrayRef<Value> iterables) {
  return llvm::any_of(iterables, [&](Value v) { return isLazy(ev, v); });
}

Value enumerate(Evaluator &ev, CallArgs &args) {
  Value v[2];
  JX_CHECK(ev.bindNative(args, "enumerate", {"iterable", "start"}, 1, v));
  if (isLazy(ev, v[0])) return lazily(ev, "enumerate", args);
  Value index = v[1] ? v[1] : Value::integer(0);
  std::vector<Value> pairs;
  JX_TRY(items, ev.elements(v[0]));
  for (Value item : *items) {
    pairs.push_back(ev.arena.tuple({index, item}));
    index = ev.binary(ast::BinaryOp::Add, index, Value::integer(1));
    if (!index) return Failed();
  }
  return iteratorOver(ev, std::move(pairs));
}

Value zip(Evaluator &ev, CallArgs &args) {
  if (anyLazy(ev, args.positional)) return lazily(ev, "zip", args);
  Value strict = args.takeKeyword("strict");
  JX_CHECK(noMoreKeywords(ev, args, "zip"));
  bool isStrict = strict && ev.truth(strict) == Truth::True;
  std::vector<std::vector<Value>> columns;
  for (Value iterable : args.positional) {
    JX_TRY(items, ev.elements(iterable));
    columns.push_back(std::move(*items));
  }
  size_t shortest = columns.empty() ? 0 : SIZE_MAX;
  for (auto [i, column] : llvm::enumerate(columns)) {
    if (isStrict && column.size() != columns[0].size())
      return ev.valueError("zip() argument " + std::to_string(i + 1) + " is " +
                           (column.size() < columns[0].size() ? "shorter" : "longer") + " than argument" +
                           (i == 1 ? " 1" : "s 1-" + std::to_string(i)));
    shortest = std::min(shortest, column.size());
  }
  std::vector<Value> rows;
  for (size_t i = 0; i < shortest; ++i) {
    std::vector<Value> row;
    for (auto &column : columns) row.push_back(column[i]);
    rows.push_back(ev.arena.tuple(std::move(row)));
  }
  return iteratorOver(ev, std::move(rows));
}

Value reversed(Evaluator &ev, CallArgs &args) {
  Value own = ev.callDunder(args.positional[0], "__reversed__", {});
  if (own || !ev.isPending(Pending::None)) return own;
  if (args.positional[0].is(Kind::Range)) {
    const SliceNode &range = args.positional[0].asSlice();
    JX_TRY(count, ev.length(args.positional[0]));
    auto add = [&](Value a, Value b) { return ev.binary(ast::BinaryOp::Add, a, b); };
    auto mul = [&](Value a, Value b) { return ev.binary(ast::BinaryOp::Mul, a, b); };
    JX_TRY(last, add(range.start, mul(range.step, add(count, Value::integer(-1)))));
    JX_TRY(end, add(range.start, mul(range.step, Value::integer(-1))));
    return ev.arena.range(last, end, mul(range.step, Value::integer(-1)));
  }
  if (Value v = args.positional[0]; v.isAny(Kind::Set, Kind::Generator, Kind::Iterator) || v.isNumber())
    return ev.typeError("'" + ev.typeName(v) + "' object is not reversible");
  JX_TRY(items, ev.elements(args.positional[0]));
  std::reverse(items->begin(), items->end());
  return iteratorOver(ev, std::move(*items));
}

Value next(Evaluator &ev, CallArgs &args) {
  Value iterator = args.positional[0];
  if (Value item = advance(ev, iterator)) return item;
  if (!ev.isPending(Pending::None)) return Failed();
  if (args.positional.size() == 2) return args.positional[1];
  (void)ev.raise("StopIteration", "");
  Value returned = iterator.is(Kind::Generator) ? returnedBy(ev, iterator) : Value::none();
  if (!returned.isNone())
    ev.heap.put(ev.pending().exception.asObject(), ev.arena.str("args"), ev.arena.tuple({returned}));
  return Failed();
}

// `send` and `throw` give what the generator yields next, or end it.
Value afterResuming(Evaluator &ev, Value generator, Value yielded) {
  if (yielded || !ev.isPending(Pending::None)) return yielded;
  CallArgs args;
  args.positional.push_back(generator);
  return next(ev, args);
}

Value send(Evaluator &ev, CallArgs &args) {
  Value generator = args.positional[0];
  if (!hasStarted(generator) && !args.positional[1].isNone())
    return ev.typeError("can't send non-None value to a just-started generator");
  return afterResuming(ev, generator, resume(ev, generator, args.positional[1]));
}

} // namespace

Value iteratorOf(Evaluator &ev, Value v) {
  if (v.isAny(Kind::Iterator, Kind::Generator)) return v;
  if (userClass(v)) {
    Value own = ev.callDunder(v, "__iter__", {});
    if (own || !ev.isPending(Pending::None)) return own;
  }
  JX_TRY(items, ev.elements(v));
  return iteratorOver(ev, std::move(*items));
}

Value advance(Evaluator &ev, Value v) {
  if (v.is(Kind::Generator)) return resume(ev, v, Value::none());
  if (v.is(Kind::Iterator)) {
    Object *iterator = v.asObject();
    JX_TRY(last, ev.toStaticInt(iterator->at(0), "the position of an iterator"));
    size_t position = *last + 1;
    if (position >= iterator->size()) return {};
    ev.heap.set(iterator, 0, Value::integer(position));
    return iterator->at(position);
  }
  Value own = ev.callDunder(v, "__next__", {});
  if (own) return own;
  if (ev.isPending(Pending::None)) return ev.typeError("'" + ev.typeName(v) + "' object is not an iterator");
  if (ev.isPending(Pending::Exception) &&
      ev.isInstance(ev.pending().exception, ev.builtinClass("StopIteration")))
    ev.catchException();
  return {};
}

bool isLazy(Evaluator &ev, Value v) {
  if (v.is(Kind::Generator)) return hasStarted(v) || canStep(v);
  return v.is(Kind::Iterator) || (v.is(Kind::Instance) && (ev.lookUpClass(v.asObject()->cls, "__iter__") ||
                                                           ev.lookUpClass(v.asObject()->cls, "__next__")));
}

void registerIteration(Registry &r) {
  r.constructor("range", makeRange);
  r.function("builtins", "enumerate", enumerate);
  r.function("builtins", "zip", zip);
  r.function("builtins", "map", [](Evaluator &ev, CallArgs &args) -> Value {
    if (args.positional.size() < 2) return ev.typeError("map() must have at least two arguments.");
    return lazily(ev, "map", args);
  });
  r.function("builtins", "filter", {2, 2},
             [](Evaluator &ev, CallArgs &args) { return lazily(ev, "filter", args); });
  r.function("builtins", "reversed", {1, 1}, reversed);
  r.function("builtins", "iter", {1, 2}, [](Evaluator &ev, CallArgs &args) {
    return args.positional.size() == 2 ? lazily(ev, "calls_until", args) : iteratorOf(ev, args.positional[0]);
  });
  r.function("builtins", "next", {1, 2}, next);
  r.method(Kind::Generator, "__next__", {0, 0}, next);
  r.method(Kind::Iterator, "__next__", {0, 0}, next);
  for (Kind kind : {Kind::Generator, Kind::Iterator})
    r.method(kind, "__iter__", {0, 0}, [](Evaluator &, CallArgs &args) { return args.positional[0]; });
  r.method(Kind::Generator, "send", {1, 1}, send);
  r.method(Kind::Generator, "throw", {1, 1}, [](Evaluator &ev, CallArgs &args) {
    return afterResuming(ev, args.positional[0], throwInto(ev, args.positional[0], args.positional[1]));
  });
  r.method(Kind::Generator, "close", {0, 0}, [](Evaluator &ev, CallArgs &args) -> Value {
    JX_CHECK(closeGenerator(ev, args.positional[0]));
    return Value::none();
  });
}

} // namespace jx::elab
