// Aligned allocation with accounting, and the arena of planned memory.
//
// Each block carries its size in the 64 bytes before it, so that freeing needs no size and the books always
// balance.
#include "ContextImpl.h"
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

namespace {
constexpr int64_t alignment = 64;
constexpr int64_t hugePage = 2 << 20;

int64_t &storedSize(void *memory) {
  return *reinterpret_cast<int64_t *>(static_cast<char *>(memory) - alignment);
}

std::string readableBytes(int64_t bytes) {
  const char *units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 1024 && unit < 6) value /= 1024, ++unit;
  char text[48];
  std::snprintf(text, sizeof text, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
  return text;
}
} // namespace

void *jxrt_alloc(jxrt_context *ctx, int64_t bytes, const char *where) {
  jxrt_context_impl &impl = *ctx->impl;
  int64_t live = impl.liveBytes.load(std::memory_order_relaxed);
  int64_t padded = 0;
  bool overflow = bytes < 0 || __builtin_add_overflow(bytes, 2 * alignment, &padded);
  void *block = nullptr;
  if (!overflow && bytes <= impl.memoryLimit - live) {
    // Large blocks start on a huge page's border less the header, and ask for huge pages: fewer TLB misses.
    int64_t align = bytes >= 2 * hugePage ? hugePage : alignment;
    int64_t size = (padded + align - 1) / align * align;
    block = std::aligned_alloc(align, size);
    if (block && align == hugePage) madvise(block, size, MADV_HUGEPAGE);
  }
  if (!block) {
    std::string message = overflow ? "cannot allocate an array whose size overflows 64 bits"
                                   : "cannot allocate " + readableBytes(bytes) + ": " + readableBytes(live) +
                                         " are in use, and the limit is " + readableBytes(impl.memoryLimit);
    jxrt_fail(ctx, "MemoryError", message.c_str(), where);
    return nullptr;
  }
  void *memory = static_cast<char *>(block) + alignment;
  storedSize(memory) = bytes;
  int64_t now = impl.liveBytes.fetch_add(bytes) + bytes;
  int64_t peak = impl.peakBytes.load();
  while (now > peak && !impl.peakBytes.compare_exchange_weak(peak, now)) {
  }
  impl.allocations.fetch_add(1, std::memory_order_relaxed);
  return memory;
}

void jxrt_free(jxrt_context *ctx, void *memory) {
  if (!memory) return;
  ctx->impl->liveBytes.fetch_sub(storedSize(memory));
  std::free(static_cast<char *>(memory) - alignment);
}

int32_t jxrt_arena_reserve(jxrt_context *ctx, int64_t bytes, const char *where) {
  if (bytes <= ctx->arena_bytes) return JXRT_OK;
  jxrt_free(ctx, ctx->arena);
  ctx->arena = nullptr;
  ctx->arena_bytes = 0;
  void *memory = jxrt_alloc(ctx, bytes, where);
  if (!memory) return JXRT_ERROR;
  ctx->arena = static_cast<unsigned char *>(memory);
  ctx->arena_bytes = bytes;
  return JXRT_OK;
}

jxrt_memory_stats jxrt_memory(const jxrt_context *ctx) {
  const jxrt_context_impl &impl = *ctx->impl;
  return {impl.liveBytes.load(), impl.peakBytes.load(), impl.allocations.load()};
}

jxrt::Scratch::Scratch(jxrt_context *ctx, int64_t bytes, const char *where) : ctx(ctx) {
  jxrt_context_impl &impl = *ctx->impl;
  {
    std::lock_guard lock(impl.scratchLock);
    for (size_t i = 0; i < impl.scratch.size(); ++i)
      if (impl.scratch[i].bytes >= bytes) {
        block = impl.scratch[i];
        impl.scratch.erase(impl.scratch.begin() + i);
        return;
      }
    // One that is too small would only accumulate.
    if (!impl.scratch.empty()) {
      jxrt_free(ctx, impl.scratch.back().memory);
      impl.scratch.pop_back();
    }
  }
  block = {jxrt_alloc(ctx, bytes, where), bytes};
}

jxrt::Scratch::~Scratch() {
  if (!block.memory) return;
  std::lock_guard lock(ctx->impl->scratchLock);
  ctx->impl->scratch.push_back(block);
}
