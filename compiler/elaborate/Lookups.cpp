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

// Values without identity: a joined one is as good as the item itself.
bool isPlain(Value v) {
  if (v.is(Kind::Tuple)) return llvm::all_of(v.asTuple().items, isPlain);
  return v.isNumber() || v.isArray() || v.isAny(Kind::Str, Kind::Text, Kind::None);
}

} // namespace

bool canPick(Evaluator &ev, llvm::ArrayRef<Value> items) {
  return !items.empty() && items.size() <= maxPicked && llvm::all_of(items, isPlain) &&
         Joiner(ev).join(items, /*allowChoice=*/true).has_value();
}

Value pickItem(Evaluator &ev, llvm::ArrayRef<Value> items, Value position) {
  if (items.size() == 1) return items[0];
  std::vector<std::function<Value()>> branches;
  for (Value item : items) branches.push_back([item] { return item; });
  return joinValues(ev, position, branches);
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
  return pickItem(ev, items, position);
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
  return pickItem(ev, items, position);
}

} // namespace jx::elab
