// jx.cond: verifier, textual form, evaluation and the flow of values through it. Its transforms:
// CondRules.cpp.
#include "compiler/dialect/JxDialect.h"
#include "compiler/dialect/RegionRules.h"
#include "compiler/ops/support/RegionFormat.h"
#include "mlir/IR/OpImplementation.h"

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

/// `jx.cond %index : (tensor<i32>) -> types case 0 {...} case 1 {...}`
void CondOp::print(OpAsmPrinter &printer) {
  printer << " " << getIndex();
  printAttributesAndTypes(printer, *this);
  for (auto [number, branch] : llvm::enumerate(getBranches())) {
    printer << " case " << number;
    printBody(printer, branch);
  }
}

ParseResult CondOp::parse(OpAsmParser &parser, OperationState &result) {
  RegionReader reader(parser, result);
  if (reader.operand() || reader.attributesAndTypes()) return failure();
  for (int64_t number = 0, read = 0; succeeded(parser.parseOptionalKeyword("case")); ++number) {
    SMLoc at = parser.getCurrentLocation();
    if (parser.parseInteger(read)) return failure();
    if (read != number) return parser.emitError(at, "expected case ") << number;
    if (reader.body({}, {})) return failure();
  }
  return success();
}

} // namespace jx
