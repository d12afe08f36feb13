// The layout follows numpy/_core/arrayprint.py of NumPy 2.4 step by step: choose one format for all shown
// elements, then write rows, wrapped at the line width, with the middle of long axes left out of large
// arrays.
#include "ArrayText.h"
#include "ElementFormat.h"
#include "Scalar.h"
#include <algorithm>

namespace jxrt {

namespace {

std::string rstrip(std::string text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.pop_back();
  return text;
}

// The elements that a summary shows: the first and last `edge` of every axis; all of them where edge < 0.
void collectCorners(const ArrayView &array, int64_t edge, size_t axis, int64_t offset,
                    std::vector<const char *> &out) {
  int64_t bytes = jxrt_dtype_bytes(array.dtype);
  if (axis == array.shape.size()) {
    out.push_back(array.data + offset * bytes);
    return;
  }
  int64_t length = array.shape[axis];
  for (int64_t i = 0; i < length; ++i) {
    if (edge >= 0 && length > 2 * edge && i == edge) i = length - edge;
    if (i < length) collectCorners(array, edge, axis + 1, offset * length + i, out);
  }
}

// _formatArray: rows of words between brackets.
class RowWriter {
public:
  RowWriter(const ArrayView &array, const ElementFormat &format, const PrintOptions &options, bool summarize)
      : array(array), format(format), options(options), summarize(summarize) {}

  std::string write(size_t axis, int64_t offset, const std::string &indent, int64_t width) const {
    int64_t bytes = jxrt_dtype_bytes(array.dtype);
    if (axis == array.shape.size()) return format(array.data + offset * bytes);
    int64_t length = array.shape[axis];
    bool cut = summarize && 2 * options.edgeitems < length;
    int64_t leading = cut ? options.edgeitems : 0, trailing = cut ? options.edgeitems : length;
    size_t axesLeft = array.shape.size() - axis;
    std::string nextIndent = indent + ' ';
    int64_t nextWidth = width - 1;
    auto element = [&](int64_t i) { return write(axis + 1, offset * length + i, nextIndent, nextWidth); };
    std::string out;
    if (axesLeft == 1) {
      int64_t room = width - std::max<int64_t>(rstrip(options.separator).size(), 1);
      std::string line = indent;
      auto extend = [&](const std::string &word) {
        // A line that holds nothing but its indent is not wrapped: that would not help.
        if (static_cast<int64_t>(line.size() + word.size()) > room && line.size() > indent.size()) {
          out += rstrip(line) + '\n';
          line = indent;
        }
        line += word;
      };
      for (int64_t i = 0; i < leading; ++i) {
        extend(element(i));
        line += options.separator;
      }
      if (cut) {
        extend("...");
        line += options.separator;
      }
      for (int64_t i = trailing; i > 1; --i) {
        extend(element(length - i));
        line += options.separator;
      }
      // With edgeitems 0 NumPy still writes the last element.
      extend(element(length - 1));
      out += line;
    } else {
      std::string separator = rstrip(options.separator) + std::string(axesLeft - 1, '\n');
      for (int64_t i = 0; i < leading; ++i) out += indent + element(i) + separator;
      if (cut) out += indent + "..." + separator;
      for (int64_t i = trailing; i > 1; --i) out += indent + element(length - i) + separator;
      out += indent + element(length - 1);
    }
    return '[' + out.substr(indent.size()) + ']';
  }

private:
  const ArrayView &array;
  const ElementFormat &format;
  const PrintOptions &options;
  bool summarize;
};

std::string shapeText(const std::vector<int64_t> &shape) {
  std::string out = "(";
  for (size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + (shape.size() == 1 ? ",)" : ")");
}

ArrayView keyWords(const ArrayView &keys) {
  ArrayView words = keys;
  words.dtype = JXRT_U32;
  words.shape.push_back(2);
  return words;
}

} // namespace

std::string arrayToString(const ArrayView &array, const PrintOptions &options) {
  int64_t size = array.elements();
  if (size == 0) return "[]";
  bool summarize = size > options.threshold;
  std::vector<const char *> shown;
  collectCorners(array, summarize ? options.edgeitems : -1, 0, 0, shown);
  ElementFormat format(shown, array.dtype, array.shape.empty(), options);
  std::string indent(1 + options.prefix.size(), ' ');
  int64_t width = options.linewidth - static_cast<int64_t>(options.suffix.size());
  return RowWriter(array, format, options, summarize).write(0, 0, indent, width);
}

std::string arrayStr(const ArrayView &array, const PrintOptions &options) {
  if (array.dtype == JXRT_KEY) return jaxRepr(array, false, options);
  if (array.shape.empty()) return numpyText(loadScalar(array.data, array.dtype));
  return arrayToString(array, options);
}

std::string jaxRepr(const ArrayView &array, bool weak, const PrintOptions &given) {
  if (array.dtype == JXRT_KEY)
    return "Array(" + shapeText(array.shape) + ", dtype=key<fry>) overlaying:\n" +
           arrayToString(keyWords(array), given);
  PrintOptions options = given;
  options.prefix = "Array(";
  options.separator = ", ";
  options.suffix = ",";
  std::string dtype = std::string("dtype=") + jxrt_dtype_name(array.dtype) + (weak ? ", weak_type=True" : "");
  std::string body =
      array.elements() == 0 ? "[], shape=" + shapeText(array.shape) : arrayToString(array, options);
  size_t newline = body.rfind('\n');
  int64_t lastLine = body.size() - (newline == body.npos ? -1 : static_cast<int64_t>(newline)) + 1;
  // JAX widens the gap, without a new line, where the dtype would pass the line's end.
  bool overlong = lastLine + static_cast<int64_t>(dtype.size()) + 2 > options.linewidth;
  return options.prefix + body + ',' + (overlong ? std::string(options.prefix.size(), ' ') : " ") + dtype +
         ')';
}

std::string numpyArrayRepr(const ArrayView &array, const PrintOptions &given) {
  PrintOptions options = given;
  options.prefix = "array(";
  options.separator = ", ";
  options.suffix = ")";
  int64_t size = array.elements();
  std::string out = options.prefix + arrayToString(array, options);
  std::string extras;
  bool emptyVector = array.shape.size() == 1 && array.shape[0] == 0;
  if ((size == 0 && !emptyVector) || size > options.threshold) extras = "shape=" + shapeText(array.shape);
  bool implied = array.dtype == JXRT_I64 || array.dtype == JXRT_F64 || array.dtype == JXRT_C128 ||
                 array.dtype == JXRT_BOOL;
  if (!implied || size == 0) {
    extras += std::string(extras.empty() ? "dtype=" : ", dtype=") + jxrt_dtype_name(array.dtype);
  }
  if (extras.empty()) return out + ')';
  out += ',';
  extras += ')';
  size_t newline = out.rfind('\n');
  int64_t lastLine = out.size() - (newline == out.npos ? 0 : newline + 1);
  bool overlong = lastLine + static_cast<int64_t>(extras.size()) + 1 > options.linewidth;
  return out + (overlong ? '\n' + std::string(options.prefix.size(), ' ') : " ") + extras;
}

std::string nestedLists(const ArrayView &array) {
  if (array.shape.empty()) return pythonText(loadScalar(array.data, array.dtype));
  ArrayView inner = array;
  inner.shape.erase(inner.shape.begin());
  int64_t stride = inner.elements() * jxrt_dtype_bytes(array.dtype);
  std::string out = "[";
  for (int64_t i = 0; i < array.shape[0]; ++i) {
    inner.data = array.data + i * stride;
    out += (i ? ", " : "") + nestedLists(inner);
  }
  return out + ']';
}

} // namespace jxrt
