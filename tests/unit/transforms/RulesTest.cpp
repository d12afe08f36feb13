// User-defined rules, checkpoints, calls and effects under transforms.
#include "tests/Console.h"
#include "tests/unit/transforms/Corpus.h"
#include "tests/unit/transforms/Programs.h"

using namespace mlir;

namespace jx::test {
namespace {

/// A custom_jvp whose rule says 5 dx, whatever the function is.
constexpr const char *customJvp = R"(
func.func private @square(%x: !s) -> !s {
  %0 = jx.mul %x, %x : (!s, !s) -> !s
  return %0 : !s
}
func.func private @five.jvp(%x: !s, %dx: !s) -> (!s, !s) {
  %0 = jx.mul %x, %x : (!s, !s) -> !s
  %k = jx.constant dense<5.0> : !s
  %1 = jx.mul %dx, %k : (!s, !s) -> !s
  return %0, %1 : !s, !s
}
func.func @f(%x: !s) -> !s {
  %0 = jx.custom_jvp @square(%x) {rule = "five", pure} : (!s) -> !s
  %1 = jx.sin %0 : (!s) -> !s
  return %1 : !s
})";

TEST(Rules, CustomJvp) {
  Program program(customJvp);
  auto gradient = program.gradient(program.function("f"), {true});
  EXPECT_NEAR(program.run(gradient, {{0.7}})[0][0], 5 * std::cos(0.49), 1e-12);
  // The rule survives batching.
  auto lanes = program.batch(program.function("f"), {true}, 2);
  expectNear(program.run(lanes, {{0.7, 2.0}}), {{std::sin(0.49), std::sin(4.0)}}, 1e-12);
  auto jvp = program.pushforward(lanes, {true});
  expectNear(program.run(jvp, {{0.7, 2.0}, {1.0, 1.0}}), {{5 * std::cos(0.49), 5 * std::cos(4.0)}}, 1e-12);
}

/// A rule that calls the function that it belongs to, as the derivative of exp does.
constexpr const char *selfCall = R"(
func.func private @e(%x: !s) -> !s {
  %0 = jx.exp %x : (!s) -> !s
  return %0 : !s
}
func.func private @e_rule.jvp(%x: !s, %dx: !s) -> (!s, !s) {
  %0 = jx.custom_jvp @e(%x) {rule = "e_rule", pure} : (!s) -> !s
  %1 = jx.mul %dx, %0 : (!s, !s) -> !s
  return %0, %1 : !s, !s
}
func.func @f(%x: !s) -> !s {
  %0 = jx.custom_jvp @e(%x) {rule = "e_rule", pure} : (!s) -> !s
  return %0 : !s
})";

TEST(Rules, RuleThatCallsItsFunction) {
  Program program(selfCall);
  auto second = program.derivative(program.derivative(program.function("f")));
  auto lanes = program.batch(second, {true}, 2);
  expectNear(program.run(lanes, {{0.5, 1.0}}), {{std::exp(0.5), std::exp(1.0)}}, 1e-12);
  auto batched = program.batch(program.function("f"), {true}, 2);
  auto push = program.pushforward(batched, {true});
  expectNear(program.run(push, {{0.5, 1.0}, {1.0, 1.0}}), {{std::exp(0.5), std::exp(1.0)}}, 1e-12);
}

/// A custom_vjp that gives 7 ct for x and x ct for y.
constexpr const char *customVjp = R"(
func.func private @product(%x: !s, %y: !s) -> !s {
  %0 = jx.mul %x, %y : (!s, !s) -> !s
  return %0 : !s
}
func.func private @seven.fwd(%x: !s, %y: !s) -> (!s, !s) {
  %0 = jx.mul %x, %y : (!s, !s) -> !s
  return %0, %x : !s, !s
}
func.func private @seven.bwd(%x: !s, %ct: !s) -> (!s, !s) {
  %k = jx.constant dense<7.0> : !s
  %0 = jx.mul %ct, %k : (!s, !s) -> !s
  %1 = jx.mul %ct, %x : (!s, !s) -> !s
  return %0, %1 : !s, !s
}
func.func @f(%x: !s, %y: !s) -> !s {
  %0 = jx.custom_vjp @product(%x, %y) {rule = "seven", pure} : (!s, !s) -> !s
  %1 = jx.sin %0 : (!s) -> !s
  return %1 : !s
})";

TEST(Rules, CustomVjp) {
  Program program(customVjp);
  auto gradient = program.gradient(program.function("f"), {true, true});
  double c = std::cos(0.6);
  expectNear(program.run(gradient, {{2.0}, {0.3}}), {{7 * c}, {2 * c}}, 1e-12);
  // Second order differentiates the forward and backward functions themselves.
  auto second = program.gradient(gradient, {true, true});
  expectNear(program.run(second, {{2.0}, {0.3}}), {{-7 * std::sin(0.6) * 0.3}, {-7 * std::sin(0.6) * 2}},
             1e-12);
  // A shared argument's cotangent is summed over the lanes.
  auto lanes = program.batch(program.function("f"), {false, true}, 2);
  auto parts = program.transforms->linearize(lanes, {true, true});
  ASSERT_TRUE(succeeded(parts));
  auto transposed = program.transforms->transpose(parts->linear, 2);
  ASSERT_TRUE(succeeded(transposed));
}

constexpr const char *checkpointed = R"(
func.func private @layer(%x: !s, %w: !s) -> !s {
  %0 = jx.mul %x, %w : (!s, !s) -> !s
  %1 = jx.sin %0 : (!s) -> !s
  %2 = jx.exp %1 : (!s) -> !s
  return %2 : !s
}
func.func @f(%x: !s, %w: !s) -> !s {
  %r = "jx.for"(%x) <{trip_count = 3 : i64, reverse = false, operandSegmentSizes = array<i32: 0, 1, 0>}> ({
  ^bb0(%i: !i, %c: !s):
    %0 = jx.checkpoint @layer(%c, %w) {policy = "nothing", pure} : (!s, !s) -> !s
    jx.yield %0 : !s
  }) : (!s) -> !s
  return %r : !s
})";

TEST(Rules, Checkpoint) {
  Program program(checkpointed);
  program.expectGradient(program.function("f"), {{0.3}, {0.8}}, {true, true});
  auto second = program.gradient(program.function("f"), {true, true});
  program.expectGradient(second, {{0.3}, {0.8}}, {true, true}, 1e-5);
  // Only the carry is stacked: the linear part computes the layer again.
  auto parts = program.transforms->linearize(program.function("f"), {true, true});
  ASSERT_TRUE(succeeded(parts));
  int64_t checkpoints = 0;
  parts->linear.walk([&](CheckpointOp op) { checkpoints += op.getRecompute(); });
  EXPECT_EQ(checkpoints, 1);
  parts->known.walk([&](ForOp loop) { EXPECT_LE(loop.getNumStacked(), 1u); });
}

constexpr const char *calls = R"(
func.func private @g(%x: tensor<6xf64>, %i: !i) -> !s {
  %0 = jx.dynamic_slice %x, %i {sizes = array<i64: 1>} : (tensor<6xf64>, !i) -> tensor<1xf64>
  %1 = jx.reshape %0 {shape = array<i64>} : (tensor<1xf64>) -> !s
  %2 = jx.sin %1 : (!s) -> !s
  return %2 : !s
}
func.func @f(%x: tensor<6xf64>) -> !s {
  %one = jx.constant dense<1.0> : !s
  %r = "jx.for"(%one) <{trip_count = 6 : i64, reverse = false, operandSegmentSizes = array<i32: 0, 1, 0>}> ({
  ^bb0(%i: !i, %c: !s):
    %0 = jx.call @g(%x, %i) {pure} : (tensor<6xf64>, !i) -> !s
    %1 = jx.mul %c, %0 : (!s, !s) -> !s
    jx.yield %1 : !s
  }) : (!s) -> !s
  return %r : !s
})";

TEST(Rules, CallsTakeTotals) {
  Program program(calls);
  program.expectGradient(program.function("f"), {{0.3, 0.8, 1.0, 0.5, 0.9, 1.2}}, {true});
}

constexpr const char *prints = R"(
func.func @f(%x: !s) -> !s {
  %zero = jx.constant dense<0.0> : !s
  %p = jx.compare %x, %zero {kind = "gt"} : (!s, !s) -> !b
  %n = jx.convert %p {dtype = i32} : (!b) -> !n
  %r = "jx.cond"(%n) ({
    jx.print {format = "\224:neg\0A", to_stderr = false} : () -> ()
    %0 = jx.neg %x : (!s) -> !s
    jx.yield %0 : !s
  }, {
    jx.print {format = "\224:pos\0A", to_stderr = false} : () -> ()
    jx.yield %x : !s
  }) : (!n) -> !s
  jx.print {format = "\224:end\0A", to_stderr = false} : () -> ()
  return %r : !s
})";

TEST(Rules, EffectsHappenOnceInOrderAndOnlyInActiveLanes) {
  Program program(prints);
  Console output;
  program.runtime = output.context;
  auto gradient = program.gradient(program.function("f"), {true});
  EXPECT_EQ(program.run(gradient, {{-2.0}})[0][0], -1.0);
  EXPECT_EQ(output.text, "neg\nend\n");
  output.text.clear();
  auto lanes = program.batch(program.function("f"), {true}, 3);
  expectNear(program.run(lanes, {{1.0, -2.0, 3.0}}), {{1.0, 2.0, 3.0}}, 0);
  EXPECT_EQ(output.text, "neg\npos\npos\nend\n");
}

} // namespace
} // namespace jx::test
