// Polynomials and intervals of run-time Python ints.
#include "compiler/elaborate/HostValue.h"
#include <algorithm>

namespace jx::elab {

static constexpr size_t maxTerms = 32; // forms of indices have a few

std::optional<Polynomial> Polynomial::add(const Polynomial &a, const Polynomial &b, int64_t factor) {
  Polynomial result = a;
  int64_t scaled;
  if (__builtin_mul_overflow(b.constant, factor, &scaled) ||
      __builtin_add_overflow(result.constant, scaled, &result.constant))
    return std::nullopt;
  for (auto &[symbols, coefficient] : b.terms) {
    int64_t &sum = result.terms[symbols];
    if (__builtin_mul_overflow(coefficient, factor, &scaled) || __builtin_add_overflow(sum, scaled, &sum))
      return std::nullopt;
    if (sum == 0) result.terms.erase(symbols);
  }
  if (result.terms.size() > maxTerms) return std::nullopt;
  return result;
}

std::optional<Polynomial> Polynomial::multiply(const Polynomial &a, const Polynomial &b) {
  auto scaledBy = [](const Polynomial &p, const Monomial &symbols,
                     int64_t factor) -> std::optional<Polynomial> {
    if (symbols.empty()) return add(Polynomial(), p, factor);
    Polynomial result;
    auto put = [&](const Monomial &own, int64_t coefficient) {
      Monomial product;
      std::merge(own.begin(), own.end(), symbols.begin(), symbols.end(), std::back_inserter(product));
      return !__builtin_mul_overflow(coefficient, factor, &result.terms[product]);
    };
    if (p.constant != 0 && !put({}, p.constant)) return std::nullopt;
    for (auto &[own, coefficient] : p.terms)
      if (!put(own, coefficient)) return std::nullopt;
    return result;
  };
  std::optional<Polynomial> result = scaledBy(a, {}, b.constant);
  for (auto &[symbols, coefficient] : b.terms) {
    std::optional<Polynomial> part = scaledBy(a, symbols, coefficient);
    if (!result || !part) return std::nullopt;
    result = add(*result, *part, 1);
  }
  return result;
}

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

int64_t TextNode::takeHoles(const TextNode &part) {
  int64_t shift = int64_t(operands.size());
  operands.insert(operands.end(), part.operands.begin(), part.operands.end());
  sources = mergeSources(sources, part.sources);
  return shift;
}

} // namespace jx::elab
