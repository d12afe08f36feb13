// Result types of the shape family.
#include "compiler/ops/support/RuleSupport.h"

using namespace mlir;

namespace jx {

/// Sizes must be nonnegative before a type is made of them. Whether the array fits into memory, the
/// elaborator asks.
static LogicalResult checkShape(std::optional<Location> loc, StringRef name, ArrayRef<int64_t> shape) {
  if (llvm::all_of(shape, [](int64_t size) { return size >= 0; })) return success();
  return emitOptionalError(loc, "`", name, "` needs nonnegative sizes, got ", describeShape(shape));
}

JX_INFER(ConstantOp) {
  auto type = dyn_cast<RankedTensorType>(JX_ADAPTOR(ConstantOp).getValue().getType());
  if (!type) return emitOptionalError(loc, "a literal must be an array of a static shape");
  types.push_back(type);
  return success();
}

JX_INFER(IotaOp) {
  auto op = JX_ADAPTOR(IotaOp);
  Type element = op.getDtype();
  if (!isa<IntegerType, FloatType, ComplexType>(element) || element.isInteger(1))
    return emitOptionalError(loc, "`iota` counts in numbers, not in ", describe(element));
  if (failed(checkShape(loc, "iota", op.getShape()))) return failure();
  int64_t dimension = op.getDimension();
  if (dimension < 0 || dimension >= int64_t(op.getShape().size()))
    return emitOptionalError(loc, "`iota` along dimension ", dimension, ", but the shape ",
                             describeShape(op.getShape()), " has ", op.getShape().size(), " dimensions");
  types.push_back(RankedTensorType::get(op.getShape(), element));
  return success();
}

JX_INFER(BroadcastInDimOp) {
  auto op = JX_ADAPTOR(BroadcastInDimOp);
  auto type = arrayType(op.getOperand());
  ArrayRef<int64_t> shape = op.getShape(), dims = op.getDims();
  if (failed(checkShape(loc, "broadcast_in_dim", shape))) return failure();
  if (int64_t(dims.size()) != type.getRank())
    return emitOptionalError(loc, "`broadcast_in_dim` needs one result dimension for each of the ",
                             type.getRank(), " dimensions of ", describe(type), ", got ",
                             describeShape(dims));
  if (!areDistinctDims(dims, shape.size()) || !llvm::is_sorted(dims))
    return emitOptionalError(loc, "`broadcast_in_dim` needs ascending dimensions of the result ",
                             describeShape(shape), ", got ", describeShape(dims));
  for (auto [size, dim] : llvm::zip_equal(type.getShape(), dims))
    if (size != 1 && size != shape[dim])
      return emitOptionalError(loc, "cannot broadcast ", describe(type), " to shape ", describeShape(shape),
                               ": dimension ", dim, " is ", size, " in the operand and ", shape[dim],
                               " in the result");
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

JX_INFER(ReshapeOp) {
  auto op = JX_ADAPTOR(ReshapeOp);
  auto type = arrayType(op.getOperand());
  if (failed(checkShape(loc, "reshape", op.getShape()))) return failure();
  auto result = RankedTensorType::get(op.getShape(), type.getElementType());
  if (result.getNumElements() != type.getNumElements())
    return emitOptionalError(loc, "cannot reshape ", describe(type), " of ", type.getNumElements(),
                             " elements into shape ", describeShape(op.getShape()), " of ",
                             result.getNumElements());
  types.push_back(result);
  return success();
}

JX_INFER(TransposeOp) {
  auto op = JX_ADAPTOR(TransposeOp);
  auto type = arrayType(op.getOperand());
  ArrayRef<int64_t> permutation = op.getPermutation();
  if (int64_t(permutation.size()) != type.getRank() || !areDistinctDims(permutation, type.getRank()))
    return emitOptionalError(loc, "`transpose` of ", describe(type), " needs a permutation of its ",
                             type.getRank(), " dimensions, got ", describeShape(permutation));
  auto shape = llvm::map_to_vector(permutation, [&](int64_t dim) { return type.getDimSize(dim); });
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

JX_INFER(ReverseOp) {
  auto op = JX_ADAPTOR(ReverseOp);
  auto type = arrayType(op.getOperand());
  if (!areDistinctDims(op.getDims(), type.getRank()))
    return emitOptionalError(loc, "`rev` of ", describe(type), " needs different dimensions of it, got ",
                             describeShape(op.getDims()));
  types.push_back(type);
  return success();
}

JX_INFER(PadOp) {
  auto op = JX_ADAPTOR(PadOp);
  auto type = arrayType(op.getOperand()), value = arrayType(op.getPaddingValue());
  if (value.getRank() != 0 || value.getElementType() != type.getElementType())
    return emitOptionalError(loc, "`pad` of ", describe(type),
                             " needs a scalar padding value of its dtype, got ", describe(value));
  size_t rank = type.getRank();
  if (op.getLow().size() != rank || op.getHigh().size() != rank || op.getInterior().size() != rank)
    return emitOptionalError(loc, "`pad` needs one padding configuration for each of the ", rank,
                             " dimensions of ", describe(type));
  SmallVector<int64_t> shape;
  for (size_t i = 0; i < rank; ++i) {
    int64_t size = type.getDimSize(i), interior = op.getInterior()[i];
    if (interior < 0)
      return emitOptionalError(loc, "`pad` needs nonnegative interior padding, got ", interior,
                               " for dimension ", i);
    int64_t padded = op.getLow()[i] + op.getHigh()[i] + size + std::max<int64_t>(size - 1, 0) * interior;
    if (padded < 0)
      return emitOptionalError(loc, "`pad` would make dimension ", i, " of ", describe(type), " ", padded,
                               " long");
    shape.push_back(padded);
  }
  if (failed(checkShape(loc, "pad", shape))) return failure();
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

JX_INFER(ConcatenateOp) {
  auto op = JX_ADAPTOR(ConcatenateOp);
  if (operands.empty()) return emitOptionalError(loc, "`concatenate` needs at least one array");
  auto first = arrayType(operands.front());
  int64_t dimension = op.getDimension();
  if (dimension < 0 || dimension >= first.getRank())
    return emitOptionalError(loc, "`concatenate` along dimension ", dimension, " of arrays of ",
                             first.getRank(), " dimensions");
  SmallVector<int64_t> shape(first.getShape());
  for (Value operand : operands.drop_front()) {
    auto type = arrayType(operand);
    if (type.getElementType() != first.getElementType())
      return emitOptionalError(loc, "`concatenate` needs arrays of one dtype, got ", describe(first), " and ",
                               describe(type));
    bool fits = type.getRank() == first.getRank();
    for (int64_t i = 0; fits && i < first.getRank(); ++i)
      fits = i == dimension || type.getDimSize(i) == first.getDimSize(i);
    if (!fits)
      return emitOptionalError(loc, "`concatenate` along dimension ", dimension,
                               " needs arrays that agree in all other dimensions, got ", describe(first),
                               " and ", describe(type));
    shape[dimension] += type.getDimSize(dimension);
  }
  types.push_back(RankedTensorType::get(shape, first.getElementType()));
  return success();
}

} // namespace jx
