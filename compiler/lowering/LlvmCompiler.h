// From LLVM modules to object code: target description, tiers, and the threads that compile.
#pragma once

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace jx {

/// How much compile time a unit is worth.
enum class Tier {
  Cold, ///< runs once: no optimisation, fast instruction selection
  Hot,  ///< everything
};

/// One LLVM module in a context of its own, so that units compile at the same time.
struct CodeUnit {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  Tier tier = Tier::Hot;
  std::string name;
};

/// A target machine for this host's CPU with the widest vectors. Code is position independent: linked in this
/// process it lies further than 2 GB from the runtime.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createHostTarget(Tier tier);

/// Optimises and emits one unit. `assembly` asks for text instead of an object.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> compileUnit(CodeUnit &unit, bool assembly = false);

/// Compiles units on several threads while the caller makes more of them.
class UnitCompiler {
public:
  /// `threads` 0: as many as there are CPUs.
  explicit UnitCompiler(unsigned threads);
  ~UnitCompiler();

  void add(CodeUnit unit);
  /// Takes part in the work, waits for the rest, and returns the objects in the order of `add`.
  llvm::Expected<std::vector<std::unique_ptr<llvm::MemoryBuffer>>> finish();

private:
  struct Job {
    CodeUnit unit;
    std::unique_ptr<llvm::MemoryBuffer> object;
    std::string error;
  };
  void work(bool wait);

  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::unique_ptr<Job>> jobs; ///< all jobs, done or not
  size_t next = 0;                       ///< first job that nobody has taken
  bool closed = false;
};

} // namespace jx
