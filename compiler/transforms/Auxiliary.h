// Results of a function that its derivative leaves out: auxiliary data, and what the function writes to
// objects of its surroundings. They are not constant: a derivative around this one sees them vary.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace jx {

constexpr llvm::StringLiteral auxiliaryAttr = "jx.num_auxiliary";

/// Says that the derivatives of `function` are those of all but its last `count` results.
inline void setAuxiliary(mlir::func::FuncOp function, unsigned count) {
  if (count) function->setAttr(auxiliaryAttr, mlir::Builder(function).getI64IntegerAttr(count));
}

inline unsigned numAuxiliary(mlir::func::FuncOp function) {
  auto count = function->getAttrOfType<mlir::IntegerAttr>(auxiliaryAttr);
  return count ? count.getInt() : 0;
}

} // namespace jx
