#include "compiler/transforms/Accumulators.h"
#include "compiler/ops/cond/Impersonation.h"

using namespace mlir;

namespace jx {

/// Stacks of equal length are added element by element.
static Value addStacks(RuleBuilder &b, Value x, Value y) {
  auto element = cast<StackType>(x.getType()).getElementType();
  Value length = b.make<StackLengthOp>(x);
  auto block = std::make_unique<Block>();
  block->addArgument(length.getType(), b.getLoc());
  Value left = block->addArgument(element, b.getLoc()), right = block->addArgument(element, b.getLoc());
  RuleBuilder body = builderAtEnd(block.get(), b.getLoc());
  body.make<YieldOp>(ValueRange{body.add(left, right)});
  auto loop = b.make<ForOp>(TypeRange{x.getType()}, length, ValueRange{}, ValueRange{x, y}, IntegerAttr(),
                            b.getBoolAttr(false));
  loop.getBody().push_back(block.release());
  return loop.getResult(0);
}

void CotangentSum::add(Value cotangent) {
  assert(cotangent.getType() == type && "a cotangent has the type of its value");
  Value sum = get();
  if (!sum)
    total = cotangent;
  else
    total = isa<StackType>(type) ? addStacks(*builder, sum, cotangent) : builder->add(sum, cotangent);
}

void CotangentSum::addSlice(Value cotangent, ValueRange starts) {
  if (cotangent.getType() == type) return add(cotangent);
  Value sum = get();
  if (!sum) {
    total = builder->dynamicUpdateSlice(zeros(), cotangent, starts);
    return;
  }
  Value before = builder->dynamicSlice(sum, starts, shapeOf(cotangent));
  total = builder->dynamicUpdateSlice(sum, builder->add(before, cotangent), starts);
}

void CotangentSum::addStrided(Value cotangent, ArrayRef<int64_t> starts, ArrayRef<int64_t> strides) {
  if (cotangent.getType() == type) return add(cotangent);
  Piece piece{cotangent, SmallVector<int64_t>(starts), SmallVector<int64_t>(strides)};
  if (!total) {
    pieces.push_back(std::move(piece));
    return;
  }
  if (llvm::any_of(strides, [](int64_t stride) { return stride != 1; })) return add(padded(piece));
  SmallVector<Value> indices;
  for (int64_t start : starts) indices.push_back(builder->index(start));
  addSlice(cotangent, indices);
}

void CotangentSum::addScatter(llvm::function_ref<Value(Value)> scatter) {
  Value sum = get();
  total = scatter(sum ? sum : zeros());
}

Value CotangentSum::get() {
  if (!pieces.empty()) {
    Value joined = joinPieces();
    pieces.clear();
    total = joined;
  }
  return total;
}

/// The piece among zeros.
Value CotangentSum::padded(const Piece &piece) {
  SmallVector<int64_t> high, interior;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
  for (auto [axis, size] : llvm::enumerate(shapeOf(piece.value))) {
    interior.push_back(piece.strides[axis] - 1);
    int64_t covered = size == 0 ? 0 : (size - 1) * piece.strides[axis] + 1;
    high.push_back(shape[axis] - piece.starts[axis] - covered);
  }
  return builder->pad(piece.value, 0.0, piece.starts, high, interior);
}

/// One concatenation, if the pieces are whole but along one axis, where they do not overlap; else null.
Value CotangentSum::concatenatePieces() {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
  int64_t axis = -1;
  for (const Piece &piece : pieces)
    for (int64_t d = 0; d < int64_t(shape.size()); ++d) {
      if (piece.strides[d] != 1 && shapeOf(piece.value)[d] > 1) return {};
      if (shapeOf(piece.value)[d] == shape[d]) continue;
      if (axis >= 0 && axis != d) return {};
      axis = d;
    }
  if (axis < 0) return {};
  llvm::sort(pieces, [&](const Piece &x, const Piece &y) { return x.starts[axis] < y.starts[axis]; });
  SmallVector<Value> parts;
  int64_t position = 0;
  auto fill = [&](int64_t end) {
    if (position == end) return;
    SmallVector<int64_t> gap(shape);
    gap[axis] = end - position;
    parts.push_back(
        builder->zeros(RankedTensorType::get(gap, cast<RankedTensorType>(type).getElementType())));
  };
  for (const Piece &piece : pieces) {
    if (piece.starts[axis] < position) return {};
    fill(piece.starts[axis]);
    parts.push_back(piece.value);
    position = piece.starts[axis] + shapeOf(piece.value)[axis];
  }
  fill(shape[axis]);
  return builder->concatenate(parts, axis);
}

Value CotangentSum::joinPieces() {
  if (pieces.size() == 1) return padded(pieces.front());
  if (Value joined = concatenatePieces()) return joined;
  SmallVector<Piece> waiting = std::move(pieces);
  pieces.clear();
  total = padded(waiting.front());
  for (const Piece &piece : llvm::drop_begin(waiting)) addStrided(piece.value, piece.starts, piece.strides);
  return total;
}

} // namespace jx
