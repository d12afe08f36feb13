// A product of a matrix and a few vectors whose lanes run over the matrix's free dimension wants that
// dimension innermost in memory; with the contracted one there, every product transposes the matrix in
// registers first. Where the matrix comes from outside the loop, that is done once, in front of it.
#include "compiler/lowering/ContractionOperands.h"
#include "compiler/dialect/RuleBuilder.h"
#include "compiler/ops/dot/DotShape.h"
#include "compiler/ops/effect/Fences.h"

using namespace mlir;

namespace jx {
namespace {

/// Products with more vectors than this pay for transposing the matrix anew.
constexpr int64_t mostVectors = 16;
/// Matrices with fewer columns are no work worth a copy.
constexpr int64_t leastColumns = 8;

/// The outermost loop around `op` that `value` comes from outside of, with no loop that times itself in
/// between.
Operation *loopAround(Operation *op, Value value) {
  Operation *outermost = nullptr;
  for (Operation *parent = op->getParentOp(); parent && !isa<func::FuncOp>(parent);
       parent = parent->getParentOp()) {
    if (parent->isAncestor(value.getParentRegion()->getParentOp())) break;
    if (!isa<ForOp, WhileOp>(parent)) continue;
    if (isFence(parent)) break;
    outermost = parent;
  }
  return outermost;
}

class MatrixLayouts {
public:
  void visit(DotGeneralOp op);

private:
  /// `value` with its dimensions in the order `order`, made in front of `loop`.
  Value transposed(Value value, Operation *loop, ArrayRef<int64_t> order);
  struct Copy {
    Value value, copy;
    Operation *loop;
    SmallVector<int64_t> order;
  };
  SmallVector<Copy> copies;
};

Value MatrixLayouts::transposed(Value value, Operation *loop, ArrayRef<int64_t> order) {
  for (const Copy &made : copies)
    if (made.value == value && made.loop == loop && ArrayRef<int64_t>(made.order) == order) return made.copy;
  RuleBuilder b(OpBuilder(loop), value.getLoc());
  Value source = value;
  SmallVector<int64_t> whole(order);
  if (auto transpose = value.getDefiningOp<TransposeOp>()) {
    source = transpose.getOperand();
    for (int64_t &dim : whole) dim = transpose.getPermutation()[static_cast<size_t>(dim)];
  }
  Value copy = llvm::is_sorted(whole) ? source : b.transpose(source, whole);
  copies.push_back({value, copy, loop, SmallVector<int64_t>(order)});
  return copy;
}

void MatrixLayouts::visit(DotGeneralOp op) {
  DotShape shape(op);
  // The lanes run over columns of the right operand where it has any.
  bool left = shape.n == 1;
  int64_t columns = left ? shape.m : shape.n, vectors = left ? shape.n : shape.m;
  if (columns < leastColumns || vectors > mostVectors || shape.k < 2) return;
  Value matrix = left ? op.getLhs() : op.getRhs();
  ArrayRef<int64_t> batch = left ? op.getLhsBatch() : op.getRhsBatch();
  ArrayRef<int64_t> contracting = left ? op.getLhsContracting() : op.getRhsContracting();
  ArrayRef<int64_t> free = left ? shape.lhsFree : shape.rhsFree;
  if (!llvm::is_contained(contracting, rankOf(matrix) - 1)) return;
  Operation *loop = loopAround(op, matrix);
  if (!loop) return;
  SmallVector<int64_t> order(batch);
  llvm::append_range(order, contracting);
  llvm::append_range(order, free);
  Value copy = transposed(matrix, loop, order);
  SmallVector<int64_t> newBatch(batch.size()), newContracting(contracting.size());
  std::iota(newBatch.begin(), newBatch.end(), 0);
  std::iota(newContracting.begin(), newContracting.end(), int64_t(batch.size()));
  RuleBuilder b(OpBuilder(op), op.getLoc());
  Value result = left ? b.dotGeneral(copy, op.getRhs(), newContracting, op.getRhsContracting(), newBatch,
                                     op.getRhsBatch(), elementTypeOf(op.getResult()))
                      : b.dotGeneral(op.getLhs(), copy, op.getLhsContracting(), newContracting,
                                     op.getLhsBatch(), newBatch, elementTypeOf(op.getResult()));
  op.getResult().replaceAllUsesWith(result);
  op->erase();
}

} // namespace

void transposeInvariantMatrices(ModuleOp module) {
  MatrixLayouts layouts;
  SmallVector<DotGeneralOp> dots;
  module.walk([&](DotGeneralOp op) { dots.push_back(op); });
  for (DotGeneralOp op : dots) layouts.visit(op);
}

} // namespace jx
