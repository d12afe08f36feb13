// What tests of rewrites share: a module in textual IR, rewritten and verified.
#pragma once

#include "compiler/dialect/JxDialect.h"
#include "compiler/lowering/Lowering.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

namespace jx::test {

class ModuleTest : public testing::Test {
protected:
  ModuleTest() {
    mlir::DialectRegistry registry;
    registry.insert<JxDialect, mlir::func::FuncDialect>();
    registerLoweringDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Makes `module` of `text` and applies `pass`.
  void rewrite(const std::string &text, llvm::function_ref<void(mlir::ModuleOp)> pass) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    pass(*module);
    ASSERT_TRUE(succeeded(mlir::verify(*module)));
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace jx::test
