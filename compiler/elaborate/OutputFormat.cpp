// format(), f-string specs and the % operator on strings.
#include "compiler/elaborate/Choices.h"
#include "compiler/elaborate/Evaluator.h"
#include "compiler/elaborate/Output.h"
#include "runtime/include/jxrt/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace jx::elab {

namespace {

bool fitsRenderer(Value v) { return v.isAny(Kind::Bool, Kind::Float, Kind::Str) || v.isSmallInt(); }

// A text's program with its operands appended to those of `text`.
FormatProgram imported(TextNode &text, Value part) {
  if (part.is(Kind::Str)) return FormatProgram(std::string_view(part.asStr()));
  FormatProgram program;
  program.append(part.asText().program, text.takeHoles(part.asText()));
  return program;
}

OperandRef addOperand(TextNode &text, Value v) {
  text.operands.push_back(v);
  return OperandRef(int64_t(text.operands.size()) - 1);
}

// --- %
// ----------------------------------------------------------------------------------------------------------

struct PercentItem {
  std::string literal; // before the item
  std::string key;     // %(key)s
  bool hasKey = false, starWidth = false, starPrecision = false;
  std::string flags, width, precision; // precision includes its point
  char type = 0;                       // 0: only a literal
};

std::optional<std::vector<PercentItem>> parsePercent(Evaluator &ev, llvm::StringRef format) {
  std::vector<PercentItem> items(1);
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      items.back().literal += format[i];
      continue;
    }
    PercentItem &item = items.back();
    auto peek = [&] { return i < format.size() ? format[i] : '\0'; };
    ++i;
    if (peek() == '(') {
      size_t end = format.find(')', i);
      if (end == llvm::StringRef::npos)
        return ev.fail(DiagKind::BadFormat, "incomplete format key"), std::nullopt;
      item.hasKey = true;
      item.key = format.slice(i + 1, end).str();
      i = end + 1;
    }
    while (peek() && llvm::StringRef("#0- +").contains(peek())) item.flags += format[i++];
    if (peek() == '*') item.starWidth = true, ++i;
    while (isdigit(peek())) item.width += format[i++];
    if (peek() == '.') {
      item.precision = format[i++];
      if (peek() == '*') item.starPrecision = true, ++i;
      while (isdigit(peek())) item.precision += format[i++];
    }
    while (peek() && llvm::StringRef("hlL").contains(peek())) ++i;
    if (!peek()) return ev.fail(DiagKind::BadFormat, "incomplete format"), std::nullopt;
    item.type = peek();
    if (item.type == '%') {
      item.literal += '%';
      item.type = 0;
      continue;
    }
    if (!llvm::StringRef("diouxXeEfFgGcrsa").contains(item.type))
      return ev.fail(DiagKind::BadFormat, std::string("unsupported format character '") + item.type + "'"),
             std::nullopt;
    items.emplace_back();
  }
  return items;
}

Status writePercent(Evaluator &ev, TextNode &text, const PercentItem &item, Value v) {
  bool textual = llvm::StringRef("sra").contains(item.type);
  if (textual) {
    Conversion conversion = item.type == 's'   ? Conversion::Str
                            : item.type == 'r' ? Conversion::Repr
                                               : Conversion::Ascii;
    if (item.width.empty() && item.precision.empty()) return ev.appendText(text, v, conversion);
    TextNode inner;
    JX_CHECK(ev.appendText(inner, v, conversion));
    Value rendered = ev.makeText(std::move(inner));
    bool left = llvm::StringRef(item.flags).contains('-');
    std::string spec = (left ? "<" : ">") + item.width + item.precision;
    FormatProgram body = imported(text, rendered);
    text.program.group(Conversion::Str, FormatProgram(spec), std::move(body));
    return Status::success();
  }
  std::string spec = item.flags + item.width + item.precision + item.type;
  if (v.is(Kind::Int) && !v.isSmallInt()) {
    if (item.type != 'd' && item.type != 'i' && item.type != 'u')
      return ev.unsupported("`%` formatting of an int of more than 64 bits, other than %d");
    return ev.appendText(text, v, Conversion::Str);
  }
  if (item.type == 'c' && v.is(Kind::Str)) return ev.appendText(text, v, Conversion::Str);
  if (fitsRenderer(v)) {
    Value rendered =
        renderNow(ev, FormatProgram().percent(0, Flavour::Python, FormatProgram(spec)), staticOperand(v));
    if (!rendered) return Failed();
    return ev.appendText(text, rendered, Conversion::Str);
  }
  if (v.isHost() || (v.isArray() && v.arrayType().getNumElements() == 1)) {
    if (v.isArray() && v.arrayType().getRank()) v = Value::array(ev.reshapeToScalar(v.asArray()), v.isWeak());
    text.program.percent(addOperand(text, v), v.isHost() ? Flavour::Python : Flavour::JaxArray,
                         FormatProgram(spec));
    return Status::success();
  }
  bool integral = llvm::StringRef("diouxX").contains(item.type);
  return ev.raise("TypeError",
                  integral ? std::string("%") + item.type + " format: a real number is required, not " +
                                 ev.typeName(v)
                           : "must be real number, not " + ev.typeName(v),
                  DiagKind::BadFormat);
}

} // namespace

Value Evaluator::percentFormat(Value format, Value args) {
  format = toStatic(format, "a format string");
  if (!format) return Failed();
  JX_TRY(items, parsePercent(*this, format.asStr()));
  bool isTuple = args.is(Kind::Tuple);
  llvm::ArrayRef<Value> values =
      isTuple ? llvm::ArrayRef<Value>(args.asTuple().items) : llvm::ArrayRef<Value>(args);
  size_t next = 0;
  auto take = [&]() -> Value {
    if (next >= values.size())
      return raise("TypeError", "not enough arguments for format string", DiagKind::BadFormat);
    return values[next++];
  };
  TextNode text;
  bool keyed = false;
  for (PercentItem &item : *items) {
    text.program.literal(item.literal);
    if (!item.type) continue;
    Value v;
    if (item.hasKey) {
      keyed = true;
      v = getItem(args, arena.str(item.key));
    } else {
      for (auto [star, digits] :
           {std::pair(item.starWidth, &item.width), std::pair(item.starPrecision, &item.precision)}) {
        if (!star) continue;
        Value count = take();
        if (!count) return Failed();
        JX_TRY(n, toStaticInt(count, "a width in a format"));
        if (digits == &item.width && *n < 0) item.flags += '-';
        *digits += std::to_string(std::abs(*n));
      }
      v = take();
    }
    if (!v) return Failed();
    JX_CHECK(writePercent(*this, text, item, v));
  }
  if (!keyed && next < values.size() && !(values.size() == 1 && args.isAny(Kind::Dict)))
    return raise("TypeError", "not all arguments converted during string formatting", DiagKind::BadFormat);
  return makeText(std::move(text));
}

Value Evaluator::format(Value v, Value spec) {
  bool empty = spec.is(Kind::Str) && spec.asStr().empty();
  if (!empty && isOptional(v)) return overChoices(*this, v, [&](Value one) { return format(one, spec); });
  if (v.is(Kind::Instance)) {
    if (Value own = callDunder(v, "__format__", {spec})) return own;
    if (!isPending(Pending::None)) return Failed();
    if (!empty) v = plainValue(v);
  }
  // An empty spec on a 0-d array is format() of its item: f"{x}" of 0.1 prints 0.10000000149011612, as in
  // JAX.
  if (empty && !(v.isArray() && v.arrayType().getRank() == 0)) return str(v);
  TextNode text;
  if (v.is(Kind::Int) && !v.isSmallInt()) {
    // Grouping and padding of long ints, by way of their digits.
    Value digits = str(v);
    FormatProgram specProgram = imported(text, spec);
    bool plain = spec.is(Kind::Str) && spec.asStr().find_first_of(",_xXobeEfFgGn%") == llvm::StringRef::npos;
    if (!plain) return unsupported("this format of an int of more than 64 bits");
    std::string align = spec.asStr().rtrim("d").str();
    if (align.empty()) return digits;
    if (align.find_first_of("<>=^") == std::string::npos) align = ">" + align;
    text.program.group(Conversion::Str, FormatProgram(align),
                       FormatProgram(std::string_view(digits.asStr())));
    return renderNow(*this, text.program, {});
  }
  if (fitsRenderer(v) && spec.is(Kind::Str)) {
    FormatProgram program;
    program.format(0, Flavour::Python, FormatProgram(std::string_view(spec.asStr())));
    return renderNow(*this, program, staticOperand(v));
  }
  if (v.isAny(Kind::Str, Kind::Text)) {
    jxrt_format_error error{};
    if (spec.is(Kind::Str) &&
        jxrt_check_spec(spec.asStr().data(), int64_t(spec.asStr().size()), JXRT_SPEC_STRING, &error))
      return raise(error.class_name, error.message, DiagKind::BadFormat);
    FormatProgram specProgram = imported(text, spec), body = imported(text, v);
    text.program.group(Conversion::Str, std::move(specProgram), std::move(body));
    return makeText(std::move(text));
  }
  if (v.isAny(Kind::Bool, Kind::Int, Kind::Float))
    v = hostOf(v, hostTypeOf(v)); // the spec has run-time parts
  if (!v) return Failed();
  if (v.isHost() || (v.isArray() && v.arrayType().getRank() == 0)) {
    FormatProgram specProgram = imported(text, spec);
    Flavour flavour = v.isHost() ? Flavour::Python : v.isWeak() ? Flavour::WeakJaxArray : Flavour::JaxArray;
    text.program.format(addOperand(text, v), flavour, std::move(specProgram));
    return makeText(std::move(text));
  }
  if (v.is(Kind::Complex)) return unsupported("a format spec on a complex number");
  std::string name = v.isArray() ? "ArrayImpl" : typeName(v);
  return raise("TypeError", "unsupported format string passed to " + name + ".__format__",
               DiagKind::BadFormat);
}

} // namespace jx::elab
