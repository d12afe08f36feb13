// Array files: NumPy's own bytes read and written, IDX, and files that lie.
#include "jxrt/Io.h"
#include "jxrt/FormatBuilder.h"
#include "gtest/gtest.h"
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>
#include <vector>
#include <zlib.h>

namespace {

std::string unhex(const std::string &text) {
  std::string out;
  for (size_t i = 0; text != "-" && i + 1 < text.size(); i += 2)
    out += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  return out;
}

std::string gzipped(const std::string &text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef *>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct Record {
  std::string name, bytes, file;
  int32_t dtype = -1;
  std::vector<int64_t> shape;
};

std::vector<Record> records() {
  std::ifstream in(JX_TEST_DATA "/recorded_files.txt");
  std::vector<Record> out;
  std::string line;
  while (std::getline(in, line)) {
    if (line[0] == '#') continue;
    std::istringstream fields(line);
    std::string dtype, dims, data, file, dim;
    Record record;
    fields >> record.name >> dtype >> dims >> data >> file;
    for (int32_t i = 0; i < JXRT_DTYPE_COUNT; ++i)
      if (dtype == jxrt_dtype_name(i)) record.dtype = i;
    std::istringstream list(dims == "-" ? "" : dims);
    while (std::getline(list, dim, ',')) record.shape.push_back(std::stoll(dim));
    record.bytes = unhex(data);
    record.file = unhex(file);
    out.push_back(record);
  }
  return out;
}

struct IoTest : testing::Test {
  jxrt_context *ctx = jxrt_context_create(nullptr);
  std::filesystem::path folder;
  IoTest() {
    std::string name = (std::filesystem::temp_directory_path() / "jx-io-XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  ~IoTest() override {
    std::filesystem::remove_all(folder);
    jxrt_context_destroy(ctx);
  }

  std::string put(const std::string &name, const std::string &bytes) {
    std::string path = (folder / name).string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string get(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  // Loads by path; returns the array's bytes, or "class: message".
  std::string load(const std::string &path, int32_t dtype, const std::vector<int64_t> &shape,
                   int32_t format = JXRT_FILE_AUTO, const char *member = nullptr) {
    std::string program = jx::FormatProgram(path).serialize();
    jxrt_array array{nullptr, static_cast<int64_t>(shape.size()), shape.data(), dtype, 0};
    std::string bytes(jxrt_array_bytes(&array), '\0');
    array.data = bytes.data();
    int32_t status = jxrt_load(ctx, program.data(), static_cast<int64_t>(program.size()), nullptr, 0, format,
                               member, &array, "a.jx:5");
    return status == JXRT_OK ? bytes : takeError();
  }
  std::string takeError() {
    const jxrt_error *error = jxrt_pending_error(ctx);
    std::string text = error ? std::string(error->class_name) + ": " + error->message : "none";
    size_t at = text.find(folder.string() + "/");
    if (at != text.npos) text.erase(at, folder.string().size() + 1);
    jxrt_error_clear(ctx);
    return text;
  }
  std::string headerError(const std::string &path, int32_t format = JXRT_FILE_AUTO) {
    jxrt_file_header header;
    return jxrt_read_header(ctx, path.c_str(), format, nullptr, &header, nullptr) == JXRT_OK ? "read"
                                                                                             : takeError();
  }
};

TEST_F(IoTest, ReadsWhatNumpyWrote) {
  int count = 0;
  for (const Record &record : records()) {
    std::string path = put("x", record.file);
    std::string member = record.name.starts_with("npz-") ? record.name.substr(4) : "";
    jxrt_file_header header;
    const char *name = member.empty() ? nullptr : member.c_str();
    ASSERT_EQ(jxrt_read_header(ctx, path.c_str(), JXRT_FILE_AUTO, name, &header, nullptr), JXRT_OK)
        << takeError();
    EXPECT_EQ(header.dtype, record.dtype);
    EXPECT_EQ(std::vector<int64_t>(header.shape, header.shape + header.rank), record.shape);
    EXPECT_EQ(load(path, record.dtype, record.shape, JXRT_FILE_AUTO, name), record.bytes);
    if (member.empty())
      EXPECT_EQ(load(put("x.gz", gzipped(record.file)), record.dtype, record.shape), record.bytes);
    ++count;
  }
  EXPECT_GE(count, 20);
}

TEST_F(IoTest, WritesWhatNumpyWrites) {
  for (Record &record : records()) {
    if (record.name != "npy") continue;
    jxrt_array array{record.bytes.data(), static_cast<int64_t>(record.shape.size()), record.shape.data(),
                     record.dtype, 0};
    std::string program = jx::FormatProgram((folder / "y").string()).serialize();
    ASSERT_EQ(jxrt_save(ctx, program.data(), static_cast<int64_t>(program.size()), nullptr, 0, JXRT_FILE_NPY,
                        0, nullptr, &array, 1, nullptr),
              JXRT_OK)
        << takeError();
    EXPECT_EQ(get((folder / "y.npy").string()), record.file) << jxrt_dtype_name(record.dtype);
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << "a temporary file was left";
}

TEST_F(IoTest, NpzRoundTrip) {
  float weights[] = {1, 2, 3, 4, 5, 6};
  int32_t step = 7;
  int64_t shape[] = {2, 3};
  jxrt_array arrays[] = {{weights, 2, shape, JXRT_F32, 0}, {&step, 0, nullptr, JXRT_I32, 0}};
  const char *names[] = {"weights", "step"};
  std::string path = (folder / "state.npz").string(), program = jx::FormatProgram(path).serialize();
  for (int compressed : {0, 1}) {
    ASSERT_EQ(jxrt_save(ctx, program.data(), static_cast<int64_t>(program.size()), nullptr, 0, JXRT_FILE_NPZ,
                        compressed, names, arrays, 2, nullptr),
              JXRT_OK);
    EXPECT_EQ(load(path, JXRT_F32, {2, 3}, JXRT_FILE_NPZ, "weights"),
              std::string(reinterpret_cast<char *>(weights), sizeof weights));
    EXPECT_EQ(load(path, JXRT_I32, {}, JXRT_FILE_NPZ, "step"),
              std::string(reinterpret_cast<char *>(&step), 4));
  }
  char *list = nullptr;
  ASSERT_EQ(jxrt_list_members(ctx, path.c_str(), &list, nullptr), JXRT_OK);
  EXPECT_STREQ(list, "weights\nstep\n");
  jxrt_free(ctx, list);
  EXPECT_EQ(load(path, JXRT_F32, {2}, JXRT_FILE_NPZ, "bias"),
            "KeyError: 'state.npz' has no array 'bias'; it holds weights, step");
  std::string bytes = get(path);
  // Every truncation is an error, and so is a flipped bit in the data.
  for (size_t cut = 0; cut < bytes.size(); ++cut) {
    std::string cutPath = put("cut.npz", bytes.substr(0, cut));
    EXPECT_NE(load(cutPath, JXRT_F32, {2, 3}, JXRT_FILE_NPZ, "weights").find("'cut.npz'"), std::string::npos);
  }
}

TEST_F(IoTest, DamagedNpzIsNoticed) {
  float values[] = {1, 2, 3, 4};
  int64_t shape[] = {4};
  jxrt_array array{values, 1, shape, JXRT_F32, 0};
  const char *name = "x";
  std::string path = (folder / "s.npz").string(), program = jx::FormatProgram(path).serialize();
  ASSERT_EQ(jxrt_save(ctx, program.data(), static_cast<int64_t>(program.size()), nullptr, 0, JXRT_FILE_NPZ, 0,
                      &name, &array, 1, nullptr),
            JXRT_OK);
  std::string bytes = get(path);
  bytes[30 + 5 + 128 + 3] ^= 1;
  EXPECT_EQ(load(put("bad.npz", bytes), JXRT_F32, {4}, JXRT_FILE_NPZ, "x"),
            "ValueError: 'bad.npz' is damaged: its checksum is wrong");
}

const std::string idx = std::string("\0\0\x08\x02\0\0\0\x02\0\0\0\x03", 12) + "abcdef";

TEST_F(IoTest, IdxPlainAndGzipped) {
  EXPECT_EQ(load(put("a", idx), JXRT_U8, {2, 3}, JXRT_FILE_IDX), "abcdef");
  EXPECT_EQ(load(put("a.gz", gzipped(idx)), JXRT_U8, {2, 3}), "abcdef");
  std::string wide = std::string("\0\0\x0b\x01\0\0\0\x02\x01\x02\xff\xfe", 12);
  EXPECT_EQ(load(put("w", wide), JXRT_I16, {2}), std::string("\x02\x01\xfe\xff", 4));
}

TEST_F(IoTest, WrongFilesAreExplained) {
  EXPECT_EQ(headerError((folder / "none").string()),
            "FileNotFoundError: [Errno 2] No such file or directory: 'none'");
  EXPECT_EQ(headerError(folder.string()).substr(0, 42), "IsADirectoryError: [Errno 21] Is a directo");
  EXPECT_EQ(headerError(put("empty", "")), "ValueError: 'empty' is empty");
  EXPECT_EQ(
      headerError(put("text", "hello world")),
      "ValueError: 'text' is not an IDX file: it does not start with two zero bytes, a type and a rank");
  EXPECT_EQ(headerError(put("short", idx.substr(0, 9))), "ValueError: 'short' ends inside its header");
  EXPECT_EQ(load(put("other", idx), JXRT_U8, {3, 2}),
            "ValueError: 'other' holds uint8[2,3], but this program was compiled for uint8[3,2]");
  EXPECT_EQ(headerError(put("cut", idx.substr(0, 16))),
            "ValueError: 'cut' promises uint8[2,3] (6 bytes), but the file is too short for that: it is "
            "truncated or damaged");
  EXPECT_EQ(load(put("more", idx + "x"), JXRT_U8, {2, 3}),
            "ValueError: 'more' holds more data than its header promises: uint8[2,3]");
  EXPECT_EQ(load(put("cut.gz", gzipped(idx.substr(0, 16))), JXRT_U8, {2, 3}),
            "ValueError: 'cut.gz' is truncated: its header promises uint8[2,3], 6 bytes, and 4 are there");
  std::string packed = gzipped(idx);
  EXPECT_EQ(load(put("half.gz", packed.substr(0, packed.size() - 12)), JXRT_U8, {2, 3}).substr(0, 32),
            "ValueError: 'half.gz' is truncat");
  packed[packed.size() - 6] ^= 1;
  EXPECT_EQ(load(put("crc.gz", packed), JXRT_U8, {2, 3}),
            "ValueError: 'crc.gz' is compressed data that is damaged (incorrect data check)");
  std::string huge =
      std::string("\0\0\x0e\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 20);
  EXPECT_EQ(headerError(put("huge", huge)), "ValueError: 'huge' has a header whose size overflows: "
                                            "float64[4294967295,4294967295,4294967295,4294967295]");
  EXPECT_EQ(
      headerError(put("huge.gz", gzipped(std::string("\0\0\x08\x01\xff\xff\xff\xff", 8)))).substr(0, 53),
      "ValueError: 'huge.gz' promises uint8[4294967295] (429");
}

std::string npy(const std::string &dict) {
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(dict.size() & 255);
  out += static_cast<char>(dict.size() >> 8);
  return out + dict;
}

TEST_F(IoTest, HostileNpyHeaders) {
  const std::pair<const char *, const char *> cases[] = {
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", "promises float32[3] (12 bytes), but"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 9)}", "whose size overflows"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", "malformed npy header"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "malformed npy header"},
      {"{'descr': '<f4', 'fortran_order': False}", "malformed npy header"},
      {"{'descr': '|O', 'fortran_order': False, 'shape': (0,)}", "Python objects, which need pickle"},
      {"{'descr': '<U8', 'fortran_order': False, 'shape': (0,)}",
       "NumPy's dtype '<U8', which has no jx dtype"},
      {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (0,)}", "a structured array"},
      {"{'descr': '<f4", "malformed npy header"},
      {"", "malformed npy header"},
      {"__import__('os')", "malformed npy header"}};
  for (auto [dict, expected] : cases)
    EXPECT_NE(headerError(put("h.npy", npy(dict))).find(expected), std::string::npos) << dict;
  std::string good = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n") + "abcd";
  EXPECT_EQ(headerError(put("g.npy", good)), "read");
  for (size_t cut = 1; cut < good.size(); ++cut)
    EXPECT_NE(headerError(put("c.npy", good.substr(0, cut))), "read") << cut;
}

TEST_F(IoTest, PathsAreLookedUpByKind) {
  std::string file = put("x.npy", "");
  std::filesystem::create_symlink("x.npy", folder / "link");
  std::filesystem::create_symlink("gone", folder / "broken");
  auto found = [&](const std::string &path) {
    std::string program = jx::FormatProgram(path).serialize(), kinds;
    for (int32_t kind : {JXRT_PATH_ANY, JXRT_PATH_FILE, JXRT_PATH_DIRECTORY}) {
      int32_t answer = -1;
      EXPECT_EQ(jxrt_file_exists(ctx, program.data(), static_cast<int64_t>(program.size()), nullptr, 0, kind,
                                 &answer, nullptr),
                JXRT_OK);
      kinds += std::to_string(answer);
    }
    return kinds;
  };
  EXPECT_EQ(found(file), "110");
  EXPECT_EQ(found((folder / "link").string()), "110");
  EXPECT_EQ(found(folder.string()), "101");
  EXPECT_EQ(found((folder / "broken").string()), "000");
  EXPECT_EQ(found((folder / "no" / "x").string()), "000");
  EXPECT_EQ(found(""), "000");
  EXPECT_EQ(found(file + std::string(1, '\0')), "000");
}

TEST_F(IoTest, SavingFailsCleanly) {
  float value = 1;
  jxrt_array array{&value, 0, nullptr, JXRT_F32, 0};
  std::string program = jx::FormatProgram((folder / "no" / "x.npy").string()).serialize();
  EXPECT_EQ(jxrt_save(ctx, program.data(), static_cast<int64_t>(program.size()), nullptr, 0, JXRT_FILE_NPY, 0,
                      nullptr, &array, 1, nullptr),
            JXRT_ERROR);
  EXPECT_EQ(takeError(), "FileNotFoundError: [Errno 2] No such file or directory: 'no/x.npy'");
  array.dtype = JXRT_KEY;
  EXPECT_EQ(jxrt_save(ctx, program.data(), static_cast<int64_t>(program.size()), nullptr, 0, JXRT_FILE_NPY, 0,
                      nullptr, &array, 1, nullptr),
            JXRT_ERROR);
}

} // namespace
