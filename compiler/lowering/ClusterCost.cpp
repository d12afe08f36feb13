// Cost and reading patterns of ops, for clustering.
#include "compiler/lowering/ClusterCost.h"
#include "compiler/lowering/ElementView.h"
#include "compiler/lowering/KernelBody.h"
#include "compiler/lowering/ScalarEmitter.h"
#include "compiler/numerics/ReductionOrder.h"

using namespace mlir;

namespace jx {

static int64_t elementsOf(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }

bool isFree(Operation *op) {
  if (isa<IotaOp, BroadcastInDimOp, ReshapeOp>(op)) return true;
  auto constant = dyn_cast<ConstantOp>(op);
  if (!constant) return false;
  if (constant.getValue().isSplat()) return true;
  RankedTensorType type = cast<RankedTensorType>(constant.getType());
  return type.getNumElements() * elementBytes(type.getElementType()) <= 1024;
}

bool isCheap(Operation *op) {
  return isFree(op) ||
         isa<AddOp, SubOp, MulOp, NegOp, AbsOp, MaxOp, MinOp, AndOp, OrOp, XorOp, NotOp, CompareOp, SelectOp,
             ClampOp, ConvertOp, BitcastOp, SignOp, FloorOp, CeilOp, IsFiniteOp, StopGradientOp>(op);
}

bool isContiguousRead(Operation *op) {
  if (isa<PadOp, ConcatenateOp, GatherOp, KeyDataOp, WrapKeyOp>(op)) return false;
  std::optional<AffineView> view = affineView(op);
  if (!view) return hasScalarEmitter(op) || isFree(op);
  int innermost = static_cast<int>(view->resultDims.size()) - 1;
  for (auto [dim, operandDim] : llvm::enumerate(view->operandDims))
    if (operandDim.resultDim == innermost && (dim + 1 != view->operandDims.size() || operandDim.stride != 1))
      return false;
  return true;
}

Use useOf(Operation *user, unsigned operand) {
  if (keepsPosition(user, operand)) return Use::Same;
  if (isa<ReduceOp, ArgReduceOp>(user)) return Use::Same;
  if (isa<BroadcastInDimOp>(user)) {
    std::optional<AffineView> view = affineView(user);
    if (view && view->resultDims.size() == view->operandDims.size() + 1 &&
        llvm::all_of(llvm::enumerate(view->operandDims),
                     [](auto dim) { return dim.value().resultDim == static_cast<int>(dim.index()); }))
      return Use::Row;
    return elementsOf(user->getOperand(0)) == elementsOf(user->getResult(0)) ? Use::Same : Use::Repeat;
  }
  if (isa<ScatterOp>(user)) return operand == 2 ? Use::Once : operand == 1 ? Use::Repeat : Use::Memory;
  if (isa<DynamicUpdateSliceOp>(user)) return operand == 1 ? Use::Once : Use::Memory;
  if (isCompound(user)) return Use::Memory;
  if (isa<GatherOp>(user)) return Use::Repeat;
  if (isa<DynamicSliceOp>(user)) return operand == 0 ? Use::Once : Use::Memory;
  return Use::Once;
}

std::optional<RowReduction> rowReduction(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!reduce) return std::nullopt;
  auto type = cast<RankedTensorType>(reduce.getOperand().getType());
  SmallVector<order::ReductionStep> steps = order::reductionSteps(type.getShape(), reduce.getAxes());
  if (steps.size() != 1 || !steps[0].isContiguous()) return std::nullopt;
  return RowReduction{steps[0].outer, steps[0].n};
}

} // namespace jx
