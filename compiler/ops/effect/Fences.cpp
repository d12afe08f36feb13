#include "compiler/ops/effect/Fences.h"
#include "compiler/dialect/JxDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace jx {

bool isFence(Operation *op) {
  if (isa<BarrierOp, ClockOp>(op)) return true;
  for (Region &region : op->getRegions())
    if (hasFence(region)) return true;
  auto callee = op->getAttrOfType<FlatSymbolRefAttr>("callee");
  if (!callee || isMemoryEffectFree(op)) return false;
  auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, callee);
  return function && hasFence(function.getBody());
}

bool hasFence(Region &region) {
  for (Block &block : region)
    for (Operation &op : block)
      if (isFence(&op)) return true;
  return false;
}

} // namespace jx
