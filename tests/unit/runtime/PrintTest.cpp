// Every recorded print of Python, NumPy and JAX, rendered by jxrt_format. Recorded by record_prints.py.
#include "jxrt/Format.h"
#include "gtest/gtest.h"
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

namespace {

std::string unhex(const std::string &text) {
  std::string out;
  if (text == "-") return out;
  for (size_t i = 0; i + 1 < text.size(); i += 2)
    out += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  return out;
}

std::string unescape(const std::string &text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "\\x") == 0) {
      out += static_cast<char>(std::stoi(text.substr(i + 2, 2), nullptr, 16));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

int32_t dtypeByName(const std::string &name) {
  for (int32_t dtype = 0; dtype < JXRT_DTYPE_COUNT; ++dtype)
    if (name == jxrt_dtype_name(dtype)) return dtype;
  ADD_FAILURE() << "unknown dtype " << name;
  return JXRT_F32;
}

// An operand with the memory that it points to.
struct Operand {
  std::string bytes;
  std::vector<int64_t> shape;
  jxrt_value value{};

  explicit Operand(const std::string &line) {
    std::istringstream in(line);
    std::string kind, text;
    in >> kind;
    if (kind == "array") {
      std::string dtype, dims, data, dim;
      in >> dtype >> dims >> data;
      bytes = unhex(data);
      std::istringstream list(dims == "-" ? "" : dims);
      while (std::getline(list, dim, ',')) shape.push_back(std::stoll(dim));
      value.kind = JXRT_VALUE_ARRAY;
      value.dtype = dtypeByName(dtype);
      value.rank = static_cast<int64_t>(shape.size());
      value.shape = shape.data();
    } else if (kind == "string") {
      bytes = unescape(line.size() > 7 ? line.substr(7) : "");
      value.kind = JXRT_VALUE_STRING;
      value.scalar.i = static_cast<int64_t>(bytes.size());
    } else {
      in >> text;
      if (kind == "float") {
        value.kind = JXRT_VALUE_FLOAT;
        std::memcpy(&value.scalar.f, unhex(text).data(), 8);
      } else {
        value.kind = kind == "int" ? JXRT_VALUE_INT : JXRT_VALUE_BOOL;
        value.scalar.i = std::stoll(text);
      }
    }
    value.data = bytes.data();
  }
};

std::string render(const std::string &program, const std::vector<jxrt_value> &operands) {
  jxrt_string out{};
  jxrt_format_error error{};
  int32_t status = jxrt_format(nullptr, program.data(), static_cast<int64_t>(program.size()), operands.data(),
                               static_cast<int64_t>(operands.size()), &out, &error);
  std::string text = status ? std::string(error.class_name) + ": " + error.message
                            : std::string(out.data ? out.data : "", out.length);
  jxrt_string_free(&out);
  return text;
}

TEST(Print, EqualsRecordedPrints) {
  std::ifstream file(JX_TEST_DATA "/recorded_prints.txt");
  ASSERT_TRUE(file.is_open());
  std::vector<std::unique_ptr<Operand>> operands;
  std::string line, program;
  int count = 0;
  while (std::getline(file, line)) {
    size_t space = line.find(' ');
    std::string word = line.substr(0, space), rest = space == line.npos ? "" : line.substr(space + 1);
    if (word == "operand") {
      operands.push_back(std::make_unique<Operand>(rest));
    } else if (word == "program") {
      program = unescape(rest);
    } else if (word == "expect") {
      std::vector<jxrt_value> values;
      for (auto &operand : operands) values.push_back(operand->value);
      EXPECT_EQ(render(program, values), unescape(rest)) << "program " << program;
      operands.clear();
      ++count;
    }
  }
  EXPECT_GE(count, 200);
}

std::string recordedSweep(const std::string &name) {
  std::ifstream file(JX_TEST_DATA "/recorded_prints.txt");
  std::string line, prefix = "sweep " + name + " ";
  while (std::getline(file, line))
    if (line.starts_with(prefix)) return line.substr(prefix.size());
  return "missing";
}

// The FNV-1a hash of str() of `count` arrays of `dtype` and `shape` that lie one after the other in `data`.
std::string sweep(const void *data, int32_t dtype, std::vector<int64_t> shape, int64_t count) {
  jxrt_value value{};
  value.kind = JXRT_VALUE_ARRAY;
  value.dtype = dtype;
  value.rank = static_cast<int64_t>(shape.size());
  value.shape = shape.data();
  int64_t bytes = jxrt_dtype_bytes(dtype);
  for (int64_t dim : shape) bytes *= dim;
  uint64_t hash = 0xCBF29CE484222325;
  for (int64_t i = 0; i < count; ++i) {
    value.data = static_cast<const char *>(data) + i * bytes;
    for (char c : render("%0js;", {value}) + "\n")
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

TEST(Print, SweepsOfFloats) {
  std::vector<uint16_t> halves(65536);
  for (size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<uint16_t>(i);
  EXPECT_EQ(sweep(halves.data(), JXRT_F16, {}, 65536), recordedSweep("float16"));
  EXPECT_EQ(sweep(halves.data(), JXRT_BF16, {}, 65536), recordedSweep("bfloat16"));
  std::vector<uint32_t> bits(20000);
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<uint32_t>(i + 1) * 0x9E3779B1u;
  EXPECT_EQ(sweep(bits.data(), JXRT_F32, {}, 20000), recordedSweep("float32"));
  EXPECT_EQ(sweep(bits.data(), JXRT_F32, {2}, 10000), recordedSweep("pairs"));
}

// A malformed program is refused, wherever it is cut; it never reads past its end.
TEST(Print, RefusesMalformedPrograms) {
  double number = 1.5;
  jxrt_value value{};
  value.kind = JXRT_VALUE_ARRAY;
  value.dtype = JXRT_F64;
  value.data = &number;
  std::string whole = "\"2:ab%0js{p=1:3};F0hs(\"3:.2f)Gs(\"2:>9)(\"1:x)P0hs(\"1:f)";
  EXPECT_EQ(render(whole, {value}), "ab1.51.50        x1.500000");
  int refused = 0;
  for (size_t cut = 1; cut < whole.size(); ++cut)
    refused += render(whole.substr(0, cut), {value}).find("malformed format program") != std::string::npos;
  EXPECT_GE(refused, static_cast<int>(whole.size()) - 10);
  EXPECT_NE(render("%1js;", {value}).find("malformed"), std::string::npos);
  EXPECT_NE(render("%0.0js;", {value}).find("malformed"), std::string::npos);
  EXPECT_NE(render("\"99999999999999999999:a", {}).find("malformed"), std::string::npos);
  EXPECT_NE(render("\"9:a", {}).find("malformed"), std::string::npos);
}

} // namespace
