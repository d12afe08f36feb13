// The order of reductions, against the words of docs/numerics.md written out another way: terms are strings,
// so that the result shows who was combined with whom.
#include "compiler/numerics/ReductionOrder.h"
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace jx::order;

namespace {

std::string pairUp(const std::string &x, const std::string &y) { return "(" + x + " " + y + ")"; }
/// Combines terms, dropping the identity "".
std::string combineTerms(const std::string &x, const std::string &y) {
  if (x.empty() || y.empty()) return x + y;
  return pairUp(x, y);
}
std::string term(int64_t i) { return std::to_string(i); }

TEST(ReductionOrder, FewElementsMeetByHalvesOfSixteen) {
  EXPECT_EQ(foldContiguous(0, std::string(), term, combineTerms), "");
  EXPECT_EQ(foldContiguous(1, std::string(), term, combineTerms), "0");
  EXPECT_EQ(foldContiguous(3, std::string(), term, combineTerms), "((0 2) 1)");
  EXPECT_EQ(foldContiguous(10, std::string(), term, combineTerms), "((((0 8) 4) (2 6)) (((1 9) 5) (3 7)))");
}

TEST(ReductionOrder, LanesTakeEverySixtyFourthElement) {
  // Only the elements of lane 0 of each accumulator: i mod 16 == 0.
  auto sparse = [](int64_t i) { return i % 16 == 0 ? std::to_string(i) : std::string(); };
  EXPECT_EQ(foldContiguous(192, std::string(), sparse, combineTerms),
            "((((0 64) 128) ((16 80) 144)) (((32 96) 160) ((48 112) 176)))");
}

TEST(ReductionOrder, BlocksMeetAsNeighbours) {
  // The first element of each of five blocks.
  auto firstOfBlock = [](int64_t i) {
    return i % blockSize == 0 ? std::to_string(i / blockSize) : std::string();
  };
  EXPECT_EQ(foldContiguous(5 * blockSize, std::string(), firstOfBlock, combineTerms), "(((0 1) (2 3)) 4)");
  EXPECT_EQ(foldColumn(7 * blockSize, std::string(), firstOfBlock, combineTerms),
            "(((0 1) (2 3)) ((4 5) 6))");
}

TEST(ReductionOrder, ColumnsAreOneChain) {
  EXPECT_EQ(foldColumn(4, std::string(), term, combineTerms), "(((0 1) 2) 3)");
}

std::vector<std::vector<int64_t>> steps(std::vector<int64_t> shape, std::vector<int64_t> axes) {
  std::vector<std::vector<int64_t>> list;
  for (const ReductionStep &step : reductionSteps(shape, axes))
    list.push_back({step.outer, step.n, step.inner});
  return list;
}

TEST(ReductionOrder, AxesAreMergedAndTakenFromTheLast) {
  using Steps = std::vector<std::vector<int64_t>>;
  EXPECT_EQ(steps({100, 50}, {0, 1}), (Steps{{1, 5000, 1}}));
  EXPECT_EQ(steps({100, 50}, {0}), (Steps{{1, 100, 50}}));
  EXPECT_EQ(steps({8, 3, 32}, {0, 2}), (Steps{{24, 32, 1}, {1, 8, 3}}));
  EXPECT_EQ(steps({8, 3, 32}, {2, 0}), (Steps{{24, 32, 1}, {1, 8, 3}}));
  EXPECT_EQ(steps({4, 1, 5}, {0}), (Steps{{1, 4, 5}}));
  EXPECT_EQ(steps({4, 1, 1}, {0}), (Steps{{1, 4, 1}}));
  EXPECT_EQ(steps({1, 6}, {0}), Steps{});
  EXPECT_EQ(steps({}, {}), Steps{});
  EXPECT_EQ(steps({2, 3, 4, 5}, {1, 2}), (Steps{{2, 12, 5}}));
}

} // namespace
