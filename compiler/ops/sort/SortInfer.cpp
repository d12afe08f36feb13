// Result types of sort and top_k.
#include "compiler/ops/support/RuleSupport.h"

using namespace mlir;

namespace jx {

JX_INFER(SortOp) {
  auto op = JX_ADAPTOR(SortOp);
  if (operands.empty()) return emitOptionalError(loc, "`sort` needs at least one array");
  auto first = arrayType(operands.front());
  int64_t dimension = op.getDimension(), keys = op.getNumKeys();
  if (dimension < 0 || dimension >= first.getRank())
    return emitOptionalError(loc, "`sort` of ", describe(first), " along dimension ", dimension,
                             ", which it does not have");
  if (keys < 1 || keys > int64_t(operands.size()))
    return emitOptionalError(loc, "`sort` of ", operands.size(), " arrays cannot have ", keys, " keys");
  for (auto [index, operand] : llvm::enumerate(operands)) {
    auto type = arrayType(operand);
    if (type.getShape() != first.getShape())
      return emitOptionalError(loc, "`sort` needs arrays of one shape, got ", describe(first), " and ",
                               describe(type));
    if (int64_t(index) < keys && isa<KeyType>(type.getElementType()))
      return emitOptionalError(loc, "`sort` cannot order ", describe(type));
    types.push_back(type);
  }
  return success();
}

JX_INFER(TopKOp) {
  auto op = JX_ADAPTOR(TopKOp);
  auto type = arrayType(op.getOperand());
  int64_t k = op.getK();
  if (isa<ComplexType, KeyType>(type.getElementType()))
    return emitOptionalError(loc, "`top_k` does not accept ", describe(type));
  if (type.getRank() == 0) return emitOptionalError(loc, "`top_k` needs an array of at least one dimension");
  if (k < 0 || k > type.getShape().back())
    return emitOptionalError(loc, "`top_k` of ", describe(type), " cannot find ", k, " elements of ",
                             type.getShape().back());
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = k;
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  types.push_back(RankedTensorType::get(shape, IntegerType::get(context, 32)));
  return success();
}

} // namespace jx
