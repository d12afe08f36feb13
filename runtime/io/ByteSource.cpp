// Files and inflating streams. Input is taken in chunks of 256 KiB and inflated straight into the caller's
// buffer.
#include "ByteSource.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>
#include <zlib.h>

namespace jxrt {

File::~File() { ::close(descriptor); }

std::shared_ptr<File> File::open(const std::string &path, FileError &error) {
  int descriptor =
      path.find('\0') == path.npos ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : (errno = EINVAL, -1);
  struct stat info{};
  if (descriptor >= 0 && fstat(descriptor, &info) == 0 && S_ISDIR(info.st_mode)) {
    ::close(descriptor);
    descriptor = -1;
    errno = EISDIR;
  }
  if (descriptor < 0) {
    const char *name = errno == ENOENT   ? "FileNotFoundError"
                       : errno == EACCES ? "PermissionError"
                       : errno == EISDIR ? "IsADirectoryError"
                                         : "OSError";
    error.set(name, "[Errno " + std::to_string(errno) + "] " + std::strerror(errno));
    return nullptr;
  }
  return std::shared_ptr<File>(new File(descriptor, info.st_size));
}

int64_t File::readAt(void *target, int64_t bytes, int64_t offset) const {
  int64_t done = 0;
  while (done < bytes) {
    ssize_t count = pread(descriptor, static_cast<char *>(target) + done, bytes - done, offset + done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) break;
    done += count;
  }
  return done;
}

struct ByteSource::Inflater {
  z_stream stream{};
  std::vector<unsigned char> input = std::vector<unsigned char>(256 << 10);
  bool started = false, finished = false;
  ~Inflater() {
    if (started) inflateEnd(&stream);
  }
};

ByteSource::ByteSource(std::shared_ptr<File> from, int64_t offset, int64_t length, Encoding encoding,
                       bool detect)
    : file(std::move(from)), position(offset), end(offset + length), encoding(encoding) {
  unsigned char magic[2];
  if (detect && length >= 2 && file->readAt(magic, 2, offset) == 2 && magic[0] == 0x1F && magic[1] == 0x8B)
    this->encoding = Encoding::Gzip;
  if (this->encoding != Encoding::Plain) {
    inflater = std::make_unique<Inflater>();
    inflater->started = inflateInit2(&inflater->stream,
                                     this->encoding == Encoding::Gzip ? 16 + MAX_WBITS : -MAX_WBITS) == Z_OK;
  }
}

ByteSource::~ByteSource() = default;

int64_t ByteSource::mostBytes() const {
  int64_t left = end - position;
  if (encoding == Encoding::Plain) return left;
  // Deflate cannot compress by more than 1032 to 1.
  int64_t most;
  return __builtin_mul_overflow(left + inflater->stream.avail_in, 1032, &most) ? INT64_MAX : most;
}

bool ByteSource::readBytes(void *target, int64_t bytes, int64_t &got, FileError &error) {
  got = 0;
  if (encoding == Encoding::Plain) {
    int64_t wanted = std::min(bytes, end - position);
    got = file->readAt(target, wanted, position);
    if (got < 0) return got = 0, error.set("OSError", std::string("cannot be read: ") + std::strerror(errno));
    position += got;
    return got == bytes || error.set("EOFError", "ends early");
  }
  z_stream &stream = inflater->stream;
  if (!inflater->started) return error.set("MemoryError", "out of memory");
  while (got < bytes && !inflater->finished) {
    if (stream.avail_in == 0 && position < end) {
      int64_t count = file->readAt(inflater->input.data(),
                                   std::min<int64_t>(inflater->input.size(), end - position), position);
      if (count < 0) return error.set("OSError", std::string("cannot be read: ") + std::strerror(errno));
      if (count == 0) end = position;
      position += count;
      stream.next_in = inflater->input.data();
      stream.avail_in = static_cast<uInt>(count);
    }
    auto room = static_cast<uInt>(std::min<int64_t>(bytes - got, 1 << 30));
    stream.next_out = static_cast<unsigned char *>(target) + got;
    stream.avail_out = room;
    int status = inflate(&stream, Z_NO_FLUSH);
    got += room - stream.avail_out;
    if (status == Z_STREAM_END) {
      // A gzip file may consist of several members.
      bool more = encoding == Encoding::Gzip && (stream.avail_in > 0 || position < end);
      inflater->finished = !more || inflateReset(&stream) != Z_OK;
    } else if (status == Z_BUF_ERROR || status == Z_OK) {
      if (stream.avail_in == 0 && position >= end && stream.avail_out == room)
        return error.set("EOFError", "is compressed data that ends early");
    } else {
      return error.set("ValueError", std::string("is compressed data that is damaged") +
                                         (stream.msg ? std::string(" (") + stream.msg + ")" : ""));
    }
  }
  return got == bytes || error.set("EOFError", "ends early");
}

bool ByteSource::read(void *target, int64_t bytes, int64_t &got, FileError &error) {
  bool done = readBytes(target, bytes, got, error);
  // In pieces that zlib's 32-bit lengths can express.
  for (int64_t at = 0; checksCrc && at < got; at += 1 << 30)
    crc = static_cast<uint32_t>(crc32(crc, static_cast<const Bytef *>(target) + at,
                                      static_cast<uInt>(std::min<int64_t>(got - at, 1 << 30))));
  return done;
}

bool ByteSource::atEnd(FileError &error) {
  if (!noneLeft(error)) return false;
  return !checksCrc || crc == expectedCrc || error.set("ValueError", "is damaged: its checksum is wrong");
}

bool ByteSource::noneLeft(FileError &error) {
  char extra;
  int64_t got;
  FileError ignored;
  if (encoding == Encoding::Plain) return position >= end || error.set("ValueError", "holds more data");
  if (inflater->finished) return true;
  if (readBytes(&extra, 1, got, ignored)) return error.set("ValueError", "holds more data");
  if (inflater->finished) return true;
  error = ignored;
  return false;
}

} // namespace jxrt
