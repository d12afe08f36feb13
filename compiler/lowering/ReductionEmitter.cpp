// Sums, products, extrema: vectors of 16 lanes, four accumulators along a contiguous axis, one chain a column
// elsewhere.
#include "compiler/lowering/ReductionEmitter.h"
#include "compiler/lowering/Lanes.h"
#include "compiler/lowering/ScalarEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace jx {
namespace {

using Scratch = llvm::function_ref<Value(int64_t)>;

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
    Element other = lanes;
    for (Value &scalar : other.scalars) scalar = rotateLanes(e, scalar, half);
    lanes = combiner.combine(lanes, other);
  }
  Element result;
  for (Value scalar : lanes.scalars) result.scalars.push_back(firstLane(e, scalar));
  return result;
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

} // namespace jx
