// Result type of dot_general.
#include "compiler/ops/dot/DotShape.h"
#include "compiler/ops/support/RuleSupport.h"
#include <numeric>

using namespace mlir;

namespace jx {

static int64_t product(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<int64_t>());
}

static SmallVector<int64_t> sizesOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [&](int64_t dim) { return shape[dim]; });
}

DotShape::DotShape(DotGeneralOp op) {
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs());
  lhsFree = otherDims(lhs.size(), op.getLhsBatch(), op.getLhsContracting());
  rhsFree = otherDims(rhs.size(), op.getRhsBatch(), op.getRhsContracting());
  batchSizes = sizesOf(lhs, op.getLhsBatch());
  contractingSizes = sizesOf(lhs, op.getLhsContracting());
  lhsFreeSizes = sizesOf(lhs, lhsFree);
  rhsFreeSizes = sizesOf(rhs, rhsFree);
  batch = product(batchSizes);
  m = product(lhsFreeSizes);
  n = product(rhsFreeSizes);
  k = product(contractingSizes);
}

/// The paired dimensions of one role must be as many, different, and of equal sizes.
static LogicalResult checkPairs(std::optional<Location> loc, StringRef role, RankedTensorType lhs,
                                ArrayRef<int64_t> lhsDims, RankedTensorType rhs, ArrayRef<int64_t> rhsDims) {
  if (lhsDims.size() != rhsDims.size())
    return emitOptionalError(loc, "`dot_general` needs as many ", role, " dimensions on both sides, got ",
                             describeShape(lhsDims), " and ", describeShape(rhsDims));
  if (!areDistinctDims(lhsDims, lhs.getRank()) || !areDistinctDims(rhsDims, rhs.getRank()))
    return emitOptionalError(loc, "`dot_general` needs different ", role, " dimensions of ", describe(lhs),
                             " and ", describe(rhs), ", got ", describeShape(lhsDims), " and ",
                             describeShape(rhsDims));
  for (auto [l, r] : llvm::zip_equal(lhsDims, rhsDims))
    if (lhs.getDimSize(l) != rhs.getDimSize(r))
      return emitOptionalError(loc, "`dot_general` of ", describe(lhs), " and ", describe(rhs), ": ", role,
                               " dimensions ", l, " and ", r, " differ, ", lhs.getDimSize(l), " against ",
                               rhs.getDimSize(r));
  return success();
}

JX_INFER(DotGeneralOp) {
  auto op = JX_ADAPTOR(DotGeneralOp);
  auto lhs = arrayType(op.getLhs()), rhs = arrayType(op.getRhs());
  if (lhs.getElementType() != rhs.getElementType())
    return emitOptionalError(loc, "`dot_general` needs operands of one dtype, got ", describe(lhs), " and ",
                             describe(rhs));
  if (isa<KeyType>(lhs.getElementType()))
    return emitOptionalError(loc, "`dot_general` does not accept ", describe(lhs));
  Type result = op.getDtype();
  bool bothFloat = isa<FloatType>(result) && isa<FloatType>(lhs.getElementType());
  bool bothInt = isa<IntegerType>(result) && isa<IntegerType>(lhs.getElementType());
  if (result != lhs.getElementType() && !bothFloat && !bothInt)
    return emitOptionalError(loc, "`dot_general` of ", describe(lhs), " and ", describe(rhs),
                             " cannot accumulate in ", describe(result));
  if (failed(checkPairs(loc, "contracting", lhs, op.getLhsContracting(), rhs, op.getRhsContracting())) ||
      failed(checkPairs(loc, "batch", lhs, op.getLhsBatch(), rhs, op.getRhsBatch())))
    return failure();
  auto overlap = [](ArrayRef<int64_t> batch, ArrayRef<int64_t> contracting) {
    return llvm::any_of(batch, [&](int64_t dim) { return llvm::is_contained(contracting, dim); });
  };
  if (overlap(op.getLhsBatch(), op.getLhsContracting()) || overlap(op.getRhsBatch(), op.getRhsContracting()))
    return emitOptionalError(loc, "`dot_general`: a dimension is either batch or contracting, not both");
  SmallVector<int64_t> shape = sizesOf(lhs.getShape(), op.getLhsBatch());
  for (int64_t dim : otherDims(lhs.getRank(), op.getLhsBatch(), op.getLhsContracting()))
    shape.push_back(lhs.getDimSize(dim));
  for (int64_t dim : otherDims(rhs.getRank(), op.getRhsBatch(), op.getRhsContracting()))
    shape.push_back(rhs.getDimSize(dim));
  types.push_back(RankedTensorType::get(shape, result));
  return success();
}

} // namespace jx
