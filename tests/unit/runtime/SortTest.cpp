// Sorting, top_k and scans against the definition: a stable comparison sort in JAX's order, and a plain loop.
#include "jxrt/Sort.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace {

struct SortTest : testing::Test {
  jxrt_context *ctx = jxrt_context_create(nullptr);
  ~SortTest() override { jxrt_context_destroy(ctx); }
};

bool lessFloat(float a, float b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

// A stable sort of indices: ties by index. (std::stable_sort of this library warns about its own internals.)
template <typename Iterator, typename Less> void stableSort(Iterator begin, Iterator end, Less less) {
  std::sort(begin, end, [&](auto a, auto b) { return less(a, b) || (!less(b, a) && a < b); });
}

std::vector<float> sampleFloats(int64_t n, int seed) {
  std::mt19937 random(seed);
  const float special[] = {0.0f, -0.0f, NAN, -NAN, INFINITY, -INFINITY, 1.0f, -1.0f};
  std::vector<float> out(n);
  for (float &x : out) x = random() % 3 ? std::normal_distribution<float>()(random) : special[random() % 8];
  return out;
}

TEST_F(SortTest, StableByFloatKeyWithPayload) {
  for (int64_t n : {0, 1, 2, 23, 24, 25, 300, 5000}) {
    std::vector<float> keys = sampleFloats(n, static_cast<int>(n)), sorted(n);
    std::vector<int32_t> index(n), order(n);
    std::iota(index.begin(), index.end(), 0);
    jxrt_sort_operand operands[] = {{keys.data(), sorted.data(), JXRT_F32, 0},
                                    {index.data(), order.data(), JXRT_I32, 0}};
    ASSERT_EQ(jxrt_sort(ctx, operands, 2, 1, 0, 1, n, 1, nullptr), JXRT_OK);
    std::vector<int32_t> expected = index;
    stableSort(expected.begin(), expected.end(), [&](int a, int b) { return lessFloat(keys[a], keys[b]); });
    EXPECT_EQ(order, expected);
    for (int64_t i = 0; i < n; ++i) {
      EXPECT_EQ(std::isnan(sorted[i]), std::isnan(keys[order[i]]));
      if (!std::isnan(sorted[i])) EXPECT_EQ(std::signbit(sorted[i]), std::signbit(keys[order[i]]));
    }
  }
}

TEST_F(SortTest, DescendingStaysStable) {
  std::vector<float> keys = sampleFloats(100, 7), sorted(100);
  std::vector<int32_t> index(100), order(100);
  std::iota(index.begin(), index.end(), 0);
  jxrt_sort_operand operands[] = {{keys.data(), sorted.data(), JXRT_F32, 0},
                                  {index.data(), order.data(), JXRT_I32, 0}};
  ASSERT_EQ(jxrt_sort(ctx, operands, 2, 1, 1, 1, 100, 1, nullptr), JXRT_OK);
  std::vector<int32_t> expected = index;
  stableSort(expected.begin(), expected.end(), [&](int a, int b) { return lessFloat(keys[b], keys[a]); });
  EXPECT_EQ(order, expected);
}

// (outer, n, inner) lanes, in place, two keys of different types.
TEST_F(SortTest, SeveralKeysAlongAMiddleAxis) {
  const int64_t outer = 3, n = 40, inner = 5, size = outer * n * inner;
  std::mt19937 random(1);
  std::vector<int8_t> first(size);
  std::vector<double> second(size);
  std::vector<int32_t> payload(size);
  for (int64_t i = 0; i < size; ++i) {
    first[i] = static_cast<int8_t>(random() % 5) - 2;
    second[i] = static_cast<double>(random() % 4) - 1.5;
    payload[i] = static_cast<int32_t>(i);
  }
  auto first0 = first;
  auto second0 = second;
  jxrt_sort_operand operands[] = {{first.data(), first.data(), JXRT_I8, 0},
                                  {second.data(), second.data(), JXRT_F64, 0},
                                  {payload.data(), payload.data(), JXRT_I32, 0}};
  ASSERT_EQ(jxrt_sort(ctx, operands, 3, 2, 0, outer, n, inner, nullptr), JXRT_OK);
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t c = 0; c < inner; ++c) {
      std::vector<int32_t> lane;
      for (int64_t i = 0; i < n; ++i) lane.push_back(static_cast<int32_t>((o * n + i) * inner + c));
      auto expected = lane;
      stableSort(expected.begin(), expected.end(), [&](int a, int b) {
        return std::tie(first0[a], second0[a]) < std::tie(first0[b], second0[b]);
      });
      for (int64_t i = 0; i < n; ++i) {
        EXPECT_EQ(payload[lane[i]], expected[i]);
        EXPECT_EQ(first[lane[i]], first0[expected[i]]);
        EXPECT_EQ(second[lane[i]], second0[expected[i]]);
      }
    }
}

template <typename T> void checkIntegers(jxrt_context *ctx, int32_t dtype) {
  std::mt19937_64 random(dtype);
  std::vector<T> values(500), sorted(500);
  for (T &x : values) x = static_cast<T>(random());
  jxrt_sort_operand operand{values.data(), sorted.data(), dtype, 0};
  ASSERT_EQ(jxrt_sort(ctx, &operand, 1, 1, 0, 1, 500, 1, nullptr), JXRT_OK);
  std::sort(values.begin(), values.end());
  EXPECT_EQ(sorted, values);
}

TEST_F(SortTest, EveryIntegerDtype) {
  checkIntegers<int8_t>(ctx, JXRT_I8);
  checkIntegers<int16_t>(ctx, JXRT_I16);
  checkIntegers<int32_t>(ctx, JXRT_I32);
  checkIntegers<int64_t>(ctx, JXRT_I64);
  checkIntegers<uint8_t>(ctx, JXRT_U8);
  checkIntegers<uint16_t>(ctx, JXRT_U16);
  checkIntegers<uint32_t>(ctx, JXRT_U32);
  checkIntegers<uint64_t>(ctx, JXRT_U64);
}

TEST_F(SortTest, RepeatedSortsAllocateOnce) {
  std::vector<uint32_t> values(1000);
  std::mt19937 random(3);
  for (uint32_t &x : values) x = random();
  jxrt_sort_operand operand{values.data(), values.data(), JXRT_U32, 0};
  ASSERT_EQ(jxrt_sort(ctx, &operand, 1, 1, 0, 1, 1000, 1, nullptr), JXRT_OK);
  int64_t before = jxrt_memory(ctx).allocations;
  for (int i = 0; i < 10; ++i) ASSERT_EQ(jxrt_sort(ctx, &operand, 1, 1, 0, 1, 1000, 1, nullptr), JXRT_OK);
  EXPECT_EQ(jxrt_memory(ctx).allocations, before);
}

TEST_F(SortTest, TopKIsTheHeadOfADescendingSort) {
  for (int64_t n : {1, 10, 500})
    for (int64_t k : {int64_t(0), int64_t(1), n / 2, n}) {
      std::vector<float> values = sampleFloats(n * 2, 11), top(k * 2);
      std::vector<int32_t> indices(k * 2);
      ASSERT_EQ(jxrt_top_k(ctx, JXRT_F32, values.data(), top.data(), indices.data(), 1, n, k, 2, nullptr),
                JXRT_OK);
      for (int64_t c = 0; c < 2; ++c) {
        std::vector<int32_t> order(n);
        std::iota(order.begin(), order.end(), 0);
        stableSort(order.begin(), order.end(),
                   [&](int a, int b) { return lessFloat(values[b * 2 + c], values[a * 2 + c]); });
        for (int64_t i = 0; i < k; ++i) EXPECT_EQ(indices[i * 2 + c], order[i]);
      }
    }
  EXPECT_EQ(jxrt_top_k(ctx, JXRT_F32, nullptr, nullptr, nullptr, 1, 3, 4, 1, "a.jx:3"), JXRT_ERROR);
  EXPECT_STREQ(jxrt_pending_error(ctx)->where, "a.jx:3");
}

TEST_F(SortTest, CumulativeFollowsItsDefinition) {
  const int64_t n = 7, inner = 3;
  std::vector<float> values(n * inner), out(n * inner);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7 % 5) - 1.5f;
  values[9] = NAN;
  for (int reverse : {0, 1})
    for (int kind : {JXRT_CUMSUM, JXRT_CUMPROD, JXRT_CUMMAX, JXRT_CUMMIN, JXRT_CUMLOGSUMEXP}) {
      ASSERT_EQ(
          jxrt_cumulative(ctx, kind, JXRT_F32, values.data(), out.data(), 1, n, inner, reverse, nullptr),
          JXRT_OK);
      for (int64_t c = 0; c < inner; ++c) {
        double total = 0, sumExp = 0;
        for (int64_t step = 0; step < n; ++step) {
          int64_t i = (reverse ? n - 1 - step : step) * inner + c;
          double x = values[i];
          sumExp += std::exp(x);
          total = step == 0               ? x
                  : kind == JXRT_CUMSUM   ? total + x
                  : kind == JXRT_CUMPROD  ? total * x
                  : std::isnan(total + x) ? NAN
                  : kind == JXRT_CUMMAX   ? std::max(total, x)
                                          : std::min(total, x);
          double expected = kind == JXRT_CUMLOGSUMEXP ? std::log(sumExp) : total;
          if (std::isnan(expected))
            EXPECT_TRUE(std::isnan(out[i])) << kind;
          else
            EXPECT_NEAR(out[i], expected, 1e-5) << kind;
        }
      }
    }
  EXPECT_EQ(jxrt_cumulative(ctx, JXRT_CUMLOGSUMEXP, JXRT_I32, values.data(), out.data(), 1, 1, 1, 0, nullptr),
            JXRT_ERROR);
}

TEST_F(SortTest, CumulativeIntegersWrap) {
  std::vector<int8_t> values = {100, 100, 100}, out(3);
  ASSERT_EQ(jxrt_cumulative(ctx, JXRT_CUMSUM, JXRT_I8, values.data(), out.data(), 1, 3, 1, 0, nullptr),
            JXRT_OK);
  EXPECT_EQ(out, (std::vector<int8_t>{100, -56, 44}));
}

} // namespace
