// Kernels of rows: softmax, layer normalisation, losses. One loop over the rows; in it, each reduction is a
// pass over the row and the outputs are the last one. What several passes read and is dear to compute is kept
// in a row buffer; what is one number a row stays in a register.
#include "compiler/lowering/ClusterCost.h"
#include "compiler/lowering/KernelBody.h"
#include "compiler/lowering/ReductionEmitter.h"
#include "compiler/lowering/ScalarEmitter.h"

using namespace mlir;

namespace jx {
namespace {

int64_t elementsOf(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }
Type elementTypeIn(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

class Rows {
public:
  Rows(KernelBody &body, RowReduction shape) : body(body), e(body.e), shape(shape) {}
  void emit();

private:
  /// Values along the row that a pass over `roots` computes, kept ones included, but nothing behind those.
  llvm::DenseSet<Value> reached(ArrayRef<Value> roots);
  /// Values that are read behind an op that rearranges elements, and so at positions of other rows.
  llvm::DenseSet<Value> rearranged();
  void chooseKept();
  void keep(ArrayRef<Value> roots, const Position &row);
  void write(const Position &row);

  KernelBody &body;
  ElementEmitter &e;
  RowReduction shape;
  SmallVector<SmallVector<Value>> passes;
  llvm::DenseSet<Value> kept, stored;
};

llvm::DenseSet<Value> Rows::reached(ArrayRef<Value> roots) {
  llvm::DenseSet<Value> seen;
  SmallVector<Value> work(roots.begin(), roots.end());
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || isa<ReduceOp>(op) || !seen.insert(value).second || stored.contains(value)) continue;
    if (kept.contains(value) && !llvm::is_contained(roots, value)) continue;
    work.append(op->operand_begin(), op->operand_end());
  }
  return seen;
}

llvm::DenseSet<Value> Rows::rearranged() {
  SmallVector<Value> behind;
  for (Operation &op : body.kernel.getBlock()->without_terminator())
    if (!hasScalarEmitter(&op) && !isa<ReshapeOp, ReduceOp>(op))
      behind.append(op.operand_begin(), op.operand_end());
  return reached(behind);
}

void Rows::chooseKept() {
  llvm::DenseSet<Value> elsewhere = rearranged();
  for (Operation &op : llvm::reverse(body.kernel.getBlock()->without_terminator())) {
    if (isCheap(&op) || isa<ReduceOp>(op)) continue;
    for (Value value : op.getResults()) {
      if (elementsOf(value) != shape.rows * shape.size || elsewhere.contains(value)) continue;
      int64_t readers =
          llvm::count_if(passes, [&](const auto &roots) { return reached(roots).contains(value); });
      for (Value other : kept) readers += reached({other}).contains(value);
      if (readers > 1) kept.insert(value);
    }
  }
}

/// Stores the kept values that a pass over `roots` reads for the first time.
void Rows::keep(ArrayRef<Value> roots, const Position &row) {
  llvm::DenseSet<Value> needed = reached(roots);
  // Kept values may read one another.
  for (bool grown = true; grown;) {
    grown = false;
    for (Value value : kept)
      if (needed.contains(value) && !stored.contains(value))
        for (Value below : reached({value})) grown |= needed.insert(below).second;
  }
  for (Operation &op : body.kernel.getBlock()->without_terminator())
    for (Value value : op.getResults()) {
      if (!kept.contains(value) || !needed.contains(value) || stored.contains(value)) continue;
      Type element = elementTypeIn(value);
      Value buffer = body.scratch(shape.size * elementBytes(element));
      e.bestNest(e.nestSizes({value}, shape.rows), e.prefersVectors({value}), row, [&](const Position &at) {
        ArrayRef<Factor> inside = ArrayRef<Factor>(at).drop_front(row.size());
        Element x = e.read(value, at);
        e.store(element, buffer, e.index.linear(inside), x);
      });
      e.bindBuffer(value, buffer, row);
      stored.insert(value);
    }
}

/// The last pass: all outputs of whole rows; then those of one element a row.
void Rows::write(const Position &row) {
  SmallVector<Value> values, pointers;
  for (auto [result, value] : llvm::enumerate(body.kernel.getYield()->getOperands()))
    if (elementsOf(value) == shape.rows * shape.size) {
      values.push_back(value);
      pointers.push_back(body.getOutput(static_cast<unsigned>(result)));
    }
  if (!values.empty()) {
    keep(values, row);
    e.bestNest(e.nestSizes(values, shape.rows), e.prefersVectors(values), row, [&](const Position &at) {
      SmallVector<Element> elements;
      for (Value value : values) elements.push_back(e.read(value, at));
      Index to = e.index.linear(at);
      for (auto [value, pointer, element] : llvm::zip_equal(values, pointers, elements))
        e.store(elementTypeIn(value), pointer, to, element);
    });
  }
  for (auto [result, value] : llvm::enumerate(body.kernel.getYield()->getOperands()))
    if (elementsOf(value) != shape.rows * shape.size)
      e.store(elementTypeIn(value), body.getOutput(static_cast<unsigned>(result)), e.index.linear(row),
              e.read(value, row));
}

void Rows::emit() {
  SmallVector<Value> last;
  for (Operation &op : body.kernel.getBlock()->without_terminator())
    if (auto reduce = dyn_cast<ReduceOp>(op)) passes.push_back({reduce.getOperand()});
  for (Value value : body.kernel.getYield()->getOperands())
    if (elementsOf(value) == shape.rows * shape.size) last.push_back(value);
  if (!last.empty()) passes.push_back(last);
  chooseKept();
  e.nest({shape.rows}, false, {}, [&](const Position &row) {
    for (Operation &op : body.kernel.getBlock()->without_terminator()) {
      auto reduce = dyn_cast<ReduceOp>(op);
      if (!reduce) continue;
      Value operand = reduce.getOperand();
      keep({operand}, row);
      Combiner combiner(e, reduce.getKind(), elementTypeIn(operand));
      auto accumulate = [&](Index at, const Element &sum) {
        Position position = row;
        position.push_back({shape.size, at});
        Element x = combiner.widen(e.read(operand, position));
        return combiner.combine(sum, sum.isVector ? combiner.asVector(x) : x);
      };
      Element total = foldRow(e, combiner, accumulate, shape.size, e.prefersVectors({operand}),
                              [&](int64_t bytes) { return body.scratch(bytes); });
      e.bindElement(reduce.getResult(), row, combiner.narrow(total));
    }
    write(row);
  });
  body.allWritten();
}

} // namespace

/// Whether an op that reads results of the rows' reductions needs those of the same row only: elementwise
/// ops, repetition along the row, reshapes that keep rows together.
static bool staysInRow(Operation *op, const RowReduction &shape) {
  if (hasScalarEmitter(op) || isCompound(op) || op->hasTrait<OpTrait::IsTerminator>()) return true;
  if (isa<ReshapeOp>(op)) return true;
  auto broadcast = dyn_cast<BroadcastInDimOp>(op);
  if (!broadcast) return false;
  for (auto [position, dim] : llvm::enumerate(broadcast.getDims()))
    if (dim != int64_t(position)) return false;
  int64_t elements = elementsOf(broadcast.getOperand());
  return elements == shape.rows || elements == shape.rows * shape.size;
}

bool emitRows(KernelBody &body) {
  std::optional<RowReduction> shape;
  bool onlyReduction = true;
  for (Operation &op : body.kernel.getBlock()->without_terminator()) {
    if (!isCompound(&op)) continue;
    std::optional<RowReduction> own = rowReduction(&op);
    if (!own || own->size < 2 || own->rows == 0 ||
        (shape && (shape->rows != own->rows || shape->size != own->size)))
      return false;
    shape = own;
    onlyReduction &=
        body.kernel.getNumResults() == 1 && body.kernel.getYield()->getOperand(0) == op.getResult(0);
  }
  if (!shape || onlyReduction) return false;
  llvm::DenseSet<Operation *> dependents;
  for (Operation &op : *body.kernel.getBlock()) {
    bool depends = isCompound(&op) || llvm::any_of(op.getOperands(), [&](Value operand) {
                     return dependents.contains(operand.getDefiningOp());
                   });
    if (!depends) continue;
    if (!staysInRow(&op, *shape)) return false;
    dependents.insert(&op);
  }
  for (Value value : body.kernel.getYield()->getOperands())
    if (elementsOf(value) != shape->rows && elementsOf(value) != shape->rows * shape->size) return false;
  Rows(body, *shape).emit();
  return true;
}

} // namespace jx
