/* The context: first argument of every generated function and of every runtime function that can fail.
 *
 * It owns whatever would otherwise be global: arena, thread pool, error slot, cancel flag, options, output.
 * Two contexts never share mutable state, so that two exported models, or two calls on two threads, do not
 * disturb each other. Functions that can fail return a status; nothing here exits, aborts or jumps. */
#ifndef JXRT_CONTEXT_H
#define JXRT_CONTEXT_H

#include "jxrt/Array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Status of every generated function. Callers return what is not JXRT_OK at once. */
typedef enum jxrt_status {
  JXRT_OK = 0,
  JXRT_ERROR = 1,    /* the error slot says what happened */
  JXRT_CANCELLED = 2 /* the cancel flag was seen on a back edge; the error slot holds KeyboardInterrupt */
} jxrt_status;

/* The part of a context that generated code reads and writes in place. Offsets are part of the ABI:
 * cancel 0, arena 8, arena_bytes 16. All else is behind `impl`. */
typedef struct jxrt_context {
  int32_t cancel; /* non-zero: stop at the next back edge; read with a relaxed atomic load */
  int32_t reserved;
  unsigned char *arena; /* base of the planned memory, 64-byte aligned; set by jxrt_arena_reserve */
  int64_t arena_bytes;
  struct jxrt_context_impl *impl;
} jxrt_context;

/* Receives output as it is printed: whole lines where possible. `stream` is 1 for stdout, 2 for stderr. */
typedef void (*jxrt_write_fn)(void *user, int32_t stream, const char *text, int64_t bytes);

typedef struct jxrt_settings {
  int32_t threads; /* size of the pool; 0: JXRT_THREADS of the environment, else the CPUs available */
  int32_t reserved;
  int64_t
      memory_limit;    /* bytes that may be live; 0: what the machine has free, or its control group allows */
  jxrt_write_fn write; /* NULL: to the process's stdout and stderr */
  void *write_user;
} jxrt_settings;

/* A new context, or NULL where memory is out. `settings` may be NULL. Starts no thread. */
jxrt_context *jxrt_context_create(const jxrt_settings *settings);
void jxrt_context_destroy(jxrt_context *ctx);

/* JXRT_ABI_VERSION of the library that is linked. */
int32_t jxrt_abi_version(void);

/* Asks a running program to stop at its next back edge. Safe in a signal handler and from another thread. */
void jxrt_cancel(jxrt_context *ctx);

/* What a back edge calls once it saw `cancel` set: records KeyboardInterrupt, clears the flag, returns
 * JXRT_CANCELLED. */
int32_t jxrt_cancelled(jxrt_context *ctx, const char *where);

/* --- Errors
 * ---------------------------------------------------------------------------------------------------- */

typedef struct jxrt_error {
  const char *class_name; /* Python's class: "ValueError", "FileNotFoundError", "MemoryError", ... */
  const char *message;    /* UTF-8, no newline at the end */
  const char *where;      /* "file.jx:12", or "" */
} jxrt_error;

/* Records an error unless one is already pending; returns JXRT_ERROR. Copies its texts; `where` may be NULL.
 */
int32_t jxrt_fail(jxrt_context *ctx, const char *class_name, const char *message, const char *where);

/* The pending error, or NULL. Valid until the next call that sets or clears it. */
const jxrt_error *jxrt_pending_error(const jxrt_context *ctx);

/* Whether the pending error is of class `class_name` or of one derived from it in Python's hierarchy
 * (FileNotFoundError is an OSError; KeyboardInterrupt is no Exception). 0 where none is pending. */
int32_t jxrt_error_matches(const jxrt_context *ctx, const char *class_name);

/* The status with which a process ends on the pending error, as Python's: the code of a SystemExit (1 where
 * it is a message), 130 for KeyboardInterrupt, else 1; 0 where none is pending. `shown` is set to 0 where
 * nothing is to be written about it, which is SystemExit with a code or without one. */
int32_t jxrt_exit_status(const jxrt_context *ctx, int32_t *shown);

/* Forgets the pending error: the entry of an `except` clause. */
void jxrt_error_clear(jxrt_context *ctx);

/* --- Memory
 * ---------------------------------------------------------------------------------------------------- */

/* `bytes` of memory, 64-byte aligned, counted in the context; NULL with MemoryError recorded where they
 * cannot be had. */
void *jxrt_alloc(jxrt_context *ctx, int64_t bytes, const char *where);
void jxrt_free(jxrt_context *ctx, void *memory);

/* Working memory for one call, as from jxrt_alloc. What is given back is kept for later calls, so that
 * repeated calls of one size allocate nothing. */
void *jxrt_scratch_take(jxrt_context *ctx, int64_t bytes, const char *where);
void jxrt_scratch_give(jxrt_context *ctx, void *memory);

/* Makes the arena at least `bytes` long (its contents are lost when it grows), and sets ctx->arena. */
int32_t jxrt_arena_reserve(jxrt_context *ctx, int64_t bytes, const char *where);

typedef struct jxrt_memory_stats {
  int64_t live_bytes; /* arena included */
  int64_t peak_bytes;
  int64_t allocations; /* calls of jxrt_alloc, stack growths and arena growths so far */
} jxrt_memory_stats;
jxrt_memory_stats jxrt_memory(const jxrt_context *ctx);

/* --- Output
 * ---------------------------------------------------------------------------------------------------- */

/* Writes text to a stream (1 stdout, 2 stderr). Complete lines leave at once; a last partial line stays
 * buffered. */
void jxrt_write(jxrt_context *ctx, int32_t stream, const char *text, int64_t bytes);
void jxrt_flush(jxrt_context *ctx);

#ifdef __cplusplus
}
#endif
#endif
