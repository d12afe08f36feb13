/* Options of a program's command line: the parameters of its `main`, parsed once, read by index. */
#ifndef JXRT_OPTIONS_H
#define JXRT_OPTIONS_H

#include "jxrt/Context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum jxrt_option_kind {
  JXRT_OPTION_INT = 0,
  JXRT_OPTION_FLOAT = 1,
  JXRT_OPTION_BOOL = 2, /* --flag, --no-flag, --flag true|false */
  JXRT_OPTION_STRING = 3
} jxrt_option_kind;

/* One parameter of `main`. All texts are static data of the program. */
typedef struct jxrt_option {
  const char *name;         /* Python's name; `--batch-size` and `--batch_size` both mean batch_size */
  const char *default_text; /* as it would be typed; NULL: the option must be given */
  const char *frozen_text;  /* the value compiled into the program; another one is an error. NULL: free */
  int32_t kind;
  int32_t reserved;
} jxrt_option;

typedef enum jxrt_parse_result {
  JXRT_PARSED = 0,
  JXRT_PARSE_ERROR = 1,
  JXRT_HELP_SHOWN = 2
} jxrt_parse_result;

/* Parses argv[1..argc-1] by `options`. `--help` writes a usage text made of names, defaults and `doc`, and
 * returns JXRT_HELP_SHOWN. A wrong option records a SystemExit error that says what is allowed. */
int32_t jxrt_options_parse(jxrt_context *ctx, const char *program_name, const char *doc,
                           const jxrt_option *options, int32_t count, int32_t argc, const char *const *argv);

/* Position of a parsed option by Python's name, or -1. */
int32_t jxrt_option_find(const jxrt_context *ctx, const char *name);

/* Values after a parse, by position in the table. The kind must be the declared one. */
int64_t jxrt_option_int(const jxrt_context *ctx, int32_t index); /* also BOOL: 0 or 1 */
double jxrt_option_float(const jxrt_context *ctx, int32_t index);
const char *jxrt_option_string(const jxrt_context *ctx, int32_t index, int64_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
