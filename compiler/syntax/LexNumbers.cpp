// Number literals: underscores, radix prefixes, exponents, imaginary parts. Ints are unbounded and become
// decimal digits; floats are read by the C++ library, correctly rounded.
#include "compiler/syntax/Lexer.h"

#include <charconv>
#include <cmath>

namespace jx {

static int digitValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return 99;
}

/// Decimal digits of a number given by its digits in a radix that is a power of two. Quadratic, which the
/// limit on the length of ints keeps harmless.
static std::string toDecimal(std::string_view digits, int radix) {
  std::vector<uint32_t> limbs{0}; // base 10^9, least significant first
  for (char c : digits) {
    uint64_t carry = static_cast<uint64_t>(digitValue(c));
    for (uint32_t &limb : limbs) {
      uint64_t value = static_cast<uint64_t>(limb) * static_cast<uint64_t>(radix) + carry;
      limb = static_cast<uint32_t>(value % 1000000000);
      carry = value / 1000000000;
    }
    if (carry) limbs.push_back(static_cast<uint32_t>(carry));
  }
  std::string result = std::to_string(limbs.back());
  for (size_t i = limbs.size() - 1; i-- > 0;) {
    std::string part = std::to_string(limbs[i]);
    result += std::string(9 - part.size(), '0') + part;
  }
  return result;
}

/// CPython converts at most this many digits of an int.
static constexpr size_t maxDigits = 4300;

static std::string withoutUnderscores(std::string_view text) {
  std::string result;
  for (char c : text)
    if (c != '_') result += c;
  return result;
}

/// Reads digits with single underscores between them and returns their end. At least one digit must stand
/// there.
size_t Lexer::digitRun(size_t begin, int radix) {
  size_t end = begin;
  bool digit = false;
  for (;; ++end) {
    char c = at(end);
    if (c == '_' && digit) {
      digit = false;
      continue;
    }
    if (digitValue(c) >= radix) break;
    digit = true;
  }
  if (!digit)
    fail(Diagnostic(DiagKind::BadLiteral, range(pos, end + (at(end) && !atNewline())),
                    end > begin ? "an underscore in a number must stand between digits"
                                : "digits are missing in this number"));
  return end;
}

void Lexer::number() {
  size_t begin = pos;
  char marker = static_cast<char>(peek(1) | 0x20);
  if (peek() == '0' && (marker == 'x' || marker == 'o' || marker == 'b')) {
    radixNumber(begin, marker == 'x' ? 16 : marker == 'o' ? 8 : 2);
    return;
  }
  NumberLiteral literal;
  if (peek() != '.') pos = digitRun(begin, 10);
  size_t intEnd = pos;
  if (peek() == '.') {
    literal.kind = NumberKind::Float;
    ++pos;
    if (peek() >= '0' && peek() <= '9') pos = digitRun(pos, 10);
  }
  if ((peek() | 0x20) == 'e') {
    size_t exponent = pos + 1;
    if (at(exponent) == '+' || at(exponent) == '-') ++exponent;
    // `1else` is a number and a keyword.
    if (at(exponent) >= '0' && at(exponent) <= '9') {
      literal.kind = NumberKind::Float;
      pos = digitRun(exponent, 10);
    }
  }
  std::string digits = withoutUnderscores(text.substr(begin, pos - begin));
  bool imaginary = (peek() | 0x20) == 'j';
  if (literal.kind == NumberKind::Int && !imaginary) {
    size_t zeros = digits.find_first_not_of('0');
    if (zeros == std::string::npos)
      digits = "0";
    else if (zeros > 0)
      fail(Diagnostic(DiagKind::BadLiteral, range(begin, intEnd), "an int does not begin with zeros")
               .withHint("write `" + digits.substr(zeros) + "`, or `0o...` for an octal number"));
    if (digits.size() > maxDigits)
      fail(Diagnostic(DiagKind::BadLiteral, range(begin, intEnd), "the int has more than 4300 digits"));
    literal.digits = std::move(digits);
  } else {
    if (digits[0] == '.') digits.insert(0, "0");
    auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), literal.value);
    if (status == std::errc::result_out_of_range) {
      // Too large or too small for a double: strtod tells which, as infinity or zero.
      literal.value = std::strtod(digits.c_str(), nullptr);
    }
  }
  if (imaginary) {
    literal.kind = NumberKind::Imaginary;
    ++pos;
  }
  numberEnd(begin);
  add(TokenKind::Number, begin, pos).literal = static_cast<uint32_t>(out.numbers.size());
  out.numbers.push_back(std::move(literal));
}

void Lexer::radixNumber(size_t begin, int radix) {
  size_t first = begin + 2 + (at(begin + 2) == '_');
  pos = digitRun(first, radix);
  if (peek() >= '0' && peek() <= '9')
    fail(Diagnostic(DiagKind::BadLiteral, range(pos, pos + 1),
                    std::string("`") + peek() + "` is no digit of base " + std::to_string(radix)));
  numberEnd(begin);
  std::string digits = withoutUnderscores(text.substr(first, pos - first));
  if (digits.size() > maxDigits * 4)
    fail(Diagnostic(DiagKind::BadLiteral, range(begin, pos), "the int has too many digits"));
  add(TokenKind::Number, begin, pos).literal = static_cast<uint32_t>(out.numbers.size());
  NumberLiteral literal;
  literal.digits = toDecimal(digits, radix);
  out.numbers.push_back(std::move(literal));
}

/// A number may be followed at once by a keyword that continues an expression (`1if x else 2`), by no other
/// letter.
void Lexer::numberEnd(size_t begin) {
  if (!isNameStart(pos) && !(peek() >= '0' && peek() <= '9')) return;
  size_t end = nameEnd(pos);
  switch (keywordKind(text.substr(pos, end - pos))) {
  case TokenKind::AndKeyword:
  case TokenKind::ElseKeyword:
  case TokenKind::ForKeyword:
  case TokenKind::IfKeyword:
  case TokenKind::InKeyword:
  case TokenKind::IsKeyword:
  case TokenKind::NotKeyword:
  case TokenKind::OrKeyword:
    return;
  default:
    break;
  }
  fail(Diagnostic(DiagKind::BadLiteral, range(begin, end),
                  "`" + std::string(text.substr(begin, end - begin)) + "` is neither a number nor a name")
           .withHint("a name cannot begin with a digit; a product is written with `*`"));
}

} // namespace jx
