// Cotangents on their way: sums that begin as the symbolic zero and take whole arrays, boxes and scatters.
#pragma once

#include "compiler/dialect/RegionRules.h"

namespace jx {

class CotangentSum : public Accumulator {
public:
  /// `builder` points to the builder that the transpose is using; `zeros` makes zeros of the type.
  CotangentSum(mlir::Type type, RuleBuilder *&builder, std::function<mlir::Value()> zeros)
      : type(type), builder(builder), zeros(std::move(zeros)) {}

  void add(mlir::Value cotangent) override;
  void addSlice(mlir::Value cotangent, mlir::ValueRange starts) override;
  void addStrided(mlir::Value cotangent, llvm::ArrayRef<int64_t> starts,
                  llvm::ArrayRef<int64_t> strides) override;
  void addScatter(llvm::function_ref<mlir::Value(mlir::Value)> scatter) override;

  /// The sum so far, null for zero.
  mlir::Value get();
  void set(mlir::Value value) {
    total = value;
    pieces.clear();
  }

private:
  /// A box that waits: boxes that tile the array become one concatenation.
  struct Piece {
    mlir::Value value;
    llvm::SmallVector<int64_t> starts, strides;
  };
  mlir::Value joinPieces();
  mlir::Value concatenatePieces();
  mlir::Value padded(const Piece &piece);

  mlir::Type type;
  RuleBuilder *&builder;
  std::function<mlir::Value()> zeros;
  mlir::Value total;
  llvm::SmallVector<Piece> pieces;
};

} // namespace jx
