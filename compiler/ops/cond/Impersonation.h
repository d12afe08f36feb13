// Lanes of batched control flow. Where lanes part ways, idle ones impersonate an active one: they compute
// only what a real lane computes, so that values stay finite, loops end, and shared operands need no
// broadcasting. Results are chosen by mask, and no gradient flows through an impersonation.
#pragma once

#include "compiler/dialect/RegionRules.h"

namespace jx {

/// `type` with a leading dimension of `size` lanes; a stack's elements get it.
mlir::Type laneType(mlir::Type type, int64_t size);
/// An array or stack repeated over `size` lanes.
mlir::Value broadcastLanes(RuleBuilder &b, mlir::Value x, int64_t size);
/// The operand with its lanes, broadcast when it had none; arrays and stacks.
mlir::Value materialiseLanes(BatchContext &ctx, unsigned operand);
/// Lane by lane onTrue or onFalse (both batched), by mask: tensor<lanes x i1>.
mlir::Value selectLanes(RuleBuilder &b, mlir::Value mask, mlir::Value onTrue, mlir::Value onFalse);
/// Whether any lane is active: a scalar bool.
mlir::Value anyLane(RuleBuilder &b, mlir::Value mask);
/// Applies `body` to the elements of a stack; the result is a stack of the same length.
mlir::Value mapStack(RuleBuilder &b, mlir::Value stack,
                     llvm::function_ref<mlir::Value(RuleBuilder &, mlir::Value)> body);

/// For the extent of one region, batched values read as impersonated ones.
class Impersonation {
public:
  Impersonation(RuleBuilder &b, BatchWalk &walk, mlir::Value mask, int64_t size)
      : b(b), walk(walk), mask(mask), size(size) {}
  /// Maps an original value, if it is batched, to one whose idle lanes hold the first active lane's value.
  void enter(mlir::Value original);
  /// Restores the maps.
  void leave();

private:
  mlir::Value apply(RuleBuilder &b, mlir::Value x);
  RuleBuilder &b;
  BatchWalk &walk;
  mlir::Value mask, lane;
  int64_t size;
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> saved;
};

} // namespace jx
