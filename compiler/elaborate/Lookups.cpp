// Items of lists, tuples, strings and dicts at a position or key that depends on data: where all the items
// are plain values of one form, one is picked when the program runs. What depends on loop indices or options
// alone is left to the demand for a static value, which keeps shapes and objects known.
#include "compiler/elaborate/Branches.h"
#include "compiler/elaborate/Containers.h"
#include "compiler/elaborate/Evaluation.h"
#include "compiler/elaborate/Joins.h"

namespace jx::elab {

namespace {

constexpr size_t maxPicked = 1000; // items: each is a branch of the choice

bool isFromData(Evaluator &ev, llvm::ArrayRef<Symbol> sources) {
  return llvm::any_of(sources, [&](Symbol s) {
    const SymbolInfo &info = ev.symbolInfo(s);
    return info.kind == SymbolInfo::Data || isFromData(ev, info.from);
  });
}

// Whether nothing but the data of the run says which int the value is.
bool isOpen(Evaluator &ev, Value number) {
  if (!number.isHost() || number.asHost().type == HostType::Float) return false;
  return isFromData(ev, number.asHost().sources) &&
         !evaluateNow(ev, number.asHost().value, EvaluationLimits::forConvenience());
}

// Whether a key of a sort, or a part of it, is such a number or array.
bool isOpenKey(Evaluator &ev, Value key) {
  if (key.is(Kind::Tuple))
    return llvm::any_of(key.asTuple().items, [&](Value v) { return isOpenKey(ev, v); });
  if (!key.isHost() && !key.isArray()) return false;
  if (key.isHost() ? !isFromData(ev, key.asHost().sources) : ev.inTransform()) return false;
  mlir::Value value = key.isHost() ? key.asHost().value : key.asArray();
  return !evaluateNow(ev, value, EvaluationLimits::forConvenience());
}

// Values without identity: a joined one is as good as the item itself.
bool isPlain(Value v) {
  if (v.is(Kind::Tuple)) return llvm::all_of(v.asTuple().items, isPlain);
  return v.isNumber() || v.isArray() || v.isAny(Kind::Str, Kind::Text, Kind::None);
}

bool canPick(Evaluator &ev, llvm::ArrayRef<Value> items) {
  return !items.empty() && items.size() <= maxPicked && llvm::all_of(items, isPlain) &&
         Joiner(ev).join(items, /*allowChoice=*/true).has_value();
}

// The item at a run-time position: a bool picks of two, an int of any number.
Value pick(Evaluator &ev, llvm::ArrayRef<Value> items, Value position) {
  if (items.size() == 1) return items[0];
  std::vector<std::function<Value()>> branches;
  for (Value item : items) branches.push_back([item] { return item; });
  return joinValues(ev, position, branches);
}

} // namespace

bool isSortedByData(Evaluator &ev, llvm::ArrayRef<Value> keys) {
  return llvm::any_of(keys, [&](Value key) { return isOpenKey(ev, key); });
}

std::optional<std::vector<Value>> sortedByData(Evaluator &ev, llvm::ArrayRef<Value> keys,
                                               llvm::ArrayRef<Value> items, bool descending) {
  constexpr size_t maxSorted = 64; // items: each is compared with each
  size_t n = items.size();
  if (n > maxSorted || !canPick(ev, items)) {
    (void)ev.unsupported(n > maxSorted
                             ? "sorting more than 64 items by keys that are known at run time only"
                             : "sorting items of different forms by keys that are known at run time only");
    return std::nullopt;
  }
  // The place of each: how many come before it. Of two equal ones, the one that stands first.
  std::vector<Value> places(n, Value::integer(0));
  for (size_t second = 0; second < n; ++second)
    for (size_t first = 0; first < second; ++first) {
      JX_TRY(later, descending ? ev.compare(ast::CompareOp::Lt, keys[first], keys[second])
                               : ev.compare(ast::CompareOp::Lt, keys[second], keys[first]));
      JX_TRY(swapped, ev.truthValue(later));
      JX_TRY(inOrder, ev.unary(ast::UnaryOp::Not, swapped));
      places[first] = ev.binary(ast::BinaryOp::Add, places[first], swapped);
      places[second] = ev.binary(ast::BinaryOp::Add, places[second], inOrder);
      if (!places[first] || !places[second]) return Failed();
    }
  std::vector<Value> sorted;
  for (size_t place = 0; place < n; ++place) {
    Value source = Value::integer(0);
    for (size_t i = 1; i < n; ++i) {
      JX_TRY(here, ev.compare(ast::CompareOp::Eq, places[i], Value::integer(place)));
      JX_TRY(share, ev.binary(ast::BinaryOp::Mul, Value::integer(i), here));
      source = ev.binary(ast::BinaryOp::Add, source, share);
      if (!source) return Failed();
    }
    JX_TRY(item, source.isHost() ? pick(ev, items, source) : items[source.asInt()]);
    sorted.push_back(item);
  }
  return sorted;
}

Value itemFromData(Evaluator &ev, llvm::ArrayRef<Value> items, Value index, const std::string &sequence) {
  if (index.isArray() && index.arrayType().getRank() == 0 && !ev.inTransform() && canPick(ev, items))
    index = ev.arrayToHost(index, HostType::Int);
  if (!index) return Failed();
  if (!isOpen(ev, index) || !canPick(ev, items)) return {};
  index = ev.hostOf(index, HostType::Int);
  Value size = Value::integer(items.size());
  JX_TRY(negative, ev.hostCompare(ast::CompareOp::Lt, index, Value::integer(0)));
  JX_TRY(wrap, ev.hostBinary(ast::BinaryOp::Mul, negative, size));
  JX_TRY(position, ev.hostBinary(ast::BinaryOp::Add, index, wrap));
  Value inRange = ev.hostAnd(ev.hostCompare(ast::CompareOp::GtE, position, Value::integer(0)),
                             ev.hostCompare(ast::CompareOp::Lt, position, size));
  JX_CHECK(ev.emitCheck(inRange, "IndexError", ev.arena.str(sequence + " index out of range")));
  return pick(ev, items, position);
}

Value itemOfDictFromData(Evaluator &ev, Object *dict, Value key) {
  const Contents &contents = dict->contents();
  auto isInt = [](Value k) { return k.isSmallInt() || k.is(Kind::Bool); };
  if (!isOpen(ev, key) || !llvm::all_of(contents.keys, isInt) || !canPick(ev, contents.values)) return {};
  std::vector<Value> items = contents.values;
  Value position = Value::integer(0), found = Value::boolean(false);
  for (auto [k, own] : llvm::enumerate(contents.keys)) {
    JX_TRY(here, ev.hostCompare(ast::CompareOp::Eq, key, own));
    JX_TRY(share, ev.hostBinary(ast::BinaryOp::Mul, here, Value::integer(k)));
    position = ev.hostBinary(ast::BinaryOp::Add, position, share);
    found = ev.hostOr(found, here);
    if (!position || !found) return Failed();
  }
  JX_TRY(shown, ev.repr(key));
  JX_CHECK(ev.emitCheck(found, "KeyError", shown));
  return pick(ev, items, position);
}

} // namespace jx::elab
