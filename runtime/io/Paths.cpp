// Whether a path names something: os.path.exists and its kin, asked while the program runs.
#include "ContextImpl.h"
#include "jxrt/Io.h"
#include <new>
#include <sys/stat.h>

int32_t jxrt_file_exists(jxrt_context *ctx, const char *program, int64_t programBytes,
                         const jxrt_value *operands, int64_t operandCount, int32_t kind, int32_t *found,
                         const char *where) {
  try {
    std::string path;
    if (int32_t status = jxrt::renderText(ctx, program, programBytes, operands, operandCount, where, path))
      return status;
    struct stat status;
    // A path with a zero byte names nothing; stat would look at what stands before it.
    bool exists = path.find('\0') == std::string::npos && stat(path.c_str(), &status) == 0;
    *found = exists && (kind == JXRT_PATH_FILE        ? S_ISREG(status.st_mode)
                        : kind == JXRT_PATH_DIRECTORY ? S_ISDIR(status.st_mode)
                                                      : true);
    return JXRT_OK;
  } catch (const std::bad_alloc &) {
    return jxrt_fail(ctx, "MemoryError", "out of memory while looking for a file", where);
  }
}
