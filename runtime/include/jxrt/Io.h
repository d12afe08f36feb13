/* Files: headers for the compiler, contents for the program. Library jxrt_io.
 *
 * Every file is untrusted: sizes are overflow-checked before they are used, a file that ends early or
 * promises more than it holds is an error that names the path, what was expected and what was found. Gzip is
 * recognised by its magic. */
#ifndef JXRT_IO_H
#define JXRT_IO_H

#include "jxrt/Context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum jxrt_file_format {
  JXRT_FILE_AUTO = 0, /* by the file's magic */
  JXRT_FILE_IDX = 1,  /* the MNIST format, plain or gzipped */
  JXRT_FILE_NPY = 2,
  JXRT_FILE_NPZ = 3 /* `member` names the array, without .npy */
} jxrt_file_format;

#define JXRT_MAX_RANK 32

/* What a file's header promises. */
typedef struct jxrt_file_header {
  int32_t dtype;
  int32_t rank;
  int64_t shape[JXRT_MAX_RANK];
} jxrt_file_header;

/* Reads only the header of `path`. `member` may be NULL unless the format is NPZ. */
int32_t jxrt_read_header(jxrt_context *ctx, const char *path, int32_t format, const char *member,
                         jxrt_file_header *header, const char *where);

/* Names of the arrays of an npz file, one a line, into `names` (a jxrt_alloc block the caller frees). */
int32_t jxrt_list_members(jxrt_context *ctx, const char *path, char **names, const char *where);

/* Reads the file whose path the program renders into `destination`, whose shape and dtype must equal the
 * header's. */
int32_t jxrt_load(jxrt_context *ctx, const char *program, int64_t program_bytes, const jxrt_value *operands,
                  int64_t operand_count, int32_t format, const char *member, const jxrt_array *destination,
                  const char *where);

/* Writes arrays to the rendered path, atomically (a temporary file beside it, then rename). NPY takes one
 * array and no names; NPZ takes `count` names. */
int32_t jxrt_save(jxrt_context *ctx, const char *program, int64_t program_bytes, const jxrt_value *operands,
                  int64_t operand_count, int32_t format, int32_t compressed, const char *const *names,
                  const jxrt_array *arrays, int64_t count, const char *where);

typedef enum jxrt_path_kind { JXRT_PATH_ANY = 0, JXRT_PATH_FILE = 1, JXRT_PATH_DIRECTORY = 2 } jxrt_path_kind;

/* Sets `found` to 1 if the rendered path names something of that kind, links followed, else to 0. Fails only
 * where the path cannot be rendered. */
int32_t jxrt_file_exists(jxrt_context *ctx, const char *program, int64_t program_bytes,
                         const jxrt_value *operands, int64_t operand_count, int32_t kind, int32_t *found,
                         const char *where);

#ifdef __cplusplus
}
#endif
#endif
