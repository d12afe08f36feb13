// Inference, derivatives, transposes and batching of changes of element type.
#include "compiler/ops/support/RuleSupport.h"

using namespace mlir;

namespace jx {

static RankedTensorType withElementType(RankedTensorType type, Type element) {
  return RankedTensorType::get(type.getShape(), element);
}

// --- convert

JX_INFER(ConvertOp) {
  auto op = JX_ADAPTOR(ConvertOp);
  auto type = dyn_cast<RankedTensorType>(op.getOperand().getType());
  if (!type) return emitOptionalError(loc, "`convert` needs an array");
  if (isa<KeyType>(type.getElementType()) != isa<KeyType>(op.getDtype()))
    return emitOptionalError(loc, "`convert` cannot make ", op.getDtype(), " of ", type.getElementType(),
                             ": keys are not numbers");
  types.push_back(withElementType(type, op.getDtype()));
  return success();
}

/// Conversion between differentiable types is linear; any other has derivative zero.
LogicalResult ConvertOp::jvp(JvpContext &ctx) {
  if (ctx.dx() && isDifferentiable(getType())) ctx.setTangent(0, ctx.b.convert(ctx.dx().get(), getDtype()));
  return success();
}
LogicalResult ConvertOp::transpose(TransposeContext &ctx) {
  if (Tangent ct = ctx.ct())
    ctx.acc(0).add(ctx.b.convert(ct.get(), cast<RankedTensorType>(getOperand().getType()).getElementType()));
  return success();
}
LogicalResult ConvertOp::batch(BatchContext &ctx) { return batchElementwise(*this, ctx); }

// --- bitcast

JX_INFER(BitcastOp) {
  auto op = JX_ADAPTOR(BitcastOp);
  auto type = dyn_cast<RankedTensorType>(op.getOperand().getType());
  if (!type) return emitOptionalError(loc, "`bitcast` needs an array");
  auto isPlain = [](Type t) { return isa<IntegerType, FloatType>(t) && !t.isInteger(1); };
  if (!isPlain(type.getElementType()) || !isPlain(op.getDtype()) ||
      type.getElementType().getIntOrFloatBitWidth() != op.getDtype().getIntOrFloatBitWidth())
    return emitOptionalError(loc, "`bitcast` needs dtypes of equal width, got ", type.getElementType(),
                             " and ", op.getDtype());
  types.push_back(withElementType(type, op.getDtype()));
  return success();
}
LogicalResult BitcastOp::jvp(JvpContext &ctx) { return zeroJvp(*this, ctx); }
LogicalResult BitcastOp::transpose(TransposeContext &ctx) { return notLinear(*this, ctx); }
LogicalResult BitcastOp::batch(BatchContext &ctx) { return batchElementwise(*this, ctx); }

} // namespace jx
