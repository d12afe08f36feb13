// Transposition of linear functions: cotangents flow from results to linear arguments, through one rule a
// primitive, into sums that begin as the symbolic zero.
//
// Which values are linear, and which of them a cotangent can reach at all, are bits found beforehand.
// Non-linear values that the backward pass needs are computed where it first needs them.
#include "compiler/transforms/Accumulators.h"
#include "compiler/transforms/Engine.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace jx {
namespace {

class TransposeTransform : public TransposeWalk {
public:
  explicit TransposeTransform(Transforms::Memo &memo)
      : memo(memo), bits(Dependence::Linear, memo.calleeBits(Dependence::Linear)) {}

  FailureOr<func::FuncOp> run(func::FuncOp function, ArrayRef<bool> linear, ArrayRef<bool> reachedResults,
                              ArrayRef<bool> hasTotal);

  bool isLinear(Value original) override { return bits.contains(original); }
  bool isReached(Value original) override { return reached.contains(original); }
  LogicalResult walk(Block &body, RuleBuilder &b) override;
  Value valueOf(Value original, RuleBuilder &b) override;
  void mapValue(Value original, Value value) override { values.map(original, value); }
  Tangent total(Value original, RuleBuilder &b) override {
    auto found = sums.find(original);
    if (found == sums.end()) return {};
    RuleBuilder *outer = std::exchange(builder, &b);
    Value value = found->second->get();
    builder = outer;
    return value;
  }
  void setTotal(Value original, Tangent total) override {
    if (total)
      sum(original).set(total.get());
    else
      sums.erase(original);
  }
  void add(Value original, Value cotangent, RuleBuilder &b) override {
    RuleBuilder *outer = std::exchange(builder, &b);
    sum(original).add(cotangent);
    builder = outer;
  }
  Value zerosOf(Value original, RuleBuilder &b) override;
  FailureOr<func::FuncOp> callee(StringRef symbol, ArrayRef<bool> linear, ArrayRef<bool> reachedResults,
                                 ArrayRef<bool> hasTotal) override {
    func::FuncOp function = memo.lookup(symbol);
    if (!function) return memo.module.emitError() << "call of unknown function @" << symbol;
    return memo.transpose(function, linear, reachedResults, hasTotal);
  }
  FailureOr<std::pair<func::FuncOp, func::FuncOp>> customVjp(CustomVjpOp op) override {
    return memo.customVjp(op);
  }

private:
  LogicalResult step(Operation *op, RuleBuilder &b);
  void findReached(ArrayRef<Value> results);
  CotangentSum &sum(Value original) {
    std::unique_ptr<CotangentSum> &entry = sums[original];
    if (!entry)
      entry = std::make_unique<CotangentSum>(original.getType(), builder,
                                             [this, original] { return zerosOf(original, *builder); });
    return *entry;
  }

  Transforms::Memo &memo;
  Dependence bits;
  DenseSet<Value> reached;
  DenseMap<Value, std::unique_ptr<CotangentSum>> sums;
  IRMapping values;
  RuleBuilder *builder = nullptr; ///< the one in use, for sums
};

/// Backwards from results along linear values: the inverse of the flow around region ops, the operands of
/// others.
void TransposeTransform::findReached(ArrayRef<Value> results) {
  SmallVector<Value> worklist;
  auto reach = [&](Value value) {
    if (bits.contains(value) && reached.insert(value).second) worklist.push_back(value);
  };
  for (Value result : results) reach(result);
  DenseMap<Operation *, DenseMap<Value, SmallVector<Value>>> sources; // of a region op: target -> sources
  auto sourcesOf = [&](Operation *op) -> DenseMap<Value, SmallVector<Value>> & {
    auto [entry, isNew] = sources.try_emplace(op);
    if (!isNew) return entry->second;
    auto &map = entry->second;
    SmallVector<Value> targets;
    auto follow = [&](OpOperand &use) {
      targets.clear();
      cast<RegionPrimitiveInterface>(op).flow(bits, use, targets);
      for (Value target : targets) map[target].push_back(use.get());
    };
    for (OpOperand &use : op->getOpOperands()) follow(use);
    for (Region &region : op->getRegions())
      for (OpOperand &use : region.front().getTerminator()->getOpOperands()) follow(use);
    return map;
  };
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op) {
      op = value.getParentBlock()->getParentOp();
      if (isa<func::FuncOp>(op)) continue;
    }
    if (op->getNumRegions() && isa<RegionPrimitiveInterface>(op)) {
      for (Value source : sourcesOf(op)[value]) reach(source);
    } else {
      for (Value operand : op->getOperands()) reach(operand);
    }
  }
}

Value TransposeTransform::valueOf(Value original, RuleBuilder &b) {
  if (Value known = values.lookupOrNull(original)) return known;
  Operation *op = original.getDefiningOp();
  if (!op || isLinear(original)) return {};
  for (Value operand : op->getOperands())
    if (!valueOf(operand, b)) return {};
  for (Value captured : capturedValues(op))
    if (!valueOf(captured, b)) return {};
  b.clone(*op, values);
  return values.lookup(original);
}

Value TransposeTransform::zerosOf(Value original, RuleBuilder &b) {
  auto stack = dyn_cast<StackType>(original.getType());
  if (!stack) return b.zeros(original.getType());
  auto knownTrip = [&](Operation *op) -> Value {
    auto loop = dyn_cast_or_null<ForOp>(op);
    return loop && loop.getTrip() && !isLinear(loop.getTrip()) ? valueOf(loop.getTrip(), b) : Value();
  };
  Value length = knownTrip(original.getDefiningOp());
  for (Operation *user : original.getUsers())
    if (!length) length = knownTrip(user);
  return length ? zerosOfStack(b, stack, length) : Value();
}

LogicalResult TransposeTransform::walk(Block &body, RuleBuilder &b) {
  // Effects of non-linear ops happen in order, before anything is transposed.
  for (Operation &op : body.without_terminator()) {
    if (isMemoryEffectFree(&op) || llvm::any_of(op.getResults(), [&](Value v) { return isLinear(v); }))
      continue;
    bool known = llvm::all_of(op.getOperands(), [&](Value v) { return static_cast<bool>(valueOf(v, b)); });
    for (Value captured : capturedValues(&op)) known &= static_cast<bool>(valueOf(captured, b));
    if (known && (op.getNumResults() == 0 || !values.contains(op.getResult(0)))) b.clone(op, values);
  }
  for (Operation &op : llvm::reverse(body.without_terminator()))
    if (failed(step(&op, b))) return failure();
  return success();
}

LogicalResult TransposeTransform::step(Operation *op, RuleBuilder &b) {
  if (llvm::none_of(op->getResults(), [&](Value result) { return isLinear(result); })) return success();
  b.setLoc(op->getLoc());
  RuleBuilder *outer = std::exchange(builder, &b);
  llvm::scope_exit restore([&] { builder = outer; });
  SmallVector<Tangent> cotangents;
  bool any = false;
  for (Value result : op->getResults()) {
    cotangents.push_back(total(result, b));
    any |= !cotangents.back().isZero();
    sums.erase(result);
  }
  if (!any) return success();
  auto primitive = dyn_cast<PrimitiveInterface>(op);
  if (!primitive) return op->emitError() << "`" << op->getName() << "` cannot be transposed";
  SmallVector<Value> operands;
  SmallVector<Accumulator *> accumulators;
  for (Value operand : op->getOperands()) {
    bool linear = isLinear(operand);
    operands.push_back(linear ? Value() : valueOf(operand, b));
    accumulators.push_back(linear ? &sum(operand) : nullptr);
  }
  auto accumulatorOf = [&](Value value) -> Accumulator * { return isLinear(value) ? &sum(value) : nullptr; };
  auto valueIn = [&](Value value) { return valueOf(value, b); };
  TransposeContext ctx{b, op, cotangents, operands, accumulators, accumulatorOf, valueIn, this};
  return primitive.transpose(ctx);
}

FailureOr<func::FuncOp> TransposeTransform::run(func::FuncOp function, ArrayRef<bool> linear,
                                                ArrayRef<bool> reachedResults, ArrayRef<bool> hasTotal) {
  Operation *terminator = function.getBody().front().getTerminator();
  SmallVector<Type> types;
  SmallVector<BlockArgument> linearArguments;
  for (auto [argument, bit] : llvm::zip_equal(function.getArguments(), linear)) {
    if (bit) {
      bits.mark(argument);
      linearArguments.push_back(argument);
    } else {
      types.push_back(argument.getType());
    }
  }
  bits.run(function.getBody());
  SmallVector<Value> reachedValues;
  for (auto [result, bit] : llvm::zip_equal(terminator->getOperands(), reachedResults)) {
    if (!bit) continue;
    types.push_back(result.getType());
    reachedValues.push_back(result);
  }
  for (auto [argument, bit] : llvm::zip_equal(linearArguments, hasTotal))
    if (bit) types.push_back(argument.getType());
  findReached(reachedValues);

  func::FuncOp result = memo.create(function, "transpose", types);
  RuleBuilder b = builderAtEnd(&result.getBody().front(), function.getLoc());
  unsigned next = 0;
  for (auto [argument, bit] : llvm::zip_equal(function.getArguments(), linear))
    if (!bit) values.map(argument, result.getArgument(next++));
  SmallVector<std::pair<Value, Value>> cotangents;
  for (Value value : reachedValues) cotangents.emplace_back(value, result.getArgument(next++));
  for (auto [argument, bit] : llvm::zip_equal(linearArguments, hasTotal))
    if (bit) setTotal(argument, Tangent(result.getArgument(next++)));
  for (auto [value, cotangent] : cotangents)
    if (isLinear(value)) add(value, cotangent, b);
  if (failed(walk(function.getBody().front(), b))) {
    sums.clear();
    result.erase();
    return failure();
  }
  SmallVector<Value> results;
  for (BlockArgument argument : linearArguments) {
    Tangent sum = total(argument, b);
    results.push_back(sum ? sum.get() : zerosOf(argument, b));
    if (!results.back())
      return function.emitError("a run-time list of unknown length cannot be transposed"), failure();
  }
  memo.finish(result, results);
  return result;
}

} // namespace

FailureOr<func::FuncOp> Transforms::Memo::transpose(func::FuncOp function, ArrayRef<bool> linear,
                                                    ArrayRef<bool> reached, ArrayRef<bool> hasTotal) {
  std::string key = memoKey(function, "transpose", {linear, reached, hasTotal});
  if (auto found = transposes.find(key); found != transposes.end()) return found->second;
  auto made = TransposeTransform(*this).run(function, linear, reached, hasTotal);
  if (failed(made)) return failure();
  simplify(*made);
  transposes[key] = *made;
  return made;
}

} // namespace jx
