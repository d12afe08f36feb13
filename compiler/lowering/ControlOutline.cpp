// Hot loops become functions of their own, which are optimised in full: loops that run often and touch little
// data in a trip, where the code around the kernels is what costs. All other control code runs rarely and is
// compiled fast.
#include "compiler/lowering/ControlOutline.h"
#include "compiler/lowering/ControlFunction.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace jx {

/// Bytes that one trip may touch, half of a first-level cache, and element operations that one kernel may do.
static constexpr int64_t smallTripBytes = 48 << 10;
static constexpr double smallKernelWork = 4096;
/// Ops that a loop must execute to be worth its compilation.
static constexpr double hotOps = 2e4;

bool isSmallKernel(KernelOp kernel) { return kernelWork(kernel) <= smallKernelWork; }

/// Whether one trip of the loop is little work on little data, and needs no other function.
static bool isSmall(Operation *loop, double &ops) {
  int64_t bytes = 0;
  WalkResult walk = loop->walk([&](Operation *op) {
    if (isa<KernelOp>(op->getParentOp())) return WalkResult::advance();
    // Optimised code around a fence would let arithmetic pass it.
    if (isa<CallOp, CustomJvpOp, CustomVjpOp, CheckpointOp, LoadOp, SaveOp, FileExistsOp, BarrierOp, ClockOp>(
            op))
      return WalkResult::interrupt();
    if (auto kernel = dyn_cast<KernelOp>(op)) {
      if (!isSmallKernel(kernel)) return WalkResult::interrupt();
      for (Value input : kernel.getInputs()) bytes += bytesOf(input.getType());
      for (Value result : kernel.getResults()) bytes += bytesOf(result.getType());
    }
    if (op != loop) {
      double trips = tripsAround(op) / tripsAround(loop);
      ops += trips * (isa<KernelOp>(op) ? 20 : 1); // a call, and a loop or two
    }
    return WalkResult::advance();
  });
  return !walk.wasInterrupted() && bytes <= smallTripBytes;
}

/// Moves the loop into a function `name`; what it captures become arguments, small constants are copied.
static void outline(Operation *loop, StringRef name, ModuleOp module) {
  llvm::SetVector<Value> captured;
  loop->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (!loop->isAncestor(operand.getParentRegion()->getParentOp())) captured.insert(operand);
  });
  OpBuilder b(loop);
  Location loc = loop->getLoc();
  SmallVector<Value> arguments;
  SmallVector<ConstantOp> constants;
  for (Value value : captured) {
    if (auto constant = value.getDefiningOp<ConstantOp>())
      constants.push_back(constant);
    else
      arguments.push_back(value);
  }
  auto type = b.getFunctionType(ValueRange(arguments).getTypes(), loop->getResultTypes());
  auto call = CallOp::create(b, loc, loop->getResultTypes(), name, arguments, /*pure=*/false);
  loop->replaceAllUsesWith(call->getResults());

  b.setInsertionPointToStart(module.getBody());
  auto function = func::FuncOp::create(b, loc, name, type);
  function.setPrivate();
  function->setAttr("jx.hot", b.getUnitAttr());
  Block *body = function.addEntryBlock();
  loop->moveBefore(body, body->end());
  IRMapping map;
  b.setInsertionPointToStart(body);
  for (ConstantOp constant : constants) map.map(constant.getResult(), b.clone(*constant)->getResult(0));
  for (auto [value, argument] : llvm::zip(arguments, body->getArguments())) map.map(value, argument);
  loop->walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (Value to = map.lookupOrNull(operand.get())) operand.set(to);
  });
  b.setInsertionPointToEnd(body);
  func::ReturnOp::create(b, loc, loop->getResults());
}

void outlineHotLoops(ModuleOp module) {
  SmallVector<Operation *> loops;
  for (auto function : module.getOps<func::FuncOp>())
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<KernelOp>(op)) return WalkResult::skip();
      if (!isa<ForOp, WhileOp>(op)) return WalkResult::advance();
      double ops = 0;
      if (!isSmall(op, ops)) return WalkResult::advance();
      if (ops * tripsAround(op) >= hotOps) loops.push_back(op);
      return WalkResult::skip();
    });
  for (auto [number, loop] : llvm::enumerate(loops)) outline(loop, "loop_" + std::to_string(number), module);
}

} // namespace jx
