// Reading and binding names, and assignment to targets.
#include "compiler/elaborate/Alternatives.h"
#include "compiler/elaborate/Containers.h"
#include "llvm/Support/Casting.h"

namespace jx::elab {

static std::string text(Name name) { return "`" + std::string(name.str()) + "`"; }

Value Evaluator::lookUpBuiltin(Name name) { return builtins->get(nameStr(name)); }

// The bound name most like `wanted`, for "did you mean".
static std::string nearest(llvm::StringRef wanted, const Frame &frame, const Object *builtins) {
  std::string best;
  unsigned bestDistance = wanted.size() <= 2 ? 1 : 3;
  auto consider = [&](llvm::StringRef candidate) {
    unsigned distance = wanted.edit_distance(candidate, true, bestDistance);
    if (distance < bestDistance) best = candidate.str(), bestDistance = distance;
  };
  for (Name local : frame.scope->locals) consider(local.str());
  for (Value key : frame.module->contents().keys) consider(key.asStr());
  for (Value key : builtins->contents().keys) consider(key.asStr());
  return best;
}

Value Evaluator::whole(Value found) {
  const UnboundNode *why = found.is(Kind::List) ? found.asObject()->whyUnknown() : nullptr;
  return why ? Value(fail(DiagKind::UnevenLists, why->reason)) : found;
}

Value Evaluator::lookUp(const ast::NameExpr *name) {
  Value found;
  if (name->binding == Binding::Local && frame->locals->kind == Kind::Frame) {
    found = frame->locals->at(name->slot);
  } else if (name->binding == Binding::Free) {
    const Cell &cell = frame->frees[name->slot];
    found = cell.frame ? cell.frame->at(cell.slot) : Value();
  } else {
    Value key = nameStr(name->name);
    if (name->binding == Binding::Local) found = frame->locals->get(key);
    if (!found) found = frame->module->get(key);
    if (!found) found = builtins->get(key);
  }
  if (found && !found.is(Kind::Unbound)) return whole(found);
  Diagnostic diagnostic(DiagKind::UnboundName, userHere(), "");
  if (found) {
    diagnostic.kind = DiagKind::PartlyAssigned;
    diagnostic.message = text(name->name) +
                         " has no value here: " + static_cast<const UnboundNode *>(found.asPointer())->reason;
  } else if (name->binding == Binding::Global || frame->locals->kind != Kind::Frame) {
    diagnostic.kind = DiagKind::UndefinedName;
    diagnostic.message = "name " + text(name->name) + " is not defined";
    std::string guess = nearest(name->name.str(), *frame, builtins);
    if (!guess.empty()) diagnostic.withHint("did you mean `" + guess + "`?");
    if (llvm::StringRef instead = insteadOfBuiltin(name->name.str()); !instead.empty()) {
      diagnostic.kind = DiagKind::LeftOutBuiltin;
      diagnostic.message = "jx has no built-in function " + text(name->name);
      diagnostic.withHint(instead.str());
    }
  } else {
    diagnostic.message = text(name->name) + " is used before it is given a value";
  }
  std::string own = "'" + std::string(name->name.str()) + "'";
  bool isLocal = name->binding == Binding::Local && frame->locals->kind == Kind::Frame;
  return fail(std::move(diagnostic),
              name->binding == Binding::Free
                  ? "cannot access free variable " + own +
                        " where it is not associated with a value in enclosing scope"
              : isLocal ? "cannot access local variable " + own + " where it is not associated with a value"
                        : "name " + own + " is not defined");
}

Status Evaluator::bind(Binding binding, uint32_t slot, Name name, Value value) {
  if (binding == Binding::Local && frame->locals->kind == Kind::Frame)
    heap.set(frame->locals, slot, value);
  else if (binding == Binding::Free)
    heap.set(frame->frees[slot].frame, frame->frees[slot].slot, value);
  else
    heap.put(binding == Binding::Local ? frame->locals : frame->module, nameStr(name), value);
  return Status::success();
}

Status Evaluator::assign(const ast::Expr *target, Value value) {
  NodeScope scope(*this, target);
  using namespace ast;
  if (auto *name = llvm::dyn_cast<NameExpr>(target))
    return bind(name->binding, name->slot, name->name, value);
  if (auto *attribute = llvm::dyn_cast<Attribute>(target)) {
    JX_TRY(object, eval(attribute->value));
    return setAttr(object, attribute->name.str(), value);
  }
  if (auto *subscript = llvm::dyn_cast<Subscript>(target)) {
    JX_TRY(object, eval(subscript->value));
    JX_TRY(index, eval(subscript->index));
    // `x.__dict__` is made anew each time; writing to it means the attribute.
    auto *attribute = llvm::dyn_cast<Attribute>(subscript->value);
    if (attribute && attribute->name.str() == "__dict__" && index.is(Kind::Str)) {
      JX_TRY(owner, eval(attribute->value));
      if (owner.is(Kind::Instance)) {
        heap.put(owner.asObject(), index, value);
        return Status::success();
      }
    }
    return setItem(object, index, value);
  }
  if (auto *tuple = llvm::dyn_cast<ast::Tuple>(target))
    return unpackInto(tuple->elements, value, target->range);
  if (auto *list = llvm::dyn_cast<ast::List>(target)) return unpackInto(list->elements, value, target->range);
  if (auto *starred = llvm::dyn_cast<Starred>(target)) return assign(starred->value, value);
  return unsupported("this assignment target");
}

Status Evaluator::unpackInto(ast::ExprList targets, Value value, SourceRange) {
  JX_TRY(items, elementsOf(*this, value, "cannot unpack non-iterable " + typeName(value) + " object"));
  std::optional<size_t> star;
  for (size_t i = 0; i < targets.size(); ++i)
    if (llvm::isa<ast::Starred>(targets[i])) star = i;
  size_t wanted = targets.size();
  if (!star && items->size() != wanted) {
    std::string expected = (items->size() > wanted ? "too many" : "not enough") +
                           std::string(" values to unpack (expected ") + std::to_string(wanted),
                got = ", got " + std::to_string(items->size()) + ")";
    return fail(Diagnostic(DiagKind::UnpackMismatch, userHere(), expected + got),
                expected + (items->size() > wanted ? ")" : got));
  }
  if (star && items->size() + 1 < wanted)
    return fail(DiagKind::UnpackMismatch, "not enough values to unpack (expected at least " +
                                              std::to_string(wanted - 1) + ", got " +
                                              std::to_string(items->size()) + ")");
  size_t next = 0;
  for (size_t i = 0; i < wanted; ++i) {
    if (star == i) {
      size_t count = items->size() - (wanted - 1);
      std::vector<Value> rest(items->begin() + next, items->begin() + next + count);
      next += count;
      JX_CHECK(assign(targets[i], heap.list(std::move(rest))));
      continue;
    }
    JX_CHECK(assign(targets[i], (*items)[next++]));
  }
  return Status::success();
}

} // namespace jx::elab
