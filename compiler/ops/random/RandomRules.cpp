// Inference and batching of random bits. Batching repeats nothing but operands: a draw with a batched key is
// one wider draw.
#include "compiler/ops/support/RuleSupport.h"

using namespace mlir;

namespace jx {

JX_INFER(Threefry2x32Op) {
  auto word = IntegerType::get(context, 32, IntegerType::Unsigned);
  for (Value operand : operands) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || type.getElementType() != word || type != operands[0].getType())
      return emitOptionalError(loc, "`threefry2x32` needs four uint32 arrays of one shape, got ",
                               operand.getType());
  }
  types.assign(2, operands[0].getType());
  return success();
}
LogicalResult Threefry2x32Op::batch(BatchContext &ctx) { return batchElementwise(*this, ctx); }

/// keys[shape] to ui32[shape, 2].
JX_INFER(KeyDataOp) {
  auto type = dyn_cast<RankedTensorType>(operands[0].getType());
  if (!type || !isa<KeyType>(type.getElementType()))
    return emitOptionalError(loc, "`key_data` needs random keys, got ", operands[0].getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(2);
  types.push_back(RankedTensorType::get(shape, IntegerType::get(context, 32, IntegerType::Unsigned)));
  return success();
}
LogicalResult KeyDataOp::batch(BatchContext &ctx) { return batchElementwise(*this, ctx); }

/// ui32[shape, 2] to keys[shape].
JX_INFER(WrapKeyOp) {
  auto type = dyn_cast<RankedTensorType>(operands[0].getType());
  if (!type || !type.getElementType().isUnsignedInteger(32) || type.getRank() == 0 ||
      type.getShape().back() != 2)
    return emitOptionalError(loc, "`wrap_key` needs uint32 key data with last dimension 2, got ",
                             operands[0].getType());
  types.push_back(RankedTensorType::get(type.getShape().drop_back(), KeyType::get(context)));
  return success();
}
LogicalResult WrapKeyOp::batch(BatchContext &ctx) { return batchElementwise(*this, ctx); }

} // namespace jx
