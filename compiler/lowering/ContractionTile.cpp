// The largest tile whose accumulators, columns of B and one element of A stay in the vector registers of the
// machine that the code is for. Sixteen accumulators hide the latency of a multiply-add; two vectors of
// columns halve the loads of A where there are registers for it.
#include "compiler/lowering/ContractionTile.h"
#include "compiler/lowering/ElementEmitter.h"
#include "llvm/TargetParser/Host.h"

namespace jx {

namespace {
struct VectorRegisters {
  int64_t count, bytes;
};
} // namespace

static VectorRegisters vectorRegisters() {
  static const bool wide = llvm::sys::getHostCPUFeatures().lookup("avx512f");
  return wide ? VectorRegisters{32, 64} : VectorRegisters{16, 32};
}

ContractionTile chooseContractionTile(int64_t m, int64_t n, int64_t bytes) {
  VectorRegisters registers = vectorRegisters();
  int64_t parts = std::max<int64_t>(kLanes * bytes / registers.bytes, 1);
  auto fits = [&](int64_t rows, int64_t vectors) {
    return rows * vectors <= 16 && rows * vectors * parts + vectors * parts + 1 <= registers.count;
  };
  int64_t vectors = (n + kLanes - 1) / kLanes;
  ContractionTile tile;
  if (m > 4) {
    if (vectors > 1 && fits(8, 2)) tile.vectors = 2;
    while (tile.rows < m && fits(tile.rows + 1, tile.vectors)) ++tile.rows;
    return tile;
  }
  tile.rows = std::max<int64_t>(m, 1);
  while (tile.rows > 1 && !fits(tile.rows, 1)) --tile.rows;
  while (tile.vectors < std::min<int64_t>(vectors, 8) && fits(tile.rows, tile.vectors + 1)) ++tile.vectors;
  return tile;
}

} // namespace jx
