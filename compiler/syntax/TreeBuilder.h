// From ANTLR's parse tree to the syntax tree. Finishes what the grammar leaves open so that it can decide on
// one token: precedence, targets, argument and parameter order, commas. Internal to compiler/syntax. Split by
// topic: BuildStatements.cpp, BuildExpressions.cpp, BuildDisplays.cpp (atoms, displays, strings),
// BuildArguments.cpp (arguments, parameters), BuildTargets.cpp.
#pragma once

#include "JxParser.h"
#include "compiler/diagnostics/Diagnostic.h"
#include "compiler/syntax/AstContext.h"
#include "compiler/syntax/Token.h"

namespace jx {

class TreeBuilder {
public:
  TreeBuilder(const TokenList &tokens, FileId file, std::string_view text, AstContext &context,
              DiagnosticSink &sink)
      : tokens(tokens), file(file), text(text), context(context), sink(sink) {}

  /// The module's tree, scopes not filled in; null when an error was reported.
  ast::Module *build(JxParser::FileContext *tree, std::string_view moduleName);

  /// Recursion of the builder beyond this is refused (`- - - - x`, `a ** b ** c ** ...`).
  static constexpr unsigned maxNesting = 1000;

private:
  using Tree = antlr4::tree::ParseTree;
  using Context = antlr4::ParserRuleContext;
  struct Stop {}; ///< Thrown after the error was reported.
  struct NestingGuard {
    NestingGuard(TreeBuilder &builder, SourceRange at);
    ~NestingGuard() { --builder.nesting; }
    TreeBuilder &builder;
  };

  // Positions and tokens.
  [[noreturn]] void fail(Diagnostic diagnostic);
  size_t firstToken(const Context *tree) const { return tree->start->getTokenIndex(); }
  size_t lastToken(const Context *tree) const;
  SourceRange tokenRange(size_t first, size_t last) const;
  SourceRange tokenRange(size_t token) const { return tokenRange(token, token); }
  SourceRange rangeOf(const Context *tree) const { return tokenRange(firstToken(tree), lastToken(tree)); }
  TokenKind kindOf(size_t token) const {
    return token < tokens.tokens.size() ? tokens.tokens[token].kind : TokenKind::None;
  }
  TokenKind kindOf(antlr4::tree::TerminalNode *node) const { return kindOf(indexOf(node)); }
  size_t indexOf(antlr4::tree::TerminalNode *node) const { return node->getSymbol()->getTokenIndex(); }
  std::string_view textOf(size_t token) const;
  Name nameOf(antlr4::tree::TerminalNode *node) { return context.name(textOf(indexOf(node))); }
  /// Refuses two commas in a row and returns the number of commas among the children.
  size_t checkCommas(Context *list);

  // Statements.
  void statement(JxParser::StatementContext *tree, std::vector<ast::Stmt *> &out);
  void simpleLine(JxParser::SimpleLineContext *tree, std::vector<ast::Stmt *> &out);
  ast::Stmt *simpleStatement(JxParser::SimpleStmtContext *tree);
  ast::Stmt *expressionStatement(JxParser::ExprStmtContext *tree);
  ast::Stmt *importStatement(JxParser::ImportStmtContext *tree);
  ast::Stmt *fromStatement(JxParser::FromStmtContext *tree);
  ast::Stmt *ifStatement(JxParser::IfStmtContext *tree);
  ast::Stmt *forStatement(JxParser::ForStmtContext *tree);
  ast::Stmt *whileStatement(JxParser::WhileStmtContext *tree);
  ast::Stmt *tryStatement(JxParser::TryStmtContext *tree);
  ast::Stmt *withStatement(JxParser::WithStmtContext *tree);
  ast::Stmt *functionDef(JxParser::FunctionDefContext *tree, ast::ExprList decorators);
  ast::Stmt *classDef(JxParser::ClassDefContext *tree, ast::ExprList decorators);
  ast::Block block(JxParser::BlockContext *tree);
  ast::Block elseBlock(JxParser::ElseClauseContext *tree);
  std::span<const Name> declaredNames(Context *tree);
  JxParser::GroupItemsContext *withGroup(JxParser::WithStmtContext *tree);

  // Expressions.
  ast::Expr *rhs(JxParser::RhsContext *tree);
  ast::Expr *testList(JxParser::TestListContext *tree);
  ast::Expr *starTest(JxParser::StarTestContext *tree);
  ast::Expr *namedTest(JxParser::NamedTestContext *tree);
  ast::Expr *walrus(ast::Expr *target, JxParser::TestContext *value, SourceRange range);
  ast::Expr *test(JxParser::TestContext *tree);
  ast::Expr *lambda(JxParser::LambdaExprContext *tree);
  ast::Expr *yield(JxParser::YieldExprContext *tree);
  ast::Expr *starred(JxParser::OperationContext *tree, SourceRange range);
  ast::Expr *operation(JxParser::OperationContext *tree);
  struct Operands;
  ast::Expr *climb(Operands &input, int minPrecedence);
  ast::Expr *prefixed(Operands &input, int minPrecedence);
  ast::Expr *primary(JxParser::PrimaryContext *tree);
  ast::Expr *trailer(ast::Expr *value, JxParser::TrailerContext *tree, SourceRange range);
  ast::Expr *subscripts(JxParser::SubscriptsContext *tree);
  ast::Expr *subscript(JxParser::SubscriptContext *tree);

  // Atoms and displays.
  ast::Expr *atom(JxParser::AtomContext *tree);
  ast::Expr *number(size_t token);
  ast::Expr *group(JxParser::AtomContext *tree);
  ast::Expr *listDisplay(JxParser::AtomContext *tree);
  ast::Expr *braceDisplay(JxParser::AtomContext *tree);
  ast::Expr *comprehension(ast::ComprehensionKind kind, ast::Expr *element, ast::Expr *value,
                           JxParser::ComprehensionContext *tree, SourceRange range);
  ast::Expr *strings(JxParser::StringsContext *tree);
  void formatParts(const std::vector<JxParser::FstringPartContext *> &trees,
                   std::vector<ast::FStringPart> &parts);
  void formatField(JxParser::FieldContext *tree, std::vector<ast::FStringPart> &parts);
  void addLiteral(std::vector<ast::FStringPart> &parts, std::string_view literal);

  // Arguments and parameters.
  struct Arguments {
    ast::ExprList positional;
    std::span<const ast::Keyword> keywords;
  };
  Arguments arguments(JxParser::ArgumentsContext *tree);
  struct ParameterRow;
  ast::ParameterList parameters(JxParser::ParametersContext *tree);
  ast::ParameterList parameters(JxParser::LambdaParametersContext *tree);
  ast::ParameterList arrange(const std::vector<ParameterRow> &rows);

  // Targets.
  ast::Expr *targetList(JxParser::TargetListContext *tree, ast::Access access);
  ast::Expr *target(JxParser::TargetContext *tree, ast::Access access);
  void bind(ast::Expr *target, ast::Access access, bool starAllowed = false);
  [[noreturn]] void refuseTarget(ast::Expr *target, ast::Access access);

  template <typename T> T *make(SourceRange range) { return context.make<T>(range); }

  const TokenList &tokens;
  FileId file;
  std::string_view text;
  AstContext &context;
  DiagnosticSink &sink;
  unsigned nesting = 0;
};

} // namespace jx
