// Vectors of kLanes elements: their types, which lanes lie inside of an array, lanes that change places.
#pragma once

#include "compiler/lowering/ElementEmitter.h"

namespace jx {

/// A machine type, or the vector of it.
mlir::Type liftTo(mlir::Type type, bool vector);
/// The vector 0, 1, 2, ... of an integer type.
mlir::Value laneNumbers(mlir::OpBuilder &b, mlir::Location loc, mlir::Type integer);
/// Lanes of the vector that starts at `at` which lie before `end` (i64 values).
mlir::Value lanesBefore(ElementEmitter &e, mlir::Value at, mlir::Value end);
/// Lane l of the result is lane (l + by) modulo kLanes.
mlir::Value rotateLanes(ElementEmitter &e, mlir::Value vector, int32_t by);
mlir::Value firstLane(ElementEmitter &e, mlir::Value vector);

} // namespace jx
