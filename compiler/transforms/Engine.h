// What the transforms share: the memo of functions made, naming, lookup, and the forms of each transform that
// only other transforms need (callees split, transposed into given totals, batched under a mask).
#pragma once

#include "compiler/dialect/RegionRules.h"
#include "compiler/transforms/Transforms.h"
#include "llvm/ADT/StringMap.h"

namespace jx {

/// Which residuals of a split callee are values that its caller has anyway: none, known arguments, also known
/// results.
enum ResidualPolicy { StoreAll, ReuseArguments, ReuseAll };

struct Transforms::Memo {
  Memo(mlir::ModuleOp module, RuleProvider *rules) : module(module), rules(rules) {}

  mlir::ModuleOp module;
  RuleProvider *rules;

  mlir::func::FuncOp lookup(llvm::StringRef symbol);
  /// A function `base`.`suffix`, made unique, private, with an empty entry block of `arguments`; its result
  /// types are set by `finish`.
  mlir::func::FuncOp create(mlir::func::FuncOp base, llvm::StringRef suffix,
                            llvm::ArrayRef<mlir::Type> arguments,
                            llvm::ArrayRef<mlir::Location> locations = {});
  /// Ends `function` with a return of `results` and sets its type.
  void finish(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Value> results);

  /// Bits of a function's results under argument bits.
  llvm::SmallVector<bool> resultBits(Dependence::Kind kind, mlir::func::FuncOp function,
                                     llvm::ArrayRef<bool> arguments, llvm::StringRef axisName);
  Dependence::CalleeBits calleeBits(Dependence::Kind kind, llvm::StringRef axisName = "");

  mlir::FailureOr<JvpResult> jvp(mlir::func::FuncOp function, llvm::ArrayRef<bool> active);
  /// Results marked in `forceUnknown` belong to the linear
  /// part even if they do not depend on the unknown arguments.
  mlir::FailureOr<SplitCallee> split(mlir::func::FuncOp function, llvm::ArrayRef<bool> unknown,
                                     ResidualPolicy policy, llvm::ArrayRef<bool> forceUnknown);
  mlir::FailureOr<mlir::func::FuncOp> transpose(mlir::func::FuncOp function, llvm::ArrayRef<bool> linear,
                                                llvm::ArrayRef<bool> reached, llvm::ArrayRef<bool> hasTotal);
  mlir::FailureOr<BatchCallee> batch(mlir::func::FuncOp function, llvm::ArrayRef<bool> batched, int64_t size,
                                     llvm::StringRef axisName, bool masked, bool forceResults);

  /// The user's rules of an op; compiler/transforms/CustomRules.cpp.
  mlir::FailureOr<mlir::func::FuncOp> customJvp(CustomJvpOp op);
  mlir::FailureOr<std::pair<mlir::func::FuncOp, mlir::func::FuncOp>> customVjp(CustomVjpOp op);
  std::string deferRule(mlir::Operation *op, llvm::StringRef rule, mlir::func::FuncOp batchedCallee,
                        llvm::ArrayRef<bool> batched, int64_t size, llvm::StringRef axisName);

  /// See SplitWalk::Recompute.
  mlir::FailureOr<SplitWalk::Recompute> recompute(const SplitCallee &callee, unsigned numKnownResults,
                                                  llvm::StringRef policy);

  llvm::StringMap<JvpResult> jvps;
  llvm::StringMap<SplitCallee> splits;
  llvm::StringMap<mlir::func::FuncOp> transposes;
  llvm::StringMap<BatchCallee> batches;
  llvm::StringMap<SplitWalk::Recompute> recomputes;
  llvm::StringMap<llvm::SmallVector<bool>> bits;
};

/// "name|kind|0110|..." of a memo entry.
std::string memoKey(mlir::func::FuncOp function, llvm::StringRef kind,
                    llvm::ArrayRef<llvm::ArrayRef<bool>> bits);

} // namespace jx
