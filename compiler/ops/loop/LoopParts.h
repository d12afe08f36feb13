// The parts of a jx.for that is being built: carries, inputs and outputs arrive in any order while the body
// grows in a region of its own.
#pragma once

#include "compiler/dialect/RegionRules.h"

namespace jx {

struct LoopParts {
  mlir::Region body;
  mlir::Block *block;
  llvm::SmallVector<mlir::Value> inits, xs;
  llvm::SmallVector<mlir::Value> carryYields, stackedYields;

  explicit LoopParts(RuleBuilder &b);
  mlir::Value index() { return block->getArgument(0); }
  /// Appends a carry; its argument stands before those of the inputs.
  mlir::Value addCarry(mlir::Value init, mlir::Location loc);
  mlir::Value addInput(mlir::Value input, mlir::Type slice, mlir::Location loc);
  /// The number in `xs` of the input that `argument` reads.
  unsigned inputNumber(mlir::Value argument) const;
  /// Ends the body and makes the loop. Exactly one of `trip` and `trips` is given.
  ForOp create(RuleBuilder &b, mlir::Value trip, mlir::IntegerAttr trips, bool reverse);
};

} // namespace jx
