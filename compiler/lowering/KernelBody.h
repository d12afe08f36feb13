// The function of one kernel while it is emitted: its pointers, its scratch memory, its status.
#pragma once

#include "compiler/lowering/ElementEmitter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace jx {

class KernelBody {
public:
  /// Starts `func.func @name(ptr ctx, ptr in..., ptr out...) -> i32` in `module`.
  KernelBody(KernelOp kernel, llvm::StringRef name, mlir::ModuleOp module);

  KernelOp kernel;
  mlir::ModuleOp module;
  mlir::OpBuilder b;
  mlir::Location loc;
  ElementEmitter e;

  mlir::Value getContext() { return context; }
  /// Memory of the kernel, 64-byte aligned: on the stack, or from the runtime where it or all together is
  /// large.
  mlir::Value scratch(int64_t bytes);
  /// Where the elements of `value` are to be written: the kernel's output, if it is one, else scratch memory.
  mlir::Value destination(mlir::Value value);
  /// The value's elements in memory; evaluated there now unless they lie there already.
  mlir::Value materialise(mlir::Value value);
  /// The outputs of the kernel that are `value`.
  llvm::SmallVector<unsigned, 2> outputsOf(mlir::Value value);
  mlir::Value getOutput(unsigned result) { return outputs[result]; }
  /// Notes that every output is written.
  void allWritten() { isWritten.assign(outputs.size(), true); }
  /// Notes that the value has been written to its destination.
  void written(mlir::Value value, mlir::Value pointer);
  /// Evaluates values of equally many elements in one loop nest and writes them.
  void writeTogether(llvm::ArrayRef<mlir::Value> values, llvm::ArrayRef<mlir::Value> pointers);
  mlir::StringRef getName() { return function.getName(); }
  /// Calls a function of the runtime.
  mlir::ValueRange call(llvm::StringRef callee, llvm::ArrayRef<mlir::Value> arguments,
                        mlir::TypeRange results);
  /// Calls a function of the runtime that returns a status: later code runs regardless, the first failure is
  /// returned.
  void callRuntime(llvm::StringRef function, llvm::ArrayRef<mlir::Value> arguments);

  /// Writes the outputs that are left, ends the function.
  void finish();

  mlir::Value constant32(int32_t value);
  mlir::Value constant64(int64_t value) { return e.index.base(Index::of(value)); }
  /// The user's line, as text for the runtime.
  mlir::Value where();

private:
  mlir::func::FuncOp declare(llvm::StringRef name, mlir::FunctionType type);

  mlir::func::FuncOp function;
  mlir::Block *entry, *body;
  mlir::Value context, status;
  llvm::SmallVector<mlir::Value> outputs;
  llvm::SmallVector<bool> isWritten;
  llvm::SmallVector<mlir::Value> heap;
  int64_t stackBytes = 0;
};

/// The function of a compound op, run on the kernel's body: the op's operands are evaluated, its results
/// written.
void emitReduceOp(KernelBody &body, ReduceOp op);
void emitArgReduceOp(KernelBody &body, ArgReduceOp op);
void emitUpdateSlice(KernelBody &body, DynamicUpdateSliceOp op);
void emitScatter(KernelBody &body, ScatterOp op);
void emitSort(KernelBody &body, SortOp op);
void emitTopK(KernelBody &body, TopKOp op);
void emitCumulative(KernelBody &body, CumulativeOp op);
void emitContraction(KernelBody &body, DotGeneralOp op);

/// A kernel of row reductions and what works on the same rows, emitted row by row in passes over the row.
/// Returns false, with nothing emitted, where the kernel is not of this kind.
bool emitRows(KernelBody &body);

/// Splits loops at the top of `block` that are marked independent among threads, where the work is worth it.
/// `heap` is scratch memory that does not lie on the stack.
void parallelise(KernelBody &body, mlir::Block &block, llvm::ArrayRef<mlir::Value> heap);

/// Whether an op needs its operands or results in memory; all other pure array ops are elemental.
bool isCompound(mlir::Operation *op);
/// Whether lowering can emit the op inside a kernel.
bool isKernelOp(mlir::Operation *op);
} // namespace jx
