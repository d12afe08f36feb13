// The index of the largest or smallest element along an axis: candidates are compared as (value, index), so
// that the first of equal ones wins, and the first nan.
#include "compiler/lowering/Lanes.h"
#include "compiler/lowering/ReductionEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace jx {
namespace {

/// The best element so far, of one machine scalar, and its index (i32).
struct Best {
  Value value, at;
};

class ArgReduceEmitter {
public:
  ArgReduceEmitter(ElementEmitter &e, ArgReduceOp op, Value destination)
      : e(e), op(op), destination(destination) {
    auto type = cast<RankedTensorType>(op.getOperand().getType());
    auto axis = static_cast<size_t>(op.getAxis());
    elementType = type.getElementType();
    n = type.getShape()[axis];
    for (int64_t size : type.getShape().take_front(axis)) outer *= size;
    for (int64_t size : type.getShape().drop_front(axis + 1)) inner *= size;
    isMax = op.getKind() == "max";
  }

  void run() {
    bool vectors = e.prefersVectors({op.getOperand()}) && n > 1;
    if (vectors && inner == 1 && n >= 4 && e.attempt([&] { rows(); })) return;
    if (vectors && inner >= kLanes / 2 && columns(true)) return;
    columns(false);
  }

private:
  bool columns(bool vector);
  void rows();
  Best bestOfLanes(Best lanes);

  Value readRow(const Position &row, Value at, Value mask);
  Value beats(Value x, Value y);
  Best choose(Value takeNew, const Best &fresh, const Best &old);
  void storeIndex(Index at, Value found, bool vector);
  Value index32(Value at) { return arith::TruncIOp::create(e.b, e.loc, e.b.getI32Type(), at); }

  ElementEmitter &e;
  ArgReduceOp op;
  Value destination;
  Type elementType;
  int64_t outer = 1, n, inner = 1;
  bool isMax;
};

/// Any axis: one chain an output. In vector mode neighbours in `inner` go together.
bool ArgReduceEmitter::columns(bool vector) {
  return e.nest({outer, inner}, vector, {}, [&](const Position &at) {
    SmallVector<Index, 4> where = e.index.split(at, {outer, inner});
    auto readAt = [&](Index k) {
      Element x = e.read(op.getOperand(), positionOf({outer, n, inner}, {where[0], k, where[1]}));
      return e.scalarOf(x, vector);
    };
    Value first = readAt(Index::of(0));
    Value zero = arith::ConstantOp::create(e.b, e.loc, e.b.getZeroAttr(liftTo(e.b.getI32Type(), vector)));
    Value mask = e.mask;
    ValueRange best = e.loop(1, n, 1, {first, zero}, [&](Value k, ValueRange carried) {
      Value k32 = index32(k);
      Best old{carried[0], carried[1]}, fresh{readAt({k, 0, false}), vector ? e.broadcast(k32) : k32};
      Best next = choose(beats(fresh.value, old.value), fresh, old);
      return SmallVector<Value>{next.value, next.at};
    });
    e.mask = mask;
    storeIndex(e.index.linear(at), best[1], vector);
  });
}

/// A contiguous axis: lanes hold candidates, which are compared at the end.
void ArgReduceEmitter::rows() {
  e.nest({outer}, false, {}, [&](const Position &row) {
    Value lanes = laneNumbers(e.b, e.loc, e.b.getI32Type());
    Value low = e.index.base(Index::of(0)), high = e.index.base(Index::of(n));
    // Lanes beyond the row start as copies of element 0: never better, and later in index.
    Value firstMask = n < kLanes ? lanesBefore(e, low, high) : Value();
    Best best{readRow(row, low, firstMask), lanes};
    if (firstMask)
      best.value =
          arith::SelectOp::create(e.b, e.loc, firstMask, best.value, e.broadcast(firstLane(e, best.value)));
    if (n > kLanes) {
      ValueRange last = e.loop(kLanes, n, kLanes, {best.value, best.at}, [&](Value at, ValueRange carried) {
        Best old{carried[0], carried[1]};
        Value mask = n % kLanes ? lanesBefore(e, at, high) : Value();
        Value here = arith::AddIOp::create(e.b, e.loc, lanes, e.broadcast(index32(at)));
        Best fresh{readRow(row, at, mask), here};
        Value take = beats(fresh.value, old.value);
        if (mask) take = arith::AndIOp::create(e.b, e.loc, take, mask);
        Best next = choose(take, fresh, old);
        return SmallVector<Value>{next.value, next.at};
      });
      best = {last[0], last[1]};
    }
    storeIndex(e.index.linear(row), firstLane(e, bestOfLanes(best).at), false);
  });
}

/// In every lane the best of all: halves are compared until one is left, by index where values are equal.
Best ArgReduceEmitter::bestOfLanes(Best lanes) {
  for (int32_t half = kLanes / 2; half > 0; half /= 2) {
    Best other{rotateLanes(e, lanes.value, half), rotateLanes(e, lanes.at, half)};
    Value worse = beats(lanes.value, other.value);
    Value earlier = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::slt, other.at, lanes.at);
    Value allOnes = arith::ConstantOp::create(
        e.b, e.loc, DenseElementsAttr::get(cast<VectorType>(worse.getType()), true));
    Value notWorse = arith::XOrIOp::create(e.b, e.loc, worse, allOnes);
    Value tie = arith::AndIOp::create(e.b, e.loc, earlier, notWorse);
    Value take = arith::OrIOp::create(e.b, e.loc, beats(other.value, lanes.value), tie);
    lanes = choose(take, other, lanes);
  }
  return lanes;
}

Value ArgReduceEmitter::readRow(const Position &row, Value at, Value mask) {
  Position position = row;
  position.push_back({n, {at, 0, true}});
  e.mask = mask;
  Element x = e.read(op.getOperand(), position);
  e.mask = {};
  return e.scalarOf(x, true);
}

/// x is nan and y is not, or x is larger (smaller for min).
Value ArgReduceEmitter::beats(Value x, Value y) {
  if (isa<FloatType>(getElementTypeOrSelf(x.getType()))) {
    using P = arith::CmpFPredicate;
    auto compare = [&](P predicate, Value a, Value b) -> Value {
      return arith::CmpFOp::create(e.b, e.loc, predicate, a, b);
    };
    Value better = compare(isMax ? P::OGT : P::OLT, x, y);
    Value xIsNan = compare(P::UNO, x, x), yIsNumber = compare(P::ORD, y, y);
    Value nan = arith::AndIOp::create(e.b, e.loc, xIsNan, yIsNumber);
    return arith::OrIOp::create(e.b, e.loc, better, nan);
  }
  auto integer = cast<IntegerType>(elementType);
  bool isUnsigned = integer.isUnsigned() || integer.getWidth() == 1;
  using P = arith::CmpIPredicate;
  P predicate = isMax ? (isUnsigned ? P::ugt : P::sgt) : (isUnsigned ? P::ult : P::slt);
  return arith::CmpIOp::create(e.b, e.loc, predicate, x, y);
}

Best ArgReduceEmitter::choose(Value takeNew, const Best &fresh, const Best &old) {
  return {arith::SelectOp::create(e.b, e.loc, takeNew, fresh.value, old.value),
          arith::SelectOp::create(e.b, e.loc, takeNew, fresh.at, old.at)};
}

void ArgReduceEmitter::storeIndex(Index at, Value found, bool vector) {
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
  ArgReduceEmitter(e, op, destination).run();
}

} // namespace jx
