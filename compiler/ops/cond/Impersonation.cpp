#include "compiler/ops/cond/Impersonation.h"

using namespace mlir;

namespace jx {

Type laneType(Type type, int64_t size) {
  auto stack = dyn_cast<StackType>(type);
  auto array = stack ? stack.getElementType() : cast<RankedTensorType>(type);
  SmallVector<int64_t> shape{size};
  llvm::append_range(shape, array.getShape());
  auto lanes = RankedTensorType::get(shape, array.getElementType());
  return stack ? Type(StackType::get(type.getContext(), lanes)) : Type(lanes);
}

Value mapStack(RuleBuilder &b, Value stack, llvm::function_ref<Value(RuleBuilder &, Value)> apply) {
  auto element = cast<StackType>(stack.getType()).getElementType();
  Value length = b.make<StackLengthOp>(stack);
  auto block = std::make_unique<Block>();
  block->addArgument(length.getType(), b.getLoc());
  Value slice = block->addArgument(element, b.getLoc());
  RuleBuilder body = builderAtEnd(block.get(), b.getLoc());
  Value result = apply(body, slice);
  body.make<YieldOp>(ValueRange{result});
  auto loop = b.make<ForOp>(TypeRange{StackType::get(b.getContext(), arrayType(result))}, length,
                            ValueRange{}, ValueRange{stack}, IntegerAttr(), b.getBoolAttr(false));
  loop.getBody().push_back(block.release());
  return loop.getResult(0);
}

Value broadcastLanes(RuleBuilder &b, Value x, int64_t size) {
  if (!isa<StackType>(x.getType())) return b.broadcastLeading(x, size);
  return mapStack(b, x, [&](RuleBuilder &inner, Value slice) { return inner.broadcastLeading(slice, size); });
}

Value materialiseLanes(BatchContext &ctx, unsigned operand) {
  return ctx.isBatched(operand) ? ctx.x(operand) : broadcastLanes(ctx.b, ctx.x(operand), ctx.size);
}

/// Two stacks are merged element by element, over the longer one's length: a lane reads no further than the
/// stack that it comes from reaches.
static Value selectStacks(RuleBuilder &b, Value mask, Value onTrue, Value onFalse) {
  Value length = b.make<MaxOp>(b.make<StackLengthOp>(onTrue), b.make<StackLengthOp>(onFalse));
  auto block = std::make_unique<Block>();
  Value index = block->addArgument(length.getType(), b.getLoc());
  RuleBuilder body = builderAtEnd(block.get(), b.getLoc());
  Value result =
      selectLanes(body, mask, body.make<StackGetOp>(onTrue, index), body.make<StackGetOp>(onFalse, index));
  body.make<YieldOp>(ValueRange{result});
  auto loop = b.make<ForOp>(TypeRange{onTrue.getType()}, length, ValueRange{}, ValueRange{}, IntegerAttr(),
                            b.getBoolAttr(false));
  loop.getBody().push_back(block.release());
  return loop.getResult(0);
}

Value selectLanes(RuleBuilder &b, Value mask, Value onTrue, Value onFalse) {
  if (onTrue == onFalse) return onTrue;
  if (isa<StackType>(onTrue.getType())) return selectStacks(b, mask, onTrue, onFalse);
  return b.select(b.broadcastFromLeading(mask, onTrue), onTrue, onFalse);
}

Value anyLane(RuleBuilder &b, Value mask) { return b.reduce("or", mask, {0}); }

Value Impersonation::apply(RuleBuilder &inner, Value x) {
  SmallVector<Value> starts{lane};
  SmallVector<int64_t> sizes(shapeOf(x));
  sizes[0] = 1;
  for (int64_t i = 1; i < rankOf(x); ++i) starts.push_back(inner.index(0));
  Value active = inner.reshape(inner.dynamicSlice(x, starts, sizes), shapeOf(x).drop_front());
  Value everywhere = inner.broadcastLeading(active, size);
  if (isDifferentiable(x.getType())) everywhere = inner.stopGradient(everywhere);
  return selectLanes(inner, mask, x, everywhere);
}

void Impersonation::enter(Value original) {
  auto [value, batched] = walk.lookup(original);
  if (!batched) return;
  if (!lane) lane = b.make<ArgReduceOp>(b.convert(mask, b.getI32Type()), "max", 0, b.getI64Type());
  saved.emplace_back(original, value);
  Value masked =
      isa<StackType>(value.getType())
          ? mapStack(b, value, [&](RuleBuilder &inner, Value slice) { return apply(inner, slice); })
          : apply(b, value);
  walk.map(original, masked, true);
}

void Impersonation::leave() {
  for (auto [original, value] : saved) walk.map(original, value, true);
  saved.clear();
}

} // namespace jx
