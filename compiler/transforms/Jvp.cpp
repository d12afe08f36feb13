// Forward mode: one walk over a function, in which each primitive's rule emits the tangents of its results.
//
// Which values are active is decided beforehand, by dataflow over bits (Dependence); within straight-line
// code the symbolic zeros are finer still.
#include "compiler/transforms/Auxiliary.h"
#include "compiler/transforms/Engine.h"

using namespace mlir;

namespace jx {
namespace {

class JvpTransform : public JvpWalk {
public:
  explicit JvpTransform(Transforms::Memo &memo)
      : memo(memo), bits(Dependence::Tangent, memo.calleeBits(Dependence::Tangent)) {}

  FailureOr<JvpResult> run(func::FuncOp function, ArrayRef<bool> active);

  bool isActive(Value original) override { return bits.contains(original); }
  LogicalResult walk(Block &body, RuleBuilder &b) override {
    for (Operation &op : body.without_terminator())
      if (failed(step(&op, b))) return failure();
    return success();
  }
  FailureOr<std::pair<func::FuncOp, SmallVector<bool>>> callee(StringRef symbol,
                                                               ArrayRef<bool> active) override {
    func::FuncOp function = memo.lookup(symbol);
    if (!function) return memo.module.emitError() << "call of unknown function @" << symbol;
    auto result = memo.jvp(function, active);
    if (failed(result)) return failure();
    return std::make_pair(result->function, result->activeResults);
  }
  FailureOr<func::FuncOp> customJvp(CustomJvpOp op) override { return memo.customJvp(op); }
  FailureOr<std::pair<func::FuncOp, func::FuncOp>> customVjp(CustomVjpOp op) override {
    return memo.customVjp(op);
  }

private:
  LogicalResult step(Operation *op, RuleBuilder &b);

  Transforms::Memo &memo;
  Dependence bits;
  IRMapping primals;
  DenseMap<Value, Value> tangents;
};

LogicalResult JvpTransform::step(Operation *op, RuleBuilder &b) {
  b.setLoc(op->getLoc());
  SmallVector<Value> operands;
  SmallVector<Tangent> operandTangents;
  bool active = false;
  for (Value operand : op->getOperands()) {
    operands.push_back(primals.lookup(operand));
    operandTangents.push_back(tangents.lookup(operand));
    active |= !operandTangents.back().isZero();
  }
  if (!active && op->getNumRegions())
    active = llvm::any_of(capturedValues(op), [&](Value value) { return tangents.contains(value); });
  if (!active) {
    b.clone(*op, primals);
    return success();
  }
  auto primitive = dyn_cast<PrimitiveInterface>(op);
  if (!primitive) return op->emitError() << "`" << op->getName() << "` cannot be differentiated";
  JvpContext ctx(b, op, operands, operandTangents, primals, tangents);
  ctx.walk = this;
  if (failed(primitive.jvp(ctx))) return failure();
  b.setLoc(op->getLoc());
  ctx.finish();
  return success();
}

FailureOr<JvpResult> JvpTransform::run(func::FuncOp function, ArrayRef<bool> active) {
  SmallVector<Type> types(function.getArgumentTypes());
  SmallVector<Location> locations;
  for (BlockArgument argument : function.getArguments()) locations.push_back(argument.getLoc());
  for (auto [argument, bit] : llvm::zip_equal(function.getArguments(), active)) {
    if (!bit) continue;
    if (!isDifferentiable(argument.getType()))
      return function.emitError() << "an argument of type " << argument.getType() << " has no tangent",
             failure();
    bits.mark(argument);
    types.push_back(tangentType(argument.getType()));
    locations.push_back(argument.getLoc());
  }
  bits.run(function.getBody());

  func::FuncOp result = memo.create(function, "jvp", types, locations);
  RuleBuilder b = builderAtEnd(&result.getBody().front(), function.getLoc());
  unsigned next = function.getNumArguments();
  for (auto [number, argument] : llvm::enumerate(function.getArguments())) {
    primals.map(argument, result.getArgument(number));
    if (active[number]) tangents[argument] = result.getArgument(next++);
  }
  if (failed(walk(function.getBody().front(), b))) {
    result.erase();
    return failure();
  }
  JvpResult made{result, {}};
  SmallVector<Value> results, resultTangents;
  unsigned numDifferentiated = function.getNumResults() - numAuxiliary(function);
  for (Value value : function.getBody().front().getTerminator()->getOperands()) {
    bool isActive = bits.contains(value) && results.size() < numDifferentiated;
    results.push_back(primals.lookup(value));
    made.activeResults.push_back(isActive);
    if (isActive) resultTangents.push_back(materialiseLike(b, tangents.lookup(value), results.back()));
  }
  llvm::append_range(results, resultTangents);
  memo.finish(result, results);
  return made;
}

} // namespace

FailureOr<JvpResult> Transforms::Memo::jvp(func::FuncOp function, ArrayRef<bool> active) {
  std::string key = memoKey(function, "jvp", {active});
  if (auto found = jvps.find(key); found != jvps.end()) return found->second;
  auto made = JvpTransform(*this).run(function, active);
  if (failed(made)) return failure();
  simplify(made->function);
  jvps[key] = *made;
  return made;
}

} // namespace jx
