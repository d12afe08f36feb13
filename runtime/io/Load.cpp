// Reading headers and contents of array files into memory that the program has planned.
#include "ContextImpl.h"
#include "Headers.h"
#include "Zip.h"
#include "jxrt/Io.h"
#include <algorithm>
#include <cstring>
#include <new>

namespace jxrt {
namespace {

// An array in a file: its header, and the stream that stands at the first element.
struct OpenArray {
  std::unique_ptr<ByteSource> source;
  ArrayHeader header;
  bool exact = false; // whether data after the array is an error
};

int32_t report(jxrt_context *ctx, const std::string &path, const FileError &error, const char *where) {
  bool system = error.message.starts_with("[Errno");
  std::string message = system ? error.message + ": '" + path + "'" : "'" + path + "' " + error.message;
  return jxrt_fail(ctx, error.className.c_str(), message.c_str(), where);
}

bool openArray(const std::string &path, int32_t format, const char *member, OpenArray &out,
               FileError &error) {
  std::shared_ptr<File> file = File::open(path, error);
  if (!file) return false;
  unsigned char magic[4] = {};
  file->readAt(magic, 4, 0);
  if (format == JXRT_FILE_AUTO) format = std::memcmp(magic, "PK", 2) == 0 ? JXRT_FILE_NPZ : JXRT_FILE_AUTO;
  if (format == JXRT_FILE_NPZ) {
    std::vector<ZipMember> members;
    if (!readZipDirectory(*file, members, error)) return false;
    std::string names;
    for (const ZipMember &entry : members) {
      std::string name =
          entry.name.ends_with(".npy") ? entry.name.substr(0, entry.name.size() - 4) : entry.name;
      if (member && (name == member || entry.name == member)) {
        out.source = openZipMember(file, entry, error);
        out.exact = true;
        return out.source && readNpyHeader(*out.source, out.header, error);
      }
      names += (names.empty() ? "" : ", ") + name;
    }
    return error.set("KeyError", "has no array '" + std::string(member ? member : "") + "'; it holds " +
                                     (names.empty() ? "none" : names));
  }
  out.source = std::make_unique<ByteSource>(file, 0, file->size(), Encoding::Plain, true);
  if (format == JXRT_FILE_AUTO) {
    // The first byte decides, under gzip too: \x93 starts npy, zero IDX.
    ByteSource probe(file, 0, file->size(), Encoding::Plain, true);
    unsigned char first = 0;
    int64_t got;
    if (!probe.read(&first, 1, got, error)) return error.set("ValueError", "is empty");
    format = first == 0x93 ? JXRT_FILE_NPY : JXRT_FILE_IDX;
  }
  out.exact = format == JXRT_FILE_IDX;
  return format == JXRT_FILE_NPY ? readNpyHeader(*out.source, out.header, error)
                                 : readIdxHeader(*out.source, out.header, error);
}

template <typename T> void swapBytes(void *data, int64_t count) {
  for (char *p = static_cast<char *>(data); count-- > 0; p += sizeof(T)) std::reverse(p, p + sizeof(T));
}

void toHostOrder(void *data, int32_t dtype, int64_t elements) {
  bool isComplex = dtype == JXRT_C64 || dtype == JXRT_C128;
  int64_t words = isComplex ? elements * 2 : elements;
  switch (jxrt_dtype_bytes(dtype) / (isComplex ? 2 : 1)) {
  case 2:
    return swapBytes<uint16_t>(data, words);
  case 4:
    return swapBytes<uint32_t>(data, words);
  case 8:
    return swapBytes<uint64_t>(data, words);
  default:
    return;
  }
}

// Column-major `source` to row-major `target`.
void fromFortranOrder(const char *source, char *target, const std::vector<int64_t> &shape, int64_t bytes) {
  std::vector<int64_t> index(shape.size(), 0), stride(shape.size(), 1);
  int64_t count = 1;
  for (size_t i = 0; i < shape.size(); ++i) stride[i] = count, count *= shape[i];
  for (int64_t flat = 0, from = 0; flat < count; ++flat) {
    std::memcpy(target + flat * bytes, source + from * bytes, bytes);
    for (size_t axis = shape.size(); axis-- > 0;) {
      from += stride[axis];
      if (++index[axis] < shape[axis]) break;
      from -= stride[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

bool readContents(jxrt_context *ctx, OpenArray &array, void *target, const char *where, FileError &error) {
  const ArrayHeader &header = array.header;
  int64_t bytes = header.bytes(), got = 0;
  bool transpose = header.fortranOrder && header.shape.size() > 1 && bytes > 0;
  Scratch scratch(ctx, transpose ? bytes : 0, where);
  if (!scratch.data()) return error.set("MemoryError", "is too large to be read");
  void *buffer = transpose ? scratch.data() : target;
  FileError early;
  if (!array.source->read(buffer, bytes, got, early)) {
    if (early.className != "EOFError") return error.set(early.className.c_str(), early.message);
    return error.set("ValueError", "is truncated: its header promises " + header.text() + ", " +
                                       std::to_string(bytes) + " bytes, and " + std::to_string(got) +
                                       " are there");
  }
  if (array.exact && !array.source->atEnd(early))
    return error.set(early.className == "EOFError" ? "ValueError" : early.className.c_str(),
                     early.message + (early.message == "holds more data"
                                          ? " than its header promises: " + header.text()
                                          : ""));
  if (header.bigEndian) toHostOrder(buffer, header.dtype, header.elements());
  if (transpose)
    fromFortranOrder(scratch.data(), static_cast<char *>(target), header.shape,
                     jxrt_dtype_bytes(header.dtype));
  return true;
}

std::string arrayText(const jxrt_array &array) {
  ArrayHeader header;
  header.dtype = array.dtype;
  header.shape.assign(array.shape, array.shape + array.rank);
  return header.text();
}

} // namespace
} // namespace jxrt

using namespace jxrt;

int32_t jxrt_read_header(jxrt_context *ctx, const char *path, int32_t format, const char *member,
                         jxrt_file_header *header, const char *where) {
  try {
    OpenArray array;
    FileError error;
    if (!openArray(path, format, member, array, error)) return report(ctx, path, error, where);
    header->dtype = array.header.dtype;
    header->rank = static_cast<int32_t>(array.header.shape.size());
    std::copy(array.header.shape.begin(), array.header.shape.end(), header->shape);
    return JXRT_OK;
  } catch (const std::bad_alloc &) {
    return jxrt_fail(ctx, "MemoryError", "out of memory while reading a file's header", where);
  }
}

int32_t jxrt_list_members(jxrt_context *ctx, const char *path, char **names, const char *where) {
  try {
    FileError error;
    std::vector<ZipMember> members;
    std::shared_ptr<File> file = File::open(path, error);
    if (!file || !readZipDirectory(*file, members, error)) return report(ctx, path, error, where);
    std::string text;
    for (const ZipMember &member : members)
      text += (member.name.ends_with(".npy") ? member.name.substr(0, member.name.size() - 4) : member.name) +
              '\n';
    *names = static_cast<char *>(jxrt_alloc(ctx, static_cast<int64_t>(text.size()) + 1, where));
    if (!*names) return JXRT_ERROR;
    std::memcpy(*names, text.c_str(), text.size() + 1);
    return JXRT_OK;
  } catch (const std::bad_alloc &) {
    return jxrt_fail(ctx, "MemoryError", "out of memory while reading a file's header", where);
  }
}

int32_t jxrt_load(jxrt_context *ctx, const char *program, int64_t programBytes, const jxrt_value *operands,
                  int64_t operandCount, int32_t format, const char *member, const jxrt_array *destination,
                  const char *where) {
  try {
    std::string path;
    if (int32_t status = renderText(ctx, program, programBytes, operands, operandCount, where, path))
      return status;
    OpenArray array;
    FileError error;
    if (!openArray(path, format, member, array, error)) return report(ctx, path, error, where);
    bool same = array.header.dtype == destination->dtype &&
                std::equal(array.header.shape.begin(), array.header.shape.end(), destination->shape,
                           destination->shape + destination->rank);
    if (!same)
      error.set("ValueError", "holds " + array.header.text() + ", but this program was compiled for " +
                                  arrayText(*destination));
    if (!same || !readContents(ctx, array, destination->data, where, error))
      return report(ctx, path, error, where);
    return JXRT_OK;
  } catch (const std::bad_alloc &) {
    return jxrt_fail(ctx, "MemoryError", "out of memory while reading a file", where);
  }
}
