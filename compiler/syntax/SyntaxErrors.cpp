// Finds words for a syntax error. The rules are tried in order, the most telling first; each looks at the
// token that does not fit, the tokens before it, and what the parser was in the middle of.
#include "compiler/syntax/SyntaxErrors.h"

#include "JxParser.h"

#include <algorithm>
#include <optional>

namespace jx {
namespace {

[[noreturn]] void stopHere(antlr4::Parser *parser) {
  SyntaxStop stop;
  stop.token = parser->getCurrentToken()->getTokenIndex();
  for (auto *rule = parser->getContext(); rule;
       rule = static_cast<antlr4::ParserRuleContext *>(rule->parent)) {
    stop.rules.push_back(rule->getRuleIndex());
    stop.ruleStarts.push_back(rule->start ? rule->start->getTokenIndex() : stop.token);
  }
  stop.wanted = parser->getExpectedTokens();
  throw stop;
}

class Describer {
public:
  Describer(const SyntaxStop &stop, const TokenList &tokens, const SourceManager &sources, FileId file)
      : stop(stop), tokens(tokens.tokens), sources(sources), file(file), at(stop.token) {}

  Diagnostic run() {
    for (auto rule :
         {&Describer::indentation, &Describer::missingBlock, &Describer::assignment, &Describer::missingColon,
          &Describer::operators, &Describer::strayClause, &Describer::keywordAsName, &Describer::python2,
          &Describer::juxtaposed, &Describer::incomplete})
      if (std::optional<Diagnostic> found = (this->*rule)()) return *found;
    return general();
  }

private:
  using Result = std::optional<Diagnostic>;

  TokenKind kind(size_t index) const { return index < tokens.size() ? tokens[index].kind : TokenKind::None; }
  TokenKind previous(size_t back = 1) const { return at >= back ? kind(at - back) : TokenKind::None; }
  bool wants(TokenKind wanted) const { return stop.wanted.contains(static_cast<size_t>(wanted)); }
  bool wantsExpression() const { return wants(TokenKind::Name) && wants(TokenKind::Number); }
  SourceRange range(size_t index) const {
    if (index < tokens.size()) return {file, tokens[index].begin, tokens[index].end};
    auto end = static_cast<uint32_t>(sources.text(file).size());
    return {file, end, end};
  }
  std::string text(size_t index) const { return std::string(sources.text(range(index))); }
  bool isLayout(TokenKind kind) const {
    return kind == TokenKind::Newline || kind == TokenKind::Dedent || kind == TokenKind::Indent ||
           kind == TokenKind::None;
  }
  /// Where something is missing: just behind the previous token.
  SourceRange behindPrevious() const {
    if (at == 0) return range(at);
    uint32_t end = tokens[at - 1].end;
    return {file, end, end};
  }
  std::string name(size_t index) const {
    TokenKind which = kind(index);
    if (isLayout(which)) return describe(which);
    if (which == TokenKind::String || which == TokenKind::FStringStart) return describe(which);
    return "`" + text(index) + "`";
  }
  bool inRule(size_t rule, size_t depth = 99) const {
    auto end = stop.rules.begin() + static_cast<long>(std::min(depth, stop.rules.size()));
    return std::find(stop.rules.begin(), end, rule) != end;
  }
  /// The keyword that opened the innermost compound statement whose header the parser is in.
  size_t headerToken() const {
    for (size_t i = 0; i < stop.rules.size(); ++i) switch (stop.rules[i]) {
      case JxParser::RuleIfStmt:
      case JxParser::RuleElifClause:
      case JxParser::RuleElseClause:
      case JxParser::RuleWhileStmt:
      case JxParser::RuleForStmt:
      case JxParser::RuleTryStmt:
      case JxParser::RuleExceptClause:
      case JxParser::RuleFinallyClause:
      case JxParser::RuleWithStmt:
      case JxParser::RuleFunctionDef:
      case JxParser::RuleClassDef:
        return stop.ruleStarts[i];
      default:
        break;
      }
    return tokens.size();
  }
  bool endsExpression(TokenKind which) const {
    switch (which) {
    case TokenKind::Name:
    case TokenKind::Number:
    case TokenKind::String:
    case TokenKind::FStringEnd:
    case TokenKind::RightParen:
    case TokenKind::RightBracket:
    case TokenKind::RightBrace:
    case TokenKind::NoneKeyword:
    case TokenKind::TrueKeyword:
    case TokenKind::FalseKeyword:
    case TokenKind::Ellipsis:
      return true;
    default:
      return false;
    }
  }
  bool beginsExpression(TokenKind which) const {
    return which == TokenKind::Name || which == TokenKind::Number || which == TokenKind::String ||
           which == TokenKind::FStringStart || which == TokenKind::LambdaKeyword ||
           which == TokenKind::NoneKeyword || which == TokenKind::TrueKeyword ||
           which == TokenKind::FalseKeyword || which == TokenKind::LeftBrace;
  }
  bool inBrackets() const {
    for (size_t rule : stop.rules) {
      if (rule == JxParser::RuleAtom || rule == JxParser::RuleTrailer || rule == JxParser::RuleField)
        return true;
      if (rule == JxParser::RuleStatement) return false;
    }
    return false;
  }

  Result indentation() {
    if (kind(at) != TokenKind::Indent) return {};
    return Diagnostic(DiagKind::BadIndentation, range(at),
                      "this line is indented without a block to belong to")
        .withHint("a block follows a line that ends in `:`");
  }

  Result missingBlock() {
    bool afterHeader =
        previous() == TokenKind::Newline && previous(2) == TokenKind::Colon && wants(TokenKind::Indent);
    if (!afterHeader) return {};
    size_t header = headerToken();
    Diagnostic error(DiagKind::ExpectedBlock,
                     kind(at) == TokenKind::Dedent || at >= tokens.size() ? range(at - 2) : range(at),
                     "expected an indented block after " + name(header));
    if (header < tokens.size()) error.span(range(header), "the block of this statement");
    return error.withHint("indent the next line, or write `pass`");
  }

  Result assignment() {
    if (kind(at) != TokenKind::Equal) return {};
    if (isKeyword(previous()) && previous() != TokenKind::ElseKeyword)
      return Diagnostic(DiagKind::UnexpectedToken, range(at - 1),
                        name(at - 1) + " is a keyword and cannot be a name")
          .withHint("a customary spelling is `" + text(at - 1) + "_`");
    Diagnostic error(DiagKind::AssignInExpression, range(at),
                     "`=` assigns and cannot stand inside an expression");
    size_t header = headerToken();
    if (header < tokens.size() && !inRule(JxParser::RuleParameters, 3) &&
        (kind(header) == TokenKind::IfKeyword || kind(header) == TokenKind::WhileKeyword ||
         kind(header) == TokenKind::ElifKeyword))
      return error.withHint("compare with `==`; to bind a name here, write `(name := value)`");
    return error.withHint("compare with `==`");
  }

  Result missingColon() {
    if (!wants(TokenKind::Colon)) return {};
    size_t header = headerToken();
    if (header >= tokens.size() || inBrackets()) return {};
    if (stop.rules.front() == JxParser::RuleLambdaExpr || inRule(JxParser::RuleExprStmt, 6)) return {};
    if (kind(header) == TokenKind::ElseKeyword && kind(at) == TokenKind::IfKeyword)
      return Diagnostic(DiagKind::MissingColon, range(at), "`else if` is one word in Python")
          .withHint("write `elif`");
    if (!isLayout(kind(at)) &&
        !(kind(header) == TokenKind::ElseKeyword || kind(header) == TokenKind::TryKeyword ||
          kind(header) == TokenKind::FinallyKeyword || at == tokens.size()))
      return {};
    return Diagnostic(DiagKind::MissingColon, behindPrevious(),
                      "expected `:` after the " + name(header) + " line", "`:` is missing here");
  }

  Result operators() {
    auto pair = [&](TokenKind a, TokenKind b) {
      return kind(at) == b && previous() == a && tokens[at - 1].end == tokens[at].begin;
    };
    auto make = [&](std::string spelling, std::string hint) {
      SourceRange both{file, tokens[at - 1].begin, tokens[at].end};
      return Diagnostic(DiagKind::UnexpectedToken, both, "`" + spelling + "` is no operator").withHint(hint);
    };
    if (pair(TokenKind::Amper, TokenKind::Amper)) return make("&&", "write `and`");
    if (pair(TokenKind::VBar, TokenKind::VBar)) return make("||", "write `or`");
    if (pair(TokenKind::Less, TokenKind::Greater)) return make("<>", "write `!=`");
    if (pair(TokenKind::EqualEqual, TokenKind::Equal)) return make("===", "write `==`, or `is` for identity");
    if (pair(TokenKind::Equal, TokenKind::Greater))
      return make("=>", "write `>=`, or `lambda x: ...` for a function");
    bool twice = previous() == previous(2) &&
                 (previous() == TokenKind::Plus || previous() == TokenKind::Minus) && at >= 2 &&
                 tokens[at - 2].end == tokens[at - 1].begin;
    if (twice && kind(at) == TokenKind::Newline) {
      std::string sign = text(at - 1);
      SourceRange both{file, tokens[at - 2].begin, tokens[at - 1].end};
      return Diagnostic(DiagKind::UnexpectedToken, both, "`" + sign + sign + "` is no operator")
          .withHint("write `" + sign + "= 1`");
    }
    return {};
  }

  Result strayClause() {
    std::string wanted;
    switch (kind(at)) {
    case TokenKind::ElseKeyword:
      wanted = "`if`, `for`, `while` or `try`";
      break;
    case TokenKind::ElifKeyword:
      wanted = "`if`";
      break;
    case TokenKind::ExceptKeyword:
    case TokenKind::FinallyKeyword:
      wanted = "`try`";
      break;
    default:
      break;
    }
    bool lineStart = at == 0 || previous() == TokenKind::Newline || previous() == TokenKind::Dedent ||
                     previous() == TokenKind::Indent;
    if (!lineStart) return {};
    if (!wanted.empty())
      return Diagnostic(DiagKind::MisplacedStatement, range(at), name(at) + " belongs to no " + wanted)
          .withHint("it must be indented like the statement that it belongs to and follow its block");
    if (wants(TokenKind::ExceptKeyword) && wants(TokenKind::FinallyKeyword) &&
        stop.rules.front() == JxParser::RuleTryStmt)
      return Diagnostic(DiagKind::MisplacedStatement, range(stop.ruleStarts.front()),
                        "this `try` has neither `except` nor `finally`");
    return {};
  }

  Result keywordAsName() {
    if (!isKeyword(kind(at)) || !wants(TokenKind::Name)) return {};
    if (wantsExpression() && !(kind(at + 1) == TokenKind::Equal || kind(at + 1) == TokenKind::Dot)) return {};
    return Diagnostic(DiagKind::UnexpectedToken, range(at), name(at) + " is a keyword and cannot be a name")
        .withHint("a customary spelling is `" + text(at) + "_`");
  }

  Result python2() {
    if (previous() != TokenKind::Name || !beginsExpression(kind(at))) return {};
    std::string word = text(at - 1);
    if (word != "print" && word != "exec") return {};
    return Diagnostic(DiagKind::UnexpectedToken, range(at),
                      "`" + word + "` is a function and needs parentheses")
        .withHint("write `" + word + "(...)`");
  }

  Result juxtaposed() {
    if (!endsExpression(previous()) || !beginsExpression(kind(at)) || wantsExpression()) return {};
    if (inBrackets() && stop.rules.front() != JxParser::RuleField)
      return Diagnostic(DiagKind::UnexpectedToken, range(at),
                        "unexpected " + name(at) + " after an expression")
          .withHint("is a comma missing before it?");
    return Diagnostic(DiagKind::UnexpectedToken, range(at), "unexpected " + name(at) + " after an expression")
        .withHint("an operator or the end of the line must stand between them");
  }

  Result incomplete() {
    if (!isLayout(kind(at)) || !wantsExpression() || at == 0) return {};
    return Diagnostic(DiagKind::UnexpectedToken, behindPrevious(),
                      "the line ends where an expression must follow " + name(at - 1));
  }

  Diagnostic general() {
    std::string message = "unexpected " + name(at);
    std::vector<std::string> fitting;
    if (wantsExpression()) {
      fitting.push_back("an expression");
    } else {
      for (size_t type = 1; type < static_cast<size_t>(TokenKind::Count); ++type)
        if (stop.wanted.contains(type)) fitting.push_back(describe(static_cast<TokenKind>(type)));
    }
    if (!fitting.empty() && fitting.size() <= 3) {
      message += ", expected ";
      for (size_t i = 0; i < fitting.size(); ++i)
        message += (i == 0 ? "" : i + 1 == fitting.size() ? " or " : ", ") + fitting[i];
    }
    return Diagnostic(DiagKind::UnexpectedToken, isLayout(kind(at)) ? behindPrevious() : range(at), message);
  }

  const SyntaxStop &stop;
  const std::vector<Token> &tokens;
  const SourceManager &sources;
  FileId file;
  size_t at;
};

} // namespace

void FirstErrorStrategy::recover(antlr4::Parser *parser, std::exception_ptr) { stopHere(parser); }
antlr4::Token *FirstErrorStrategy::recoverInline(antlr4::Parser *parser) { stopHere(parser); }

Diagnostic describeSyntaxError(const SyntaxStop &stop, const TokenList &tokens, const SourceManager &sources,
                               FileId file) {
  return Describer(stop, tokens, sources, file).run();
}

} // namespace jx
