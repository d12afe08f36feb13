// Aligned allocation with accounting, and the arena of planned memory.
//
// Each block carries its size in the 64 bytes before it, so that freeing needs no size and the books always
// balance.
#include "ContextImpl.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

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

// The number behind `key` in a small file of the system, in bytes; -1 without one.
int64_t readNumber(const char *path, const char *key, int64_t unit) {
  std::FILE *file = std::fopen(path, "r");
  if (!file) return -1;
  char text[8192];
  size_t length = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  text[length] = 0;
  const char *at = std::strstr(text, key);
  long long value = -1;
  if (!at || std::sscanf(at + std::strlen(key), "%lld", &value) != 1 || value < 0 || value > INT64_MAX / unit)
    return -1;
  return value * unit;
}
} // namespace

int64_t jxrt::availableMemory() {
  int64_t available = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  // Version 2 and version 1 of control groups.
  for (const char *path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"})
    if (int64_t allowed = readNumber(path, "", 1); allowed > 0) available = std::min(available, allowed);
  if (int64_t idle = readNumber("/proc/meminfo", "MemAvailable:", 1024); idle > 0)
    available = std::min(available, idle);
  return available;
}

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

void *jxrt_scratch_take(jxrt_context *ctx, int64_t bytes, const char *where) {
  jxrt_context_impl &impl = *ctx->impl;
  {
    std::lock_guard lock(impl.scratchLock);
    auto fits = [&](void *memory) { return storedSize(memory) >= bytes; };
    auto found = std::find_if(impl.scratch.begin(), impl.scratch.end(), fits);
    if (found != impl.scratch.end()) {
      void *memory = *found;
      impl.scratch.erase(found);
      return memory;
    }
    // One that is too small would only accumulate.
    if (!impl.scratch.empty()) {
      jxrt_free(ctx, impl.scratch.back());
      impl.scratch.pop_back();
    }
  }
  return jxrt_alloc(ctx, bytes, where);
}

void jxrt_scratch_give(jxrt_context *ctx, void *memory) {
  if (!memory) return;
  std::lock_guard lock(ctx->impl->scratchLock);
  ctx->impl->scratch.push_back(memory);
}
