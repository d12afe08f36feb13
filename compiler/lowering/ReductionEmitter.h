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
/// Elements of an operand, in the combiner's wide type.
using RowReader = std::function<Element(const Position &)>;
/// One row: the elements at prefix x [0, n), along the contiguous axis. Vectors are used if `vector` and
/// possible.
Element foldRow(ElementEmitter &e, Combiner &combiner, const RowReader &read, int64_t n, bool vector,
                const Position &prefix, llvm::function_ref<mlir::Value(int64_t)> scratch);
void emitArgReduce(ElementEmitter &e, ArgReduceOp op, mlir::Value destination);

} // namespace jx
