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

void Dependence::run(Region &region) {
  if (kind == Batch && !axisName.empty())
    region.walk([&](Operation *op) {
      if (auto axis = op->getAttrOfType<StringAttr>("axis_name"); axis && axis.getValue() == axisName)
        for (Value result : op->getResults()) mark(result);
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
        for (Value result : user->getResults()) mark(result);
      }
    }
  }
}

SmallVector<Value> capturedValues(Operation *op) {
  llvm::SetVector<Value> captured;
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!op->isAncestor(operand.getParentBlock()->getParentOp())) captured.insert(operand);
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
