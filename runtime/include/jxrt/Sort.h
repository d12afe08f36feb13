/* Sorting, cumulative reductions and top_k on contiguous (outer, n, inner) views, for interpreter and
 * generated code.
 *
 * The axis of length n has stride `inner`; outer * n * inner is the array's size. JAX's order: NaNs last
 * (whatever their sign or payload), -0 equal to +0, bool false before true, complex lexicographic. Sorting is
 * stable. */
#ifndef JXRT_SORT_H
#define JXRT_SORT_H

#include "jxrt/Context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One operand of a sort: `input` is read, `output` of the same size written; they may be the same memory. */
typedef struct jxrt_sort_operand {
  const void *input;
  void *output;
  int32_t dtype;
  int32_t reserved;
} jxrt_sort_operand;

/* Sorts all operands together by the first `key_count` of them, the first one most significant. `descending`
 * reverses the order of keys (NaNs first), and stays stable. */
int32_t jxrt_sort(jxrt_context *ctx, const jxrt_sort_operand *operands, int32_t operand_count,
                  int32_t key_count, int32_t descending, int64_t outer, int64_t n, int64_t inner,
                  const char *where);

/* The k largest of each row, descending, ties by lower index, NaN largest: values (outer, k, inner) and i32
 * indices. */
int32_t jxrt_top_k(jxrt_context *ctx, int32_t dtype, const void *input, void *values, int32_t *indices,
                   int64_t outer, int64_t n, int64_t k, int64_t inner, const char *where);

typedef enum jxrt_cumulative_kind {
  JXRT_CUMSUM = 0,
  JXRT_CUMPROD = 1,
  JXRT_CUMMAX = 2,
  JXRT_CUMMIN = 3,
  JXRT_CUMLOGSUMEXP = 4
} jxrt_cumulative_kind;

/* Inclusive scan along the axis from its first row (from its last one if `reverse`), in the order of
 * docs/numerics.md, each step rounded to the dtype. f16 and bf16 steps are computed in f32. CUMLOGSUMEXP
 * takes floats only; NaN propagates through max and min. */
int32_t jxrt_cumulative(jxrt_context *ctx, int32_t kind, int32_t dtype, const void *input, void *output,
                        int64_t outer, int64_t n, int64_t inner, int32_t reverse, const char *where);

#ifdef __cplusplus
}
#endif
#endif
