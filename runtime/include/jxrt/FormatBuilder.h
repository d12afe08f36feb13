// Builds format programs (Format.h) as a tree, and writes them as the text that the runtime renders.
// Header-only, so that the compiler needs no library of the runtime to make one.
//
// A run-time string of the elaborator is one FormatProgram plus its operands; concatenating two strings is
// `append` with the operands of the second one shifted.
#ifndef JXRT_FORMATBUILDER_H
#define JXRT_FORMATBUILDER_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jx {

// What kind of object the operand stands for in Python.
enum class Flavour : char {
  JaxArray = 'j',
  WeakJaxArray = 'w',
  NumpyArray = 'n',
  NumpyScalar = 'g',
  Python = 'h', // host int, float, bool, complex, str; an array renders as .item() or .tolist()
};

enum class Conversion : char { Str = 's', Repr = 'r', Ascii = 'a' };

// NumPy's print options; only what is set differs from NumPy's defaults.
struct PrintOptions {
  std::optional<int64_t> precision, linewidth, threshold, edgeitems;
  std::optional<bool> suppress;
  std::optional<std::string> sign, floatmode, nanstr, infstr, separator, prefix, suffix;

  std::string text() const {
    std::string out;
    auto put = [&](char letter, const std::string &value) {
      out += letter;
      out += '=' + std::to_string(value.size()) + ':' + value;
    };
    if (precision) put('p', std::to_string(*precision));
    if (suppress) put('s', *suppress ? "1" : "0");
    if (linewidth) put('l', std::to_string(*linewidth));
    if (threshold) put('t', std::to_string(*threshold));
    if (edgeitems) put('e', std::to_string(*edgeitems));
    if (sign) put('g', *sign);
    if (floatmode) put('f', *floatmode);
    if (nanstr) put('n', *nanstr);
    if (infstr) put('i', *infstr);
    if (separator) put('x', *separator);
    if (prefix) put('b', *prefix);
    if (suffix) put('a', *suffix);
    return out.empty() ? out : '{' + out + '}';
  }
};

// An operand, and the levels of enclosing `elements` items whose current index selects from it (see
// Format.h).
struct OperandRef {
  int64_t operand = 0;
  std::vector<int64_t> levels;

  OperandRef(int64_t operand, std::vector<int64_t> levels = {})
      : operand(operand), levels(std::move(levels)) {}
  std::string text() const {
    std::string out = std::to_string(operand);
    for (int64_t level : levels) out += '.' + std::to_string(level);
    return out;
  }
};

// A bound of a Python slice: absent, a number, or a host int operand.
struct SliceBound {
  std::optional<int64_t> number;
  std::optional<OperandRef> operand;

  SliceBound() = default;
  SliceBound(int64_t number) : number(number) {}
  SliceBound(OperandRef operand) : operand(std::move(operand)) {}
  std::string text() const { return number ? std::to_string(*number) : operand ? '#' + operand->text() : ""; }
};

class FormatProgram {
public:
  FormatProgram() = default;
  explicit FormatProgram(std::string_view text) { literal(text); }

  // Text as it is.
  FormatProgram &literal(std::string_view text) {
    if (text.empty()) return *this;
    if (items.empty() || items.back().kind != Kind::Literal) items.emplace_back(Kind::Literal);
    items.back().text += text;
    return *this;
  }

  // str(operand), repr(operand) or ascii(operand).
  FormatProgram &hole(OperandRef ref, Flavour flavour, Conversion conversion, PrintOptions options = {}) {
    Item &item = add(Kind::Hole, std::move(ref), flavour);
    item.conversion = conversion;
    item.text = options.text();
    return *this;
  }
  FormatProgram &str(OperandRef ref, Flavour flavour, PrintOptions options = {}) {
    return hole(std::move(ref), flavour, Conversion::Str, std::move(options));
  }
  FormatProgram &repr(OperandRef ref, Flavour flavour, PrintOptions options = {}) {
    return hole(std::move(ref), flavour, Conversion::Repr, std::move(options));
  }

  // format(operand, spec). The spec may have holes itself: f"{x:{width}.{digits}f}".
  FormatProgram &format(OperandRef ref, Flavour flavour, FormatProgram spec) {
    add(Kind::Format, std::move(ref), flavour).children.push_back(std::move(spec));
    return *this;
  }

  // ("%" + spec) % operand; the spec ends in the conversion letter: "5.2f", "-3d", "s", "r".
  FormatProgram &percent(OperandRef ref, Flavour flavour, FormatProgram spec) {
    add(Kind::Percent, std::move(ref), flavour).children.push_back(std::move(spec));
    return *this;
  }

  // A text with holes treated as one string: f"{text!r:>10}". An empty spec pads nothing.
  FormatProgram &group(Conversion conversion, FormatProgram spec, FormatProgram text) {
    Item &item = items.emplace_back(Kind::Group);
    item.conversion = conversion;
    item.children.push_back(std::move(spec));
    item.children.push_back(std::move(text));
    return *this;
  }

  // The choice that an int or bool operand selects; an index outside of it is an IndexError.
  FormatProgram &table(OperandRef ref, std::vector<FormatProgram> choices) {
    add(Kind::Table, std::move(ref), Flavour::Python).children = std::move(choices);
    return *this;
  }

  // The elements [start:stop:step] of a stack or of an array's leading axis, without brackets.
  FormatProgram &elements(OperandRef ref, SliceBound start, SliceBound stop, SliceBound step,
                          FormatProgram separator, FormatProgram element) {
    Item &item = add(Kind::Elements, std::move(ref), Flavour::Python);
    item.bounds = {std::move(start), std::move(stop), std::move(step)};
    item.children.push_back(std::move(separator));
    item.children.push_back(std::move(element));
    return *this;
  }

  // A whole list as Python prints it: "[e, e, e]".
  FormatProgram &list(OperandRef ref, FormatProgram element) {
    literal("[");
    elements(std::move(ref), {}, {}, {}, FormatProgram(", "), std::move(element));
    return literal("]");
  }

  // The text of the running program's option number `index`.
  FormatProgram &option(int64_t index) {
    items.emplace_back(Kind::Option).option = index;
    return *this;
  }

  // os.path.join(first, second) on POSIX: `second` alone where it is absolute, else behind `first` and a "/".
  FormatProgram &pathJoin(FormatProgram first, FormatProgram second) {
    Item &item = items.emplace_back(Kind::PathJoin);
    item.children.push_back(std::move(first));
    item.children.push_back(std::move(second));
    return *this;
  }

  // Another program after this one, its operand numbers raised by `shift`.
  FormatProgram &append(const FormatProgram &other, int64_t shift = 0) {
    FormatProgram copy = other;
    if (shift) copy.remap([shift](int64_t operand) { return operand + shift; });
    for (Item &item : copy.items) {
      if (item.kind == Kind::Literal)
        literal(item.text);
      else
        items.push_back(std::move(item));
    }
    return *this;
  }

  // This program with the options' texts in their places: `textOf` takes the number of an option.
  template <typename Lookup> FormatProgram withOptions(const Lookup &textOf) const {
    FormatProgram result;
    for (Item item : items) {
      if (item.kind == Kind::Option) {
        result.literal(textOf(item.option));
        continue;
      }
      for (FormatProgram &child : item.children) child = child.withOptions(textOf);
      if (item.kind == Kind::Literal)
        result.literal(item.text);
      else
        result.items.push_back(std::move(item));
    }
    return result;
  }

  // Renumbers every operand: `map` takes and returns an operand number.
  template <typename Map> void remap(const Map &map) {
    for (Item &item : items) {
      item.ref.operand = item.usesOperand() ? map(item.ref.operand) : 0;
      for (SliceBound &bound : item.bounds)
        if (bound.operand) bound.operand->operand = map(bound.operand->operand);
      for (FormatProgram &child : item.children) child.remap(map);
    }
  }

  bool empty() const { return items.empty(); }
  // Whether some of its text is known, so that the whole is never empty.
  bool hasLiteral() const {
    for (const Item &item : items) {
      if (item.kind == Kind::Literal) return true;
      if (item.kind == Kind::PathJoin)
        for (const FormatProgram &child : item.children)
          if (child.hasLiteral()) return true;
    }
    return false;
  }
  // The text, if no hole is in it: then it is a static string.
  std::optional<std::string> staticText() const {
    if (items.empty()) return std::string();
    if (items.size() == 1 && items[0].kind == Kind::Literal) return items[0].text;
    return std::nullopt;
  }

  // The program as the runtime reads it.
  std::string serialize() const {
    std::string out;
    for (const Item &item : items) item.serialize(out);
    return out;
  }

private:
  enum class Kind { Literal, Hole, Format, Percent, Group, Table, Elements, Option, PathJoin };

  struct Item {
    Kind kind;
    std::string text; // a literal's bytes, or a hole's options
    OperandRef ref{0};
    Flavour flavour = Flavour::Python;
    Conversion conversion = Conversion::Str;
    int64_t option = 0;
    std::vector<SliceBound> bounds;
    std::vector<FormatProgram> children;

    explicit Item(Kind kind) : kind(kind) {}
    bool usesOperand() const {
      return kind != Kind::Literal && kind != Kind::Group && kind != Kind::Option && kind != Kind::PathJoin;
    }

    void serialize(std::string &out) const {
      std::string style{static_cast<char>(flavour), static_cast<char>(conversion)};
      switch (kind) {
      case Kind::Literal:
        out += '"' + std::to_string(text.size()) + ':' + text;
        return;
      case Kind::Hole:
        out += '%' + ref.text() + style + text + ';';
        return;
      case Kind::Format:
        out += 'F' + ref.text() + style;
        break;
      case Kind::Percent:
        out += 'P' + ref.text() + style;
        break;
      case Kind::Group:
        out += std::string("G") + static_cast<char>(conversion);
        break;
      case Kind::Table:
        out += 'T' + ref.text() + '[';
        break;
      case Kind::Elements:
        out += 'E' + ref.text();
        for (const SliceBound &bound : bounds) out += ':' + bound.text();
        break;
      case Kind::Option:
        out += 'O' + std::to_string(option) + ';';
        return;
      case Kind::PathJoin:
        out += 'J';
        break;
      }
      for (const FormatProgram &child : children) out += '(' + child.serialize() + ')';
      if (kind == Kind::Table) out += ']';
    }
  };

  Item &add(Kind kind, OperandRef ref, Flavour flavour) {
    Item &item = items.emplace_back(kind);
    item.ref = std::move(ref);
    item.flavour = flavour;
    return item;
  }

  std::vector<Item> items;
};

} // namespace jx
#endif
