// The order in which floats are summed and multiplied, in one place: evaluation runs these templates, and
// kernels emit the same order. It does not depend on vector width, threads or optimisation level.
// docs/numerics.md is the prose.
//
// Contiguous axis (`foldContiguous`): blocks of 4096 elements; in a block, element i goes to lane i mod 64,
// that is accumulator (i / 16) mod 4, lane i mod 16 of it; every lane starts from the identity and takes its
// elements in ascending order. Lanes are then combined (acc0 + acc1) + (acc2 + acc3), and the 16 lanes left
// by halves: i with i + 8, then + 4, + 2, + 1. Blocks are combined by a binary tree of neighbours. Any other
// axis (`foldColumn`): one chain an output, ascending, started from the identity, in blocks of 4096 rows;
// blocks are combined by the same tree.
// Several axes (`reductionSteps`): dimensions of size 1 are dropped and neighbours of one kind merged; the
// groups of reduced dimensions that are left are reduced one after another, the last group first.
// Cumulative reductions (`scanInTiles`): tiles of 16 elements, whose totals are scanned in the same way.
// Contractions: k ascending, one chain of fused multiply-adds an output, started from zero;
// `usesReductionOrder` names the exception.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

namespace jx::order {

inline constexpr int64_t blockSize = 4096;
inline constexpr int64_t accumulators = 4;
inline constexpr int64_t lanesPerAccumulator = 16;
inline constexpr int64_t lanes = accumulators * lanesPerAccumulator;

/// Combines neighbours, level by level; an odd one at the end goes up a level unchanged. Empty: the identity.
template <class W, class Combine>
W combineTree(llvm::SmallVectorImpl<W> &values, W identity, Combine combine) {
  if (values.empty()) return identity;
  while (values.size() > 1) {
    size_t half = values.size() / 2, odd = values.size() % 2;
    for (size_t i = 0; i < half; ++i) values[i] = combine(values[2 * i], values[2 * i + 1]);
    if (odd) values[half] = values.back();
    values.truncate(half + odd);
  }
  return values.front();
}

/// The value of one block from its lanes, which it overwrites.
template <class W, class Combine> W combineLanes(std::array<W, lanes> &lane, Combine combine) {
  for (int64_t i = 0; i < lanesPerAccumulator; ++i) {
    W low = combine(lane[i], lane[i + lanesPerAccumulator]);
    W high = combine(lane[i + 2 * lanesPerAccumulator], lane[i + 3 * lanesPerAccumulator]);
    lane[i] = combine(low, high);
  }
  for (int64_t half = lanesPerAccumulator / 2; half > 0; half /= 2)
    for (int64_t i = 0; i < half; ++i) lane[i] = combine(lane[i], lane[i + half]);
  return lane[0];
}

/// Folds n elements that lie along a contiguous axis; `load(i)` gives element i in the accumulation type W.
template <class W, class Load, class Combine>
W foldContiguous(int64_t n, W identity, Load load, Combine combine) {
  llvm::SmallVector<W> blocks;
  for (int64_t begin = 0; begin < n; begin += blockSize) {
    std::array<W, lanes> lane;
    lane.fill(identity);
    int64_t count = std::min(blockSize, n - begin);
    for (int64_t i = 0; i < count; ++i) lane[i % lanes] = combine(lane[i % lanes], load(begin + i));
    blocks.push_back(combineLanes(lane, combine));
  }
  return combineTree(blocks, identity, combine);
}

/// Folds n elements of one column, an axis that is not the last one.
template <class W, class Load, class Combine>
W foldColumn(int64_t n, W identity, Load load, Combine combine) {
  llvm::SmallVector<W> blocks;
  for (int64_t begin = 0; begin < n; begin += blockSize) {
    W chain = identity;
    for (int64_t i = begin, end = std::min(n, begin + blockSize); i < end; ++i)
      chain = combine(chain, load(i));
    blocks.push_back(chain);
  }
  return combineTree(blocks, identity, combine);
}

/// The inclusive scan of `row` in place, from its last element to its first if `reverse`. `combine` rounds to
/// the element type.
template <class W, class Combine>
void scanInTiles(llvm::MutableArrayRef<W> row, W identity, bool reverse, Combine combine) {
  constexpr size_t tileSize = 16;
  if (row.size() < 2) return;
  llvm::SmallVector<llvm::MutableArrayRef<W>> tiles;
  llvm::SmallVector<W> totals;
  for (; !row.empty(); row = row.drop_front(tiles.back().size())) {
    auto tile = row.take_front(tileSize);
    auto fold = [&](llvm::ArrayRef<W> part) {
      return std::accumulate(part.begin(), part.end(), identity, combine);
    };
    if (reverse) {
      for (size_t i = 0; i < tile.size(); ++i) tile[i] = fold(tile.drop_front(i));
    } else {
      W chain = identity;
      for (W &x : tile) x = chain = combine(chain, x);
    }
    tiles.push_back(tile);
    totals.push_back(reverse ? tile.front() : tile.back());
  }
  if (tiles.size() < 2) return;
  scanInTiles<W>(totals, identity, reverse, combine);
  for (size_t t = reverse ? 0 : 1, end = tiles.size() - (reverse ? 1 : 0); t < end; ++t)
    for (W &x : tiles[t]) x = combine(totals[reverse ? t + 1 : t - 1], x);
}

/// One step of a reduction: of an array seen as (outer, n, inner), the middle axis disappears. `inner == 1`
/// is a contiguous axis, anything else columns.
struct ReductionStep {
  int64_t outer, n, inner;
  bool isContiguous() const { return inner == 1; }
};

/// The steps of reducing `axes` of an array of `shape`, in order. No step: nothing but dimensions of size 1
/// goes.
inline llvm::SmallVector<ReductionStep> reductionSteps(llvm::ArrayRef<int64_t> shape,
                                                       llvm::ArrayRef<int64_t> axes) {
  llvm::SmallVector<std::pair<int64_t, bool>> groups; // size, whether it is reduced
  for (int64_t dim = 0; dim < int64_t(shape.size()); ++dim) {
    if (shape[dim] == 1) continue;
    bool reduced = llvm::is_contained(axes, dim);
    if (!groups.empty() && groups.back().second == reduced)
      groups.back().first *= shape[dim];
    else
      groups.push_back({shape[dim], reduced});
  }
  llvm::SmallVector<ReductionStep> steps;
  int64_t inner = 1;
  for (size_t g = groups.size(); g-- > 0;) {
    if (!groups[g].second) {
      inner *= groups[g].first;
      continue;
    }
    int64_t outer = 1;
    for (size_t i = 0; i < g; ++i) outer *= groups[i].first;
    steps.push_back({outer, groups[g].first, inner});
  }
  return steps;
}

/// Whether a contraction of m x n outputs a batch element sums its k products in the order of a contiguous
/// reduction (each lane a chain of fused multiply-adds) rather than in one chain: a dot product of two
/// vectors, which offers nothing else to vectorise.
inline bool usesReductionOrder(int64_t m, int64_t n, int64_t k) { return m == 1 && n == 1; }

} // namespace jx::order
