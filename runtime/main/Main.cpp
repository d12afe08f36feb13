// `main` of an executable that `jx build` makes: parses the options, runs the program, reports an error as
// Python does.
#include "jxrt/Context.h"
#include "jxrt/Options.h"
#include <csignal>
#include <cstdio>
#include <cstring>

extern "C" {
// The program's own object defines these.
int32_t jx_entry(jxrt_context *context, void **arguments, void **results);
extern const int64_t jx_arena_bytes;
extern const char jx_arena_where[];
extern const int32_t jx_option_count;
extern const jxrt_option jx_options[];
extern const char jx_program_doc[];
}

// The context that Ctrl-C stops: signal handlers have no argument of their own.
static jxrt_context *running;

static int report(jxrt_context *context) {
  jxrt_flush(context);
  const jxrt_error *error = jxrt_pending_error(context);
  if (!error) return 1;
  int32_t shown, status = jxrt_exit_status(context, &shown);
  if (std::strcmp(error->class_name, "SystemExit") == 0) {
    if (shown) std::fprintf(stderr, "%s\n", error->message);
  } else {
    const char *separator = error->where[0] ? ": " : "";
    std::fprintf(stderr, "%s%s%s: %s\n", error->where, separator, error->class_name, error->message);
  }
  return status;
}

int main(int argc, char **argv) {
  jxrt_context *context = jxrt_context_create(nullptr);
  if (!context) {
    std::fputs("out of memory\n", stderr);
    return 1;
  }
  int result = 0;
  int32_t parsed = jxrt_options_parse(context, argv[0], jx_program_doc, jx_options, jx_option_count, argc,
                                      const_cast<const char *const *>(argv));
  if (parsed == JXRT_PARSE_ERROR) {
    report(context);
    result = 2;
  } else if (parsed == JXRT_PARSED) {
    running = context;
    std::signal(SIGINT, [](int) { jxrt_cancel(running); });
    int32_t status = jxrt_arena_reserve(context, jx_arena_bytes, jx_arena_where);
    if (status == JXRT_OK) status = jx_entry(context, nullptr, nullptr);
    if (status != JXRT_OK) result = report(context);
  }
  jxrt_flush(context);
  jxrt_context_destroy(context);
  return result;
}
