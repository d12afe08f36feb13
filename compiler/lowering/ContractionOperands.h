// Layouts of the operands of contractions in loops; see the source file.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace jx {

/// Stores matrices that loops multiply with the same few vectors over and over so that the vectors run over
/// them contiguously: one transpose before the loop instead of one in every trip. Bits of results do not
/// change.
void transposeInvariantMatrices(mlir::ModuleOp module);

} // namespace jx
