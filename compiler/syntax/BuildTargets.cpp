// What may stand on the left of `=`, after `for`, `as` and `del`.
#include "compiler/syntax/TreeBuilder.h"

#include <llvm/Support/Casting.h>

namespace jx {

using namespace ast;
using llvm::dyn_cast;
using llvm::isa;

Expr *TreeBuilder::targetList(JxParser::TargetListContext *tree, Access access) {
  auto rows = tree->target();
  if (checkCommas(tree) == 0) return target(rows[0], access);
  auto *tuple = make<Tuple>(rangeOf(tree));
  std::vector<Expr *> elements;
  for (auto *row : rows) {
    Expr *value = primary(row->primary());
    if (row->STAR()) {
      auto *node = make<Starred>(rangeOf(row));
      node->value = value;
      value = node;
    }
    elements.push_back(value);
  }
  tuple->elements = context.copy(elements);
  bind(tuple, access);
  return tuple;
}

Expr *TreeBuilder::target(JxParser::TargetContext *tree, Access access) {
  if (tree->STAR())
    fail(Diagnostic(DiagKind::BadAssignmentTarget, rangeOf(tree),
                    "a starred target needs a list or tuple around it"));
  Expr *value = primary(tree->primary());
  bind(value, access);
  return value;
}

/// Marks an expression as bound or deleted, with all that is in it.
void TreeBuilder::bind(Expr *target, Access access, bool starAllowed) {
  if (auto *name = dyn_cast<NameExpr>(target)) {
    name->access = access;
    return;
  }
  if (auto *attribute = dyn_cast<Attribute>(target)) {
    attribute->access = access;
    return;
  }
  if (auto *element = dyn_cast<Subscript>(target)) {
    element->access = access;
    return;
  }
  auto *tuple = dyn_cast<Tuple>(target);
  auto *list = dyn_cast<List>(target);
  if (tuple || list) {
    (tuple ? tuple->access : list->access) = access;
    const Expr *star = nullptr;
    for (Expr *element : tuple ? tuple->elements : list->elements) {
      if (isa<Starred>(element)) {
        if (star)
          fail(Diagnostic(DiagKind::BadAssignmentTarget, element->range,
                          "two starred targets in one assignment")
                   .span(star->range, "first here"));
        star = element;
      }
      bind(element, access, true);
    }
    return;
  }
  if (auto *star = dyn_cast<Starred>(target); star && starAllowed && access == Access::Store) {
    star->access = access;
    bind(star->value, access);
    return;
  }
  refuseTarget(target, access);
}

static std::string_view whatItIs(const Expr *expr) {
  switch (expr->kind) {
  case NodeKind::NoneConst:
    return "`None`";
  case NodeKind::BoolConst:
    return static_cast<const BoolConst *>(expr)->value ? "`True`" : "`False`";
  case NodeKind::EllipsisConst:
    return "`...`";
  case NodeKind::IntConst:
  case NodeKind::FloatConst:
  case NodeKind::ImaginaryConst:
    return "a number";
  case NodeKind::StringConst:
  case NodeKind::BytesConst:
    return "a string";
  case NodeKind::FString:
    return "an f-string";
  case NodeKind::Call:
    return "the result of a call";
  case NodeKind::Compare:
    return "a comparison";
  case NodeKind::Conditional:
    return "a conditional expression";
  case NodeKind::Lambda:
    return "a lambda";
  case NodeKind::Dict:
    return "a dict";
  case NodeKind::Set:
    return "a set";
  case NodeKind::Comprehension:
    return "a comprehension";
  case NodeKind::Starred:
    return "a starred expression";
  case NodeKind::Yield:
  case NodeKind::YieldFrom:
    return "a `yield`";
  case NodeKind::Walrus:
    return "a `:=`";
  default:
    return "an expression";
  }
}

void TreeBuilder::refuseTarget(Expr *target, Access access) {
  Diagnostic error(DiagKind::BadAssignmentTarget, target->range,
                   std::string("cannot ") + (access == Access::Del ? "delete " : "assign to ") +
                       std::string(whatItIs(target)));
  if (access == Access::Store) {
    if (isa<Compare>(target))
      error.hint = "compare with `==`; assign to a name";
    else if (isa<Binary, Unary, BoolOp>(target))
      error.hint = "a name stands alone on the left of `=`; compare with `==`";
    else if (isa<Call>(target))
      error.hint = "assign to a name, an attribute or an element `x[...]`; compare with `==`";
  }
  fail(std::move(error));
}

} // namespace jx
