// Implementation of StridedCopy.h: whole rows are one memcpy where both sides are contiguous.
#include "compiler/ops/support/StridedCopy.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

namespace jx {

llvm::SmallVector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = int64_t(shape.size()) - 2; i >= 0; --i) strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

void forEachIndex(llvm::ArrayRef<int64_t> shape, llvm::function_ref<void(llvm::ArrayRef<int64_t>)> body) {
  if (llvm::is_contained(shape, 0)) return;
  llvm::SmallVector<int64_t> index(shape.size(), 0);
  while (true) {
    body(index);
    int64_t dim = int64_t(shape.size()) - 1;
    while (dim >= 0 && ++index[dim] == shape[dim]) index[dim--] = 0;
    if (dim < 0) return;
  }
}

template <int64_t width>
static void copyRow(const char *source, int64_t sourceStep, char *destination, int64_t destinationStep,
                    int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    std::memcpy(destination + i * destinationStep * width, source + i * sourceStep * width, width);
}

void copyStrided(llvm::ArrayRef<int64_t> shape, const StridedView<const void *> &source,
                 const StridedView<void *> &destination, int64_t width) {
  auto *from = static_cast<const char *>(source.data) + source.offset * width;
  auto *to = static_cast<char *>(destination.data) + destination.offset * width;
  if (shape.empty()) {
    std::memcpy(to, from, width);
    return;
  }
  int64_t n = shape.back(), sourceStep = source.strides.back(), destinationStep = destination.strides.back();
  auto copyLast = [&](const char *row, char *target) {
    if (sourceStep == 1 && destinationStep == 1) {
      std::memcpy(target, row, n * width);
      return;
    }
    switch (width) {
    case 1:
      return copyRow<1>(row, sourceStep, target, destinationStep, n);
    case 2:
      return copyRow<2>(row, sourceStep, target, destinationStep, n);
    case 4:
      return copyRow<4>(row, sourceStep, target, destinationStep, n);
    case 8:
      return copyRow<8>(row, sourceStep, target, destinationStep, n);
    default:
      return copyRow<16>(row, sourceStep, target, destinationStep, n);
    }
  };
  if (n == 0) return;
  forEachIndex(shape.drop_back(), [&](llvm::ArrayRef<int64_t> index) {
    int64_t row = 0, target = 0;
    for (auto [dim, i] : llvm::enumerate(index)) {
      row += i * source.strides[dim];
      target += i * destination.strides[dim];
    }
    copyLast(from + row * width, to + target * width);
  });
}

} // namespace jx
