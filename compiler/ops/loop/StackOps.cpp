// Stacks as values: length and element access.
#include "compiler/dialect/RegionRules.h"
#include "compiler/ops/support/RuleSupport.h"

using namespace mlir;

namespace jx {

JX_INFER(StackLengthOp) {
  if (!isa<StackType>(operands[0].getType()))
    return emitOptionalError(loc, "`stack_length` needs a stack, got ", operands[0].getType());
  types.push_back(RankedTensorType::get({}, IntegerType::get(context, 64)));
  return success();
}

LogicalResult StackLengthOp::eval(EvalContext &ctx) {
  ctx.results[0] =
      HostArray::scalar(ctx.resultType().getElementType(), int64_t(ctx.x().getElements().size()));
  return success();
}

/// All lanes of a batched stack push together, so that its length is one number.
LogicalResult StackLengthOp::batch(BatchContext &ctx) {
  ctx.set(0, ctx.b.make<StackLengthOp>(ctx.x()), false);
  return success();
}

JX_INFER(StackGetOp) {
  auto stack = dyn_cast<StackType>(operands[0].getType());
  if (!stack) return emitOptionalError(loc, "`stack_get` needs a stack, got ", operands[0].getType());
  if (operands[1].getType() != RankedTensorType::get({}, IntegerType::get(context, 64)))
    return emitOptionalError(loc, "`stack_get` needs a scalar int64 index, got ", operands[1].getType());
  types.push_back(stack.getElementType());
  return success();
}

LogicalResult StackGetOp::eval(EvalContext &ctx) {
  const std::vector<HostArray> &elements = ctx.x(0).getElements();
  if (elements.empty()) {
    std::memset(ctx.alloc().mutableData(), 0, ctx.results[0].sizeInBytes());
    return success();
  }
  ctx.results[0] = elements[std::clamp<int64_t>(ctx.x(1).scalarInt(), 0, int64_t(elements.size()) - 1)];
  return success();
}

/// The tangent is read by a loop over the stack of tangents, whose transpose is a loop that makes a stack.
LogicalResult StackGetOp::jvp(JvpContext &ctx) {
  if (!ctx.dx(0)) return success();
  RuleBuilder &b = ctx.b;
  RankedTensorType element = getElement().getType();
  Value length = b.make<StackLengthOp>(ctx.x(0));
  Value last = b.make<MaxOp>(b.sub(length, b.index(1)), b.index(0));
  Value index = b.make<MinOp>(b.make<MaxOp>(ctx.x(1), b.index(0)), last);
  auto loop = b.make<ForOp>(TypeRange{element}, length, ValueRange{b.zeros(element)},
                            ValueRange{ctx.dx(0).get()}, IntegerAttr(), b.getBoolAttr(false));
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&loop.getBody());
  Value position = block->addArgument(length.getType(), b.getLoc());
  Value total = block->addArgument(element, b.getLoc());
  Value slice = block->addArgument(element, b.getLoc());
  b.make<YieldOp>(ValueRange{b.select(b.compare("eq", position, index), slice, total)});
  ctx.setTangent(0, loop.getResult(0));
  return success();
}

LogicalResult StackGetOp::transpose(TransposeContext &ctx) { return notLinear(*this, ctx); }

LogicalResult StackGetOp::batch(BatchContext &ctx) {
  if (!ctx.isBatched(1)) {
    ctx.set(0, ctx.b.make<StackGetOp>(ctx.x(0), ctx.x(1)), ctx.isBatched(0));
    return success();
  }
  // Each lane reads at an index of its own: a loop over lanes.
  RuleBuilder &b = ctx.b;
  auto element = cast<RankedTensorType>(getElement().getType());
  SmallVector<int64_t> shape{ctx.size};
  llvm::append_range(shape, element.getShape());
  auto loop =
      b.make<ForOp>(TypeRange{RankedTensorType::get(shape, element.getElementType())}, Value(), ValueRange{},
                    ValueRange{ctx.x(1)}, b.getI64IntegerAttr(ctx.size), b.getBoolAttr(false));
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&loop.getBody());
  auto scalar = RankedTensorType::get({}, b.getI64Type());
  Value lane = block->addArgument(scalar, b.getLoc());
  Value index = block->addArgument(scalar, b.getLoc());
  Value read = b.make<StackGetOp>(ctx.x(0), index);
  if (ctx.isBatched(0)) {
    SmallVector<Value> starts{lane};
    SmallVector<int64_t> sizes{1};
    for (int64_t size : element.getShape()) {
      starts.push_back(b.index(0));
      sizes.push_back(size);
    }
    read = b.reshape(b.dynamicSlice(read, starts, sizes), element.getShape());
  }
  b.make<YieldOp>(ValueRange{read});
  ctx.set(0, loop.getResult(0));
  return success();
}

} // namespace jx
