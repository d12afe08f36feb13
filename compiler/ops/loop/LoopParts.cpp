#include "compiler/ops/loop/LoopParts.h"

using namespace mlir;

namespace jx {

static Type stackedOutputType(Type element, IntegerAttr trips) {
  auto array = cast<RankedTensorType>(element);
  if (!trips) return StackType::get(element.getContext(), array);
  SmallVector<int64_t> shape{trips.getInt()};
  llvm::append_range(shape, array.getShape());
  return RankedTensorType::get(shape, array.getElementType());
}

LoopParts::LoopParts(RuleBuilder &b) : block(new Block) {
  body.push_back(block);
  block->addArgument(RankedTensorType::get({}, b.getI64Type()), b.getLoc());
}

Value LoopParts::addCarry(Value init, Location loc) {
  inits.push_back(init);
  return block->insertArgument(inits.size(), init.getType(), loc);
}

Value LoopParts::addInput(Value input, Type slice, Location loc) {
  xs.push_back(input);
  return block->addArgument(slice, loc);
}

unsigned LoopParts::inputNumber(Value argument) const {
  return cast<BlockArgument>(argument).getArgNumber() - 1 - inits.size();
}

ForOp LoopParts::create(RuleBuilder &b, Value trip, IntegerAttr trips, bool reverse) {
  SmallVector<Type> types;
  for (Value carry : carryYields) types.push_back(carry.getType());
  for (Value stacked : stackedYields) types.push_back(stackedOutputType(stacked.getType(), trips));
  SmallVector<Value> yields(carryYields);
  llvm::append_range(yields, stackedYields);
  RuleBuilder atEnd = builderAtEnd(block, b.getLoc());
  YieldOp::create(atEnd, b.getLoc(), yields);
  auto loop = b.make<ForOp>(TypeRange(types), trip, inits, xs, trips, b.getBoolAttr(reverse));
  loop.getBody().takeBody(body);
  return loop;
}

} // namespace jx
