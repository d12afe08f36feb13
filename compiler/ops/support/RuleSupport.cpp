// Implementation of RuleSupport.h.
#include "compiler/ops/support/RuleSupport.h"

using namespace mlir;

namespace jx {

static std::string describeElement(Type element) {
  if (element.isInteger(1)) return "bool";
  if (isa<KeyType>(element)) return "key";
  if (auto complex = dyn_cast<ComplexType>(element))
    return complex.getElementType().isF32() ? "complex64" : "complex128";
  std::string text;
  llvm::raw_string_ostream(text) << element;
  return StringRef(text).starts_with("ui") ? text.replace(0, 2, "u") : text;
}

std::string describe(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) return describeElement(type);
  std::string text = describeElement(tensor.getElementType());
  if (tensor.getRank() == 0) return text;
  llvm::raw_string_ostream out(text);
  out << "[";
  llvm::interleaveComma(tensor.getShape(), out);
  out << "]";
  return text;
}

std::string describeShape(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "(";
  llvm::interleaveComma(shape, out);
  out << (shape.size() == 1 ? ",)" : ")");
  return text;
}

bool areDistinctDims(ArrayRef<int64_t> dims, int64_t rank) {
  SmallVector<bool> seen(rank, false);
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= rank || seen[dim]) return false;
    seen[dim] = true;
  }
  return true;
}

SmallVector<int64_t> shifted(ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [](int64_t dim) { return dim + 1; });
}

SmallVector<int64_t> prepended(int64_t first, ArrayRef<int64_t> rest) {
  SmallVector<int64_t> all{first};
  llvm::append_range(all, rest);
  return all;
}

SmallVector<int64_t> withBatch(ArrayRef<int64_t> dims) { return prepended(0, shifted(dims)); }

SmallVector<int64_t> otherDims(int64_t rank, ArrayRef<int64_t> dims, ArrayRef<int64_t> more) {
  SmallVector<int64_t> others;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(dims, dim) && !llvm::is_contained(more, dim)) others.push_back(dim);
  return others;
}

SmallVector<int64_t> inversePermutation(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [index, dim] : llvm::enumerate(permutation)) inverse[dim] = index;
  return inverse;
}

LogicalResult batchNone(Operation *op, BatchContext &ctx) {
  IRMapping map;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) map.map(operand, ctx.x(index));
  Operation *clone = ctx.b.clone(*op, map);
  for (OpResult result : clone->getResults()) ctx.set(result.getResultNumber(), result, false);
  return success();
}

LogicalResult batchAsIs(Operation *op, BatchContext &ctx) {
  if (!ctx.anyBatched()) return batchNone(op, ctx);
  IRMapping map;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) map.map(operand, ctx.materialise(index));
  Operation *clone = ctx.b.clone(*op, map);
  SmallVector<Type> types;
  auto infer = cast<InferTypeOpInterface>(clone);
  if (failed(infer.inferReturnTypes(op->getContext(), op->getLoc(), clone->getOperands(),
                                    clone->getDiscardableAttrDictionary(), clone->getPropertiesStorage(), {},
                                    types)))
    return failure();
  for (auto [result, type] : llvm::zip_equal(clone->getResults(), types)) {
    result.setType(type);
    ctx.set(result.getResultNumber(), result);
  }
  return success();
}

bool allZero(const JvpContext &ctx) {
  return llvm::all_of(ctx.tangents, [](Tangent tangent) { return tangent.isZero(); });
}

} // namespace jx
