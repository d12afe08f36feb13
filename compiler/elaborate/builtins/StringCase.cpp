// Case and kinds of characters of str: upper, title, isalpha and their kin, over code points. What a
// character is, the C library's tables say, which are those of Unicode.
#include "compiler/elaborate/Evaluator.h"
#include "compiler/elaborate/Registry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include <clocale>
#include <cwctype>
#include <locale.h>

namespace jx::elab {

namespace {

using Text = std::u32string;
constexpr char32_t sharpS = 0xDF; // the one letter of the European scripts whose upper case has two letters

locale_t unicode() {
  static locale_t tables = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return tables;
}

Text decode(llvm::StringRef text) {
  Text points;
  const auto *at = reinterpret_cast<const llvm::UTF8 *>(text.begin());
  const auto *end = reinterpret_cast<const llvm::UTF8 *>(text.end());
  while (at < end) {
    llvm::UTF32 point;
    if (llvm::convertUTF8Sequence(&at, end, &point, llvm::lenientConversion) != llvm::conversionOK)
      point = *at++;
    points += static_cast<char32_t>(point);
  }
  return points;
}

std::string encode(const Text &points) {
  std::string text;
  for (char32_t point : points) {
    char bytes[UNI_MAX_UTF8_BYTES_PER_CODE_POINT], *end = bytes;
    llvm::ConvertCodePointToUTF8(point, end);
    text.append(bytes, end);
  }
  return text;
}

char32_t lower(char32_t c) { return unicode() ? towlower_l(c, unicode()) : llvm::toLower(char(c)); }
char32_t upper(char32_t c) { return unicode() ? towupper_l(c, unicode()) : llvm::toUpper(char(c)); }
bool isLetter(char32_t c) { return iswalpha_l(c, unicode()) && !iswdigit_l(c, unicode()); }
bool isLower(char32_t c) { return iswlower_l(c, unicode()); }
bool isUpper(char32_t c) { return iswupper_l(c, unicode()); }
bool isDigit(char32_t c) { return c < 128 && llvm::isDigit(char(c)); }
bool isCased(char32_t c) { return isLower(c) || isUpper(c); }

Text mapped(const Text &text, char32_t (*map)(char32_t)) {
  Text out;
  for (char32_t c : text) out += map(c);
  return out;
}

Text toUpper(const Text &text) {
  Text out;
  for (char32_t c : text) c == sharpS ? out += U"SS" : out += upper(c);
  return out;
}

Text toLower(const Text &text) { return mapped(text, lower); }

Text folded(const Text &text) {
  Text out;
  for (char32_t c : text) c == sharpS ? out += U"ss" : out += lower(c);
  return out;
}

Text title(const Text &text) {
  Text out;
  bool start = true;
  for (char32_t c : text) {
    out += start ? upper(c) : lower(c);
    start = !isCased(c);
  }
  return out;
}

Text capitalized(const Text &text) {
  Text out = toLower(text);
  if (!out.empty()) out[0] = upper(out[0]);
  return out;
}

Text swapped(const Text &text) {
  return mapped(text, [](char32_t c) { return isUpper(c) ? lower(c) : upper(c); });
}

bool isIdentifier(const Text &text) {
  return !text.empty() && !isDigit(text[0]) &&
         llvm::all_of(text, [](char32_t c) { return isLetter(c) || isDigit(c) || c == '_'; });
}

bool isTitle(const Text &text) { return llvm::any_of(text, isCased) && title(text) == text; }

// Whether the letters with case, of which there is one at least, have one case.
bool hasCase(const Text &text, bool (*other)(char32_t)) {
  return llvm::any_of(text, isCased) && llvm::none_of(text, other);
}

template <bool (*Holds)(char32_t)> bool all(const Text &text) {
  return !text.empty() && llvm::all_of(text, Holds);
}

bool isSpace(char32_t c) { return c == 0xA0 || (c >= 0x1C && c <= 0x1F) || iswspace_l(c, unicode()); }
bool isAlphaNumeric(char32_t c) { return isLetter(c) || isDigit(c); }
bool isPrintable(char32_t c) { return c == ' ' || (iswprint_l(c, unicode()) && !isSpace(c)); }

} // namespace

void registerStringCase(Registry &r) {
  auto method = [&](const char *name, std::function<Value(Evaluator &, const Text &)> fn) {
    r.method(Kind::Str, name, {0, 0}, [fn = std::move(fn)](Evaluator &ev, CallArgs &args) {
      return fn(ev, decode(args.positional[0].asStr()));
    });
  };
  using Map = Text (*)(const Text &);
  for (auto [name, map] : {std::pair<const char *, Map>("upper", toUpper),
                           {"lower", toLower},
                           {"casefold", folded},
                           {"title", title},
                           {"capitalize", capitalized},
                           {"swapcase", swapped}})
    method(name, [map = map](Evaluator &ev, const Text &text) { return ev.arena.str(encode(map(text))); });
  using Test = bool (*)(const Text &);
  for (auto [name, test] :
       {std::pair<const char *, Test>("isdigit", all<isDigit>),
        {"isdecimal", all<isDigit>},
        {"isnumeric", all<isDigit>},
        {"isalpha", all<isLetter>},
        {"isspace", all<isSpace>},
        {"isalnum", all<isAlphaNumeric>},
        {"istitle", isTitle},
        {"isidentifier", isIdentifier},
        {"isupper", [](const Text &text) { return hasCase(text, isLower); }},
        {"islower", [](const Text &text) { return hasCase(text, isUpper); }},
        {"isprintable", [](const Text &text) { return llvm::all_of(text, isPrintable); }},
        {"isascii", [](const Text &text) { return llvm::all_of(text, [](char32_t c) { return c < 128; }); }}})
    method(name, [test = test](Evaluator &, const Text &text) { return Value::boolean(test(text)); });
}

} // namespace jx::elab
