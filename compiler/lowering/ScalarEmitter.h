// Scalar code of elementwise primitives: what a kernel computes for one element of its output. The loops, the
// reading and the writing are the caller's; this is the arithmetic only, in arith and math.
//
// Inside kernels an element is one or more machine scalars: integers of either sign are signless, bool is i1,
// a complex number is two floats (real, imaginary), a key two i32. The scalars may also be vectors of one
// shape: every emitted op is elementwise.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"

namespace jx {

/// Appends the machine scalars of one array element of `elementType`: f32 -> f32, ui8 -> i8, i1 -> i1,
/// complex<f32> -> f32, f32; !jx.key -> i32, i32.
void appendScalarTypes(mlir::Type elementType, llvm::SmallVectorImpl<mlir::Type> &types);
unsigned numScalars(mlir::Type elementType);

/// Whether emitScalars knows `op`: every op of the elementwise and convert families, and threefry2x32.
bool hasScalarEmitter(mlir::Operation *op);

/// Emits `op` on one element. `scalars` holds the machine scalars of each operand's element, in operand
/// order; returned are those of each result's element. Semantics are those of the op's eval, bit for bit.
llvm::SmallVector<mlir::Value, 2> emitScalars(mlir::OpBuilder &b, mlir::Location loc, mlir::Operation *op,
                                              mlir::ValueRange scalars);

/// The same for an op with one result of one machine scalar.
mlir::Value emitScalar(mlir::OpBuilder &b, mlir::Location loc, mlir::Operation *op, mlir::ValueRange scalars);

} // namespace jx
