#include "compiler/dialect/RegionRules.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace jx {

void Dependence::mark(Value value) {
  if (kind == Tangent && !isDifferentiable(value.getType())) return;
  if (marked.insert(value).second) worklist.push_back(value);
}

SmallVector<bool> Dependence::calleeResults(Operation *call, StringRef callee) const {
  SmallVector<bool> arguments;
  for (Value operand : call->getOperands()) arguments.push_back(contains(operand));
  return calleeBits(call, callee, arguments);
}

bool Dependence::namesAxis(Operation *op) const {
  if (kind != Batch || axisName.empty()) return false;
  auto axis = op->getAttrOfType<StringAttr>("axis_name");
  return axis && axis.getValue() == axisName;
}

/// Collectives whose result is the same in every lane.
static bool endsAxis(Operation *op) { return isa<PReduceOp, AllGatherOp>(op); }

/// Calls whose results are batched together (CallOps.cpp), since a user's rule ties them.
static bool tiesResults(Operation *op) { return isa<CustomJvpOp, CustomVjpOp, CustomLinearOp>(op); }

void Dependence::run(Region &region) {
  if (kind == Batch && !axisName.empty())
    region.walk([&](Operation *op) {
      if (namesAxis(op) && !endsAxis(op))
        for (Value result : op->getResults()) mark(result);
      auto callee = op->getAttrOfType<FlatSymbolRefAttr>("callee");
      if (!callee || !isa<RegionPrimitiveInterface>(op)) return;
      // A callee may name the axis, whatever its arguments.
      SmallVector<bool> depends = calleeResults(op, callee.getValue());
      bool all = tiesResults(op) && llvm::is_contained(depends, true);
      for (auto [result, own] : llvm::zip_equal(op->getResults(), depends))
        if (all || own) mark(result);
    });
  SmallVector<Value> targets;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      // A terminator's operands are followed by the op whose region it ends.
      Operation *rule = user->hasTrait<OpTrait::IsTerminator>() ? user->getParentOp() : user;
      if (auto regionOp = dyn_cast<RegionPrimitiveInterface>(rule)) {
        targets.clear();
        regionOp.flow(*this, use, targets);
        for (Value target : targets) mark(target);
      } else if (rule == user) {
        if (kind == Tangent && user->hasTrait<OpTrait::jx::ZeroDerivative>()) continue;
        if (namesAxis(user) && endsAxis(user)) continue;
        for (Value result : user->getResults()) mark(result);
      }
    }
  }
}

RuleBuilder builderAtEnd(Block *block, Location loc) {
  OpBuilder builder(loc.getContext());
  builder.setInsertionPointToEnd(block);
  return RuleBuilder(builder, loc);
}

Value zerosOfStack(RuleBuilder &b, StackType type, Value length) {
  auto loop =
      b.make<ForOp>(TypeRange{type}, length, ValueRange{}, ValueRange{}, IntegerAttr(), b.getBoolAttr(false));
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&loop.getBody())->addArgument(length.getType(), b.getLoc());
  b.make<YieldOp>(ValueRange{b.zeros(type.getElementType())});
  return loop.getResult(0);
}

Value materialiseLike(RuleBuilder &b, Tangent tangent, Value primal) {
  if (tangent) return tangent.get();
  if (auto stack = dyn_cast<StackType>(primal.getType()))
    return zerosOfStack(b, stack, b.make<StackLengthOp>(primal));
  return b.zeros(primal.getType());
}

SmallVector<Value> capturedValues(Operation *op) {
  if (op->getNumRegions() == 0) return {};
  // By what is defined inside: ops around may belong to a region that hangs in the air.
  DenseSet<Block *> inside;
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    for (Region &region : inner->getRegions())
      for (Block &block : region) inside.insert(&block);
  });
  llvm::SetVector<Value> captured;
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!inside.contains(operand.getParentBlock())) captured.insert(operand);
    });
  return captured.takeVector();
}

bool hasEffects(Region &region) {
  return region
      .walk([](Operation *op) {
        bool structural = op->getNumRegions() || op->hasTrait<OpTrait::IsTerminator>();
        return structural || isMemoryEffectFree(op) ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

} // namespace jx
