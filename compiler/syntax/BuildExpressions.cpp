// Expressions of the syntax tree: lists, lambdas, operators by precedence, trailers and subscripts.
#include "compiler/syntax/TreeBuilder.h"

#include <llvm/Support/Casting.h>

namespace jx {

using namespace ast;
using llvm::dyn_cast;
using llvm::isa;

Expr *TreeBuilder::rhs(JxParser::RhsContext *tree) {
  if (auto *child = tree->yieldExpr()) return yield(child);
  return testList(tree->testList());
}

Expr *TreeBuilder::testList(JxParser::TestListContext *tree) {
  auto rows = tree->starTest();
  if (checkCommas(tree) == 0) {
    Expr *only = starTest(rows[0]);
    // `*a = x` and `x = *a` are refused; `*a, = x` is a tuple.
    if (isa<Starred>(only))
      fail(Diagnostic(DiagKind::UnexpectedToken, only->range,
                      "a starred expression needs a list or tuple around it")
               .withHint("write a comma behind it for a tuple"));
    return only;
  }
  auto *tuple = make<Tuple>(rangeOf(tree));
  std::vector<Expr *> elements;
  for (auto *row : rows) elements.push_back(starTest(row));
  tuple->elements = context.copy(elements);
  return tuple;
}

Expr *TreeBuilder::starred(JxParser::OperationContext *tree, SourceRange range) {
  auto *node = make<Starred>(range);
  node->value = operation(tree);
  return node;
}

Expr *TreeBuilder::starTest(JxParser::StarTestContext *tree) {
  if (auto *child = tree->operation()) return starred(child, rangeOf(tree));
  return namedTest(tree->namedTest());
}

Expr *TreeBuilder::namedTest(JxParser::NamedTestContext *tree) {
  Expr *first = test(tree->test(0));
  auto *value = tree->test(1);
  return value ? walrus(first, value, rangeOf(tree)) : first;
}

Expr *TreeBuilder::walrus(Expr *target, JxParser::TestContext *value, SourceRange range) {
  auto *name = dyn_cast<NameExpr>(target);
  if (!name)
    fail(Diagnostic(DiagKind::BadAssignmentTarget, target->range, "`:=` binds a plain name only")
             .withHint("assign in a statement of its own"));
  name->access = Access::Store;
  auto *node = make<Walrus>(range);
  node->target = name;
  node->value = test(value);
  return node;
}

Expr *TreeBuilder::test(JxParser::TestContext *tree) {
  if (auto *child = tree->lambdaExpr()) return lambda(child);
  NestingGuard guard(*this, rangeOf(tree));
  Expr *body = operation(tree->operation(0));
  auto *condition = tree->operation(1);
  if (!condition) return body;
  auto *node = make<Conditional>(rangeOf(tree));
  node->body = body;
  node->test = operation(condition);
  node->orelse = test(tree->test());
  return node;
}

Expr *TreeBuilder::lambda(JxParser::LambdaExprContext *tree) {
  NestingGuard guard(*this, rangeOf(tree));
  auto *node = make<Lambda>(rangeOf(tree));
  if (auto *params = tree->lambdaParameters()) node->params = parameters(params);
  node->body = test(tree->test());
  return node;
}

Expr *TreeBuilder::yield(JxParser::YieldExprContext *tree) {
  if (auto *source = tree->test()) {
    auto *node = make<YieldFrom>(rangeOf(tree));
    node->value = test(source);
    return node;
  }
  auto *node = make<Yield>(rangeOf(tree));
  if (auto *value = tree->testList()) node->value = testList(value);
  return node;
}

//===- Operators ---------------------------------------------------------------------------------------===//

namespace {

enum Precedence {
  orLevel = 1,
  andLevel,
  notLevel,
  compareLevel,
  bitOrLevel,
  bitXorLevel,
  bitAndLevel,
  shiftLevel,
  addLevel,
  mulLevel,
  unaryLevel,
  powLevel
};

struct InfixInfo {
  int precedence;
  BinaryOp binary = BinaryOp::Add;
  CompareOp compare = CompareOp::Eq;
};

InfixInfo infixInfo(TokenKind kind) {
  switch (kind) {
  case TokenKind::OrKeyword:
    return {orLevel};
  case TokenKind::AndKeyword:
    return {andLevel};
  case TokenKind::Less:
    return {compareLevel, {}, CompareOp::Lt};
  case TokenKind::Greater:
    return {compareLevel, {}, CompareOp::Gt};
  case TokenKind::LessEqual:
    return {compareLevel, {}, CompareOp::LtE};
  case TokenKind::GreaterEqual:
    return {compareLevel, {}, CompareOp::GtE};
  case TokenKind::EqualEqual:
    return {compareLevel, {}, CompareOp::Eq};
  case TokenKind::NotEqual:
    return {compareLevel, {}, CompareOp::NotEq};
  case TokenKind::InKeyword:
    return {compareLevel, {}, CompareOp::In};
  case TokenKind::NotIn:
    return {compareLevel, {}, CompareOp::NotIn};
  case TokenKind::IsKeyword:
    return {compareLevel, {}, CompareOp::Is};
  case TokenKind::IsNot:
    return {compareLevel, {}, CompareOp::IsNot};
  case TokenKind::VBar:
    return {bitOrLevel, BinaryOp::BitOr};
  case TokenKind::Caret:
    return {bitXorLevel, BinaryOp::BitXor};
  case TokenKind::Amper:
    return {bitAndLevel, BinaryOp::BitAnd};
  case TokenKind::LeftShift:
    return {shiftLevel, BinaryOp::LShift};
  case TokenKind::RightShift:
    return {shiftLevel, BinaryOp::RShift};
  case TokenKind::Plus:
    return {addLevel, BinaryOp::Add};
  case TokenKind::Minus:
    return {addLevel, BinaryOp::Sub};
  case TokenKind::Star:
    return {mulLevel, BinaryOp::Mul};
  case TokenKind::Slash:
    return {mulLevel, BinaryOp::Div};
  case TokenKind::DoubleSlash:
    return {mulLevel, BinaryOp::FloorDiv};
  case TokenKind::Percent:
    return {mulLevel, BinaryOp::Mod};
  case TokenKind::At:
    return {mulLevel, BinaryOp::MatMul};
  default:
    return {powLevel, BinaryOp::Pow};
  }
}

} // namespace

/// The flat operands and operators of an operation, with a cursor.
struct TreeBuilder::Operands {
  struct Item {
    JxParser::PrimaryContext *primary; ///< Null for an operator.
    bool isPrefix;
    size_t first, last; ///< Tokens.
  };
  std::vector<Item> items;
  size_t next = 0;

  bool atInfix() const { return next < items.size(); }
  /// Token of the last item consumed.
  size_t lastConsumed() const { return items[next - 1].last; }
};

Expr *TreeBuilder::operation(JxParser::OperationContext *tree) {
  if (tree->children.size() == 1) return primary(static_cast<JxParser::PrimaryContext *>(tree->children[0]));
  Operands input;
  input.items.reserve(tree->children.size());
  for (Tree *child : tree->children) {
    auto *rule = static_cast<Context *>(child);
    auto *operand = dynamic_cast<JxParser::PrimaryContext *>(child);
    bool isPrefix = !operand && rule->getRuleIndex() == JxParser::RulePrefix;
    input.items.push_back({operand, isPrefix, firstToken(rule), lastToken(rule)});
  }
  return climb(input, orLevel);
}

Expr *TreeBuilder::prefixed(Operands &input, int minPrecedence) {
  Operands::Item item = input.items[input.next++];
  if (item.primary) return primary(item.primary);
  NestingGuard guard(*this, tokenRange(item.first));
  TokenKind kind = kindOf(item.first);
  bool isNot = kind == TokenKind::NotKeyword;
  if (isNot && minPrecedence > notLevel)
    fail(Diagnostic(DiagKind::UnexpectedToken, tokenRange(item.first), "`not` binds too weakly to stand here")
             .withHint("put parentheses around `not ...`"));
  Expr *operand = climb(input, isNot ? notLevel : unaryLevel);
  auto *node = make<Unary>(tokenRange(item.first, input.lastConsumed()));
  node->op = isNot                      ? UnaryOp::Not
             : kind == TokenKind::Minus ? UnaryOp::Neg
             : kind == TokenKind::Plus  ? UnaryOp::Pos
                                        : UnaryOp::Invert;
  node->operand = operand;
  return node;
}

/// Precedence climbing: consumes operators that bind at least as strongly as `minPrecedence`.
Expr *TreeBuilder::climb(Operands &input, int minPrecedence) {
  size_t first = input.items[input.next].first;
  Expr *left = prefixed(input, minPrecedence);
  while (input.atInfix()) {
    TokenKind kind = kindOf(input.items[input.next].first);
    InfixInfo info = infixInfo(kind);
    if (info.precedence < minPrecedence) break;
    SourceRange opRange = tokenRange(input.items[input.next].first, input.items[input.next].last);
    if (info.precedence == orLevel || info.precedence == andLevel) {
      std::vector<Expr *> operands{left};
      while (input.atInfix() && kindOf(input.items[input.next].first) == kind) {
        ++input.next;
        operands.push_back(climb(input, info.precedence + 1));
      }
      auto *node = make<BoolOp>(tokenRange(first, input.lastConsumed()));
      node->isAnd = info.precedence == andLevel;
      node->operands = context.copy(operands);
      left = node;
      continue;
    }
    if (info.precedence == compareLevel) {
      std::vector<CompareOp> ops;
      std::vector<Expr *> rest;
      while (input.atInfix()) {
        InfixInfo link = infixInfo(kindOf(input.items[input.next].first));
        if (link.precedence != compareLevel) break;
        ++input.next;
        ops.push_back(link.compare);
        rest.push_back(climb(input, compareLevel + 1));
      }
      auto *node = make<Compare>(tokenRange(first, input.lastConsumed()));
      node->first = left;
      node->ops = context.copy(ops);
      node->rest = context.copy(rest);
      left = node;
      continue;
    }
    ++input.next;
    bool isPow = info.precedence == powLevel; // right associative; its exponent may have a sign
    Expr *right;
    if (isPow) {
      NestingGuard guard(*this, opRange);
      right = climb(input, unaryLevel);
    } else {
      right = climb(input, info.precedence + 1);
    }
    auto *node = make<Binary>(tokenRange(first, input.lastConsumed()));
    node->op = info.binary;
    node->lhs = left;
    node->rhs = right;
    node->opRange = opRange;
    left = node;
  }
  return left;
}

//===- Trailers ----------------------------------------------------------------------------------------===//

Expr *TreeBuilder::primary(JxParser::PrimaryContext *tree) {
  Expr *value = atom(tree->atom());
  if (tree->children.size() == 1) return value;
  size_t first = firstToken(tree);
  for (size_t i = 1; i < tree->children.size(); ++i) {
    auto *part = static_cast<JxParser::TrailerContext *>(tree->children[i]);
    value = trailer(value, part, tokenRange(first, lastToken(part)));
  }
  return value;
}

Expr *TreeBuilder::trailer(Expr *value, JxParser::TrailerContext *tree, SourceRange range) {
  switch (kindOf(firstToken(tree))) {
  case TokenKind::Dot: {
    auto *node = make<Attribute>(range);
    node->value = value;
    node->name = nameOf(tree->NAME());
    node->nameRange = tokenRange(indexOf(tree->NAME()));
    return node;
  }
  case TokenKind::LeftParen: {
    auto *node = make<Call>(range);
    node->callee = value;
    if (auto *list = tree->arguments()) {
      Arguments args = arguments(list);
      node->args = args.positional;
      node->keywords = args.keywords;
    }
    return node;
  }
  default: {
    auto *node = make<Subscript>(range);
    node->value = value;
    node->index = subscripts(tree->subscripts());
    return node;
  }
  }
}

Expr *TreeBuilder::subscripts(JxParser::SubscriptsContext *tree) {
  auto rows = tree->subscript();
  size_t commas = checkCommas(tree);
  std::vector<Expr *> elements;
  for (auto *row : rows) elements.push_back(subscript(row));
  // `x[*a]` is a tuple as well.
  if (commas == 0 && !isa<Starred>(elements[0])) return elements[0];
  auto *tuple = make<Tuple>(rangeOf(tree));
  tuple->elements = context.copy(elements);
  return tuple;
}

Expr *TreeBuilder::subscript(JxParser::SubscriptContext *tree) {
  if (auto *child = tree->operation()) return starred(child, rangeOf(tree));
  Expr *first = tree->namedTest() ? namedTest(tree->namedTest()) : nullptr;
  auto *rest = tree->sliceEnd();
  if (!rest) return first;
  auto *node = make<Slice>(rangeOf(tree));
  node->lower = first;
  // Children are `:`, the upper bound, `:`, the step, of which all but the first colon may be absent.
  bool step = false;
  for (size_t i = 1; i < rest->children.size(); ++i) {
    auto *bound = dynamic_cast<JxParser::TestContext *>(rest->children[i]);
    if (!bound)
      step = true;
    else
      (step ? node->step : node->upper) = test(bound);
  }
  return node;
}

} // namespace jx
