// Names and keywords of token kinds.
#include "compiler/syntax/Token.h"

#include <unordered_map>

namespace jx {

std::string describe(TokenKind kind) {
  switch (kind) {
#define JX_TOKEN(ID, GRAMMAR, SPELLING)                                                                      \
  case TokenKind::ID:                                                                                        \
    return SPELLING;
#define JX_KEYWORD(ID, GRAMMAR, SPELLING)                                                                    \
  case TokenKind::ID:                                                                                        \
    return "`" SPELLING "`";
#define JX_OPERATOR(ID, GRAMMAR, SPELLING)                                                                   \
  case TokenKind::ID:                                                                                        \
    return "`" SPELLING "`";
#include "compiler/syntax/TokenKinds.def"
  default:
    return "the end of the file";
  }
}

bool isKeyword(TokenKind kind) { return kind >= TokenKind::FalseKeyword && kind <= TokenKind::YieldKeyword; }

TokenKind keywordKind(std::string_view word) {
  static const std::unordered_map<std::string_view, TokenKind> keywords = {
#define JX_KEYWORD(ID, GRAMMAR, SPELLING) {SPELLING, TokenKind::ID},
#include "compiler/syntax/TokenKinds.def"
  };
  auto found = keywords.find(word);
  return found == keywords.end() ? TokenKind::None : found->second;
}

} // namespace jx
