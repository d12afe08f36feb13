// The reference interpreter: evaluates plain jx, op by op, through each primitive's eval rule.
//
// It folds constants, answers static demands at compile time, runs `jx run --interpret`, and is the oracle
// for compiled code. Written for clarity; values die at their last use, so that its memory is that of the
// live arrays.
#pragma once

#include "compiler/dialect/Rules.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace jx {

struct InterpreterOptions {
  /// Work after which evaluation stops with an error; 0 for no limit. Compile-time evaluation sets it. An
  /// operation is one unit, and one for every 64 elements that it reads or writes.
  int64_t workBudget = 0;
  /// Bytes of one array above which evaluation stops with an error; 0 for no limit.
  int64_t byteBudget = 0;
  /// Stop at the first nan that a float op makes from operands without nan.
  bool checkNans = false;
  /// Print each op's source line as it runs, to stderr.
  bool trace = false;
};

class Interpreter : public EvalHost {
public:
  /// `runtimeContext` is a jxrt_context for effects; null makes every effect an error.
  Interpreter(mlir::ModuleOp module, void *runtimeContext, InterpreterOptions options = {});

  /// Evaluates a function. Failures are reported as MLIR diagnostics at the failing op.
  mlir::FailureOr<llvm::SmallVector<HostArray>> run(mlir::func::FuncOp function,
                                                    llvm::ArrayRef<HostArray> arguments);

  /// Evaluates one op whose operands are given; the generic constant folder uses it.
  mlir::FailureOr<llvm::SmallVector<HostArray>> evaluate(mlir::Operation *op,
                                                         llvm::ArrayRef<HostArray> operands);

  int64_t operationsRun() const { return operations; }

  mlir::FailureOr<llvm::SmallVector<HostArray>> runRegion(mlir::Region &region,
                                                          llvm::ArrayRef<HostArray> arguments) override;
  mlir::FailureOr<llvm::SmallVector<HostArray>> callFunction(llvm::StringRef symbol,
                                                             llvm::ArrayRef<HostArray> arguments) override;
  void *runtimeContext() override { return context; }
  mlir::LogicalResult fail(mlir::Operation *op, const llvm::Twine &message) override;

private:
  using Frame = llvm::DenseMap<mlir::Value, HostArray>;
  mlir::LogicalResult step(mlir::Operation *op);
  bool hasMemoryFor(mlir::Operation *op);
  mlir::LogicalResult checkNan(mlir::Operation *op, const EvalContext &evaluation);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  void *context;
  InterpreterOptions options;
  int64_t operations = 0, work = 0;
  int depth = 0;
  Frame *frame = nullptr; ///< values of the function being evaluated, its regions included
};

} // namespace jx
