// Emits reductions in the order of compiler/numerics/ReductionOrder.h, with the expression that makes their
// operand evaluated in place.
#pragma once

#include "compiler/lowering/ElementEmitter.h"
#include "compiler/numerics/ReductionOrder.h"

namespace jx {

/// One kind of reduction over elements of one type: how two partial results combine, and what none is.
class Combiner {
public:
  Combiner(ElementEmitter &e, llvm::StringRef kind, mlir::Type elementType);
  /// f16 and bf16 are reduced in f32.
  mlir::Type getWideType() const { return wide; }
  Element identity(bool vector);
  Element combine(const Element &x, const Element &y);
  Element subtract(const Element &x, const Element &y); ///< x - y, for scatters
  Element widen(const Element &x);
  /// The vector of a scalar's copies; a vector as it is.
  Element asVector(Element x);
  Element narrow(const Element &x);
  /// Where the mask holds x, elsewhere `otherwise`; a null mask holds everywhere.
  Element masked(mlir::Value mask, const Element &x, const Element &otherwise);

private:
  ElementEmitter &e;
  std::string kind;
  mlir::Type element, wide;
};

/// Emits one reduction to memory: (outer, n, inner) -> (outer, inner).
void emitReduce(ElementEmitter &e, ReduceOp op, mlir::Value destination,
                llvm::function_ref<mlir::Value(int64_t)> scratch);
/// The sum so far with element `at` added, in the combiner's wide type.
using Accumulate = std::function<Element(Index at, const Element &sum)>;
/// One row of n elements, along the contiguous axis. Vectors are used if `vector` and possible.
Element foldRow(ElementEmitter &e, Combiner &combiner, const Accumulate &accumulate, int64_t n, bool vector,
                llvm::function_ref<mlir::Value(int64_t)> scratch);
void emitArgReduce(ElementEmitter &e, ArgReduceOp op, mlir::Value destination);

} // namespace jx
