/* The context's static thread pool. Started on the first parallel call that is worth it; never for small
 * work. */
#ifndef JXRT_THREADS_H
#define JXRT_THREADS_H

#include "jxrt/Context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Work on [begin, end). `worker` is below jxrt_thread_count, unique among the calls that run at one time. */
typedef int32_t (*jxrt_range_fn)(void *argument, int64_t begin, int64_t end, int32_t worker);

/* Runs `fn` over [begin, end) in chunks of at least `grain`, and returns when all are done: the first status
 * that is not JXRT_OK, else JXRT_OK. With one thread, one chunk, or called from inside itself, runs in the
 * caller's thread. Which thread takes which chunk is not specified; the chunk borders depend on the sizes and
 * the pool only. */
int32_t jxrt_parallel_for(jxrt_context *ctx, jxrt_range_fn fn, void *argument, int64_t begin, int64_t end,
                          int64_t grain);

/* Threads that a parallel call may use, the caller's included; at least 1. */
int32_t jxrt_thread_count(const jxrt_context *ctx);

#ifdef __cplusplus
}
#endif
#endif
