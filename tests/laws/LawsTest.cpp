// Every law over every row of the table, and the proof that each law can fail.
#include "tests/laws/Laws.h"
#include "gtest/gtest-spi.h"

namespace jx::laws {
namespace {

template <typename Pick> std::vector<OpSpec> rows(Pick pick) {
  std::vector<OpSpec> picked;
  llvm::copy_if(allSpecs(), std::back_inserter(picked), pick);
  return picked;
}

/// A test of each row that `pick` is true of.
#define JX_LAW(Name, check, pick)                                                                            \
  class Name : public testing::TestWithParam<OpSpec> {};                                                     \
  TEST_P(Name, Law) { check(GetParam()); }                                                                   \
  INSTANTIATE_TEST_SUITE_P(, Name, testing::ValuesIn(rows(pick)), testName)

bool isRecorded(const OpSpec &spec) { return !spec.recorded.empty(); }
bool isMeasured(const OpSpec &spec) { return spec.derivatives == Derivatives::Measured; }
bool allowsDerivatives(const OpSpec &spec) { return spec.derivatives != Derivatives::Refused; }
bool hasForward(const OpSpec &spec) {
  return spec.derivatives != Derivatives::ReverseOnly && spec.derivatives != Derivatives::Skipped;
}
bool hasReverse(const OpSpec &spec) {
  return allowsDerivatives(spec) && spec.derivatives != Derivatives::Skipped;
}
bool any(const OpSpec &) { return true; }

JX_LAW(Recorded, checkRecorded, isRecorded);
JX_LAW(Forward, checkForward, hasForward);
JX_LAW(Reverse, checkReverse, hasReverse);
JX_LAW(SecondOrder, checkSecondOrder, isMeasured);
JX_LAW(Batch, checkBatch, any);
JX_LAW(Compiled, checkCompiled, any);
JX_LAW(CompiledDerivatives, checkCompiledDerivatives, allowsDerivatives);

// --- Planted failures

bool fails(void (*law)(const OpSpec &), const OpSpec &spec) {
  testing::TestPartResultArray results;
  testing::ScopedFakeTestPartResultReporter reporter(
      testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
  law(spec);
  return results.size() > 0;
}

/// A square whose user-defined derivative is `slope`.
OpSpec squareWithSlope(const std::string &slope) {
  OpSpec spec;
  spec.name = "planted";
  spec.operands = {{"f64", {}, 1, 2}};
  spec.source = R"(
    !s = tensor<f64>
    func.func private @square(%x: !s) -> !s {
      %0 = jx.mul %x, %x : (!s, !s) -> !s
      return %0 : !s
    }
    func.func private @rule.jvp(%x: !s, %dx: !s) -> (!s, !s) {
      %0 = jx.mul %x, %x : (!s, !s) -> !s
      )" + slope +
                R"(
      %t = jx.mul %dx, %k : (!s, !s) -> !s
      return %0, %t : !s, !s
    }
    func.func @f(%x: !s) -> !s {
      %0 = jx.custom_jvp @square(%x) {rule = "rule", pure} : (!s) -> !s
      return %0 : !s
    })";
  return spec;
}

TEST(Planted, WrongDerivativesAreSeen) {
  OpSpec right = squareWithSlope("%k = jx.add %x, %x : (!s, !s) -> !s");
  EXPECT_FALSE(fails(checkForward, right));
  EXPECT_FALSE(fails(checkSecondOrder, right));
  // A slope of 5 is wrong in first order; 2 x with x held fixed is wrong in second order only.
  EXPECT_TRUE(fails(checkForward, squareWithSlope("%k = jx.constant dense<5.0> : !s")));
  OpSpec held = squareWithSlope("%h = jx.stop_gradient %x : (!s) -> !s\n%k = jx.add %h, %h : (!s, !s) -> !s");
  EXPECT_FALSE(fails(checkForward, held));
  EXPECT_TRUE(fails(checkSecondOrder, held));
}

TEST(Planted, WrongReverseRuleIsSeen) {
  auto product = [](const std::string &factor) {
    OpSpec spec;
    spec.name = "planted";
    spec.operands = {{"f64", {}, 1, 2}, {"f64", {}, 1, 2}};
    spec.derivatives = Derivatives::ReverseOnly;
    spec.source = R"(
    !s = tensor<f64>
    func.func private @product(%x: !s, %y: !s) -> !s {
      %0 = jx.mul %x, %y : (!s, !s) -> !s
      return %0 : !s
    }
    func.func private @rule.fwd(%x: !s, %y: !s) -> (!s, !s, !s) {
      %0 = jx.mul %x, %y : (!s, !s) -> !s
      return %0, %x, %y : !s, !s, !s
    }
    func.func private @rule.bwd(%x: !s, %y: !s, %ct: !s) -> (!s, !s) {
      %0 = jx.mul %ct, )" +
                  factor + R"( : (!s, !s) -> !s
      %1 = jx.mul %ct, %x : (!s, !s) -> !s
      return %0, %1 : !s, !s
    }
    func.func @f(%x: !s, %y: !s) -> !s {
      %0 = jx.custom_vjp @product(%x, %y) {rule = "rule", pure} : (!s, !s) -> !s
      return %0 : !s
    })";
    return spec;
  };
  EXPECT_FALSE(fails(checkReverse, product("%y")));
  EXPECT_TRUE(fails(checkReverse, product("%x")));
}

TEST(Planted, WrongRecordIsSeen) {
  OpSpec spec;
  spec.name = "planted";
  spec.source = "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                "  %0 = jx.neg %x : (tensor<2xf32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}";
  spec.recorded =
      "{inputs = [dense<[1.0, 2.0]> : tensor<2xf32>], expected = [dense<[-1.0, -2.0]> : tensor<2xf32>]}";
  EXPECT_FALSE(fails(checkRecorded, spec));
  spec.recorded =
      "{inputs = [dense<[1.0, 0.0]> : tensor<2xf32>], expected = [dense<[-1.0, 0.0]> : tensor<2xf32>]}";
  EXPECT_TRUE(fails(checkRecorded, spec)); // the sign of zero
}

TEST(Planted, ADifferenceOfCompiledCodeIsSeen) {
  OpSpec spec;
  spec.name = "planted";
  spec.source = R"(
    func.func @f() -> tensor<f64> {
      %0 = jx.clock {kind = "perf"} : () -> tensor<f64>
      return %0 : tensor<f64>
    })";
  EXPECT_TRUE(fails(checkCompiled, spec)); // the second run is later
}

} // namespace
} // namespace jx::laws
