// Derivative, transpose and batching rules of scatter.
#include "compiler/ops/index/ScatterMultiply.h"

using namespace mlir;

namespace jx {

/// A scatter with the op's dimension numbers.
static Value scatterLike(RuleBuilder &b, ScatterOp op, Value operand, Value indices, Value updates,
                         StringRef combiner) {
  return b.make<ScatterOp>(operand, indices, updates, op.getUpdateWindowDims(), op.getInsertedWindowDims(),
                           op.getOperandBatchingDims(), op.getScatterIndicesBatchingDims(),
                           op.getScatterDimsToOperandDims(), combiner, op.getMode(), op.getUniqueIndices());
}

/// The inverse: reads the window that each update writes; zero for dropped updates.
static Value gatherUpdates(RuleBuilder &b, ScatterOp op, Value operand, Value indices) {
  ArrayRef<int64_t> updateShape = shapeOf(op.getUpdates());
  SmallVector<int64_t> sizes(rankOf(op.getOperand()), 1);
  auto windowDims = otherDims(sizes.size(), op.getInsertedWindowDims(), op.getOperandBatchingDims());
  for (auto [dim, updateDim] : llvm::zip_equal(windowDims, op.getUpdateWindowDims()))
    sizes[dim] = updateShape[updateDim];
  bool drops = op.getMode() == "drop";
  return b.make<GatherOp>(operand, indices, op.getUpdateWindowDims(), op.getInsertedWindowDims(),
                          op.getOperandBatchingDims(), op.getScatterIndicesBatchingDims(),
                          op.getScatterDimsToOperandDims(), ArrayRef<int64_t>(sizes),
                          drops ? "fill" : op.getMode(), drops ? b.getF64FloatAttr(0.0) : FloatAttr());
}

/// True where an update of a "set" is the one that stays: the last one written to its place.
static Value survivingUpdates(RuleBuilder &b, ScatterOp op, Value indices) {
  ArrayRef<int64_t> updateShape = shapeOf(op.getUpdates());
  int64_t count = arrayType(op.getUpdates()).getNumElements();
  Type element = count < (int64_t(1) << 31) ? b.getI32Type() : b.getI64Type();
  Value ids = b.reshape(b.iota(element, {count}, 0), updateShape);
  Value last = b.splat(RankedTensorType::get(shapeOf(op.getOperand()), element), -1.0);
  last = scatterLike(b, op, last, indices, ids, "set");
  return b.compare("eq", gatherUpdates(b, op, last, indices), ids);
}

// --- Derivatives

/// min and max: whoever equals the result shares its tangent evenly, the operand's element and all updates
/// alike.
static Value extremumTangent(JvpContext &ctx, ScatterOp op) {
  RuleBuilder &b = ctx.b;
  Value y = ctx.y(), indices = ctx.x(1);
  Type element = elementTypeOf(y);
  Value operandHits = b.compare("eq", ctx.x(0), y);
  Value updateHits = b.compare("eq", ctx.x(2), gatherUpdates(b, op, y, indices));
  Value count =
      scatterLike(b, op, b.convert(operandHits, element), indices, b.convert(updateHits, element), "add");
  Value tangent = b.zerosLike(y);
  if (ctx.dx(0)) tangent = b.select(operandHits, ctx.dx(0).get(), tangent);
  if (ctx.dx(2)) {
    Value chosen = b.select(updateHits, ctx.dx(2).get(), b.zerosLike(ctx.x(2)));
    tangent = scatterLike(b, op, tangent, indices, chosen, "add");
  }
  return b.div(tangent, count);
}

/// Where updates may meet, the product rule needs every factor but one.
static Tangent multiplyTangent(JvpContext &ctx, ScatterOp op) {
  RuleBuilder &b = ctx.b;
  if (ctx.dx(2) && !op.getUniqueIndices()) return scatterMultiplyTangent(ctx, op);
  Tangent fromOperand, fromUpdates;
  if (ctx.dx(0)) fromOperand = scatterLike(b, op, ctx.dx(0).get(), ctx.x(1), ctx.x(2), "mul");
  if (ctx.dx(2)) {
    Value scaled = b.mul(gatherUpdates(b, op, ctx.x(0), ctx.x(1)), ctx.dx(2).get());
    fromUpdates = scatterLike(b, op, b.zerosLike(ctx.x(0)), ctx.x(1), scaled, "add");
  }
  return b.add(fromOperand, fromUpdates);
}

LogicalResult ScatterOp::jvp(JvpContext &ctx) {
  if (!ctx.dx(0) && !ctx.dx(2)) return success();
  if (getCombiner() == "mul") {
    ctx.setTangent(0, multiplyTangent(ctx, *this));
    return success();
  }
  if (getCombiner() == "min" || getCombiner() == "max") {
    ctx.setTangent(0, extremumTangent(ctx, *this));
    return success();
  }
  // set, add and sub are linear in operand and updates together. The order of updates is specified, so that
  // the same update stays in the tangent of a set.
  if (!ctx.dx(2) && getCombiner() != "set") {
    ctx.setTangent(0, ctx.dx(0));
    return success();
  }
  Value operand = ctx.b.materialise(ctx.dx(0), ctx.x(0).getType());
  Value updates = ctx.b.materialise(ctx.dx(2), ctx.x(2).getType());
  ctx.setTangent(0, scatterLike(ctx.b, *this, operand, ctx.x(1), updates, getCombiner()));
  return success();
}

LogicalResult ScatterOp::transpose(TransposeContext &ctx) {
  if (!ctx.ct()) return success();
  RuleBuilder &b = ctx.b;
  Value ct = ctx.ct().get(), indices = ctx.x(1);
  StringRef combiner = getCombiner();
  if (combiner == "add" || combiner == "sub") {
    if (ctx.isLinear(0)) ctx.acc(0).add(ct);
    if (ctx.isLinear(2)) {
      Value updates = gatherUpdates(b, *this, ct, indices);
      ctx.acc(2).add(combiner == "sub" ? b.neg(updates) : updates);
    }
    return success();
  }
  if (combiner == "set") {
    if (ctx.isLinear(0)) ctx.acc(0).add(scatterLike(b, *this, ct, indices, b.zerosLike(getUpdates()), "set"));
    if (ctx.isLinear(2)) {
      Value updates = gatherUpdates(b, *this, ct, indices);
      if (!getUniqueIndices())
        updates = b.select(survivingUpdates(b, *this, indices), updates, b.zerosLike(updates));
      ctx.acc(2).add(updates);
    }
    return success();
  }
  if (combiner == "mul" && ctx.isLinear(0) && !ctx.isLinear(2)) {
    ctx.acc(0).add(scatterLike(b, *this, ct, indices, ctx.x(2), "mul"));
    return success();
  }
  return notLinear(*this, ctx);
}

// --- Batching

/// With shared indices the batch is one more dimension of the window; with batched ones it is a batching
/// dimension.
LogicalResult ScatterOp::batch(BatchContext &ctx) {
  if (!ctx.anyBatched()) return batchNone(*this, ctx);
  Value operand = ctx.materialise(0), updates = ctx.materialise(2);
  SmallVector<int64_t> window = shifted(getUpdateWindowDims()), inserted = shifted(getInsertedWindowDims());
  SmallVector<int64_t> operandBatching = shifted(getOperandBatchingDims());
  SmallVector<int64_t> indicesBatching(getScatterIndicesBatchingDims());
  SmallVector<int64_t> indexMap = shifted(getScatterDimsToOperandDims());
  if (ctx.isBatched(1)) {
    operandBatching = prepended(0, operandBatching);
    indicesBatching = withBatch(indicesBatching);
  } else {
    window = prepended(0, window);
  }
  using Ref = ArrayRef<int64_t>;
  ctx.set(0, ctx.b.make<ScatterOp>(operand, ctx.x(1), updates, Ref(window), Ref(inserted),
                                   Ref(operandBatching), Ref(indicesBatching), Ref(indexMap), getCombiner(),
                                   getMode(), getUniqueIndices()));
  return success();
}

} // namespace jx
