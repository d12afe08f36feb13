// Statements, node by node. Loops, conditions known at run time only and exceptions have files of their own.
#include "compiler/elaborate/Branches.h"
#include "compiler/elaborate/Evaluator.h"
#include "compiler/elaborate/Loops.h"
#include "compiler/elaborate/Output.h"
#include "llvm/Support/Casting.h"

namespace jx::elab {

using namespace ast;

static Flow flowOf(Status status) { return status ? Flow::Normal : Flow::Failed; }
static Flow flowOf(Value value) { return value ? Flow::Normal : Flow::Failed; }

Flow Evaluator::run(Block block) {
  for (size_t i = 0; i < block.size(); ++i) {
    Rest rest{block, i + 1, frame->rest};
    frame->rest = &rest;
    Flow flow = run(block[i]);
    frame->rest = rest.outer;
    if (flow == Flow::Normal) continue;
    // A statement that ended in one of several ways, one of them at its end: what follows runs under that
    // condition.
    if (flow == Flow::Dynamic && flowTag.mayBe(Flow::Normal))
      return continueWhenNormal(*this, [&, i] { return run(block.subspan(i + 1)); });
    return flow;
  }
  return Flow::Normal;
}

namespace {

/// The `.at[]` method that an augmented assignment means; null where `set` of the new value has to do.
const char *updateMethod(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
    return "add";
  case BinaryOp::Sub:
    return "subtract";
  case BinaryOp::Mul:
    return "multiply";
  case BinaryOp::Div:
    return "divide";
  case BinaryOp::Pow:
    return "power";
  default:
    return nullptr;
  }
}

/// After an assignment to an item of an array: what to write instead, in the words of the program.
void suggestUpdate(Evaluator &ev, const Expr *target, llvm::StringRef method, const std::string &operand) {
  auto *subscript = llvm::dyn_cast<Subscript>(target);
  if (!subscript || !ev.isPending(Pending::Exception)) return;
  Diagnostic &diagnostic = ev.pending().diagnostic;
  if (diagnostic.kind != DiagKind::ArrayAssignment || !(diagnostic.primary.range == target->range)) return;
  std::string array(ev.sources.text(subscript->value->range)),
      index(ev.sources.text(subscript->index->range));
  std::string update = array + " = " + array + ".at[" + index + "]." + method.str() + "(" + operand + ")";
  if (update.find('\n') == update.npos) diagnostic.withHint("write `" + update + "`");
}

Status runAssign(Evaluator &ev, const Assign *assign) {
  JX_TRY(value, ev.eval(assign->value));
  for (const Expr *target : assign->targets) {
    if (ev.assign(target, value)) continue;
    suggestUpdate(ev, target, "set", std::string(ev.sources.text(assign->value->range)));
    return Failed();
  }
  return Status::success();
}

Status runAugAssign(Evaluator &ev, const AugAssign *stmt) {
  if (auto *name = llvm::dyn_cast<NameExpr>(stmt->target)) {
    JX_TRY(old, ev.lookUp(name));
    JX_TRY(rhs, ev.eval(stmt->value));
    JX_TRY(result, ev.inPlace(stmt->op, old, rhs));
    return ev.assign(name, result);
  }
  if (auto *attribute = llvm::dyn_cast<Attribute>(stmt->target)) {
    JX_TRY(object, ev.eval(attribute->value));
    JX_TRY(old, ev.getAttr(object, attribute->name.str()));
    JX_TRY(rhs, ev.eval(stmt->value));
    JX_TRY(result, ev.inPlace(stmt->op, old, rhs));
    return ev.setAttr(object, attribute->name.str(), result);
  }
  auto *subscript = llvm::cast<Subscript>(stmt->target);
  JX_TRY(object, ev.eval(subscript->value));
  JX_TRY(index, ev.eval(subscript->index));
  JX_TRY(old, ev.getItem(object, index));
  JX_TRY(rhs, ev.eval(stmt->value));
  JX_TRY(result, ev.inPlace(stmt->op, old, rhs));
  NodeScope scope(ev, stmt->target);
  if (ev.setItem(object, index, result)) return Status::success();
  std::string operand(ev.sources.text(stmt->value->range));
  if (const char *method = updateMethod(stmt->op))
    suggestUpdate(ev, subscript, method, operand);
  else
    suggestUpdate(ev, subscript, "set",
                  std::string(ev.sources.text(subscript->range)) + " " + std::string(spelling(stmt->op)) +
                      " " + operand);
  return Failed();
}

Status applyDecorators(Evaluator &ev, ExprList decorators, Value &value,
                       const std::vector<Value> &evaluated) {
  for (size_t i = decorators.size(); i-- > 0;) {
    NodeScope scope(ev, decorators[i]);
    value = ev.call(evaluated[i], {value});
    if (!value) return Failed();
  }
  return Status::success();
}

Status runDefinition(Evaluator &ev, ExprList decorators, Binding binding, uint32_t slot, Name name,
                     const std::function<Value()> &make) {
  std::vector<Value> evaluated;
  for (const Expr *decorator : decorators) {
    JX_TRY(value, ev.eval(decorator));
    evaluated.push_back(value);
  }
  JX_TRY(value, make());
  JX_CHECK(applyDecorators(ev, decorators, value, evaluated));
  return ev.bind(binding, slot, name, value);
}

Status runDelete(Evaluator &ev, const Expr *target) {
  NodeScope scope(ev, target);
  if (auto *name = llvm::dyn_cast<NameExpr>(target)) {
    JX_TRY(old, ev.lookUp(name));
    return ev.unbind(name->binding, name->slot, name->name);
  }
  if (auto *attribute = llvm::dyn_cast<Attribute>(target)) {
    JX_TRY(object, ev.eval(attribute->value));
    return ev.delAttr(object, attribute->name.str());
  }
  if (auto *subscript = llvm::dyn_cast<Subscript>(target)) {
    JX_TRY(object, ev.eval(subscript->value));
    JX_TRY(index, ev.eval(subscript->index));
    return ev.delItem(object, index);
  }
  if (auto *tuple = llvm::dyn_cast<ast::Tuple>(target)) {
    for (const Expr *element : tuple->elements) JX_CHECK(runDelete(ev, element));
    return Status::success();
  }
  return ev.unsupported("this target of `del`");
}

Flow runAssert(Evaluator &ev, const Assert *stmt) {
  JX_TRY_FLOW(test, ev.eval(stmt->test));
  Truth truth = ev.truth(test);
  if (truth == Truth::Failed) return Flow::Failed;
  if (truth == Truth::True) return Flow::Normal;
  Value message = ev.arena.str("");
  if (stmt->message) {
    JX_TRY_FLOW(value, ev.eval(stmt->message));
    JX_TRY_FLOW(text, ev.str(value));
    message = text;
  }
  if (truth == Truth::Dynamic) {
    JX_TRY_FLOW(condition, ev.truthValue(test));
    return flowOf(ev.emitCheck(condition, "AssertionError", message));
  }
  std::string text = shownNow(ev, message);
  Diagnostic diagnostic(DiagKind::AssertionFailed, stmt->test->range,
                        "this assertion does not hold" + (text.empty() ? "" : ": " + text));
  ev.fail(std::move(diagnostic), text);
  std::vector<Value> given;
  if (stmt->message) given.push_back(message);
  ev.heap.put(ev.pending().exception.asObject(), ev.arena.str("args"), ev.arena.tuple(std::move(given)));
  return Flow::Failed;
}

} // namespace

Flow Evaluator::run(const Stmt *stmt) {
  NodeScope scope(*this, stmt);
  switch (stmt->kind) {
  case NodeKind::ExprStmt:
    return flowOf(eval(llvm::cast<ExprStmt>(stmt)->value));
  case NodeKind::Assign:
    return flowOf(runAssign(*this, llvm::cast<Assign>(stmt)));
  case NodeKind::AnnAssign:
    return flowOf(runAnnotated(llvm::cast<AnnAssign>(stmt)));
  case NodeKind::AugAssign:
    return flowOf(runAugAssign(*this, llvm::cast<AugAssign>(stmt)));
  case NodeKind::If: {
    auto *branch = llvm::cast<If>(stmt);
    JX_TRY_FLOW(test, eval(branch->test));
    switch (truth(test)) {
    case Truth::Failed:
      return Flow::Failed;
    case Truth::True:
      return run(branch->body);
    case Truth::False:
      return run(branch->orelse);
    case Truth::Dynamic:
      return runBranches(*this, branch, test);
    }
    return Flow::Failed;
  }
  case NodeKind::For:
    return runFor(*this, llvm::cast<For>(stmt));
  case NodeKind::While:
    return runWhile(*this, llvm::cast<While>(stmt));
  case NodeKind::FunctionDef: {
    auto *def = llvm::cast<FunctionDef>(stmt);
    return flowOf(runDefinition(*this, def->decorators, def->binding, def->slot, def->name,
                                [&] { return makeFunction(def, def->name.str(), def->params); }));
  }
  case NodeKind::ClassDef: {
    auto *def = llvm::cast<ClassDef>(stmt);
    return flowOf(runDefinition(*this, def->decorators, def->binding, def->slot, def->name,
                                [&] { return makeClass(def); }));
  }
  case NodeKind::Return: {
    auto *ret = llvm::cast<Return>(stmt);
    Value value = ret->value ? eval(ret->value) : Value::none();
    if (!value) return Flow::Failed;
    returnValue = value;
    return Flow::Return;
  }
  case NodeKind::With:
    return runWith(llvm::cast<With>(stmt));
  case NodeKind::Try:
    return runTry(llvm::cast<Try>(stmt));
  case NodeKind::Raise:
    return flowOf(runRaise(llvm::cast<Raise>(stmt)));
  case NodeKind::Import:
    return flowOf(runImport(llvm::cast<Import>(stmt)));
  case NodeKind::ImportFrom:
    return flowOf(runImportFrom(llvm::cast<ImportFrom>(stmt)));
  case NodeKind::Global:
  case NodeKind::Nonlocal:
  case NodeKind::Pass:
    return Flow::Normal;
  case NodeKind::Assert:
    return runAssert(*this, llvm::cast<Assert>(stmt));
  case NodeKind::Del:
    for (const Expr *target : llvm::cast<Del>(stmt)->targets)
      if (!runDelete(*this, target)) return Flow::Failed;
    return Flow::Normal;
  case NodeKind::Break:
    return Flow::Break;
  case NodeKind::Continue:
    return Flow::Continue;
  default:
    unsupported("this statement");
    return Flow::Failed;
  }
}

Status Evaluator::unbind(Binding binding, uint32_t slot, Name name) {
  if (binding == Binding::Local && frame->locals->kind == Kind::Frame)
    heap.set(frame->locals, slot, Value());
  else if (binding == Binding::Free)
    heap.set(frame->frees[slot].frame, frame->frees[slot].slot, Value());
  else
    heap.erase(binding == Binding::Local ? frame->locals : frame->module, nameStr(name));
  return Status::success();
}

Status Evaluator::runAnnotated(const AnnAssign *stmt) {
  if (stmt->value) {
    JX_TRY(value, eval(stmt->value));
    JX_CHECK(assign(stmt->target, value));
  }
  // In a class body the names with annotations are data: NamedTuple and dataclass read them, in order.
  auto *name = llvm::dyn_cast<NameExpr>(stmt->target);
  if (!name || frame->scope->kind != ScopeKind::Class) return Status::success();
  Value key = arena.str("__annotations__");
  Value annotations = frame->locals->get(key);
  if (!annotations) {
    annotations = heap.dict();
    heap.put(frame->locals, key, annotations);
  }
  heap.put(annotations.asObject(), nameStr(name->name), arena.str(sources.text(stmt->annotation->range)));
  return Status::success();
}

} // namespace jx::elab
