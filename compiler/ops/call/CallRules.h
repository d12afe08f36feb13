// What the rules of the call-like ops share.
#pragma once

#include "compiler/dialect/RegionRules.h"

namespace jx {

/// A call of `callee`, pure if the callee has no effects.
CallOp makeCall(RuleBuilder &b, mlir::func::FuncOp callee, mlir::ValueRange arguments);

/// Results of a JVP callee: the primals, then the tangents of the active ones.
void setPrimalsAndTangents(JvpContext &ctx, mlir::ValueRange results, llvm::ArrayRef<bool> active);

/// Splits a call-like op into calls of the callee's known and linear parts.
llvm::LogicalResult splitCall(mlir::Operation *op, llvm::StringRef symbol, SplitContext &ctx);
/// Calls the linear part on its residuals and maps all results. `stored` are the stored residuals, by default
/// those that follow the known results.
void finishSplitCall(SplitContext &ctx, SplitCallee &parts, mlir::ValueRange knownArguments,
                     mlir::ValueRange knownResults, mlir::ValueRange stored,
                     mlir::ValueRange unknownArguments);

llvm::LogicalResult transposeCall(mlir::Operation *op, llvm::StringRef symbol, TransposeContext &ctx);

/// The batched callee and its arguments; a callee with effects takes the lane mask first.
mlir::FailureOr<BatchCallee> batchCallee(llvm::StringRef symbol, bool pure, BatchContext &ctx,
                                         llvm::SmallVector<mlir::Value> &arguments);

} // namespace jx
