// jx.for: what it means (verifier, textual form, evaluation) and how values flow around it. Its transforms:
// ForRules.cpp.
#include "compiler/dialect/JxDialect.h"
#include "compiler/dialect/RegionRules.h"
#include "compiler/ops/support/RegionFormat.h"
#include "mlir/IR/OpImplementation.h"

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

/// `jx.for %i to 5 carry(%c = %init) xs(%x = %rows) : types {...}`; the trip count may be a value, and
/// `reverse` stands behind it.
void ForOp::print(OpAsmPrinter &printer) {
  printer << " " << getIndex() << " to ";
  if (getTrip())
    printer << getTrip();
  else
    printer << *getTripCount();
  if (getReverse()) printer << " reverse";
  printBindings(printer, "carry", getCarryArgs(), getInits());
  printBindings(printer, "xs", getSliceArgs(), getXs());
  printAttributesAndTypes(printer, *this, {"trip_count", "reverse"});
  printBody(printer, getBody());
}

ParseResult ForOp::parse(OpAsmParser &parser, OperationState &result) {
  RegionReader reader(parser, result);
  RegionReader::Arguments arguments(1);
  auto &properties = result.getOrAddProperties<Properties>();
  Builder &b = parser.getBuilder();
  int64_t tripCount;
  if (parser.parseArgument(arguments.front()) || parser.parseKeyword("to")) return failure();
  OptionalParseResult number = parser.parseOptionalInteger(tripCount);
  if (number.has_value() ? failed(*number) : failed(reader.operand())) return failure();
  if (number.has_value()) properties.trip_count = b.getI64IntegerAttr(tripCount);
  properties.reverse = b.getBoolAttr(succeeded(parser.parseOptionalKeyword("reverse")));

  unsigned trips = reader.numOperands();
  if (reader.bindings("carry", arguments)) return failure();
  unsigned carries = reader.numOperands() - trips;
  if (reader.bindings("xs", arguments) || reader.attributesAndTypes()) return failure();
  unsigned xs = reader.numOperands() - trips - carries;
  llvm::copy(std::array<int32_t, 3>{int32_t(trips), int32_t(carries), int32_t(xs)},
             properties.operandSegmentSizes.begin());

  SmallVector<Type> types{RankedTensorType::get({}, b.getI64Type())};
  for (auto [position, type] : llvm::enumerate(reader.operandTypes().drop_front(trips))) {
    types.push_back(position < carries ? type : sliceType(type));
    if (!types.back()) return parser.emitError(parser.getNameLoc(), "cannot scan a scalar");
  }
  return reader.body(std::move(arguments), types);
}

} // namespace jx
