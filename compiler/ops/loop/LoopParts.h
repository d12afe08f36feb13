// The parts of a loop that is being built: carries, inputs and outputs arrive in any order while the bodies
// grow in regions of their own.
#pragma once

#include "compiler/dialect/RegionRules.h"

namespace jx {

/// What a trip yields: the next carries, and what is stacked.
struct LoopYields {
  llvm::SmallVector<mlir::Value> carryYields, stackedYields;

  /// Ends `block` with a yield of both.
  mlir::Operation *yield(mlir::Block *block, mlir::Location loc) const;
};

/// A jx.for that is being built.
struct ForParts : LoopYields {
  mlir::Region body;
  mlir::Block *block;
  llvm::SmallVector<mlir::Value> inits, xs;

  explicit ForParts(RuleBuilder &b);
  mlir::Value index() { return block->getArgument(0); }
  /// Appends a carry; its argument stands before those of the inputs.
  mlir::Value addCarry(mlir::Value init, mlir::Location loc);
  mlir::Value addInput(mlir::Value input, mlir::Type slice, mlir::Location loc);
  /// Ends the body and makes the loop. Exactly one of `trip` and `trips` is given.
  ForOp create(RuleBuilder &b, mlir::Value trip, mlir::IntegerAttr trips, bool reverse);
};

/// A jx.while that is being built.
struct WhileParts : LoopYields {
  mlir::Region before, body;
  mlir::Block *beforeBlock, *bodyBlock;
  llvm::SmallVector<mlir::Value> inits;
  mlir::Value predicate;

  WhileParts();
  /// Appends a carry; its arguments in both regions have the number returned.
  unsigned addCarry(mlir::Value init, mlir::Location loc);
  WhileOp create(RuleBuilder &b);
};

} // namespace jx
