// sorted, list.sort, min, max, and where in a sequence an element stands: what is known is ordered when the
// program is compiled; among numbers of the run the program does it, and picks the element that it finds.
#include "compiler/elaborate/Branches.h"
#include "compiler/elaborate/Containers.h"
#include "compiler/elaborate/Evaluation.h"
#include "compiler/elaborate/Evaluator.h"
#include "compiler/elaborate/Registry.h"
#include <algorithm>

namespace jx::elab {

namespace {

using ast::BinaryOp;
using ast::CompareOp;

constexpr size_t maxSorted = 64; // elements that the program orders itself, by comparing all pairs

// Whether the condition holds, as far as it depends on no input of the run; else empty without failure.
std::optional<bool> decided(Evaluator &ev, Value condition) {
  if (condition.is(Kind::Bool)) return condition.asBool();
  if (auto known = evaluateNow(ev, condition.asHost().value, EvaluationLimits::forConvenience()))
    return (*known)[0].scalarInt() != 0;
  return std::nullopt;
}

// A sort of elements by their keys, in the order of `<` on them. Equal ones keep their order, also when it
// descends.
class Sorting {
public:
  Sorting(Evaluator &ev, std::vector<Value> items, bool descending)
      : ev(ev), items(std::move(items)), descending(descending) {}

  std::optional<std::vector<Value>> run(Value key) {
    for (Value item : items) {
      Value k = key && !key.isNone() ? ev.call(key, {item}) : item;
      if (!k) return Failed();
      keys.push_back(k);
    }
    if (auto order = staticOrder()) return order;
    if (!ev.isPending(Pending::None)) return Failed();
    if (items.size() <= maxSorted && canPick(ev, items)) return orderAtRun();
    for (Value &k : keys) {
      if (k.isHost() || k.isArray()) k = ev.toStatic(k, "the order of a sort");
      if (!k) return Failed();
    }
    auto order = staticOrder();
    if (!order && ev.isPending(Pending::None))
      (void)ev.unsupported("a sort by such keys when they are known at run time only");
    return order;
  }

private:
  // Whether element b comes before a, which stands before it.
  Value overtakes(size_t a, size_t b) {
    JX_TRY(less, descending ? ev.compare(CompareOp::Lt, keys[a], keys[b])
                            : ev.compare(CompareOp::Lt, keys[b], keys[a]));
    return ev.truthValue(less);
  }

  // By insertion. Null without failure where the run decides a comparison.
  std::optional<std::vector<Value>> staticOrder() {
    std::vector<size_t> sorted;
    for (size_t i = 0; i < items.size(); ++i) {
      size_t low = 0, high = sorted.size();
      while (low < high) {
        size_t middle = (low + high) / 2;
        JX_TRY(less, overtakes(sorted[middle], i));
        std::optional<bool> before = decided(ev, less);
        if (!before) return std::nullopt;
        if (*before)
          high = middle;
        else
          low = middle + 1;
      }
      sorted.insert(sorted.begin() + low, i);
    }
    std::vector<Value> result;
    for (size_t i : sorted) result.push_back(items[i]);
    return result;
  }

  // By the number of elements that come before each.
  std::optional<std::vector<Value>> orderAtRun() {
    std::vector<Value> ranks(items.size(), Value::integer(0));
    auto raise = [&](size_t i, Value by) {
      ranks[i] = by ? ev.hostBinary(BinaryOp::Add, ranks[i], by) : Value();
    };
    for (size_t a = 0; a < items.size(); ++a)
      for (size_t b = a + 1; b < items.size(); ++b) {
        JX_TRY(less, overtakes(a, b));
        raise(a, less);
        raise(b, ev.hostNot(less));
        if (!ranks[a] || !ranks[b]) return Failed();
      }
    std::vector<Value> result;
    for (size_t place = 0; place < items.size(); ++place) {
      Value from = Value::integer(0);
      for (size_t i = 1; i < items.size() && from; ++i) {
        Value isHere = ev.compare(CompareOp::Eq, ranks[i], Value::integer(int64_t(place)));
        Value share = isHere ? ev.binary(BinaryOp::Mul, isHere, Value::integer(int64_t(i))) : Value();
        from = share ? ev.binary(BinaryOp::Add, from, share) : Value();
      }
      if (!from) return Failed();
      JX_TRY(item, pickItem(ev, items, from));
      result.push_back(item);
    }
    return result;
  }

  Evaluator &ev;
  std::vector<Value> items, keys;
  bool descending;
};

std::optional<std::vector<Value>> sortedValues(Evaluator &ev, std::vector<Value> items, CallArgs &args) {
  Value key = args.takeKeyword("key"), reverse = args.takeKeyword("reverse");
  JX_CHECK(noMoreKeywords(ev, args, "sort"));
  bool descending = false;
  if (reverse) {
    JX_TRY(known, ev.toStatic(reverse, "`reverse` of a sort"));
    descending = ev.truth(known) == Truth::True;
  }
  return Sorting(ev, std::move(items), descending).run(key);
}

// The larger or smaller of two numbers, as a selection that keeps the interval of ints.
Value selectNumber(Evaluator &ev, bool largest, Value a, Value b, Value takeB) {
  HostType type = ev.hostTypeOf(a) == HostType::Float || ev.hostTypeOf(b) == HostType::Float ? HostType::Float
                                                                                             : HostType::Int;
  mlir::Value l = ev.hostTensor(a, type), r = ev.hostTensor(b, type),
              test = ev.hostTensor(takeB, HostType::Bool);
  if (!l || !r || !test) return Failed();
  Interval x = ev.rangeOf(a), y = ev.rangeOf(b), range;
  if (type == HostType::Int)
    range = largest ? Interval{std::max(x.low, y.low), std::max(x.high, y.high)}
                    : Interval{std::min(x.low, y.low), std::min(x.high, y.high)};
  std::vector<Symbol> none,
      sources = mergeSources(a.isHost() ? a.asHost().sources : none, b.isHost() ? b.asHost().sources : none);
  return ev.makeHost(ev.emit1("jx.select", {test, r, l}), type, {}, range, sources);
}

// An element and its key, which are the same where there is no `key`.
struct Keyed {
  Value item, key;
  Keyed() = default;
  Keyed(Failed) {}
  Keyed(Value item, Value key) : item(item), key(key) {}
  explicit operator bool() const { return bool(item); }
};

// The smaller or larger of two; among run-time values a selection.
Keyed better(Evaluator &ev, bool largest, Keyed a, Keyed b, bool hasKey) {
  JX_TRY(isBetter, ev.compare(largest ? CompareOp::Gt : CompareOp::Lt, b.key, a.key));
  JX_TRY(condition, ev.truthValue(isBetter));
  if (condition.is(Kind::Bool)) return condition.asBool() ? b : a;
  if (!hasKey) {
    Value chosen;
    if (a.item.isArray() || b.item.isArray())
      chosen = ev.callLibrary("jax.numpy", largest ? "maximum" : "minimum", {a.item, b.item});
    else if (a.item.isNumber() && b.item.isNumber())
      chosen = selectNumber(ev, largest, a.item, b.item, condition);
    else
      chosen = joinValues(ev, condition, {[&] { return a.item; }, [&] { return b.item; }});
    return {chosen, chosen};
  }
  JX_TRY(pair, joinValues(ev, condition,
                          {[&] { return ev.arena.tuple({a.item, a.key}); },
                           [&] { return ev.arena.tuple({b.item, b.key}); }}));
  return {pair.asTuple().items[0], pair.asTuple().items[1]};
}

Value minMax(Evaluator &ev, CallArgs &args, bool largest) {
  Value key = args.takeKeyword("key"), fallback = args.takeKeyword("default");
  const char *name = largest ? "max" : "min";
  JX_CHECK(noMoreKeywords(ev, args, name));
  if (args.positional.empty())
    return ev.fail(DiagKind::BadCall, std::string(name) + " expected at least 1 argument, got 0");
  std::vector<Value> items(args.positional.begin(), args.positional.end());
  if (items.size() == 1) {
    JX_TRY(elements, ev.elements(items[0]));
    items = std::move(*elements);
  } else if (fallback) {
    return ev.typeError("Cannot specify a default for " + std::string(name) +
                        "() with multiple positional arguments");
  }
  if (items.empty()) {
    if (fallback) return fallback;
    return ev.valueError(std::string(name) + "() arg is an empty sequence");
  }
  bool hasKey = key && !key.isNone();
  Keyed best;
  for (Value item : items) {
    JX_TRY(itemKey, hasKey ? ev.call(key, {item}) : item);
    best = best ? better(ev, largest, best, {item, itemKey}, hasKey) : Keyed{item, itemKey};
    if (!best) return Failed();
  }
  return best.item;
}

Value indexIn(Evaluator &ev, CallArgs &args) {
  JX_TRY(items, ev.elements(args.positional[0]));
  int64_t size = static_cast<int64_t>(items->size()), bounds[] = {0, size};
  for (size_t i = 2; i < args.positional.size(); ++i) {
    JX_TRY(bound, ev.toStaticInt(args.positional[i], "a bound of index()"));
    bounds[i - 2] = std::clamp<int64_t>(*bound < 0 ? *bound + size : *bound, 0, size);
  }
  // Where the first equal element stands, and whether there was one, as far as only the run knows.
  Value position = Value::integer(0), found = Value::boolean(false);
  for (int64_t i = bounds[0]; i < bounds[1]; ++i) {
    JX_TRY(same, (*items)[i].identical(args.positional[1]) ? Value::boolean(true)
                                                           : ev.isEqual((*items)[i], args.positional[1]));
    JX_TRY(isSame, ev.truthValue(same));
    if (isSame.is(Kind::Bool) && !isSame.asBool()) continue;
    bool certain = isSame.is(Kind::Bool);
    if (certain && found.is(Kind::Bool)) return Value::integer(i);
    Value first = ev.hostAnd(isSame, ev.hostNot(found));
    position = ev.binary(BinaryOp::Add, position, ev.binary(BinaryOp::Mul, first, Value::integer(i)));
    if (!position || certain) return position;
    found = ev.hostOr(found, isSame);
  }
  Value message = ev.arena.str("tuple.index(x): x not in tuple");
  if (!args.positional[0].is(Kind::Tuple)) {
    JX_TRY(text, ev.repr(args.positional[1]));
    message = ev.concatText({text, ev.arena.str(" is not in " + ev.typeName(args.positional[0]))});
  }
  if (found.is(Kind::Bool) && message.is(Kind::Str)) return ev.valueError(message.asStr().str());
  JX_CHECK(ev.emitCheck(found, "ValueError", message));
  return position;
}

Value countIn(Evaluator &ev, CallArgs &args) {
  JX_TRY(items, ev.elements(args.positional[0]));
  Value count = Value::integer(0);
  for (Value item : *items) {
    JX_TRY(same,
           item.identical(args.positional[1]) ? Value::boolean(true) : ev.isEqual(item, args.positional[1]));
    JX_TRY(isSame, ev.truthValue(same));
    count = ev.binary(BinaryOp::Add, count, isSame);
    if (!count) return Failed();
  }
  return count;
}

Value removeFrom(Evaluator &ev, CallArgs &args) {
  JX_CHECK(takeApart(ev, args.positional[0].asObject()));
  Value at = indexIn(ev, args);
  if (!at && ev.isPending(Pending::Exception) &&
      ev.isInstance(ev.pending().exception, ev.builtinClass("ValueError")))
    return ev.valueError("list.remove(x): x not in list");
  JX_TRY(position, ev.toStaticInt(at, "the element that list.remove removes"));
  ev.heap.eraseAt(args.positional[0].asObject(), *position);
  return Value::none();
}

} // namespace

void registerOrdering(Registry &r) {
  r.function("builtins", "min", [](Evaluator &ev, CallArgs &args) { return minMax(ev, args, false); });
  r.function("builtins", "max", [](Evaluator &ev, CallArgs &args) { return minMax(ev, args, true); });
  r.function("builtins", "sorted", {1, 1, true}, [](Evaluator &ev, CallArgs &args) -> Value {
    JX_TRY(items, ev.elements(args.positional[0]));
    JX_TRY(sorted, sortedValues(ev, std::move(*items), args));
    return ev.heap.list(std::move(*sorted));
  });
  r.method(Kind::List, "sort", {0, 0, true}, [](Evaluator &ev, CallArgs &args) -> Value {
    Object *list = args.positional[0].asObject();
    JX_CHECK(takeApart(ev, list));
    JX_TRY(sorted, sortedValues(ev, list->contents().values, args));
    ev.heap.replace(list, {{}, std::move(*sorted)});
    return Value::none();
  });
  r.method(Kind::List, "remove", {1, 1}, removeFrom);
  for (Kind kind : {Kind::List, Kind::Tuple, Kind::Range}) {
    r.method(kind, "index", {1, 3}, indexIn);
    r.method(kind, "count", {1, 1}, countIn);
  }
}

} // namespace jx::elab
