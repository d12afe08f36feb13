// The stage that the in-process and the object-file output share.
#pragma once

#include "compiler/lowering/ControlProgram.h"
#include "compiler/lowering/Lowering.h"

namespace jx {

/// Clusters and emits `module` into `control`, and compiles every unit.
llvm::Expected<std::vector<std::unique_ptr<llvm::MemoryBuffer>>>
compileUnits(mlir::ModuleOp module, ControlProgram &control, const LoweringOptions &options);

} // namespace jx
