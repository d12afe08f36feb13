// Arrays of the compiler's own process: operands and results of the interpreter, literals, compile-time
// evaluation. Row-major and contiguous. Element layouts are the runtime's (bool one byte, key two ui32 words,
// f16 and bf16 as their bits); a stack is a list of equally typed arrays.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace jx {

/// Bytes of one element of `type` in memory: i1 takes 1, !jx.key 8, complex twice its part.
int64_t elementBytes(mlir::Type type);

class HostArray {
public:
  HostArray() = default;
  /// Uninitialised array of `type`.
  explicit HostArray(mlir::RankedTensorType type);
  /// A run-time list of arrays of one type, the value of a !jx.stack.
  static HostArray stack(mlir::RankedTensorType elementType, std::vector<HostArray> elements);

  bool isStack() const { return elements != nullptr; }
  mlir::RankedTensorType getType() const { return type; }
  mlir::Type getElementType() const { return type.getElementType(); }
  llvm::ArrayRef<int64_t> getShape() const { return type.getShape(); }
  int64_t getRank() const { return type.getRank(); }
  int64_t size() const { return type.getNumElements(); }
  int64_t sizeInBytes() const { return size() * elementBytes(getElementType()); }

  /// The bytes; shared between copies. `unique` makes this the only owner before writing.
  const void *data() const { return bytes.get(); }
  void *mutableData() { return bytes.get(); }
  HostArray &unique();
  template <typename T> const T *as() const { return static_cast<const T *>(data()); }
  template <typename T> T *as() { return static_cast<T *>(mutableData()); }

  std::vector<HostArray> &getElements() { return *elements; }
  const std::vector<HostArray> &getElements() const { return *elements; }

  /// The same bytes under another type of equal size (reshape, bitcast).
  HostArray withType(mlir::RankedTensorType newType) const;

  /// Scalars, for control flow and host values. The integer form takes i1 and every integer width.
  int64_t scalarInt() const;
  double scalarFloat() const;
  static HostArray scalar(mlir::Type elementType, int64_t value);
  static HostArray scalar(mlir::Type elementType, double value);

  /// Conversions to and from MLIR literals.
  static HostArray fromAttr(mlir::ElementsAttr attr);
  mlir::ElementsAttr toAttr() const;

private:
  mlir::RankedTensorType type;
  std::shared_ptr<char[]> bytes;
  std::shared_ptr<std::vector<HostArray>> elements;
};

} // namespace jx
