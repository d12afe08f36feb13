// Derivatives against finite differences, in every nesting order; vmap against a loop over lanes.
#include "tests/unit/transforms/Corpus.h"
#include "tests/unit/transforms/Programs.h"

using namespace mlir;

namespace jx::test {
namespace {

TEST(Transforms, StraightLineGradient) {
  Program program(smooth);
  program.expectGradient(program.function("f"), {{0.7}, {-1.3}}, {true, true});
  program.expectGradient(program.function("f"), {{0.7}, {-1.3}}, {false, true});
}

TEST(Transforms, PushforwardIsGradient) {
  for (const char *text : {smooth, branch}) {
    Program program(text);
    auto push = program.pushforward(program.function("f"), {true, true});
    auto gradient = program.gradient(program.function("f"), {true, true});
    Numbers g = program.run(gradient, {{0.7}, {1.3}});
    EXPECT_NEAR(program.run(push, {{0.7}, {1.3}, {2.0}, {-3.0}})[0][0], 2 * g[0][0] - 3 * g[1][0], 1e-9);
  }
}

TEST(Transforms, ScanGradient) {
  Program program(scan);
  program.expectGradient(program.function("f"), {{0.7}, {0.1, -0.4, 0.9, 0.3}, {0.2}}, {true, true, true});
  program.expectGradient(program.function("f"), {{0.7}, {0.1, -0.4, 0.9, 0.3}, {0.2}}, {true, false, false});
}

TEST(Transforms, WhileGradient) {
  Program program(newton);
  Numbers g = program.run(program.gradient(program.function("f"), {true}), {{2.0}});
  EXPECT_NEAR(g[0][0], 1.5 * std::sqrt(2.0), 1e-8);
}

TEST(Transforms, BranchGradient) {
  Program program(branch);
  program.expectGradient(program.function("f"), {{1.5}, {2.0}}, {true, true});
  program.expectGradient(program.function("f"), {{1.5}, {-2.0}}, {true, true});
}

TEST(Transforms, NestedControlFlowGradient) {
  Program program(nested);
  for (double n : {0.0, 1.0, 2.0, 5.0})
    program.expectGradient(program.function("f"), {{0.8}, {n}}, {true, false});
}

/// Each order of forward and reverse mode gives the third derivative that differences of the second one give.
TEST(Transforms, ThirdOrderInEveryNesting) {
  for (const char *text : {newton, nested}) {
    for (unsigned order = 0; order < 8; ++order) {
      Program program(text);
      func::FuncOp f = program.function("f");
      bool trips = f.getNumArguments() == 2;
      Numbers arguments{{0.8}};
      if (trips) arguments.push_back({3});
      func::FuncOp previous;
      for (unsigned level = 0; level < 3; ++level) {
        std::vector<bool> active(f.getNumArguments(), false);
        active[0] = true;
        previous = f;
        if (order >> level & 1) {
          f = program.gradient(f, active);
        } else {
          f = program.derivative(f);
        }
        ASSERT_TRUE(f);
        std::vector<bool> first(arguments.size(), false);
        first[0] = true;
        Numbers expected = program.differences(previous, arguments, first, 1e-5);
        expectNear(program.run(f, arguments), expected, 1e-4);
      }
    }
  }
}

TEST(Transforms, BatchedBranchIsFiniteAndShared) {
  Program program(branch);
  auto gradient = program.gradient(program.function("f"), {true, true});
  auto batched = program.batch(gradient, {false, true}, 3);
  Numbers g = program.run(batched, {{1.5}, {0.0, 2.0, 3.0}});
  expectNear(g, {{0.0, std::log(2.0), std::log(3.0)}, {0.0, 0.75, 0.5}}, 1e-12);
  // The other order: the gradient of the sum over lanes with respect to the shared operand.
  auto lanes = program.batch(program.function("f"), {false, true}, 3);
  OpBuilder b = OpBuilder::atBlockEnd(program.module->getBody());
  auto total = func::FuncOp::create(
      b, lanes.getLoc(), "total", b.getFunctionType(lanes.getArgumentTypes(), {lanes.getArgumentTypes()[0]}));
  total.addEntryBlock();
  RuleBuilder rb(OpBuilder::atBlockEnd(&total.getBody().front()), lanes.getLoc());
  auto call = rb.make<CallOp>(TypeRange(lanes.getFunctionType().getResults()), lanes.getName(),
                              ValueRange(total.getArguments()), true);
  func::ReturnOp::create(rb, lanes.getLoc(), ValueRange{rb.reduceSum(call.getResult(0), {0})});
  auto summed = program.gradient(total, {true, true});
  expectNear(program.run(summed, {{1.5}, {0.0, 2.0, 3.0}}), {{std::log(6.0)}, {0.0, 0.75, 0.5}}, 1e-12);
}

TEST(Transforms, BatchedWhileTerminates) {
  Program program(newton);
  auto lanes = program.batch(program.function("f"), {true}, 4);
  std::vector<double> a{2.0, 1.0, 9.0, 0.25}, expected;
  for (double x : a) expected.push_back(program.run("f", {{x}})[0][0]);
  expectNear(program.run(lanes, {a}), {expected}, 1e-12);
  auto gradient = program.gradient(program.function("f"), {true});
  std::vector<double> slopes;
  for (double x : a) slopes.push_back(program.run(gradient, {{x}})[0][0]);
  expectNear(program.run(program.batch(gradient, {true}, 4), {a}), {slopes}, 1e-9);
}

/// Lanes with trip counts of their own.
TEST(Transforms, BatchedTripCounts) {
  Program program(nested);
  auto gradient = program.gradient(program.function("f"), {true, false});
  auto lanes = program.batch(gradient, {true, true}, 3);
  Numbers x{{0.8}, {0.9}, {-0.3}}, n{{0}, {3}, {5}};
  std::vector<double> expected;
  for (int lane = 0; lane < 3; ++lane) expected.push_back(program.run(gradient, {x[lane], n[lane]})[0][0]);
  expectNear(program.run(lanes, {{0.8, 0.9, -0.3}, {0, 3, 5}}), {expected}, 1e-9);
}

TEST(Transforms, BatchOfScanIsLoopOverLanes) {
  Program program(scan);
  auto gradient = program.gradient(program.function("f"), {true, true, true});
  for (unsigned choice = 1; choice < 8; ++choice) {
    std::vector<bool> batched{bool(choice & 1), bool(choice & 2), bool(choice & 4)};
    auto lanes = program.batch(gradient, batched, 2);
    Numbers single[2] = {{{0.7}, {0.1, -0.4, 0.9, 0.3}, {0.2}}, {{-0.2}, {0.5, 0.6, -0.7, 0.1}, {0.9}}};
    Numbers arguments(3), expected(3);
    for (int a = 0; a < 3; ++a)
      for (int lane = 0; lane < (batched[a] ? 2 : 1); ++lane)
        for (double value : single[lane][a]) arguments[a].push_back(value);
    for (int lane = 0; lane < 2; ++lane) {
      Numbers one;
      for (int a = 0; a < 3; ++a) one.push_back(single[batched[a] ? lane : 0][a]);
      Numbers result = program.run(gradient, one);
      for (int a = 0; a < 3; ++a)
        for (double value : result[a]) expected[a].push_back(value);
    }
    expectNear(program.run(lanes, arguments), expected, 1e-9);
  }
}

} // namespace
} // namespace jx::test
