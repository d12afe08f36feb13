// Calls and the ops that carry derivative rules or a recompute policy: effects, evaluation, flow. Their
// transforms: CallRules.cpp, CustomRules.cpp, CheckpointRules.cpp.
#include "compiler/dialect/JxDialect.h"
#include "compiler/dialect/RegionRules.h"

using namespace mlir;

namespace jx {

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static void hostEffect(bool pure, Effects &effects) {
  if (!pure) effects.emplace_back(MemoryEffects::Write::get(), HostResource::get());
}
void CallOp::getEffects(Effects &effects) { hostEffect(getPure(), effects); }
void CustomJvpOp::getEffects(Effects &effects) { hostEffect(getPure(), effects); }
void CustomVjpOp::getEffects(Effects &effects) { hostEffect(getPure(), effects); }
void CustomLinearOp::getEffects(Effects &effects) { hostEffect(getPure(), effects); }
void CheckpointOp::getEffects(Effects &effects) { hostEffect(getPure(), effects); }

static LogicalResult evalCall(StringRef callee, EvalContext &ctx) {
  auto results = ctx.host.callFunction(callee, ctx.operands);
  if (failed(results)) return failure();
  ctx.results = std::move(*results);
  return success();
}
LogicalResult CallOp::eval(EvalContext &ctx) { return evalCall(getCallee(), ctx); }
LogicalResult CustomJvpOp::eval(EvalContext &ctx) { return evalCall(getCallee(), ctx); }
LogicalResult CustomVjpOp::eval(EvalContext &ctx) { return evalCall(getCallee(), ctx); }
LogicalResult CheckpointOp::eval(EvalContext &ctx) { return evalCall(getCallee(), ctx); }
LogicalResult CustomLinearOp::eval(EvalContext &ctx) {
  return ctx.fail("a function with a custom_vjp rule has no forward-mode derivative");
}

static void flowThroughCallee(Operation *op, StringRef callee, const Dependence &bits,
                              SmallVectorImpl<Value> &targets) {
  for (auto [result, depends] : llvm::zip_equal(op->getResults(), bits.calleeResults(op, callee)))
    if (depends) targets.push_back(result);
}
void CallOp::flow(const Dependence &bits, OpOperand &, SmallVectorImpl<Value> &targets) {
  flowThroughCallee(*this, getCallee(), bits, targets);
}
void CheckpointOp::flow(const Dependence &bits, OpOperand &, SmallVectorImpl<Value> &targets) {
  flowThroughCallee(*this, getCallee(), bits, targets);
}

/// A user's rule may make any tangent from any other, so that all results are active together; so are they
/// batched, for the rule of the batched function to know their shapes.
void CustomJvpOp::flow(const Dependence &, OpOperand &, SmallVectorImpl<Value> &targets) {
  llvm::append_range(targets, getResults());
}
void CustomVjpOp::flow(const Dependence &, OpOperand &, SmallVectorImpl<Value> &targets) {
  llvm::append_range(targets, getResults());
}
void CustomLinearOp::flow(const Dependence &, OpOperand &, SmallVectorImpl<Value> &targets) {
  llvm::append_range(targets, getResults());
}

} // namespace jx
