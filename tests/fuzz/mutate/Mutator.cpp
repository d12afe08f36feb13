// The mutations: on pieces (words, runs of blanks, single signs), from a list of pieces that parsers dislike.
#include "Mutator.h"

#include <iterator>

namespace jx::fuzz {

static const std::string troublesome[] = {"(",
                                          ")",
                                          "[",
                                          "]",
                                          "{",
                                          "}",
                                          ":",
                                          ",",
                                          "=",
                                          "==",
                                          ":=",
                                          "*",
                                          "**",
                                          "not",
                                          "in",
                                          "is",
                                          "if",
                                          "else",
                                          "for",
                                          "lambda",
                                          "def",
                                          "return",
                                          "yield",
                                          "\n",
                                          "    ",
                                          "\t",
                                          "\"",
                                          "'",
                                          "\"\"\"",
                                          "f\"",
                                          "{x",
                                          "\\",
                                          "#",
                                          "@",
                                          "->",
                                          ".",
                                          "...",
                                          "1",
                                          "0x",
                                          "1e",
                                          "x",
                                          "None",
                                          "and",
                                          "del",
                                          "with",
                                          "as",
                                          "import",
                                          "from",
                                          "try",
                                          "except",
                                          "finally",
                                          "class",
                                          "global",
                                          "nonlocal",
                                          "break",
                                          "pass",
                                          ";",
                                          "!",
                                          "?",
                                          "/",
                                          "-",
                                          "\xCE\xBB",
                                          "\xE2\x80\x9C",
                                          std::string(1, '\0'),
                                          "1_",
                                          "\xFF",
                                          "async",
                                          "match x:",
                                          "b\"\xC3\xA9\"",
                                          "\r",
                                          "\f",
                                          "-1",
                                          "0",
                                          "99999999999999999999",
                                          "1.5",
                                          "True",
                                          "x[0]",
                                          "()",
                                          "range(3)",
                                          "self"};

/// Words and numbers stay whole, blanks too; every other byte is a piece.
static std::vector<std::string> cut(const std::string &text) {
  std::vector<std::string> pieces;
  auto classOf = [](unsigned char c) {
    return c == ' ' || c == '\n'                                                                    ? 1
           : (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ? 2
                                                                                                    : 3;
  };
  for (char c : text) {
    int kind = classOf(static_cast<unsigned char>(c));
    if (!pieces.empty() && kind != 3 && classOf(static_cast<unsigned char>(pieces.back().back())) == kind)
      pieces.back() += c;
    else
      pieces.emplace_back(1, c);
  }
  return pieces;
}

std::string Mutator::excerpt(const std::string &program) {
  std::vector<size_t> starts{0};
  for (size_t i = 0; i + 1 < program.size(); ++i)
    if (program[i] == '\n') starts.push_back(i + 1);
  size_t first = below(starts.size());
  size_t last = first + 1 + below(25);
  size_t end = last < starts.size() ? starts[last] : program.size();
  return program.substr(starts[first], end - starts[first]);
}

void Mutator::mutate(std::vector<std::string> &pieces) {
  if (pieces.empty()) return;
  size_t at = below(pieces.size());
  const std::string &odd = troublesome[below(std::size(troublesome))];
  auto place = pieces.begin() + static_cast<long>(at);
  switch (below(6)) {
  case 0:
    pieces.erase(place);
    break;
  case 1:
    pieces.insert(place, odd);
    break;
  case 2:
    pieces[at] = odd;
    break;
  case 3:
    std::swap(pieces[at], pieces[below(pieces.size())]);
    break;
  case 4:
    pieces.insert(place, std::string(pieces[below(pieces.size())]));
    break;
  default:
    // Cutting the end off leaves brackets, strings and blocks open.
    if (below(4) == 0)
      pieces.resize(at);
    else
      pieces.insert(place, below(300), odd);
  }
}

std::string Mutator::next(bool whole) {
  const std::string &program = programs[below(programs.size())];
  std::vector<std::string> pieces = cut(whole ? program : excerpt(program));
  for (size_t count = 1 + below(3); count > 0; --count) mutate(pieces);
  std::string text;
  for (const std::string &piece : pieces) text += piece;
  return text;
}

} // namespace jx::fuzz
