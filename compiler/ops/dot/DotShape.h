// The dimension numbers of a contraction, sorted out: which dimensions of each operand are batch,
// contracting, free, and the sizes of the equivalent (batch, m, k) x (batch, k, n).
#pragma once

#include "compiler/dialect/JxDialect.h"

namespace jx {

struct DotShape {
  explicit DotShape(DotGeneralOp op);
  llvm::SmallVector<int64_t> lhsFree,
      rhsFree; ///< dimensions of the operands that are in the result, ascending
  llvm::SmallVector<int64_t> batchSizes, contractingSizes, lhsFreeSizes, rhsFreeSizes;
  int64_t batch, m, n, k;
};

} // namespace jx
