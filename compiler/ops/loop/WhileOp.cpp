// jx.while: verifier, textual form, evaluation and the flow of values around it. Its transforms:
// WhileRules.cpp.
#include "compiler/dialect/JxDialect.h"
#include "compiler/dialect/RegionRules.h"
#include "compiler/ops/support/RegionFormat.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

namespace jx {

LogicalResult WhileOp::verify() {
  TypeRange carries = getInits().getTypes();
  if (getNumResults() < getNumCarries() + 1) return emitOpError("needs a result a carry and the trip count");
  if (getBeforeBlock()->getArgumentTypes() != carries || getBodyBlock()->getArgumentTypes() != carries)
    return emitOpError("has regions whose arguments are not its carries");
  auto predicate = dyn_cast<YieldOp>(getBeforeBlock()->getTerminator());
  if (!predicate || predicate.getNumOperands() != 1 ||
      predicate.getOperand(0).getType() != RankedTensorType::get({}, IntegerType::get(getContext(), 1)))
    return emitOpError("needs a condition that yields one scalar bool");
  auto yield = dyn_cast<YieldOp>(getBodyBlock()->getTerminator());
  if (!yield || yield.getNumOperands() + 1 != getNumResults())
    return emitOpError("needs a body that yields the carries and the stacked outputs");
  if (getResult(getNumCarries()).getType() != RankedTensorType::get({}, IntegerType::get(getContext(), 64)))
    return emitOpError("needs an i64 trip count after its carries");
  for (auto [number, value] : llvm::enumerate(yield.getOperands())) {
    bool carry = number < getNumCarries();
    Type type = value.getType();
    if (!carry) {
      auto array = dyn_cast<RankedTensorType>(type);
      if (!array) return emitOpError("cannot stack ") << type;
      type = StackType::get(getContext(), array);
    }
    if (type != getResult(carry ? number : number + 1).getType() ||
        (carry && type != getInits()[number].getType()))
      return emitOpError("yields ") << value.getType() << ", which its result or carry " << number
                                    << " is not";
  }
  return success();
}

LogicalResult WhileOp::eval(EvalContext &ctx) {
  unsigned numCarries = getNumCarries();
  SmallVector<HostArray> carries(ctx.operands);
  SmallVector<std::vector<HostArray>> stacks(getNumStacked());
  int64_t trips = 0;
  while (true) {
    auto predicate = ctx.host.runRegion(getBefore(), carries);
    if (failed(predicate)) return failure();
    if (!predicate->front().scalarInt()) break;
    auto yielded = ctx.host.runRegion(getBody(), carries);
    if (failed(yielded)) return failure();
    for (unsigned i = 0; i < numCarries; ++i) carries[i] = std::move((*yielded)[i]);
    for (unsigned i = 0; i < getNumStacked(); ++i) stacks[i].push_back(std::move((*yielded)[numCarries + i]));
    ++trips;
  }
  std::move(carries.begin(), carries.end(), ctx.results.begin());
  ctx.results[numCarries] = HostArray::scalar(IntegerType::get(getContext(), 64), trips);
  for (unsigned i = 0; i < getNumStacked(); ++i) {
    auto type = cast<StackType>(getResult(numCarries + 1 + i).getType());
    ctx.results[numCarries + 1 + i] = HostArray::stack(type.getElementType(), std::move(stacks[i]));
  }
  return success();
}

void WhileOp::flow(const Dependence &, OpOperand &use, SmallVectorImpl<Value> &targets) {
  unsigned number = use.getOperandNumber();
  auto carry = [&](unsigned i) {
    targets.push_back(getBeforeBlock()->getArgument(i));
    targets.push_back(getBodyBlock()->getArgument(i));
    targets.push_back(getResult(i));
  };
  if (use.getOwner() == getOperation()) return carry(number);
  if (use.getOwner() == getBodyBlock()->getTerminator()) {
    if (number < getNumCarries()) return carry(number);
    targets.push_back(getResult(number + 1));
    return;
  }
  // The condition decides how often the body runs: every carry that the body changes depends on it.
  Operation *yield = getBodyBlock()->getTerminator();
  for (unsigned i = 0; i < getNumCarries(); ++i)
    if (yield->getOperand(i) != getBodyBlock()->getArgument(i)) carry(i);
  llvm::append_range(targets, getResults().drop_front(getNumCarries()));
}

/// `jx.while before(%c = %init) : types {...} body(%c) {...}`
void WhileOp::print(OpAsmPrinter &printer) {
  printBindings(printer, "before", getBeforeBlock()->getArguments(), getInits());
  printAttributesAndTypes(printer, *this);
  printBody(printer, getBefore());
  printer << " body(";
  llvm::interleaveComma(getBodyBlock()->getArguments(), printer);
  printer << ")";
  printBody(printer, getBody());
}

ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &result) {
  RegionReader reader(parser, result);
  RegionReader::Arguments before, body;
  if (reader.bindings("before", before) || reader.attributesAndTypes() ||
      reader.body(std::move(before), reader.operandTypes()) || parser.parseKeyword("body") ||
      parser.parseArgumentList(body, OpAsmParser::Delimiter::Paren))
    return failure();
  return reader.body(std::move(body), reader.operandTypes());
}

} // namespace jx
