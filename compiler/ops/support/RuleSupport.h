// Helpers shared by the rules of the array families: how inference is declared, how types appear in errors,
// and the arithmetic of dimension numbers that batching rules repeat.
#pragma once

#include "compiler/dialect/JxDialect.h"
#include "compiler/dialect/RuleBuilder.h"

namespace jx {

/// The head of `Op::inferReturnTypes`, whose signature MLIR fixes. The body sees `loc`, `operands` and
/// `types`; it reads attributes through JX_ADAPTOR(Op).
#define JX_INFER(OpT)                                                                                        \
  LogicalResult OpT::inferReturnTypes(                                                                       \
      MLIRContext *context, std::optional<Location> loc, ValueRange operands, DictionaryAttr attributes,     \
      OpaqueProperties properties, RegionRange regions, SmallVectorImpl<Type> &types)
#define JX_ADAPTOR(OpT) OpT::Adaptor(operands, attributes, properties, regions)

/// "f32[3, 4]", as annotations write it: bool for i1, u8 for ui8.
std::string describe(mlir::Type type);
/// "(3, 4)", as Python prints a shape.
std::string describeShape(llvm::ArrayRef<int64_t> shape);

/// Whether `dims` are different dimensions of an array of `rank`.
bool areDistinctDims(llvm::ArrayRef<int64_t> dims, int64_t rank);

/// Each dimension plus one: where it stands once there is a leading batch dimension.
llvm::SmallVector<int64_t> shifted(llvm::ArrayRef<int64_t> dims);
/// `first` followed by `rest`.
llvm::SmallVector<int64_t> prepended(int64_t first, llvm::ArrayRef<int64_t> rest);
/// 0 followed by `shifted(dims)`: dimension numbers with the batch dimension added.
llvm::SmallVector<int64_t> withBatch(llvm::ArrayRef<int64_t> dims);
/// The dimensions below `rank` that are in none of the lists, ascending.
llvm::SmallVector<int64_t> otherDims(int64_t rank, llvm::ArrayRef<int64_t> dims,
                                     llvm::ArrayRef<int64_t> more = {});
llvm::SmallVector<int64_t> inversePermutation(llvm::ArrayRef<int64_t> permutation);

/// Batching of an op none of whose operands is batched: the op itself, its results unbatched.
mlir::LogicalResult batchNone(mlir::Operation *op, BatchContext &ctx);
/// Batching of an op that works on any number of leading dimensions: the op itself, its types inferred again.
mlir::LogicalResult batchAsIs(mlir::Operation *op, BatchContext &ctx);
/// Whether every tangent of the operands is the symbolic zero.
bool allZero(const JvpContext &ctx);

} // namespace jx
