// The jx dialect: types, interfaces and op classes generated from the records of compiler/dialect and
// compiler/ops.
#pragma once

#include "compiler/dialect/Rules.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace jx {
/// The outside world: ordered effects write it.
struct HostResource : mlir::SideEffects::Resource::Base<HostResource> {
  llvm::StringRef getName() final { return "Host"; }
};
} // namespace jx

namespace mlir::OpTrait::jx {
/// Piecewise constant: no tangent passes. Activity stops here.
template <typename OpT> class ZeroDerivative : public TraitBase<OpT, ZeroDerivative> {};
} // namespace mlir::OpTrait::jx

#include "compiler/dialect/JxDialect.h.inc"
#include "compiler/dialect/JxInterfaces.h.inc"
#define GET_TYPEDEF_CLASSES
#include "compiler/dialect/JxTypes.h.inc"
#define GET_OP_CLASSES
#include "compiler/dialect/JxOps.h.inc"
