// Outlining of hot loops; see the source file.
#pragma once

#include "compiler/lowering/Kernels.h"

namespace jx {

/// Moves every hot loop of a clustered module into a function with the attribute `jx.hot`.
void outlineHotLoops(mlir::ModuleOp module);

/// Whether the kernel does so little that it belongs into the function of the hot loop that calls it.
bool isSmallKernel(KernelOp kernel);

/// Element operations of one run of a kernel, estimated.
double kernelWork(KernelOp kernel);

} // namespace jx
