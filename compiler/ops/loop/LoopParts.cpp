#include "compiler/ops/loop/LoopParts.h"

using namespace mlir;

namespace jx {

Operation *LoopYields::yield(Block *block, Location loc) const {
  SmallVector<Value> values(carryYields);
  llvm::append_range(values, stackedYields);
  RuleBuilder atEnd = builderAtEnd(block, loc);
  return YieldOp::create(atEnd, loc, values);
}

// --- jx.for

static Type stackedOutputType(Type element, IntegerAttr trips) {
  auto array = cast<RankedTensorType>(element);
  if (!trips) return StackType::get(element.getContext(), array);
  SmallVector<int64_t> shape{trips.getInt()};
  llvm::append_range(shape, array.getShape());
  return RankedTensorType::get(shape, array.getElementType());
}

ForParts::ForParts(RuleBuilder &b) : block(new Block) {
  body.push_back(block);
  block->addArgument(RankedTensorType::get({}, b.getI64Type()), b.getLoc());
}

Value ForParts::addCarry(Value init, Location loc) {
  inits.push_back(init);
  return block->insertArgument(inits.size(), init.getType(), loc);
}

Value ForParts::addInput(Value input, Type slice, Location loc) {
  xs.push_back(input);
  return block->addArgument(slice, loc);
}

ForOp ForParts::create(RuleBuilder &b, Value trip, IntegerAttr trips, bool reverse) {
  SmallVector<Type> types;
  for (Value carry : carryYields) types.push_back(carry.getType());
  for (Value stacked : stackedYields) types.push_back(stackedOutputType(stacked.getType(), trips));
  yield(block, b.getLoc());
  auto loop = b.make<ForOp>(TypeRange(types), trip, inits, xs, trips, b.getBoolAttr(reverse));
  loop.getBody().takeBody(body);
  return loop;
}

// --- jx.while

WhileParts::WhileParts() : beforeBlock(new Block), bodyBlock(new Block) {
  before.push_back(beforeBlock);
  body.push_back(bodyBlock);
}

unsigned WhileParts::addCarry(Value init, Location loc) {
  inits.push_back(init);
  beforeBlock->addArgument(init.getType(), loc);
  bodyBlock->addArgument(init.getType(), loc);
  return inits.size() - 1;
}

WhileOp WhileParts::create(RuleBuilder &b) {
  SmallVector<Type> types;
  for (Value carry : carryYields) types.push_back(carry.getType());
  types.push_back(RankedTensorType::get({}, b.getI64Type()));
  for (Value value : stackedYields) types.push_back(StackType::get(b.getContext(), arrayType(value)));
  RuleBuilder beforeEnd = builderAtEnd(beforeBlock, b.getLoc());
  YieldOp::create(beforeEnd, b.getLoc(), ValueRange{predicate});
  yield(bodyBlock, b.getLoc());
  auto loop = b.make<WhileOp>(TypeRange(types), inits);
  loop.getBefore().takeBody(before);
  loop.getBody().takeBody(body);
  return loop;
}

} // namespace jx
