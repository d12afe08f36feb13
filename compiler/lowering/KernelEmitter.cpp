// Kernels: from the ops of a jx.kernel to one native function. Compound ops (reductions, contractions, sorts,
// updates) are emitted one after another, with what is elemental around them evaluated inside their loops;
// elemental results of the kernel share one loop nest for each number of elements.
#include "compiler/lowering/ElementView.h"
#include "compiler/lowering/KernelBody.h"
#include "compiler/lowering/Kernels.h"
#include "compiler/lowering/ReductionEmitter.h"
#include "compiler/lowering/ScalarEmitter.h"

using namespace mlir;

namespace jx {

bool isCompound(Operation *op) {
  return isa<ReduceOp, ArgReduceOp, CumulativeOp, DotGeneralOp, SortOp, TopKOp, ScatterOp,
             DynamicUpdateSliceOp>(op);
}

bool isKernelOp(Operation *op) {
  return hasScalarEmitter(op) || isCompound(op) ||
         isa<ConstantOp, IotaOp, BroadcastInDimOp, ReshapeOp, TransposeOp, ReverseOp, PadOp, ConcatenateOp,
             SliceOp, DynamicSliceOp, GatherOp, KeyDataOp, WrapKeyOp>(op);
}

void emitReduceOp(KernelBody &body, ReduceOp op) {
  Value destination = body.destination(op.getResult());
  emitReduce(body.e, op, destination, [&](int64_t bytes) { return body.scratch(bytes); });
  body.written(op.getResult(), destination);
}

void emitArgReduceOp(KernelBody &body, ArgReduceOp op) {
  Value destination = body.destination(op.getResult());
  emitArgReduce(body.e, op, destination);
  body.written(op.getResult(), destination);
}

/// Whether the only reads of `argument` are at the very position that is being written.
static bool readsInPlace(Value argument) {
  llvm::DenseSet<Operation *> seen;
  SmallVector<Value> work{argument};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (isa<YieldOp>(user)) continue;
      if (!keepsPosition(user, use.getOperandNumber())) return false;
      if (seen.insert(user).second) work.append(user->result_begin(), user->result_end());
    }
  }
  return true;
}

bool mayShareBuffer(KernelOp kernel, unsigned result, unsigned operand) {
  Value argument = kernel.getBlock()->getArgument(operand);
  Value yielded = kernel.getYield()->getOperand(result);
  auto from = cast<RankedTensorType>(argument.getType()), to = cast<RankedTensorType>(yielded.getType());
  if (from.getNumElements() != to.getNumElements() ||
      elementBytes(from.getElementType()) != elementBytes(to.getElementType()))
    return false;
  if (isa_and_nonnull<DynamicUpdateSliceOp, ScatterOp>(yielded.getDefiningOp()))
    return yielded.getDefiningOp()->getOperand(0) == argument && argument.hasOneUse() &&
           llvm::count(kernel.getYield()->getOperands(), yielded) == 1;
  for (Operation &op : *kernel.getBlock())
    if (isCompound(&op)) return false;
  // Outputs of another number of elements are written in a loop nest of their own, before or after.
  for (Value other : kernel.getYield()->getOperands())
    if (cast<RankedTensorType>(other.getType()).getNumElements() != to.getNumElements()) return false;
  return readsInPlace(argument);
}

LogicalResult emitKernel(KernelOp kernel, StringRef name, ModuleOp out) {
  KernelBody body(kernel, name, out);
  for (Operation &op : kernel.getBlock()->without_terminator())
    if (!isKernelOp(&op)) return op.emitError() << "`" << op.getName() << "` has no lowering";
  bool inRows = emitRows(body);
  for (Operation &op : kernel.getBlock()->without_terminator()) {
    if (inRows) break;
    TypeSwitch<Operation *>(&op)
        .Case([&](ReduceOp reduce) { emitReduceOp(body, reduce); })
        .Case([&](ArgReduceOp reduce) { emitArgReduceOp(body, reduce); })
        .Case([&](CumulativeOp cumulative) { emitCumulative(body, cumulative); })
        .Case([&](DotGeneralOp dot) { emitContraction(body, dot); })
        .Case([&](SortOp sort) { emitSort(body, sort); })
        .Case([&](TopKOp topK) { emitTopK(body, topK); })
        .Case([&](ScatterOp scatter) { emitScatter(body, scatter); })
        .Case([&](DynamicUpdateSliceOp update) { emitUpdateSlice(body, update); });
  }
  body.finish();
  if (Operation *op = body.e.unsupported())
    return op->emitError() << "`" << op->getName() << "` has no lowering";
  return success();
}

} // namespace jx
