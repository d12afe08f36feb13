// Special methods of built-in kinds by name: `x.__len__()`, `dict.__setitem__(d, k, v)`, and what `super()`
// finds in a subclass of list, dict or set. They do what the operator does, past the methods of a subclass.
#include "compiler/elaborate/Containers.h"
#include "compiler/elaborate/Registry.h"

namespace jx::elab {

namespace {

using Method = std::function<Value(Evaluator &, Value self, llvm::ArrayRef<Value> args)>;

constexpr Kind sequences[] = {Kind::List, Kind::Tuple, Kind::Str, Kind::Range};
constexpr Kind containers[] = {Kind::List, Kind::Dict, Kind::Set};
constexpr Kind values[] = {Kind::Int,   Kind::Float, Kind::Bool, Kind::Host, Kind::Str,
                           Kind::Tuple, Kind::List,  Kind::Dict, Kind::Set};

void add(Registry &r, llvm::ArrayRef<Kind> kinds, const char *name, size_t count, Method fn) {
  for (Kind kind : kinds)
    r.method(kind, name, [name = std::string(name), count, fn](Evaluator &ev, CallArgs &args) -> Value {
      if (args.positional.size() != count + 1 || !args.keywords.empty())
        return ev.typeError(name + "() takes " + std::to_string(count) + " argument" +
                            (count == 1 ? "" : "s"));
      return fn(ev, args.positional[0], llvm::ArrayRef<Value>(args.positional).drop_front());
    });
}

// The container as one of its built-in class.
Value plain(Evaluator &ev, Value v) {
  return userClass(v) && v.isObject() ? Value(ev.heap.create(v.kind(), v.asObject()->contents())) : v;
}

Value done(Status status) { return status ? Value::none() : Value(); }

void addItems(Registry &r) {
  llvm::SmallVector<Kind> withItems(std::begin(sequences), std::end(sequences));
  withItems.push_back(Kind::Dict);
  add(r, withItems, "__getitem__", 1,
      [](Evaluator &ev, Value self, llvm::ArrayRef<Value> args) { return builtinItem(ev, self, args[0]); });
  for (Kind kind : {Kind::List, Kind::Dict}) {
    add(r, kind, "__setitem__", 2, [](Evaluator &ev, Value self, llvm::ArrayRef<Value> args) {
      return done(setBuiltinItem(ev, self, args[0], args[1]));
    });
    add(r, kind, "__delitem__", 1, [](Evaluator &ev, Value self, llvm::ArrayRef<Value> args) {
      return done(deleteBuiltinItem(ev, self, args[0]));
    });
  }
  withItems.push_back(Kind::Set);
  add(r, withItems, "__len__", 0,
      [](Evaluator &ev, Value self, llvm::ArrayRef<Value>) { return ev.length(plain(ev, self)); });
  add(r, withItems, "__contains__", 1, [](Evaluator &ev, Value self, llvm::ArrayRef<Value> args) {
    return ev.contains(plain(ev, self), args[0]);
  });
  add(r, withItems, "__iter__", 0, [](Evaluator &ev, Value self, llvm::ArrayRef<Value>) -> Value {
    JX_TRY(iter, ev.lookUpBuiltin(ev.ast.name("iter")));
    return ev.call(iter, {plain(ev, self)});
  });
}

} // namespace

void registerDunders(Registry &r) {
  addItems(r);
  for (Kind kind : containers)
    r.method(kind, "__init__", [](Evaluator &ev, CallArgs &args) -> Value {
      Value self = args.positional[0];
      args.positional.erase(args.positional.begin());
      return done(fillContainer(ev, self, args));
    });
  add(r, values, "__repr__", 0,
      [](Evaluator &ev, Value self, llvm::ArrayRef<Value>) { return ev.repr(plain(ev, self)); });
  add(r, values, "__str__", 0,
      [](Evaluator &ev, Value self, llvm::ArrayRef<Value>) { return ev.str(plain(ev, self)); });
  add(r, values, "__eq__", 1, [](Evaluator &ev, Value self, llvm::ArrayRef<Value> args) {
    return ev.isEqual(plain(ev, self), plain(ev, args[0]));
  });
  using ast::BinaryOp;
  for (auto [name, op] : {std::pair("__add__", BinaryOp::Add), std::pair("__sub__", BinaryOp::Sub),
                          std::pair("__mul__", BinaryOp::Mul), std::pair("__truediv__", BinaryOp::Div),
                          std::pair("__floordiv__", BinaryOp::FloorDiv), std::pair("__mod__", BinaryOp::Mod),
                          std::pair("__pow__", BinaryOp::Pow), std::pair("__and__", BinaryOp::BitAnd),
                          std::pair("__or__", BinaryOp::BitOr), std::pair("__xor__", BinaryOp::BitXor)})
    add(r, values, name, 1, [op = op](Evaluator &ev, Value self, llvm::ArrayRef<Value> args) {
      return ev.binary(op, plain(ev, self), args[0]);
    });
  using ast::CompareOp;
  for (auto [name, op] : {std::pair("__lt__", CompareOp::Lt), std::pair("__le__", CompareOp::LtE),
                          std::pair("__gt__", CompareOp::Gt), std::pair("__ge__", CompareOp::GtE),
                          std::pair("__ne__", CompareOp::NotEq)})
    add(r, values, name, 1, [op = op](Evaluator &ev, Value self, llvm::ArrayRef<Value> args) {
      return ev.compare(op, plain(ev, self), args[0]);
    });
}

} // namespace jx::elab
