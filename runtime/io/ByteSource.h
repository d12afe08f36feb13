// A stream of bytes from a part of a file: as it is, gzipped, or a raw deflate stream of a zip member.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

namespace jxrt {

// Why reading failed: a Python class and a message without the path.
struct FileError {
  std::string className, message;
  bool set(const char *name, std::string text) {
    className = name;
    message = std::move(text);
    return false;
  }
};

// An open file. Reads at offsets, so that several streams may share it.
class File {
public:
  ~File();
  // NULL with FileNotFoundError, PermissionError, IsADirectoryError or OSError.
  static std::shared_ptr<File> open(const std::string &path, FileError &error);
  // Bytes read at `offset`: fewer than `bytes` only at the end of the file, -1 on an I/O error.
  int64_t readAt(void *target, int64_t bytes, int64_t offset) const;
  int64_t size() const { return fileSize; }

private:
  File(int descriptor, int64_t size) : descriptor(descriptor), fileSize(size) {}
  int descriptor;
  int64_t fileSize;
};

enum class Encoding { Plain, Gzip, Deflate };

class ByteSource {
public:
  // Bytes [offset, offset + length) of the file; Gzip is recognised by its magic where `encoding` is Plain
  // and `detect` holds.
  ByteSource(std::shared_ptr<File> file, int64_t offset, int64_t length, Encoding encoding, bool detect);
  ~ByteSource();
  ByteSource(const ByteSource &) = delete;

  // Reads exactly `bytes`. Otherwise false: `error` says whether the data is corrupt or ended early, `got`
  // how much came.
  bool read(void *target, int64_t bytes, int64_t &got, FileError &error);
  // The CRC-32 that all bytes together must have; atEnd checks it.
  void expectCrc(uint32_t crc) { expectedCrc = crc, checksCrc = true; }
  // Whether nothing follows, and the checksum, if there is one, is right.
  bool atEnd(FileError &error);
  // The largest number of bytes that can follow.
  int64_t mostBytes() const;

private:
  struct Inflater;
  bool readBytes(void *target, int64_t bytes, int64_t &got, FileError &error);
  bool noneLeft(FileError &error);
  std::shared_ptr<File> file;
  int64_t position, end;
  Encoding encoding;
  std::unique_ptr<Inflater> inflater;
  bool checksCrc = false;
  uint32_t crc = 0, expectedCrc = 0;
};

} // namespace jxrt
