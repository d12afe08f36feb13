// Statements of the syntax tree, and the builder's entry and its positions.
#include "compiler/syntax/TreeBuilder.h"

#include <llvm/Support/Casting.h>

namespace jx {

using namespace ast;
using llvm::dyn_cast;
using llvm::isa;

TreeBuilder::NestingGuard::NestingGuard(TreeBuilder &builder, SourceRange at) : builder(builder) {
  if (++builder.nesting <= maxNesting) return;
  --builder.nesting;
  builder.fail(Diagnostic(DiagKind::TooDeeplyNested, at, "the expression is nested too deeply")
                   .withHint("give inner expressions names of their own"));
}

void TreeBuilder::fail(Diagnostic diagnostic) {
  sink.report(std::move(diagnostic));
  throw Stop();
}

size_t TreeBuilder::lastToken(const Context *tree) const {
  size_t first = firstToken(tree);
  size_t last = tree->stop ? tree->stop->getTokenIndex() : first;
  // Layout has no extent of its own.
  while (last > first && (kindOf(last) == TokenKind::Newline || kindOf(last) == TokenKind::Dedent ||
                          kindOf(last) == TokenKind::Indent || kindOf(last) == TokenKind::None))
    --last;
  return last;
}

SourceRange TreeBuilder::tokenRange(size_t first, size_t last) const {
  auto size = static_cast<uint32_t>(text.size());
  if (first >= tokens.tokens.size()) return {file, size, size};
  return {file, tokens.tokens[first].begin, tokens.tokens[std::max(first, last)].end};
}

std::string_view TreeBuilder::textOf(size_t token) const {
  const Token &row = tokens.tokens[token];
  return text.substr(row.begin, row.end - row.begin);
}

size_t TreeBuilder::checkCommas(Context *list) {
  size_t commas = 0;
  bool previous = false;
  for (Tree *child : list->children) {
    auto *terminal = dynamic_cast<antlr4::tree::TerminalNode *>(child);
    bool comma = terminal && kindOf(terminal) == TokenKind::Comma;
    if (comma && previous)
      fail(Diagnostic(DiagKind::UnexpectedToken, tokenRange(indexOf(terminal)), "unexpected `,`",
                      "an element is missing before it"));
    commas += comma;
    previous = comma;
  }
  return commas;
}

Module *TreeBuilder::build(JxParser::FileContext *tree, std::string_view moduleName) {
  try {
    std::vector<Stmt *> body;
    for (auto *child : tree->getRuleContexts<JxParser::StatementContext>()) statement(child, body);
    auto *module = context.allocate<Module>();
    module->name = context.name(moduleName);
    module->file = file;
    module->body = context.copy(body);
    module->docstring = docstringOf(module->body);
    return module;
  } catch (const Stop &) {
    return nullptr;
  }
}

void TreeBuilder::statement(JxParser::StatementContext *tree, std::vector<Stmt *> &out) {
  if (auto *line = tree->simpleLine()) return simpleLine(line, out);
  if (auto *child = tree->ifStmt()) return out.push_back(ifStatement(child));
  if (auto *child = tree->whileStmt()) return out.push_back(whileStatement(child));
  if (auto *child = tree->forStmt()) return out.push_back(forStatement(child));
  if (auto *child = tree->tryStmt()) return out.push_back(tryStatement(child));
  if (auto *child = tree->withStmt()) return out.push_back(withStatement(child));
  if (auto *child = tree->functionDef()) return out.push_back(functionDef(child, {}));
  if (auto *child = tree->classDef()) return out.push_back(classDef(child, {}));
  auto *decorated = tree->decorated();
  std::vector<Expr *> decorators;
  for (auto *row : decorated->decorator()) decorators.push_back(namedTest(row->namedTest()));
  ExprList list = context.copy(decorators);
  if (auto *child = decorated->functionDef())
    out.push_back(functionDef(child, list));
  else
    out.push_back(classDef(decorated->classDef(), list));
}

void TreeBuilder::simpleLine(JxParser::SimpleLineContext *tree, std::vector<Stmt *> &out) {
  bool separator = false;
  for (Tree *child : tree->children) {
    if (auto *stmt = dynamic_cast<JxParser::SimpleStmtContext *>(child)) {
      out.push_back(simpleStatement(stmt));
      separator = false;
      continue;
    }
    auto *terminal = static_cast<antlr4::tree::TerminalNode *>(child);
    if (kindOf(terminal) != TokenKind::Semi) continue;
    if (separator)
      fail(Diagnostic(DiagKind::UnexpectedToken, tokenRange(indexOf(terminal)), "unexpected `;`",
                      "a statement is missing before it"));
    separator = true;
  }
}

Stmt *TreeBuilder::simpleStatement(JxParser::SimpleStmtContext *tree) {
  SourceRange range = rangeOf(tree);
  if (auto *child = tree->exprStmt()) return expressionStatement(child);
  if (auto *child = tree->importStmt()) return importStatement(child);
  if (auto *child = tree->fromStmt()) return fromStatement(child);
  if (auto *child = tree->returnStmt()) {
    auto *stmt = make<Return>(range);
    if (auto *value = child->testList()) stmt->value = testList(value);
    return stmt;
  }
  if (auto *child = tree->raiseStmt()) {
    auto *stmt = make<Raise>(range);
    auto values = child->test();
    if (!values.empty()) stmt->exception = test(values[0]);
    if (values.size() > 1) stmt->cause = test(values[1]);
    return stmt;
  }
  if (auto *child = tree->assertStmt()) {
    auto *stmt = make<Assert>(range);
    auto values = child->test();
    stmt->test = test(values[0]);
    if (values.size() > 1) stmt->message = test(values[1]);
    return stmt;
  }
  if (auto *child = tree->delStmt()) {
    auto *stmt = make<Del>(range);
    std::vector<Expr *> targets;
    checkCommas(child->targetList());
    for (auto *row : child->targetList()->target()) targets.push_back(target(row, Access::Del));
    stmt->targets = context.copy(targets);
    return stmt;
  }
  if (auto *child = tree->globalStmt()) {
    auto *stmt = make<Global>(range);
    stmt->names = declaredNames(child);
    return stmt;
  }
  if (auto *child = tree->nonlocalStmt()) {
    auto *stmt = make<Nonlocal>(range);
    stmt->names = declaredNames(child);
    return stmt;
  }
  switch (kindOf(firstToken(tree))) {
  case TokenKind::BreakKeyword:
    return make<Break>(range);
  case TokenKind::ContinueKeyword:
    return make<Continue>(range);
  default:
    return make<Pass>(range);
  }
}

std::span<const Name> TreeBuilder::declaredNames(Context *tree) {
  std::vector<Name> names;
  for (auto *node : tree->getTokens(JxParser::NAME)) names.push_back(nameOf(node));
  return context.copy(names);
}

static BinaryOp augmentedOp(TokenKind kind) {
  switch (kind) {
  case TokenKind::PlusEqual:
    return BinaryOp::Add;
  case TokenKind::MinusEqual:
    return BinaryOp::Sub;
  case TokenKind::StarEqual:
    return BinaryOp::Mul;
  case TokenKind::AtEqual:
    return BinaryOp::MatMul;
  case TokenKind::SlashEqual:
    return BinaryOp::Div;
  case TokenKind::DoubleSlashEqual:
    return BinaryOp::FloorDiv;
  case TokenKind::PercentEqual:
    return BinaryOp::Mod;
  case TokenKind::DoubleStarEqual:
    return BinaryOp::Pow;
  case TokenKind::LeftShiftEqual:
    return BinaryOp::LShift;
  case TokenKind::RightShiftEqual:
    return BinaryOp::RShift;
  case TokenKind::AmperEqual:
    return BinaryOp::BitAnd;
  case TokenKind::VBarEqual:
    return BinaryOp::BitOr;
  default:
    return BinaryOp::BitXor;
  }
}

Stmt *TreeBuilder::expressionStatement(JxParser::ExprStmtContext *tree) {
  SourceRange range = rangeOf(tree);
  auto sides = tree->rhs();
  Expr *first = rhs(sides[0]);
  if (isa<Walrus>(first) && kindOf(firstToken(sides[0])) == TokenKind::Name)
    fail(Diagnostic(DiagKind::UnexpectedToken, first->range, "`:=` cannot stand alone as a statement")
             .withHint("write `=`"));
  if (auto *annotation = tree->annotation()) {
    auto *stmt = make<AnnAssign>(range);
    stmt->target = first;
    if (!isa<NameExpr, Attribute, Subscript>(first))
      fail(Diagnostic(DiagKind::BadAssignmentTarget, first->range,
                      "only a name, an attribute or an element can have an annotation"));
    bind(first, Access::Store);
    stmt->annotation = test(annotation->test());
    if (sides.size() > 1) stmt->value = rhs(sides[1]);
    return stmt;
  }
  if (auto *op = tree->augmented()) {
    auto *stmt = make<AugAssign>(range);
    size_t token = firstToken(op);
    stmt->target = first;
    if (!isa<NameExpr, Attribute, Subscript>(first))
      fail(Diagnostic(DiagKind::BadAssignmentTarget, first->range,
                      "`" + std::string(textOf(token)) +
                          "` needs a name, an attribute or an element on its left"));
    bind(first, Access::Store);
    stmt->op = augmentedOp(kindOf(token));
    stmt->opRange = tokenRange(token);
    stmt->value = rhs(sides[1]);
    return stmt;
  }
  if (sides.size() == 1) {
    auto *stmt = make<ExprStmt>(range);
    stmt->value = first;
    return stmt;
  }
  auto *stmt = make<Assign>(range);
  std::vector<Expr *> targets{first};
  for (size_t i = 1; i + 1 < sides.size(); ++i) targets.push_back(rhs(sides[i]));
  for (Expr *target : targets) bind(target, Access::Store);
  stmt->targets = context.copy(targets);
  stmt->value = rhs(sides.back());
  return stmt;
}

Stmt *TreeBuilder::importStatement(JxParser::ImportStmtContext *tree) {
  auto *stmt = make<Import>(rangeOf(tree));
  std::vector<ImportAlias> aliases;
  for (auto *row : tree->dottedAlias()) {
    ImportAlias alias;
    std::string path;
    for (auto *part : row->dottedName()->NAME())
      path += (path.empty() ? "" : ".") + std::string(textOf(indexOf(part)));
    alias.path = context.name(path);
    if (auto *asName = row->NAME()) alias.asName = nameOf(asName);
    alias.bound.name = alias.asName ? alias.asName : nameOf(row->dottedName()->NAME(0));
    alias.range = rangeOf(row);
    aliases.push_back(alias);
  }
  stmt->aliases = context.copy(aliases);
  return stmt;
}

Stmt *TreeBuilder::fromStatement(JxParser::FromStmtContext *tree) {
  auto *stmt = make<ImportFrom>(rangeOf(tree));
  size_t import = indexOf(tree->IMPORT());
  for (size_t token = firstToken(tree) + 1; token < import; ++token) {
    if (tree->dottedName() && token >= firstToken(tree->dottedName())) break;
    stmt->dots += kindOf(token) == TokenKind::Ellipsis ? 3 : 1;
  }
  if (auto *dotted = tree->dottedName()) {
    std::string path;
    for (auto *part : dotted->NAME()) path += (path.empty() ? "" : ".") + std::string(textOf(indexOf(part)));
    stmt->module = context.name(path);
  } else if (stmt->dots == 0) {
    fail(Diagnostic(DiagKind::UnexpectedToken, tokenRange(import),
                    "the module's name is missing before `import`"));
  }
  stmt->moduleRange = tokenRange(firstToken(tree) + 1, import - 1);
  auto *names = tree->importNames();
  if (!names) {
    stmt->isStar = true;
    return stmt;
  }
  bool trailing = kindOf(lastToken(names)) == TokenKind::Comma;
  checkCommas(names);
  if (trailing && !tree->LPAR())
    fail(Diagnostic(DiagKind::UnexpectedToken, tokenRange(lastToken(names)),
                    "a trailing comma needs parentheses around the imported names"));
  std::vector<ImportAlias> aliases;
  for (auto *row : names->importName()) {
    ImportAlias alias;
    alias.path = nameOf(row->NAME(0));
    if (auto *asName = row->NAME(1)) alias.asName = nameOf(asName);
    alias.bound.name = alias.asName ? alias.asName : alias.path;
    alias.range = rangeOf(row);
    aliases.push_back(alias);
  }
  stmt->aliases = context.copy(aliases);
  return stmt;
}

Block TreeBuilder::block(JxParser::BlockContext *tree) {
  std::vector<Stmt *> body;
  if (auto *line = tree->simpleLine())
    simpleLine(line, body);
  else
    for (auto *child : tree->statement()) statement(child, body);
  return context.copy(body);
}

Block TreeBuilder::elseBlock(JxParser::ElseClauseContext *tree) {
  return tree ? block(tree->block()) : Block();
}

Stmt *TreeBuilder::ifStatement(JxParser::IfStmtContext *tree) {
  auto *root = make<If>(rangeOf(tree));
  root->test = namedTest(tree->namedTest());
  root->body = block(tree->block());
  If *last = root;
  for (auto *clause : tree->elifClause()) {
    auto *next = make<If>(tokenRange(firstToken(clause), lastToken(tree)));
    next->test = namedTest(clause->namedTest());
    next->body = block(clause->block());
    last->orelse = context.copy(std::vector<Stmt *>{next});
    last = next;
  }
  last->orelse = elseBlock(tree->elseClause());
  return root;
}

Stmt *TreeBuilder::forStatement(JxParser::ForStmtContext *tree) {
  auto *stmt = make<For>(rangeOf(tree));
  stmt->target = targetList(tree->targetList(), Access::Store);
  stmt->iter = testList(tree->testList());
  stmt->body = block(tree->block());
  stmt->orelse = elseBlock(tree->elseClause());
  return stmt;
}

Stmt *TreeBuilder::whileStatement(JxParser::WhileStmtContext *tree) {
  auto *stmt = make<While>(rangeOf(tree));
  stmt->test = namedTest(tree->namedTest());
  stmt->body = block(tree->block());
  stmt->orelse = elseBlock(tree->elseClause());
  return stmt;
}

Stmt *TreeBuilder::tryStatement(JxParser::TryStmtContext *tree) {
  auto *stmt = make<Try>(rangeOf(tree));
  stmt->body = block(tree->block());
  std::vector<ExceptHandler> handlers;
  for (auto *clause : tree->exceptClause()) {
    if (clause->STAR())
      fail(Diagnostic(DiagKind::UnsupportedSyntax, tokenRange(indexOf(clause->STAR())), "jx has no `except*`")
               .withHint("write `except`"));
    if (!handlers.empty() && !handlers.back().type)
      fail(Diagnostic(DiagKind::MisplacedStatement, handlers.back().range,
                      "a bare `except:` must be the last one"));
    ExceptHandler handler;
    handler.range = tokenRange(firstToken(clause));
    if (auto *type = clause->test()) handler.type = test(type);
    if (auto *name = clause->NAME()) handler.bound.name = nameOf(name);
    handler.body = block(clause->block());
    handlers.push_back(handler);
  }
  stmt->handlers = context.copy(handlers);
  stmt->orelse = elseBlock(tree->elseClause());
  if (auto *last = tree->finallyClause()) stmt->finally = block(last->block());
  return stmt;
}

/// The items of `with (a as b, c as d):`, which the grammar takes for a parenthesised expression; else null.
/// As in Python, `with (a, b):` enters two contexts, not a tuple.
JxParser::GroupItemsContext *TreeBuilder::withGroup(JxParser::WithStmtContext *tree) {
  auto items = tree->withItem();
  if (items.size() != 1 || items[0]->target()) return nullptr;
  auto *operation = items[0]->test()->operation(0);
  if (!operation || operation->children.size() != 1 || items[0]->test()->children.size() != 1) return nullptr;
  auto *primary = operation->primary(0);
  auto *group = primary->atom()->groupItems();
  if (!group || primary->children.size() != 1 || group->comprehension()) return nullptr;
  for (auto *item : group->groupItem()) {
    auto *value = item->starTest()->namedTest();
    if (!value || value->children.size() != 1) return nullptr; // starred, or with a walrus
  }
  return group;
}

Stmt *TreeBuilder::withStatement(JxParser::WithStmtContext *tree) {
  auto *stmt = make<With>(rangeOf(tree));
  std::vector<WithItem> items;
  if (auto *group = withGroup(tree)) {
    checkCommas(group);
    for (auto *row : group->groupItem())
      items.push_back(
          {starTest(row->starTest()), row->target() ? target(row->target(), Access::Store) : nullptr});
  } else {
    for (auto *row : tree->withItem())
      items.push_back({test(row->test()), row->target() ? target(row->target(), Access::Store) : nullptr});
  }
  stmt->items = context.copy(items);
  stmt->body = block(tree->block());
  return stmt;
}

Stmt *TreeBuilder::functionDef(JxParser::FunctionDefContext *tree, ExprList decorators) {
  auto *def = make<FunctionDef>(rangeOf(tree));
  def->name = nameOf(tree->NAME());
  def->nameRange = tokenRange(indexOf(tree->NAME()));
  def->decorators = decorators;
  if (auto *params = tree->parameters()) def->params = parameters(params);
  if (auto *returns = tree->testList()) def->returns = testList(returns);
  FunctionBody body;
  body.statements = block(tree->block());
  body.docstring = docstringOf(body.statements);
  def->setBody(body);
  return def;
}

Stmt *TreeBuilder::classDef(JxParser::ClassDefContext *tree, ExprList decorators) {
  auto *def = make<ClassDef>(rangeOf(tree));
  def->name = nameOf(tree->NAME());
  def->nameRange = tokenRange(indexOf(tree->NAME()));
  def->decorators = decorators;
  if (auto *list = tree->arguments()) {
    Arguments args = arguments(list);
    def->bases = args.positional;
    def->keywords = args.keywords;
  }
  def->body = block(tree->block());
  def->docstring = docstringOf(def->body);
  return def;
}

} // namespace jx
