// Tokens as the token source makes them. Kinds come from TokenKinds.def and have the grammar's numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace jx {

enum class TokenKind : uint8_t {
  None,
#define JX_TOKEN(ID, GRAMMAR, SPELLING) ID,
#include "compiler/syntax/TokenKinds.def"
  Count,
};

/// How a message names the kind: `+` in backticks, or "a name".
std::string describe(TokenKind kind);
bool isKeyword(TokenKind kind);
/// The keyword that the word is, or None.
TokenKind keywordKind(std::string_view word);

/// A token and its bytes. `literal` indexes TokenList::strings (String, FStringMiddle) or numbers (Number).
struct Token {
  TokenKind kind = TokenKind::None;
  bool isBytes = false;
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t literal = 0;
};

enum class NumberKind : uint8_t { Int, Float, Imaginary };
struct NumberLiteral {
  NumberKind kind = NumberKind::Int;
  std::string digits; ///< Decimal digits of an int.
  double value = 0;   ///< Of a float, or the imaginary part.
};

/// The tokens of a file; the last one is a Newline or Dedent, the end of file is not among them.
struct TokenList {
  std::vector<Token> tokens;
  std::vector<std::string> strings;
  std::vector<NumberLiteral> numbers;
};

} // namespace jx
