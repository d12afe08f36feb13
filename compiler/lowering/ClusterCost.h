// What clustering knows about single ops: how their operands are read, and what reading them twice costs.
#pragma once

#include "compiler/dialect/JxDialect.h"

namespace jx {

/// Ops that cost nothing where they are read: every cluster that reads them has its own copy. Splat and small
/// constants, iota, broadcasts, reshapes.
bool isFree(mlir::Operation *op);
/// Elementwise arithmetic that takes about as long as reading its result from memory.
bool isCheap(mlir::Operation *op);
/// Whether the op reads contiguous elements for contiguous results, so that it does not spoil the vectors of
/// others.
bool isContiguousRead(mlir::Operation *op);

/// How a value is read by a member of a cluster.
enum class Use {
  Same,   ///< element i for element i
  Row,    ///< each element for a whole row of the innermost dimension
  Once,   ///< each element at most about once, at another position
  Repeat, ///< each element many times, or at computed positions
  Memory  ///< the user wants it in memory
};
/// How operand `operand` of `user` is read.
Use useOf(mlir::Operation *user, unsigned operand);

/// A reduction of rows: (rows, size) -> (rows) along the contiguous axis.
struct RowReduction {
  int64_t rows, size;
};
std::optional<RowReduction> rowReduction(mlir::Operation *op);

} // namespace jx
