// The register tile of a contraction's micro-kernel; see the source file.
#pragma once

#include <cstdint>

namespace jx {

/// Rows, and vectors of kLanes columns, of the outputs that are accumulated at the same time.
struct ContractionTile {
  int64_t rows = 1, vectors = 1;
};

/// The tile for m x n outputs whose accumulators take `bytes` each.
ContractionTile chooseContractionTile(int64_t m, int64_t n, int64_t bytes);

} // namespace jx
