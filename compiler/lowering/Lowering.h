// From plain jx (no transform ops) to native code: what the driver calls.
//
// The function @entry is the program. The code of a module keeps running under any context; it holds no
// global state.
#pragma once

#include "compiler/dialect/HostArray.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

extern "C" {
typedef struct jxrt_context jxrt_context;
}

namespace jx {

/// Registers the dialects that lowering makes ops of (arith, cf, func, llvm, math, scf, vector) and their
/// translations to LLVM IR.
void registerLoweringDialects(mlir::DialectRegistry &registry);

struct LoweringOptions {
  /// Cheap code only; for programs whose run time does not matter.
  bool optimize = true;
  /// Threads that compile; 0: as many as there are CPUs.
  unsigned threads = 0;
  /// Where the IR of the stages "cluster", "control", "llvm" and "asm" goes, when set.
  std::string dumpStage;
  llvm::raw_ostream *dumpTo = nullptr;
};

/// A compiled program in this process.
class CompiledProgram {
public:
  virtual ~CompiledProgram() = default;
  /// Runs @entry on `arguments` (its parameters, in order). Results are filled in order. Returns a
  /// jxrt_status; the context's error slot says what went wrong. Stacks cannot be arguments or results of
  /// @entry.
  virtual int32_t run(jxrt_context *context, llvm::ArrayRef<HostArray> arguments,
                      std::vector<HostArray> &results) = 0;
};

/// Compiles `module`, which is consumed (its functions are clustered and emitted in place).
llvm::Expected<std::unique_ptr<CompiledProgram>> compile(mlir::ModuleOp module,
                                                         const LoweringOptions &options);

/// Compiles and runs an @entry without parameters and results. Compile-time failures are recorded in the
/// context's error slot as SystemError. Returns a jxrt_status.
int32_t compileAndRun(mlir::ModuleOp module, jxrt_context *context, const LoweringOptions &options);

/// Writes an object file that defines `int32_t jx_entry(jxrt_context *, void **arguments, void **results)`
/// `const int64_t jx_arena_bytes` and `const char jx_arena_where[]`, the line whose array takes most of them.
llvm::Error compileToObject(mlir::ModuleOp module, llvm::StringRef path, const LoweringOptions &options);

/// compileToObject, then links with the runtime archives of `libraryFolder` into an executable.
llvm::Error compileToExecutable(mlir::ModuleOp module, llvm::StringRef path, llvm::StringRef libraryFolder,
                                const LoweringOptions &options);

} // namespace jx
