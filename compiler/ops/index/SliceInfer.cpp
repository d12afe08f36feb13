// Result types of slice, dynamic_slice and dynamic_update_slice.
#include "compiler/ops/support/RuleSupport.h"

using namespace mlir;

namespace jx {

JX_INFER(SliceOp) {
  auto op = JX_ADAPTOR(SliceOp);
  auto type = arrayType(op.getOperand());
  ArrayRef<int64_t> starts = op.getStarts(), limits = op.getLimits(), strides = op.getStrides();
  size_t rank = type.getRank();
  if (starts.size() != rank || limits.size() != rank || strides.size() != rank)
    return emitOptionalError(loc, "`slice` needs a start, a limit and a stride for each of the ", rank,
                             " dimensions of ", describe(type));
  SmallVector<int64_t> shape;
  for (size_t i = 0; i < rank; ++i) {
    if (starts[i] < 0 || starts[i] > limits[i] || limits[i] > type.getDimSize(i))
      return emitOptionalError(loc, "`slice` [", starts[i], ":", limits[i],
                               "] does not lie inside dimension ", i, " of ", describe(type), ", which is ",
                               type.getDimSize(i), " long");
    if (strides[i] <= 0)
      return emitOptionalError(loc, "`slice` needs positive strides, got ", strides[i], " for dimension ", i);
    shape.push_back((limits[i] - starts[i] + strides[i] - 1) / strides[i]);
  }
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

/// One scalar integer a dimension.
static LogicalResult checkStarts(std::optional<Location> loc, StringRef name, ValueRange starts,
                                 RankedTensorType type) {
  if (int64_t(starts.size()) != type.getRank())
    return emitOptionalError(loc, "`", name, "` needs one start index for each of the ", type.getRank(),
                             " dimensions of ", describe(type), ", got ", starts.size());
  for (Value start : starts) {
    auto startType = arrayType(start);
    if (startType.getRank() != 0 || !isa<IntegerType>(startType.getElementType()) ||
        startType.getElementType().isInteger(1))
      return emitOptionalError(loc, "`", name, "` needs scalar integer start indices, got ",
                               describe(startType));
  }
  return success();
}

JX_INFER(DynamicSliceOp) {
  auto op = JX_ADAPTOR(DynamicSliceOp);
  auto type = arrayType(op.getOperand());
  if (failed(checkStarts(loc, "dynamic_slice", op.getStarts(), type))) return failure();
  ArrayRef<int64_t> sizes = op.getSizes();
  bool fits = int64_t(sizes.size()) == type.getRank();
  for (int64_t i = 0; fits && i < type.getRank(); ++i) fits = sizes[i] >= 0 && sizes[i] <= type.getDimSize(i);
  if (!fits)
    return emitOptionalError(loc, "`dynamic_slice` of sizes ", describeShape(sizes), " does not fit into ",
                             describe(type));
  types.push_back(RankedTensorType::get(sizes, type.getElementType()));
  return success();
}

JX_INFER(DynamicUpdateSliceOp) {
  auto op = JX_ADAPTOR(DynamicUpdateSliceOp);
  auto type = arrayType(op.getOperand()), update = arrayType(op.getUpdate());
  if (failed(checkStarts(loc, "dynamic_update_slice", op.getStarts(), type))) return failure();
  if (update.getElementType() != type.getElementType())
    return emitOptionalError(loc, "`dynamic_update_slice` needs an update of the operand's dtype, got ",
                             describe(update), " for ", describe(type));
  bool fits = update.getRank() == type.getRank();
  for (int64_t i = 0; fits && i < type.getRank(); ++i) fits = update.getDimSize(i) <= type.getDimSize(i);
  if (!fits)
    return emitOptionalError(loc, "`dynamic_update_slice` with an update ", describe(update),
                             " that does not fit into ", describe(type));
  types.push_back(type);
  return success();
}

} // namespace jx
