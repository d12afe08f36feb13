// From the dialects that lowering emits (func, scf, cf, arith, math, vector, llvm) to an LLVM module.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <memory>

namespace jx {

/// Loads the dialects that lowering makes ops of.
void loadLoweringDialects(mlir::MLIRContext *context);

/// Converts every op of `module` to the llvm dialect, in place.
mlir::LogicalResult convertToLlvmDialect(mlir::ModuleOp module);

/// Converts and translates; null, with a diagnostic on the module, where that fails.
std::unique_ptr<llvm::Module> translateToLlvm(mlir::ModuleOp module, llvm::LLVMContext &context);

} // namespace jx
