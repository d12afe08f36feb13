// A static pool: the caller and its workers take fixed chunks of a range from one counter.
//
// Workers spin for a short time after each piece of work, because in a compiled loop the next one comes
// within microseconds, and then sleep on a futex. The caller waits only for workers that have entered its
// job: on a busy machine one that was not scheduled in time costs nothing. The pool starts at the first call
// that has more than one chunk.
#include "jxrt/Threads.h"
#include "ContextImpl.h"
#include <algorithm>
#include <climits>
#include <cstdlib>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace jxrt {

namespace {
constexpr int spinRounds = 2000;
thread_local bool insideParallel = false;

void pauseOnce() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// A word that threads wait on until it changes.
class WaitWord {
public:
  std::atomic<uint32_t> value{0};

  // Returns once the value differs from `old`.
  void waitWhile(uint32_t old) {
    for (int i = 0; i < spinRounds; ++i) {
      if (value.load(std::memory_order_acquire) != old) return;
      pauseOnce();
    }
    sleepers.fetch_add(1);
    while (value.load() == old) syscall(SYS_futex, &value, FUTEX_WAIT_PRIVATE, old, nullptr, nullptr, 0);
    sleepers.fetch_sub(1);
  }
  // To be called after a change; costs a system call only where someone sleeps.
  void wake() {
    if (sleepers.load() > 0) syscall(SYS_futex, &value, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }

private:
  std::atomic<uint32_t> sleepers{0};
};

int32_t availableThreads(const jxrt_context_impl &impl) {
  int32_t wanted = impl.settings.threads;
  if (wanted <= 0) {
    const char *text = std::getenv("JXRT_THREADS");
    wanted = text ? std::atoi(text) : 0;
  }
  if (wanted <= 0) {
    cpu_set_t set;
    wanted = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  }
  return std::clamp(wanted, 1, 256);
}
} // namespace

class ThreadPool {
public:
  explicit ThreadPool(int32_t threads) : threads(threads) {}
  ~ThreadPool() {
    stopping = true;
    publish();
    for (std::thread &worker : workers) worker.join();
  }

  const int32_t threads;

  int32_t run(jxrt_range_fn fn, void *argument, int64_t begin, int64_t end, int64_t chunk) {
    // One parallel call at a time; a second caller of the same context runs alone.
    if (!busy.try_lock()) return fn(argument, begin, end, 0);
    std::lock_guard lock(busy, std::adopt_lock);
    startWorkers();
    job = {fn, argument, end, chunk};
    next = begin;
    status = JXRT_OK;
    members.value = isOpen;
    publish();
    takeChunks(0);
    for (uint32_t left = members.value.fetch_and(~isOpen) & ~isOpen; left != 0; left = members.value.load())
      members.waitWhile(left);
    return status;
  }

private:
  struct Job {
    jxrt_range_fn fn;
    void *argument;
    int64_t end, chunk;
  };

  // Where the system refuses a thread, the pool does with fewer.
  void startWorkers() {
    try {
      while (!refused && static_cast<int32_t>(workers.size()) < threads - 1) {
        int32_t index = static_cast<int32_t>(workers.size()) + 1;
        uint32_t seen = epoch.value.load();
        workers.emplace_back([this, index, seen] { work(index, seen); });
      }
    } catch (const std::system_error &) {
      refused = true;
    }
  }

  void publish() {
    epoch.value.fetch_add(1);
    epoch.wake();
  }

  // Joins the job if one is open. Its fields are only written while no worker is a member.
  bool enter() {
    uint32_t now = members.value.load();
    while (now & isOpen)
      if (members.value.compare_exchange_weak(now, now + 1)) return true;
    return false;
  }

  void takeChunks(int32_t worker) {
    insideParallel = true;
    for (;;) {
      int64_t begin = next.fetch_add(job.chunk);
      if (begin >= job.end || status.load(std::memory_order_relaxed) != JXRT_OK) break;
      int32_t result = job.fn(job.argument, begin, std::min(begin + job.chunk, job.end), worker);
      int32_t none = JXRT_OK;
      if (result != JXRT_OK) status.compare_exchange_strong(none, result);
    }
    insideParallel = false;
  }

  void work(int32_t index, uint32_t seen) {
    for (;;) {
      epoch.waitWhile(seen);
      if (stopping) return;
      seen = epoch.value.load();
      if (!enter()) continue;
      takeChunks(index);
      if (members.value.fetch_sub(1) == 1) members.wake();
    }
  }

  static constexpr uint32_t isOpen = 1u << 31;
  std::vector<std::thread> workers;
  std::mutex busy;
  bool refused = false;
  Job job{};
  std::atomic<int64_t> next{0};
  std::atomic<int32_t> status{JXRT_OK};
  WaitWord epoch;   // counts jobs
  WaitWord members; // workers inside the job, and whether more may enter
  std::atomic<bool> stopping{false};
};

namespace {
ThreadPool &poolOf(const jxrt_context *ctx) {
  std::atomic<ThreadPool *> &slot = ctx->impl->pool;
  ThreadPool *pool = slot.load(std::memory_order_acquire);
  if (pool) return *pool;
  auto *fresh = new ThreadPool(availableThreads(*ctx->impl));
  if (slot.compare_exchange_strong(pool, fresh)) return *fresh;
  delete fresh;
  return *pool;
}
} // namespace

void destroyPool(jxrt_context *ctx) { delete ctx->impl->pool.exchange(nullptr); }

} // namespace jxrt

int32_t jxrt_thread_count(const jxrt_context *ctx) { return jxrt::poolOf(ctx).threads; }

int32_t jxrt_parallel_for(jxrt_context *ctx, jxrt_range_fn fn, void *argument, int64_t begin, int64_t end,
                          int64_t grain) {
  if (end <= begin) return JXRT_OK;
  int64_t length = end - begin;
  grain = std::max<int64_t>(grain, 1);
  if (length <= grain || jxrt::insideParallel) return fn(argument, begin, end, 0);
  jxrt::ThreadPool &pool = jxrt::poolOf(ctx);
  if (pool.threads == 1) return fn(argument, begin, end, 0);
  // Four chunks a thread even out unequal speeds; never smaller than the grain.
  int64_t pieces = static_cast<int64_t>(pool.threads) * 4;
  int64_t chunk = std::max(grain, (length + pieces - 1) / pieces);
  if (chunk >= length) return fn(argument, begin, end, 0);
  return pool.run(fn, argument, begin, end, chunk);
}
