// Linearisation: splits a JVP by dependence on tangents into a known part and a part that is linear in them.
//
// Straight-line ops go to one side by dataflow; region ops and calls split themselves. The linear part is
// built using values of the known part directly; what it uses in the end are the residuals. Literals and
// broadcasts are made again rather than saved.
#include "compiler/ops/loop/Residuals.h"
#include "compiler/transforms/Engine.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace jx {
namespace {

class SplitTransform : public SplitWalk {
public:
  explicit SplitTransform(Transforms::Memo &memo)
      : memo(memo), bits(Dependence::Linear, memo.calleeBits(Dependence::Linear)) {}

  FailureOr<SplitCallee> run(func::FuncOp function, ArrayRef<bool> unknown, ResidualPolicy policy,
                             ArrayRef<bool> forceUnknown);

  LogicalResult walk(Block &body, RuleBuilder &known, RuleBuilder &linear) override {
    for (Operation &op : body.without_terminator())
      if (failed(step(&op, known, linear))) return failure();
    return success();
  }
  FailureOr<SplitCallee> callee(StringRef symbol, ArrayRef<bool> unknown, bool reuseResults) override {
    func::FuncOp function = memo.lookup(symbol);
    if (!function) return memo.module.emitError() << "call of unknown function @" << symbol;
    return memo.split(function, unknown, reuseResults ? ReuseAll : ReuseArguments, {});
  }
  FailureOr<Recompute> recompute(const SplitCallee &callee, unsigned numKnownResults,
                                 StringRef policy) override {
    return memo.recompute(callee, numKnownResults, policy);
  }

private:
  LogicalResult step(Operation *op, RuleBuilder &known, RuleBuilder &linear);

  Transforms::Memo &memo;
  Dependence bits;
  /// Original to new value; each original value is either known or linear, so that one map serves both.
  IRMapping values;
};

LogicalResult SplitTransform::step(Operation *op, RuleBuilder &known, RuleBuilder &linear) {
  auto depends = [&](Value value) { return bits.contains(value); };
  known.setLoc(op->getLoc());
  linear.setLoc(op->getLoc());
  bool regions = op->getNumRegions() != 0;
  if (!llvm::any_of(op->getOperands(), depends) && !(regions && llvm::any_of(capturedValues(op), depends))) {
    known.clone(*op, values);
    return success();
  }
  auto regionOp = dyn_cast<RegionPrimitiveInterface>(op);
  if (!regionOp) {
    linear.clone(*op, values);
    return success();
  }
  SplitContext ctx{known, linear, op, depends, values, values, *this};
  return regionOp.split(ctx);
}

/// The type of a function whose arguments have changed.
void updateArguments(func::FuncOp function) {
  function.setType(FunctionType::get(function.getContext(), function.getBody().getArgumentTypes(),
                                     function.getFunctionType().getResults()));
}

/// Makes what `linear` uses of the known part its first arguments, as far as simplification leaves it; which
/// values of the known part these are.
SmallVector<Value> takeResiduals(func::FuncOp linear, Block *known) {
  recomputeCheapResiduals(linear.getBody(), known);
  SmallVector<Value> residuals = usedValuesOf(linear.getBody(), known), kept;
  Block &body = linear.getBody().front();
  for (auto [number, residual] : llvm::enumerate(residuals)) {
    BlockArgument argument = body.insertArgument(number, residual.getType(), residual.getLoc());
    replaceUsesInside(residual, argument, linear.getBody());
  }
  updateArguments(linear);
  simplify(linear);
  llvm::BitVector unused(body.getNumArguments());
  for (auto [number, residual] : llvm::enumerate(residuals)) {
    if (body.getArgument(number).use_empty())
      unused.set(number);
    else
      kept.push_back(residual);
  }
  body.eraseArguments(unused);
  updateArguments(linear);
  return kept;
}

FailureOr<SplitCallee> SplitTransform::run(func::FuncOp function, ArrayRef<bool> unknown,
                                           ResidualPolicy policy, ArrayRef<bool> forceUnknown) {
  SmallVector<Type> knownTypes, linearTypes;
  SmallVector<Location> knownLocs, linearLocs;
  for (auto [argument, bit] : llvm::zip_equal(function.getArguments(), unknown)) {
    (bit ? linearTypes : knownTypes).push_back(argument.getType());
    (bit ? linearLocs : knownLocs).push_back(argument.getLoc());
    if (bit) bits.mark(argument);
  }
  bits.run(function.getBody());
  func::FuncOp known = memo.create(function, "known", knownTypes, knownLocs);
  func::FuncOp linear = memo.create(function, "linear", linearTypes, linearLocs);
  Block *knownBlock = &known.getBody().front(), *linearBlock = &linear.getBody().front();
  unsigned nextKnown = 0, nextLinear = 0;
  for (auto [argument, bit] : llvm::zip_equal(function.getArguments(), unknown))
    values.map(argument, bit ? linear.getArgument(nextLinear++) : known.getArgument(nextKnown++));
  RuleBuilder knownBuilder = builderAtEnd(knownBlock, function.getLoc());
  RuleBuilder linearBuilder = builderAtEnd(linearBlock, function.getLoc());
  if (failed(walk(function.getBody().front(), knownBuilder, linearBuilder))) {
    linear.erase();
    known.erase();
    return failure();
  }

  SplitCallee parts{known, linear, {}, {}};
  SmallVector<Value> knownResults, linearResults;
  for (auto [number, value] : llvm::enumerate(function.getBody().front().getTerminator()->getOperands())) {
    bool isUnknown = bits.contains(value) || (!forceUnknown.empty() && forceUnknown[number]);
    (isUnknown ? linearResults : knownResults).push_back(values.lookup(value));
    parts.unknownResults.push_back(isUnknown);
  }
  memo.finish(linear, linearResults);

  SmallVector<Value> stored;
  for (Value residual : takeResiduals(linear, knownBlock)) {
    auto argument = dyn_cast<BlockArgument>(residual);
    auto result = llvm::find(knownResults, residual);
    if (policy != StoreAll && argument)
      parts.residuals.push_back(argument.getArgNumber());
    else if (policy == ReuseAll && result != knownResults.end())
      parts.residuals.push_back(knownTypes.size() + (result - knownResults.begin()));
    else {
      parts.residuals.push_back(-1);
      stored.push_back(residual);
    }
  }
  llvm::append_range(knownResults, stored);
  memo.finish(known, knownResults);
  simplify(known);
  return parts;
}

} // namespace

FailureOr<SplitCallee> Transforms::Memo::split(func::FuncOp function, ArrayRef<bool> unknown,
                                               ResidualPolicy policy, ArrayRef<bool> forceUnknown) {
  std::string key = memoKey(function, "split" + std::to_string(policy), {unknown, forceUnknown});
  if (auto found = splits.find(key); found != splits.end()) return found->second;
  auto made = SplitTransform(*this).run(function, unknown, policy, forceUnknown);
  if (succeeded(made)) splits[key] = *made;
  return made;
}

} // namespace jx
