// String literals. An f-string becomes FStringStart, pieces of text, fields (ordinary tokens between
// FieldOpen and FieldClose) and FStringEnd, so that one parse sees the expressions in place, with their
// positions.
#include "compiler/syntax/Lexer.h"

namespace jx {

void appendUtf8(std::string &out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

/// Whether a string literal begins at `pos`, and what its prefix says.
bool Lexer::stringPrefix(size_t &length, bool &raw, bool &bytes, bool &format) const {
  raw = bytes = format = false;
  bool unicode = false;
  for (length = 0; length < 3; ++length) {
    char c = peek(length);
    if (c == '"' || c == '\'') return !(unicode && length > 1) && !(bytes && format);
    c = static_cast<char>(c | 0x20);
    bool *flag = c == 'r' ? &raw : c == 'b' ? &bytes : c == 'f' ? &format : c == 'u' ? &unicode : nullptr;
    if (!flag || *flag) return false;
    *flag = true;
  }
  return false;
}

void Lexer::addText(TokenKind kind, size_t begin, size_t end, std::string value, bool bytes) {
  Token &token = add(kind, begin, end);
  token.isBytes = bytes;
  token.literal = static_cast<uint32_t>(out.strings.size());
  out.strings.push_back(std::move(value));
}

void Lexer::string() {
  Quote quote{};
  quote.begin = static_cast<uint32_t>(pos);
  size_t prefix;
  stringPrefix(prefix, quote.raw, quote.bytes, quote.format);
  pos += prefix;
  quote.mark = peek();
  quote.triple = peek(1) == quote.mark && peek(2) == quote.mark;
  pos += quote.triple ? 3 : 1;
  if (!openFStrings.empty() && openFStrings.back().mark == quote.mark && !openFStrings.back().triple) {
    const Quote &outer = openFStrings.back();
    fail(Diagnostic(DiagKind::BadFString, range(pos - 1, pos),
                    "a field of this f-string is not closed before the string ends")
             .span(range(brackets.back().begin, brackets.back().begin + 1), "opened here")
             .withHint(std::string("close the field with `}`; strings inside it need the other quotes, `") +
                       (outer.mark == '"' ? '\'' : '"') + "`"));
  }
  if (quote.format)
    formatString(quote);
  else
    plainString(quote);
}

bool Lexer::atQuote(const Quote &quote) const {
  if (peek() != quote.mark) return false;
  return !quote.triple || (peek(1) == quote.mark && peek(2) == quote.mark);
}

void Lexer::unterminated(const Quote &quote) {
  size_t open = quote.begin;
  while (at(open) != quote.mark) ++open;
  open += quote.triple ? 3 : 1;
  Diagnostic error(DiagKind::UnterminatedString, range(quote.begin, open), "this string is never closed",
                   "opened here");
  if (!quote.triple)
    error.hint = std::string("close it with `") + quote.mark +
                 "` on the same line; a string of several lines stands in `" + std::string(3, quote.mark) +
                 "`";
  else
    error.hint = "close it with `" + std::string(3, quote.mark) + "`";
  fail(std::move(error));
}

void Lexer::plainString(const Quote &quote) {
  std::string value;
  while (!atQuote(quote)) {
    if (atEnd() || (!quote.triple && atNewline())) unterminated(quote);
    if (peek() == '\\') {
      escape(quote, value);
    } else if (atNewline()) {
      skipNewline();
      value += '\n';
    } else {
      if (quote.bytes && static_cast<unsigned char>(peek()) >= 0x80)
        fail(Diagnostic(DiagKind::BadLiteral, range(pos, pos + 1),
                        "a bytes literal holds ASCII characters only")
                 .withHint("write the byte as `\\xNN`"));
      value += text[pos++];
    }
  }
  pos += quote.triple ? 3 : 1;
  addText(TokenKind::String, quote.begin, pos, std::move(value), quote.bytes);
}

/// Resolves the escape at `pos`. In a raw string the backslash stays, and still keeps a quote from ending the
/// string.
void Lexer::escape(const Quote &quote, std::string &value) {
  size_t begin = pos++;
  if (atEnd()) unterminated(quote);
  if (quote.raw) {
    value += '\\';
    if (atNewline()) {
      if (!quote.triple) unterminated(quote);
      skipNewline();
      value += '\n';
    } else if (static_cast<unsigned char>(peek()) < 0x80 &&
               !(quote.format && (peek() == '{' || peek() == '}'))) {
      value += text[pos++];
    }
    return;
  }
  if (atNewline()) {
    skipNewline();
    return;
  }
  auto hex = [&](size_t count) {
    uint32_t code = 0;
    for (size_t i = 0; i < count; ++i, ++pos) {
      char c = peek();
      int digit = c >= '0' && c <= '9'                     ? c - '0'
                  : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                           : -1;
      if (digit < 0)
        fail(Diagnostic(DiagKind::BadLiteral, range(begin, pos),
                        "this escape needs " + std::to_string(count) + " hexadecimal digits"));
      code = code << 4 | static_cast<uint32_t>(digit);
    }
    return code;
  };
  auto put = [&](uint32_t code) {
    if (quote.bytes)
      value += static_cast<char>(code);
    else
      appendUtf8(value, code);
  };
  char c = text[pos++];
  switch (c) {
  case '\\':
  case '\'':
  case '"':
    value += c;
    return;
  case 'a':
    value += '\a';
    return;
  case 'b':
    value += '\b';
    return;
  case 'f':
    value += '\f';
    return;
  case 'n':
    value += '\n';
    return;
  case 'r':
    value += '\r';
    return;
  case 't':
    value += '\t';
    return;
  case 'v':
    value += '\v';
    return;
  case 'x':
    put(hex(2));
    return;
  case '0':
  case '1':
  case '2':
  case '3':
  case '4':
  case '5':
  case '6':
  case '7': {
    uint32_t code = static_cast<uint32_t>(c - '0');
    for (int i = 0; i < 2 && peek() >= '0' && peek() <= '7'; ++i)
      code = code * 8 + static_cast<uint32_t>(text[pos++] - '0');
    put(quote.bytes ? code & 0xFF : code);
    return;
  }
  case 'u':
  case 'U':
    if (!quote.bytes) {
      uint32_t code = hex(c == 'u' ? 4 : 8);
      if (code > 0x10FFFF)
        fail(Diagnostic(DiagKind::BadLiteral, range(begin, pos), "there is no character beyond U+10FFFF"));
      appendUtf8(value, code);
      return;
    }
    break;
  case 'N':
    if (!quote.bytes)
      fail(Diagnostic(DiagKind::BadLiteral, range(begin, pos), "jx does not know characters by their names")
               .withHint("write the character itself, or `\\uXXXX`"));
    break;
  default:
    break;
  }
  // An unknown escape stands for itself.
  value += '\\';
  --pos;
}

//===- f-strings ---------------------------------------------------------------------------------------===//

void Lexer::formatString(const Quote &quote) {
  if (openFStrings.size() >= maxFStringNesting)
    fail(Diagnostic(DiagKind::TooDeeplyNested, range(quote.begin, pos), "f-strings are nested too deeply"));
  add(TokenKind::FStringStart, quote.begin, pos);
  openFStrings.push_back(quote);
  for (;;) {
    formatText(quote, false);
    if (atQuote(quote)) break;
    field(quote, 0);
  }
  size_t begin = pos;
  pos += quote.triple ? 3 : 1;
  add(TokenKind::FStringEnd, begin, pos);
  openFStrings.pop_back();
}

/// Literal text up to the next field, the end of the string, or (in a format spec) the end of the field.
void Lexer::formatText(const Quote &quote, bool inSpec) {
  std::string value;
  size_t begin = pos;
  for (;;) {
    if (atEnd() || (!quote.triple && atNewline())) unterminated(quote);
    char c = peek();
    if (atQuote(quote)) break;
    if (c == '{' && peek(1) == '{' && !inSpec) {
      value += '{';
      pos += 2;
    } else if (c == '}' && inSpec) {
      break;
    } else if (c == '}' && peek(1) == '}') {
      value += '}';
      pos += 2;
    } else if (c == '{') {
      break;
    } else if (c == '}') {
      fail(Diagnostic(DiagKind::BadFString, range(pos, pos + 1), "`}` closes no field of this f-string")
               .withHint("a brace as text is written twice: `}}`"));
    } else if (c == '\\') {
      escape(quote, value);
    } else if (atNewline()) {
      skipNewline();
      value += '\n';
    } else {
      value += text[pos++];
    }
  }
  if (!value.empty()) addText(TokenKind::FStringMiddle, begin, pos, std::move(value), false);
}

/// `{expression = !r : spec}` at `pos`.
void Lexer::field(const Quote &quote, size_t specDepth) {
  size_t begin = pos;
  if (specDepth > 2)
    fail(
        Diagnostic(DiagKind::TooDeeplyNested, range(begin, begin + 1), "format specs are nested too deeply"));
  add(TokenKind::FieldOpen, begin, begin + 1);
  openBracket('f', begin);
  ++pos;
  size_t depth = brackets.size();
  for (;;) {
    while (peek() == ' ' || peek() == '\t' || (quote.triple && atNewline())) ++pos;
    bool outermost = brackets.size() == depth;
    char c = peek();
    if (atEnd() || (!quote.triple && atNewline()))
      fail(Diagnostic(DiagKind::BadFString, range(begin, begin + 1),
                      "this field of the f-string is never closed", "opened here")
               .withHint("a brace as text is written twice: `{{`"));
    if (c == '#' || c == '\\')
      fail(Diagnostic(DiagKind::BadFString, range(pos, pos + 1),
                      std::string("`") + c + "` cannot stand inside a field of an f-string")
               .withHint("give the expression a name before the string"));
    if (c == quote.mark && quote.triple && atQuote(quote))
      fail(Diagnostic(DiagKind::BadFString, range(begin, begin + 1),
                      "this field of the f-string is not closed before the string ends", "opened here"));
    if (outermost && (c == '}' || c == ':' || (c == '!' && peek(1) != '=') || (c == '=' && peek(1) != '='))) {
      if (c != '=') break;
      add(TokenKind::FieldEqual, pos, pos + 1);
      ++pos;
      while (peek() == ' ' || peek() == '\t') ++pos;
      if (peek() != '}' && peek() != ':' && peek() != '!')
        fail(Diagnostic(DiagKind::BadFString, range(pos - 1, pos),
                        "`=` in a field shows the expression and ends it")
                 .withHint("put a comparison in `==`, an assignment before the string"));
      break;
    }
    if (!ordinaryToken()) unterminated(quote);
  }
  if (peek() == '!') conversion(quote);
  if (peek() == ':') {
    add(TokenKind::FieldColon, pos, pos + 1);
    ++pos;
    for (;;) {
      formatText(quote, true);
      if (peek() != '{') break;
      field(quote, specDepth + 1);
    }
  }
  if (peek() != '}')
    fail(Diagnostic(DiagKind::BadFString, range(begin, begin + 1),
                    "this field of the f-string is not closed before the string ends", "opened here"));
  brackets.pop_back();
  add(TokenKind::FieldClose, pos, pos + 1);
  ++pos;
}

void Lexer::conversion(const Quote &quote) {
  size_t begin = pos++;
  add(TokenKind::FieldConversion, begin, pos);
  size_t end = nameEnd(pos);
  std::string_view word = text.substr(pos, end - pos);
  if (word != "r" && word != "s" && word != "a")
    fail(Diagnostic(DiagKind::BadFString, range(begin, std::max(end, begin + 1)),
                    "a conversion in an f-string is `!r`, `!s` or `!a`"));
  add(TokenKind::Name, pos, end);
  pos = end;
  while (peek() == ' ') ++pos;
  if (peek() != ':' && peek() != '}')
    fail(Diagnostic(DiagKind::BadFString, range(pos, pos + 1), "`:` or `}` must follow the conversion"));
}

} // namespace jx
