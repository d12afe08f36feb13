// Strings made of values: str() and repr() of every kind of value, as static text or as a format program with
// run-time holes that the runtime renders. The effects that take such texts are in Print.cpp.
#include "compiler/elaborate/Output.h"
#include "compiler/elaborate/Attributes.h"
#include "compiler/elaborate/Callable.h"
#include "compiler/elaborate/Choices.h"
#include "compiler/elaborate/Containers.h"
#include "compiler/elaborate/Evaluator.h"
#include "compiler/elaborate/Joins.h"
#include "compiler/elaborate/Raises.h"
#include "runtime/include/jxrt/Format.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace jx::elab {

// --- Rendering at compile time, by the runtime's own renderer
// ------------------------------------------------------

jxrt_value staticOperand(Value v) {
  jxrt_value operand{};
  switch (v.kind()) {
  case Kind::Bool:
    operand.kind = JXRT_VALUE_BOOL;
    operand.scalar.i = v.asBool();
    break;
  case Kind::Int:
    operand.kind = JXRT_VALUE_INT;
    operand.scalar.i = v.asInt();
    break;
  case Kind::Str:
    operand.kind = JXRT_VALUE_STRING;
    operand.data = v.asStr().data();
    operand.scalar.i = int64_t(v.asStr().size());
    break;
  default:
    operand.kind = JXRT_VALUE_FLOAT;
    operand.scalar.f = toDouble(v);
    break;
  }
  return operand;
}

Value renderNow(Evaluator &ev, const FormatProgram &program, llvm::ArrayRef<jxrt_value> operands) {
  std::string text = program.serialize();
  jxrt_string out{};
  jxrt_format_error error{};
  if (jxrt_format(nullptr, text.data(), int64_t(text.size()), operands.data(), int64_t(operands.size()), &out,
                  &error)) {
    jxrt_string_free(&out);
    return ev.raise(error.class_name, error.message, DiagKind::BadFormat);
  }
  Value result = ev.arena.str(llvm::StringRef(out.data, out.length));
  jxrt_string_free(&out);
  return result;
}

namespace {

std::string quoted(llvm::StringRef text, Conversion conversion) {
  FormatProgram program;
  program.group(conversion, {}, FormatProgram(std::string_view(text)));
  std::string serialized = program.serialize();
  jxrt_string out{};
  jxrt_format(nullptr, serialized.data(), int64_t(serialized.size()), nullptr, 0, &out, nullptr);
  std::string result(out.data, out.length);
  jxrt_string_free(&out);
  return result;
}

// The text of bytes: those beyond ASCII by their numbers.
std::string bytesText(llvm::StringRef bytes) {
  std::string text;
  for (unsigned char c : bytes)
    text += c < 0x80 ? std::string(1, char(c))
                     : "\x01" + llvm::toHex(llvm::StringRef(reinterpret_cast<char *>(&c), 1), true);
  // A byte 1 marks the escapes, which quoting would double.
  std::string shown = quoted(text, Conversion::Repr), result;
  for (size_t at = 0; at < shown.size(); ++at)
    if (llvm::StringRef(shown).substr(at).starts_with("\\x01") && !bytes.contains('\x01')) {
      result += "\\x";
      at += 3;
    } else {
      result += shown[at];
    }
  return result;
}

std::string digitsOf(Value v) {
  std::string digits;
  llvm::raw_string_ostream(digits) << toBig(v);
  return digits;
}

std::string floatText(Evaluator &ev, double number) {
  Value text = renderNow(ev, FormatProgram().repr(0, Flavour::Python), staticOperand(Value::real(number)));
  return text.asStr().str();
}

// One part of a complex number as Python writes it: 1 rather than 1.0.
std::string complexPart(Evaluator &ev, double part) {
  std::string text = floatText(ev, part);
  if (llvm::StringRef(text).ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string complexText(Evaluator &ev, double re, double im) {
  std::string imaginary = complexPart(ev, im) + "j";
  if (re == 0 && !std::signbit(re)) return imaginary;
  return "(" + complexPart(ev, re) + (imaginary[0] == '-' ? "" : "+") + imaginary + ")";
}

Flavour flavourOf(Value v) {
  if (v.isHost()) return Flavour::Python;
  return v.isWeak() ? Flavour::WeakJaxArray : Flavour::JaxArray;
}

// Writes values into a format program. Within elements of a segment, leaves are operands that stand for one
// stack each.
class TextWriter {
public:
  TextWriter(Evaluator &ev, TextNode &text) : ev(ev), text(text), out(&text.program) {}

  Status write(Value v, Conversion conversion) {
    if (++depth > 200)
      return ev.raise("RecursionError", "maximum recursion depth exceeded while making a string");
    Status status = writeKind(v, conversion);
    --depth;
    return status;
  }
  Status writePlain(Value v, bool plain);

private:
  Status writeKind(Value v, Conversion conversion);
  Status writeItems(llvm::ArrayRef<Value> items, const char *open, const char *close, bool trailingComma);
  Status writeContainer(Value v, Conversion conversion);
  Status writeList(Object *list);
  Status writeMap(Object *map);
  Status writeInstance(Value v, Conversion conversion);
  Status writeSegment(const SegmentNode &segment, bool first, bool last);
  Status writeTemplate(const Template &form, const std::vector<int64_t> &operands, size_t &next);
  Status writeTuple(const TupleNode &tuple, Conversion conversion);
  void writeClass(const ClassNode &cls);
  int64_t operand(Value v) {
    text.operands.push_back(v);
    return int64_t(text.operands.size()) - 1;
  }

  Evaluator &ev;
  TextNode &text;
  FormatProgram *out;
  std::vector<const Object *> open; // containers around this one
  unsigned depth = 0;
};

Status TextWriter::writeKind(Value v, Conversion conversion) {
  bool plain = conversion == Conversion::Str;
  switch (v.kind()) {
  case Kind::None:
    out->literal("None");
    break;
  case Kind::Ellipsis:
    out->literal("Ellipsis");
    break;
  case Kind::NotImplemented:
    out->literal("NotImplemented");
    break;
  case Kind::Bool:
    out->literal(v.asBool() ? "True" : "False");
    break;
  case Kind::Int:
    out->literal(digitsOf(v));
    break;
  case Kind::Float:
    out->literal(floatText(ev, v.asFloat()));
    break;
  case Kind::Complex:
    out->literal(complexText(ev, v.asComplex().first, v.asComplex().second));
    break;
  case Kind::Str:
    out->literal(plain ? v.asStr().str() : quoted(v.asStr(), conversion));
    break;
  case Kind::Bytes:
    out->literal("b" + bytesText(v.asStr()));
    break;
  case Kind::Dtype:
    if (v.isScalarType())
      out->literal("<class 'jax.numpy." + dtypeName(v.asDtype()) + "'>");
    else
      out->literal(plain ? dtypeName(v.asDtype()) : "dtype('" + dtypeName(v.asDtype()) + "')");
    break;
  case Kind::Tuple:
    return writeTuple(v.asTuple(), conversion);
  case Kind::Range:
  case Kind::Slice: {
    const SliceNode &parts = v.asSlice();
    std::vector<Value> shown{parts.start, parts.stop};
    bool unit = parts.step.isSmallInt() && parts.step.asInt() == 1;
    if (v.is(Kind::Slice) || !unit) shown.push_back(parts.step);
    return writeItems(shown, v.is(Kind::Slice) ? "slice(" : "range(", ")", false);
  }
  case Kind::Array:
  case Kind::Host:
    out->hole(operand(v), flavourOf(v), conversion, v.isArray() ? ev.printOptions : PrintOptions());
    break;
  case Kind::Choice: {
    FormatProgram *around = out, value;
    int64_t present = operand(v.asChoice().present);
    out = &value;
    Status written = write(v.asChoice().value, conversion);
    out = around;
    JX_CHECK(written);
    out->table(OperandRef(present), {FormatProgram("None"), std::move(value)});
    break;
  }
  case Kind::Text: {
    const TextNode &other = v.asText();
    int64_t shift = text.takeHoles(other);
    if (plain) {
      out->append(other.program, shift);
    } else {
      FormatProgram shifted;
      shifted.append(other.program, shift);
      out->group(conversion, {}, std::move(shifted));
    }
    break;
  }
  case Kind::List:
  case Kind::Dict:
  case Kind::Set:
    return writeContainer(v, conversion);
  case Kind::Instance:
    return writeInstance(v, conversion);
  case Kind::Class:
    writeClass(*static_cast<const ClassNode *>(v.asObject()->payload));
    break;
  case Kind::Function:
    out->literal("<function " + static_cast<const FunctionNode *>(v.asObject()->payload)->qualifiedName +
                 ">");
    break;
  case Kind::Native:
    out->literal("<built-in function " + v.asNative().name + ">");
    break;
  case Kind::Module:
    out->literal("<module '" + static_cast<const ModuleNode *>(v.asObject()->payload)->name + "'>");
    break;
  case Kind::Opaque: {
    auto *state = static_cast<OpaqueObject *>(v.asObject()->opaque.get());
    JX_TRY(shown, state->repr(ev, v.asObject()));
    return write(shown, Conversion::Str);
  }
  case Kind::Unbound:
    return ev.fail(DiagKind::PartlyAssigned, "a part of this value has no value here: " +
                                                 static_cast<const UnboundNode *>(v.asPointer())->reason);
  default:
    out->literal("<" + ev.typeName(v) + " object>");
    break;
  }
  return Status::success();
}

Status TextWriter::writeItems(llvm::ArrayRef<Value> items, const char *before, const char *after,
                              bool trailingComma) {
  out->literal(before);
  for (auto [i, item] : llvm::enumerate(items)) {
    if (i) out->literal(", ");
    JX_CHECK(write(item, Conversion::Repr));
  }
  if (trailingComma && items.size() == 1) out->literal(",");
  out->literal(after);
  return Status::success();
}

// Which methods of a class say what an instance is as text, the first of them that it has.
static llvm::ArrayRef<const char *> textMethods(Conversion conversion) {
  static const char *const names[] = {"__str__", "__repr__"};
  return llvm::ArrayRef(names).drop_front(conversion == Conversion::Str ? 0 : 1);
}

Status TextWriter::writeTuple(const TupleNode &tuple, Conversion conversion) {
  if (!tuple.cls) return writeItems(tuple.items, "(", ")", true);
  for (const char *name : textMethods(conversion))
    if (Value method = ev.lookUpClass(tuple.cls, name)) {
      JX_TRY(shown, ev.call(method, {ev.arena.tuple(tuple.items, tuple.cls)}));
      return write(shown, Conversion::Str);
    }
  Value fields = ev.lookUpClass(tuple.cls, "_fields");
  if (!fields) return writeItems(tuple.items, "(", ")", true);
  out->literal(static_cast<const ClassNode *>(tuple.cls->payload)->name + "(");
  for (auto [i, item] : llvm::enumerate(tuple.items)) {
    if (i) out->literal(", ");
    out->literal(fields.asTuple().items[i].asStr().str() + "=");
    JX_CHECK(write(item, Conversion::Repr));
  }
  out->literal(")");
  return Status::success();
}

Status TextWriter::writeContainer(Value v, Conversion conversion) {
  Object *object = v.asObject();
  auto plain = [&] { return v.is(Kind::List) ? writeList(object) : writeMap(object); };
  if (!object->cls) return plain();
  for (const char *name : textMethods(conversion)) {
    Value shown = ev.callDunder(v, name, {});
    if (shown) return write(shown, Conversion::Str);
    if (!ev.isPending(Pending::None)) return Failed();
  }
  // Views, frozensets and subclasses of set name their class; subclasses of list and dict do not.
  if (object->attributes && !v.is(Kind::Set)) return plain();
  bool empty = v.is(Kind::Set) && object->size() == 0;
  out->literal(ev.typeName(v) + "(");
  if (!empty) JX_CHECK(plain());
  out->literal(")");
  return Status::success();
}

Status TextWriter::writeList(Object *list) {
  if (llvm::is_contained(open, list)) {
    out->literal("[...]");
    return Status::success();
  }
  open.push_back(list);
  std::vector<Value> items = list->contents().values;
  out->literal("[");
  for (auto [i, item] : llvm::enumerate(items)) {
    bool first = i == 0, last = i + 1 == items.size();
    if (item.is(Kind::Segment)) {
      JX_CHECK(writeSegment(item.asSegment(), first, last || items[i + 1].is(Kind::Segment)));
      continue;
    }
    // A leading segment has written the separator behind its elements.
    if (!first && !(i == 1 && items[0].is(Kind::Segment))) out->literal(", ");
    JX_CHECK(write(item, Conversion::Repr));
  }
  out->literal("]");
  open.pop_back();
  return Status::success();
}

// Whether writeTemplate writes such elements of a segment.
static bool isRepeatable(const Template &form) {
  if (form.form == Template::Known || (form.form == Template::Text && isKnownText(form.sample))) return true;
  bool isWritten =
      form.form == Template::Fixed || form.form == Template::Leaf ||
      (form.form == Template::Aggregate && form.sample.isAny(Kind::Tuple, Kind::List, Kind::Dict));
  return isWritten && llvm::all_of(form.children, isRepeatable);
}

// The elements of a segment. It may be empty at run time, so separators towards its neighbours belong to its
// elements.
Status TextWriter::writeSegment(const SegmentNode &segment, bool first, bool last) {
  if (segment.count.isSmallInt() && segment.count.asInt() == 0) return Status::success();
  if (segment.stacks.empty() || (segment.count.isSmallInt() && !llvm::all_of(*segment.forms, isRepeatable))) {
    // Elements without run-time leaves are all alike; others are no arrays that the runtime walks through.
    JX_TRY(items, ev.segmentElements(Value::node(Kind::Segment, &segment)));
    for (auto [i, item] : llvm::enumerate(*items)) {
      if (i || !first) out->literal(", ");
      JX_CHECK(write(item, Conversion::Repr));
    }
    if (!last && first && !items->empty()) out->literal(", ");
    return Status::success();
  }
  std::vector<int64_t> operands;
  for (Value stack : segment.stacks) operands.push_back(operand(stack));
  FormatProgram element;
  FormatProgram *around = std::exchange(out, &element);
  size_t next = 0;
  if (!first) element.literal(", ");
  for (auto [i, form] : llvm::enumerate(*segment.forms)) {
    if (i) element.literal(", ");
    if (!writeTemplate(form, operands, next)) {
      out = around;
      return Failed();
    }
  }
  bool separatorAfter = first && !last;
  if (separatorAfter) element.literal(", ");
  out = around;
  FormatProgram between(first && !separatorAfter ? ", " : "");
  out->elements(operands.front(), {}, {}, {}, between, element);
  return Status::success();
}

Status TextWriter::writeTemplate(const Template &form, const std::vector<int64_t> &operands, size_t &next) {
  switch (form.form) {
  case Template::Fixed:
    return write(form.sample, Conversion::Repr);
  case Template::Leaf: {
    OperandRef ref(operands[next++], {0});
    Flavour flavour = form.leaf.isHost ? Flavour::Python
                      : form.leaf.weak ? Flavour::WeakJaxArray
                                       : Flavour::JaxArray;
    out->repr(ref, flavour, form.leaf.isHost ? PrintOptions() : ev.printOptions);
    return Status::success();
  }
  case Template::Known:
  case Template::Text: {
    if (form.form == Template::Text && !isKnownText(form.sample)) break;
    std::vector<FormatProgram> choices;
    for (Value text : form.form == Template::Known ? form.choices : form.sample.asText().choices)
      choices.emplace_back(quoted(text.asStr(), Conversion::Repr));
    out->table(OperandRef(operands[next++], {0}), std::move(choices));
    return Status::success();
  }
  case Template::Aggregate: {
    bool isTuple = form.sample.is(Kind::Tuple), isList = form.sample.is(Kind::List),
         isDict = form.sample.is(Kind::Dict);
    if (!isTuple && !isList && !isDict) break;
    const TupleNode *tuple = isTuple ? &form.sample.asTuple() : nullptr;
    Value fields = tuple && tuple->cls ? ev.lookUpClass(tuple->cls, "_fields") : Value();
    if (fields) out->literal(static_cast<const ClassNode *>(tuple->cls->payload)->name);
    out->literal(isTuple ? "(" : isList ? "[" : "{");
    for (auto [i, child] : llvm::enumerate(form.children)) {
      if (i) out->literal(", ");
      out->literal(fields.asTuple().items[i].asStr().str() + "=");
      if (isDict) {
        JX_CHECK(write(form.sample.asObject()->keyAt(i), Conversion::Repr));
        out->literal(": ");
      }
      JX_CHECK(writeTemplate(child, operands, next));
    }
    if (isTuple && !fields && form.children.size() == 1) out->literal(",");
    out->literal(isTuple ? ")" : isList ? "]" : "}");
    return Status::success();
  }
  default:
    break;
  }
  return ev.unsupported("a string of a list whose elements, appended in a compiled loop, are of this kind");
}

Status TextWriter::writeMap(Object *map) {
  if (llvm::is_contained(open, map)) {
    out->literal("{...}");
    return Status::success();
  }
  open.push_back(map);
  Contents contents = map->contents();
  if (map->kind == Kind::Set) contents.keys = setOrder(contents.keys);
  if (map->kind == Kind::Set && contents.keys.empty()) {
    out->literal("set()");
  } else {
    out->literal("{");
    for (auto [i, key] : llvm::enumerate(contents.keys)) {
      if (i) out->literal(", ");
      JX_CHECK(write(key, Conversion::Repr));
      if (map->kind == Kind::Set) continue;
      out->literal(": ");
      JX_CHECK(write(contents.values[i], Conversion::Repr));
    }
    out->literal("}");
  }
  open.pop_back();
  return Status::success();
}

Status TextWriter::writeInstance(Value v, Conversion conversion) {
  bool plain = conversion == Conversion::Str;
  if (plain) {
    if (Value shown = ev.callDunder(v, "__str__", {})) return write(shown, Conversion::Str);
    if (!ev.isPending(Pending::None)) return Failed();
  }
  if (Value shown = ev.callDunder(v, "__repr__", {})) return write(shown, Conversion::Str);
  if (!ev.isPending(Pending::None)) return Failed();
  return writePlain(v, plain);
}

// Past what the class says.
Status TextWriter::writePlain(Value v, bool plain) {
  if (isStandIn(v)) return write(plainValue(v), plain ? Conversion::Str : Conversion::Repr);
  const ClassNode &cls = *static_cast<const ClassNode *>(v.asObject()->cls->payload);
  if (ev.isInstance(v, ev.builtinClass("BaseException"))) {
    Value args = v.asObject()->get(ev.arena.str("args"));
    std::vector<Value> items = args ? args.asTuple().items : std::vector<Value>();
    if (!plain) {
      out->literal(cls.name);
      return writeItems(items, "(", ")", false);
    }
    if (items.empty()) return Status::success();
    bool isSystem = ev.isInstance(v, ev.builtinClass("OSError")) && (items.size() == 2 || items.size() == 3);
    if (isSystem) { // number, text and perhaps a file
      out->literal("[Errno ");
      JX_CHECK(write(items[0], Conversion::Str));
      out->literal("] ");
      JX_CHECK(write(items[1], Conversion::Str));
      if (items.size() == 2) return Status::success();
      out->literal(": ");
      return write(items[2], Conversion::Repr);
    }
    bool isKey = ev.isInstance(v, ev.builtinClass("KeyError"));
    if (items.size() == 1) return write(items[0], isKey ? Conversion::Repr : Conversion::Str);
    return writeItems(items, "(", ")", true);
  }
  out->literal("<" + cls.moduleName + "." + cls.qualifiedName + " object>");
  return Status::success();
}

void TextWriter::writeClass(const ClassNode &cls) {
  std::string module = cls.moduleName == "builtins" ? "" : cls.moduleName + ".";
  if (cls.builtin == Kind::Array && module.empty()) module = cls.name == "Array" ? "jax." : "jaxlib._jax.";
  out->literal("<class '" + module + cls.qualifiedName + "'>");
}

} // namespace

// --- The evaluator's interface
// -------------------------------------------------------------------------------------

Status Evaluator::appendText(TextNode &text, Value v, Conversion conversion) {
  return TextWriter(*this, text).write(v, conversion);
}

Value plainText(Evaluator &ev, Value instance, bool isStr) {
  TextNode text;
  JX_CHECK(TextWriter(ev, text).writePlain(instance, isStr));
  return ev.makeText(std::move(text));
}

Value Evaluator::makeText(TextNode text) {
  if (auto known = text.program.staticText()) return arena.str(*known);
  return Value::node(Kind::Text, arena.make<TextNode>(std::move(text)));
}

Value Evaluator::concatText(llvm::ArrayRef<Value> parts) {
  TextNode text;
  for (Value part : parts) {
    if (!part.isAny(Kind::Str, Kind::Text))
      return typeError("can only concatenate str (not \"" + typeName(part) + "\") to str");
    JX_CHECK(appendText(text, part, Conversion::Str));
  }
  return makeText(std::move(text));
}

Value Evaluator::str(Value v) {
  if (v.isAny(Kind::Str, Kind::Text)) return v;
  TextNode text;
  JX_CHECK(appendText(text, v, Conversion::Str));
  return makeText(std::move(text));
}

Value Evaluator::repr(Value v) {
  TextNode text;
  JX_CHECK(appendText(text, v, Conversion::Repr));
  return makeText(std::move(text));
}

Value converted(Evaluator &ev, Value v, Conversion conversion) {
  if (conversion == Conversion::Str) return ev.str(v);
  if (conversion == Conversion::Repr) return ev.repr(v);
  return ev.call(ev.builtins->get(ev.arena.str("ascii")), {v});
}

Value textNow(Evaluator &ev, Value text, const std::string &purpose) {
  if (text.is(Kind::Str)) return text;
  std::vector<jxrt_value> operands;
  for (Value hole : text.asText().operands) {
    JX_TRY(known, ev.toStatic(hole, purpose));
    operands.push_back(staticOperand(known));
  }
  FormatProgram program = text.asText().program.withOptions([&](int64_t number) {
    const ProgramOption &option = ev.programOptions[number];
    auto given = ev.options.optionValues.find(option.name);
    return given == ev.options.optionValues.end() ? option.defaultText : given->second;
  });
  return renderNow(ev, program, operands);
}

std::string shownNow(Evaluator &ev, Value text) {
  if (text.is(Kind::Text) && !text.asText().operands.empty()) return "";
  Value now = textNow(ev, text, "a message");
  return now ? now.asStr().str() : "";
}

} // namespace jx::elab
