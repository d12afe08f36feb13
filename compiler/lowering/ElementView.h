// How ops that rearrange arrays map an element of their result to elements of their operands, with dimensions
// joined as far as the map allows: a bias broadcast over a batch has two dimensions whatever the ranks, a
// transposed matrix two, a slice of leading rows one.
#pragma once

#include "compiler/dialect/JxDialect.h"

namespace jx {

/// One dimension of the operand: index = offset + stride * result index, or without result dimension just the
/// offset. A run-time `start`, a scalar of the program, adds clamp(start, 0, maxStart) * startScale.
struct OperandDim {
  int64_t size;
  int resultDim = -1;
  int64_t stride = 1;
  int64_t offset = 0;
  mlir::Value start;
  int64_t maxStart = 0;
  int64_t startScale = 1;
  OperandDim(int64_t size, int resultDim = -1) : size(size), resultDim(resultDim) {}
};

/// broadcast_in_dim, transpose, reverse, slice and dynamic_slice.
struct AffineView {
  mlir::Value operand;
  llvm::SmallVector<int64_t, 4> resultDims;
  llvm::SmallVector<OperandDim, 4> operandDims;
};
std::optional<AffineView> affineView(mlir::Operation *op);

/// concatenate: dimensions are (outer, along); `limits` are the ends of the operands in the second.
struct ConcatenateView {
  int64_t outer, along;
  llvm::SmallVector<int64_t, 4> limits;
};
ConcatenateView concatenateView(ConcatenateOp op);

/// pad: operand index = (result index - low) / (interior + 1), where that is exact and inside.
struct PadDim {
  int64_t resultSize, operandSize, low, interior;
  bool isWhole() const { return low == 0 && interior == 0 && resultSize == operandSize; }
};
llvm::SmallVector<PadDim, 4> padView(PadOp op);

/// gather: result dimensions are batch dimensions (of the index array) or window dimensions.
struct GatherView {
  struct ResultDim {
    int64_t size;
    bool window;
  };
  llvm::SmallVector<ResultDim, 4> resultDims;
  llvm::SmallVector<int64_t, 4> batchSizes; ///< sizes of the index array without its last dimension
  int64_t indexVectorSize;
  struct Dim {
    int64_t size;            ///< of the operand
    int64_t slice;           ///< of the window
    int resultDim = -1;      ///< window dimension, or -1
    int indexComponent = -1; ///< component of the index vector that adds to it, or -1
    int batchDim = -1;       ///< batching dimension: the index is that of this batch dimension
  };
  llvm::SmallVector<Dim, 4> operandDims;
};
GatherView gatherView(GatherOp op);

/// Suffix products at which the result's linear index must be divided so that every read of `op` is linear in
/// the parts, given those of an operand (`operandSplits`, in the operand's linear space).
void requiredSplits(mlir::Operation *op, llvm::SmallVectorImpl<int64_t> &splits);
void splitsThroughOperand(mlir::Operation *op, unsigned operand, llvm::ArrayRef<int64_t> operandSplits,
                          llvm::SmallVectorImpl<int64_t> &splits);

/// Whether every element of the operand stands for one element of the result at the same linear position:
/// elementwise ops and reshapes. (Scalar predicates of select and bounds of clamp are told apart by their
/// rank.)
bool keepsPosition(mlir::Operation *op, unsigned operand);

} // namespace jx
