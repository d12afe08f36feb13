// Expressions, node by node.
#include "compiler/elaborate/Branches.h"
#include "compiler/elaborate/Choices.h"
#include "compiler/elaborate/Containers.h"
#include "compiler/elaborate/Evaluator.h"
#include "compiler/elaborate/Generators.h"
#include "compiler/elaborate/Output.h"
#include "compiler/elaborate/Registry.h"
#include "llvm/ADT/APInt.h"
#include "llvm/Support/Casting.h"

namespace jx::elab {

using namespace ast;

namespace {

llvm::DynamicAPInt bigFromDigits(llvm::StringRef digits) {
  unsigned bits = digits.size() * 4 + 8;
  return llvm::DynamicAPInt(llvm::APInt(bits, digits, 10));
}

// The elements of a display, stars expanded.
std::optional<std::vector<Value>> evalElements(Evaluator &ev, ExprList elements) {
  std::vector<Value> items;
  for (const Expr *element : elements) {
    if (auto *starred = llvm::dyn_cast<Starred>(element)) {
      JX_TRY(iterable, ev.eval(starred->value));
      JX_TRY(more,
             elementsOf(ev, iterable, "Value after * must be an iterable, not " + ev.typeName(iterable)));
      items.insert(items.end(), more->begin(), more->end());
      continue;
    }
    JX_TRY(item, ev.eval(element));
    items.push_back(item);
  }
  return items;
}

// After a failure: marks the arrays among the arguments, one level into lists and tuples, and the array whose
// method was called.
void labelArguments(Evaluator &ev, const ast::Call *call, Value callee, llvm::ArrayRef<Value> positional) {
  llvm::SmallVector<Evaluator::Operand> operands;
  auto *method = llvm::dyn_cast<Attribute>(call->callee);
  if (method && callee.is(Kind::Method)) operands.push_back({method->value, callee.asMethod().self});
  if (positional.size() != call->args.size()) return;
  for (auto [expr, value] : llvm::zip(call->args, positional)) {
    ExprList elements;
    if (auto *list = llvm::dyn_cast<ast::List>(expr)) elements = list->elements;
    if (auto *tuple = llvm::dyn_cast<ast::Tuple>(expr)) elements = tuple->elements;
    llvm::ArrayRef<Value> parts;
    if (value.is(Kind::Tuple)) parts = value.asTuple().items;
    if (value.is(Kind::List)) parts = value.asObject()->contents().values;
    if (!elements.empty() && elements.size() == parts.size())
      for (auto [element, part] : llvm::zip(elements, parts)) operands.push_back({element, part});
    else
      operands.push_back({expr, value});
  }
  ev.labelOperands(call, operands, true);
}

// After a failure: a variable was called that has the name of a built-in function.
void explainHiddenBuiltin(Evaluator &ev, const ast::Call *call, Value callee) {
  Diagnostic &diagnostic = ev.pending().diagnostic;
  auto *name = llvm::dyn_cast<NameExpr>(call->callee);
  if (!name || diagnostic.kind != DiagKind::NotCallable || !(diagnostic.primary.range == call->range) ||
      !ev.lookUpBuiltin(name->name))
    return;
  std::string text = "`" + std::string(name->name.str()) + "`";
  diagnostic.kind = DiagKind::ShadowedBuiltin;
  diagnostic.message = text + " is a variable of type `" + ev.typeName(callee) +
                       "` here, which hides the built-in function " + text;
  diagnostic.withHint("give the variable another name");
}

// A dict of what has `keys` and items; else a TypeError in these words.
Value mappingOf(Evaluator &ev, Value v, const std::string &otherwise) {
  v = certain(ev, v, "a mapping");
  if (!v || v.is(Kind::Dict)) return v;
  Value keys = ev.findAttr(v, "keys");
  if (!keys) return ev.isPending(Pending::None) ? Value(ev.typeError(otherwise)) : Value();
  CallArgs args;
  args.positional.push_back(v);
  return (*ev.registry.findConstructor("dict"))(ev, args);
}

Value evalCall(Evaluator &ev, const ast::Call *call) {
  JX_TRY(callee, ev.eval(call->callee));
  JX_TRY(positional, evalElements(ev, call->args));
  CallArgs args;
  args.positional.assign(positional->begin(), positional->end());
  for (const Keyword &keyword : call->keywords) {
    JX_TRY(value, ev.eval(keyword.value));
    if (keyword.name) {
      args.keywords.emplace_back(keyword.name.str(), value);
      continue;
    }
    value = mappingOf(ev, value, "argument after ** must be a mapping, not " + ev.typeName(value));
    if (!value) return Failed();
    const Contents &contents = value.asObject()->contents();
    for (size_t i = 0; i < contents.keys.size(); ++i) {
      if (!contents.keys[i].is(Kind::Str)) return ev.typeError("keywords must be strings");
      args.keywords.emplace_back(contents.keys[i].asStr(), contents.values[i]);
    }
  }
  if (call == ev.mainCall && callee.is(Kind::Function)) JX_CHECK(ev.bindOptions(callee.asObject(), args));
  Value result = ev.call(callee, args);
  if (!result && ev.isPending(Pending::Exception)) {
    explainHiddenBuiltin(ev, call, callee);
    labelArguments(ev, call, callee, *positional);
  }
  return result;
}

Value evalCompare(Evaluator &ev, const Compare *compare) {
  JX_TRY(left, ev.eval(compare->first));
  Value result;
  std::function<Value(size_t, Value)> from = [&](size_t i, Value lhs) -> Value {
    JX_TRY(rhs, ev.eval(compare->rest[i]));
    Value one = ev.compare(compare->ops[i], lhs, rhs);
    if (!one) {
      ev.labelOperands(compare, {{i ? compare->rest[i - 1] : compare->first, lhs}, {compare->rest[i], rhs}},
                       false);
      return Failed();
    }
    if (i + 1 == compare->ops.size()) return one;
    return shortCircuit(ev, true, one, [&] { return from(i + 1, rhs); });
  };
  return from(0, left);
}

Value evalBoolOp(Evaluator &ev, const BoolOp *op) {
  std::function<Value(size_t)> from = [&](size_t i) -> Value {
    JX_TRY(value, ev.eval(op->operands[i]));
    if (i + 1 == op->operands.size()) return value;
    return shortCircuit(ev, op->isAnd, value, [&] {
      Narrowing narrowing(ev, op->operands[i], op->isAnd);
      return from(i + 1);
    });
  };
  return from(0);
}

Value evalDict(Evaluator &ev, const ast::Dict *dict) {
  Object *result = ev.heap.dict();
  for (const DictItem &item : dict->items) {
    if (!item.key) {
      JX_TRY(other, ev.eval(item.value));
      other = mappingOf(ev, other, "'" + ev.typeName(other) + "' object is not a mapping");
      if (!other) return Failed();
      Contents contents = other.asObject()->contents();
      for (size_t i = 0; i < contents.keys.size(); ++i)
        JX_CHECK(putItem(ev, result, contents.keys[i], contents.values[i]));
      continue;
    }
    JX_TRY(key, ev.eval(item.key));
    JX_TRY(value, ev.eval(item.value));
    JX_CHECK(ev.setItem(result, key, value));
  }
  return result;
}

Value evalFString(Evaluator &ev, const FString *fstring) {
  std::vector<Value> parts;
  for (const FStringPart &part : fstring->parts) {
    if (!part.value) {
      parts.push_back(ev.arena.str(part.literal));
      continue;
    }
    JX_TRY(value, ev.eval(part.value));
    if (part.conversion) value = converted(ev, value, static_cast<Conversion>(part.conversion));
    if (!value) return Failed();
    Value spec = ev.arena.str("");
    if (part.spec) {
      spec = evalFString(ev, part.spec);
      if (!spec) return Failed();
    }
    JX_TRY(text, ev.format(value, spec));
    parts.push_back(text);
  }
  return ev.concatText(parts);
}

Value evalSlice(Evaluator &ev, const ast::Slice *slice) {
  Value parts[3];
  const Expr *exprs[3] = {slice->lower, slice->upper, slice->step};
  for (int i = 0; i < 3; ++i) {
    parts[i] = exprs[i] ? ev.eval(exprs[i]) : Value::none();
    if (!parts[i]) return Failed();
  }
  return ev.arena.slice(parts[0], parts[1], parts[2]);
}

} // namespace

Value Evaluator::eval(const Expr *expr) {
  NodeScope scope(*this, expr);
  switch (expr->kind) {
  case NodeKind::NoneConst:
    return Value::none();
  case NodeKind::BoolConst:
    return Value::boolean(llvm::cast<BoolConst>(expr)->value);
  case NodeKind::IntConst: {
    auto *constant = llvm::cast<IntConst>(expr);
    return constant->value ? Value::integer(*constant->value)
                           : arena.integer(bigFromDigits(constant->digits));
  }
  case NodeKind::FloatConst:
    return Value::real(llvm::cast<FloatConst>(expr)->value);
  case NodeKind::ImaginaryConst:
    return arena.complex(0, llvm::cast<ImaginaryConst>(expr)->value);
  case NodeKind::StringConst:
    return arena.str(llvm::cast<StringConst>(expr)->value);
  case NodeKind::BytesConst:
    return arena.bytes(llvm::cast<BytesConst>(expr)->value);
  case NodeKind::EllipsisConst:
    return Value::ellipsis();
  case NodeKind::FString:
    return evalFString(*this, llvm::cast<FString>(expr));
  case NodeKind::NameExpr:
    return lookUp(llvm::cast<NameExpr>(expr));
  case NodeKind::Attribute: {
    auto *attribute = llvm::cast<Attribute>(expr);
    JX_TRY(object, eval(attribute->value));
    return getAttr(object, attribute->name.str());
  }
  case NodeKind::Subscript: {
    auto *subscript = llvm::cast<Subscript>(expr);
    JX_TRY(object, eval(subscript->value));
    JX_TRY(index, eval(subscript->index));
    Value item = getItem(object, index);
    if (!item) labelOperands(expr, {{subscript->value, object}, {subscript->index, index}}, true);
    return item;
  }
  case NodeKind::Slice:
    return evalSlice(*this, llvm::cast<ast::Slice>(expr));
  case NodeKind::Call:
    return evalCall(*this, llvm::cast<ast::Call>(expr));
  case NodeKind::Unary: {
    auto *op = llvm::cast<Unary>(expr);
    JX_TRY(operand, eval(op->operand));
    Value result = unary(op->op, operand);
    if (!result) labelOperands(expr, {{op->operand, operand}}, false);
    return result;
  }
  case NodeKind::Binary: {
    auto *op = llvm::cast<Binary>(expr);
    JX_TRY(lhs, eval(op->lhs));
    JX_TRY(rhs, eval(op->rhs));
    Value result = binary(op->op, lhs, rhs);
    if (!result) labelOperands(expr, {{op->lhs, lhs}, {op->rhs, rhs}}, false);
    return result;
  }
  case NodeKind::BoolOp:
    return evalBoolOp(*this, llvm::cast<BoolOp>(expr));
  case NodeKind::Compare:
    return evalCompare(*this, llvm::cast<Compare>(expr));
  case NodeKind::Conditional: {
    auto *conditional = llvm::cast<Conditional>(expr);
    JX_TRY(test, eval(conditional->test));
    return choose(
        *this, test,
        [&] {
          Narrowing narrowing(*this, conditional->test, true);
          return eval(conditional->body);
        },
        [&] {
          Narrowing narrowing(*this, conditional->test, false);
          return eval(conditional->orelse);
        });
  }
  case NodeKind::Lambda:
    return makeFunction(expr, "<lambda>", llvm::cast<Lambda>(expr)->params);
  case NodeKind::Tuple: {
    JX_TRY(items, evalElements(*this, llvm::cast<ast::Tuple>(expr)->elements));
    return arena.tuple(std::move(*items));
  }
  case NodeKind::List: {
    JX_TRY(items, evalElements(*this, llvm::cast<ast::List>(expr)->elements));
    return heap.list(std::move(*items));
  }
  case NodeKind::Set: {
    JX_TRY(items, evalElements(*this, llvm::cast<ast::Set>(expr)->elements));
    Object *set = heap.create(Kind::Set);
    for (Value item : *items) JX_CHECK(putItem(*this, set, item, Value::none()));
    return set;
  }
  case NodeKind::Dict:
    return evalDict(*this, llvm::cast<ast::Dict>(expr));
  case NodeKind::Comprehension:
    return evalComprehension(llvm::cast<Comprehension>(expr));
  case NodeKind::Walrus: {
    auto *walrus = llvm::cast<Walrus>(expr);
    JX_TRY(value, eval(walrus->value));
    JX_CHECK(assign(walrus->target, value));
    return value;
  }
  case NodeKind::Starred:
    return fail(DiagKind::NotElaborated, "a starred expression is not allowed here");
  case NodeKind::Yield: {
    auto *yield = llvm::cast<Yield>(expr);
    Value value = yield->value ? eval(yield->value) : Value::none();
    if (!value) return Failed();
    return yieldValue(value);
  }
  case NodeKind::YieldFrom: {
    JX_TRY(iterable, eval(llvm::cast<YieldFrom>(expr)->value));
    JX_CHECK(iterate(iterable, [&](Value v) -> Status {
      JX_CHECK(yieldValue(v));
      return Status::success();
    }));
    return iterable.is(Kind::Generator) ? returnedBy(*this, iterable) : Value::none();
  }
  default:
    return unsupported("this expression");
  }
}

// `yield v` hands v to the consumer, which runs in its own frame.
Value Evaluator::yieldValue(Value value) {
  if (!frame->consumer)
    return fail(DiagKind::NotElaborated, "`yield` outside of a generator that is being consumed");
  Frame *generator = frame;
  const ast::Node *at = node;
  frame = generator->consumerFrame;
  Status ok = (*generator->consumer)(value);
  frame = generator;
  node = at;
  if (!ok) return Failed();
  return Value::none();
}

} // namespace jx::elab
