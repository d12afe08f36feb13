// Zip as APPNOTE.TXT of PKWARE describes it; every offset and length is checked against the file's size.
#include "Zip.h"
#include <algorithm>
#include <cstring>

namespace jxrt {

namespace {

uint64_t little(const unsigned char *p, int bytes) {
  uint64_t value = 0;
  for (int i = bytes - 1; i >= 0; --i) value = value << 8 | p[i];
  return value;
}

void put(std::string &out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> 8 * i & 255);
}

bool damaged(FileError &error, const char *what) {
  return error.set("ValueError", std::string("is not a valid npz file: ") + what);
}

// Replaces sizes that read 0xFFFFFFFF by those of the zip64 extra field.
void applyZip64(const unsigned char *extra, int64_t length, ZipMember &member) {
  for (int64_t at = 0; at + 4 <= length;) {
    int64_t id = little(extra + at, 2), size = little(extra + at + 2, 2);
    at += 4;
    if (at + size > length) return;
    if (id == 1) {
      int64_t field = at;
      for (int64_t *value : {&member.bytes, &member.packedBytes, &member.localHeader})
        if (*value == 0xFFFFFFFF && field + 8 <= at + size) {
          *value = static_cast<int64_t>(little(extra + field, 8));
          field += 8;
        }
    }
    at += size;
  }
}

} // namespace

bool readZipDirectory(const File &file, std::vector<ZipMember> &members, FileError &error) {
  // The end record is 22 bytes and a comment of at most 65535; a zip64 locator of 20 bytes may stand before
  // it.
  int64_t tail = std::min<int64_t>(file.size(), 22 + 65535 + 20);
  std::vector<unsigned char> buffer(tail);
  if (file.readAt(buffer.data(), tail, file.size() - tail) != tail)
    return damaged(error, "it cannot be read");
  int64_t record = tail - 22;
  while (record >= 0 && std::memcmp(&buffer[record], "PK\5\6", 4) != 0) --record;
  if (record < 0) return damaged(error, "its directory is missing (truncated?)");
  int64_t count = little(&buffer[record + 10], 2), size = little(&buffer[record + 12], 4),
          start = little(&buffer[record + 16], 4);
  if (record >= 20 && std::memcmp(&buffer[record - 20], "PK\6\7", 4) == 0) {
    unsigned char wide[56];
    auto at = static_cast<int64_t>(little(&buffer[record - 20 + 8], 8));
    if (at < 0 || at > file.size() - 56 || file.readAt(wide, 56, at) != 56 ||
        std::memcmp(wide, "PK\6\6", 4) != 0)
      return damaged(error, "its zip64 record is damaged");
    count = static_cast<int64_t>(little(wide + 32, 8));
    size = static_cast<int64_t>(little(wide + 40, 8));
    start = static_cast<int64_t>(little(wide + 48, 8));
  }
  if (size < 0 || start < 0 || start > file.size() || size > file.size() - start)
    return damaged(error, "its directory lies outside of the file");
  std::vector<unsigned char> directory(size);
  if (file.readAt(directory.data(), size, start) != size)
    return damaged(error, "its directory cannot be read");
  for (int64_t at = 0, i = 0; i < count; ++i) {
    if (at + 46 > size || std::memcmp(&directory[at], "PK\1\2", 4) != 0)
      return damaged(error, "its directory is damaged");
    const unsigned char *entry = &directory[at];
    int64_t nameLength = little(entry + 28, 2), extraLength = little(entry + 30, 2),
            comment = little(entry + 32, 2);
    if (at + 46 + nameLength + extraLength + comment > size)
      return damaged(error, "its directory is damaged");
    ZipMember member;
    int64_t method = little(entry + 10, 2);
    member.name.assign(reinterpret_cast<const char *>(entry + 46), nameLength);
    member.deflated = method == 8;
    member.crc = static_cast<uint32_t>(little(entry + 16, 4));
    member.packedBytes = little(entry + 20, 4);
    member.bytes = little(entry + 24, 4);
    member.localHeader = little(entry + 42, 4);
    applyZip64(entry + 46 + nameLength, extraLength, member);
    if (little(entry + 8, 2) & 1) return damaged(error, "a member is encrypted");
    if (method != 0 && method != 8) return damaged(error, "a member has an unknown compression method");
    if (member.localHeader < 0 || member.packedBytes < 0 || member.localHeader > file.size() ||
        member.packedBytes > file.size() - member.localHeader)
      return damaged(error, "a member lies outside of the file");
    members.push_back(std::move(member));
    at += 46 + nameLength + extraLength + comment;
  }
  return true;
}

std::unique_ptr<ByteSource> openZipMember(const std::shared_ptr<File> &file, const ZipMember &member,
                                          FileError &error) {
  unsigned char header[30];
  if (file->readAt(header, 30, member.localHeader) != 30 || std::memcmp(header, "PK\3\4", 4) != 0) {
    damaged(error, "a member's header is damaged");
    return nullptr;
  }
  int64_t data = member.localHeader + 30 + little(header + 26, 2) + little(header + 28, 2);
  if (data > file->size() || member.packedBytes > file->size() - data) {
    damaged(error, "a member lies outside of the file");
    return nullptr;
  }
  Encoding encoding = member.deflated ? Encoding::Deflate : Encoding::Plain;
  auto source = std::make_unique<ByteSource>(file, data, member.packedBytes, encoding, false);
  source->expectCrc(member.crc);
  return source;
}

std::string ZipWriter::beginMember(const std::string &name, bool deflated, uint32_t crc, int64_t packedBytes,
                                   int64_t bytes) {
  std::string common;
  put(common, 20, 2); // version needed
  put(common, 0, 2);  // flags
  put(common, deflated ? 8 : 0, 2);
  put(common, 0, 2);    // time
  put(common, 0x21, 2); // 1980-01-01, as NumPy writes
  put(common, crc, 4);
  put(common, packedBytes, 4);
  put(common, bytes, 4);
  put(common, name.size(), 2);
  put(common, 0, 2); // extra
  directory += "PK\1\2";
  put(directory, 20, 2);
  directory += common;
  put(directory, 0, 2);           // comment
  put(directory, 0, 2);           // disk
  put(directory, 0, 2);           // internal attributes
  put(directory, 0600u << 16, 4); // external attributes: a file mode
  put(directory, offset, 4);
  directory += name;
  std::string out = "PK\3\4" + common + name;
  offset += static_cast<int64_t>(out.size()) + packedBytes;
  ++count;
  return out;
}

std::string ZipWriter::finish() {
  std::string out = directory + "PK\5\6";
  put(out, 0, 4);
  put(out, count, 2);
  put(out, count, 2);
  put(out, directory.size(), 4);
  put(out, offset, 4);
  put(out, 0, 2);
  return out;
}

} // namespace jxrt
