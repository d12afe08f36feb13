// Folding and canonicalisation of the array families: what is left of small functions.
#include "compiler/dialect/JxDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include <gtest/gtest.h>

using namespace mlir;

namespace {

/// The ops that are left of a function body after canonicalisation, by name, terminator excluded.
std::string canonicalised(const std::string &body) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<jx::JxDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(body, &context);
  if (!module) return "does not parse";
  RewritePatternSet patterns(&context);
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.getDialectNamespace() == "jx") name.getCanonicalizationPatterns(patterns, &context);
  (void)applyPatternsGreedily(*module, std::move(patterns));
  std::string names;
  module->walk([&](Operation *op) {
    if (op->getName().getDialectNamespace() == "jx")
      names += (names.empty() ? "" : " ") + op->getName().stripDialect().str();
  });
  return names;
}

TEST(Fold, IdentitiesVanish) {
  EXPECT_EQ(canonicalised(R"(func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = jx.reshape %x {shape = array<i64: 2, 3>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %1 = jx.transpose %0 {permutation = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %2 = jx.broadcast_in_dim %1 {shape = array<i64: 2, 3>, dims = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %3 = jx.slice %2 {starts = array<i64: 0, 0>, limits = array<i64: 2, 3>, strides = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %4 = jx.reverse %3 {dims = array<i64>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %5 = jx.concatenate %4 {dimension = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %6 = jx.reduce %5 {kind = "sum", axes = array<i64>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %6 : tensor<2x3xf32> })"),
            "");
}

TEST(Fold, TransposesCancel) {
  EXPECT_EQ(canonicalised(R"(func.func @f(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
    %0 = jx.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
    %1 = jx.transpose %0 {permutation = array<i64: 1, 2, 0>} : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
    return %1 : tensor<2x3x4xf32> })"),
            "");
}

TEST(Fold, RearrangementsOfUnitDimensionsAreReshapes) {
  EXPECT_EQ(canonicalised(R"(func.func @f(%x: tensor<1x3xf32>) -> tensor<3x1xf32> {
    %0 = jx.transpose %x {permutation = array<i64: 1, 0>} : (tensor<1x3xf32>) -> tensor<3x1xf32>
    return %0 : tensor<3x1xf32> })"),
            "reshape");
  EXPECT_EQ(canonicalised(R"(func.func @f(%x: tensor<1x3xf32>) -> tensor<3xf32> {
    %0 = jx.reduce %x {kind = "sum", axes = array<i64: 0>} : (tensor<1x3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32> })"),
            "reshape");
}

TEST(Fold, SplatsStaySplats) {
  EXPECT_EQ(canonicalised(R"(func.func @f() -> tensor<4x2xf32> {
    %c = jx.constant dense<1.5> : tensor<f32>
    %0 = jx.broadcast_in_dim %c {shape = array<i64: 2, 4>, dims = array<i64>} : (tensor<f32>) -> tensor<2x4xf32>
    %1 = jx.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
    return %1 : tensor<4x2xf32> })"),
            "constant");
}

TEST(Fold, KnownStartsMakeAStaticSlice) {
  EXPECT_EQ(canonicalised(R"(func.func @f(%x: tensor<9xf32>) -> tensor<3xf32> {
    %c = jx.constant dense<40> : tensor<i32>
    %0 = jx.dynamic_slice %x, %c {sizes = array<i64: 3>} : (tensor<9xf32>, tensor<i32>) -> tensor<3xf32>
    return %0 : tensor<3xf32> })"),
            "slice");
}

TEST(Fold, ContractionsReadTransposedOperands) {
  EXPECT_EQ(canonicalised(R"(func.func @f(%x: tensor<4x2xf32>, %y: tensor<4x3xf32>) -> tensor<2x3xf32> {
    %0 = jx.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x2xf32>) -> tensor<2x4xf32>
    %1 = jx.dot_general %0, %y {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>,
      lhs_batch = array<i64>, rhs_batch = array<i64>, dtype = f32} : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
    return %1 : tensor<2x3xf32> })"),
            "dot_general");
}

TEST(Fold, OnlyOrderFreeReductionsMerge) {
  auto twice = [](const std::string &kind) {
    return canonicalised("func.func @f(%x: tensor<2x3x4xf32>) -> tensor<2xf32> {\n"
                         "%0 = jx.reduce %x {kind = \"" +
                         kind +
                         "\", axes = array<i64: 1>} : (tensor<2x3x4xf32>) -> tensor<2x4xf32>\n"
                         "%1 = jx.reduce %0 {kind = \"" +
                         kind +
                         "\", axes = array<i64: 1>} : (tensor<2x4xf32>) -> tensor<2xf32>\n"
                         "return %1 : tensor<2xf32> }");
  };
  EXPECT_EQ(twice("max"), "reduce");
  EXPECT_EQ(twice("sum"), "reduce reduce");
}

} // namespace
