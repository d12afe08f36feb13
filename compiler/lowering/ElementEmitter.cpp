// Memory, memo, control flow and loops of element code. The ops' own reads: ElementReads.cpp.
#include "compiler/lowering/ElementEmitter.h"
#include "compiler/lowering/ElementView.h"
#include "compiler/lowering/Lanes.h"
#include "compiler/lowering/ScalarEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace jx {

namespace {
int64_t elementsOf(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }
} // namespace

void ElementEmitter::openScope() {
  index.openScope();
  marks.push_back(log.size());
}

void ElementEmitter::closeScope() {
  for (size_t i = marks.back(); i < log.size(); ++i) memo.erase(log[i]);
  log.resize(marks.back());
  marks.pop_back();
  index.closeScope();
}

void ElementEmitter::bindBuffer(Value value, Value pointer, Position prefix) {
  buffers[value] = Buffer{pointer, std::move(prefix)};
}

static MemoKey elementKey(Value value, const Position &position) {
  MemoKey key{reinterpret_cast<uint64_t>(value.getAsOpaquePointer())};
  appendKey(key, position);
  return key;
}

void ElementEmitter::bindElement(Value value, const Position &position, Element element) {
  MemoKey key = elementKey(value, position);
  memo[key] = std::move(element);
  log.push_back(std::move(key));
}

Element ElementEmitter::read(Value value, const Position &position) {
  auto found = memo.find(elementKey(value, position));
  if (found != memo.end()) return found->second;
  auto buffer = buffers.find(value);
  Element element;
  if (buffer != buffers.end()) {
    ArrayRef<Factor> inside = position;
    for (const Factor &factor : buffer->second.prefix) {
      assert(!inside.empty() && inside.front().index == factor.index && "row buffer read in another row");
      inside = inside.drop_front();
      (void)factor;
    }
    Type elementType = cast<RankedTensorType>(value.getType()).getElementType();
    element = load(elementType, buffer->second.pointer, index.linear(inside));
  } else {
    element = compute(value, position);
  }
  bindElement(value, position, element);
  return element;
}

// --- Memory

Type ElementEmitter::machineType(Type elementType, unsigned part) {
  SmallVector<Type, 2> types;
  appendScalarTypes(elementType, types);
  return types[part];
}

/// The type that a machine scalar has in memory: a bool is a byte.
static Type memoryType(OpBuilder &b, Type scalar) { return scalar.isInteger(1) ? b.getI8Type() : scalar; }

static Value pointerAt(OpBuilder &b, Location loc, Type type, Value pointer, Value index) {
  return LLVM::GEPOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), type, pointer,
                             ArrayRef<LLVM::GEPArg>{index}, LLVM::GEPNoWrapFlags::inbounds);
}

Element ElementEmitter::load(Type elementType, Value pointer, Index at) {
  SmallVector<Type, 2> types;
  appendScalarTypes(elementType, types);
  Element element;
  if (at.lane && types.size() > 1) {
    index.lost = true;
    at.lane = false;
  }
  element.isVector = at.lane;
  for (auto [part, type] : llvm::enumerate(types)) {
    Type stored = memoryType(b, type);
    unsigned alignment = std::max(stored.getIntOrFloatBitWidth() / 8, 1u);
    Index machineIndex =
        index.add(index.mul(at, static_cast<int64_t>(types.size())), Index::of(static_cast<int64_t>(part)));
    Value address = pointerAt(b, loc, stored, pointer, index.base(machineIndex));
    Value value;
    if (!at.lane) {
      value = LLVM::LoadOp::create(b, loc, stored, address, alignment);
    } else {
      auto vectorType = VectorType::get({kLanes}, stored);
      if (mask) {
        Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType));
        value = LLVM::MaskedLoadOp::create(b, loc, vectorType, address, mask, zero, alignment);
      } else {
        value = LLVM::LoadOp::create(b, loc, vectorType, address, alignment);
      }
    }
    if (stored != type) {
      Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType()));
      value = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zero);
    }
    element.scalars.push_back(value);
  }
  return element;
}

void ElementEmitter::store(Type elementType, Value pointer, Index at, const Element &element) {
  auto parts = static_cast<int64_t>(element.scalars.size());
  if (at.lane && parts > 1) {
    index.lost = true;
    return;
  }
  if (element.isVector && !at.lane) {
    index.lost = true;
    return;
  }
  for (auto [part, scalar] : llvm::enumerate(element.scalars)) {
    Value value = at.lane && !element.isVector ? broadcast(scalar) : scalar;
    Type type = getElementTypeOrSelf(scalar.getType()), stored = memoryType(b, type);
    unsigned alignment = std::max(stored.getIntOrFloatBitWidth() / 8, 1u);
    if (stored != type) value = arith::ExtUIOp::create(b, loc, liftTo(stored, at.lane), value);
    Index machineIndex = index.add(index.mul(at, parts), Index::of(static_cast<int64_t>(part)));
    Value address = pointerAt(b, loc, stored, pointer, index.base(machineIndex));
    if (at.lane && mask)
      LLVM::MaskedStoreOp::create(b, loc, value, address, mask, alignment);
    else
      LLVM::StoreOp::create(b, loc, value, address, alignment);
  }
}

Value ElementEmitter::broadcast(Value scalar) {
  if (auto constant = scalar.getDefiningOp<arith::ConstantOp>()) {
    auto type = VectorType::get({kLanes}, scalar.getType());
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, constant.getValue()));
  }
  auto type = VectorType::get({kLanes}, scalar.getType());
  Value poison = LLVM::PoisonOp::create(b, loc, type);
  Value zero = LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(0));
  Value one = LLVM::InsertElementOp::create(b, loc, poison, scalar, zero);
  SmallVector<int32_t> zeros(kLanes, 0);
  return LLVM::ShuffleVectorOp::create(b, loc, one, poison, zeros);
}

Value ElementEmitter::scalarOf(const Element &element, bool vector) {
  Value scalar = element.scalars.front();
  return vector && !element.isVector ? broadcast(scalar) : scalar;
}

// --- Choices

Element ElementEmitter::select(Value condition, const Element &yes, const Element &no) {
  bool conditionIsVector = isa<VectorType>(condition.getType());
  Element result;
  result.isVector = conditionIsVector || yes.isVector || no.isVector;
  for (auto [y, n] : llvm::zip_equal(yes.scalars, no.scalars)) {
    Value yv = result.isVector && !yes.isVector ? broadcast(y) : y;
    Value nv = result.isVector && !no.isVector ? broadcast(n) : n;
    result.scalars.push_back(arith::SelectOp::create(b, loc, condition, yv, nv));
  }
  return result;
}

Element ElementEmitter::conditional(Value condition, Type elementType, llvm::function_ref<Element()> yes,
                                    llvm::function_ref<Element()> no) {
  // Both sides are emitted first, into blocks of their own, to learn whether the element is a vector.
  auto ifOp = scf::IfOp::create(b, loc, TypeRange{}, condition, true);
  Element results[2];
  llvm::function_ref<Element()> sides[2] = {yes, no};
  Region *regions[2] = {&ifOp.getThenRegion(), &ifOp.getElseRegion()};
  for (int side = 0; side < 2; ++side) {
    regions[side]->front().clear();
    b.setInsertionPointToEnd(&regions[side]->front());
    openScope();
    results[side] = sides[side]();
    closeScope();
  }
  bool vector = results[0].isVector || results[1].isVector;
  SmallVector<Type, 2> types;
  for (int side = 0; side < 2; ++side) {
    b.setInsertionPointToEnd(&regions[side]->front());
    SmallVector<Value, 2> values;
    for (Value scalar : results[side].scalars)
      values.push_back(vector && !results[side].isVector ? broadcast(scalar) : scalar);
    scf::YieldOp::create(b, loc, values);
    if (side == 0)
      for (Value value : values) types.push_back(value.getType());
  }
  b.setInsertionPoint(ifOp);
  auto typed = scf::IfOp::create(b, loc, types, condition, true);
  typed.getThenRegion().takeBody(ifOp.getThenRegion());
  typed.getElseRegion().takeBody(ifOp.getElseRegion());
  ifOp.erase();
  b.setInsertionPointAfter(typed);
  return Element{SmallVector<Value, 2>(typed.getResults()), vector};
}

// --- Loops

ValueRange ElementEmitter::loop(int64_t begin, int64_t end, int64_t step, ValueRange inits, LoopBody body) {
  return loop(constantIndex(begin), constantIndex(end), constantIndex(step), inits, body);
}

ValueRange ElementEmitter::loop(Value low, Value high, Value by, ValueRange inits, LoopBody body) {
  auto forOp = scf::ForOp::create(b, loc, low, high, by, inits);
  if (markParallel) forOp->setAttr("jx.parallel", b.getUnitAttr());
  markParallel = false;
  OpBuilder::InsertionGuard guard(b);
  Block *block = forOp.getBody();
  if (!block->empty()) block->back().erase();
  b.setInsertionPointToEnd(block);
  openScope();
  SmallVector<Value> next = body(forOp.getInductionVar(), forOp.getRegionIterArgs());
  closeScope();
  scf::YieldOp::create(b, loc, next);
  return forOp.getResults();
}

bool ElementEmitter::attempt(llvm::function_ref<void()> body) {
  Block *block = b.getInsertionBlock();
  bool atStart = b.getInsertionPoint() == block->begin();
  Operation *before = atStart ? nullptr : &*std::prev(b.getInsertionPoint());
  bool outerLost = index.lost;
  index.lost = false;
  openScope();
  Value outerMask = mask;
  mask = {};
  body();
  mask = outerMask;
  closeScope();
  bool kept = !index.lost;
  index.lost = outerLost;
  if (kept) return true;
  for (auto end = b.getInsertionPoint(); end != block->begin();) {
    Operation &last = *std::prev(end);
    if (&last == before) break;
    last.dropAllDefinedValueUses();
    last.erase();
  }
  return false;
}

bool ElementEmitter::nest(ArrayRef<int64_t> sizes, bool vector, const Position &prefix,
                          llvm::function_ref<void(const Position &)> body) {
  for (int64_t size : sizes)
    if (size == 0) return true;
  std::function<void(size_t, Position)> emit = [&](size_t depth, Position position) {
    if (depth == sizes.size()) {
      markParallel = false;
      body(position);
      return;
    }
    int64_t size = sizes[depth];
    bool lanes = vector && depth + 1 == sizes.size();
    if (size == 1 && !lanes) {
      emit(depth + 1, position);
      return;
    }
    auto inside = [&](Index at) {
      at.lane = lanes;
      if (lanes && size % kLanes != 0)
        mask = lanesBefore(*this, index.base({at.value, at.constant}), constantIndex(size));
      Position inner = position;
      if (size != 1) inner.push_back({size, at});
      emit(depth + 1, inner);
    };
    int64_t step = lanes ? kLanes : 1;
    if (size <= step)
      inside(Index::of(0));
    else
      loop(0, size, step, {}, [&](Value at, ValueRange) {
        inside({at, 0, false});
        return SmallVector<Value>{};
      });
  };
  auto whole = [&] {
    markParallel = independent;
    emit(0, prefix);
    markParallel = false;
  };
  if (vector) return attempt(whole);
  // Lanes that a body loses here are those of the attempt around this nest, which must hear of it.
  openScope();
  whole();
  closeScope();
  return true;
}

void ElementEmitter::bestNest(ArrayRef<int64_t> sizes, bool vector, const Position &prefix,
                              llvm::function_ref<void(const Position &)> body) {
  if (vector && !sizes.empty() && sizes.back() >= kLanes / 2 && nest(sizes, true, prefix, body)) return;
  nest(sizes, false, prefix, body);
}

void ElementEmitter::collectSplits(Value value, SmallVectorImpl<int64_t> &splits,
                                   DenseMap<Value, SmallVector<int64_t, 4>> &known) {
  Operation *op = value.getDefiningOp();
  if (!op || buffers.contains(value)) return;
  auto found = known.find(value);
  if (found == known.end()) {
    SmallVector<int64_t, 4> own;
    requiredSplits(op, own);
    if (hasScalarEmitter(op) || isa<ReshapeOp, WrapKeyOp, KeyDataOp, ConcatenateOp>(op) || affineView(op))
      for (unsigned operand = 0; operand < op->getNumOperands(); ++operand) {
        SmallVector<int64_t, 4> below;
        collectSplits(op->getOperand(operand), below, known);
        splitsThroughOperand(op, operand, below, own);
      }
    llvm::sort(own);
    own.erase(std::unique(own.begin(), own.end()), own.end());
    found = known.try_emplace(value, std::move(own)).first;
  }
  splits.append(found->second.begin(), found->second.end());
}

SmallVector<int64_t, 4> ElementEmitter::nestSizes(ArrayRef<Value> values, int64_t prefixElements) {
  SmallVector<int64_t, 8> splits;
  DenseMap<Value, SmallVector<int64_t, 4>> known;
  for (Value value : values) collectSplits(value, splits, known);
  llvm::sort(splits);
  int64_t elements = elementsOf(values.front()) / std::max<int64_t>(prefixElements, 1);
  SmallVector<int64_t, 4> sizes;
  int64_t inner = 1;
  for (int64_t split : splits) {
    if (split <= inner || split >= elements || split % inner != 0 || elements % split != 0) continue;
    sizes.push_back(split / inner);
    inner = split;
  }
  sizes.push_back(elements / inner);
  std::reverse(sizes.begin(), sizes.end());
  return sizes;
}

bool ElementEmitter::prefersVectors(ArrayRef<Value> values) {
  llvm::DenseSet<Operation *> seen;
  SmallVector<Value> work(values.begin(), values.end());
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || buffers.contains(value) || !seen.insert(op).second) continue;
    Type type = cast<RankedTensorType>(value.getType()).getElementType();
    if (isa<DivOp, RemOp>(op) && type.isInteger()) return false;
    bool simple = isa<AddOp, SubOp, MulOp, DivOp, NegOp, AbsOp, MaxOp, MinOp, SqrtOp, CompareOp, SelectOp,
                      ConvertOp, FloorOp, CeilOp, SignOp, ClampOp>(op);
    if (type.isF64() && hasScalarEmitter(op) && !simple) return false;
    work.append(op->operand_begin(), op->operand_end());
  }
  return true;
}

} // namespace jx
