// str.format and str.format_map: replacement fields of a static string, over values of any kind.
#include "compiler/elaborate/Evaluator.h"
#include "compiler/elaborate/Output.h"
#include "compiler/elaborate/Registry.h"

namespace jx::elab {

namespace {

class Formatter {
public:
  Formatter(Evaluator &ev, llvm::ArrayRef<Value> positional,
            llvm::ArrayRef<std::pair<llvm::StringRef, Value>> keywords)
      : ev(ev), positional(positional), keywords(keywords) {}

  Value run(llvm::StringRef text, unsigned depth = 0) {
    if (depth > 2) return ev.valueError("Max string recursion exceeded");
    std::vector<Value> parts;
    std::string literal;
    for (size_t i = 0; i < text.size(); ++i) {
      char c = text[i];
      if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
        literal += c;
        ++i;
        continue;
      }
      if (c == '}') return ev.valueError("Single '}' encountered in format string");
      if (c != '{') {
        literal += c;
        continue;
      }
      size_t end = i + 1;
      for (int open = 1; end < text.size(); ++end) {
        if (text[end] == '{') ++open;
        if (text[end] == '}' && --open == 0) break;
      }
      if (end >= text.size()) return ev.valueError("Single '{' encountered in format string");
      parts.push_back(ev.arena.str(literal));
      literal.clear();
      Value shown = field(text.slice(i + 1, end), depth);
      if (!shown) return Failed();
      parts.push_back(shown);
      i = end;
    }
    parts.push_back(ev.arena.str(literal));
    return ev.concatText(parts);
  }

private:
  Value field(llvm::StringRef field, unsigned depth) {
    auto [head, spec] = field.split(':');
    auto [path, conversion] = head.split('!');
    size_t nameEnd = std::min(path.find_first_of(".["), path.size());
    Value v = argument(path.take_front(nameEnd));
    if (!v) return Failed();
    llvm::StringRef rest = path.drop_front(nameEnd);
    while (!rest.empty()) {
      if (rest.consume_front(".")) {
        llvm::StringRef name = rest.take_front(std::min(rest.find_first_of(".["), rest.size()));
        v = ev.getAttr(v, name);
        rest = rest.drop_front(name.size());
      } else {
        size_t close = rest.find(']');
        if (close == llvm::StringRef::npos) return ev.valueError("Missing ']' in format string");
        llvm::StringRef key = rest.slice(1, close);
        int64_t number;
        v = ev.getItem(v, key.getAsInteger(10, number) ? ev.arena.str(key) : Value::integer(number));
        rest = rest.drop_front(close + 1);
      }
      if (!v) return Failed();
    }
    if (!conversion.empty()) {
      if (conversion != "r" && conversion != "s" && conversion != "a")
        return ev.valueError("Unknown conversion specifier '" + conversion.str() + "'");
      v = converted(ev, v, static_cast<Conversion>(conversion[0]));
      if (!v) return Failed();
    }
    Value rendered = run(spec, depth + 1);
    return rendered ? ev.format(v, rendered) : Failed();
  }

  Value argument(llvm::StringRef name) {
    size_t index;
    if (name.empty() || !name.getAsInteger(10, index)) {
      if (name.empty()) index = next++;
      if (index >= positional.size())
        return ev.raise("IndexError", "Replacement index " + std::to_string(index) +
                                          " out of range for positional args tuple");
      return positional[index];
    }
    for (auto &[keyword, value] : keywords)
      if (keyword == name) return value;
    return ev.raise("KeyError", name.str());
  }

  Evaluator &ev;
  llvm::ArrayRef<Value> positional;
  llvm::ArrayRef<std::pair<llvm::StringRef, Value>> keywords;
  size_t next = 0;
};

Value strFormat(Evaluator &ev, CallArgs &args) {
  Value self = args.positional.front();
  return Formatter(ev, llvm::ArrayRef<Value>(args.positional).drop_front(), args.keywords).run(self.asStr());
}

Value formatMap(Evaluator &ev, CallArgs &args) {
  if (args.positional.size() != 2 || !args.positional[1].is(Kind::Dict))
    return ev.typeError("format_map() takes one dict");
  std::vector<std::pair<llvm::StringRef, Value>> keywords;
  const Contents &table = args.positional[1].asObject()->contents();
  for (auto [key, value] : llvm::zip(table.keys, table.values))
    if (key.is(Kind::Str)) keywords.emplace_back(key.asStr(), value);
  return Formatter(ev, {}, keywords).run(args.positional[0].asStr());
}

} // namespace

void registerStringFormat(Registry &r) {
  r.method(Kind::Str, "format", strFormat);
  r.method(Kind::Str, "format_map", formatMap);
}

} // namespace jx::elab
