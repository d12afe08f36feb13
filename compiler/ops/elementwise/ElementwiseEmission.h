// The parts of scalar emission: each emits `operation` on one element, or returns false if it is not one of
// its ops or not one of its element types. An Emission is in progress.
#pragma once

#include "compiler/ops/elementwise/SymbolicElements.h"

namespace jx {

bool emitMath(mlir::Operation *operation, mlir::Type element, mlir::ValueRange scalars,
              llvm::SmallVectorImpl<mlir::Value> &results);
bool emitArithmetic(mlir::Operation *operation, mlir::Type element, mlir::ValueRange scalars,
                    llvm::SmallVectorImpl<mlir::Value> &results);
bool emitConversion(mlir::Operation *operation, mlir::Type element, mlir::ValueRange scalars,
                    llvm::SmallVectorImpl<mlir::Value> &results);

} // namespace jx
