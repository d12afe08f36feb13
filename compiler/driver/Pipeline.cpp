#include "compiler/driver/Pipeline.h"
#include "compiler/transforms/Transforms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace jx {

/// Functions that no call reaches any more: targets of transforms and rules that served their purpose.
static void eraseUnreachable(ModuleOp module) {
  llvm::StringMap<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>()) functions[function.getName()] = function;
  SmallVector<func::FuncOp> work;
  llvm::DenseSet<Operation *> reached;
  if (auto entry = functions.lookup("entry")) work.push_back(entry);
  while (!work.empty()) {
    func::FuncOp function = work.pop_back_val();
    if (!reached.insert(function).second) continue;
    function.walk([&](Operation *op) {
      auto callee = op->getAttrOfType<FlatSymbolRefAttr>("callee");
      if (!callee) return;
      if (auto target = functions.lookup(callee.getValue())) work.push_back(target);
    });
  }
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (!reached.contains(function)) function.erase();
}

LogicalResult runPreparation(ModuleOp module) {
  auto entry = module.lookupSymbol<func::FuncOp>("entry");
  if (!entry) return module.emitError("the program has no entry");
  // Transforms leave their sources behind; what nobody calls need not be simplified.
  eraseUnreachable(module);
  // No transform follows, so calls that only carry derivative rules become ordinary ones, and small callees
  // disappear.
  inlineCalls(entry);
  simplify(entry);
  // Inlining took the last call of many functions away.
  eraseUnreachable(module);
  return success();
}

} // namespace jx
