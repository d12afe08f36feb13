// Where the rules of custom_jvp and custom_vjp come from: functions of the module, the elaborator on demand,
// or, for batched ops, the batched rule of the op that was batched.
//
// A batched rule is made only when a derivative asks for it, since a rule may call the function that it
// belongs to. Until then a private function, rule.base, holds the op that was batched and says how.
#include "compiler/transforms/Engine.h"

using namespace mlir;

namespace jx {

constexpr StringRef batchAttribute = "jx.batched_rule";

std::string Transforms::Memo::deferRule(Operation *op, StringRef rule, func::FuncOp batchedCallee,
                                        ArrayRef<bool> batched, int64_t size, StringRef axisName) {
  std::string name = (batchedCallee.getName() + ".rule." + rule).str();
  if (lookup(name + ".base")) return name;
  func::FuncOp base = create(batchedCallee, "rule", SmallVector<Type>(op->getOperandTypes()));
  base.setName(name + ".base");
  RuleBuilder b = builderAtEnd(&base.getBody().front(), op->getLoc());
  IRMapping map;
  for (auto [operand, argument] : llvm::zip_equal(op->getOperands(), base.getArguments()))
    map.map(operand, argument);
  // An operand that is passed twice still has two arguments.
  Operation *copy = b.clone(*op, map);
  copy->setOperands(ValueRange(base.getArguments()));
  base->setAttr(batchAttribute,
                b.getDictionaryAttr({b.getNamedAttr("batched", b.getDenseBoolArrayAttr(batched)),
                                     b.getNamedAttr("size", b.getI64IntegerAttr(size)),
                                     b.getNamedAttr("axis", b.getStringAttr(axisName))}));
  finish(base, SmallVector<Value>(copy->getResults()));
  return name;
}

/// How a deferred rule is to be batched.
namespace {
struct DeferredRule {
  SmallVector<bool> batched;
  int64_t size;
  StringRef axis;
  explicit DeferredRule(func::FuncOp base) {
    auto how = base->getAttrOfType<DictionaryAttr>(batchAttribute);
    llvm::append_range(batched, how.getAs<DenseBoolArrayAttr>("batched").asArrayRef());
    size = how.getAs<IntegerAttr>("size").getInt();
    axis = how.getAs<StringAttr>("axis").getValue();
  }
  /// Bits of the arguments of differentiable types.
  SmallVector<bool> differentiable(TypeRange types) const {
    SmallVector<bool> result;
    for (auto [type, bit] : llvm::zip_equal(types, batched))
      if (isDifferentiable(type)) result.push_back(bit);
    return result;
  }
};
} // namespace

static func::FuncOp copyAs(func::FuncOp function, const Twine &name) {
  OpBuilder builder(function);
  auto copy = cast<func::FuncOp>(builder.clone(*function));
  copy.setName(name.str());
  return copy;
}

/// `function` with the results that are not marked summed over their lanes.
static func::FuncOp sumLanes(Transforms::Memo &memo, func::FuncOp function, ArrayRef<bool> keep) {
  func::FuncOp result = memo.create(function, "summed", function.getArgumentTypes());
  RuleBuilder b = builderAtEnd(&result.getBody().front(), function.getLoc());
  IRMapping map;
  map.map(function.getArguments(), result.getArguments());
  Block &body = function.getBody().front();
  for (Operation &op : body.without_terminator()) b.clone(op, map);
  SmallVector<Value> results;
  for (auto [value, keepLanes] : llvm::zip_equal(body.getTerminator()->getOperands(), keep))
    results.push_back(keepLanes ? map.lookup(value) : b.reduceSum(map.lookup(value), {0}));
  memo.finish(result, results);
  return result;
}

/// The batched rule takes batched tangents of batched primals.
FailureOr<func::FuncOp> Transforms::Memo::customJvp(CustomJvpOp op) {
  std::string rule = op.getRule().str();
  if (func::FuncOp known = lookup(rule + ".jvp")) return known;
  func::FuncOp base = lookup(rule + ".base");
  if (!base) {
    if (rules) return rules->getJvp(op);
    return op.emitError() << "rule `" << rule << "` has no function @" << rule << ".jvp";
  }
  auto original = cast<CustomJvpOp>(base.getBody().front().front());
  auto unbatched = customJvp(original);
  if (failed(unbatched)) return failure();
  DeferredRule how(base);
  SmallVector<bool> bits(how.batched);
  llvm::append_range(bits, how.differentiable(original.getOperandTypes()));
  auto made = batch(*unbatched, bits, how.size, how.axis, /*masked=*/false, /*forceResults=*/true);
  if (failed(made)) return failure();
  return copyAs(made->function, rule + ".jvp");
}

/// Residuals and cotangents are batched all; the cotangent of a shared argument is summed over the lanes.
FailureOr<std::pair<func::FuncOp, func::FuncOp>> Transforms::Memo::customVjp(CustomVjpOp op) {
  std::string rule = op.getRule().str();
  func::FuncOp forward = lookup(rule + ".fwd"), backward = lookup(rule + ".bwd"),
               base = lookup(rule + ".base");
  if (forward && backward) return std::make_pair(forward, backward);
  if (!base) {
    if (!rules) {
      op.emitError() << "rule `" << rule << "` has no functions @" << rule << ".fwd and .bwd";
      return failure();
    }
    auto forwardRule = rules->getForward(op);
    if (failed(forwardRule)) return failure();
    auto backwardRule = rules->getBackward(op);
    if (failed(backwardRule)) return failure();
    return std::make_pair(*forwardRule, *backwardRule);
  }
  auto original = cast<CustomVjpOp>(base.getBody().front().front());
  auto unbatched = customVjp(original);
  if (failed(unbatched)) return failure();
  DeferredRule how(base);
  auto batchedForward =
      batch(unbatched->first, how.batched, how.size, how.axis, false, /*forceResults=*/true);
  if (failed(batchedForward)) return failure();
  SmallVector<bool> all(unbatched->second.getNumArguments(), true);
  auto batchedBackward = batch(unbatched->second, all, how.size, how.axis, false, /*forceResults=*/true);
  if (failed(batchedBackward)) return failure();
  func::FuncOp summed =
      sumLanes(*this, batchedBackward->function, how.differentiable(original.getOperandTypes()));
  return std::make_pair(copyAs(batchedForward->function, rule + ".fwd"), copyAs(summed, rule + ".bwd"));
}

} // namespace jx
