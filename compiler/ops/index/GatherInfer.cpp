// Result types of gather and scatter: the checks of JAX's shape rules on their dimension numbers.
#include "compiler/ops/support/RuleSupport.h"

using namespace mlir;

namespace jx {

using Dims = ArrayRef<int64_t>;

/// Dimension numbers that gather and scatter share. `collapsed` are the operand dimensions that the window
/// lacks.
struct IndexNumbers {
  StringRef name;
  RankedTensorType operand, indices;
  Dims collapsed, operandBatching, indicesBatching, indexMap;
};

static LogicalResult checkNumbers(std::optional<Location> loc, const IndexNumbers &numbers) {
  int64_t rank = numbers.operand.getRank(), indexRank = numbers.indices.getRank();
  StringRef name = numbers.name;
  if (indexRank == 0 || !isa<IntegerType>(numbers.indices.getElementType()) ||
      numbers.indices.getElementType().isInteger(1))
    return emitOptionalError(loc, "`", name, "` needs an integer array of index vectors, got ",
                             describe(numbers.indices));
  if (numbers.indices.getShape().back() != int64_t(numbers.indexMap.size()))
    return emitOptionalError(loc, "`", name, "` needs index vectors of ", numbers.indexMap.size(),
                             " numbers, got indices ", describe(numbers.indices));
  SmallVector<int64_t> dropped(numbers.collapsed);
  llvm::append_range(dropped, numbers.operandBatching);
  SmallVector<int64_t> indexed(numbers.indexMap);
  llvm::append_range(indexed, numbers.operandBatching);
  if (!areDistinctDims(dropped, rank) || !areDistinctDims(indexed, rank))
    return emitOptionalError(loc, "`", name, "` needs different dimensions of ", describe(numbers.operand),
                             " in its dimension numbers, got collapsed ", describeShape(numbers.collapsed),
                             ", batching ", describeShape(numbers.operandBatching), ", indexed ",
                             describeShape(numbers.indexMap));
  if (numbers.operandBatching.size() != numbers.indicesBatching.size() ||
      !areDistinctDims(numbers.indicesBatching, indexRank - 1))
    return emitOptionalError(loc, "`", name, "` needs as many batching dimensions of ",
                             describe(numbers.indices), " as of ", describe(numbers.operand));
  for (auto [dim, indexDim] : llvm::zip_equal(numbers.operandBatching, numbers.indicesBatching))
    if (numbers.operand.getDimSize(dim) != numbers.indices.getDimSize(indexDim))
      return emitOptionalError(loc, "`", name, "`: batching dimensions ", dim, " and ", indexDim, " of ",
                               describe(numbers.operand), " and ", describe(numbers.indices), " differ");
  return success();
}

JX_INFER(GatherOp) {
  auto op = JX_ADAPTOR(GatherOp);
  auto operand = arrayType(op.getOperand()), indices = arrayType(op.getIndices());
  if (failed(checkNumbers(loc, {"gather", operand, indices, op.getCollapsedSliceDims(),
                                op.getOperandBatchingDims(), op.getStartIndicesBatchingDims(),
                                op.getStartIndexMap()})))
    return failure();
  if (!llvm::is_contained(ArrayRef<StringRef>{"clip", "fill", "promise"}, op.getMode()))
    return emitOptionalError(loc, "unknown mode of `gather`: `", op.getMode(), "`");
  Dims sizes = op.getSliceSizes();
  bool fits = int64_t(sizes.size()) == operand.getRank();
  for (int64_t i = 0; fits && i < operand.getRank(); ++i)
    fits = sizes[i] >= 0 && sizes[i] <= operand.getDimSize(i);
  if (!fits)
    return emitOptionalError(loc, "`gather` of slices ", describeShape(sizes), " does not fit ",
                             describe(operand));
  auto isDropped = [&](int64_t dim) {
    return llvm::is_contained(op.getCollapsedSliceDims(), dim) ||
           llvm::is_contained(op.getOperandBatchingDims(), dim);
  };
  SmallVector<int64_t> window;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (!isDropped(dim))
      window.push_back(size);
    else if (size > 1)
      return emitOptionalError(loc, "`gather` cannot collapse dimension ", dim, " of a slice ",
                               describeShape(sizes));
  }
  int64_t rank = indices.getRank() - 1 + int64_t(window.size());
  if (op.getOffsetDims().size() != window.size() || !areDistinctDims(op.getOffsetDims(), rank) ||
      !llvm::is_sorted(op.getOffsetDims()))
    return emitOptionalError(loc, "`gather` needs ", window.size(), " ascending offset dimensions below ",
                             rank, ", got ", describeShape(op.getOffsetDims()));
  SmallVector<int64_t> shape(rank);
  for (auto [dim, size] : llvm::zip_equal(op.getOffsetDims(), window)) shape[dim] = size;
  for (auto [dim, size] : llvm::zip(otherDims(rank, op.getOffsetDims()), indices.getShape()))
    shape[dim] = size;
  types.push_back(RankedTensorType::get(shape, operand.getElementType()));
  return success();
}

JX_INFER(ScatterOp) {
  auto op = JX_ADAPTOR(ScatterOp);
  auto operand = arrayType(op.getOperand()), indices = arrayType(op.getIndices());
  auto updates = arrayType(op.getUpdates());
  if (failed(checkNumbers(loc, {"scatter", operand, indices, op.getInsertedWindowDims(),
                                op.getOperandBatchingDims(), op.getScatterIndicesBatchingDims(),
                                op.getScatterDimsToOperandDims()})))
    return failure();
  if (!llvm::is_contained(ArrayRef<StringRef>{"clip", "drop", "promise"}, op.getMode()))
    return emitOptionalError(loc, "unknown mode of `scatter`: `", op.getMode(), "`");
  StringRef combiner = op.getCombiner();
  if (!llvm::is_contained(ArrayRef<StringRef>{"set", "add", "sub", "mul", "min", "max"}, combiner))
    return emitOptionalError(loc, "unknown combiner of `scatter`: `", combiner, "`");
  Type element = operand.getElementType();
  bool isArithmetic = llvm::is_contained(ArrayRef<StringRef>{"add", "sub", "mul"}, combiner);
  if ((combiner != "set" && isa<KeyType>(element)) || (isArithmetic && element.isInteger(1)) ||
      ((combiner == "min" || combiner == "max") && isa<ComplexType>(element)))
    return emitOptionalError(loc, "`scatter_", combiner, "` does not accept ", describe(operand));
  if (updates.getElementType() != element)
    return emitOptionalError(loc, "`scatter` needs updates of the operand's dtype, got ", describe(updates),
                             " for ", describe(operand));
  SmallVector<int64_t> windowDims =
      otherDims(operand.getRank(), op.getInsertedWindowDims(), op.getOperandBatchingDims());
  int64_t rank = indices.getRank() - 1 + int64_t(windowDims.size());
  bool fits = updates.getRank() == rank && op.getUpdateWindowDims().size() == windowDims.size() &&
              areDistinctDims(op.getUpdateWindowDims(), rank) && llvm::is_sorted(op.getUpdateWindowDims());
  if (fits) {
    for (auto [dim, target] : llvm::zip_equal(op.getUpdateWindowDims(), windowDims))
      fits &= updates.getDimSize(dim) <= operand.getDimSize(target);
    for (auto [dim, size] : llvm::zip(otherDims(rank, op.getUpdateWindowDims()), indices.getShape()))
      fits &= updates.getDimSize(dim) == size;
  }
  if (!fits)
    return emitOptionalError(loc, "`scatter` of updates ", describe(updates), " at indices ",
                             describe(indices), " does not fit ", describe(operand));
  types.push_back(operand);
  return success();
}

} // namespace jx
