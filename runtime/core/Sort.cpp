// Stable sorting and top_k of lanes by unsigned keys.
//
// Several keys are sorted one after the other, the least significant first; a stable sort keeps what the
// earlier ones established. One key is sorted by insertion where the lane is short, else by radix, eight bits
// a pass, skipping passes in which all elements agree.
#include "jxrt/Sort.h"
#include "ContextImpl.h"
#include "SortKeys.h"
#include "jxrt/Threads.h"
#include <algorithm>
#include <cstring>
#include <utility>

namespace jxrt {
namespace {

constexpr int64_t insertionLimit = 24;
constexpr int64_t maxLength = int64_t(1) << 32;

template <typename Key> struct Entry {
  Key key;
  uint32_t index;
};

template <typename Key> void insertionSort(Entry<Key> *entries, int64_t n) {
  for (int64_t i = 1; i < n; ++i) {
    Entry<Key> moved = entries[i];
    int64_t j = i;
    for (; j > 0 && moved.key < entries[j - 1].key; --j) entries[j] = entries[j - 1];
    entries[j] = moved;
  }
}

// Sorts `entries` by key, stably; `other` is working memory of the same size. Returns where the result lies.
template <typename Key> Entry<Key> *sortEntries(Entry<Key> *entries, Entry<Key> *other, int64_t n) {
  if (n <= insertionLimit) {
    insertionSort(entries, n);
    return entries;
  }
  constexpr int passes = sizeof(Key);
  uint32_t counts[passes][256] = {};
  for (int64_t i = 0; i < n; ++i)
    for (int pass = 0; pass < passes; ++pass) ++counts[pass][entries[i].key >> 8 * pass & 255];
  for (int pass = 0; pass < passes; ++pass) {
    uint32_t *count = counts[pass];
    if (count[entries[0].key >> 8 * pass & 255] == static_cast<uint32_t>(n)) continue;
    uint32_t sum = 0;
    for (int digit = 0; digit < 256; ++digit) sum += std::exchange(count[digit], sum);
    for (int64_t i = 0; i < n; ++i) other[count[entries[i].key >> 8 * pass & 255]++] = entries[i];
    std::swap(entries, other);
  }
  return entries;
}

// Sorts `order` (a permutation of n lane indices) by one key part of a lane.
template <typename Key>
void sortOrder(const void *lane, int32_t dtype, int part, int64_t n, int64_t inner, bool descending,
               uint32_t *order, char *memory) {
  Key *keys = reinterpret_cast<Key *>(memory);
  auto *entries = reinterpret_cast<Entry<Key> *>(memory + n * sizeof(uint64_t));
  writeKeys(lane, dtype, part, n, inner, descending, keys);
  for (int64_t i = 0; i < n; ++i) entries[i] = {keys[order[i]], order[i]};
  entries = sortEntries(entries, entries + n, n);
  for (int64_t i = 0; i < n; ++i) order[i] = entries[i].index;
}

// out[i] = in[order[i]] for elements of T, `inner` apart; `copy` holds n elements.
template <typename T>
void permuteLane(const char *in, char *out, const uint32_t *order, int64_t n, int64_t inner, char *copy) {
  const T *source = reinterpret_cast<const T *>(in);
  T *target = reinterpret_cast<T *>(out), *buffer = reinterpret_cast<T *>(copy);
  for (int64_t i = 0; i < n; ++i) buffer[i] = source[order[i] * inner];
  for (int64_t i = 0; i < n; ++i) target[i * inner] = buffer[i];
}

struct Wide {
  uint64_t words[2];
};

void permute(int64_t bytes, const char *in, char *out, const uint32_t *order, int64_t n, int64_t inner,
             char *copy) {
  switch (bytes) {
  case 1:
    return permuteLane<uint8_t>(in, out, order, n, inner, copy);
  case 2:
    return permuteLane<uint16_t>(in, out, order, n, inner, copy);
  case 4:
    return permuteLane<uint32_t>(in, out, order, n, inner, copy);
  case 8:
    return permuteLane<uint64_t>(in, out, order, n, inner, copy);
  default:
    return permuteLane<Wide>(in, out, order, n, inner, copy);
  }
}

// Bytes of working memory for a lane: the order, the keys, two arrays of entries.
int64_t laneBytes(int64_t n) { return n * (8 + 8 + 2 * static_cast<int64_t>(sizeof(Entry<uint64_t>))); }

struct SortCall {
  jxrt_context *ctx;
  const jxrt_sort_operand *operands;
  int32_t operandCount, keyCount;
  bool descending;
  int64_t n, inner;
  const char *where;
};

int32_t sortLanes(void *argument, int64_t begin, int64_t end, int32_t) {
  const SortCall &call = *static_cast<SortCall *>(argument);
  int64_t n = call.n, inner = call.inner;
  Scratch scratch(call.ctx, laneBytes(n), call.where);
  if (!scratch.data()) return JXRT_ERROR;
  auto *order = reinterpret_cast<uint32_t *>(scratch.data());
  char *memory = scratch.data() + n * 8;
  for (int64_t lane = begin; lane < end; ++lane) {
    int64_t first = lane / inner * n * inner + lane % inner;
    for (int64_t i = 0; i < n; ++i) order[i] = static_cast<uint32_t>(i);
    for (int32_t k = call.keyCount - 1; k >= 0; --k) {
      const jxrt_sort_operand &operand = call.operands[k];
      const char *data = static_cast<const char *>(operand.input) + first * jxrt_dtype_bytes(operand.dtype);
      for (int part = keyParts(operand.dtype) - 1; part >= 0; --part)
        if (hasNarrowKeys(operand.dtype))
          sortOrder<uint32_t>(data, operand.dtype, part, n, inner, call.descending, order, memory);
        else
          sortOrder<uint64_t>(data, operand.dtype, part, n, inner, call.descending, order, memory);
    }
    for (int32_t k = 0; k < call.operandCount; ++k) {
      const jxrt_sort_operand &operand = call.operands[k];
      int64_t bytes = jxrt_dtype_bytes(operand.dtype), offset = first * bytes;
      permute(bytes, static_cast<const char *>(operand.input) + offset,
              static_cast<char *>(operand.output) + offset, order, n, inner, memory);
    }
  }
  return JXRT_OK;
}

struct TopKCall {
  jxrt_context *ctx;
  int32_t dtype;
  const char *input;
  char *values;
  int32_t *indices;
  int64_t n, k, inner;
  const char *where;
};

template <typename Key>
void selectLane(const TopKCall &call, const char *data, char *memory, uint32_t *order) {
  Key *keys = reinterpret_cast<Key *>(memory);
  auto *entries = reinterpret_cast<Entry<Key> *>(memory + call.n * sizeof(uint64_t));
  writeKeys(data, call.dtype, 0, call.n, call.inner, true, keys);
  for (int64_t i = 0; i < call.n; ++i) entries[i] = {keys[i], static_cast<uint32_t>(i)};
  auto before = [](const Entry<Key> &a, const Entry<Key> &b) {
    return a.key < b.key || (a.key == b.key && a.index < b.index);
  };
  if (call.k < call.n) std::nth_element(entries, entries + call.k, entries + call.n, before);
  std::sort(entries, entries + call.k, before);
  for (int64_t i = 0; i < call.k; ++i) order[i] = entries[i].index;
}

int32_t topKLanes(void *argument, int64_t begin, int64_t end, int32_t) {
  const TopKCall &call = *static_cast<TopKCall *>(argument);
  int64_t bytes = jxrt_dtype_bytes(call.dtype);
  Scratch scratch(call.ctx, laneBytes(call.n), call.where);
  if (!scratch.data()) return JXRT_ERROR;
  auto *order = reinterpret_cast<uint32_t *>(scratch.data());
  char *memory = scratch.data() + call.n * 8;
  for (int64_t lane = begin; lane < end; ++lane) {
    int64_t batch = lane / call.inner, column = lane % call.inner;
    const char *data = call.input + (batch * call.n * call.inner + column) * bytes;
    if (hasNarrowKeys(call.dtype))
      selectLane<uint32_t>(call, data, memory, order);
    else
      selectLane<uint64_t>(call, data, memory, order);
    for (int64_t i = 0; i < call.k; ++i) {
      int64_t target = (batch * call.k + i) * call.inner + column;
      std::memcpy(call.values + target * bytes, data + order[i] * call.inner * bytes, bytes);
      call.indices[target] = static_cast<int32_t>(order[i]);
    }
  }
  return JXRT_OK;
}

// Lanes a thread takes at least: about 16 thousand elements.
int64_t laneGrain(int64_t n) { return std::max<int64_t>(1, 16384 / std::max<int64_t>(n, 1)); }

} // namespace
} // namespace jxrt

int32_t jxrt_sort(jxrt_context *ctx, const jxrt_sort_operand *operands, int32_t operandCount,
                  int32_t keyCount, int32_t descending, int64_t outer, int64_t n, int64_t inner,
                  const char *where) {
  if (outer * n * inner == 0) return JXRT_OK;
  if (n >= jxrt::maxLength)
    return jxrt_fail(ctx, "ValueError", "cannot sort an axis of 2^32 or more elements", where);
  jxrt::SortCall call{ctx, operands, operandCount, keyCount, descending != 0, n, inner, where};
  return jxrt_parallel_for(ctx, jxrt::sortLanes, &call, 0, outer * inner, jxrt::laneGrain(n));
}

int32_t jxrt_top_k(jxrt_context *ctx, int32_t dtype, const void *input, void *values, int32_t *indices,
                   int64_t outer, int64_t n, int64_t k, int64_t inner, const char *where) {
  if (k < 0 || k > n)
    return jxrt_fail(ctx, "ValueError", "top_k: k must be between 0 and the axis's size", where);
  if (outer * k * inner == 0) return JXRT_OK;
  if (n >= jxrt::maxLength / 2)
    return jxrt_fail(ctx, "ValueError", "top_k: the axis has 2^31 or more elements", where);
  if (jxrt::keyParts(dtype) != 1)
    return jxrt_fail(ctx, "TypeError", "top_k is not defined for complex numbers", where);
  jxrt::TopKCall call{
      ctx, dtype, static_cast<const char *>(input), static_cast<char *>(values), indices, n, k, inner, where};
  return jxrt_parallel_for(ctx, jxrt::topKLanes, &call, 0, outer * inner, jxrt::laneGrain(n));
}
