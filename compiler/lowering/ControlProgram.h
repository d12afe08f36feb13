// The control program of a module: every function as native code that calls kernels, and the units in which
// all of it is compiled.
//
// A function becomes
//
//   i32 @f(ptr ctx, ptr frame, arguments..., ptr result...)
//
// where an argument that lives in registers is passed as its machine scalars and any other as a pointer.
// `frame` is the function's planned memory; its callees' frames are parts of it, since recursion does not
// exist.
#pragma once

#include "compiler/lowering/Kernels.h"
#include "compiler/lowering/LlvmCompiler.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include <deque>

namespace jx {

/// A module of emitted code that is compiled as one.
struct ControlUnit {
  std::string name;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Tier tier = Tier::Cold;
  llvm::SmallVector<std::string, 1> exported; ///< functions that other units call
};

/// Bytes of the program's data: literals, shapes, texts.
struct ProgramData {
  std::string symbol;
  std::string bytes;
};

class ControlProgram {
public:
  explicit ControlProgram(mlir::ModuleOp source) : source(source) {}

  /// Emits everything into units. Failures are diagnostics on the source.
  mlir::LogicalResult emit();

  std::deque<ControlUnit> &getUnits() { return units; }
  const std::deque<ProgramData> &getData() const { return data; }
  /// Bytes of the arena that the entry needs.
  int64_t getArenaBytes() const { return arenaBytes; }
  /// The user's line that makes the largest array of the arena; empty without one.
  const std::string &getLargestLine() const { return largestLine; }

  // --- For the emission of functions
  // -----------------------------------------------------------------------------

  /// Symbol of read-only data with these bytes.
  llvm::StringRef dataSymbol(llvm::StringRef bytes);
  /// Offset, from the start of the arena, of a new jxrt_stack that lives as long as the program runs.
  int64_t newStackSlot();
  /// Notes an array of the arena.
  void noteArray(int64_t bytes, mlir::Location loc);
  /// Name of the function of a kernel; equal kernels share one. `trips` is how often this call runs.
  std::string kernelSymbol(KernelOp kernel, double trips, ControlUnit &caller);
  /// The emitted function of a jx function, and its frame's size. Callees come before callers.
  llvm::StringRef functionSymbol(llvm::StringRef name) { return functions.find(name)->second.symbol; }
  int64_t frameBytes(llvm::StringRef name) { return functions.find(name)->second.frameBytes; }
  mlir::func::FuncOp lookup(llvm::StringRef name) { return symbols->lookup<mlir::func::FuncOp>(name); }
  /// The position of a command-line option, or -1.
  int64_t optionIndex(llvm::StringRef name);

private:
  struct Function {
    std::string symbol;
    int64_t frameBytes = 0;
    double calls = 0;
  };
  struct Kernel {
    KernelOp op;
    std::string symbol;
    ControlUnit *unit = nullptr; ///< of the one hot loop that calls it; null: any
    double work = 0;             ///< element operations in one run of the program, estimated
  };
  mlir::LogicalResult countCalls();
  mlir::LogicalResult emitFunction(mlir::func::FuncOp function);
  mlir::LogicalResult emitKernels();
  mlir::LogicalResult emitEntry();
  ControlUnit &newUnit(llvm::StringRef name, Tier tier);

  mlir::ModuleOp source;
  std::optional<mlir::SymbolTable> symbols; ///< made by emit, once hot loops are functions
  std::deque<ControlUnit> units;
  ControlUnit *controlUnit = nullptr; ///< all functions but hot loops
  std::deque<ProgramData> data;
  llvm::StringMap<size_t> dataIndex;
  llvm::MapVector<llvm::StringRef, Kernel> kernels; ///< by content
  llvm::StringMap<char> kernelContents;             ///< owns the keys
  llvm::StringMap<Function> functions;
  llvm::SmallVector<mlir::func::FuncOp> order; ///< callees first
  int64_t stackSlots = 0;
  int64_t arenaBytes = 0, largestArray = 0;
  std::string largestLine;
};

/// How often `op` runs for each run of its function: the product of the trip counts around it, with a guess
/// for those that only the run knows.
double tripsAround(mlir::Operation *op);

} // namespace jx
