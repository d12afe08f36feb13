// What the rules of the call-like ops share.
#pragma once

#include "compiler/dialect/RegionRules.h"

namespace jx {

/// A call of `callee`, pure if the callee has no effects.
CallOp makeCall(RuleBuilder &b, mlir::func::FuncOp callee, mlir::ValueRange arguments);

/// How a rule calls the function that it has made: plainly, or as a checkpoint. Gives the results.
using CallMaker = llvm::function_ref<mlir::ResultRange(RuleBuilder &, mlir::func::FuncOp callee,
                                                       mlir::ValueRange arguments)>;

/// Calls the JVP of the callee on the primals and the tangents that there are.
llvm::LogicalResult jvpCall(llvm::StringRef symbol, JvpContext &ctx, CallMaker call);
/// Results of a JVP callee: the primals, then the tangents of the active ones.
void setPrimalsAndTangents(JvpContext &ctx, mlir::ValueRange results, llvm::ArrayRef<bool> active);

/// The operands of a call-like op that is split, as values of the known part; which are unknown.
struct SplitOperands {
  llvm::SmallVector<bool> unknown;
  llvm::SmallVector<mlir::Value> knownArguments, unknownArguments;
  SplitOperands(mlir::Operation *op, SplitContext &ctx);
};
/// Splits a call-like op into calls of the callee's known and linear parts.
llvm::LogicalResult splitCall(mlir::Operation *op, llvm::StringRef symbol, SplitContext &ctx);
/// Calls the linear part on its residuals and maps all results. `stored` are the stored residuals, by default
/// those that follow the known results.
void finishSplitCall(SplitContext &ctx, SplitCallee &parts, mlir::ValueRange knownArguments,
                     mlir::ValueRange knownResults, mlir::ValueRange stored,
                     mlir::ValueRange unknownArguments);

llvm::LogicalResult transposeCall(mlir::Operation *op, llvm::StringRef symbol, TransposeContext &ctx);

/// Calls the batched callee; one with effects takes the lane mask first.
llvm::LogicalResult batchCall(llvm::StringRef symbol, bool pure, BatchContext &ctx, CallMaker call);

} // namespace jx
