// The members of a zip archive, as far as npz files use them: stored or deflated, zip64 sizes.
#pragma once
#include "ByteSource.h"
#include <memory>
#include <string>
#include <vector>

namespace jxrt {

struct ZipMember {
  std::string name;
  bool deflated = false;
  uint32_t crc = 0;
  int64_t packedBytes = 0, bytes = 0, localHeader = 0;
};

// Reads the central directory.
bool readZipDirectory(const File &file, std::vector<ZipMember> &members, FileError &error);
// A stream of the member's contents, or NULL with an error.
std::unique_ptr<ByteSource> openZipMember(const std::shared_ptr<File> &file, const ZipMember &member,
                                          FileError &error);

// Writes an archive piece by piece into memory order: local headers and data, then the directory.
class ZipWriter {
public:
  // The bytes that precede the member's data. `packed` is what will be stored; sizes must be below 4 GiB.
  std::string beginMember(const std::string &name, bool deflated, uint32_t crc, int64_t packedBytes,
                          int64_t bytes);
  // The directory that ends the archive.
  std::string finish();

private:
  std::string directory;
  int64_t offset = 0;
  int count = 0;
};

} // namespace jxrt
