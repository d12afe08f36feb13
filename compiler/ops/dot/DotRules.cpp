// Derivative, transpose and batching rules of dot_general. All emit one dot_general, with a transpose of the
// result only where no order of the operands gives the layout that is wanted.
#include "compiler/ops/dot/DotShape.h"
#include "compiler/ops/support/RuleSupport.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace jx {

using Dims = SmallVector<int64_t>;

LogicalResult DotGeneralOp::jvp(JvpContext &ctx) {
  auto product = [&](Value lhs, Value rhs) {
    return ctx.b.dotGeneral(lhs, rhs, getLhsContracting(), getRhsContracting(), getLhsBatch(), getRhsBatch(),
                            getDtype());
  };
  Tangent left, right;
  if (ctx.dx(0)) left = product(ctx.dx(0).get(), ctx.x(1));
  if (ctx.dx(1)) right = product(ctx.x(0), ctx.dx(1).get());
  ctx.setTangent(0, ctx.b.add(left, right));
  return success();
}

// --- Transpose

/// One operand's side of a contraction: its value and its dimensions by role, paired with the other side's.
struct Side {
  Value value;
  Dims contracting, batch;
  /// What each free dimension, ascending, is in the result that is wanted.
  Dims freeTargets;
};

/// Contracts two sides into the layout that the targets state: result dimension i of the natural order
/// (batch, free of the first side, free of the second) is dimension targets[i]. The order of the sides is
/// chosen so that no transpose is needed, where there is one; products commute, so that the bits are the
/// same.
static Value contract(RuleBuilder &b, const Side &x, const Side &y, const Dims &batchTargets, Type element) {
  auto targets = [&](const Side &first, const Side &second) {
    Dims all(batchTargets);
    llvm::append_range(all, first.freeTargets);
    llvm::append_range(all, second.freeTargets);
    return all;
  };
  bool swap = !llvm::is_sorted(targets(x, y)) && llvm::is_sorted(targets(y, x));
  const Side &first = swap ? y : x, &second = swap ? x : y;
  Value product = b.dotGeneral(first.value, second.value, first.contracting, second.contracting, first.batch,
                               second.batch, element);
  return b.transpose(product, inversePermutation(targets(first, second)));
}

/// The cotangent of one operand: the result's cotangent contracted with the other operand over the other's
/// free dimensions.
LogicalResult DotGeneralOp::transpose(TransposeContext &ctx) {
  if (!ctx.ct()) return success();
  RuleBuilder &b = ctx.b;
  DotShape shape(*this);
  bool toLhs = ctx.isLinear(0);
  if (toLhs && ctx.isLinear(1)) return emitError("a product of two linear values is not linear");
  Value own = toLhs ? getLhs() : getRhs();
  ArrayRef<int64_t> ownBatch = toLhs ? getLhsBatch() : getRhsBatch();
  ArrayRef<int64_t> otherBatch = toLhs ? getRhsBatch() : getLhsBatch();
  ArrayRef<int64_t> ownContracting = toLhs ? getLhsContracting() : getRhsContracting();
  ArrayRef<int64_t> otherContracting = toLhs ? getRhsContracting() : getLhsContracting();
  ArrayRef<int64_t> ownFree = toLhs ? shape.lhsFree : shape.rhsFree;
  ArrayRef<int64_t> otherFree = toLhs ? shape.rhsFree : shape.lhsFree;

  // The result's dimensions: batch, free of lhs, free of rhs.
  int64_t batchCount = ownBatch.size(), otherStart = batchCount + (toLhs ? int64_t(shape.lhsFree.size()) : 0);
  Value ct = ctx.ct().get();
  Side cotangent{ct, llvm::to_vector(llvm::seq<int64_t>(otherStart, otherStart + otherFree.size())),
                 llvm::to_vector(llvm::seq<int64_t>(batchCount)), Dims(ownFree)};
  Side other{b.convert(ctx.x(toLhs ? 1 : 0), elementTypeOf(ct)), Dims(otherFree), Dims(otherBatch), {}};
  // Free in the new product are the other's contracting dimensions, in its order: each pairs with one of our
  // own.
  Dims ascending(otherContracting);
  llvm::sort(ascending);
  for (int64_t dim : ascending)
    other.freeTargets.push_back(ownContracting[llvm::find(otherContracting, dim) - otherContracting.begin()]);

  Value result = contract(b, cotangent, other, Dims(ownBatch), elementTypeOf(ct));
  ctx.acc(toLhs ? 0 : 1).add(b.convert(result, elementTypeOf(own)));
  return success();
}

// --- Batching

/// Two batched operands gain a batch dimension. One alone gains a free dimension, so that the whole batch is
/// one bigger product.
LogicalResult DotGeneralOp::batch(BatchContext &ctx) {
  if (!ctx.anyBatched()) return batchNone(*this, ctx);
  RuleBuilder &b = ctx.b;
  bool lhsBatched = ctx.isBatched(0), rhsBatched = ctx.isBatched(1);
  auto moved = [](ArrayRef<int64_t> dims, bool batched) { return batched ? shifted(dims) : Dims(dims); };
  Dims lhsContracting = moved(getLhsContracting(), lhsBatched), lhsBatch = moved(getLhsBatch(), lhsBatched);
  Dims rhsContracting = moved(getRhsContracting(), rhsBatched), rhsBatch = moved(getRhsBatch(), rhsBatched);
  if (lhsBatched && rhsBatched) {
    ctx.set(0, b.dotGeneral(ctx.x(0), ctx.x(1), lhsContracting, rhsContracting, prepended(0, lhsBatch),
                            prepended(0, rhsBatch), getDtype()));
    return success();
  }
  // Targets in the batched result: the batch dimension first, then the original ones in their order.
  DotShape shape(*this);
  int64_t batchCount = getLhsBatch().size(), lhsCount = shape.lhsFree.size(), rhsCount = shape.rhsFree.size();
  int64_t next = batchCount + 1;
  Side lhs{ctx.x(0), lhsContracting, lhsBatch, llvm::to_vector(llvm::seq<int64_t>(next, next + lhsCount))};
  next += lhsCount;
  Side rhs{ctx.x(1), rhsContracting, rhsBatch, llvm::to_vector(llvm::seq<int64_t>(next, next + rhsCount))};
  Side &batched = lhsBatched ? lhs : rhs;
  batched.freeTargets.insert(batched.freeTargets.begin(), 0);
  Dims batchTargets = llvm::to_vector(llvm::seq<int64_t>(1, 1 + batchCount));
  ctx.set(0, contract(b, lhs, rhs, batchTargets, getDtype()));
  return success();
}

// --- Folding

/// dot(transpose(x), y) -> dot(x, y) with other dimension numbers, if x's free dimensions keep their order:
/// the contraction emitter reads any layout.
static LogicalResult dotOfTranspose(DotGeneralOp op, PatternRewriter &rewriter) {
  DotShape shape(op);
  auto absorb = [](Value &operand, ArrayRef<int64_t> free, Dims &contracting, Dims &batch) {
    auto transpose = operand.getDefiningOp<TransposeOp>();
    if (!transpose) return false;
    auto mapped = [&](ArrayRef<int64_t> dims) {
      return llvm::map_to_vector(dims, [&](int64_t dim) { return transpose.getPermutation()[dim]; });
    };
    if (!llvm::is_sorted(mapped(free))) return false;
    operand = transpose.getOperand();
    contracting = mapped(contracting);
    batch = mapped(batch);
    return true;
  };
  Value lhs = op.getLhs(), rhs = op.getRhs();
  Dims lhsContracting(op.getLhsContracting()), rhsContracting(op.getRhsContracting());
  Dims lhsBatch(op.getLhsBatch()), rhsBatch(op.getRhsBatch());
  bool left = absorb(lhs, shape.lhsFree, lhsContracting, lhsBatch);
  bool right = absorb(rhs, shape.rhsFree, rhsContracting, rhsBatch);
  if (!left && !right) return failure();
  rewriter.replaceOpWithNewOp<DotGeneralOp>(op, lhs, rhs, lhsContracting, rhsContracting, lhsBatch, rhsBatch,
                                            op.getDtype());
  return success();
}

void DotGeneralOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add(dotOfTranspose);
}

} // namespace jx
