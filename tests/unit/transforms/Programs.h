// Programs in textual IR, transformed and then run by the interpreter.
#pragma once

#include "compiler/dialect/JxDialect.h"
#include "compiler/dialect/RuleBuilder.h"
#include "compiler/interpreter/Interpreter.h"
#include "compiler/transforms/Transforms.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/Twine.h"
#include <gtest/gtest.h>

namespace jx::test {

using Numbers = std::vector<std::vector<double>>;

class Program {
public:
  explicit Program(llvm::StringRef text);

  mlir::func::FuncOp function(llvm::StringRef name) { return module->lookupSymbol<mlir::func::FuncOp>(name); }
  /// Evaluates a function whose arguments are f64 (or i64, i32, i1) arrays.
  Numbers run(mlir::func::FuncOp function, const Numbers &arguments);
  Numbers run(llvm::StringRef name, const Numbers &arguments) { return run(function(name), arguments); }

  /// A function (args...) -> gradients of the first result (a scalar) with respect to `active` arguments.
  mlir::func::FuncOp gradient(mlir::func::FuncOp function, std::vector<bool> active);
  /// A function (args..., tangents...) -> tangents of the active results.
  mlir::func::FuncOp pushforward(mlir::func::FuncOp function, std::vector<bool> active);
  /// The derivative along 1 of the first argument, a function of the same arguments.
  mlir::func::FuncOp derivative(mlir::func::FuncOp function);
  mlir::func::FuncOp batch(mlir::func::FuncOp function, std::vector<bool> batched, int64_t size);

  /// Gradient of the first result by central differences.
  Numbers differences(mlir::func::FuncOp function, const Numbers &arguments, std::vector<bool> active,
                      double step = 1e-6);
  void expectGradient(mlir::func::FuncOp function, const Numbers &arguments, std::vector<bool> active,
                      double tolerance = 1e-6);

  int64_t operationsRun = 0; ///< by the last run
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<Transforms> transforms;
  void *runtime = nullptr; ///< jxrt_context, for effects
};

void expectNear(const Numbers &actual, const Numbers &expected, double tolerance);
/// Ops of a function and of the functions that it calls, each once.
int64_t countOps(mlir::func::FuncOp function);

} // namespace jx::test
