// Implementation of ScatterMultiply.h: the product rule, update by update. With factors u0, u1, ... at one
// place, y' = (((x' u0 + x u0') u1 + x u0 u1') ...), which divides by nothing. The order is that of scatter
// itself.
#include "compiler/ops/index/ScatterMultiply.h"

using namespace mlir;

namespace jx {
namespace {

/// A scatter as a list: indices [n, depth] into operand dimensions `indexMap`, updates [n, window...].
struct UpdateList {
  Value indices, updates, tangents;
  SmallVector<int64_t> inserted, indexMap, windowSizes;
};

/// The dimensions of the updates that the window does not take come first and become one.
Value flattened(RuleBuilder &b, Value v, ArrayRef<int64_t> windowDims) {
  SmallVector<int64_t> order = otherDims(rankOf(v), windowDims), shape{1};
  for (int64_t dim : order) shape.front() *= shapeOf(v)[dim];
  for (int64_t dim : windowDims) {
    shape.push_back(shapeOf(v)[dim]);
    order.push_back(dim);
  }
  return b.reshape(b.transpose(v, order), shape);
}

/// Batching dimensions become components of the index vectors.
UpdateList listed(RuleBuilder &b, ScatterOp op, Value indices, Value updates, Value tangents) {
  UpdateList list;
  Type i64 = b.getI64Type();
  indices = b.convert(indices, i64);
  int64_t depth = rankOf(indices) - 1;
  SmallVector<int64_t> one(shapeOf(indices));
  one[depth] = 1;
  SmallVector<Value> components;
  for (int64_t dim : op.getScatterIndicesBatchingDims()) components.push_back(b.iota(i64, one, dim));
  components.push_back(indices);
  list.indices = flattened(b, b.concatenate(components, depth), {depth});
  list.updates = flattened(b, updates, op.getUpdateWindowDims());
  list.tangents = flattened(b, tangents, op.getUpdateWindowDims());
  list.inserted.assign(op.getInsertedWindowDims().begin(), op.getInsertedWindowDims().end());
  llvm::append_range(list.inserted, op.getOperandBatchingDims());
  llvm::sort(list.inserted);
  list.indexMap.assign(op.getOperandBatchingDims().begin(), op.getOperandBatchingDims().end());
  llvm::append_range(list.indexMap, op.getScatterDimsToOperandDims());
  list.windowSizes.assign(rankOf(op.getOperand()), 1);
  auto windowDims = otherDims(rankOf(op.getOperand()), list.inserted);
  for (auto [dim, size] : llvm::zip_equal(windowDims, shapeOf(list.updates).drop_front()))
    list.windowSizes[dim] = size;
  return list;
}

} // namespace

Tangent scatterMultiplyTangent(JvpContext &ctx, ScatterOp op) {
  RuleBuilder &b = ctx.b;
  Value x = ctx.x(0);
  UpdateList list = listed(b, op, ctx.x(1), ctx.x(2), b.materialise(ctx.dx(2), ctx.x(2).getType()));
  Value dx = b.materialise(ctx.dx(0), x.getType());
  int64_t count = shapeOf(list.indices).front(), rank = list.windowSizes.size() - list.inserted.size();
  SmallVector<int64_t> window = llvm::to_vector(llvm::seq<int64_t>(rank));
  bool drops = op.getMode() == "drop";

  auto loop = b.make<ForOp>(TypeRange{x.getType(), x.getType()}, Value(), ValueRange{x, dx},
                            ValueRange{list.indices, list.updates, list.tangents}, b.getI64IntegerAttr(count),
                            b.getBoolAttr(false));
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&loop.getBody());
  auto argument = [&](ArrayRef<int64_t> shape, Type element) -> Value {
    return block->addArgument(RankedTensorType::get(shape, element), b.getLoc());
  };
  Type element = elementTypeOf(x), i64 = b.getI64Type();
  argument({}, i64);
  Value product = argument(shapeOf(x), element), tangent = argument(shapeOf(x), element);
  Value index = argument(shapeOf(list.indices).drop_front(), i64);
  Value factor = argument(shapeOf(list.updates).drop_front(), element);
  Value factorTangent = argument(shapeOf(list.updates).drop_front(), element);
  using Ref = ArrayRef<int64_t>;
  auto read = [&](Value array) -> Value {
    return b.make<GatherOp>(array, index, Ref(window), Ref(list.inserted), Ref(), Ref(), Ref(list.indexMap),
                            Ref(list.windowSizes), drops ? "fill" : op.getMode(),
                            drops ? b.getF64FloatAttr(0.0) : FloatAttr());
  };
  auto write = [&](Value array, Value values) -> Value {
    return b.make<ScatterOp>(array, index, values, Ref(window), Ref(list.inserted), Ref(), Ref(),
                             Ref(list.indexMap), "set", op.getMode(), true);
  };
  Value old = read(product);
  Value newTangent = b.add(b.mul(read(tangent), factor), b.mul(old, factorTangent));
  b.make<YieldOp>(ValueRange{write(product, b.mul(old, factor)), write(tangent, newTangent)});
  return loop.getResult(1);
}

} // namespace jx
