// What inference says of ops that make no sense: the op, what was given, what is allowed.
#include "compiler/dialect/JxDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;

namespace {

/// The first error of a function whose body is `op`, a generic op on the arguments.
std::string errorOf(const std::string &arguments, const std::string &op) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<jx::JxDialect, func::FuncDialect>();
  std::string first;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (first.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error) first = diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>("func.func @f(" + arguments + ") { " + op + "\n return }", &context);
  return module ? "no error" : first;
}

void expectError(const std::string &arguments, const std::string &op, const std::string &text) {
  std::string error = errorOf(arguments, op);
  EXPECT_NE(error.find(text), std::string::npos) << error;
}

TEST(InferErrors, Shape) {
  expectError("%x: tensor<2x3xf32>",
              "jx.reshape %x {shape = array<i64: 4>} : (tensor<2x3xf32>) -> tensor<4xf32>",
              "cannot reshape f32[2, 3] of 6 elements into shape (4,) of 4");
  expectError("%x: tensor<2xf32>",
              "jx.broadcast_in_dim %x {shape = array<i64: 3>, dims = array<i64: 0>} : "
              "(tensor<2xf32>) -> tensor<3xf32>",
              "cannot broadcast f32[2] to shape (3,): dimension 0 is 2 in the operand and 3 in the result");
  expectError("%x: tensor<2x2xi1>",
              "jx.transpose %x {permutation = array<i64: 0, 0>} : (tensor<2x2xi1>) -> "
              "tensor<2x2xi1>",
              "`transpose` of bool[2, 2] needs a permutation of its 2 dimensions, got (0, 0)");
  expectError("%x: tensor<2x2xf32>, %y: tensor<3x3xf32>",
              "jx.concatenate %x, %y {dimension = 0 : i64} : (tensor<2x2xf32>, tensor<3x3xf32>) -> "
              "tensor<5x2xf32>",
              "needs arrays that agree in all other dimensions, got f32[2, 2] and f32[3, 3]");
  expectError("", "jx.iota {dtype = f32, shape = array<i64: 3>, dimension = 1 : i64} : () -> tensor<3xf32>",
              "`iota` along dimension 1, but the shape (3,) has 1 dimensions");
}

TEST(InferErrors, Index) {
  expectError("%x: tensor<4xui8>",
              "jx.slice %x {starts = array<i64: 1>, limits = array<i64: 5>, strides = "
              "array<i64: 1>} : (tensor<4xui8>) -> tensor<4xui8>",
              "`slice` [1:5] does not lie inside dimension 0 of u8[4], which is 4 long");
  expectError("%x: tensor<4xf32>, %i: tensor<f32>",
              "jx.dynamic_slice %x, %i {sizes = array<i64: 1>} : "
              "(tensor<4xf32>, tensor<f32>) -> tensor<1xf32>",
              "`dynamic_slice` needs scalar integer start indices, got f32");
}

TEST(InferErrors, DotReduceSort) {
  expectError("%x: tensor<2x3xf32>, %y: tensor<4x5xf32>",
              "jx.dot_general %x, %y {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, "
              "lhs_batch = array<i64>, rhs_batch = array<i64>, dtype = f32} : (tensor<2x3xf32>, "
              "tensor<4x5xf32>) -> tensor<2x5xf32>",
              "`dot_general` of f32[2, 3] and f32[4, 5]: contracting dimensions 1 and 0 differ, 3 against 4");
  expectError("%x: tensor<2xi1>",
              "jx.reduce %x {kind = \"sum\", axes = array<i64: 0>} : (tensor<2xi1>) -> "
              "tensor<i1>",
              "`reduce_sum` does not accept bool[2]");
  expectError("%x: tensor<0xf32>",
              "jx.arg_reduce %x {kind = \"max\", axis = 0 : i64, dtype = i32} : "
              "(tensor<0xf32>) -> tensor<i32>",
              "`argmax` of f32[0] along axis 0, which is empty");
  expectError("%x: tensor<3xf32>",
              "jx.top_k %x {k = 4 : i64} : (tensor<3xf32>) -> (tensor<4xf32>, "
              "tensor<4xi32>)",
              "`top_k` of f32[3] cannot find 4 elements of 3");
  expectError("%x: tensor<f32>",
              "jx.ppermute %x {axis_name = \"i\", permutation = array<i64: 0, 1, 0, 2>} : "
              "(tensor<f32>) -> tensor<f32>",
              "needs different sources and different destinations, but (0, 2) repeats one");
}

} // namespace
