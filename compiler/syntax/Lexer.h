// The token source: text to tokens by hand. It does what a context-free lexer cannot: indentation, joining of
// lines inside brackets and after backslashes, string prefixes, f-strings cut into text and fields (nested
// ones too). It stops at the first error. Split by topic: Lexer.cpp (layout, names, operators),
// LexNumbers.cpp, LexStrings.cpp.
#pragma once

#include "compiler/diagnostics/Diagnostic.h"
#include "compiler/syntax/Token.h"

#include <optional>

namespace jx {

class Lexer {
public:
  Lexer(FileId file, std::string_view text, DiagnosticSink &sink) : file(file), text(text), sink(sink) {}

  /// All tokens, or nothing when an error was reported.
  std::optional<TokenList> run();

  /// Limits of CPython's tokenizer; the parser behind it relies on them.
  static constexpr size_t maxBrackets = 200;
  static constexpr size_t maxIndents = 100;
  static constexpr size_t maxFStringNesting = 20;
  static constexpr size_t maxBytes = 16u << 20;

private:
  struct Stop {}; ///< Thrown after the error was reported.
  struct Bracket {
    char open; ///< `f` for a field of an f-string.
    uint32_t begin;
  };
  struct IndentLevel {
    unsigned column;    ///< Tabs to multiples of 8.
    unsigned altColumn; ///< Tabs as one column; both must agree on the order of two lines.
  };
  struct Quote {
    char mark;
    bool triple;
    bool raw;
    bool bytes;
    bool format;
    uint32_t begin; ///< Of the whole literal, prefix included.
  };

  // Characters.
  char at(size_t offset) const { return offset < text.size() ? text[offset] : '\0'; }
  char peek(size_t ahead = 0) const { return at(pos + ahead); }
  bool atEnd() const { return pos >= text.size(); }
  bool atNewline() const { return peek() == '\n' || peek() == '\r'; }
  void skipNewline();
  SourceRange range(size_t begin, size_t end) const {
    return {file, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }
  [[noreturn]] void fail(Diagnostic diagnostic);
  uint32_t codePoint(size_t offset, size_t &length) const;

  // Layout, names, operators (Lexer.cpp).
  void checkText();
  void lineStart();
  void indentation(IndentLevel level, size_t begin);
  void endLine(size_t end);
  void refuseMatch();
  /// Lexes one token at `pos`, blanks and comments skipped. False at the end of the file.
  bool ordinaryToken();
  void backslash();
  void checkUnclosedBracket(size_t begin, TokenKind kind);
  void name();
  bool isNameStart(size_t offset) const;
  size_t nameEnd(size_t begin) const;
  void operatorToken();
  void openBracket(char c, size_t begin);
  void closeBracket(char c);
  [[noreturn]] void invalidCharacter();
  Token &add(TokenKind kind, size_t begin, size_t end);

  // Numbers (LexNumbers.cpp).
  void number();
  void radixNumber(size_t begin, int radix);
  size_t digitRun(size_t begin, int radix);
  void numberEnd(size_t begin);

  // Strings (LexStrings.cpp).
  bool stringPrefix(size_t &length, bool &raw, bool &bytes, bool &format) const;
  void string();
  void plainString(const Quote &quote);
  void formatString(const Quote &quote);
  void formatText(const Quote &quote, bool inSpec);
  void field(const Quote &quote, size_t specDepth);
  void conversion(const Quote &quote);
  bool atQuote(const Quote &quote) const;
  void escape(const Quote &quote, std::string &out);
  [[noreturn]] void unterminated(const Quote &quote);
  void addText(TokenKind kind, size_t begin, size_t end, std::string value, bool bytes);

  FileId file;
  std::string_view text;
  DiagnosticSink &sink;
  size_t pos = 0;
  TokenList out;
  std::vector<Bracket> brackets;
  std::vector<IndentLevel> indents{{0, 0}};
  std::vector<Quote> openFStrings;
  size_t lineFirstToken = 0; ///< Index of the first token of the logical line.
  bool newPhysicalLine = true;
};

/// Appends a code point as UTF-8 (lone surrogates too, as Python's strings hold them).
void appendUtf8(std::string &out, uint32_t code);

} // namespace jx
