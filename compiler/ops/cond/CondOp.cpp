// jx.cond: verifier, evaluation and the flow of values through it. Its transforms: CondRules.cpp.
#include "compiler/dialect/JxDialect.h"
#include "compiler/dialect/RegionRules.h"

using namespace mlir;

namespace jx {

LogicalResult CondOp::verify() {
  if (getBranches().empty()) return emitOpError("needs a branch");
  if (getIndex().getType() != RankedTensorType::get({}, IntegerType::get(getContext(), 32)))
    return emitOpError("needs a scalar int32 index, got ") << getIndex().getType();
  for (Region &branch : getBranches()) {
    auto yield = dyn_cast<YieldOp>(branch.front().getTerminator());
    if (!yield || yield.getOperandTypes() != getResultTypes())
      return emitOpError("has a branch that does not yield its result types");
  }
  return success();
}

LogicalResult CondOp::eval(EvalContext &ctx) {
  int64_t last = getBranches().size() - 1;
  Region &branch = getBranches()[std::clamp<int64_t>(ctx.x().scalarInt(), 0, last)];
  auto results = ctx.host.runRegion(branch, {});
  if (failed(results)) return failure();
  ctx.results = std::move(*results);
  return success();
}

void CondOp::flow(const Dependence &, OpOperand &use, SmallVectorImpl<Value> &targets) {
  if (use.getOwner() == getOperation())
    llvm::append_range(targets, getResults());
  else
    targets.push_back(getResult(use.getOperandNumber()));
}

} // namespace jx
