// str and bytes: constructors, methods of static strings, repr, format, ord, chr and print.
//
// Methods compute on text that is known when the program is compiled. On a string with run-time parts the
// methods that only frame it (join, format, ljust, ...) work; others ask for a static string.
#include "compiler/elaborate/Containers.h"
#include "compiler/elaborate/Registry.h"
#include "llvm/ADT/StringExtras.h"

namespace jx::elab {

namespace {

using StringMethod = std::function<Value(Evaluator &, llvm::StringRef, llvm::ArrayRef<Value>)>;

std::vector<std::string> characters(llvm::StringRef text) {
  std::vector<std::string> out;
  for (size_t i = 0; i < text.size();) {
    size_t bytes = 1;
    while (i + bytes < text.size() && (text[i + bytes] & 0xC0) == 0x80) ++bytes;
    out.push_back(text.substr(i, bytes).str());
    i += bytes;
  }
  return out;
}

// The static text of an argument, which must be a str.
std::optional<std::string> textOf(Evaluator &ev, Value v, llvm::StringRef method) {
  if (v.is(Kind::Text)) v = ev.demandText(v, "the string of `" + method.str() + "`");
  if (!v) return std::nullopt;
  if (v.is(Kind::Str)) return v.asStr().str();
  return ev.typeError(method.str() + "() argument must be str, not " + ev.typeName(v)), std::nullopt;
}

// Registers a method of static strings; its parameters are positional or by name, the first `required` must
// be given.
void method(Registry &r, const char *name, std::vector<const char *> params, unsigned required,
            StringMethod fn) {
  r.method(Kind::Str, name,
           [name = std::string(name), params, required, fn](Evaluator &ev, CallArgs &args) -> Value {
             Value self = args.positional.front();
             args.positional.erase(args.positional.begin());
             llvm::SmallVector<llvm::StringRef> names(params.begin(), params.end());
             std::vector<Value> given(params.size());
             if (args.positional.size() < required && args.keywords.empty())
               return ev.fail(DiagKind::BadCall, name + " expected at least " + std::to_string(required) +
                                                     " argument" + (required == 1 ? "" : "s") + ", got " +
                                                     std::to_string(args.positional.size()));
             JX_CHECK(ev.bindNative(args, "str." + name, names, required, given));
             return fn(ev, self.asStr(), given);
           });
}

// --- Searching
// ---------------------------------------------------------------------------------------------------

// The part of the string between two optional static positions, and where it starts, in bytes.
std::optional<std::pair<llvm::StringRef, size_t>> window(Evaluator &ev, llvm::StringRef s, Value start,
                                                         Value end) {
  std::vector<std::string> all = characters(s);
  int64_t size = int64_t(all.size());
  auto bound = [&](Value v, int64_t fallback) -> std::optional<int64_t> {
    if (!v || v.isNone()) return fallback;
    JX_TRY(i, ev.toStaticInt(v, "a position in a string"));
    return std::clamp<int64_t>(*i < 0 ? *i + size : *i, 0, size);
  };
  JX_TRY(from, bound(start, 0));
  JX_TRY(to, bound(end, size));
  size_t first = 0, bytes = 0;
  for (int64_t i = 0; i < size; ++i) {
    if (i < *from)
      first += all[i].size();
    else if (i < *to)
      bytes += all[i].size();
  }
  return std::pair(s.substr(first, bytes), first);
}

void registerSearch(Registry &r) {
  for (auto [name, last, must] : {std::tuple("find", false, false), std::tuple("rfind", true, false),
                                  std::tuple("index", false, true), std::tuple("rindex", true, true)})
    method(r, name, {"sub", "start", "end"}, 1,
           [last = last, must = must](Evaluator &ev, llvm::StringRef s, llvm::ArrayRef<Value> v) -> Value {
             JX_TRY(sub, textOf(ev, v[0], "find"));
             JX_TRY(part, window(ev, s, v[1], v[2]));
             size_t at = last ? part->first.rfind(*sub) : part->first.find(*sub);
             if (at == llvm::StringRef::npos)
               return must ? Value(ev.valueError("substring not found")) : Value::integer(-1);
             return Value::integer(int64_t(characters(s.take_front(part->second + at)).size()));
           });
  method(r, "count", {"sub", "start", "end"}, 1,
         [](Evaluator &ev, llvm::StringRef s, llvm::ArrayRef<Value> v) -> Value {
           JX_TRY(sub, textOf(ev, v[0], "count"));
           JX_TRY(part, window(ev, s, v[1], v[2]));
           if (sub->empty()) return Value::integer(int64_t(characters(part->first).size()) + 1);
           return Value::integer(int64_t(part->first.count(*sub)));
         });
  for (auto [name, end] : {std::pair("startswith", false), std::pair("endswith", true)})
    method(r, name, {"prefix", "start", "end"}, 1,
           [end = end, name = std::string(name)](Evaluator &ev, llvm::StringRef s,
                                                 llvm::ArrayRef<Value> v) -> Value {
             JX_TRY(part, window(ev, s, v[1], v[2]));
             std::vector<Value> options{v[0]};
             if (v[0].is(Kind::Tuple)) options = v[0].asTuple().items;
             for (Value option : options) {
               JX_TRY(text, textOf(ev, option, name));
               if (end ? part->first.ends_with(*text) : part->first.starts_with(*text))
                 return Value::boolean(true);
             }
             return Value::boolean(false);
           });
  method(r, "removeprefix", {"prefix"}, 1,
         [](Evaluator &ev, llvm::StringRef s, llvm::ArrayRef<Value> v) -> Value {
           JX_TRY(text, textOf(ev, v[0], "removeprefix"));
           s.consume_front(*text);
           return ev.arena.str(s);
         });
  method(r, "removesuffix", {"suffix"}, 1,
         [](Evaluator &ev, llvm::StringRef s, llvm::ArrayRef<Value> v) -> Value {
           JX_TRY(text, textOf(ev, v[0], "removesuffix"));
           s.consume_back(*text);
           return ev.arena.str(s);
         });
  method(r, "replace", {"old", "new", "count"}, 2,
         [](Evaluator &ev, llvm::StringRef s, llvm::ArrayRef<Value> v) -> Value {
           JX_TRY(from, textOf(ev, v[0], "replace"));
           JX_TRY(to, textOf(ev, v[1], "replace"));
           int64_t left = INT64_MAX;
           if (v[2]) {
             JX_TRY(n, ev.toStaticInt(v[2], "the count of str.replace"));
             left = *n < 0 ? INT64_MAX : *n;
           }
           std::string out;
           if (from->empty()) {
             for (const std::string &c : characters(s)) {
               if (left-- > 0) out += *to;
               out += c;
             }
             return ev.arena.str(left > 0 ? out + *to : out);
           }
           while (left-- > 0) {
             size_t at = s.find(*from);
             if (at == llvm::StringRef::npos) break;
             out += s.take_front(at).str() + *to;
             s = s.drop_front(at + from->size());
           }
           return ev.arena.str(out + s.str());
         });
}

// --- Taking apart and joining
// ------------------------------------------------------------------------------------

Value listOf(Evaluator &ev, const std::vector<llvm::StringRef> &parts) {
  std::vector<Value> items;
  for (llvm::StringRef part : parts) items.push_back(ev.arena.str(part));
  return ev.heap.list(std::move(items));
}

Value split(Evaluator &ev, llvm::StringRef s, llvm::ArrayRef<Value> v, bool fromRight) {
  int64_t left = INT64_MAX;
  if (v[1]) {
    JX_TRY(n, ev.toStaticInt(v[1], "the maxsplit of str.split"));
    left = *n < 0 ? INT64_MAX : *n;
  }
  std::vector<llvm::StringRef> parts;
  if (!v[0] || v[0].isNone()) {
    s = s.trim();
    while (!s.empty() && left-- > 0) {
      size_t at = fromRight ? s.find_last_of(" \t\n\r\f\v") : s.find_first_of(" \t\n\r\f\v");
      if (at == llvm::StringRef::npos) break;
      parts.push_back(fromRight ? s.drop_front(at + 1) : s.take_front(at));
      s = fromRight ? s.take_front(at).rtrim() : s.drop_front(at).ltrim();
    }
    if (!s.empty()) parts.push_back(s);
  } else {
    JX_TRY(separator, textOf(ev, v[0], "split"));
    if (separator->empty()) return ev.valueError("empty separator");
    while (left-- > 0) {
      size_t at = fromRight ? s.rfind(*separator) : s.find(*separator);
      if (at == llvm::StringRef::npos) break;
      parts.push_back(fromRight ? s.drop_front(at + separator->size()) : s.take_front(at));
      s = fromRight ? s.take_front(at) : s.drop_front(at + separator->size());
    }
    parts.push_back(s);
  }
  if (fromRight) std::reverse(parts.begin(), parts.end());
  return listOf(ev, parts);
}

void registerParts(Registry &r) {
  method(r, "split", {"sep", "maxsplit"}, 0,
         [](Evaluator &ev, llvm::StringRef s, llvm::ArrayRef<Value> v) { return split(ev, s, v, false); });
  method(r, "rsplit", {"sep", "maxsplit"}, 0,
         [](Evaluator &ev, llvm::StringRef s, llvm::ArrayRef<Value> v) { return split(ev, s, v, true); });
  method(r, "splitlines", {"keepends"}, 0,
         [](Evaluator &ev, llvm::StringRef s, llvm::ArrayRef<Value> v) -> Value {
           bool keep = v[0] && v[0].is(Kind::Bool) && v[0].asBool();
           std::vector<llvm::StringRef> parts;
           while (!s.empty()) {
             size_t at = s.find('\n'), taken = at == llvm::StringRef::npos ? s.size() : at + 1;
             parts.push_back(keep ? s.take_front(taken) : s.take_front(taken).rtrim("\r\n"));
             s = s.drop_front(taken);
           }
           return listOf(ev, parts);
         });
  for (auto [name, last] : {std::pair("partition", false), std::pair("rpartition", true)})
    method(r, name, {"sep"}, 1,
           [last = last](Evaluator &ev, llvm::StringRef s, llvm::ArrayRef<Value> v) -> Value {
             JX_TRY(separator, textOf(ev, v[0], "partition"));
             if (separator->empty()) return ev.valueError("empty separator");
             size_t at = last ? s.rfind(*separator) : s.find(*separator);
             auto str = [&](llvm::StringRef t) { return ev.arena.str(t); };
             if (at == llvm::StringRef::npos)
               return ev.arena.tuple(last ? std::vector{str(""), str(""), str(s)}
                                          : std::vector{str(s), str(""), str("")});
             return ev.arena.tuple(
                 {str(s.take_front(at)), str(*separator), str(s.drop_front(at + separator->size()))});
           });
  for (auto [name, sides] : {std::pair("strip", 3), std::pair("lstrip", 1), std::pair("rstrip", 2)})
    method(r, name, {"chars"}, 0,
           [sides = sides](Evaluator &ev, llvm::StringRef s, llvm::ArrayRef<Value> v) -> Value {
             std::string set = " \t\n\r\f\v";
             if (v[0] && !v[0].isNone()) {
               JX_TRY(given, textOf(ev, v[0], "strip"));
               set = *given;
             }
             if (sides & 1) s = s.ltrim(set);
             if (sides & 2) s = s.rtrim(set);
             return ev.arena.str(s);
           });
  for (Kind kind : {Kind::Str, Kind::Text})
    r.method(kind, "join", [](Evaluator &ev, CallArgs &args) -> Value {
      Value v[2];
      JX_CHECK(ev.bindNative(args, "str.join", {"self", "iterable"}, 2, v));
      JX_TRY(items, elementsOf(ev, v[1], "can only join an iterable"));
      std::vector<Value> parts;
      for (auto [i, given] : llvm::enumerate(*items)) {
        Value item = plainValue(given);
        if (!item.isAny(Kind::Str, Kind::Text))
          return ev.typeError("sequence item " + std::to_string(i) + ": expected str instance, " +
                              ev.typeName(item) + " found");
        if (i) parts.push_back(v[0]);
        parts.push_back(item);
      }
      return ev.concatText(parts);
    });
  method(r, "expandtabs", {"tabsize"}, 0,
         [](Evaluator &ev, llvm::StringRef s, llvm::ArrayRef<Value> v) -> Value {
           int64_t width = 8;
           if (v[0]) {
             JX_TRY(n, ev.toStaticInt(v[0], "a tab size"));
             width = *n;
           }
           std::string out;
           int64_t column = 0;
           for (const std::string &c : characters(s)) {
             if (c == "\t") {
               int64_t pad = width > 0 ? width - column % width : 0;
               out.append(pad, ' ');
               column += pad;
             } else {
               out += c;
               column = c == "\n" ? 0 : column + 1;
             }
           }
           return ev.arena.str(out);
         });
  method(r, "encode", {"encoding", "errors"}, 0,
         [](Evaluator &ev, llvm::StringRef s, llvm::ArrayRef<Value> v) -> Value {
           std::string encoding = "utf-8";
           if (v[0]) {
             JX_TRY(given, textOf(ev, v[0], "encode"));
             encoding = llvm::StringRef(*given).lower();
           }
           bool isAscii = encoding == "ascii";
           if (!isAscii && encoding != "utf-8" && encoding != "utf8")
             return ev.raise("LookupError", "unknown encoding: " + encoding);
           if (isAscii && llvm::any_of(s, [](char c) { return c & 0x80; }))
             return ev.raise("UnicodeError", "'ascii' codec can't encode characters");
           return ev.arena.bytes(s);
         });
}

// --- Framing: also of strings with run-time parts
// ----------------------------------------------------------------

void registerFraming(Registry &r) {
  for (auto [name, align] : {std::pair("ljust", '<'), std::pair("rjust", '>'), std::pair("center", '^')})
    for (Kind kind : {Kind::Str, Kind::Text})
      r.method(kind, name, [align = align, name = std::string(name)](Evaluator &ev, CallArgs &args) -> Value {
        Value v[3];
        JX_CHECK(ev.bindNative(args, "str." + name, {"self", "width", "fillchar"}, 2, v));
        JX_TRY(width, ev.toStaticInt(v[1], "the width of str." + name));
        std::string fill = " ";
        if (v[2]) {
          JX_TRY(given, textOf(ev, v[2], name));
          fill = *given;
        }
        if (*width <= 0) return v[0];
        // str.center puts the odd space on the left where format() puts it on the right, for odd widths.
        if (align == '^' && *width % 2) {
          v[0] = ev.toStatic(v[0], "the string of `center`");
          if (!v[0]) return Failed();
        }
        if (v[0].is(Kind::Str) && align == '^') {
          int64_t size = int64_t(characters(v[0].asStr()).size()), pad = *width - size;
          if (pad <= 0) return v[0];
          int64_t left = pad / 2 + (pad & *width & 1);
          std::string out;
          for (int64_t i = 0; i < left; ++i) out += fill;
          out += v[0].asStr().str();
          for (int64_t i = left; i < pad; ++i) out += fill;
          return ev.arena.str(out);
        }
        return ev.format(v[0], ev.arena.str(fill + align + std::to_string(*width)));
      });
  method(r, "zfill", {"width"}, 1, [](Evaluator &ev, llvm::StringRef s, llvm::ArrayRef<Value> v) -> Value {
    JX_TRY(width, ev.toStaticInt(v[0], "the width of str.zfill"));
    int64_t pad = *width - int64_t(characters(s).size());
    if (pad <= 0) return ev.arena.str(s);
    bool sign = s.starts_with("-") || s.starts_with("+");
    return ev.arena.str(s.take_front(sign).str() + std::string(pad, '0') + s.drop_front(sign).str());
  });
}

// --- Functions
// ---------------------------------------------------------------------------------------------------

Value makeStr(Evaluator &ev, CallArgs &args) {
  Value v[3];
  JX_CHECK(ev.bindNative(args, "str", {"object", "encoding", "errors"}, 0, v));
  if (!v[0]) return ev.arena.str("");
  if (v[1] && v[0].is(Kind::Bytes)) return ev.arena.str(v[0].asStr());
  return ev.str(v[0]);
}

Value makeBytes(Evaluator &ev, CallArgs &args) {
  Value v[2];
  JX_CHECK(ev.bindNative(args, "bytes", {"source", "encoding"}, 0, v));
  if (!v[0]) return ev.arena.bytes("");
  if (v[0].is(Kind::Text)) v[0] = ev.toStatic(v[0], "the text of bytes");
  if (!v[0]) return Failed();
  if (v[0].isAny(Kind::Str, Kind::Bytes)) return ev.arena.bytes(v[0].asStr());
  if (v[0].isSmallInt()) return ev.arena.bytes(std::string(size_t(std::max<int64_t>(v[0].asInt(), 0)), '\0'));
  JX_TRY(items, ev.elements(v[0]));
  std::string text;
  for (Value item : *items) {
    JX_TRY(byte, ev.toStaticInt(item, "an element of bytes"));
    if (*byte < 0 || *byte > 255) return ev.valueError("bytes must be in range(0, 256)");
    text += char(*byte);
  }
  return ev.arena.bytes(text);
}

Value ordinal(Evaluator &ev, CallArgs &args) {
  Value v[1];
  JX_CHECK(ev.bindNative(args, "ord", {"c"}, 1, v));
  if (!v[0].isAny(Kind::Str, Kind::Text))
    return ev.typeError("ord() expected string of length 1, but " + ev.typeName(v[0]) + " found");
  JX_TRY(text, textOf(ev, v[0], "ord"));
  if (characters(*text).size() != 1)
    return ev.typeError("ord() expected a character, but string of length " +
                        std::to_string(characters(*text).size()) + " found");
  unsigned char lead = (*text)[0];
  uint32_t code = lead < 0x80 ? lead : lead < 0xE0 ? lead & 0x1F : lead < 0xF0 ? lead & 0x0F : lead & 0x07;
  for (size_t i = 1; i < text->size(); ++i) code = code << 6 | ((*text)[i] & 0x3F);
  return Value::integer(code);
}

Value character(Evaluator &ev, CallArgs &args) {
  Value v[1];
  JX_CHECK(ev.bindNative(args, "chr", {"i"}, 1, v));
  JX_TRY(code, ev.toStaticInt(v[0], "the argument of chr"));
  uint32_t c = uint32_t(*code);
  if (*code < 0 || *code > 0x10FFFF) return ev.valueError("chr() arg not in range(0x110000)");
  std::string out;
  if (c < 0x80)
    out = {char(c)};
  else if (c < 0x800)
    out = {char(0xC0 | c >> 6), char(0x80 | (c & 0x3F))};
  else if (c < 0x10000)
    out = {char(0xE0 | c >> 12), char(0x80 | (c >> 6 & 0x3F)), char(0x80 | (c & 0x3F))};
  else
    out = {char(0xF0 | c >> 18), char(0x80 | (c >> 12 & 0x3F)), char(0x80 | (c >> 6 & 0x3F)),
           char(0x80 | (c & 0x3F))};
  return ev.arena.str(out);
}

Value print(Evaluator &ev, CallArgs &args) {
  Value sep = args.takeKeyword("sep"), end = args.takeKeyword("end"), file = args.takeKeyword("file");
  (void)args.takeKeyword("flush");
  if (!args.keywords.empty())
    return ev.typeError("print() got an unexpected keyword argument '" + args.keywords.front().first.str() +
                        "'");
  std::vector<Value> parts;
  for (auto [i, value] : llvm::enumerate(args.positional)) {
    if (i) parts.push_back(sep && !sep.isNone() ? sep : ev.arena.str(" "));
    JX_TRY(text, ev.str(value));
    parts.push_back(text);
  }
  parts.push_back(end && !end.isNone() ? end : ev.arena.str("\n"));
  JX_TRY(text, ev.concatText(parts));
  bool toStderr = false;
  if (file && file.is(Kind::Instance)) {
    Value number = ev.getAttr(file, "_stream");
    if (!number) return Failed();
    toStderr = number.isSmallInt() && number.asInt() == 2;
  }
  JX_CHECK(ev.emitPrint(text, toStderr));
  return Value::none();
}

} // namespace

void registerStrings(Registry &r) {
  registerSearch(r);
  registerParts(r);
  registerFraming(r);
  r.method(Kind::Bytes, "decode",
           [](Evaluator &ev, CallArgs &args) { return ev.arena.str(args.positional[0].asStr()); });
  r.method(Kind::Bytes, "hex", [](Evaluator &ev, CallArgs &args) {
    return ev.arena.str(llvm::toHex(args.positional[0].asStr(), true));
  });
  r.constructor("str", makeStr);
  r.constructor("bytes", makeBytes);
  r.function("builtins", "ord", ordinal);
  r.function("builtins", "chr", character);
  r.function("builtins", "print", print);
  auto unary = [&](const char *name, Value (Evaluator::*fn)(Value)) {
    r.function("builtins", name, [name = std::string(name), fn](Evaluator &ev, CallArgs &args) -> Value {
      Value v[1];
      JX_CHECK(ev.bindNative(args, name, {"object"}, 1, v));
      return (ev.*fn)(v[0]);
    });
  };
  unary("repr", &Evaluator::repr);
  r.function("builtins", "format", [](Evaluator &ev, CallArgs &args) -> Value {
    Value v[2];
    JX_CHECK(ev.bindNative(args, "format", {"value", "format_spec"}, 1, v));
    return ev.format(v[0], v[1] ? v[1] : ev.arena.str(""));
  });
}

} // namespace jx::elab
