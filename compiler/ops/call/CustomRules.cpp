// Functions with rules of the user's own. Differentiated, a custom_jvp becomes a call of its rule; a
// custom_vjp becomes its forward function and a custom_linear, whose transpose calls the backward function.
// Batching makes batched rules.
#include "compiler/ops/call/CallRules.h"
#include "compiler/ops/cond/Impersonation.h"

using namespace mlir;

namespace jx {

/// Appends what a rule takes for tangents: one for each primal that can have one, zeros included.
static void appendTangents(JvpContext &ctx, SmallVectorImpl<Value> &arguments) {
  for (auto [primal, tangent] : llvm::zip_equal(ctx.primals, ctx.tangents))
    if (isDifferentiable(primal.getType())) arguments.push_back(materialiseLike(ctx.b, tangent, primal));
}

/// Calls the batched function under a rule of its own, which is made when a derivative asks for it. All
/// results are batched, as the batched rule's are.
template <typename OpT> static LogicalResult batchWithRule(OpT op, BatchContext &ctx) {
  if (ctx.mask && !op.getPure()) return op.emitOpError("with effects cannot run under a lane mask");
  auto callee = ctx.walk->callee(op.getCallee(), ctx.batched, /*masked=*/false, /*forceResults=*/true);
  if (failed(callee)) return failure();
  func::FuncOp function = callee->function;
  auto rule = ctx.walk->deferRule(op, op.getRule(), function, ctx.batched);
  auto call = ctx.b.make<OpT>(TypeRange(function.getFunctionType().getResults()), function.getName(),
                              ctx.operands, rule, op.getPure());
  for (auto [i, result] : llvm::enumerate(call.getResults())) ctx.set(i, result, true);
  return success();
}

// --- Forward rules

LogicalResult CustomJvpOp::jvp(JvpContext &ctx) {
  auto rule = ctx.walk->customJvp(*this);
  if (failed(rule)) return failure();
  SmallVector<Value> arguments(ctx.primals);
  appendTangents(ctx, arguments);
  if (rule->getNumArguments() != arguments.size())
    return emitError() << "the custom_jvp rule takes " << rule->getNumArguments() << " arrays for "
                       << arguments.size() << " primals and tangents";
  CallOp call = makeCall(ctx.b, *rule, arguments);
  SmallVector<bool> active;
  for (Type type : getResultTypes()) active.push_back(isDifferentiable(type));
  if (call.getNumResults() != active.size() + llvm::count(active, true))
    return emitError() << "the custom_jvp rule gives " << call.getNumResults() << " arrays for "
                       << active.size() << " results and their tangents";
  setPrimalsAndTangents(ctx, call.getResults(), active);
  return success();
}
LogicalResult CustomJvpOp::split(SplitContext &ctx) { return splitCall(*this, getCallee(), ctx); }
LogicalResult CustomJvpOp::transpose(TransposeContext &ctx) { return transposeCall(*this, getCallee(), ctx); }

LogicalResult CustomJvpOp::batch(BatchContext &ctx) { return batchWithRule(*this, ctx); }

// --- Reverse rules

LogicalResult CustomVjpOp::jvp(JvpContext &ctx) {
  auto rules = ctx.walk->customVjp(*this);
  if (failed(rules)) return failure();
  auto [forward, backward] = *rules;
  CallOp call = makeCall(ctx.b, forward, ctx.primals);
  unsigned numResults = getNumResults();
  SmallVector<Value> arguments(call.getResults().drop_front(numResults));
  unsigned numResiduals = arguments.size();
  appendTangents(ctx, arguments);
  SmallVector<Type> types;
  for (Type type : getResultTypes())
    if (isDifferentiable(type)) types.push_back(type);
  auto linear = ctx.b.make<CustomLinearOp>(TypeRange(types), backward.getName(), arguments, numResiduals,
                                           /*pure=*/!hasEffects(backward.getBody()));
  unsigned next = 0;
  for (unsigned i = 0; i < numResults; ++i) {
    ctx.setPrimal(i, call.getResult(i));
    if (isDifferentiable(getResult(i).getType())) ctx.setTangent(i, Tangent(linear.getResult(next++)));
  }
  return success();
}

/// What tangents reach is linear in them. It stays whole, for its own rule to transpose it.
LogicalResult CustomVjpOp::split(SplitContext &ctx) {
  if (!llvm::all_of(getResults(), [&](Value result) { return ctx.depends(result); }))
    return splitCall(*this, getCallee(), ctx);
  ctx.linear.clone(*getOperation(), ctx.linearMap);
  return success();
}

/// Residuals of a linear function do not depend on what it is linear in, for which zeros stand.
LogicalResult CustomVjpOp::transpose(TransposeContext &ctx) {
  auto rules = ctx.walk->customVjp(*this);
  if (failed(rules)) return failure();
  SmallVector<Value> arguments;
  for (unsigned i = 0; i < getNumOperands(); ++i)
    arguments.push_back(ctx.isLinear(i) ? ctx.walk->zerosOf(getOperand(i), ctx.b) : ctx.x(i));
  CallOp forward = makeCall(ctx.b, rules->first, arguments);
  SmallVector<Value> inputs(forward.getResults().drop_front(getNumResults()));
  for (auto [cotangent, result] : llvm::zip_equal(ctx.cotangents, getResults()))
    if (isDifferentiable(result.getType())) inputs.push_back(ctx.b.materialise(cotangent, result.getType()));
  CallOp backward = makeCall(ctx.b, rules->second, inputs);
  unsigned next = 0;
  for (unsigned i = 0; i < getNumOperands(); ++i) {
    if (!isDifferentiable(getOperand(i).getType())) continue;
    Value cotangent = backward.getResult(next++);
    if (ctx.isLinear(i)) ctx.walk->add(getOperand(i), cotangent, ctx.b);
  }
  return success();
}

LogicalResult CustomVjpOp::batch(BatchContext &ctx) { return batchWithRule(*this, ctx); }

// --- The linear part of a custom_vjp

/// Linear in the tangents; how it varies with its residuals nobody has said.
LogicalResult CustomLinearOp::jvp(JvpContext &ctx) {
  unsigned numResiduals = getNumResiduals();
  if (llvm::any_of(ctx.tangents.take_front(numResiduals), [](Tangent t) { return !t.isZero(); }))
    return emitError("forward-mode differentiation cannot go through a custom_vjp function");
  SmallVector<Value> arguments(ctx.primals.take_front(numResiduals));
  for (unsigned i = numResiduals; i < getNumOperands(); ++i)
    arguments.push_back(materialiseLike(ctx.b, ctx.dx(i), ctx.x(i)));
  auto linear = ctx.b.make<CustomLinearOp>(getResultTypes(), getCallee(), arguments, numResiduals, getPure());
  for (auto [i, result] : llvm::enumerate(linear.getResults())) ctx.setTangent(i, Tangent(result));
  return success();
}

LogicalResult CustomLinearOp::split(SplitContext &ctx) {
  ctx.linear.clone(*getOperation(), ctx.linearMap);
  return success();
}

LogicalResult CustomLinearOp::transpose(TransposeContext &ctx) {
  unsigned numResiduals = getNumResiduals();
  SmallVector<Value> arguments(ctx.operands.take_front(numResiduals));
  if (llvm::is_contained(arguments, Value()))
    return emitError("the residuals of a custom_vjp function depend on tangents");
  for (auto [cotangent, result] : llvm::zip_equal(ctx.cotangents, getResults()))
    arguments.push_back(ctx.b.materialise(cotangent, result.getType()));
  auto call = ctx.b.make<CallOp>(TypeRange(getOperands().drop_front(numResiduals).getTypes()), getCallee(),
                                 arguments, getPure());
  for (auto [i, cotangent] : llvm::enumerate(call.getResults()))
    if (ctx.isLinear(numResiduals + i)) ctx.acc(numResiduals + i).add(cotangent);
  return success();
}

LogicalResult CustomLinearOp::batch(BatchContext &ctx) {
  SmallVector<bool> bits(ctx.batched.take_front(getNumResiduals()));
  bits.append(getNumResults(), true);
  auto backward = ctx.walk->callee(getCallee(), bits, false, /*forceResults=*/true);
  if (failed(backward)) return failure();
  SmallVector<Value> arguments(ctx.operands.take_front(getNumResiduals()));
  for (unsigned i = getNumResiduals(); i < getNumOperands(); ++i) arguments.push_back(ctx.materialise(i));
  SmallVector<Type> types;
  for (Type type : getResultTypes()) types.push_back(laneType(type, ctx.size));
  auto linear = ctx.b.make<CustomLinearOp>(TypeRange(types), backward->function.getName(), arguments,
                                           getNumResiduals(), getPure());
  for (auto [i, result] : llvm::enumerate(linear.getResults())) ctx.set(i, result, true);
  return success();
}

} // namespace jx
