// Updates of arrays (dynamic_update_slice, scatter): the operand is copied unless its buffer is taken over,
// then the updates are written. Scatter applies them one after another, in row-major order of the update
// indices.
#include "compiler/lowering/KernelBody.h"
#include "compiler/lowering/ReductionEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace jx {

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The destination of `result`, holding the elements of `operand`.
static Value copyUnlessShared(KernelBody &body, Value result, Value operand) {
  Value destination = body.destination(result);
  auto argument = dyn_cast<BlockArgument>(operand);
  for (auto [number, yielded] : llvm::enumerate(body.kernel.getYield()->getOperands()))
    if (yielded == result && argument &&
        body.kernel.inPlaceOperand(static_cast<unsigned>(number)) ==
            static_cast<int64_t>(argument.getArgNumber()))
      return destination;
  body.writeTogether({operand}, {destination});
  return destination;
}

void emitUpdateSlice(KernelBody &body, DynamicUpdateSliceOp op) {
  ElementEmitter &e = body.e;
  Value destination = copyUnlessShared(body, op.getResult(), op.getOperand());
  ArrayRef<int64_t> whole = typeOf(op.getOperand()).getShape(), part = typeOf(op.getUpdate()).getShape();
  if (typeOf(op.getUpdate()).getNumElements() > 0) {
    SmallVector<Index, 4> starts;
    for (auto [start, size, updated] : llvm::zip_equal(op.getStarts(), whole, part))
      starts.push_back(size == updated ? Index::of(0) : e.clampedStart(start, size - updated));
    // Dimensions inside the outermost one that is cut are written as one run.
    SmallVector<int64_t, 4> sizes, wholeSizes;
    SmallVector<Index, 4> begins;
    for (auto [size, updated, start] : llvm::zip_equal(whole, part, starts)) {
      if (!sizes.empty() && size == updated) {
        sizes.back() *= updated;
        wholeSizes.back() *= size;
        begins.back() = e.index.mul(begins.back(), size);
      } else {
        sizes.push_back(updated);
        wholeSizes.push_back(size);
        begins.push_back(start);
      }
    }
    Type element = typeOf(op.getOperand()).getElementType();
    e.bestNest(sizes, e.prefersVectors({op.getUpdate()}), {}, [&](const Position &position) {
      Element value = e.read(op.getUpdate(), position);
      SmallVector<Index, 4> at = e.index.split(position, sizes);
      for (auto [index, begin] : llvm::zip_equal(at, begins)) index = e.index.add(index, begin);
      e.store(element, destination, e.index.linear(positionOf(wholeSizes, at)), value);
    });
  }
  body.written(op.getResult(), destination);
}

// --- scatter

namespace {
class ScatterEmitter {
public:
  ScatterEmitter(KernelBody &body, ScatterOp op);
  /// Applies the updates to `destination`, which holds the operand.
  void emit(Value destination);

private:
  /// What indexes a dimension of the operand: a window dimension of the updates, a component of the index
  /// vector, a batching dimension.
  struct Dim {
    int64_t size, slice = 1;
    int window = -1, component = -1, batch = -1;
  };
  bool isWindow(int64_t dim) { return llvm::is_contained(op.getUpdateWindowDims(), dim); }
  SmallVector<Index, 4> startsOf(ArrayRef<Index> batch, Value &inside);
  void applyWindow(ArrayRef<Index> batch, ArrayRef<Index> starts);
  void applyElement(Index at, Element update);

  ElementEmitter &e;
  ScatterOp op;
  ArrayRef<int64_t> operandShape, updateShape, indexShape;
  Type element;
  Combiner combiner;
  SmallVector<Dim, 4> dims;
  SmallVector<int64_t, 4> batchSizes, windowSizes;
  Value destination;
};

StringRef reductionOf(StringRef combiner) {
  return combiner == "mul" ? "prod" : combiner == "add" ? "sum" : combiner;
}
} // namespace

ScatterEmitter::ScatterEmitter(KernelBody &body, ScatterOp op)
    : e(body.e), op(op), operandShape(typeOf(op.getOperand()).getShape()),
      updateShape(typeOf(op.getUpdates()).getShape()), indexShape(typeOf(op.getIndices()).getShape()),
      element(typeOf(op.getOperand()).getElementType()),
      combiner(body.e, reductionOf(op.getCombiner()), element), batchSizes(indexShape.drop_back()) {
  size_t nextWindow = 0;
  for (auto [number, size] : llvm::enumerate(operandShape)) {
    auto dimension = static_cast<int64_t>(number);
    Dim dim{size};
    auto batching = llvm::find(op.getOperandBatchingDims(), dimension);
    if (batching != op.getOperandBatchingDims().end())
      dim.batch = static_cast<int>(op.getScatterIndicesBatchingDims()[static_cast<size_t>(
          batching - op.getOperandBatchingDims().begin())]);
    else if (!llvm::is_contained(op.getInsertedWindowDims(), dimension)) {
      dim.window = static_cast<int>(nextWindow);
      dim.slice = updateShape[static_cast<size_t>(op.getUpdateWindowDims()[nextWindow++])];
    }
    auto component = llvm::find(op.getScatterDimsToOperandDims(), dimension);
    if (component != op.getScatterDimsToOperandDims().end())
      dim.component = static_cast<int>(component - op.getScatterDimsToOperandDims().begin());
    dims.push_back(dim);
  }
  for (auto [dim, size] : llvm::enumerate(updateShape))
    if (isWindow(static_cast<int64_t>(dim))) windowSizes.push_back(size);
}

/// Where the window of the update at `batch` starts in the operand. In mode "drop", `inside` says whether it
/// lies in the operand; in the others it is moved there.
SmallVector<Index, 4> ScatterEmitter::startsOf(ArrayRef<Index> batch, Value &inside) {
  SmallVector<Index, 4> starts;
  for (const Dim &dim : dims) {
    Index start = dim.batch >= 0 ? batch[static_cast<size_t>(dim.batch)] : Index::of(0);
    if (dim.component >= 0) {
      SmallVector<Index, 4> at(batch);
      at.push_back(Index::of(dim.component));
      Index wanted = e.integerIndex(op.getIndices(), positionOf(indexShape, at));
      if (op.getMode() == "drop") {
        Value valid = e.inBounds(e.index.base(wanted), dim.size - dim.slice);
        inside = inside ? arith::AndIOp::create(e.b, e.loc, inside, valid).getResult() : valid;
        start = wanted;
      } else {
        start = e.clamp(wanted, dim.size - dim.slice, op.getIndices());
      }
    }
    starts.push_back(start);
  }
  return starts;
}

void ScatterEmitter::applyWindow(ArrayRef<Index> batch, ArrayRef<Index> starts) {
  bool vector = e.prefersVectors({op.getUpdates()});
  e.bestNest(windowSizes, vector, {}, [&](const Position &windowPosition) {
    SmallVector<Index, 4> window = e.index.split(windowPosition, windowSizes);
    SmallVector<Index, 4> updateAt, operandAt;
    size_t nextBatch = 0, nextWindow = 0;
    for (size_t dim = 0; dim < updateShape.size(); ++dim)
      updateAt.push_back(isWindow(static_cast<int64_t>(dim)) ? window[nextWindow++] : batch[nextBatch++]);
    for (auto [dim, start] : llvm::zip_equal(dims, starts))
      operandAt.push_back(dim.window >= 0 ? e.index.add(window[static_cast<size_t>(dim.window)], start)
                                          : start);
    Element update = e.read(op.getUpdates(), positionOf(updateShape, updateAt));
    applyElement(e.index.linear(positionOf(operandShape, operandAt)), update);
  });
}

void ScatterEmitter::applyElement(Index at, Element update) {
  if (op.getCombiner() != "set") {
    Element old = combiner.widen(e.load(element, destination, at));
    Element fresh = combiner.widen(update);
    if (old.isVector) fresh = combiner.asVector(fresh);
    update = combiner.narrow(op.getCombiner() == "sub" ? combiner.subtract(old, fresh)
                                                       : combiner.combine(old, fresh));
  }
  e.store(element, destination, at, update);
}

void ScatterEmitter::emit(Value target) {
  destination = target;
  if (typeOf(op.getUpdates()).getNumElements() == 0) return;
  e.independent = false;
  e.nest(batchSizes, false, {}, [&](const Position &batchPosition) {
    SmallVector<Index, 4> batch = e.index.split(batchPosition, batchSizes);
    Value inside;
    SmallVector<Index, 4> starts = startsOf(batch, inside);
    if (!inside) {
      applyWindow(batch, starts);
      return;
    }
    auto ifOp = scf::IfOp::create(e.b, e.loc, inside, /*withElse=*/false);
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(&ifOp.getThenRegion().front());
    e.openScope();
    applyWindow(batch, starts);
    e.closeScope();
  });
  e.independent = true;
}

void emitScatter(KernelBody &body, ScatterOp op) {
  Value destination = copyUnlessShared(body, op.getResult(), op.getOperand());
  ScatterEmitter(body, op).emit(destination);
  body.written(op.getResult(), destination);
}

} // namespace jx
