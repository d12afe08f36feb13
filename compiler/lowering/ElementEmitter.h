// Emits the code of array elements: the value of any elemental op (elementwise ops, rearrangements, slices,
// gathers, constants) at a position, from the operands' elements, down to buffers. Fused expressions are
// evaluated as one: each element of each value once in a scope. In vector mode the position's lane index
// makes an element stand for kLanes neighbours; what does not depend on the lane stays scalar.
#pragma once

#include "compiler/dialect/JxDialect.h"
#include "compiler/lowering/ElementIndex.h"

namespace jx {

/// The machine scalars of an element (ScalarEmitter.h), or vectors of them.
struct Element {
  llvm::SmallVector<mlir::Value, 2> scalars;
  bool isVector = false;
};

class ElementEmitter {
public:
  /// `module` receives the data of constants.
  ElementEmitter(mlir::OpBuilder &b, mlir::Location loc, mlir::ModuleOp module)
      : b(b), loc(loc), index(b, loc), module(module) {}

  // --- Values that are computed already
  /// The value lies in memory from `pointer` on. With a prefix, the memory holds only the part at that
  /// leading position.
  void bindBuffer(mlir::Value value, mlir::Value pointer, Position prefix = {});
  /// The value's element at `position` is known, until the scope ends.
  void bindElement(mlir::Value value, const Position &position, Element element);
  bool isBuffer(mlir::Value value) const { return buffers.contains(value); }
  mlir::Value bufferOf(mlir::Value value) const { return buffers.lookup(value).pointer; }

  // --- Elements
  Element read(mlir::Value value, const Position &position);
  /// Loads or stores at a linear index of memory.
  Element load(mlir::Type elementType, mlir::Value pointer, Index at);
  void store(mlir::Type elementType, mlir::Value pointer, Index at, const Element &element);
  /// The one machine scalar of an element, as a vector if `vector`.
  mlir::Value scalarOf(const Element &element, bool vector);
  mlir::Value broadcast(mlir::Value scalar);

  // --- Indices that the program computes
  /// An integer element as an index.
  Index integerIndex(mlir::Value value, const Position &position);
  /// `wanted`, of `value`'s integer type, clamped to [0, max].
  Index clamp(Index wanted, int64_t max, mlir::Value value);
  Index clampedStart(mlir::Value start, int64_t max) { return clamp(integerIndex(start, {}), max, start); }
  /// 0 <= index <= last
  mlir::Value inBounds(mlir::Value index, int64_t last);

  // --- Loops
  /// Emits `body`; if it lost a lane (IndexBuilder), erases what it emitted and returns false.
  bool attempt(llvm::function_ref<void()> body);
  /// Loops over `sizes`, outermost first, with `body` at each position. In vector mode the innermost loop
  /// goes by kLanes elements, masked where they do not divide. Returns false, with nothing emitted, if vector
  /// mode is impossible; scalar mode always succeeds, and lanes that its body loses count for the attempt
  /// around it.
  bool nest(llvm::ArrayRef<int64_t> sizes, bool vector, const Position &prefix,
            llvm::function_ref<void(const Position &)> body);
  /// The same, in whichever mode is best.
  void bestNest(llvm::ArrayRef<int64_t> sizes, bool vector, const Position &prefix,
                llvm::function_ref<void(const Position &)> body);
  /// One loop over i64 [begin, end) with iteration arguments; `body` returns their next values.
  using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)>;
  mlir::ValueRange loop(int64_t begin, int64_t end, int64_t step, mlir::ValueRange inits, LoopBody body);
  mlir::ValueRange loop(mlir::Value begin, mlir::Value end, mlir::Value step, mlir::ValueRange inits,
                        LoopBody body);
  /// Factor sizes of the loop nest that reads all `values` (of equally many elements) without divisions;
  /// those of the leading `prefixElements` are left out.
  llvm::SmallVector<int64_t, 4> nestSizes(llvm::ArrayRef<mlir::Value> values, int64_t prefixElements = 1);
  /// Whether the expressions vectorise well: no integer division, no calls of library functions.
  bool prefersVectors(llvm::ArrayRef<mlir::Value> values);

  void openScope();
  void closeScope();
  /// The first op that has no elemental form, if one was met.
  mlir::Operation *unsupported() const { return failure; }

  mlir::OpBuilder &b;
  mlir::Location loc;
  IndexBuilder index;
  /// Lanes that are inside the array, in the loop being emitted; null when all are.
  mlir::Value mask;
  /// Whether the iterations of nests are independent; scatters say no.
  bool independent = true;
  /// Marks the next loop: its iterations may run on several threads.
  bool markParallel = false;

  mlir::Type machineType(mlir::Type elementType, unsigned part = 0);

private:
  struct Buffer {
    mlir::Value pointer;
    Position prefix;
  };
  Element compute(mlir::Value value, const Position &position);
  Element readAffine(mlir::Operation *op, const Position &position);
  Element readConcatenate(ConcatenateOp op, const Position &position);
  Element readPad(PadOp op, const Position &position);
  Element readGather(GatherOp op, const Position &position);
  Element readIota(IotaOp op, const Position &position);
  Element readKeys(mlir::Operation *op, const Position &position);
  Element readConstant(ConstantOp op, const Position &position);
  Element fillElement(GatherOp op);
  mlir::Value constantData(ConstantOp op);
  Element select(mlir::Value condition, const Element &yes, const Element &no);
  Element conditional(mlir::Value condition, mlir::Type elementType, llvm::function_ref<Element()> yes,
                      llvm::function_ref<Element()> no);
  mlir::Value constantIndex(int64_t value) { return index.base(Index::of(value)); }
  void collectSplits(mlir::Value value, llvm::SmallVectorImpl<int64_t> &splits,
                     llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t, 4>> &known);

  mlir::ModuleOp module;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  std::map<MemoKey, Element> memo;
  std::vector<MemoKey> log;
  std::vector<size_t> marks;
  mlir::Operation *failure = nullptr;
};

} // namespace jx
