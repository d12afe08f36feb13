// Scalar and tiny array ops on values that live in registers.
//
// An array of up to `registerElements` elements is kept as its machine scalars, element by element, in
// row-major order: no memory, no loop, no call. In a loop they become loop-carried registers.
#pragma once

#include "compiler/dialect/RuleBuilder.h"
#include "compiler/lowering/Kernels.h"
#include "compiler/ops/support/StridedCopy.h"

namespace jx {

/// Largest array that is kept in registers.
inline constexpr int64_t registerElements = 8;

/// The machine scalars of one array value, row-major, an element's parts together.
using Registers = llvm::SmallVector<mlir::Value, 4>;

/// Whether emitInRegisters takes `op`, whose operands and results all live in registers.
bool isRegisterOp(mlir::Operation *op);

/// Whether one element of the elementwise `op` takes dozens of instructions.
bool isLongFunction(mlir::Operation *op);

/// Emits `op` element by element. `where` names the source line for errors of host arithmetic.
llvm::SmallVector<Registers, 2> emitInRegisters(mlir::OpBuilder &b, mlir::Location loc, mlir::Operation *op,
                                                llvm::ArrayRef<Registers> operands);

/// The machine scalars of a literal.
Registers constantRegisters(mlir::OpBuilder &b, mlir::Location loc, mlir::ElementsAttr value);

/// A run-time start of a slice (any integer type; ui64 above i64's range counts as large), as i64, clamped to
/// [0, limit].
mlir::Value clampedStart(mlir::OpBuilder &b, mlir::Location loc, mlir::Value start, mlir::Type elementType,
                         int64_t limit);

/// Whether the window of `sizes` lies contiguously in an array of `shape`.
bool isContiguousWindow(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> shape);

} // namespace jx
