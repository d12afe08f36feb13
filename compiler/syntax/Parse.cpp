// The front door: lexes, runs the generated parser over the tokens, builds the tree and resolves its scopes.
#include "compiler/syntax/Parse.h"

#include "compiler/syntax/Lexer.h"
#include "compiler/syntax/Scopes.h"
#include "compiler/syntax/SyntaxErrors.h"
#include "compiler/syntax/TreeBuilder.h"

namespace jx {

#define JX_TOKEN(ID, GRAMMAR, SPELLING)                                                                      \
  static_assert(static_cast<size_t>(TokenKind::ID) == static_cast<size_t>(JxParser::GRAMMAR));
#include "compiler/syntax/TokenKinds.def"

namespace {

/// Hands the lexed tokens to ANTLR. Positions travel as token indices; texts stay with the TokenList.
class TokenFeed : public antlr4::TokenSource {
public:
  explicit TokenFeed(const TokenList &tokens) : tokens(tokens) {}

  std::unique_ptr<antlr4::Token> nextToken() override {
    size_t kind =
        next < tokens.tokens.size() ? static_cast<size_t>(tokens.tokens[next].kind) : antlr4::Token::EOF;
    auto token = std::make_unique<antlr4::CommonToken>(kind);
    token->setTokenIndex(next++);
    return token;
  }
  size_t getLine() const override { return 0; }
  size_t getCharPositionInLine() override { return 0; }
  antlr4::CharStream *getInputStream() override { return nullptr; }
  std::string getSourceName() override { return {}; }
  antlr4::TokenFactory<antlr4::CommonToken> *getTokenFactory() override {
    return antlr4::CommonTokenFactory::DEFAULT.get();
  }

private:
  const TokenList &tokens;
  size_t next = 0;
};

} // namespace

ParseResult parse(const SourceManager &sources, FileId file, AstContext &context, DiagnosticSink &sink,
                  std::string_view moduleName) {
  std::string_view text = sources.text(file);
  std::optional<TokenList> tokens = Lexer(file, text, sink).run();
  if (!tokens) return {};
  TokenFeed feed(*tokens);
  antlr4::CommonTokenStream stream(&feed);
  JxParser parser(&stream);
  parser.removeErrorListeners();
  parser.setErrorHandler(std::make_shared<FirstErrorStrategy>());
  JxParser::FileContext *tree;
  try {
    tree = parser.file();
  } catch (const SyntaxStop &stop) {
    sink.report(describeSyntaxError(stop, *tokens, sources, file));
    return {};
  } catch (const NestingTooDeep &stop) {
    size_t token = std::min(stop.tokenIndex, tokens->tokens.size() - 1);
    SourceRange at{file, tokens->tokens[token].begin, tokens->tokens[token].end};
    sink.report(Diagnostic(DiagKind::TooDeeplyNested, at, "the program is nested too deeply here")
                    .withHint("give inner expressions names of their own"));
    return {};
  }
  ast::Module *module = TreeBuilder(*tokens, file, text, context, sink).build(tree, moduleName);
  if (!module || !resolveScopes(*module, context, sink)) return {};
  return {module};
}

} // namespace jx
