// Sums, products, extrema: vectors of 16 lanes, four accumulators along a contiguous axis, one chain a column
// elsewhere.
#include "compiler/lowering/ReductionEmitter.h"
#include "compiler/lowering/ScalarEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace jx {
namespace {

using Scratch = llvm::function_ref<Value(int64_t)>;

Type liftTo(Type type, bool vector) { return vector ? Type(VectorType::get({kLanes}, type)) : type; }

Type vectorOrScalar(Type type, Value like) { return liftTo(type, isa<VectorType>(like.getType())); }

Value number(ElementEmitter &e, int64_t value) { return e.index.base(Index::of(value)); }

SmallVector<Value> valuesOf(ArrayRef<Element> elements) {
  SmallVector<Value> values;
  for (const Element &element : elements) values.append(element.scalars.begin(), element.scalars.end());
  return values;
}

/// Elements of `parts` machine scalars each, from a flat list.
SmallVector<Element> elementsFrom(ValueRange values, size_t parts, bool vector) {
  SmallVector<Element> elements;
  for (size_t i = 0; i < values.size(); i += parts)
    elements.push_back({SmallVector<Value, 2>(values.slice(i, parts)), vector});
  return elements;
}

/// Partial results in memory, combined by a tree of neighbours: slots of `bytes`, read and written by
/// callbacks.
void combineTree(ElementEmitter &e, int64_t count, llvm::function_ref<Element(Value)> get,
                 llvm::function_ref<void(Value, const Element &)> put, Combiner &combiner) {
  while (count > 1) {
    int64_t half = count / 2;
    e.loop(0, half, 1, {}, [&](Value i, ValueRange) {
      Index pair = e.index.mul({i, 0, false}, 2);
      Element low = get(e.index.base(pair)), high = get(e.index.base(e.index.add(pair, Index::of(1))));
      put(i, combiner.combine(low, high));
      return SmallVector<Value>{};
    });
    if (count % 2) put(number(e, half), get(number(e, count - 1)));
    count = half + count % 2;
  }
}

/// The 16 lanes of a vector combined by halves.
Element combineLanes(ElementEmitter &e, Combiner &combiner, Element lanes) {
  for (int32_t half = kLanes / 2; half > 0; half /= 2) {
    SmallVector<int32_t> order;
    for (int32_t lane = 0; lane < kLanes; ++lane)
      order.push_back((lane + half) % static_cast<int32_t>(kLanes));
    Element other = lanes;
    for (Value &scalar : other.scalars)
      scalar = LLVM::ShuffleVectorOp::create(e.b, e.loc, scalar, scalar, order);
    lanes = combiner.combine(lanes, other);
  }
  Element result;
  Value zero = LLVM::ConstantOp::create(e.b, e.loc, e.b.getI32Type(), e.b.getI32IntegerAttr(0));
  for (Value scalar : lanes.scalars)
    result.scalars.push_back(LLVM::ExtractElementOp::create(e.b, e.loc, scalar, zero));
  return result;
}

/// Lanes of the vector that starts at `at` which lie before `end` (i64 values).
Value lanesBefore(ElementEmitter &e, Value at, Value end) {
  Value left =
      arith::MinSIOp::create(e.b, e.loc, arith::SubIOp::create(e.b, e.loc, end, at), number(e, kLanes));
  Value left32 = arith::TruncIOp::create(e.b, e.loc, e.b.getI32Type(), left);
  SmallVector<int32_t> numbers;
  for (int32_t lane = 0; lane < kLanes; ++lane) numbers.push_back(lane);
  Value lane = arith::ConstantOp::create(
      e.b, e.loc, DenseIntElementsAttr::get(VectorType::get({kLanes}, e.b.getI32Type()), numbers));
  return arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::slt, lane, e.broadcast(left32));
}

/// The row's blocks of 4096, `block(begin, end)` each, combined by the tree.
Element foldBlocks(ElementEmitter &e, Combiner &combiner, int64_t n, bool vector, Scratch scratch,
                   llvm::function_ref<Element(Value, Value)> block) {
  int64_t blocks = (n + order::blockSize - 1) / order::blockSize;
  if (blocks <= 1) return block(number(e, 0), number(e, n));
  Type wide = combiner.getWideType();
  Value partials = scratch(blocks * elementBytes(wide) * (vector ? kLanes : 1));
  auto slot = [&](Value i) {
    return vector ? Index{e.index.base(e.index.mul({i, 0, false}, kLanes)), 0, true} : Index{i, 0, false};
  };
  auto get = [&](Value i) { return e.load(wide, partials, slot(i)); };
  auto put = [&](Value i, const Element &element) { e.store(wide, partials, slot(i), element); };
  Value outerMask = e.mask;
  e.markParallel = e.independent;
  e.loop(0, blocks, 1, {}, [&](Value i, ValueRange) {
    Index begin = e.index.mul({i, 0, false}, order::blockSize);
    Value end = arith::MinSIOp::create(
        e.b, e.loc, e.index.base(e.index.add(begin, Index::of(order::blockSize))), number(e, n));
    Element partial = block(e.index.base(begin), end);
    e.mask = {};
    put(i, partial);
    e.mask = outerMask;
    return SmallVector<Value>{};
  });
  e.mask = {};
  combineTree(e, blocks, get, put, combiner);
  Element result = get(number(e, 0));
  e.mask = outerMask;
  return result;
}

/// Loop with run-time bounds.
ValueRange dynamicLoop(ElementEmitter &e, Value begin, Value end, int64_t step, ValueRange inits,
                       llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  return e.loop(begin, end, number(e, step), inits, body);
}

Element foldRowVector(ElementEmitter &e, Combiner &combiner, const Accumulate &accumulate, int64_t n,
                      Scratch scratch) {
  int64_t vectors = std::min<int64_t>((n + kLanes - 1) / kLanes, order::accumulators);
  int64_t step = vectors * kLanes;
  size_t parts = numScalars(combiner.getWideType());
  return foldBlocks(e, combiner, n, false, scratch, [&](Value begin, Value end) {
    auto addVectors = [&](Value at, ArrayRef<Element> sums) {
      SmallVector<Element> next;
      for (int64_t v = 0; v < vectors; ++v) {
        Index here = e.index.add({at, 0, false}, Index::of(v * kLanes));
        bool whole = n % step == 0 && order::blockSize % step == 0;
        e.mask = whole ? Value() : lanesBefore(e, e.index.base(here), end);
        here.lane = true;
        Element sum = accumulate(here, sums[static_cast<size_t>(v)]);
        next.push_back(combiner.masked(e.mask, sum, sums[static_cast<size_t>(v)]));
        e.mask = {};
      }
      return valuesOf(next);
    };
    SmallVector<Element> start(static_cast<size_t>(vectors), combiner.identity(true));
    SmallVector<Value> results;
    if (n <= step) {
      results = addVectors(begin, start);
    } else {
      ValueRange last = dynamicLoop(e, begin, end, step, valuesOf(start), [&](Value at, ValueRange sums) {
        return addVectors(at, elementsFrom(sums, parts, true));
      });
      results.assign(last.begin(), last.end());
    }
    SmallVector<Element> sums = elementsFrom(results, parts, true);
    // Accumulators that no element reaches hold the identity, and are left out.
    Element total = sums[0];
    if (vectors >= 2) total = combiner.combine(sums[0], sums[1]);
    if (vectors == 3) total = combiner.combine(total, sums[2]);
    if (vectors == 4) total = combiner.combine(total, combiner.combine(sums[2], sums[3]));
    return combineLanes(e, combiner, total);
  });
}

/// The same order, element by element, with the 64 lanes in memory: for expressions that do not vectorise.
Element foldRowScalar(ElementEmitter &e, Combiner &combiner, const Accumulate &accumulate, int64_t n,
                      Scratch scratch) {
  Type wide = combiner.getWideType();
  Value lanes = scratch(order::lanes * elementBytes(wide));
  auto get = [&](Value i) { return e.load(wide, lanes, {i, 0, false}); };
  auto put = [&](Value i, const Element &element) { e.store(wide, lanes, {i, 0, false}, element); };
  return foldBlocks(e, combiner, n, false, scratch, [&](Value begin, Value end) {
    e.loop(0, order::lanes, 1, {}, [&](Value i, ValueRange) {
      put(i, combiner.identity(false));
      return SmallVector<Value>{};
    });
    dynamicLoop(e, begin, end, 1, {}, [&](Value at, ValueRange) {
      Value lane = arith::AndIOp::create(e.b, e.loc, at, number(e, order::lanes - 1));
      put(lane, accumulate({at, 0, false}, get(lane)));
      return SmallVector<Value>{};
    });
    e.loop(0, kLanes, 1, {}, [&](Value i, ValueRange) {
      auto at = [&](int64_t accumulator) { return get(e.index.base({i, accumulator * kLanes, false})); };
      Element low = combiner.combine(at(0), at(1));
      put(i, combiner.combine(low, combiner.combine(at(2), at(3))));
      return SmallVector<Value>{};
    });
    for (int64_t half = kLanes / 2; half > 0; half /= 2)
      e.loop(0, half, 1, {}, [&](Value i, ValueRange) {
        put(i, combiner.combine(get(i), get(e.index.base({i, half, false}))));
        return SmallVector<Value>{};
      });
    return get(number(e, 0));
  });
}

/// Columns of one step from j on: `vectors` neighbours at a time, or one element each in scalar mode.
void foldColumns(ElementEmitter &e, Combiner &combiner, llvm::function_ref<Element(const Position &)> read,
                 const order::ReductionStep &step, Index outer, Index column, int64_t vectors, bool vector,
                 Value destination, Type stored, Scratch scratch) {
  size_t parts = numScalars(combiner.getWideType());
  auto columnAt = [&](int64_t v) {
    Index at = e.index.add(column, Index::of(v * kLanes));
    at.lane = vector;
    return at;
  };
  auto maskAt = [&](int64_t v) -> Value {
    if (!vector || step.inner % (vectors * kLanes) == 0) return {};
    return lanesBefore(e, e.index.base(e.index.add(column, Index::of(v * kLanes))), number(e, step.inner));
  };
  SmallVector<Value> masks;
  for (int64_t v = 0; v < vectors; ++v) masks.push_back(maskAt(v));
  auto chain = [&](Value begin, Value end) {
    SmallVector<Element> start(static_cast<size_t>(vectors), combiner.identity(vector));
    ValueRange sums = dynamicLoop(e, begin, end, 1, valuesOf(start), [&](Value row, ValueRange chains) {
      SmallVector<Element> before = elementsFrom(chains, parts, vector), next;
      for (int64_t v = 0; v < vectors; ++v) {
        e.mask = masks[static_cast<size_t>(v)];
        Position position =
            positionOf({step.outer, step.n, step.inner}, {outer, Index{row, 0, false}, columnAt(v)});
        Element x = read(position);
        next.push_back(combiner.combine(before[static_cast<size_t>(v)], vector ? combiner.asVector(x) : x));
      }
      e.mask = {};
      return valuesOf(next);
    });
    return elementsFrom(sums, parts, vector);
  };
  auto write = [&](int64_t v, const Element &sum) {
    Index at = e.index.linear(positionOf({step.outer, step.inner}, {outer, columnAt(v)}));
    e.mask = masks[static_cast<size_t>(v)];
    e.store(stored, destination, at, stored == combiner.getWideType() ? sum : combiner.narrow(sum));
    e.mask = {};
  };
  if (step.n <= order::blockSize) {
    for (auto [v, sum] : llvm::enumerate(chain(number(e, 0), number(e, step.n))))
      write(static_cast<int64_t>(v), sum);
    return;
  }
  assert(vectors == 1 && "blocks of rows go with one vector of columns");
  write(0, foldBlocks(e, combiner, step.n, vector, scratch,
                      [&](Value begin, Value end) { return chain(begin, end).front(); }));
}

} // namespace

// --- Combiner
// ----------------------------------------------------------------------------------------------------

Combiner::Combiner(ElementEmitter &e, StringRef kind, Type elementType)
    : e(e), kind(kind), element(elementType) {
  wide = elementType.isF16() || elementType.isBF16() ? Type(e.b.getF32Type()) : elementType;
}

Element Combiner::identity(bool vector) {
  Element result;
  result.isVector = vector;
  SmallVector<Type, 2> types;
  appendScalarTypes(wide, types);
  for (auto [part, type] : llvm::enumerate(types)) {
    TypedAttr value;
    if (auto floatType = dyn_cast<FloatType>(type)) {
      double number = kind == "prod" && part == 0 ? 1.0 : 0.0;
      if (kind == "max") number = -std::numeric_limits<double>::infinity();
      if (kind == "min") number = std::numeric_limits<double>::infinity();
      value = e.b.getFloatAttr(floatType, number);
    } else {
      unsigned width = type.getIntOrFloatBitWidth();
      auto declared = dyn_cast<IntegerType>(wide);
      bool isUnsigned = width == 1 || (declared && declared.isUnsigned());
      APInt number = APInt::getZero(width);
      if (kind == "prod") number = APInt(width, 1);
      if (kind == "and") number = APInt::getAllOnes(width);
      if (kind == "max") number = isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
      if (kind == "min") number = isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
      value = e.b.getIntegerAttr(type, number);
    }
    Value scalar = arith::ConstantOp::create(e.b, e.loc, value);
    result.scalars.push_back(vector ? e.broadcast(scalar) : scalar);
  }
  return result;
}

Element Combiner::combine(const Element &x, const Element &y) {
  OpBuilder &b = e.b;
  Location loc = e.loc;
  Value xs = x.scalars.front(), ys = y.scalars.front();
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(xs.getType()));
  auto declared = dyn_cast<IntegerType>(wide);
  bool isUnsigned = declared && (declared.isUnsigned() || declared.getWidth() == 1);
  Element result;
  result.isVector = x.isVector;
  if (x.scalars.size() == 2) {
    Value xi = x.scalars[1], yi = y.scalars[1];
    if (kind == "sum") {
      result.scalars = {arith::AddFOp::create(b, loc, xs, ys), arith::AddFOp::create(b, loc, xi, yi)};
    } else {
      auto times = [&](Value p, Value q) { return arith::MulFOp::create(b, loc, p, q).getResult(); };
      result.scalars = {arith::SubFOp::create(b, loc, times(xs, ys), times(xi, yi)),
                        arith::AddFOp::create(b, loc, times(xs, yi), times(xi, ys))};
    }
    return result;
  }
  Value value;
  if (kind == "sum")
    value =
        isFloat ? arith::AddFOp::create(b, loc, xs, ys).getResult() : arith::AddIOp::create(b, loc, xs, ys);
  else if (kind == "prod")
    value =
        isFloat ? arith::MulFOp::create(b, loc, xs, ys).getResult() : arith::MulIOp::create(b, loc, xs, ys);
  else if (kind == "max")
    value = isFloat      ? arith::MaximumFOp::create(b, loc, xs, ys).getResult()
            : isUnsigned ? arith::MaxUIOp::create(b, loc, xs, ys).getResult()
                         : arith::MaxSIOp::create(b, loc, xs, ys).getResult();
  else if (kind == "min")
    value = isFloat      ? arith::MinimumFOp::create(b, loc, xs, ys).getResult()
            : isUnsigned ? arith::MinUIOp::create(b, loc, xs, ys).getResult()
                         : arith::MinSIOp::create(b, loc, xs, ys).getResult();
  else if (kind == "and")
    value = arith::AndIOp::create(b, loc, xs, ys);
  else if (kind == "or")
    value = arith::OrIOp::create(b, loc, xs, ys);
  else
    value = arith::XOrIOp::create(b, loc, xs, ys);
  result.scalars.push_back(value);
  return result;
}

Element Combiner::subtract(const Element &x, const Element &y) {
  Element result;
  result.isVector = x.isVector;
  for (auto [xs, ys] : llvm::zip_equal(x.scalars, y.scalars))
    result.scalars.push_back(isa<FloatType>(getElementTypeOrSelf(xs.getType()))
                                 ? arith::SubFOp::create(e.b, e.loc, xs, ys).getResult()
                                 : arith::SubIOp::create(e.b, e.loc, xs, ys).getResult());
  return result;
}

Element Combiner::widen(const Element &x) {
  if (wide == element) return x;
  Value scalar = x.scalars.front();
  return {{arith::ExtFOp::create(e.b, e.loc, vectorOrScalar(wide, scalar), scalar)}, x.isVector};
}

Element Combiner::asVector(Element x) {
  if (!x.isVector)
    for (Value &scalar : x.scalars) scalar = e.broadcast(scalar);
  x.isVector = true;
  return x;
}

Element Combiner::narrow(const Element &x) {
  if (wide == element) return x;
  Value scalar = x.scalars.front();
  return {{arith::TruncFOp::create(e.b, e.loc, vectorOrScalar(element, scalar), scalar)}, x.isVector};
}

Element Combiner::masked(Value mask, const Element &x, const Element &otherwise) {
  if (!mask) return x;
  Element result;
  result.isVector = x.isVector;
  for (auto [inside, outside] : llvm::zip_equal(x.scalars, otherwise.scalars))
    result.scalars.push_back(arith::SelectOp::create(e.b, e.loc, mask, inside, outside));
  return result;
}

// --- Reductions
// --------------------------------------------------------------------------------------------------

Element foldRow(ElementEmitter &e, Combiner &combiner, const Accumulate &accumulate, int64_t n, bool vector,
                Scratch scratch) {
  if (n == 0) return combiner.identity(false);
  Element result;
  bool done =
      vector && n > 1 && e.attempt([&] { result = foldRowVector(e, combiner, accumulate, n, scratch); });
  return done ? result : foldRowScalar(e, combiner, accumulate, n, scratch);
}

void emitReduce(ElementEmitter &e, ReduceOp op, Value destination, Scratch scratch) {
  Value operand = op.getOperand();
  auto type = cast<RankedTensorType>(operand.getType());
  Combiner combiner(e, op.getKind(), type.getElementType());
  SmallVector<order::ReductionStep> steps = order::reductionSteps(type.getShape(), op.getAxes());
  if (steps.empty()) {
    SmallVector<int64_t, 4> sizes = e.nestSizes({operand});
    e.bestNest(sizes, e.prefersVectors({operand}), {}, [&](const Position &position) {
      Element x = e.read(operand, position);
      e.store(type.getElementType(), destination, e.index.linear(position), x);
    });
    return;
  }
  Value previous;
  for (auto [ordinal, step] : llvm::enumerate(steps)) {
    bool last = ordinal + 1 == steps.size();
    Type stored = last ? type.getElementType() : combiner.getWideType();
    Value target = last ? destination : scratch(step.outer * step.inner * elementBytes(stored));
    order::ReductionStep here = step;
    // The first step evaluates the operand, a later one reads what the one before wrote.
    auto read = [&](const Position &position) {
      return previous ? e.load(combiner.getWideType(), previous, e.index.linear(position))
                      : combiner.widen(e.read(operand, position));
    };
    bool vectorise = previous || e.prefersVectors({operand});
    if (step.outer == 0 || step.inner == 0) continue;
    if (here.isContiguous()) {
      e.nest({here.outer}, false, {}, [&](const Position &row) {
        auto accumulate = [&](Index at, const Element &sum) {
          Position position = row;
          if (here.n != 1) position.push_back({here.n, at});
          Element x = read(position);
          return combiner.combine(sum, sum.isVector ? combiner.asVector(x) : x);
        };
        Element sum = foldRow(e, combiner, accumulate, here.n, vectorise, scratch);
        e.store(stored, target, e.index.linear(row),
                stored == combiner.getWideType() ? sum : combiner.narrow(sum));
      });
    } else {
      auto columns = [&](bool vector, int64_t vectors) {
        int64_t stepBy = vector ? vectors * kLanes : 1;
        e.nest({here.outer}, false, {}, [&](const Position &row) {
          Index outer = row.empty() ? Index::of(0) : row.front().index;
          auto body = [&](Index column) {
            foldColumns(e, combiner, read, here, outer, column, vectors, vector, target, stored, scratch);
          };
          if (here.inner <= stepBy)
            body(Index::of(0));
          else {
            e.markParallel = e.independent;
            e.loop(0, here.inner, stepBy, {}, [&](Value at, ValueRange) {
              body({at, 0, false});
              return SmallVector<Value>{};
            });
          }
        });
      };
      // Neighbouring vectors of columns hide the latency of their chains.
      int64_t vectors =
          here.n > order::blockSize ? 1 : std::min<int64_t>((here.inner + kLanes - 1) / kLanes, 4);
      bool done = vectorise && e.attempt([&] { columns(true, vectors); });
      if (!done) columns(false, 1);
    }
    previous = target;
  }
}

// --- arg_reduce
// --------------------------------------------------------------------------------------------------

namespace {
/// The best element so far and its index.
struct Best {
  Element value;
  Value at; ///< i32
};

Value isNan(ElementEmitter &e, Value x) {
  if (!isa<FloatType>(getElementTypeOrSelf(x.getType()))) return {};
  return arith::CmpFOp::create(e.b, e.loc, arith::CmpFPredicate::UNO, x, x);
}

/// x beats y: it is nan and y is not, or larger (smaller for min).
Value beats(ElementEmitter &e, bool isMax, Type type, Value x, Value y) {
  if (isa<FloatType>(getElementTypeOrSelf(x.getType()))) {
    Value better = arith::CmpFOp::create(e.b, e.loc,
                                         isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, x, y);
    Value yNumber = arith::CmpFOp::create(e.b, e.loc, arith::CmpFPredicate::ORD, y, y);
    Value nan = arith::AndIOp::create(e.b, e.loc, isNan(e, x), yNumber);
    return arith::OrIOp::create(e.b, e.loc, better, nan);
  }
  auto integer = cast<IntegerType>(type);
  bool isUnsigned = integer.isUnsigned() || integer.getWidth() == 1;
  using P = arith::CmpIPredicate;
  return arith::CmpIOp::create(e.b, e.loc,
                               isMax        ? isUnsigned ? P::ugt : P::sgt
                               : isUnsigned ? P::ult
                                            : P::slt,
                               x, y);
}

Best choose(ElementEmitter &e, Value takeNew, const Best &fresh, const Best &old) {
  Best best;
  best.value.isVector = fresh.value.isVector;
  best.value.scalars.push_back(
      arith::SelectOp::create(e.b, e.loc, takeNew, fresh.value.scalars[0], old.value.scalars[0]));
  best.at = arith::SelectOp::create(e.b, e.loc, takeNew, fresh.at, old.at);
  return best;
}

void storeIndex(ElementEmitter &e, ArgReduceOp op, Value destination, Index at, Value found, bool vector) {
  Type element = cast<RankedTensorType>(op.getResult().getType()).getElementType();
  Type machine = e.machineType(element);
  Type target = liftTo(machine, vector);
  unsigned width = machine.getIntOrFloatBitWidth();
  if (width > 32) found = arith::ExtUIOp::create(e.b, e.loc, target, found);
  if (width < 32) found = arith::TruncIOp::create(e.b, e.loc, target, found);
  e.store(element, destination, at, {{found}, vector});
}
} // namespace

void emitArgReduce(ElementEmitter &e, ArgReduceOp op, Value destination) {
  Value operand = op.getOperand();
  auto type = cast<RankedTensorType>(operand.getType());
  auto axis = static_cast<size_t>(op.getAxis());
  int64_t outerSize = 1, inner = 1, n = type.getShape()[axis];
  for (int64_t size : type.getShape().take_front(axis)) outerSize *= size;
  for (int64_t size : type.getShape().drop_front(axis + 1)) inner *= size;
  bool isMax = op.getKind() == "max";
  Type elementType = type.getElementType();
  auto index32 = [&](Value at) {
    return arith::TruncIOp::create(e.b, e.loc, e.b.getI32Type(), at).getResult();
  };

  // Columns (and, in scalar mode, everything): one chain an output; `inner` is vectorised.
  auto chains = [&](bool vector) {
    return e.nest({outerSize, inner}, vector, {}, [&](const Position &at) {
      SmallVector<Index, 4> where = e.index.split(at, {outerSize, inner});
      auto readAt = [&](Index k) {
        Element x = e.read(operand, positionOf({outerSize, n, inner}, {where[0], k, where[1]}));
        if (vector && !x.isVector) x = {{e.broadcast(x.scalars[0])}, true};
        return x;
      };
      Element first = readAt(Index::of(0));
      Value zero = arith::ConstantOp::create(e.b, e.loc, e.b.getZeroAttr(liftTo(e.b.getI32Type(), vector)));
      Value mask = e.mask;
      ValueRange best = e.loop(1, n, 1, {first.scalars[0], zero}, [&](Value k, ValueRange carried) {
        Best old{{{carried[0]}, vector}, carried[1]};
        Value k32 = index32(k);
        Best fresh{readAt({k, 0, false}), vector ? e.broadcast(k32) : k32};
        Best next = choose(e, beats(e, isMax, elementType, fresh.value.scalars[0], carried[0]), fresh, old);
        return SmallVector<Value>{next.value.scalars[0], next.at};
      });
      e.mask = mask;
      storeIndex(e, op, destination, e.index.linear(at), best[1], vector);
    });
  };
  // One contiguous row: lanes hold candidates, which are compared at the end.
  auto rows = [&] {
    e.nest({outerSize}, false, {}, [&](const Position &row) {
      auto readAt = [&](Value at, Value mask) {
        Position position = row;
        position.push_back({n, {at, 0, true}});
        e.mask = mask;
        Element x = e.read(operand, position);
        e.mask = {};
        if (!x.isVector) x = {{e.broadcast(x.scalars[0])}, true};
        return x;
      };
      SmallVector<int32_t> numbers;
      for (int32_t lane = 0; lane < kLanes; ++lane) numbers.push_back(lane);
      Value lanes = arith::ConstantOp::create(
          e.b, e.loc, DenseIntElementsAttr::get(VectorType::get({kLanes}, e.b.getI32Type()), numbers));
      // Lanes beyond the row start as copies of element 0: never better, and later in index.
      Value low = number(e, 0), high = number(e, n);
      Value firstMask = n < kLanes ? lanesBefore(e, low, high) : Value();
      Best best{readAt(low, firstMask), lanes};
      if (firstMask) {
        Value zero = LLVM::ConstantOp::create(e.b, e.loc, e.b.getI32Type(), e.b.getI32IntegerAttr(0));
        Value first = LLVM::ExtractElementOp::create(e.b, e.loc, best.value.scalars[0], zero);
        best.value.scalars[0] =
            arith::SelectOp::create(e.b, e.loc, firstMask, best.value.scalars[0], e.broadcast(first));
      }
      if (n > kLanes) {
        ValueRange last =
            e.loop(kLanes, n, kLanes, {best.value.scalars[0], best.at}, [&](Value at, ValueRange carried) {
              Best old{{{carried[0]}, true}, carried[1]};
              Value mask = n % kLanes ? lanesBefore(e, at, high) : Value();
              Value here = arith::AddIOp::create(e.b, e.loc, lanes, e.broadcast(index32(at)));
              Best fresh{readAt(at, mask), here};
              Value take = beats(e, isMax, elementType, fresh.value.scalars[0], carried[0]);
              if (mask) take = arith::AndIOp::create(e.b, e.loc, take, mask);
              Best next = choose(e, take, fresh, old);
              return SmallVector<Value>{next.value.scalars[0], next.at};
            });
        best = {{{last[0]}, true}, last[1]};
      }
      for (int32_t half = kLanes / 2; half > 0; half /= 2) {
        SmallVector<int32_t> order;
        for (int32_t lane = 0; lane < kLanes; ++lane)
          order.push_back((lane + half) % static_cast<int32_t>(kLanes));
        auto rotate = [&](Value v) {
          return LLVM::ShuffleVectorOp::create(e.b, e.loc, v, v, order).getResult();
        };
        Best other{{{rotate(best.value.scalars[0])}, true}, rotate(best.at)};
        Value x = other.value.scalars[0], y = best.value.scalars[0];
        Value worse = beats(e, isMax, elementType, y, x);
        Value earlier = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::slt, other.at, best.at);
        Value allOnes = arith::ConstantOp::create(
            e.b, e.loc, DenseElementsAttr::get(cast<VectorType>(worse.getType()), true));
        Value tie =
            arith::AndIOp::create(e.b, e.loc, earlier, arith::XOrIOp::create(e.b, e.loc, worse, allOnes));
        Value take = arith::OrIOp::create(e.b, e.loc, beats(e, isMax, elementType, x, y), tie);
        best = choose(e, take, other, best);
      }
      Value zero = LLVM::ConstantOp::create(e.b, e.loc, e.b.getI32Type(), e.b.getI32IntegerAttr(0));
      Value found = LLVM::ExtractElementOp::create(e.b, e.loc, best.at, zero);
      storeIndex(e, op, destination, e.index.linear(row), found, false);
    });
  };
  bool vectors = e.prefersVectors({operand}) && n > 1;
  if (vectors && inner == 1 && n >= 4 && e.attempt(rows)) return;
  if (vectors && inner >= kLanes / 2 && chains(true)) return;
  chains(false);
}

} // namespace jx
