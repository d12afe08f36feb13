// Affine forms and intervals of run-time Python ints.
#include "compiler/elaborate/HostValue.h"
#include <algorithm>

namespace jx::elab {

std::optional<Affine> Affine::add(const Affine &a, const Affine &b, int64_t factor) {
  Affine result = a;
  int64_t scaled;
  if (__builtin_mul_overflow(b.constant, factor, &scaled) ||
      __builtin_add_overflow(result.constant, scaled, &result.constant))
    return std::nullopt;
  for (auto [symbol, coefficient] : b.terms) {
    int64_t &sum = result.terms[symbol];
    if (__builtin_mul_overflow(coefficient, factor, &scaled) || __builtin_add_overflow(sum, scaled, &sum))
      return std::nullopt;
    if (sum == 0) result.terms.erase(symbol);
  }
  return result;
}

std::optional<Affine> Affine::scale(const Affine &a, int64_t factor) { return add(Affine(), a, factor); }

static bool known(int64_t bound) { return bound != INT64_MIN && bound != INT64_MAX; }

Interval addIntervals(Interval a, Interval b, bool subtract) {
  if (subtract) {
    b = {known(b.high) ? -b.high : INT64_MIN, known(b.low) ? -b.low : INT64_MAX};
  }
  Interval result;
  if (!known(a.low) || !known(b.low) || __builtin_add_overflow(a.low, b.low, &result.low))
    result.low = INT64_MIN;
  if (!known(a.high) || !known(b.high) || __builtin_add_overflow(a.high, b.high, &result.high))
    result.high = INT64_MAX;
  return result;
}

Interval mulIntervals(Interval a, Interval b) {
  int64_t products[4], *p = products;
  for (int64_t x : {a.low, a.high})
    for (int64_t y : {b.low, b.high})
      if (!known(x) || !known(y) || __builtin_mul_overflow(x, y, p++)) {
        // Only the sign is kept: products of what is not negative are not negative.
        return a.low >= 0 && b.low >= 0 ? Interval{0, INT64_MAX} : Interval{};
      }
  return {*std::min_element(products, products + 4), *std::max_element(products, products + 4)};
}

std::vector<Symbol> mergeSources(const std::vector<Symbol> &a, const std::vector<Symbol> &b) {
  std::vector<Symbol> result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

} // namespace jx::elab
