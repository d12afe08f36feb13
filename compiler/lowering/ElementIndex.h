// Positions of elements inside kernels. A position is a mixed-radix number: factors from outermost to
// innermost whose sizes multiply to the array's number of elements. Elementwise ops and reshapes pass
// positions through untouched, and a loop nest has exactly the factors that its expressions need: that is
// what keeps inner loops long and linear.
#pragma once

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <vector>

namespace jx {

/// value + constant, plus the lane number where `lane` (0 .. kLanes-1 in the loop that is vectorised).
struct Index {
  mlir::Value value; ///< i64; null counts as 0
  int64_t constant = 0;
  bool lane = false;

  static Index of(int64_t constant) { return Index{{}, constant, false}; }
  bool isConstant() const { return !value && !lane; }
  bool operator==(const Index &other) const {
    return value == other.value && constant == other.constant && lane == other.lane;
  }
};

struct Factor {
  int64_t size;
  Index index;
};
using Position = llvm::SmallVector<Factor, 4>;

/// Elements that one vector of a kernel holds, of any element type. Fixed: the order of sums depends on it.
constexpr int64_t kLanes = 16;

/// Key of a memo table: what is computed, and from what.
using MemoKey = std::vector<uint64_t>;
void appendKey(MemoKey &key, const Index &index);
void appendKey(MemoKey &key, const Position &position);

/// Index arithmetic: folds, never computes one thing twice in a scope. Where an index with a lane leaves the
/// form base + lane, `lost` is set and the code emitted is meaningless: the caller discards it and emits
/// scalar code.
class IndexBuilder {
public:
  explicit IndexBuilder(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  Index add(Index x, Index y);
  Index mul(Index x, int64_t factor);
  Index div(Index x, int64_t divisor); ///< x >= 0
  Index rem(Index x, int64_t divisor); ///< x >= 0
  /// The first lane's index as i64.
  mlir::Value base(Index x);

  /// The linear index of a position.
  Index linear(llvm::ArrayRef<Factor> position);
  /// The position in dimensions `sizes` (same number of elements): one index a dimension. Where the factors
  /// are finer they are joined, where they are coarser they are divided.
  llvm::SmallVector<Index, 4> split(llvm::ArrayRef<Factor> position, llvm::ArrayRef<int64_t> sizes);

  /// Values computed after openScope are forgotten by closeScope: they stand in a region that ends there.
  void openScope() { marks.push_back(log.size()); }
  void closeScope();

  bool lost = false;

private:
  mlir::Value memoised(uint64_t kind, mlir::Value x, uint64_t y, llvm::function_ref<mlir::Value()> make);
  mlir::Value constant(int64_t value);

  mlir::OpBuilder &b;
  mlir::Location loc;
  std::map<MemoKey, mlir::Value> memo;
  std::vector<MemoKey> log;
  std::vector<size_t> marks;
};

/// A position from indices of dimensions; dimensions of size 1 fall away.
Position positionOf(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<Index> indices);

} // namespace jx
