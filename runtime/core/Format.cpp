// Renders format programs (jxrt/Format.h): a recursive-descent reader that writes text as it reads.
#include "jxrt/Format.h"
#include "ArrayText.h"
#include "ContextImpl.h"
#include "FormatNumber.h"
#include <cstdlib>
#include <cstring>
#include <new>

namespace jxrt {
namespace {

// What a ref denotes: one host value, or an array (rank 0 included), or a stack to iterate.
struct Operand {
  enum Kind { Host, Array, Stack } kind = Host;
  Scalar host;
  ArrayView array; // of a stack: its first element
  int64_t length = 0;
};

class Renderer {
public:
  Renderer(const jxrt_context *ctx, std::string_view program, const jxrt_value *operands, int64_t count,
           jxrt_format_error &error)
      : ctx(ctx), program(program), operands(operands), count(count), error(error) {}

  bool run(std::string &out) { return items(out) && (at == program.size() || malformed()); }

private:
  const jxrt_context *ctx;
  std::string_view program;
  size_t at = 0;
  const jxrt_value *operands;
  int64_t count;
  jxrt_format_error &error;
  std::vector<int64_t> indices; // of the enclosing E items, outermost first

  bool malformed() {
    return fail(error, "SystemError", "malformed format program at byte " + std::to_string(at));
  }
  bool expect(char c) {
    if (at >= program.size() || program[at] != c) return malformed();
    ++at;
    return true;
  }
  bool peek(char c) const { return at < program.size() && program[at] == c; }

  bool number(int64_t &value) {
    size_t begin = at;
    value = 0;
    for (; at < program.size() && program[at] >= '0' && program[at] <= '9'; ++at)
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, program[at] - '0', &value))
        return malformed();
    return at > begin || malformed();
  }

  bool bytes(std::string_view &text) {
    int64_t length;
    if (!number(length) || !expect(':')) return false;
    if (length > static_cast<int64_t>(program.size() - at)) return malformed();
    text = program.substr(at, length);
    at += length;
    return true;
  }

  // --- Operands ---

  bool open(const jxrt_value &value, Operand &out) {
    switch (value.kind) {
    case JXRT_VALUE_INT:
      out.host.integer = value.scalar.i;
      return true;
    case JXRT_VALUE_FLOAT:
      out.host.kind = ScalarKind::Float;
      out.host.dtype = JXRT_F64;
      out.host.real = value.scalar.f;
      return true;
    case JXRT_VALUE_BOOL:
      out.host.kind = ScalarKind::Bool;
      out.host.dtype = JXRT_BOOL;
      out.host.integer = value.scalar.i != 0;
      return true;
    case JXRT_VALUE_STRING:
      out.host.kind = ScalarKind::String;
      out.host.text = {static_cast<const char *>(value.data), static_cast<size_t>(value.scalar.i)};
      return true;
    case JXRT_VALUE_ARRAY:
    case JXRT_VALUE_STACK:
      if (!jxrt_dtype_bytes(value.dtype) || value.rank < 0) return malformed();
      out.kind = value.kind == JXRT_VALUE_ARRAY ? Operand::Array : Operand::Stack;
      out.array.data = static_cast<const char *>(value.data);
      out.array.dtype = value.dtype;
      out.array.shape.assign(value.shape, value.shape + value.rank);
      out.length = value.scalar.i;
      return true;
    default:
      return malformed();
    }
  }

  // The element at `index` of a stack or of an array's leading axis; a 1-d array's is a rank-0 array.
  bool select(Operand &operand, int64_t index) {
    if (operand.kind == Operand::Host) return malformed();
    if (operand.kind == Operand::Array) {
      if (operand.array.shape.empty()) return malformed();
      operand.length = operand.array.shape.front();
      operand.array.shape.erase(operand.array.shape.begin());
    }
    if (index < 0 || index >= operand.length) return fail(error, "IndexError", "list index out of range");
    operand.kind = Operand::Array;
    operand.array.data += index * operand.array.elements() * jxrt_dtype_bytes(operand.array.dtype);
    return true;
  }

  bool ref(Operand &out) {
    int64_t index, level;
    if (!number(index)) return false;
    if (index >= count) return malformed();
    if (!open(operands[index], out)) return false;
    while (peek('.')) {
      ++at;
      if (!number(level)) return false;
      // While a program is only skipped there is no current index.
      if (level >= static_cast<int64_t>(indices.size())) return malformed();
      if (!select(out, indices[level])) return false;
    }
    return true;
  }

  bool integer(const Operand &operand, int64_t &value) {
    Scalar scalar = operand.host;
    if (operand.kind != Operand::Host) {
      if (operand.kind == Operand::Stack || operand.array.rank() != 0 || operand.array.dtype == JXRT_KEY)
        return malformed();
      scalar = loadScalar(operand.array.data, operand.array.dtype);
    }
    switch (scalar.kind) {
    case ScalarKind::Bool:
    case ScalarKind::Int:
      value = scalar.integer;
      return true;
    case ScalarKind::Unsigned:
      value = static_cast<int64_t>(scalar.natural);
      return true;
    default:
      return malformed();
    }
  }

  // --- Texts of one operand ---

  bool plainText(const Operand &operand, char flavour, char conversion, const PrintOptions &options,
                 std::string &out) {
    if (operand.kind == Operand::Stack) return malformed();
    bool repr = conversion != 's';
    std::string text;
    if (operand.kind == Operand::Host) {
      bool isString = operand.host.kind == ScalarKind::String;
      text = isString && repr ? stringRepr(operand.host.text, conversion == 'a') : pythonText(operand.host);
    } else {
      const ArrayView &array = operand.array;
      bool isKey = array.dtype == JXRT_KEY;
      if (flavour == 'h' && !isKey)
        text = nestedLists(array);
      else if (!repr)
        text = arrayStr(array, options);
      else if (flavour == 'j' || flavour == 'w' || isKey)
        text = jaxRepr(array, flavour == 'w', options);
      else if (flavour == 'g' && array.shape.empty())
        text = numpyRepr(loadScalar(array.data, array.dtype));
      else
        text = numpyArrayRepr(array, options);
    }
    out += text;
    return true;
  }

  bool formatted(const Operand &operand, char flavour, const std::string &spec, std::string &out) {
    if (operand.kind == Operand::Host) return formatScalar(operand.host, spec, out, error);
    if (operand.kind == Operand::Stack) return malformed();
    const ArrayView &array = operand.array;
    bool scalar = array.shape.empty() && array.dtype != JXRT_KEY;
    if (!scalar) {
      if (spec.empty()) return plainText(operand, flavour, 's', {}, out);
      if (flavour == 'h')
        return fail(error, "TypeError", "unsupported format string passed to list.__format__");
      return fail(error, "TypeError",
                  array.dtype == JXRT_KEY ? "unsupported format string passed to PRNGKeyArray.__format__"
                                          : "unsupported format string passed to numpy.ndarray.__format__");
    }
    // NumPy's scalars format as the Python number of the same value: float32 and bfloat16 through double.
    return formatScalar(loadScalar(array.data, array.dtype), spec, out, error);
  }

  bool printOptions(PrintOptions &options) {
    if (!peek('{')) return true;
    ++at;
    while (!peek('}')) {
      if (at >= program.size()) return malformed();
      char letter = program[at++];
      std::string_view text;
      if (!expect('=') || !bytes(text)) return false;
      std::string value(text);
      int64_t number = std::strtoll(value.c_str(), nullptr, 10);
      switch (letter) {
      case 'p':
        options.precision = static_cast<int>(number);
        break;
      case 's':
        options.suppress = number != 0;
        break;
      case 'l':
        options.linewidth = number;
        break;
      case 't':
        options.threshold = number;
        break;
      case 'e':
        options.edgeitems = number;
        break;
      case 'g':
        options.sign = value.empty() ? '-' : value[0];
        break;
      case 'f':
        options.floatmode = value;
        break;
      case 'n':
        options.nanstr = value;
        break;
      case 'i':
        options.infstr = value;
        break;
      case 'x':
        options.separator = value;
        break;
      case 'b':
        options.prefix = value;
        break;
      case 'a':
        options.suffix = value;
        break;
      default:
        return malformed();
      }
    }
    return expect('}');
  }

  // --- Items ---

  bool style(char &flavour, char &conversion) {
    if (at + 2 > program.size()) return malformed();
    flavour = program[at++];
    conversion = program[at++];
    return (flavour && std::strchr("jwngh", flavour) && conversion && std::strchr("sra", conversion)) ||
           malformed();
  }

  bool child(std::string &out) { return expect('(') && items(out) && expect(')'); }

  // Passes over a parenthesised program without rendering it.
  bool skipChild() {
    if (!expect('(')) return false;
    while (!peek(')')) {
      if (at >= program.size()) return malformed();
      char kind = program[at++];
      std::string_view text;
      switch (kind) {
      case '"':
        if (!bytes(text)) return false;
        break;
      case 'O': {
        int64_t index;
        if (!number(index) || !expect(';')) return false;
        break;
      }
      case '%': {
        PrintOptions ignored;
        while (at < program.size() && program[at] != '{' && program[at] != ';') ++at;
        if (!printOptions(ignored) || !expect(';')) return false;
        break;
      }
      default:
        while (at < program.size() && program[at] != '(' && program[at] != '[') ++at;
        if (peek('[')) {
          ++at;
          while (peek('('))
            if (!skipChild()) return false;
          if (!expect(']')) return false;
        } else {
          while (peek('('))
            if (!skipChild()) return false;
        }
      }
    }
    return expect(')');
  }

  bool items(std::string &out) {
    while (at < program.size() && program[at] != ')') {
      char kind = program[at++];
      bool ok = kind == '"'   ? literal(out)
                : kind == '%' ? hole(out)
                : kind == 'F' ? format(out)
                : kind == 'P' ? percent(out)
                : kind == 'G' ? group(out)
                : kind == 'T' ? table(out)
                : kind == 'E' ? elements(out)
                : kind == 'O' ? option(out)
                : kind == 'J' ? pathJoin(out)
                              : (--at, malformed());
      if (!ok) return false;
    }
    return true;
  }

  bool literal(std::string &out) {
    std::string_view text;
    if (!bytes(text)) return false;
    out += text;
    return true;
  }

  bool hole(std::string &out) {
    Operand operand;
    PrintOptions options;
    char flavour, conversion;
    return ref(operand) && style(flavour, conversion) && printOptions(options) && expect(';') &&
           plainText(operand, flavour, conversion, options, out);
  }

  bool format(std::string &out) {
    Operand operand;
    char flavour, conversion;
    std::string spec;
    return ref(operand) && style(flavour, conversion) && child(spec) &&
           formatted(operand, flavour, spec, out);
  }

  bool percent(std::string &out) {
    Operand operand;
    char flavour, conversion;
    std::string spec, strText, reprText;
    if (!ref(operand) || !style(flavour, conversion) || !child(spec)) return false;
    if (!plainText(operand, flavour, 's', {}, strText)) return false;
    bool ascii = !spec.empty() && spec.back() == 'a';
    if (!plainText(operand, flavour, ascii ? 'a' : 'r', {}, reprText)) return false;
    Scalar value = operand.host;
    if (operand.kind == Operand::Array) {
      bool textOnly = !spec.empty() && std::strchr("sra", spec.back());
      if (operand.array.elements() == 1 && operand.array.dtype != JXRT_KEY)
        value = loadScalar(operand.array.data, operand.array.dtype);
      else if (!textOnly)
        return fail(error, "TypeError", "only 0-dimensional arrays can be converted to Python scalars");
    }
    return percentScalar(value, spec, strText, reprText, out, error);
  }

  bool group(std::string &out) {
    if (at >= program.size()) return malformed();
    char conversion = program[at++];
    std::string spec, text;
    if (!child(spec) || !child(text)) return false;
    if (conversion == 'r' || conversion == 'a') text = stringRepr(text, conversion == 'a');
    Scalar value;
    value.kind = ScalarKind::String;
    value.text = text;
    return formatScalar(value, spec, out, error);
  }

  bool table(std::string &out) {
    Operand operand;
    int64_t choice;
    if (!ref(operand) || !integer(operand, choice) || !expect('[')) return false;
    bool found = false;
    for (int64_t i = 0; peek('('); ++i) {
      found |= i == choice;
      if (!(i == choice ? child(out) : skipChild())) return false;
    }
    return expect(']') && (found || fail(error, "IndexError", "list index out of range"));
  }

  bool option(std::string &out) {
    int64_t index;
    if (!number(index) || !expect(';')) return false;
    if (!ctx || index >= static_cast<int64_t>(ctx->impl->options.size())) return malformed();
    out += ctx->impl->options[index].text;
    return true;
  }

  // posixpath.join: an absolute second path stands alone.
  bool pathJoin(std::string &out) {
    std::string first, second;
    if (!child(first) || !child(second)) return false;
    if (second.starts_with('/')) first.clear();
    out += first;
    if (!first.empty() && !first.ends_with('/')) out += '/';
    out += second;
    return true;
  }

  bool bound(int64_t &value, bool &given) {
    given = true;
    if (peek('#')) {
      Operand operand;
      ++at;
      return ref(operand) && integer(operand, value);
    }
    bool negative = peek('-');
    at += negative;
    if (!negative && (peek(':') || peek('('))) {
      given = false;
      return true;
    }
    if (!number(value)) return false;
    if (negative) value = -value;
    return true;
  }

  bool elements(std::string &out) {
    Operand operand;
    int64_t start = 0, stop = 0, step = 1;
    bool hasStart, hasStop, hasStep;
    if (!ref(operand)) return false;
    if (!expect(':') || !bound(start, hasStart) || !expect(':') || !bound(stop, hasStop) || !expect(':') ||
        !bound(step, hasStep))
      return false;
    if (operand.kind == Operand::Host || (operand.kind == Operand::Array && operand.array.shape.empty()))
      return malformed();
    int64_t length = operand.kind == Operand::Stack ? operand.length : operand.array.shape[0];
    if (hasStep && step == 0) return fail(error, "ValueError", "slice step cannot be zero");
    if (!hasStep) step = 1;
    // Python's slice.indices.
    auto clamp = [&](int64_t value) {
      if (value < 0) value += length;
      int64_t low = step < 0 ? -1 : 0, high = step < 0 ? length - 1 : length;
      return value < low ? low : value > high ? high : value;
    };
    start = hasStart ? clamp(start) : step < 0 ? length - 1 : 0;
    stop = hasStop ? clamp(stop) : step < 0 ? -1 : length;
    std::string separator;
    if (!child(separator)) return false;
    size_t element = at;
    bool first = true;
    for (int64_t i = start; step < 0 ? i > stop : i < stop;) {
      if (!first) out += separator;
      first = false;
      at = element;
      indices.push_back(i);
      bool ok = child(out);
      indices.pop_back();
      if (!ok) return false;
      if (__builtin_add_overflow(i, step, &i)) break;
    }
    at = element;
    return skipChild();
  }
};

} // namespace
} // namespace jxrt

void jxrt_string_free(jxrt_string *text) {
  std::free(text->data);
  *text = {nullptr, 0, 0};
}

int32_t jxrt_format(const jxrt_context *ctx, const char *program, int64_t programBytes,
                    const jxrt_value *operands, int64_t operandCount, jxrt_string *out,
                    jxrt_format_error *error) {
  jxrt_format_error ignored;
  if (!error) error = &ignored;
  try {
    std::string text;
    jxrt::Renderer renderer(ctx, {program, static_cast<size_t>(programBytes)}, operands, operandCount,
                            *error);
    if (!renderer.run(text)) return 1;
    int64_t needed = out->length + static_cast<int64_t>(text.size()) + 1;
    if (needed > out->capacity) {
      void *grown = std::realloc(out->data, needed * 2);
      if (!grown) throw std::bad_alloc();
      out->data = static_cast<char *>(grown);
      out->capacity = needed * 2;
    }
    std::memcpy(out->data + out->length, text.data(), text.size());
    out->length += static_cast<int64_t>(text.size());
    out->data[out->length] = '\0';
    return 0;
  } catch (const std::bad_alloc &) {
    jxrt::fail(*error, "MemoryError", "out of memory while rendering text");
    return 1;
  }
}
