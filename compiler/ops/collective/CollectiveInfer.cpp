// Result types of the collectives, and their evaluation: outside any named axis there is nothing to evaluate.
#include "compiler/ops/support/RuleSupport.h"

using namespace mlir;

namespace jx {

JX_INFER(AxisIndexOp) {
  types.push_back(RankedTensorType::get({}, IntegerType::get(context, 32)));
  return success();
}

JX_INFER(PReduceOp) {
  auto op = JX_ADAPTOR(PReduceOp);
  auto type = arrayType(op.getOperand());
  Type element = type.getElementType();
  bool isNumber =
      isa<FloatType, ComplexType>(element) || (isa<IntegerType>(element) && !element.isInteger(1));
  if (op.getKind() != "sum" && op.getKind() != "max" && op.getKind() != "min")
    return emitOptionalError(loc, "unknown kind of collective reduction `", op.getKind(), "`");
  if (!isNumber || (op.getKind() != "sum" && isa<ComplexType>(element)))
    return emitOptionalError(loc, "`p", op.getKind(), "` does not accept ", describe(type));
  types.push_back(type);
  return success();
}

JX_INFER(AllGatherOp) {
  auto op = JX_ADAPTOR(AllGatherOp);
  auto type = arrayType(op.getOperand());
  types.push_back(RankedTensorType::get(prepended(op.getAxisSize(), type.getShape()), type.getElementType()));
  return success();
}

JX_INFER(PPermuteOp) {
  auto op = JX_ADAPTOR(PPermuteOp);
  ArrayRef<int64_t> pairs = op.getPermutation();
  if (pairs.size() % 2)
    return emitOptionalError(loc, "`ppermute` needs pairs of lanes (source, destination)");
  SmallVector<int64_t> sources, destinations;
  for (size_t i = 0; i < pairs.size(); i += 2) {
    if (pairs[i] < 0 || pairs[i + 1] < 0)
      return emitOptionalError(loc, "`ppermute` needs nonnegative lanes, got (", pairs[i], ", ", pairs[i + 1],
                               ")");
    if (llvm::is_contained(sources, pairs[i]) || llvm::is_contained(destinations, pairs[i + 1]))
      return emitOptionalError(loc, "`ppermute` needs different sources and different destinations, but (",
                               pairs[i], ", ", pairs[i + 1], ") repeats one");
    sources.push_back(pairs[i]);
    destinations.push_back(pairs[i + 1]);
  }
  types.push_back(op.getOperand().getType());
  return success();
}

// --- Evaluation

static LogicalResult unbound(EvalContext &ctx, StringRef axis) {
  return ctx.fail("the axis name `" + axis + "` is not bound: only `vmap` with `axis_name=\"" + axis +
                  "\"` gives it a meaning");
}

LogicalResult AxisIndexOp::eval(EvalContext &ctx) { return unbound(ctx, getAxisName()); }
LogicalResult PReduceOp::eval(EvalContext &ctx) { return unbound(ctx, getAxisName()); }
LogicalResult AllGatherOp::eval(EvalContext &ctx) { return unbound(ctx, getAxisName()); }
LogicalResult PPermuteOp::eval(EvalContext &ctx) { return unbound(ctx, getAxisName()); }

} // namespace jx
