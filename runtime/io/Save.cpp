// Writing npy and npz files: to a temporary file in the same folder first, renamed when it is complete, so
// that a crash never leaves half a file under the final name.
#include "ContextImpl.h"
#include "Headers.h"
#include "Zip.h"
#include "jxrt/Effects.h"
#include "jxrt/Io.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <unistd.h>
#include <zlib.h>

namespace jxrt {
namespace {

class TemporaryFile {
public:
  explicit TemporaryFile(const std::string &path)
      : path(path), temporary(path + ".tmp" + std::to_string(getpid()) + '.' +
                              std::to_string(jxrt_clock_ns(JXRT_CLOCK_PERF))) {
    descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  ~TemporaryFile() {
    if (descriptor < 0) return;
    ::close(descriptor);
    unlink(temporary.c_str());
  }
  bool opened() const { return descriptor >= 0; }

  bool write(const void *data, int64_t bytes) {
    const char *p = static_cast<const char *>(data);
    while (bytes > 0) {
      ssize_t count = ::write(descriptor, p, bytes);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return false;
      p += count;
      bytes -= count;
    }
    return true;
  }
  bool write(const std::string &text) { return write(text.data(), static_cast<int64_t>(text.size())); }

  bool commit() {
    bool done = ::close(descriptor) == 0;
    descriptor = -1;
    if (done && rename(temporary.c_str(), path.c_str()) == 0) return true;
    int saved = errno;
    unlink(temporary.c_str());
    errno = saved;
    return false;
  }

private:
  std::string path, temporary;
  int descriptor;
};

std::string headerOf(const jxrt_array &array) {
  return npyHeader(array.dtype, std::vector<int64_t>(array.shape, array.shape + array.rank));
}

// The checksum of header and data in pieces that zlib's 32-bit lengths can express.
uint32_t crcOf(const std::string &header, const char *data, int64_t bytes) {
  uLong crc = crc32(0, reinterpret_cast<const Bytef *>(header.data()), static_cast<uInt>(header.size()));
  for (int64_t at = 0; at < bytes; at += 1 << 30)
    crc = crc32(crc, reinterpret_cast<const Bytef *>(data + at),
                static_cast<uInt>(std::min<int64_t>(bytes - at, 1 << 30)));
  return static_cast<uint32_t>(crc);
}

// Raw deflate of header and data; empty where memory was out.
std::string deflated(const std::string &header, const char *data, int64_t bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return "";
  std::string out(deflateBound(&stream, header.size() + bytes), '\0');
  stream.next_out = reinterpret_cast<Bytef *>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(header.data()));
  stream.avail_in = static_cast<uInt>(header.size());
  deflate(&stream, Z_NO_FLUSH);
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(data));
  stream.avail_in = static_cast<uInt>(bytes);
  int status = deflate(&stream, Z_FINISH);
  out.resize(status == Z_STREAM_END ? stream.total_out : 0);
  deflateEnd(&stream);
  return out;
}

bool writeNpz(TemporaryFile &file, bool compressed, const char *const *names, const jxrt_array *arrays,
              int64_t count) {
  ZipWriter zip;
  for (int64_t i = 0; i < count; ++i) {
    std::string header = headerOf(arrays[i]), name = std::string(names[i]) + ".npy";
    const char *data = static_cast<const char *>(arrays[i].data);
    int64_t bytes = jxrt_array_bytes(&arrays[i]), whole = static_cast<int64_t>(header.size()) + bytes;
    uint32_t crc = crcOf(header, data, bytes);
    if (compressed) {
      std::string packed = deflated(header, data, bytes);
      if (packed.empty()) throw std::bad_alloc();
      if (!file.write(zip.beginMember(name, true, crc, static_cast<int64_t>(packed.size()), whole)) ||
          !file.write(packed))
        return false;
    } else if (!file.write(zip.beginMember(name, false, crc, whole, whole)) || !file.write(header) ||
               !file.write(data, bytes)) {
      return false;
    }
  }
  return file.write(zip.finish());
}

int32_t systemError(jxrt_context *ctx, const std::string &path, const char *where) {
  const char *name = errno == ENOENT ? "FileNotFoundError" : errno == EACCES ? "PermissionError" : "OSError";
  std::string message = "[Errno " + std::to_string(errno) + "] " + std::strerror(errno) + ": '" + path + "'";
  return jxrt_fail(ctx, name, message.c_str(), where);
}

} // namespace
} // namespace jxrt

int32_t jxrt_save(jxrt_context *ctx, const char *program, int64_t programBytes, const jxrt_value *operands,
                  int64_t operandCount, int32_t format, int32_t compressed, const char *const *names,
                  const jxrt_array *arrays, int64_t count, const char *where) {
  using namespace jxrt;
  try {
    std::string path;
    if (int32_t status = renderText(ctx, program, programBytes, operands, operandCount, where, path))
      return status;
    bool npz = format == JXRT_FILE_NPZ;
    if (!npz && (format != JXRT_FILE_NPY || count != 1))
      return jxrt_fail(ctx, "ValueError", "arrays are saved as npy (one array) or npz", where);
    const char *suffix = npz ? ".npz" : ".npy";
    if (!path.ends_with(suffix)) path += suffix; // as numpy.save does
    int64_t total = 0;
    for (int64_t i = 0; i < count; ++i) {
      int64_t bytes = jxrt_array_bytes(&arrays[i]);
      if (headerOf(arrays[i]).empty())
        return jxrt_fail(ctx, "TypeError", "keys cannot be saved; save jax.random.key_data(key)", where);
      if (bytes < 0 || __builtin_add_overflow(total, bytes + 1024, &total)) total = INT64_MAX;
    }
    if (npz && total >= int64_t(1) << 32)
      return jxrt_fail(ctx, "ValueError", "an npz file of 4 GiB or more cannot be written; use npy files",
                       where);
    TemporaryFile file(path);
    if (!file.opened()) return systemError(ctx, path, where);
    bool done =
        npz ? writeNpz(file, compressed, names, arrays, count)
            : file.write(headerOf(arrays[0])) && file.write(arrays[0].data, jxrt_array_bytes(&arrays[0]));
    if (!done || !file.commit()) return systemError(ctx, path, where);
    return JXRT_OK;
  } catch (const std::bad_alloc &) {
    return jxrt_fail(ctx, "MemoryError", "out of memory while saving", where);
  }
}
