// Which matrices of products in loops are transposed, and where.
#include "compiler/lowering/ContractionOperands.h"
#include "tests/lowering/ModuleTest.h"

using namespace mlir;
using namespace jx;
using jx::test::ModuleTest;

namespace {

class MatricesInLoops : public ModuleTest {
protected:
  /// How many loops are around each transpose once `body`, the inside of the inner of two loops, is
  /// rewritten. The matrices %w (of 128 x 32) and %wt (of 32 x 128) come from outside, %v (of 128 x 32) from
  /// the outer loop; %x is of 32 elements and %many of 32 x 64.
  std::vector<int> transposes(const std::string &body) {
    rewrite(R"(
      func.func @entry(%w: tensor<128x32xf32>, %wt: tensor<32x128xf32>, %c: tensor<32xf32>, %many: tensor<32x64xf32>) {
        "jx.for"(%w) <{trip_count = 3 : i64, reverse = false, operandSegmentSizes = array<i32: 0, 1, 0>}> ({
        ^bb0(%i: tensor<i64>, %v: tensor<128x32xf32>):
          "jx.for"(%c) <{trip_count = 5 : i64, reverse = false, operandSegmentSizes = array<i32: 0, 1, 0>}> ({
          ^bb0(%j: tensor<i64>, %x: tensor<32xf32>):
            )" + body +
                R"(
            jx.yield %x : tensor<32xf32>
          }) : (tensor<32xf32>) -> (tensor<32xf32>)
          jx.yield %v : tensor<128x32xf32>
        }) : (tensor<128x32xf32>) -> (tensor<128x32xf32>)
        return
      })",
            transposeInvariantMatrices);
    std::vector<int> depths;
    module->walk([&](TransposeOp op) {
      int depth = 0;
      for (Operation *parent = op->getParentOp(); !isa<func::FuncOp>(parent); parent = parent->getParentOp())
        ++depth;
      depths.push_back(depth);
    });
    return depths;
  }

  /// %name = lhs . rhs over the last dimension of lhs and dimension `dim` of rhs.
  static std::string dot(const std::string &operands, int lhsDim, int rhsDim, const std::string &types) {
    static int count = 0;
    return "%d" + std::to_string(count++) + " = jx.dot_general " + operands +
           " {lhs_batch = array<i64>, rhs_batch = array<i64>, dtype = f32, lhs_contracting = array<i64: " +
           std::to_string(lhsDim) + ">, rhs_contracting = array<i64: " + std::to_string(rhsDim) +
           ">} : " + types + "\n";
  }
  static constexpr const char *vectorTypes = "(tensor<128x32xf32>, tensor<32xf32>) -> tensor<128xf32>";
};

using Depths = std::vector<int>;

TEST_F(MatricesInLoops, areTransposedOnceInFrontOfTheOutermostLoop) {
  EXPECT_EQ(transposes(dot("%w, %x", 1, 0, vectorTypes) + dot("%w, %x", 1, 0, vectorTypes)), (Depths{0}));
}

TEST_F(MatricesInLoops, thatTheOuterLoopChangesAreTransposedInside) {
  EXPECT_EQ(transposes(dot("%v, %x", 1, 0, vectorTypes)), (Depths{1}));
}

TEST_F(MatricesInLoops, alreadyInOrderStay) {
  EXPECT_EQ(transposes(dot("%x, %wt", 0, 0, "(tensor<32xf32>, tensor<32x128xf32>) -> tensor<128xf32>")),
            Depths{});
}

TEST_F(MatricesInLoops, withManyColumnsStay) {
  EXPECT_EQ(
      transposes(dot("%many, %w", 0, 1, "(tensor<32x64xf32>, tensor<128x32xf32>) -> tensor<64x128xf32>")),
      Depths{});
}

TEST_F(MatricesInLoops, stayWhereTheLoopTimesItself) {
  EXPECT_EQ(
      transposes("%t = jx.clock {kind = \"perf\"} : () -> tensor<f64>\n" + dot("%w, %x", 1, 0, vectorTypes)),
      Depths{});
}

} // namespace
