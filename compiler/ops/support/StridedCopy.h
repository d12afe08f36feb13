// The loop behind evaluation of every op that only moves elements: transpose, slice, pad, broadcast, reverse.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace jx {

/// Row-major strides, in elements.
llvm::SmallVector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// One side of a copy: first element and strides, both in elements (strides may be zero or negative).
template <class Pointer> struct StridedView {
  Pointer data;
  int64_t offset;
  llvm::SmallVector<int64_t> strides;
};

/// Copies a box of `shape` elements of `width` bytes; source and destination must not overlap.
void copyStrided(llvm::ArrayRef<int64_t> shape, const StridedView<const void *> &source,
                 const StridedView<void *> &destination, int64_t width);

/// Calls `body` for every index of `shape` in row-major order.
void forEachIndex(llvm::ArrayRef<int64_t> shape, llvm::function_ref<void(llvm::ArrayRef<int64_t>)> body);

} // namespace jx
