// Which scalar functions of a trip become one.
#include "compiler/lowering/ControlPacking.h"
#include "tests/lowering/ModuleTest.h"

using namespace mlir;
using namespace jx;
using jx::test::ModuleTest;

namespace {

class Packing : public ModuleTest {
protected:
  /// Elements of the packed ops of a loop over scalars %a to %e whose trip is `body`, in order.
  std::vector<int64_t> packed(const std::string &body) {
    rewrite(R"(
      !s = tensor<f32>
      func.func @entry(%a0: !s, %long: tensor<100xf32>) {
        "jx.for"(%a0, %a0, %a0, %a0, %a0) <{trip_count = 3 : i64, reverse = false, operandSegmentSizes = array<i32: 0, 5, 0>}> ({
        ^bb0(%i: tensor<i64>, %a: !s, %b: !s, %c: !s, %d: !s, %e: !s):
          )" + body +
                R"(
          jx.yield %a, %b, %c, %d, %e : !s, !s, !s, !s, !s
        }) : (!s, !s, !s, !s, !s) -> (!s, !s, !s, !s, !s)
        return
      })",
            packScalarFunctions);
    std::vector<int64_t> sizes;
    module->walk([&](Operation *op) {
      if (op->hasAttr(packedAttr))
        sizes.push_back(cast<RankedTensorType>(op->getResult(0).getType()).getNumElements());
    });
    return sizes;
  }

  /// %RESULT = jx.NAME %OPERAND on f32 scalars.
  static std::string unary(const std::string &result, const std::string &name, const std::string &operand) {
    return "%" + result + " = jx." + name + " %" + operand + " : (!s) -> !s\n";
  }
  static std::string unaries(const std::string &prefix, const std::string &name,
                             const std::string &operands) {
    std::string text;
    for (char operand : operands) text += unary(prefix + operand, name, std::string(1, operand));
    return text;
  }
};

using Sizes = std::vector<int64_t>;

TEST_F(Packing, joinsEqualFunctionsOfIndependentScalars) {
  EXPECT_EQ(packed(unaries("s", "sin", "abcde")), (Sizes{5}));
}

TEST_F(Packing, keepsKindsApart) {
  EXPECT_EQ(packed(unaries("s", "sin", "abcde") + unaries("t", "cos", "abcd")), (Sizes{5, 4}));
}

TEST_F(Packing, goesLevelByLevel) {
  std::string text = unaries("s", "sin", "abcd");
  for (char c : std::string("abcd")) text += unary(std::string("t") + c, "sin", std::string("s") + c);
  EXPECT_EQ(packed(text), (Sizes{4, 4}));
  // A chain has nothing to join.
  EXPECT_EQ(packed(unary("p", "sin", "a") + unary("q", "sin", "p") + unary("r", "sin", "q") +
                   unary("t", "sin", "r")),
            Sizes{});
}

TEST_F(Packing, takesEightAtATime) {
  EXPECT_EQ(packed(unaries("s", "sin", "abcde") + unaries("t", "sin", "abcde")), (Sizes{8, 2}));
}

TEST_F(Packing, leavesFewAndCheapFunctionsAlone) {
  EXPECT_EQ(packed(unaries("s", "sin", "abc") + unaries("t", "neg", "abcde")), Sizes{});
}

TEST_F(Packing, leavesTripsWithArraysOrFencesAlone) {
  EXPECT_EQ(packed(unaries("s", "sin", "abcde") + "%l = jx.neg %long : (tensor<100xf32>) -> tensor<100xf32>"),
            Sizes{});
  EXPECT_EQ(packed(unaries("s", "sin", "abcde") + "%t = jx.clock {kind = \"perf\"} : () -> tensor<f64>"),
            Sizes{});
}

} // namespace
