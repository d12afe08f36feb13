// The boundary between the control program and kernels.
//
// Clustering wraps groups of pure array ops into jx.kernel ops; each becomes one native function
//
//   i32 @name(ptr ctx, ptr in0, ..., ptr out0, ...)
//
// that the control program calls directly. Arrays are row-major and contiguous, in the runtime's element
// layouts (storageType); scalars come and go through pointers too. Pointers are aligned to their element
// only: a view into a larger array may be passed. Outputs overlap nothing else, except that the output of
// result r is the very pointer of operand inPlaceOperand(r) where that is not -1. A status other than 0
// (JXRT_OK) ends the program.
#pragma once

#include "compiler/dialect/JxDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace jx {

// --- Implemented by clustering and the kernel emitters
// -----------------------------------------------------------

/// Wraps every pure array op of every function, and of every nested region, into jx.kernel ops, except the
/// ops that the control program evaluates itself (evaluatedByControl). Constants that are splats or up to 1
/// KB move into their kernels; larger ones stay outside and are passed as operands. Ops that are unused are
/// erased.
llvm::LogicalResult clusterKernels(mlir::ModuleOp module);

/// Whether result `result` may be written into the buffer of operand `operand` while the kernel runs:
/// elementwise kernels that read element i only to write element i, updates of slices, scatters.
bool mayShareBuffer(KernelOp kernel, unsigned result, unsigned operand);

/// Emits the kernel as `func.func @name` into `out`, with the dialects func, scf, cf, arith, math, vector and
/// llvm. Pointers are !llvm.ptr. Declarations of runtime functions that it calls are added to `out` on first
/// use.
llvm::LogicalResult emitKernel(KernelOp kernel, llvm::StringRef name, mlir::ModuleOp out);

// --- Implemented by the control program
// ----------------------------------------------------------------------------

/// Ops that the control program evaluates itself, on values in registers or by pointer arithmetic: scalar and
/// tiny elementwise, shape, reduction and contraction ops; reshapes; contiguous slices; reads and updates of
/// a few elements at run-time positions; constants; effects; region ops and calls. Clustering leaves them
/// alone.
bool evaluatedByControl(mlir::Operation *op);

/// Whether a value of `type` lives in registers, one a element, in the control program.
bool livesInRegisters(mlir::Type type);

// --- Element layouts
// -------------------------------------------------------------------------------------------

/// Bytes from one element to the next in memory: elementBytes of HostArray.h. An element is one or more
/// machine scalars (ScalarEmitter.h), one after the other: bool is a byte in memory and i1 in registers, uiN
/// is iN, a key is two i32, a complex is two floats.
///
/// Loads and stores of one element's machine scalars; `pointer` addresses the element.
llvm::SmallVector<mlir::Value, 2> loadElement(mlir::OpBuilder &b, mlir::Location loc, mlir::Type elementType,
                                              mlir::Value pointer);
void storeElement(mlir::OpBuilder &b, mlir::Location loc, mlir::Type elementType, mlir::ValueRange scalars,
                  mlir::Value pointer);
/// pointer + index (i64) elements.
mlir::Value elementPointer(mlir::OpBuilder &b, mlir::Location loc, mlir::Type elementType,
                           mlir::Value pointer, mlir::Value index);

} // namespace jx
