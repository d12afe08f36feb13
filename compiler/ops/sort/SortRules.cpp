// Derivative, transpose and batching rules of sort and top_k: tangents move as their primals do, by a gather
// of the permutation.
#include "compiler/ops/support/RuleSupport.h"

using namespace mlir;

namespace jx {

/// x[..., indices[..., i, ...], ...] along `axis`; all other dimensions of x and `indices` go together.
static Value takeAlongAxis(RuleBuilder &b, Value x, Value indices, int64_t axis) {
  int64_t rank = rankOf(x);
  SmallVector<int64_t> batching = otherDims(rank, {axis}), sizes(rank, 1), vectors(shapeOf(indices));
  vectors.push_back(1);
  using Ref = ArrayRef<int64_t>;
  return b.make<GatherOp>(x, b.reshape(indices, vectors), Ref(), Ref{axis}, Ref(batching), Ref(batching),
                          Ref{axis}, Ref(sizes), "promise", FloatAttr());
}

// --- sort

LogicalResult SortOp::jvp(JvpContext &ctx) {
  if (allZero(ctx) || arrayType(ctx.x()).getNumElements() == 0) return success();
  RuleBuilder &b = ctx.b;
  int64_t dimension = getDimension();
  ArrayRef<int64_t> shape = shapeOf(ctx.x());
  Type indexType = shape[dimension] < (int64_t(1) << 31) ? b.getI32Type() : b.getI64Type();
  SmallVector<Value> inputs(ctx.primals);
  inputs.push_back(b.iota(indexType, shape, dimension));
  auto sorted = b.make<SortOp>(ValueRange(inputs), uint64_t(dimension), getNumKeys());
  Value permutation = sorted.getOutputs().back();
  for (unsigned i = 0; i < getInputs().size(); ++i) {
    ctx.setPrimal(i, sorted.getOutputs()[i]);
    if (ctx.dx(i)) ctx.setTangent(i, takeAlongAxis(b, ctx.dx(i).get(), permutation, dimension));
  }
  return success();
}

LogicalResult SortOp::transpose(TransposeContext &ctx) { return notLinear(*this, ctx); }

LogicalResult SortOp::batch(BatchContext &ctx) {
  if (!ctx.anyBatched()) return batchNone(*this, ctx);
  SmallVector<Value> inputs;
  for (unsigned i = 0; i < getInputs().size(); ++i) inputs.push_back(ctx.materialise(i));
  auto sorted = ctx.b.make<SortOp>(ValueRange(inputs), getDimension() + 1, getNumKeys());
  for (auto [i, output] : llvm::enumerate(sorted.getOutputs())) ctx.set(i, output);
  return success();
}

// --- top_k

LogicalResult TopKOp::jvp(JvpContext &ctx) {
  bool isEmpty = arrayType(getValues()).getNumElements() == 0;
  if (ctx.dx() && !isEmpty)
    ctx.setTangent(0, takeAlongAxis(ctx.b, ctx.dx().get(), ctx.y(1), rankOf(ctx.x()) - 1));
  return success();
}

LogicalResult TopKOp::transpose(TransposeContext &ctx) { return notLinear(*this, ctx); }
LogicalResult TopKOp::batch(BatchContext &ctx) { return batchAsIs(*this, ctx); }

} // namespace jx
