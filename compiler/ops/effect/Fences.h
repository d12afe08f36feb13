// Fences: the effects with which a program times itself, jx.barrier and jx.clock. What a program computes
// between two of them is computed there, each time: nothing is moved across a fence, merged with a value of
// its other side, or hoisted out of a loop that contains one.
#pragma once

#include "mlir/IR/Operation.h"

namespace jx {

/// Whether `op` is a fence or contains one, in its regions or in a function that it calls.
bool isFence(mlir::Operation *op);
/// Whether any op of the region is a fence.
bool hasFence(mlir::Region &region);

} // namespace jx
