// IDX: two zero bytes, a type code, the rank, big-endian sizes. npy: a Python dict literal behind a magic and
// a length. Nothing in a header is believed before it is checked: rank, sizes and their product are bounded
// first.
#include "Headers.h"
#include <cctype>
#include <cstring>

namespace jxrt {

int64_t ArrayHeader::elements() const {
  int64_t count = 1;
  for (int64_t dim : shape) count *= dim;
  return count;
}

std::string ArrayHeader::text() const {
  std::string out = std::string(jxrt_dtype_name(dtype)) + '[';
  for (size_t i = 0; i < shape.size(); ++i) out += (i ? "," : "") + std::to_string(shape[i]);
  return out + ']';
}

namespace {

// Refuses sizes that overflow or that the source cannot hold.
bool checkSizes(const ByteSource &source, const ArrayHeader &header, FileError &error) {
  jxrt_array array{nullptr, static_cast<int64_t>(header.shape.size()), header.shape.data(), header.dtype, 0};
  int64_t bytes = jxrt_array_bytes(&array);
  if (bytes < 0) return error.set("ValueError", "has a header whose size overflows: " + header.text());
  if (bytes > source.mostBytes())
    return error.set("ValueError",
                     "promises " + header.text() + " (" + std::to_string(bytes) +
                         " bytes), but the file is too short for that: it is truncated or damaged");
  return true;
}

} // namespace

bool readIdxHeader(ByteSource &source, ArrayHeader &header, FileError &error) {
  unsigned char start[4], dims[4 * 255];
  int64_t got;
  if (!source.read(start, 4, got, error) || start[0] || start[1]) {
    if (error.className.empty() || error.className == "EOFError")
      error.set("ValueError", "is not an IDX file: it does not start with two zero bytes, a type and a rank");
    return false;
  }
  switch (start[2]) {
  case 0x08:
    header.dtype = JXRT_U8;
    break;
  case 0x09:
    header.dtype = JXRT_I8;
    break;
  case 0x0B:
    header.dtype = JXRT_I16;
    break;
  case 0x0C:
    header.dtype = JXRT_I32;
    break;
  case 0x0D:
    header.dtype = JXRT_F32;
    break;
  case 0x0E:
    header.dtype = JXRT_F64;
    break;
  default:
    return error.set("ValueError", "is not an IDX file: unknown type code " + std::to_string(start[2]));
  }
  if (start[3] > JXRT_MAX_RANK)
    return error.set("ValueError", "has rank " + std::to_string(start[3]) + "; at most " +
                                       std::to_string(JXRT_MAX_RANK) + " is supported");
  if (!source.read(dims, 4 * start[3], got, error)) return error.set("ValueError", "ends inside its header");
  header.bigEndian = true;
  for (int i = 0; i < start[3]; ++i) {
    const unsigned char *d = dims + 4 * i;
    header.shape.push_back(int64_t(d[0]) << 24 | d[1] << 16 | d[2] << 8 | d[3]);
  }
  return checkSizes(source, header, error);
}

namespace {

// A reader of the dict literal that npy headers are: {'descr': '<f4', 'fortran_order': False, 'shape': (3,
// 4), }
class NpyDict {
public:
  explicit NpyDict(const std::string &text) : text(text) {}

  bool read(ArrayHeader &header, FileError &error) {
    bool descr = false, order = false, shape = false;
    if (!take('{')) return malformed(error);
    while (!take('}')) {
      std::string key, value;
      if (!string(key) || !take(':')) return malformed(error);
      if (key == "descr" && !descr) {
        if (take('[')) return error.set("ValueError", "holds a structured array, which has no jx dtype");
        if (!string(value)) return malformed(error);
        if (!dtype(value, header, error)) return false;
        descr = true;
      } else if (key == "fortran_order" && !order) {
        header.fortranOrder = word("True");
        if (!header.fortranOrder && !word("False")) return malformed(error);
        order = true;
      } else if (key == "shape" && !shape) {
        if (!tuple(header.shape)) return malformed(error);
        shape = true;
      } else {
        return malformed(error);
      }
      take(',');
    }
    return (descr && order && shape) || malformed(error);
  }

private:
  const std::string &text;
  size_t at = 0;

  bool malformed(FileError &error) { return error.set("ValueError", "has a malformed npy header"); }
  void blanks() {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
  }
  bool take(char c) {
    blanks();
    if (at >= text.size() || text[at] != c) return false;
    ++at;
    return true;
  }
  bool word(const char *expected) {
    blanks();
    if (text.compare(at, std::strlen(expected), expected) != 0) return false;
    at += std::strlen(expected);
    return true;
  }
  bool string(std::string &out) {
    blanks();
    if (at >= text.size() || (text[at] != '\'' && text[at] != '"')) return false;
    size_t close = text.find(text[at], at + 1);
    if (close == text.npos) return false;
    out = text.substr(at + 1, close - at - 1);
    at = close + 1;
    return true;
  }
  bool tuple(std::vector<int64_t> &out) {
    if (!take('(')) return false;
    while (!take(')')) {
      blanks();
      int64_t value = 0;
      size_t begin = at;
      for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])); ++at)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, text[at] - '0', &value))
          return false;
      if (at < text.size() && text[at] == 'L') ++at; // Python 2
      if (at == begin || out.size() >= JXRT_MAX_RANK) return false;
      out.push_back(value);
      take(',');
    }
    return true;
  }

  bool dtype(const std::string &descr, ArrayHeader &header, FileError &error) {
    static constexpr std::pair<const char *, int32_t> names[] = {
        {"b1", JXRT_BOOL}, {"i1", JXRT_I8},    {"i2", JXRT_I16}, {"i4", JXRT_I32},
        {"i8", JXRT_I64},  {"u1", JXRT_U8},    {"u2", JXRT_U16}, {"u4", JXRT_U32},
        {"u8", JXRT_U64},  {"f2", JXRT_F16},   {"f4", JXRT_F32}, {"f8", JXRT_F64},
        {"c8", JXRT_C64},  {"c16", JXRT_C128}, {"V2", JXRT_BF16}}; // NumPy has no bfloat16: its arrays are
                                                                   // stored as two bytes without a type
    size_t skip = !descr.empty() && std::strchr("<>|=", descr[0]) ? 1 : 0;
    for (auto [name, dtype] : names)
      if (descr.compare(skip, descr.npos, name) == 0) {
        header.dtype = dtype;
        header.bigEndian = descr[0] == '>';
        return true;
      }
    if (descr == "|O" || descr == "O")
      return error.set("ValueError", "holds Python objects, which need pickle");
    return error.set("ValueError", "holds elements of NumPy's dtype '" + descr + "', which has no jx dtype");
  }
};

} // namespace

bool readNpyHeader(ByteSource &source, ArrayHeader &header, FileError &error) {
  unsigned char start[8], length[4] = {};
  int64_t got;
  if (!source.read(start, 8, got, error) || std::memcmp(start, "\x93NUMPY", 6) != 0) {
    if (error.className.empty() || error.className == "EOFError")
      error.set("ValueError", "is not an npy file: it does not start with \\x93NUMPY");
    return false;
  }
  if (start[6] < 1 || start[6] > 3)
    return error.set("ValueError", "has an unknown npy version " + std::to_string(start[6]));
  FileError early;
  if (!source.read(length, start[6] == 1 ? 2 : 4, got, early))
    return error.set("ValueError", "ends inside its header");
  int64_t bytes = length[0] | length[1] << 8 | length[2] << 16 | int64_t(length[3]) << 24;
  // NumPy refuses larger headers too: parsing them is an attack.
  if (bytes > 1 << 16)
    return error.set("ValueError", "has an npy header of " + std::to_string(bytes) + " bytes");
  std::string text(bytes, '\0');
  if (!source.read(text.data(), bytes, got, early)) return error.set("ValueError", "ends inside its header");
  return NpyDict(text).read(header, error) && checkSizes(source, header, error);
}

std::string npyHeader(int32_t dtype, const std::vector<int64_t> &shape) {
  static constexpr const char *descrs[] = {"|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4",
                                           "<u8", "<f2", "<V2", "<f4", "<f8", "<c8", "<c16"};
  if (dtype < 0 || dtype >= JXRT_KEY) return "";
  std::string dict = std::string("{'descr': '") + descrs[dtype] + "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < shape.size(); ++i) dict += (i ? ", " : "") + std::to_string(shape[i]);
  dict += shape.size() == 1 ? ",), }" : "), }";
  // NumPy leaves room for the leading axis to grow to 21 digits, then aligns the data to 64 bytes.
  if (!shape.empty()) dict.append(21 - std::to_string(shape[0]).size(), ' ');
  size_t total = 10 + dict.size() + 1;
  dict.append((64 - total % 64) % 64, ' ');
  dict += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(dict.size() & 255);
  out += static_cast<char>(dict.size() >> 8);
  return out + dict;
}

} // namespace jxrt
