// Scalar functions of a trip, packed; see the source file.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace jx {

/// On ops that the control program evaluates as one vector, however dear their elements are.
inline constexpr llvm::StringLiteral packedAttr = "jx.packed";

/// Packs equal functions of independent scalars, in bodies of loops whose values all live in registers, into
/// ops on small arrays.
void packScalarFunctions(mlir::ModuleOp module);

} // namespace jx
