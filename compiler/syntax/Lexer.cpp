// Layout, names, brackets and operators of the token source.
#include "compiler/syntax/Lexer.h"

#include <algorithm>
#include <cstdio>

namespace jx {

std::optional<TokenList> Lexer::run() {
  try {
    checkText();
    if (text.substr(0, 3) == "\xEF\xBB\xBF") pos = 3;
    lineStart();
    while (ordinaryToken()) {
    }
    if (!brackets.empty()) {
      const Bracket &open = brackets.back();
      fail(Diagnostic(DiagKind::UnclosedBracket, range(open.begin, open.begin + 1),
                      std::string("`") + open.open + "` is never closed", "opened here")
               .withHint("add the closing bracket where the expression ends"));
    }
    if (out.tokens.size() > lineFirstToken) endLine(text.size());
    while (indents.size() > 1) {
      indents.pop_back();
      add(TokenKind::Dedent, text.size(), text.size());
    }
    return std::move(out);
  } catch (const Stop &) {
    return std::nullopt;
  }
}

void Lexer::fail(Diagnostic diagnostic) {
  sink.report(std::move(diagnostic));
  throw Stop();
}

Token &Lexer::add(TokenKind kind, size_t begin, size_t end) {
  Token &token = out.tokens.emplace_back();
  token.kind = kind;
  token.begin = static_cast<uint32_t>(begin);
  token.end = static_cast<uint32_t>(end);
  return token;
}

/// Decodes the code point at the offset; length 0 where the bytes are not UTF-8.
uint32_t Lexer::codePoint(size_t offset, size_t &length) const {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(at(offset + i)); };
  unsigned char lead = byte(0);
  length = lead < 0x80                   ? 1
           : lead >= 0xC2 && lead < 0xE0 ? 2
           : lead >= 0xE0 && lead < 0xF0 ? 3
           : lead >= 0xF0 && lead < 0xF5 ? 4
                                         : 0;
  if (length <= 1) return lead;
  uint32_t code = lead & (0xFF >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if (offset + i >= text.size() || (byte(i) & 0xC0) != 0x80) {
      length = 0;
      return 0;
    }
    code = code << 6 | (byte(i) & 0x3F);
  }
  static constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) length = 0;
  return code;
}

void Lexer::checkText() {
  if (text.size() > maxBytes)
    fail(Diagnostic(DiagKind::FileTooLarge, range(0, 0), "the file is larger than 16 MiB")
             .withHint("keep data in files that the program loads, not in source text"));
  for (size_t i = 0; i < text.size();) {
    unsigned char c = static_cast<unsigned char>(text[i]);
    if (c == 0) fail(Diagnostic(DiagKind::BadEncoding, range(i, i + 1), "the file holds a NUL byte"));
    if (c < 0x80) {
      ++i;
      continue;
    }
    size_t length;
    codePoint(i, length);
    if (length == 0) {
      char message[64];
      std::snprintf(message, sizeof message, "byte 0x%02x is not valid UTF-8", c);
      fail(Diagnostic(DiagKind::BadEncoding, range(i, i + 1), message).withHint("save the file as UTF-8"));
    }
    i += length;
  }
}

void Lexer::skipNewline() {
  if (peek() == '\r' && peek(1) == '\n') ++pos;
  ++pos;
  newPhysicalLine = true;
}

/// Skips empty lines and measures the indentation of the next line that holds a token.
void Lexer::lineStart() {
  lineFirstToken = out.tokens.size();
  for (;;) {
    IndentLevel level{0, 0};
    size_t begin = pos;
    for (;; ++pos) {
      if (peek() == ' ')
        ++level.column, ++level.altColumn;
      else if (peek() == '\t')
        level.column = level.column / 8 * 8 + 8, ++level.altColumn;
      else if (peek() == '\f')
        level = {0, 0};
      else
        break;
    }
    if (peek() == '#')
      while (!atEnd() && !atNewline()) ++pos;
    if (atEnd()) return;
    if (!atNewline()) {
      indentation(level, begin);
      return;
    }
    skipNewline();
  }
}

void Lexer::indentation(IndentLevel level, size_t begin) {
  auto inconsistent = [&] {
    fail(Diagnostic(DiagKind::BadIndentation, range(begin, pos),
                    "tabs and blanks are mixed so that the indentation is ambiguous")
             .withHint("indent with blanks only, four a level"));
  };
  IndentLevel current = indents.back();
  if (level.column > current.column) {
    if (level.altColumn <= current.altColumn) inconsistent();
    if (indents.size() > maxIndents)
      fail(Diagnostic(DiagKind::TooDeeplyNested, range(begin, pos), "more than 100 levels of indentation")
               .withHint("move inner blocks into functions"));
    indents.push_back(level);
    add(TokenKind::Indent, begin, pos);
  } else {
    while (level.column < indents.back().column) {
      indents.pop_back();
      add(TokenKind::Dedent, pos, pos);
    }
    if (level.column != indents.back().column) {
      Diagnostic error(DiagKind::BadIndentation, range(begin, pos),
                       "this line's indentation matches no outer block");
      std::string levels;
      for (const IndentLevel &outer : indents)
        levels += (levels.empty() ? "" : ", ") + std::to_string(outer.column);
      fail(error.note("the blocks around it begin at columns " + levels + ", " +
                      std::to_string(current.column) + "; this line at " + std::to_string(level.column)));
    }
    if (level.altColumn != indents.back().altColumn) inconsistent();
  }
  lineFirstToken = out.tokens.size();
}

void Lexer::endLine(size_t end) {
  refuseMatch();
  add(TokenKind::Newline, end, end);
  lineFirstToken = out.tokens.size();
}

/// `match` is no keyword, but a line that begins with it and ends in a colon can only be a match statement.
void Lexer::refuseMatch() {
  const Token &first = out.tokens[lineFirstToken];
  if (first.kind != TokenKind::Name || text.substr(first.begin, first.end - first.begin) != "match") return;
  if (out.tokens.size() - lineFirstToken < 3 || out.tokens.back().kind != TokenKind::Colon) return;
  fail(Diagnostic(DiagKind::UnsupportedSyntax, range(first.begin, first.end), "jx has no `match` statement")
           .withHint("write `if`/`elif`, or `jax.lax.switch` on a run-time index"));
}

bool Lexer::ordinaryToken() {
  for (;;) {
    while (peek() == ' ' || peek() == '\t' || peek() == '\f') ++pos;
    if (peek() == '#')
      while (!atEnd() && !atNewline()) ++pos;
    if (atEnd()) return false;
    if (peek() == '\\') {
      backslash();
      continue;
    }
    if (!atNewline()) break;
    size_t end = pos;
    skipNewline();
    if (!brackets.empty()) continue;
    endLine(end);
    lineStart();
    if (atEnd()) return false;
  }
  size_t prefix;
  bool raw, bytes, format;
  char c = peek();
  if (stringPrefix(prefix, raw, bytes, format))
    string();
  else if ((c >= '0' && c <= '9') || (c == '.' && peek(1) >= '0' && peek(1) <= '9'))
    number();
  else if (isNameStart(pos))
    name();
  else
    operatorToken();
  newPhysicalLine = false;
  return true;
}

void Lexer::backslash() {
  size_t begin = pos++;
  if (atNewline()) {
    skipNewline();
    newPhysicalLine = false;
    if (!atEnd()) return;
  }
  fail(Diagnostic(DiagKind::InvalidCharacter, range(begin, begin + 1),
                  atEnd() ? "the file ends after a line continuation"
                          : "only the end of the line may follow a `\\` that continues it"));
}

//===- Names -------------------------------------------------------------------------------------------===//

/// Blocks of symbols, blanks and punctuation beyond ASCII; every other code point may stand in a name.
/// Python's rule (XID_Start, XID_Continue) differs for rarely used signs only.
static bool isSymbol(uint32_t code) {
  return code < 0xAA || (code > 0xAA && code < 0xB5) || (code > 0xB5 && code < 0xBA && code != 0xB7) ||
         (code > 0xBA && code < 0xC0) || code == 0xD7 || code == 0xF7 || (code >= 0x2000 && code <= 0x206F) ||
         (code >= 0x20A0 && code <= 0x20CF) || (code >= 0x2190 && code <= 0x2BFF) ||
         (code >= 0x3000 && code <= 0x3004) || (code >= 0x3008 && code <= 0x3020) || code == 0xFEFF ||
         (code >= 0xFF01 && code <= 0xFF0F) || (code >= 0xE000 && code <= 0xF8FF) || code >= 0x1F000;
}

static bool isNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool Lexer::isNameStart(size_t offset) const {
  char c = at(offset);
  if (static_cast<unsigned char>(c) < 0x80) return isNameByte(c) && !(c >= '0' && c <= '9');
  size_t length;
  return !isSymbol(codePoint(offset, length));
}

size_t Lexer::nameEnd(size_t begin) const {
  size_t end = begin;
  while (end < text.size()) {
    if (static_cast<unsigned char>(text[end]) < 0x80) {
      if (!isNameByte(text[end])) break;
      ++end;
      continue;
    }
    size_t length;
    if (isSymbol(codePoint(end, length))) break;
    end += length;
  }
  return end;
}

void Lexer::name() {
  size_t begin = pos;
  pos = nameEnd(begin);
  TokenKind kind = keywordKind(text.substr(begin, pos - begin));
  if (kind == TokenKind::None) {
    add(TokenKind::Name, begin, pos);
    return;
  }
  if (kind == TokenKind::AsyncKeyword || kind == TokenKind::AwaitKeyword)
    fail(Diagnostic(DiagKind::UnsupportedSyntax, range(begin, pos),
                    "jx has no `" + std::string(text.substr(begin, pos - begin)) + "`")
             .withHint("write an ordinary function: jx runs the whole program as compiled code, without an "
                       "event loop"));
  checkUnclosedBracket(begin, kind);
  Token *last = out.tokens.empty() ? nullptr : &out.tokens.back();
  if (last && kind == TokenKind::NotKeyword && last->kind == TokenKind::IsKeyword) {
    last->kind = TokenKind::IsNot;
    last->end = static_cast<uint32_t>(pos);
  } else if (last && kind == TokenKind::InKeyword && last->kind == TokenKind::NotKeyword) {
    last->kind = TokenKind::NotIn;
    last->end = static_cast<uint32_t>(pos);
  } else {
    add(kind, begin, pos);
  }
}

/// A line inside brackets that begins like a statement shows that a bracket was forgotten, long before the
/// end of the file does.
void Lexer::checkUnclosedBracket(size_t begin, TokenKind kind) {
  if (!newPhysicalLine || brackets.empty()) return;
  switch (kind) {
  case TokenKind::DefKeyword:
  case TokenKind::ClassKeyword:
  case TokenKind::ReturnKeyword:
  case TokenKind::ImportKeyword:
  case TokenKind::WhileKeyword:
  case TokenKind::WithKeyword:
  case TokenKind::TryKeyword:
  case TokenKind::ExceptKeyword:
  case TokenKind::RaiseKeyword:
  case TokenKind::AssertKeyword:
  case TokenKind::ElifKeyword:
  case TokenKind::BreakKeyword:
  case TokenKind::ContinueKeyword:
  case TokenKind::PassKeyword:
    break;
  default:
    return;
  }
  const Bracket &open = brackets.back();
  if (open.open == 'f') return;
  fail(Diagnostic(DiagKind::UnclosedBracket, range(open.begin, open.begin + 1),
                  std::string("`") + open.open + "` is never closed", "opened here")
           .span(range(begin, pos), "a statement begins here"));
}

//===- Operators ---------------------------------------------------------------------------------------===//

void Lexer::openBracket(char c, size_t begin) {
  if (brackets.size() >= maxBrackets)
    fail(Diagnostic(DiagKind::TooDeeplyNested, range(begin, begin + 1), "more than 200 brackets are open")
             .withHint("give inner expressions names of their own"));
  brackets.push_back({c, static_cast<uint32_t>(begin)});
}

void Lexer::closeBracket(char c) {
  static constexpr std::string_view pairs = "()[]{}";
  char wanted = pairs[pairs.find(c) - 1];
  if (brackets.empty())
    fail(Diagnostic(DiagKind::UnclosedBracket, range(pos, pos + 1), std::string("`") + c + "` closes nothing",
                    "no bracket is open here"));
  Bracket open = brackets.back();
  if (open.open == 'f')
    fail(Diagnostic(DiagKind::BadFString, range(pos, pos + 1),
                    std::string("`") + c + "` closes nothing inside this field of the f-string")
             .span(range(open.begin, open.begin + 1), "the field begins here"));
  if (open.open != wanted)
    fail(Diagnostic(DiagKind::UnclosedBracket, range(pos, pos + 1),
                    std::string("`") + c + "` does not close `" + open.open + "`", "found here")
             .span(range(open.begin, open.begin + 1), "opened here"));
  brackets.pop_back();
}

void Lexer::operatorToken() {
  struct Row {
    std::string_view spelling;
    TokenKind kind;
  };
  // Longest spellings first.
  static const std::vector<Row> rows = [] {
    std::vector<Row> list = {
#define JX_OPERATOR(ID, GRAMMAR, SPELLING) {SPELLING, TokenKind::ID},
#include "compiler/syntax/TokenKinds.def"
    };
    std::sort(list.begin(), list.end(),
              [](const Row &a, const Row &b) { return a.spelling.size() > b.spelling.size(); });
    return list;
  }();
  for (const Row &row : rows) {
    if (text.substr(pos, row.spelling.size()) != row.spelling) continue;
    char c = row.spelling[0];
    if (row.spelling.size() == 1 && (c == '(' || c == '[' || c == '{')) openBracket(c, pos);
    if (row.spelling.size() == 1 && (c == ')' || c == ']' || c == '}')) closeBracket(c);
    add(row.kind, pos, pos + row.spelling.size());
    pos += row.spelling.size();
    return;
  }
  invalidCharacter();
}

void Lexer::invalidCharacter() {
  size_t length;
  uint32_t code = codePoint(pos, length);
  std::string shown(text.substr(pos, length));
  char number[32];
  std::snprintf(number, sizeof number, "U+%04X", code);
  if (code < 0x20 || code == 0x7F || code == 0xA0 || (code >= 0x2000 && code <= 0x200F) || code == 0xFEFF)
    shown = number;
  Diagnostic error(DiagKind::InvalidCharacter, range(pos, pos + length),
                   "`" + shown + "` has no meaning here");
  switch (code) {
  case '!':
    error.hint = "write `not x`";
    break;
  case '?':
    error.hint = "a conditional is written `a if test else b`";
    break;
  case '$':
    error.hint = "names hold letters, digits and `_`";
    break;
  case '`':
    error.hint = "strings stand in `'` or `\"`";
    break;
  case 0x2018:
  case 0x2019:
  case 0x201C:
  case 0x201D:
    error.hint = "this is a typographic quote; write `'` or `\"`";
    break;
  case 0x2212:
  case 0x2013:
  case 0x2014:
    error.hint = "write `-`";
    break;
  case 0xD7:
    error.hint = "write `*`";
    break;
  case 0xF7:
    error.hint = "write `/`";
    break;
  case 0x2264:
    error.hint = "write `<=`";
    break;
  case 0x2265:
    error.hint = "write `>=`";
    break;
  case 0x2260:
    error.hint = "write `!=`";
    break;
  case 0x2192:
    error.hint = "write `->`";
    break;
  case 0xA0:
    error.hint = "this is a no-break space; write an ordinary blank";
    break;
  default:
    if (code >= 0x80) error.note("the character is " + std::string(number));
  }
  fail(std::move(error));
}

} // namespace jx
