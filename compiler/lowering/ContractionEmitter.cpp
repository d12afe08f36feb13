// Contractions: a register-blocked micro-kernel in the loops that feed it. Every output is one chain of fused
// multiply-adds, k ascending, held in registers from the first k to the last; two vectors go in the order of
// a reduction.
//
// Any dot_general is first brought to outer loops around C[m, n] += A[m, k] * B[k, n] with static strides.
// Tiles at the end overlap the ones before them instead of being smaller: they compute the same bits again,
// and one micro-kernel body serves all of C. B goes through a packed panel of one tile's columns where its
// rows lie far apart or transposed.
#include "compiler/lowering/ContractionTile.h"
#include "compiler/lowering/KernelBody.h"
#include "compiler/lowering/Lanes.h"
#include "compiler/lowering/ReductionEmitter.h"
#include "compiler/lowering/ScalarEmitter.h"
#include "compiler/ops/dot/DotShape.h"
#include "compiler/ops/support/StridedCopy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace jx {
namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// One dimension of the loop nest: its size and how far each array moves with it, in elements.
struct Axis {
  int64_t size;
  int64_t a = 0, b = 0, c = 0;
};
using Axes = SmallVector<Axis, 4>;

/// An operand in memory, with the strides of its dimensions.
struct Operand {
  Value pointer;
  SmallVector<int64_t> strides;
};

/// Transposes and broadcasts of what lies in memory are strides; anything else is evaluated into memory.
Operand resolve(KernelBody &body, Value value) {
  Operation *op = value.getDefiningOp();
  if (op && !body.e.isBuffer(value)) {
    if (auto transpose = dyn_cast<TransposeOp>(op)) {
      Operand inner = resolve(body, transpose.getOperand());
      Operand result{inner.pointer, {}};
      for (int64_t dim : transpose.getPermutation())
        result.strides.push_back(inner.strides[static_cast<size_t>(dim)]);
      return result;
    }
    if (auto broadcast = dyn_cast<BroadcastInDimOp>(op)) {
      Operand inner = resolve(body, broadcast.getOperand());
      Operand result{inner.pointer, SmallVector<int64_t>(static_cast<size_t>(typeOf(value).getRank()), 0)};
      for (auto [dim, target] : llvm::enumerate(broadcast.getDims()))
        if (typeOf(broadcast.getOperand()).getDimSize(static_cast<unsigned>(dim)) != 1)
          result.strides[static_cast<size_t>(target)] = inner.strides[dim];
      return result;
    }
    if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      Operand inner = resolve(body, reshape.getOperand());
      if (inner.strides == rowMajorStrides(typeOf(reshape.getOperand()).getShape()))
        return {inner.pointer, rowMajorStrides(typeOf(value).getShape())};
    }
  }
  return {body.materialise(value), rowMajorStrides(typeOf(value).getShape())};
}

/// Drops axes of size 1, joins neighbours that all arrays run through together.
void join(Axes &axes) {
  Axes joined;
  for (const Axis &axis : axes) {
    if (axis.size == 1) continue;
    if (!joined.empty() && joined.back().a == axis.a * axis.size && joined.back().b == axis.b * axis.size &&
        joined.back().c == axis.c * axis.size)
      joined.back() = {joined.back().size * axis.size, axis.a, axis.b, axis.c};
    else
      joined.push_back(axis);
  }
  axes = joined;
}

class Contraction {
public:
  Contraction(KernelBody &body, DotGeneralOp op) : body(body), e(body.e), b(body.b), loc(body.loc), op(op) {
    lhsType = typeOf(op.getLhs()).getElementType();
    rhsType = typeOf(op.getRhs()).getElementType();
    resultType = typeOf(op.getResult()).getElementType();
    wide = resultType.isF16() || resultType.isBF16() ? Type(b.getF32Type()) : resultType;
  }
  void emit();

private:
  void normalise();
  /// A contiguous copy of A (or B) in which the contracted dimensions are one.
  void joinContracted(bool left);
  Value copy(Value pointer, Type elementType, ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides);
  void emitZero();
  void emitVectors();
  void emitScalars();
  void emitTiles();
  void emitBlock(Index aAt, Index bAt, Index cAt);
  void emitPanel(Value panel, Index bAt, Index column);
  void emitTile(Value panel, Index aAt, Index bAt, Index cAt, Index row, Index column);
  void emitTransposedTile(Index aAt, Index bAt, Index cAt, Index row, Index column);
  void writeTile(ArrayRef<Value> sums, Index cAt, Index row, Index column);

  Element widen(const Element &x, Type from);
  Value multiplyAdd(Value x, Value y, Value sum);
  Element loadA(Index at) { return widen(e.load(lhsType, aPointer, at), lhsType); }
  Element loadB(Index at) { return widen(e.load(rhsType, bPointer, at), rhsType); }
  Value zero(bool vector);
  Index times(Value i, int64_t factor) { return e.index.mul({i, 0, false}, factor); }
  /// The lanes that a tile narrower than its vectors fills, for vector `v`; null when all.
  Value laneMask(int64_t v);
  void overOuter(size_t depth, Index aAt, Index bAt, Index cAt,
                 llvm::function_ref<void(Index, Index, Index)> body);
  void loopTiles(int64_t size, int64_t step, llvm::function_ref<void(Index)> body);
  SmallVector<Value> transposeBlock(ArrayRef<Value> rows);
  SmallVector<Value> loadRows(Index bAt, Index column, Value at);
  Index columnInside(Index column, int64_t j);
  Element complexMultiplyAdd(const Element &x, const Element &y, const Element &sum);

  KernelBody &body;
  ElementEmitter &e;
  OpBuilder &b;
  Location loc;
  DotGeneralOp op;
  Type lhsType, rhsType, resultType, wide;
  Value aPointer, bPointer, cPointer;
  Axes outer, rows, columns, contracted;
  Axis m{1}, n{1}, k{1};
  ContractionTile tile;
};

void Contraction::normalise() {
  DotShape shape(op);
  Operand lhs = resolve(body, op.getLhs()), rhs = resolve(body, op.getRhs());
  aPointer = lhs.pointer;
  bPointer = rhs.pointer;
  SmallVector<int64_t> out = rowMajorStrides(typeOf(op.getResult()).getShape());
  size_t dim = 0;
  auto stride = [](const Operand &operand, int64_t d) { return operand.strides[static_cast<size_t>(d)]; };
  for (auto [size, l, r] : llvm::zip_equal(shape.batchSizes, op.getLhsBatch(), op.getRhsBatch()))
    outer.push_back({size, stride(lhs, l), stride(rhs, r), out[dim++]});
  for (auto [size, l] : llvm::zip_equal(shape.lhsFreeSizes, shape.lhsFree))
    rows.push_back({size, stride(lhs, l), 0, out[dim++]});
  for (auto [size, r] : llvm::zip_equal(shape.rhsFreeSizes, shape.rhsFree))
    columns.push_back({size, 0, stride(rhs, r), out[dim++]});
  for (auto [size, l, r] :
       llvm::zip_equal(shape.contractingSizes, op.getLhsContracting(), op.getRhsContracting()))
    contracted.push_back({size, stride(lhs, l), stride(rhs, r), 0});
  for (Axes *axes : {&outer, &rows, &columns}) join(*axes);
  // Joining needs both operands' consent: where one of them refuses, its copy does not.
  Axes together = contracted;
  join(together);
  if (together.size() > 1) {
    joinContracted(true);
    join(contracted);
    if (contracted.size() > 1) {
      joinContracted(false);
      join(contracted);
    }
  } else {
    contracted = together;
  }
  if (!contracted.empty()) k = contracted.front();
}

Value Contraction::copy(Value pointer, Type elementType, ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  int64_t elements = 1;
  for (int64_t size : sizes) elements *= size;
  Value target = body.scratch(elements * elementBytes(elementType));
  e.bestNest(sizes, !strides.empty() && strides.back() == 1, {}, [&](const Position &position) {
    SmallVector<Index, 4> at = e.index.split(position, sizes);
    Index source = Index::of(0);
    for (auto [index, stride] : llvm::zip_equal(at, strides))
      source = e.index.add(source, e.index.mul(index, stride));
    e.store(elementType, target, e.index.linear(position), e.load(elementType, pointer, source));
  });
  return target;
}

void Contraction::joinContracted(bool left) {
  int64_t Axis::*stride = left ? &Axis::a : &Axis::b;
  SmallVector<int64_t, 4> sizes, strides;
  SmallVector<Axis *, 8> order;
  for (Axes *axes : {&outer, left ? &rows : &columns, &contracted})
    for (Axis &axis : *axes) {
      order.push_back(&axis);
      sizes.push_back(axis.size);
      strides.push_back(axis.*stride);
    }
  Value &pointer = left ? aPointer : bPointer;
  pointer = copy(pointer, left ? lhsType : rhsType, sizes, strides);
  for (auto [axis, fresh] : llvm::zip_equal(order, rowMajorStrides(sizes))) axis->*stride = fresh;
}

void Contraction::emit() {
  Value result = op.getResult();
  if (typeOf(result).getNumElements() > 0) {
    normalise();
    cPointer = body.destination(result);
    DotShape shape(op);
    if (shape.k == 0)
      emitZero();
    else if (order::usesReductionOrder(shape.m, shape.n, shape.k))
      emitVectors();
    else if (numScalars(resultType) > 1)
      emitScalars();
    else
      emitTiles();
  } else {
    cPointer = body.destination(result);
  }
  body.written(result, cPointer);
}

Value Contraction::zero(bool vector) {
  Type type = e.machineType(wide);
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(liftTo(type, vector)));
}

Element Contraction::widen(const Element &x, Type from) {
  if (from == wide) return x;
  Element result;
  result.isVector = x.isVector;
  SmallVector<Type, 2> types;
  appendScalarTypes(wide, types);
  auto lift = [&](Type type) { return liftTo(type, x.isVector); };
  for (auto [part, type] : llvm::enumerate(types)) {
    if (part >= x.scalars.size()) {
      result.scalars.push_back(arith::ConstantOp::create(b, loc, b.getZeroAttr(lift(type))));
      continue;
    }
    Value scalar = x.scalars[part];
    Type own = getElementTypeOrSelf(scalar.getType());
    Type target = lift(type);
    auto integer = dyn_cast<IntegerType>(from);
    bool isUnsigned = integer && (integer.isUnsigned() || integer.getWidth() == 1);
    if (own == type)
      result.scalars.push_back(scalar);
    else if (isa<FloatType>(own))
      result.scalars.push_back(own.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth()
                                   ? arith::ExtFOp::create(b, loc, target, scalar).getResult()
                                   : arith::TruncFOp::create(b, loc, target, scalar).getResult());
    else if (isa<FloatType>(type))
      result.scalars.push_back(isUnsigned ? arith::UIToFPOp::create(b, loc, target, scalar).getResult()
                                          : arith::SIToFPOp::create(b, loc, target, scalar).getResult());
    else if (own.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
      result.scalars.push_back(arith::TruncIOp::create(b, loc, target, scalar));
    else
      result.scalars.push_back(isUnsigned ? arith::ExtUIOp::create(b, loc, target, scalar).getResult()
                                          : arith::ExtSIOp::create(b, loc, target, scalar).getResult());
  }
  return result;
}

Value Contraction::multiplyAdd(Value x, Value y, Value sum) {
  Type type = getElementTypeOrSelf(x.getType());
  if (isa<FloatType>(type)) return LLVM::FMAOp::create(b, loc, x.getType(), x, y, sum);
  if (type.isInteger(1)) return arith::OrIOp::create(b, loc, sum, arith::AndIOp::create(b, loc, x, y));
  return arith::AddIOp::create(b, loc, sum, arith::MulIOp::create(b, loc, x, y));
}

void Contraction::emitZero() {
  int64_t elements = typeOf(op.getResult()).getNumElements();
  Element none;
  for (unsigned part = 0; part < numScalars(resultType); ++part)
    none.scalars.push_back(arith::ConstantOp::create(b, loc, b.getZeroAttr(e.machineType(resultType, part))));
  e.nest({elements}, false, {},
         [&](const Position &at) { e.store(resultType, cPointer, e.index.linear(at), none); });
}

void Contraction::overOuter(size_t depth, Index aAt, Index bAt, Index cAt,
                            llvm::function_ref<void(Index, Index, Index)> inside) {
  if (depth == outer.size()) {
    inside(aAt, bAt, cAt);
    return;
  }
  const Axis &axis = outer[depth];
  e.markParallel = true;
  e.loop(0, axis.size, 1, {}, [&](Value i, ValueRange) {
    overOuter(depth + 1, e.index.add(aAt, times(i, axis.a)), e.index.add(bAt, times(i, axis.b)),
              e.index.add(cAt, times(i, axis.c)), inside);
    return SmallVector<Value>{};
  });
}

/// Two vectors: the lanes of the reduction order, each a chain of multiply-adds.
void Contraction::emitVectors() {
  overOuter(0, Index::of(0), Index::of(0), Index::of(0), [&](Index aAt, Index bAt, Index cAt) {
    auto accumulate = [&](Index at, const Element &sum) {
      Element x = loadA(e.index.add(aAt, e.index.mul(at, k.a))),
              y = loadB(e.index.add(bAt, e.index.mul(at, k.b)));
      if (sum.scalars.size() == 2) return complexMultiplyAdd(x, y, sum);
      return Element{{multiplyAdd(x.scalars[0], y.scalars[0], sum.scalars[0])}, sum.isVector};
    };
    bool vector = k.a == 1 && k.b == 1 && numScalars(resultType) == 1;
    Combiner combiner(e, wide.isInteger(1) ? "or" : "sum", resultType);
    Element sum =
        foldRow(e, combiner, accumulate, k.size, vector, [&](int64_t bytes) { return body.scratch(bytes); });
    e.store(resultType, cPointer, cAt, combiner.narrow(sum));
  });
}

Element Contraction::complexMultiplyAdd(const Element &x, const Element &y, const Element &sum) {
  Value xr = x.scalars[0], xi = x.scalars[1], yr = y.scalars[0], yi = y.scalars[1];
  Value minus = arith::NegFOp::create(b, loc, xi);
  Value real = multiplyAdd(minus, yi, multiplyAdd(xr, yr, sum.scalars[0]));
  Value imaginary = multiplyAdd(xi, yr, multiplyAdd(xr, yi, sum.scalars[1]));
  return Element{{real, imaginary}, sum.isVector};
}

/// Complex numbers: plain loops, one chain an output.
void Contraction::emitScalars() {
  outer.append(rows);
  outer.append(columns);
  overOuter(0, Index::of(0), Index::of(0), Index::of(0), [&](Index aAt, Index bAt, Index cAt) {
    SmallVector<Value> start;
    for (unsigned part = 0; part < numScalars(wide); ++part)
      start.push_back(arith::ConstantOp::create(b, loc, b.getZeroAttr(e.machineType(wide, part))));
    ValueRange sum = e.loop(0, k.size, 1, start, [&](Value i, ValueRange sums) {
      Element x = loadA(e.index.add(aAt, times(i, k.a))), y = loadB(e.index.add(bAt, times(i, k.b)));
      Element next = complexMultiplyAdd(x, y, Element{SmallVector<Value, 2>(sums), false});
      return SmallVector<Value>(next.scalars.begin(), next.scalars.end());
    });
    e.store(resultType, cPointer, cAt, Element{SmallVector<Value, 2>(sum), false});
  });
}

// --- Tiles

void Contraction::emitTiles() {
  // The lanes run over the innermost dimension of the result: over rows where there are no columns.
  if (columns.empty()) {
    std::swap(rows, columns);
    std::swap(aPointer, bPointer);
    std::swap(lhsType, rhsType);
    for (Axes *axes : {&outer, &rows, &columns})
      for (Axis &axis : *axes) std::swap(axis.a, axis.b);
    std::swap(k.a, k.b);
  }
  n = columns.pop_back_val();
  if (!rows.empty()) m = rows.pop_back_val();
  outer.append(rows);
  outer.append(columns);
  if (n.b != 1 && k.b != 1) {
    // Neither way through B is contiguous: copy it with its columns innermost.
    SmallVector<int64_t, 4> sizes, strides;
    SmallVector<Axis *, 8> order;
    for (Axis &axis : outer)
      if (axis.b != 0) order.push_back(&axis);
    order.push_back(&k);
    order.push_back(&n);
    for (Axis *axis : order) {
      sizes.push_back(axis->size);
      strides.push_back(axis->b);
    }
    bPointer = copy(bPointer, rhsType, sizes, strides);
    for (auto [axis, fresh] : llvm::zip_equal(order, rowMajorStrides(sizes))) axis->b = fresh;
  }
  tile = chooseContractionTile(m.size, n.size, elementBytes(wide));
  overOuter(0, Index::of(0), Index::of(0), Index::of(0),
            [&](Index aAt, Index bAt, Index cAt) { emitBlock(aAt, bAt, cAt); });
}

void Contraction::loopTiles(int64_t size, int64_t step, llvm::function_ref<void(Index)> inside) {
  if (size <= step) {
    inside(Index::of(0));
    return;
  }
  e.markParallel = true;
  e.loop(0, size, step, {}, [&](Value at, ValueRange) {
    Index begin{at, 0, false};
    // The last tile is moved back so that it ends where the array ends.
    if (size % step != 0)
      begin.value = arith::MinSIOp::create(b, loc, at, e.index.base(Index::of(size - step)));
    inside(begin);
    return SmallVector<Value>{};
  });
}

void Contraction::emitBlock(Index aAt, Index bAt, Index cAt) {
  int64_t tileColumns = tile.vectors * kLanes;
  if (n.b != 1 && m.size <= tile.rows) {
    tile.vectors = 1;
    loopTiles(n.size, kLanes, [&](Index column) { emitTransposedTile(aAt, bAt, cAt, Index::of(0), column); });
    return;
  }
  // Rows of A that stay in the second-level cache while the columns pass.
  constexpr int64_t cacheBytes = 400 * 1024;
  int64_t rowBytes = std::max<int64_t>(k.size * elementBytes(lhsType), 1);
  int64_t mostRows = std::max<int64_t>(cacheBytes / rowBytes / tile.rows, 1) * tile.rows;
  int64_t blocks = (m.size + mostRows - 1) / mostRows;
  int64_t blockRows = ((m.size + blocks - 1) / blocks + tile.rows - 1) / tile.rows * tile.rows;
  int64_t rhsBytes = elementBytes(rhsType);
  bool farRows = k.size * n.size * rhsBytes > 1024 * 1024 || (k.b * rhsBytes) % 4096 == 0;
  bool packed = n.b != 1 || (farRows && m.size >= 4 * tile.rows && k.size > 32);
  Value panel = packed ? body.scratch(k.size * tileColumns * elementBytes(wide)) : Value();
  loopTiles(m.size, std::min(blockRows, m.size), [&](Index firstRow) {
    loopTiles(n.size, tileColumns, [&](Index column) {
      if (packed) emitPanel(panel, bAt, column);
      loopTiles(std::min(blockRows, m.size), tile.rows,
                [&](Index row) { emitTile(panel, aAt, bAt, cAt, e.index.add(firstRow, row), column); });
    });
  });
}

Value Contraction::laneMask(int64_t v) {
  int64_t left = n.size - v * kLanes;
  if (n.size >= tile.vectors * kLanes || left >= kLanes) return {};
  SmallVector<bool> lanes;
  for (int64_t lane = 0; lane < kLanes; ++lane) lanes.push_back(lane < left);
  return arith::ConstantOp::create(b, loc,
                                   DenseElementsAttr::get(VectorType::get({kLanes}, b.getI1Type()), lanes));
}

void Contraction::writeTile(ArrayRef<Value> sums, Index cAt, Index row, Index column) {
  Combiner narrow(e, "sum", resultType);
  for (int64_t r = 0; r < tile.rows; ++r)
    for (int64_t v = 0; v < tile.vectors; ++v) {
      Index rowAt = e.index.mul(e.index.add(row, Index::of(r)), m.c);
      Index at = e.index.add(e.index.add(cAt, rowAt), e.index.add(column, Index::of(v * kLanes)));
      at.lane = true;
      e.mask = laneMask(v);
      e.store(resultType, cPointer, at,
              narrow.narrow({{sums[static_cast<size_t>(r * tile.vectors + v)]}, true}));
      e.mask = {};
    }
}

void Contraction::emitTile(Value panel, Index aAt, Index bAt, Index cAt, Index row, Index column) {
  SmallVector<Value> start(static_cast<size_t>(tile.rows * tile.vectors), zero(true));
  Index aRow = e.index.add(aAt, e.index.mul(row, m.a));
  Index bColumn = e.index.add(bAt, column);
  ValueRange sums = e.loop(0, k.size, 1, start, [&](Value at, ValueRange before) {
    SmallVector<Value> columnsOfB, next;
    for (int64_t v = 0; v < tile.vectors; ++v) {
      if (panel) {
        Index from = e.index.add(times(at, tile.vectors * kLanes), Index::of(v * kLanes));
        from.lane = true;
        columnsOfB.push_back(e.load(wide, panel, from).scalars[0]);
        continue;
      }
      Index from = e.index.add(e.index.add(bColumn, times(at, k.b)), Index::of(v * kLanes));
      from.lane = true;
      e.mask = laneMask(v);
      columnsOfB.push_back(loadB(from).scalars[0]);
      e.mask = {};
    }
    Index aColumn = e.index.add(aRow, times(at, k.a));
    for (int64_t r = 0; r < tile.rows; ++r) {
      Value x = e.broadcast(loadA(e.index.add(aColumn, Index::of(r * m.a))).scalars[0]);
      for (int64_t v = 0; v < tile.vectors; ++v)
        next.push_back(multiplyAdd(x, columnsOfB[static_cast<size_t>(v)],
                                   before[static_cast<size_t>(r * tile.vectors + v)]));
    }
    return next;
  });
  writeTile(SmallVector<Value>(sums), cAt, row, column);
}

// --- B with contiguous k

/// 16 vectors of 16 lanes, rows to columns: four rounds of exchanges between rows at distance 8, 4, 2, 1.
SmallVector<Value> Contraction::transposeBlock(ArrayRef<Value> block) {
  SmallVector<Value> now(block);
  for (int32_t distance = kLanes / 2; distance > 0; distance /= 2) {
    SmallVector<Value> next(now);
    SmallVector<int32_t> low, high;
    for (int32_t lane = 0; lane < kLanes; ++lane) {
      bool second = lane & distance;
      low.push_back(second ? static_cast<int32_t>(kLanes) + lane - distance : lane);
      high.push_back(second ? static_cast<int32_t>(kLanes) + lane : lane + distance);
    }
    for (size_t i = 0; i < now.size(); ++i) {
      if (i & static_cast<size_t>(distance)) continue;
      size_t j = i + static_cast<size_t>(distance);
      next[i] = LLVM::ShuffleVectorOp::create(b, loc, now[i], now[j], low);
      next[j] = LLVM::ShuffleVectorOp::create(b, loc, now[i], now[j], high);
    }
    now = next;
  }
  return now;
}

/// column + j, or the last column where a tile reaches beyond it.
Index Contraction::columnInside(Index column, int64_t j) {
  Index wanted = e.index.add(column, Index::of(j));
  if (n.size >= tile.vectors * kLanes) return wanted;
  return {arith::MinSIOp::create(b, loc, e.index.base(wanted), e.index.base(Index::of(n.size - 1))), 0,
          false};
}

/// B[at .. at + 16, column + j] for j < 16: one vector along k a column.
SmallVector<Value> Contraction::loadRows(Index bAt, Index column, Value at) {
  SmallVector<Value> vectors;
  for (int64_t j = 0; j < kLanes; ++j) {
    Index from = e.index.add(e.index.add(bAt, e.index.mul(columnInside(column, j), n.b)), {at, 0, false});
    from.lane = true;
    vectors.push_back(loadB(from).scalars[0]);
  }
  return vectors;
}

void Contraction::emitPanel(Value panel, Index bAt, Index column) {
  int64_t width = tile.vectors * kLanes;
  if (n.b == 1) {
    e.loop(0, k.size, 1, {}, [&](Value at, ValueRange) {
      for (int64_t v = 0; v < tile.vectors; ++v) {
        Index from =
            e.index.add(e.index.add(bAt, e.index.add(column, Index::of(v * kLanes))), times(at, k.b));
        Index to = e.index.add(times(at, width), Index::of(v * kLanes));
        from.lane = to.lane = true;
        e.mask = laneMask(v);
        Element element = loadB(from);
        e.mask = {};
        e.store(wide, panel, to, element);
      }
      return SmallVector<Value>{};
    });
    return;
  }
  int64_t whole = k.size / kLanes * kLanes;
  if (whole > 0)
    e.loop(0, whole, kLanes, {}, [&](Value at, ValueRange) {
      e.loop(0, tile.vectors, 1, {}, [&](Value v, ValueRange) {
        Index firstColumn = e.index.add(column, times(v, kLanes));
        SmallVector<Value> block = transposeBlock(loadRows(bAt, firstColumn, at));
        for (int64_t i = 0; i < kLanes; ++i) {
          Index to =
              e.index.add(e.index.mul(e.index.add({at, 0, false}, Index::of(i)), width), times(v, kLanes));
          to.lane = true;
          e.store(wide, panel, to, Element{{block[static_cast<size_t>(i)]}, true});
        }
        return SmallVector<Value>{};
      });
      return SmallVector<Value>{};
    });
  if (whole < k.size)
    e.loop(0, std::min(width, n.size), 1, {}, [&](Value j, ValueRange) {
      e.loop(whole, k.size, 1, {}, [&](Value at, ValueRange) {
        Index from = e.index.add(e.index.add(bAt, e.index.mul(e.index.add(column, {j, 0, false}), n.b)),
                                 {at, 0, false});
        e.store(wide, panel, e.index.add(times(at, width), {j, 0, false}), loadB(from));
        return SmallVector<Value>{};
      });
      return SmallVector<Value>{};
    });
}

/// Few rows: blocks of B are transposed in registers, used at once and forgotten.
void Contraction::emitTransposedTile(Index aAt, Index bAt, Index cAt, Index row, Index column) {
  SmallVector<Value> start(static_cast<size_t>(tile.rows), zero(true));
  auto addColumn = [&](SmallVectorImpl<Value> &sums, Value vector, Index at) {
    for (int64_t r = 0; r < tile.rows; ++r) {
      Index from = e.index.add(e.index.add(aAt, e.index.mul(e.index.add(row, Index::of(r)), m.a)),
                               e.index.mul(at, k.a));
      Value x = e.broadcast(loadA(from).scalars[0]);
      sums[static_cast<size_t>(r)] = multiplyAdd(x, vector, sums[static_cast<size_t>(r)]);
    }
  };
  int64_t whole = k.size / kLanes * kLanes;
  SmallVector<Value> sums(start);
  if (whole > 0) {
    ValueRange blocks = e.loop(0, whole, kLanes, sums, [&](Value at, ValueRange before) {
      SmallVector<Value> next(before);
      SmallVector<Value> block = transposeBlock(loadRows(bAt, column, at));
      for (int64_t i = 0; i < kLanes; ++i) addColumn(next, block[static_cast<size_t>(i)], {at, i, false});
      return next;
    });
    sums.assign(blocks.begin(), blocks.end());
  }
  if (whole < k.size) {
    ValueRange rest = e.loop(whole, k.size, 1, sums, [&](Value at, ValueRange before) {
      SmallVector<Value> next(before);
      Value vector = zero(true);
      for (int64_t j = 0; j < kLanes; ++j) {
        Index from = e.index.add(e.index.add(bAt, e.index.mul(columnInside(column, j), n.b)), {at, 0, false});
        Value lane =
            LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(static_cast<int32_t>(j)));
        vector = LLVM::InsertElementOp::create(b, loc, vector, loadB(from).scalars[0], lane);
      }
      addColumn(next, vector, {at, 0, false});
      return next;
    });
    sums.assign(rest.begin(), rest.end());
  }
  writeTile(sums, cAt, row, column);
}

} // namespace

void emitContraction(KernelBody &body, DotGeneralOp op) { Contraction(body, op).emit(); }

} // namespace jx
