// range, enumerate, zip, map, filter, reversed, iter, next.
#include "compiler/elaborate/Evaluator.h"
#include "compiler/elaborate/Loops.h"
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
  if (p.empty() || p.size() > 3 || !args.keywords.empty())
    return ev.typeError("range expected 1 to 3 arguments");
  for (Value &v : p) {
    if (v.isArray()) {
      v = isIntDtype(v.arrayType().getElementType())
              ? ev.arrayToHost(v, HostType::Int)
              : Value(ev.typeError("'Array' object of a float dtype cannot be interpreted as an integer"));
      if (!v) return Failed();
    }
    if (v.is(Kind::Instance)) {
      Value own = ev.callDunder(v, "__index__", {});
      if (own) v = own;
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

Value enumerate(Evaluator &ev, CallArgs &args) {
  Value v[2];
  JX_CHECK(ev.bindNative(args, "enumerate", {"iterable", "start"}, 1, v));
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

// Elements of an iterable, at most `limit` of them: infinite iterators stop there.
std::optional<std::vector<Value>> firstElements(Evaluator &ev, Value iterable, size_t limit) {
  std::vector<Value> items;
  if (limit == 0) return items;
  if (iterable.is(Kind::Generator)) {
    // In step while it emits nothing, so that it may be endless; else all of it, as its loops may be
    // compiled.
    auto collect = [&](bool &) -> Flow {
      Status ok = ev.iterate(iterable, [&](Value item) -> Status {
        items.push_back(item);
        return items.size() == limit ? Status(ev.stopIteration()) : Status::success();
      });
      if (ok) return Flow::Normal;
      if (!ev.isPending(Pending::Stopped)) return Flow::Failed;
      ev.pending() = {};
      return Flow::Normal;
    };
    if (std::optional<Flow> done = executeNow(ev, collect)) {
      if (*done == Flow::Failed) return Failed();
      return items;
    }
    JX_TRY(all, ev.elements(iterable));
    if (all->size() > limit) all->resize(limit);
    return all;
  }
  Status ok = ev.iterate(iterable, [&](Value item) -> Status {
    items.push_back(item);
    if (items.size() == limit) return ev.stopIteration();
    return Status::success();
  });
  if (!ok && !ev.isPending(Pending::Stopped)) return Failed();
  if (!ok) ev.pending() = {};
  return items;
}

std::optional<std::vector<std::vector<Value>>> columnsOf(Evaluator &ev, llvm::ArrayRef<Value> iterables,
                                                         bool strict) {
  // Finite ones first: their length bounds the infinite ones.
  size_t shortest = SIZE_MAX;
  std::vector<std::vector<Value>> columns(iterables.size());
  for (bool finite : {true, false})
    for (size_t i = 0; i < iterables.size(); ++i) {
      bool lazy = iterables[i].isAny(Kind::Instance, Kind::Generator);
      if (lazy == finite) continue;
      if (lazy) {
        JX_TRY(items, firstElements(ev, iterables[i], shortest));
        columns[i] = std::move(*items);
      } else {
        JX_TRY(items, ev.elements(iterables[i]));
        columns[i] = std::move(*items);
      }
      shortest = std::min(shortest, columns[i].size());
    }
  if (strict)
    for (size_t i = 1; i < columns.size(); ++i)
      if (columns[i].size() != columns[0].size()) {
        (void)ev.valueError("zip() argument " + std::to_string(i + 1) + " is " +
                            (columns[i].size() < columns[0].size() ? "shorter" : "longer") +
                            " than argument" + (i == 1 ? " 1" : "s 1-" + std::to_string(i)));
        return Failed();
      }
  for (auto &column : columns) column.resize(shortest);
  return columns;
}

Value zip(Evaluator &ev, CallArgs &args) {
  Value strict = args.takeKeyword("strict");
  if (args.positional.empty()) return iteratorOver(ev, {});
  JX_TRY(columns, columnsOf(ev, args.positional, strict && ev.truth(strict) == Truth::True));
  std::vector<Value> rows;
  for (size_t i = 0; i < (*columns)[0].size(); ++i) {
    std::vector<Value> row;
    for (auto &column : *columns) row.push_back(column[i]);
    rows.push_back(ev.arena.tuple(std::move(row)));
  }
  return iteratorOver(ev, std::move(rows));
}

Value map(Evaluator &ev, CallArgs &args) {
  if (args.positional.size() < 2) return ev.typeError("map() must have at least two arguments");
  JX_TRY(columns, columnsOf(ev, llvm::ArrayRef<Value>(args.positional).drop_front(), false));
  std::vector<Value> results;
  for (size_t i = 0; i < (*columns)[0].size(); ++i) {
    llvm::SmallVector<Value> row;
    for (auto &column : *columns) row.push_back(column[i]);
    JX_TRY(result, ev.call(args.positional[0], row));
    results.push_back(result);
  }
  return iteratorOver(ev, std::move(results));
}

Value filter(Evaluator &ev, CallArgs &args) {
  if (args.positional.size() != 2) return ev.typeError("filter expected 2 arguments");
  JX_TRY(items, ev.elements(args.positional[1]));
  std::vector<Value> kept;
  for (Value item : *items) {
    JX_TRY(keep, args.positional[0].isNone() ? item : ev.call(args.positional[0], {item}));
    JX_TRY(known, ev.toStatic(keep, "the condition of filter()"));
    Truth truth = ev.truth(known);
    if (truth == Truth::Failed) return Failed();
    if (truth == Truth::True) kept.push_back(item);
  }
  return iteratorOver(ev, std::move(kept));
}

Value reversed(Evaluator &ev, CallArgs &args) {
  if (args.positional.size() != 1) return ev.typeError("reversed expected 1 argument");
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
  JX_TRY(items, ev.elements(args.positional[0]));
  std::reverse(items->begin(), items->end());
  return iteratorOver(ev, std::move(*items));
}

Value makeIterator(Evaluator &ev, CallArgs &args) {
  if (args.positional.size() != 1) return ev.typeError("iter expected 1 argument");
  Value v = args.positional[0];
  if (v.isAny(Kind::Iterator, Kind::Generator)) return v;
  if (v.is(Kind::Instance)) {
    Value own = ev.callDunder(v, "__iter__", {});
    if (own || !ev.isPending(Pending::None)) return own;
  }
  JX_TRY(items, ev.elements(v));
  return iteratorOver(ev, std::move(*items));
}

Value next(Evaluator &ev, CallArgs &args) {
  if (args.positional.empty()) return ev.typeError("next expected at least 1 argument");
  Value v = args.positional[0], fallback = args.positional.size() > 1 ? args.positional[1] : Value();
  if (v.is(Kind::Iterator)) {
    Object *iterator = v.asObject();
    JX_TRY(last, ev.toStaticInt(iterator->at(0), "the position of an iterator"));
    size_t position = *last + 1;
    if (position < iterator->size()) {
      ev.heap.set(iterator, 0, Value::integer(position));
      return iterator->at(position);
    }
    return fallback ? fallback : Value(ev.raise("StopIteration", ""));
  }
  if (v.is(Kind::Generator)) {
    // A generator that is advanced by hand runs to its end at the first step; its elements are kept.
    constexpr size_t longest = 1000;
    Object *generator = v.asObject();
    if (generator->size() == 0) {
      JX_TRY(items, firstElements(ev, v, longest));
      if (items->size() == longest)
        return ev.fail(DiagKind::NotElaborated,
                       "next() of a generator of " + std::to_string(longest) +
                           " or more elements is not supported; consume it with `for`, or write a class with "
                           "`__next__`");
      ev.heap.put(generator, Value::integer(0), iteratorOver(ev, std::move(*items)));
    }
    CallArgs rest;
    rest.positional.push_back(generator->at(0));
    if (fallback) rest.positional.push_back(fallback);
    return next(ev, rest);
  }
  Value own = ev.callDunder(v, "__next__", {});
  if (own) return own;
  if (ev.isPending(Pending::None)) return ev.typeError("'" + ev.typeName(v) + "' object is not an iterator");
  if (fallback && ev.isPending(Pending::Exception) &&
      ev.isInstance(ev.pending().exception, ev.builtinClass("StopIteration"))) {
    ev.catchException();
    return fallback;
  }
  return Failed();
}

} // namespace

void registerIteration(Registry &r) {
  r.constructor("range", makeRange);
  r.function("builtins", "enumerate", enumerate);
  r.function("builtins", "zip", zip);
  r.function("builtins", "map", map);
  r.function("builtins", "filter", filter);
  r.function("builtins", "reversed", reversed);
  r.function("builtins", "iter", makeIterator);
  r.function("builtins", "next", next);
}

} // namespace jx::elab
