// Strings by their code points: str.maketrans and str.translate, dicts from code points to what replaces
// them; ascii(), which writes those beyond ASCII as escapes.
#include "compiler/elaborate/Evaluator.h"
#include "compiler/elaborate/Registry.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace jx::elab {

namespace {

// The code point of a string of one character.
Value codeOf(Evaluator &ev, Value character) {
  if (!character.is(Kind::Str)) return character;
  JX_TRY(ord, ev.lookUpBuiltin(ev.ast.name("ord")));
  return ev.call(ord, {character});
}

Value maketrans(Evaluator &ev, CallArgs &args) {
  Value v[3];
  JX_CHECK(ev.bindNative(args, "str.maketrans", {"x", "y", "z"}, 1, v));
  Object *table = ev.heap.dict();
  if (!v[1]) {
    if (!v[0].is(Kind::Dict))
      return ev.typeError("if you give only one argument to maketrans it must be a dict");
    const Contents given = v[0].asObject()->contents();
    for (auto [key, value] : llvm::zip(given.keys, given.values)) {
      JX_TRY(code, codeOf(ev, key));
      ev.heap.put(table, code, value);
    }
    return table;
  }
  JX_TRY(from, ev.elements(v[0]));
  JX_TRY(to, ev.elements(v[1]));
  if (from->size() != to->size())
    return ev.valueError("the first two maketrans arguments must have equal length");
  for (auto [key, value] : llvm::zip(*from, *to)) {
    JX_TRY(code, codeOf(ev, key));
    JX_TRY(replacement, codeOf(ev, value));
    ev.heap.put(table, code, replacement);
  }
  if (!v[2]) return table;
  JX_TRY(removed, ev.elements(v[2]));
  for (Value key : *removed) {
    JX_TRY(code, codeOf(ev, key));
    ev.heap.put(table, code, Value::none());
  }
  return table;
}

Value translate(Evaluator &ev, CallArgs &args) {
  Value v[2];
  JX_CHECK(ev.bindNative(args, "str.translate", {"self", "table"}, 2, v));
  if (!v[1].is(Kind::Dict)) return ev.typeError("str.translate() takes a dict");
  JX_TRY(chr, ev.lookUpBuiltin(ev.ast.name("chr")));
  JX_TRY(characters, ev.elements(v[0]));
  std::vector<Value> parts;
  for (Value character : *characters) {
    JX_TRY(code, codeOf(ev, character));
    Value found = v[1].asObject()->get(code);
    if (found && found.isNone()) continue;
    if (found && found.is(Kind::Int)) {
      found = ev.call(chr, {found});
      if (!found) return Failed();
    }
    parts.push_back(found ? found : character);
  }
  return ev.concatText(parts);
}

Value ascii(Evaluator &ev, CallArgs &args) {
  if (args.positional[0].is(Kind::Text)) {
    TextNode escaped;
    JX_CHECK(ev.appendText(escaped, args.positional[0], Conversion::Ascii));
    return ev.makeText(std::move(escaped));
  }
  JX_TRY(shown, ev.repr(args.positional[0]));
  JX_TRY(text, ev.toStatic(shown, "the text of ascii()"));
  JX_TRY(characters, ev.elements(text));
  std::string out;
  llvm::raw_string_ostream stream(out);
  for (Value character : *characters) {
    JX_TRY(code, codeOf(ev, character));
    auto point = static_cast<uint32_t>(code.asInt());
    if (point < 0x80)
      stream << char(point);
    else
      stream << (point < 0x100     ? llvm::format("\\x%02x", point)
                 : point < 0x10000 ? llvm::format("\\u%04x", point)
                                   : llvm::format("\\U%08x", point));
  }
  return ev.arena.str(out);
}

} // namespace

void registerStringTables(Registry &r) {
  r.classMethod("str", "maketrans", maketrans);
  r.method(Kind::Str, "translate", translate);
  r.function("builtins", "ascii", {1, 1}, ascii);
}

} // namespace jx::elab
