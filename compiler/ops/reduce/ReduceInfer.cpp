// Result types of the reduction family.
#include "compiler/ops/support/RuleSupport.h"

using namespace mlir;

namespace jx {

JX_INFER(ReduceOp) {
  auto op = JX_ADAPTOR(ReduceOp);
  auto type = arrayType(op.getOperand());
  StringRef kind = op.getKind();
  Type element = type.getElementType();
  bool isBool = element.isInteger(1), isInt = isa<IntegerType>(element) && !isBool;
  bool isReal = isInt || isa<FloatType>(element);
  bool known = llvm::StringSwitch<bool>(kind)
                   .Cases({"sum", "prod", "max", "min", "and", "or", "xor"}, true)
                   .Default(false);
  if (!known) return emitOptionalError(loc, "unknown kind of reduction `", kind, "`");
  bool accepted = llvm::StringSwitch<bool>(kind)
                      .Cases({"sum", "prod"}, isReal || isa<ComplexType>(element))
                      .Cases({"max", "min"}, isReal || isBool)
                      .Default(isInt || isBool);
  if (!accepted) return emitOptionalError(loc, "`reduce_", kind, "` does not accept ", describe(type));
  if (!areDistinctDims(op.getAxes(), type.getRank()))
    return emitOptionalError(loc, "`reduce_", kind, "` of ", describe(type),
                             " needs different axes of it, got ", describeShape(op.getAxes()));
  SmallVector<int64_t> shape;
  for (int64_t dim : otherDims(type.getRank(), op.getAxes())) shape.push_back(type.getDimSize(dim));
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

static LogicalResult checkAxis(std::optional<Location> loc, const Twine &name, RankedTensorType type,
                               int64_t axis) {
  if (axis >= 0 && axis < type.getRank()) return success();
  return emitOptionalError(loc, "`", name, "` of ", describe(type), " along axis ", axis,
                           ", which it does not have");
}

JX_INFER(ArgReduceOp) {
  auto op = JX_ADAPTOR(ArgReduceOp);
  auto type = arrayType(op.getOperand());
  StringRef kind = op.getKind();
  int64_t axis = op.getAxis();
  if (kind != "max" && kind != "min")
    return emitOptionalError(loc, "unknown kind of arg reduction `", kind, "`");
  if (isa<ComplexType, KeyType>(type.getElementType()))
    return emitOptionalError(loc, "`arg", kind, "` does not accept ", describe(type));
  if (failed(checkAxis(loc, "arg" + kind, type, axis))) return failure();
  if (type.getDimSize(axis) == 0)
    return emitOptionalError(loc, "`arg", kind, "` of ", describe(type), " along axis ", axis,
                             ", which is empty");
  if (!isa<IntegerType>(op.getDtype()) || op.getDtype().isInteger(1))
    return emitOptionalError(loc, "`arg", kind, "` gives indices, which cannot be of dtype ",
                             describe(op.getDtype()));
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  types.push_back(RankedTensorType::get(shape, op.getDtype()));
  return success();
}

JX_INFER(CumulativeOp) {
  auto op = JX_ADAPTOR(CumulativeOp);
  auto type = arrayType(op.getOperand());
  StringRef kind = op.getKind();
  Type element = type.getElementType();
  bool isFloat = isa<FloatType>(element);
  bool isInt = isa<IntegerType>(element) && !element.isInteger(1);
  bool known = llvm::is_contained(ArrayRef<StringRef>{"sum", "prod", "max", "min", "logsumexp"}, kind);
  if (!known) return emitOptionalError(loc, "unknown kind of cumulative reduction `", kind, "`");
  bool accepted = llvm::StringSwitch<bool>(kind)
                      .Cases({"sum", "prod"}, isFloat || isInt || isa<ComplexType>(element))
                      .Cases({"max", "min"}, isFloat || isInt)
                      .Default(isFloat);
  if (!accepted) return emitOptionalError(loc, "`cum", kind, "` does not accept ", describe(type));
  if (failed(checkAxis(loc, "cum" + kind, type, op.getAxis()))) return failure();
  types.push_back(type);
  return success();
}

} // namespace jx
