// Liveness of the values of one function, and offsets of its buffers in one block of memory.
//
// Times number the ops of a function in program order, nested regions included. Control flow is structured,
// so a value's life is an interval: a use inside a loop that does not contain the value's definition lasts to
// the loop's end.
#pragma once

#include "compiler/dialect/JxDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <deque>

namespace jx {

/// Memory that values of a function occupy.
struct Buffer {
  int64_t bytes = 0;
  int64_t begin = 0, end = 0; ///< times between which it is occupied, both included
  bool planned = true;        ///< false for names of memory that another buffer or the caller provides
  llvm::SmallVector<mlir::Value> values; ///< jx values that lie in it, one after the other or as aliases
  mlir::Operation *address = nullptr;    ///< the arith.constant that receives the offset
};

class Liveness {
public:
  explicit Liveness(mlir::func::FuncOp function);

  int64_t timeOf(mlir::Operation *op) const { return times.lookup(op).first; }
  /// The last time inside `op`'s regions.
  int64_t endOf(mlir::Operation *op) const { return times.lookup(op).second; }

  /// Last time at which `value`, or a view of it, is needed.
  int64_t lifeEnd(mlir::Value value) const;
  /// Whether `value`, or a view of it, may be read after `op` has run: later in program order and not in
  /// another branch of a cond, or in the next trip of a loop that `op` is in and `value` is defined outside
  /// of.
  bool isReadAfter(mlir::Value value, mlir::Operation *op) const;
  /// How often `op` itself, or an op nested in it, reads `value` or a view of it.
  unsigned readsIn(mlir::Value value, mlir::Operation *op) const;

private:
  void number(mlir::Region &region, int64_t &time);
  /// Calls `use` on every op that reads value or a view of it; a for's slices of xs count as reads by the
  /// for's body.
  void forEachRead(mlir::Value value, llvm::function_ref<void(mlir::Value, mlir::OpOperand &)> use) const;
  /// The outermost loop that contains `op` and not the definition of `value`; null if there is none.
  mlir::Operation *outermostLoop(mlir::Value value, mlir::Operation *op) const;

  llvm::DenseMap<mlir::Operation *, std::pair<int64_t, int64_t>> times;
  mlir::Region *body;
};

/// Whether the result of `op` is a view of its first operand's memory: reshapes, contiguous windows, elements
/// of stacks.
bool isView(mlir::Operation *op);

/// Gives every planned buffer an offset, a multiple of 64, so that buffers that live at the same time do not
/// overlap; returns the bytes needed. Offsets in the order of `buffers`.
int64_t assignOffsets(std::deque<Buffer> &buffers, llvm::SmallVectorImpl<int64_t> &offsets);

} // namespace jx
