// list, tuple, dict, set and their methods; len, sum, any, all.
#include "compiler/elaborate/Containers.h"
#include "compiler/elaborate/Evaluator.h"
#include "compiler/elaborate/Generators.h"
#include "compiler/elaborate/Registry.h"
#include "llvm/Support/Casting.h"
#include <algorithm>

namespace jx::elab {

namespace {

using ast::BinaryOp;

Object *self(CallArgs &args) { return args.positional[0].asObject(); }

Value sum(Evaluator &ev, CallArgs &args) {
  Value v[2];
  JX_CHECK(ev.bindNative(args, "sum", {"iterable", "start"}, 1, v));
  Value total = v[1] ? v[1] : Value::integer(0);
  JX_TRY(items, ev.elements(v[0]));
  for (Value item : *items) {
    total = ev.binary(BinaryOp::Add, total, item);
    if (!total) return Failed();
  }
  return total;
}

Value anyOrAll(Evaluator &ev, CallArgs &args, bool isAny) {
  Value dynamic = Value::boolean(!isAny), decided;
  Value iterable = args.positional[0];
  // A loop of a generator function may be compiled: its elements come first, as far as nothing else stops it.
  if (iterable.is(Kind::Generator) &&
      !llvm::isa<ast::Comprehension>(
          static_cast<const GeneratorNode *>(iterable.asObject()->payload)->function->code)) {
    JX_TRY(items, ev.elements(iterable));
    iterable = ev.heap.list(std::move(*items));
  }
  auto each = [&](Value item) -> Status {
    Truth known = ev.truth(item);
    if (known == Truth::Failed) return Failed();
    if (known == Truth::Dynamic) {
      JX_TRY(truth, ev.truthValue(item));
      dynamic = isAny ? ev.hostOr(dynamic, truth) : ev.hostAnd(dynamic, truth);
      if (!dynamic) return Failed();
      return Status::success();
    }
    if ((known == Truth::True) != isAny) return Status::success();
    decided = Value::boolean(isAny);
    return ev.stopIteration();
  };
  Status ok = Status::success();
  if (iterable.is(Kind::Generator)) {
    // One element at a time: nothing of what is gathered here may lie inside of a loop of the source.
    while (Value item = ok ? advance(ev, iterable) : Value()) ok = each(item);
    if (!ev.isPending(Pending::None)) ok = Failed();
  } else {
    ok = ev.iterate(iterable, each);
  }
  if (!ok && !ev.isPending(Pending::Stopped)) return Failed();
  if (!ok) ev.pending() = {};
  return decided ? decided : dynamic;
}

Value makeDict(Evaluator &ev, CallArgs &args) {
  Object *dict = ev.heap.dict();
  if (!args.positional.empty()) {
    Value from = args.positional[0];
    if (from.is(Kind::Dict)) {
      ev.heap.replace(dict, from.asObject()->contents());
    } else if (Value keys = from.is(Kind::Instance) ? ev.callDunder(from, "keys", {}) : Value()) {
      JX_TRY(names, ev.elements(keys));
      for (Value name : *names) {
        JX_TRY(value, ev.getItem(from, name));
        JX_CHECK(putItem(ev, dict, name, value));
      }
    } else {
      size_t number = 0;
      JX_CHECK(ev.iterate(from, [&](Value pair) -> Status {
        std::string which = "dictionary update sequence element #" + std::to_string(number++);
        JX_TRY(items, elementsOf(ev, pair, "cannot convert " + which + " to a sequence"));
        if (items->size() != 2)
          return ev.valueError(which + " has length " + std::to_string(items->size()) + "; 2 is required");
        return ev.setItem(dict, (*items)[0], (*items)[1]);
      }));
    }
  }
  for (auto &[name, value] : args.keywords) ev.heap.put(dict, ev.arena.str(name), value);
  return dict;
}

Value makeSet(Evaluator &ev, CallArgs &args) {
  Object *set = ev.heap.create(Kind::Set);
  if (args.positional.empty()) return set;
  JX_CHECK(ev.iterate(args.positional[0],
                      [&](Value item) -> Status { return putItem(ev, set, item, Value::none()); }));
  return set;
}

Value popList(Evaluator &ev, CallArgs &args) {
  JX_CHECK(takeApart(ev, self(args)));
  int64_t size = self(args)->size(), at = -1;
  if (args.positional.size() > 1) {
    JX_TRY(index, ev.toStaticInt(args.positional[1], "the index of list.pop"));
    at = *index;
  }
  if (size == 0) return ev.raise("IndexError", "pop from empty list");
  if (at < 0) at += size;
  if (at < 0 || at >= size) return ev.raise("IndexError", "pop index out of range");
  Value item = self(args)->at(at);
  ev.heap.eraseAt(self(args), at);
  return item;
}

void registerListMethods(Registry &r) {
  auto method = [&](const char *name, Arity arity, NativeFn fn) {
    r.method(Kind::List, name, arity, std::move(fn));
  };
  method("append", {1, 1}, [](Evaluator &ev, CallArgs &args) -> Value {
    ev.heap.append(self(args), args.positional[1]);
    return Value::none();
  });
  method("extend", {1, 1}, [](Evaluator &ev, CallArgs &args) -> Value {
    JX_TRY(items, ev.elements(args.positional[1]));
    for (Value item : *items) ev.heap.append(self(args), item);
    return Value::none();
  });
  method("insert", {2, 2}, [](Evaluator &ev, CallArgs &args) -> Value {
    JX_CHECK(takeApart(ev, self(args)));
    JX_TRY(index, ev.toStaticInt(args.positional[1], "the index of list.insert"));
    int64_t size = self(args)->size(),
            at = *index < 0 ? std::max<int64_t>(*index + size, 0) : std::min(*index, size);
    ev.heap.insert(self(args), at, args.positional[2]);
    return Value::none();
  });
  method("pop", {0, 1}, popList);
  method("clear", {0, 0}, [](Evaluator &ev, CallArgs &args) -> Value {
    ev.heap.replace(self(args), {});
    return Value::none();
  });
  method("copy", {0, 0},
         [](Evaluator &ev, CallArgs &args) -> Value { return ev.heap.list(self(args)->contents().values); });
  method("reverse", {0, 0}, [](Evaluator &ev, CallArgs &args) -> Value {
    JX_CHECK(takeApart(ev, self(args)));
    Contents contents = self(args)->contents();
    std::reverse(contents.values.begin(), contents.values.end());
    ev.heap.replace(self(args), std::move(contents));
    return Value::none();
  });
  auto part = [&](const char *name, Value SliceNode::*member) {
    for (Kind kind : {Kind::Slice, Kind::Range})
      r.property(kind, name,
                 [member](Evaluator &, CallArgs &args) { return args.positional[0].asSlice().*member; });
  };
  part("start", &SliceNode::start);
  part("stop", &SliceNode::stop);
  part("step", &SliceNode::step);
  // NamedTuple.
  r.method(Kind::Tuple, "_asdict", [](Evaluator &ev, CallArgs &args) -> Value {
    const TupleNode &tuple = args.positional[0].asTuple();
    if (!tuple.cls) return ev.raise("AttributeError", "'tuple' object has no attribute '_asdict'");
    return ev.heap.create(Kind::Dict, {ev.lookUpClass(tuple.cls, "_fields").asTuple().items, tuple.items});
  });
  r.method(Kind::Tuple, "_replace", [](Evaluator &ev, CallArgs &args) -> Value {
    const TupleNode &tuple = args.positional[0].asTuple();
    if (!tuple.cls) return ev.raise("AttributeError", "'tuple' object has no attribute '_replace'");
    std::vector<Value> items = tuple.items;
    const auto &fields = ev.lookUpClass(tuple.cls, "_fields").asTuple().items;
    for (auto &[name, value] : args.keywords) {
      auto at = llvm::find_if(fields, [&, &name = name](Value f) { return f.asStr() == name; });
      if (at == fields.end()) return ev.valueError("Got unexpected field names: ['" + name.str() + "']");
      items[at - fields.begin()] = value;
    }
    return ev.arena.tuple(std::move(items), tuple.cls);
  });
}

void registerDictMethods(Registry &r) {
  auto method = [&](const char *name, Arity arity, NativeFn fn) {
    r.method(Kind::Dict, name, arity, std::move(fn));
  };
  for (auto [name, cls, part] : {std::tuple("keys", "dict_keys", DictView::Keys),
                                 {"values", "dict_values", DictView::Values},
                                 {"items", "dict_items", DictView::Items}})
    method(name, {0, 0}, [cls = cls, part = part](Evaluator &ev, CallArgs &args) -> Value {
      Object *view = ev.heap.viewOf(self(args), part);
      view->cls = ev.builtinClass(cls);
      return view;
    });
  method("get", {1, 2}, [](Evaluator &ev, CallArgs &args) -> Value {
    Value v[3];
    JX_CHECK(ev.bindNative(args, "get", {"self", "key", "default"}, 2, v));
    JX_TRY(key, keyIn(ev, self(args), v[1]));
    Value found = self(args)->get(key);
    return found ? found : v[2] ? v[2] : Value::none();
  });
  method("setdefault", {1, 2}, [](Evaluator &ev, CallArgs &args) -> Value {
    Value v[3];
    JX_CHECK(ev.bindNative(args, "setdefault", {"self", "key", "default"}, 2, v));
    JX_TRY(key, keyIn(ev, self(args), v[1]));
    if (Value found = self(args)->get(key)) return found;
    Value fallback = v[2] ? v[2] : Value::none();
    ev.heap.put(self(args), key, fallback);
    return fallback;
  });
  method("pop", {1, 2}, [](Evaluator &ev, CallArgs &args) -> Value {
    Value v[3];
    JX_CHECK(ev.bindNative(args, "pop", {"self", "key", "default"}, 2, v));
    JX_TRY(key, keyIn(ev, self(args), v[1]));
    Value found = self(args)->get(key);
    if (found) {
      ev.heap.erase(self(args), key);
      return found;
    }
    if (v[2]) return v[2];
    return ev.raiseKeyError(key, self(args));
  });
  method("popitem", {0, 0}, [](Evaluator &ev, CallArgs &args) -> Value {
    size_t size = self(args)->size();
    if (size == 0) return ev.raise("KeyError", "popitem(): dictionary is empty");
    Value pair = ev.arena.tuple({self(args)->keyAt(size - 1), self(args)->at(size - 1)});
    ev.heap.eraseAt(self(args), size - 1);
    return pair;
  });
  method("update", {0, 1, true}, [](Evaluator &ev, CallArgs &args) -> Value {
    Object *target = self(args);
    args.positional.erase(args.positional.begin());
    JX_TRY(more, makeDict(ev, args));
    Contents contents = more.asObject()->contents();
    for (size_t i = 0; i < contents.keys.size(); ++i)
      JX_CHECK(putItem(ev, target, contents.keys[i], contents.values[i]));
    return Value::none();
  });
  method("copy", {0, 0}, [](Evaluator &ev, CallArgs &args) -> Value {
    return ev.heap.create(Kind::Dict, self(args)->contents());
  });
  method("clear", {0, 0}, [](Evaluator &ev, CallArgs &args) -> Value {
    ev.heap.replace(self(args), {});
    return Value::none();
  });
}

void registerSetMethods(Registry &r) {
  auto method = [&](const char *name, Arity arity, NativeFn fn) {
    r.method(Kind::Set, name, arity, std::move(fn));
  };
  method("add", {1, 1}, [](Evaluator &ev, CallArgs &args) -> Value {
    JX_CHECK(putItem(ev, self(args), args.positional[1], Value::none()));
    return Value::none();
  });
  method("discard", {1, 1}, [](Evaluator &ev, CallArgs &args) -> Value {
    JX_TRY(key, keyIn(ev, self(args), args.positional[1]));
    ev.heap.erase(self(args), key);
    return Value::none();
  });
  method("remove", {1, 1}, [](Evaluator &ev, CallArgs &args) -> Value {
    JX_TRY(key, keyIn(ev, self(args), args.positional[1]));
    if (ev.heap.erase(self(args), key)) return Value::none();
    return ev.raiseKeyError(key, self(args));
  });
  method("copy", {0, 0}, [](Evaluator &ev, CallArgs &args) -> Value {
    return ev.heap.create(Kind::Set, self(args)->contents());
  });
  method("update", {0, Arity::any}, [](Evaluator &ev, CallArgs &args) -> Value {
    for (Value other : llvm::drop_begin(args.positional)) {
      JX_TRY(more, ev.elements(other));
      for (Value item : *more) JX_CHECK(putItem(ev, self(args), item, Value::none()));
    }
    return Value::none();
  });
  auto operation = [&](const char *name, BinaryOp op) {
    method(name, {op == BinaryOp::BitXor ? 1u : 0u, op == BinaryOp::BitXor ? 1u : Arity::any},
           [op](Evaluator &ev, CallArgs &args) -> Value {
             Value result = args.positional[0];
             for (Value other : llvm::drop_begin(args.positional)) {
               CallArgs one;
               one.positional.push_back(other);
               JX_TRY(set, makeSet(ev, one));
               result = ev.binary(op, result, set);
               if (!result) return Failed();
             }
             return result;
           });
  };
  method("isdisjoint", {1, 1}, [](Evaluator &ev, CallArgs &args) -> Value {
    JX_TRY(items, ev.elements(args.positional[1]));
    for (Value item : *items) {
      JX_TRY(key, keyIn(ev, self(args), item));
      if (self(args)->find(key)) return Value::boolean(false);
    }
    return Value::boolean(true);
  });
  method("pop", {0, 0}, [](Evaluator &ev, CallArgs &args) -> Value {
    if (self(args)->size() == 0) return ev.raise("KeyError", "pop from an empty set");
    Value item = setOrder(self(args)->contents().keys).front();
    ev.heap.erase(self(args), item);
    return item;
  });
  method("clear", {0, 0}, [](Evaluator &ev, CallArgs &args) -> Value {
    ev.heap.replace(self(args), {});
    return Value::none();
  });
  auto update = [&](const char *name, BinaryOp op) {
    method(name, {op == BinaryOp::BitXor ? 1u : 0u, op == BinaryOp::BitXor ? 1u : Arity::any},
           [op](Evaluator &ev, CallArgs &args) -> Value {
             for (Value other : llvm::drop_begin(args.positional)) {
               CallArgs one;
               one.positional.push_back(other);
               JX_TRY(set, makeSet(ev, one));
               JX_TRY(result, ev.binary(op, args.positional[0], set));
               ev.heap.replace(self(args), result.asObject()->contents());
             }
             return Value::none();
           });
  };
  update("intersection_update", BinaryOp::BitAnd);
  update("difference_update", BinaryOp::Sub);
  update("symmetric_difference_update", BinaryOp::BitXor);
  operation("union", BinaryOp::BitOr);
  operation("intersection", BinaryOp::BitAnd);
  operation("difference", BinaryOp::Sub);
  operation("symmetric_difference", BinaryOp::BitXor);
  auto comparison = [&](const char *name, ast::CompareOp op) {
    method(name, {1, 1}, [op](Evaluator &ev, CallArgs &args) -> Value {
      CallArgs one;
      one.positional.push_back(args.positional[1]);
      JX_TRY(set, makeSet(ev, one));
      return ev.compare(op, args.positional[0], set);
    });
  };
  comparison("issubset", ast::CompareOp::LtE);
  comparison("issuperset", ast::CompareOp::GtE);
}

} // namespace

Status noMoreKeywords(Evaluator &ev, CallArgs &args, llvm::StringRef function) {
  if (args.keywords.empty()) return Status::success();
  return ev.fail(DiagKind::UnexpectedKeyword, "'" + args.keywords.front().first.str() +
                                                  "' is an invalid keyword argument for " + function.str() +
                                                  "()");
}

void registerContainers(Registry &r) {
  r.constructor("list", {0, 1}, [](Evaluator &ev, CallArgs &args) -> Value {
    if (args.positional.empty()) return ev.heap.list({});
    if (args.positional[0].is(Kind::List))
      return ev.heap.list(args.positional[0].asObject()->contents().values);
    JX_TRY(items, ev.elements(args.positional[0]));
    return ev.heap.list(std::move(*items));
  });
  r.constructor("tuple", {0, 1}, [](Evaluator &ev, CallArgs &args) -> Value {
    if (args.positional.empty()) return ev.arena.tuple({});
    JX_TRY(items, ev.elements(args.positional[0]));
    return ev.arena.tuple(std::move(*items));
  });
  r.constructor("dict", {0, 1, true}, makeDict);
  r.classMethod("dict", "fromkeys", [](Evaluator &ev, CallArgs &args) -> Value {
    Value v[2];
    JX_CHECK(ev.bindNative(args, "dict.fromkeys", {"iterable", "value"}, 1, v));
    Value dict = ev.heap.dict();
    JX_CHECK(ev.iterate(v[0], [&](Value key) { return ev.setItem(dict, key, v[1] ? v[1] : Value::none()); }));
    return dict;
  });
  r.constructor("set", {0, 1}, makeSet);
  r.constructor("frozenset", {0, 1}, [](Evaluator &ev, CallArgs &args) -> Value {
    JX_TRY(set, makeSet(ev, args));
    set.asObject()->cls = ev.builtinClass("frozenset");
    return set;
  });
  r.constructor("slice", {1, 3}, [](Evaluator &ev, CallArgs &args) -> Value {
    auto &p = args.positional;
    if (p.size() == 1) return ev.arena.slice(Value::none(), p[0], Value::none());
    return ev.arena.slice(p[0], p[1], p.size() == 3 ? p[2] : Value::none());
  });
  r.function("builtins", "len", {1, 1},
             [](Evaluator &ev, CallArgs &args) { return ev.length(args.positional[0]); });
  r.function("builtins", "sum", sum);
  r.function("builtins", "any", {1, 1},
             [](Evaluator &ev, CallArgs &args) { return anyOrAll(ev, args, true); });
  r.function("builtins", "all", {1, 1},
             [](Evaluator &ev, CallArgs &args) { return anyOrAll(ev, args, false); });
  registerListMethods(r);
  registerOrdering(r);
  registerDictMethods(r);
  registerSetMethods(r);
}

} // namespace jx::elab
