// The passes between elaboration and lowering, as one list with the reason beside each.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace jx {

/// Brings an elaborated module into the form that the interpreter and lowering take.
llvm::LogicalResult runPreparation(mlir::ModuleOp module);

} // namespace jx
