// Vectorisation: one walk over a function in which each primitive's rule adds a leading batch dimension. What
// does not depend on a batched argument stays as it is.
#include "compiler/ops/cond/Impersonation.h"
#include "compiler/transforms/Engine.h"

using namespace mlir;

namespace jx {
namespace {

class BatchTransform : public BatchWalk {
public:
  BatchTransform(Transforms::Memo &memo, int64_t size, StringRef axisName)
      : memo(memo), size(size), axisName(axisName.str()),
        bits(Dependence::Batch, memo.calleeBits(Dependence::Batch, axisName), axisName) {}

  FailureOr<BatchCallee> run(func::FuncOp function, ArrayRef<bool> batched, bool masked, bool forceResults);

  bool isBatched(Value original) override { return bits.contains(original); }
  LogicalResult walk(Block &body, RuleBuilder &b, Value mask) override {
    for (Operation &op : body.without_terminator())
      if (failed(step(&op, b, mask))) return failure();
    return success();
  }
  std::pair<Value, bool> lookup(Value original) override {
    return {values.lookup(original), batchedValues.contains(original)};
  }
  void map(Value original, Value value, bool batched) override {
    values.map(original, value);
    if (batched)
      batchedValues.insert(original);
    else
      batchedValues.erase(original);
  }
  FailureOr<BatchCallee> callee(StringRef symbol, ArrayRef<bool> batched, bool masked,
                                bool forceResults) override {
    func::FuncOp function = memo.lookup(symbol);
    if (!function) return memo.module.emitError() << "call of unknown function @" << symbol;
    return memo.batch(function, batched, size, axisName, masked, forceResults);
  }
  std::string deferRule(Operation *op, StringRef rule, func::FuncOp batchedCallee,
                        ArrayRef<bool> batched) override {
    return memo.deferRule(op, rule, batchedCallee, batched, size, axisName);
  }

private:
  LogicalResult step(Operation *op, RuleBuilder &b, Value mask);
  bool needsRule(Operation *op, Value mask);

  Transforms::Memo &memo;
  int64_t size;
  std::string axisName;
  Dependence bits;
  IRMapping values;
  DenseSet<Value> batchedValues;
};

/// Whether anything of the op is batched, names the axis, or has effects that a mask must see.
bool BatchTransform::needsRule(Operation *op, Value mask) {
  auto isBatchedHere = [&](Value value) { return batchedValues.contains(value); };
  if (llvm::any_of(op->getOperands(), isBatchedHere)) return true;
  if (mask && !isMemoryEffectFree(op)) return true;
  auto marked = [&](Value value) { return bits.contains(value); };
  if (llvm::any_of(op->getResults(), marked) || bits.namesAxis(op)) return true;
  if (!op->getNumRegions()) {
    // A callee may use the axis for a result that is the same in every lane.
    return !axisName.empty() && op->hasAttr("callee");
  }
  if (llvm::any_of(capturedValues(op), isBatchedHere)) return true;
  return op
      ->walk([&](Operation *inner) {
        bool touches = bits.namesAxis(inner) || llvm::any_of(inner->getResults(), marked) ||
                       (!axisName.empty() && inner->hasAttr("callee"));
        return touches ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult BatchTransform::step(Operation *op, RuleBuilder &b, Value mask) {
  b.setLoc(op->getLoc());
  if (!needsRule(op, mask)) {
    b.clone(*op, values);
    return success();
  }
  auto primitive = dyn_cast<PrimitiveInterface>(op);
  if (!primitive) return op->emitError() << "`" << op->getName() << "` cannot be batched";
  SmallVector<Value> operands;
  SmallVector<bool> batched;
  for (Value operand : op->getOperands()) {
    operands.push_back(values.lookup(operand));
    batched.push_back(batchedValues.contains(operand));
  }
  auto isBatchedValue = [&](Value value) { return batchedValues.contains(value); };
  BatchContext ctx(b, op, operands, batched, size, axisName, mask, values, isBatchedValue);
  ctx.walk = this;
  if (failed(primitive.batch(ctx))) return failure();
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    assert(ctx.getResults()[i] && "a batching rule sets every result");
    map(result, ctx.getResults()[i], ctx.getResultBatched()[i]);
  }
  return success();
}

FailureOr<BatchCallee> BatchTransform::run(func::FuncOp function, ArrayRef<bool> batched, bool masked,
                                           bool forceResults) {
  SmallVector<Type> types;
  SmallVector<Location> locations;
  if (masked) {
    types.push_back(RankedTensorType::get({size}, IntegerType::get(function.getContext(), 1)));
    locations.push_back(function.getLoc());
  }
  for (auto [argument, bit] : llvm::zip_equal(function.getArguments(), batched)) {
    types.push_back(bit ? laneType(argument.getType(), size) : argument.getType());
    locations.push_back(argument.getLoc());
    if (bit) bits.mark(argument);
  }
  bits.run(function.getBody());
  func::FuncOp result = memo.create(function, "batch", types, locations);
  RuleBuilder b = builderAtEnd(&result.getBody().front(), function.getLoc());
  for (auto [i, argument] : llvm::enumerate(function.getArguments()))
    map(argument, result.getArgument(i + masked), batched[i]);
  if (failed(walk(function.getBody().front(), b, masked ? Value(result.getArgument(0)) : Value()))) {
    result.erase();
    return failure();
  }
  BatchCallee made{result, {}};
  SmallVector<Value> results;
  for (Value original : function.getBody().front().getTerminator()->getOperands()) {
    auto [value, isBatched] = lookup(original);
    bool wanted = forceResults || bits.contains(original);
    results.push_back(wanted && !isBatched ? broadcastLanes(b, value, size) : value);
    made.batchedResults.push_back(wanted || isBatched);
  }
  memo.finish(result, results);
  return made;
}

} // namespace

FailureOr<BatchCallee> Transforms::Memo::batch(func::FuncOp function, ArrayRef<bool> batched, int64_t size,
                                               StringRef axisName, bool masked, bool forceResults) {
  bool flags[] = {masked, forceResults};
  std::string kind = "batch" + std::to_string(size) + ":" + axisName.str();
  std::string key = memoKey(function, kind, {batched, flags});
  if (auto found = batches.find(key); found != batches.end()) return found->second;
  auto made = BatchTransform(*this, size, axisName).run(function, batched, masked, forceResults);
  if (failed(made)) return failure();
  simplify(made->function);
  batches[key] = *made;
  return made;
}

} // namespace jx
