// jx.for: what it means (verifier, evaluation) and how values flow around it. Its transforms: ForRules.cpp.
#include "compiler/dialect/JxDialect.h"
#include "compiler/dialect/RegionRules.h"

using namespace mlir;

namespace jx {

/// What the body sees of a scanned input: an array without its leading dimension, or an element of a stack.
static Type sliceType(Type type) {
  if (auto stack = dyn_cast<StackType>(type)) return stack.getElementType();
  auto array = cast<RankedTensorType>(type);
  return array.getRank() == 0 ? Type()
                              : RankedTensorType::get(array.getShape().drop_front(), array.getElementType());
}

/// Type of the stacked output of a value of `type` yielded once a trip.
static Type stackedType(Type type, std::optional<uint64_t> trips) {
  auto array = dyn_cast<RankedTensorType>(type);
  if (!array) return {};
  if (!trips) return StackType::get(type.getContext(), array);
  SmallVector<int64_t> shape{int64_t(*trips)};
  llvm::append_range(shape, array.getShape());
  return RankedTensorType::get(shape, array.getElementType());
}

LogicalResult ForOp::verify() {
  if (getTripCount().has_value() == static_cast<bool>(getTrip()))
    return emitOpError("needs either a static `trip_count` or an operand `trip`");
  if (getTripCount() && int64_t(*getTripCount()) < 0) return emitOpError("has a negative trip count");
  auto index = RankedTensorType::get({}, IntegerType::get(getContext(), 64));
  if (getTrip() && getTrip().getType() != index) return emitOpError("needs a trip count of type ") << index;
  SmallVector<Type> expected{index};
  llvm::append_range(expected, getInits().getTypes());
  for (Value input : getXs()) {
    auto array = dyn_cast<RankedTensorType>(input.getType());
    if (array && getTripCount() && (array.getRank() == 0 || array.getDimSize(0) != int64_t(*getTripCount())))
      return emitOpError("scans ") << array << " in " << *getTripCount() << " trips";
    Type slice = sliceType(input.getType());
    if (!slice) return emitOpError("cannot scan a scalar");
    expected.push_back(slice);
  }
  if (getBlock()->getArgumentTypes() != TypeRange(expected))
    return emitOpError("has body arguments that do not match its operands");
  auto yield = dyn_cast<YieldOp>(getBlock()->getTerminator());
  if (!yield || yield.getNumOperands() != getNumResults() || getNumResults() < getNumCarries())
    return emitOpError("needs a jx.yield of one value a result");
  for (auto [number, value] : llvm::enumerate(yield.getOperands())) {
    bool carry = number < getNumCarries();
    Type type = carry ? value.getType() : stackedType(value.getType(), getTripCount());
    if (getResult(number).getType() != type || (carry && getInits()[number].getType() != type))
      return emitOpError("yields ") << value.getType() << " for result " << number << " of type "
                                    << getResult(number).getType();
  }
  return success();
}

/// Element `position` of the leading dimension.
static HostArray sliceAt(const HostArray &array, int64_t position) {
  if (array.isStack()) return array.getElements()[position];
  HostArray slice(cast<RankedTensorType>(sliceType(array.getType())));
  std::memcpy(slice.mutableData(), array.as<char>() + position * slice.sizeInBytes(), slice.sizeInBytes());
  return slice;
}

LogicalResult ForOp::eval(EvalContext &ctx) {
  auto operands = ctx.operands;
  int64_t trips = getTripCount() ? int64_t(*getTripCount()) : std::max<int64_t>(0, operands[0].scalarInt());
  if (getTrip()) operands = operands.drop_front();
  unsigned numCarries = getNumCarries();
  SmallVector<HostArray> carries(operands.take_front(numCarries));
  ArrayRef<HostArray> inputs = operands.drop_front(numCarries);
  for (const HostArray &input : inputs)
    if ((input.isStack() ? int64_t(input.getElements().size()) : input.getShape().front()) < trips)
      return ctx.fail("a scanned input has fewer elements than the loop has trips");

  SmallVector<std::vector<HostArray>> stacks(getNumStacked());
  for (unsigned i = 0; i < getNumStacked(); ++i) {
    if (getTripCount())
      ctx.alloc(numCarries + i);
    else
      stacks[i].resize(trips);
  }
  Type i64 = IntegerType::get(getContext(), 64);
  for (int64_t trip = 0; trip < trips; ++trip) {
    int64_t index = getReverse() ? trips - 1 - trip : trip;
    SmallVector<HostArray> arguments{HostArray::scalar(i64, index)};
    llvm::append_range(arguments, carries);
    for (const HostArray &input : inputs) arguments.push_back(sliceAt(input, index));
    auto yielded = ctx.host.runRegion(getBody(), arguments);
    if (failed(yielded)) return failure();
    for (unsigned i = 0; i < numCarries; ++i) carries[i] = std::move((*yielded)[i]);
    for (unsigned i = 0; i < getNumStacked(); ++i) {
      HostArray &element = (*yielded)[numCarries + i];
      if (getTripCount())
        std::memcpy(ctx.results[numCarries + i].as<char>() + index * element.sizeInBytes(), element.data(),
                    element.sizeInBytes());
      else
        stacks[i][index] = std::move(element);
    }
  }
  std::move(carries.begin(), carries.end(), ctx.results.begin());
  if (getTripCount()) return success();
  for (unsigned i = 0; i < getNumStacked(); ++i) {
    auto type = cast<StackType>(getResult(numCarries + i).getType());
    ctx.results[numCarries + i] = HostArray::stack(type.getElementType(), std::move(stacks[i]));
  }
  return success();
}

void ForOp::flow(const Dependence &, OpOperand &use, SmallVectorImpl<Value> &targets) {
  unsigned number = use.getOperandNumber();
  if (use.getOwner() == getBlock()->getTerminator()) {
    if (number < getNumCarries()) targets.push_back(getCarryArgs()[number]);
    targets.push_back(getResult(number));
    return;
  }
  if (getTrip() && number == 0) { // the trip count decides everything that the loop computes
    llvm::append_range(targets, getCarryArgs());
    llvm::append_range(targets, getResults());
    return;
  }
  number -= getTrip() ? 1 : 0;
  if (number < getNumCarries()) {
    targets.push_back(getCarryArgs()[number]);
    targets.push_back(getResult(number));
  } else {
    targets.push_back(getSliceArgs()[number - getNumCarries()]);
  }
}

} // namespace jx
