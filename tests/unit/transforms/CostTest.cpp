// What derivatives cost: op counts at high order, and loops that read slices.
#include "tests/unit/transforms/Corpus.h"
#include "tests/unit/transforms/Programs.h"

using namespace mlir;

namespace jx::test {
namespace {

/// Forward over forward, simplified at each order, stays far below the tripling of raw JVPs (about 34, 116,
/// 384, 1236 ops without simplification).
TEST(Cost, OpCountAtOrderFour) {
  Program program(R"(
func.func @f(%x: !s) -> !s {
  %0 = jx.sin %x : (!s) -> !s
  %1 = jx.mul %0, %x : (!s, !s) -> !s
  %2 = jx.exp %1 : (!s) -> !s
  %3 = jx.mul %2, %0 : (!s, !s) -> !s
  %4 = jx.tanh %3 : (!s) -> !s
  %5 = jx.add %4, %1 : (!s, !s) -> !s
  %6 = jx.cos %5 : (!s) -> !s
  %7 = jx.mul %6, %2 : (!s, !s) -> !s
  %8 = jx.log %7 : (!s) -> !s
  %9 = jx.mul %8, %8 : (!s, !s) -> !s
  return %9 : !s
})");
  func::FuncOp f = program.function("f");
  for (int order = 1; order <= 4; ++order) {
    f = program.derivative(f);
    ASSERT_TRUE(f);
    inlineCalls(f);
  }
  EXPECT_LT(countOps(f), 450);
}

TEST(Cost, ReverseAtOrderFour) {
  Program program(smooth);
  func::FuncOp f = program.function("f");
  for (int order = 1; order <= 4; ++order) {
    f = program.gradient(f, {true, false});
    ASSERT_TRUE(f);
    inlineCalls(f);
  }
  EXPECT_LT(countOps(f), 400);
}

static std::string sliceReader(int64_t n) {
  return R"(
func.func @f(%x: tensor<NxfD>) -> !s {
  %zero = jx.constant dense<0.0> : !s
  %r = "jx.for"(%zero) <{trip_count = N : i64, reverse = false, operandSegmentSizes = array<i32: 0, 1, 0>}> ({
  ^bb0(%i: !i, %c: !s):
    %0 = jx.dynamic_slice %x, %i {sizes = array<i64: 1>} : (tensor<NxfD>, !i) -> tensor<1xf64>
    %1 = jx.reshape %0 {shape = array<i64>} : (tensor<1xf64>) -> !s
    %2 = jx.sin %1 : (!s) -> !s
    %3 = jx.add %c, %2 : (!s, !s) -> !s
    jx.yield %3 : !s
  }) : (!s) -> !s
  return %r : !s
})";
}

/// The backward loop adds to slices of one sum: no op in a loop touches the whole array, whatever its length.
TEST(Cost, GradientOfSliceReaderIsLinear) {
  for (int64_t n : {16, 64}) {
    std::string text = sliceReader(n), size = std::to_string(n);
    for (size_t at; (at = text.find("NxfD")) != std::string::npos;) text.replace(at, 4, size + "xf64");
    for (size_t at; (at = text.find("= N :")) != std::string::npos;) text.replace(at + 2, 1, size);
    Program program(text);
    func::FuncOp gradient = program.gradient(program.function("f"), {true});
    inlineCalls(gradient);
    gradient.walk([&](ForOp loop) {
      loop.getBody().walk([&](Operation *op) {
        if (isa<DynamicUpdateSliceOp, YieldOp>(op)) return; // in place
        for (Value result : op->getResults())
          EXPECT_LE(cast<RankedTensorType>(result.getType()).getNumElements(), 1) << "in a loop over " << n;
      });
    });
    std::vector<double> x(n), expected(n);
    for (int64_t i = 0; i < n; ++i) {
      x[i] = 0.1 * double(i);
      expected[i] = std::cos(x[i]);
    }
    expectNear(program.run(gradient, {x}), {expected}, 1e-12);
  }
}

} // namespace
} // namespace jx::test
