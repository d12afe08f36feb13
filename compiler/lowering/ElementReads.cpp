// What each elemental op reads: from a position of its result to positions of its operands.
#include "compiler/lowering/ElementEmitter.h"
#include "compiler/lowering/ElementView.h"
#include "compiler/lowering/Lanes.h"
#include "compiler/lowering/ScalarEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace jx {

namespace {
RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
} // namespace

Element ElementEmitter::compute(Value value, const Position &position) {
  Operation *op = value.getDefiningOp();
  Element element;
  if (op && hasScalarEmitter(op)) {
    SmallVector<Element, 4> operands;
    for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
      operands.push_back(
          read(operand, keepsPosition(op, static_cast<unsigned>(number)) ? position : Position{}));
      element.isVector |= operands.back().isVector;
    }
    SmallVector<Value, 8> scalars;
    for (const Element &operand : operands)
      for (Value scalar : operand.scalars)
        scalars.push_back(element.isVector && !operand.isVector ? broadcast(scalar) : scalar);
    SmallVector<Value, 2> results = emitScalars(b, loc, op, scalars);
    // All results are known now: the others are remembered for their own reads.
    size_t next = 0;
    Element own;
    for (Value result : op->getResults()) {
      size_t count = numScalars(typeOf(result).getElementType());
      Element part{SmallVector<Value, 2>(ArrayRef<Value>(results).slice(next, count)), element.isVector};
      next += count;
      if (result == value)
        own = part;
      else
        bindElement(result, position, part);
    }
    return own;
  }
  if (op) {
    if (isa<ReshapeOp>(op)) return read(op->getOperand(0), position);
    if (affineView(op)) return readAffine(op, position);
    if (auto concatenate = dyn_cast<ConcatenateOp>(op)) return readConcatenate(concatenate, position);
    if (auto pad = dyn_cast<PadOp>(op)) return readPad(pad, position);
    if (auto gather = dyn_cast<GatherOp>(op)) return readGather(gather, position);
    if (auto iota = dyn_cast<IotaOp>(op)) return readIota(iota, position);
    if (isa<KeyDataOp, WrapKeyOp>(op)) return readKeys(op, position);
    if (auto constant = dyn_cast<ConstantOp>(op)) return readConstant(constant, position);
    if (!failure) failure = op;
  }
  // Only after a failure: any value of the right type, so that emission can go on to its end.
  SmallVector<Type, 2> types;
  appendScalarTypes(typeOf(value).getElementType(), types);
  for (Type type : types) element.scalars.push_back(LLVM::PoisonOp::create(b, loc, type));
  return element;
}

Element ElementEmitter::readAffine(Operation *op, const Position &position) {
  AffineView view = *affineView(op);
  SmallVector<Index, 4> at = index.split(position, view.resultDims);
  Position operandPosition;
  for (const OperandDim &dim : view.operandDims) {
    Index operandIndex = Index::of(dim.offset);
    if (dim.resultDim >= 0)
      operandIndex = index.add(index.mul(at[static_cast<size_t>(dim.resultDim)], dim.stride), operandIndex);
    if (dim.start)
      operandIndex =
          index.add(operandIndex, index.mul(clampedStart(dim.start, dim.maxStart), dim.startScale));
    operandPosition.push_back({dim.size, operandIndex});
  }
  return read(view.operand, operandPosition);
}

Index ElementEmitter::integerIndex(Value value, const Position &position) {
  Element element = read(value, position);
  if (element.isVector) {
    index.lost = true;
    return Index::of(0);
  }
  Value scalar = element.scalars.front();
  auto type = cast<IntegerType>(typeOf(value).getElementType());
  if (type.getWidth() < 64)
    scalar = type.isUnsigned() || type.getWidth() == 1
                 ? arith::ExtUIOp::create(b, loc, b.getI64Type(), scalar).getResult()
                 : arith::ExtSIOp::create(b, loc, b.getI64Type(), scalar).getResult();
  return {scalar, 0, false};
}

Index ElementEmitter::clamp(Index wanted, int64_t max, Value value) {
  bool isUnsigned = cast<IntegerType>(typeOf(value).getElementType()).isUnsigned();
  Value bound = constantIndex(max), at = index.base(wanted);
  if (isUnsigned) return {arith::MinUIOp::create(b, loc, at, bound), 0, false};
  Value low = arith::MaxSIOp::create(b, loc, at, constantIndex(0));
  return {arith::MinSIOp::create(b, loc, low, bound), 0, false};
}

Value ElementEmitter::inBounds(Value wanted, int64_t last) {
  // As unsigned numbers, negative indices lie beyond every bound.
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, wanted, constantIndex(last));
}

Element ElementEmitter::readConcatenate(ConcatenateOp op, const Position &position) {
  ConcatenateView view = concatenateView(op);
  SmallVector<Index, 4> at = index.split(position, {view.outer, view.along});
  if (at[1].lane) {
    index.lost = true;
    at[1].lane = false;
  }
  Type elementType = typeOf(op.getResult()).getElementType();
  std::function<Element(size_t)> from = [&](size_t input) -> Element {
    int64_t begin = input ? view.limits[input - 1] : 0, size = view.limits[input] - begin;
    auto readInput = [&] {
      Index along = index.add(at[1], Index::of(-begin));
      return read(op.getInputs()[input], positionOf({view.outer, size}, {at[0], along}));
    };
    if (size == 0 && input + 1 < view.limits.size()) return from(input + 1);
    if (view.limits[input] == view.along) return readInput();
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index.base(at[1]),
                                         constantIndex(view.limits[input]));
    return conditional(inside, elementType, readInput, [&] { return from(input + 1); });
  };
  return from(0);
}

Element ElementEmitter::readPad(PadOp op, const Position &position) {
  SmallVector<PadDim, 4> dims = padView(op);
  SmallVector<int64_t, 4> sizes;
  for (const PadDim &dim : dims) sizes.push_back(dim.resultSize);
  SmallVector<Index, 4> at = index.split(position, sizes);
  Value inside;
  Position operandPosition;
  bool empty = typeOf(op.getOperand()).getNumElements() == 0;
  for (auto [dim, here] : llvm::zip_equal(dims, at)) {
    Index operandIndex = here;
    if (!dim.isWhole() && !empty) {
      if (operandIndex.lane) index.lost = true;
      Value shifted = index.base(index.add({here.value, here.constant}, Index::of(-dim.low)));
      Value valid = inBounds(shifted, (dim.operandSize - 1) * (dim.interior + 1));
      if (dim.interior > 0) {
        Value step = constantIndex(dim.interior + 1);
        Value remainder = arith::RemUIOp::create(b, loc, shifted, step);
        valid = arith::AndIOp::create(
            b, loc, valid,
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, remainder, constantIndex(0)));
        shifted = arith::DivUIOp::create(b, loc, shifted, step);
      }
      inside = inside ? arith::AndIOp::create(b, loc, inside, valid).getResult() : valid;
      operandIndex = {shifted, 0, false};
    }
    if (dim.operandSize != 1) operandPosition.push_back({dim.operandSize, operandIndex});
  }
  if (empty) return read(op.getPaddingValue(), {});
  if (!inside) return read(op.getOperand(), operandPosition);
  return conditional(
      inside, typeOf(op.getResult()).getElementType(), [&] { return read(op.getOperand(), operandPosition); },
      [&] { return read(op.getPaddingValue(), {}); });
}

Element ElementEmitter::readGather(GatherOp op, const Position &position) {
  GatherView view = gatherView(op);
  SmallVector<int64_t, 4> sizes;
  for (const auto &dim : view.resultDims) sizes.push_back(dim.size);
  SmallVector<Index, 4> at = index.split(position, sizes);
  SmallVector<Index, 4> batch;
  for (auto [dim, here] : llvm::zip_equal(view.resultDims, at))
    if (!dim.window) batch.push_back(here);
  auto component = [&](int number) {
    SmallVector<int64_t, 4> indexSizes(view.batchSizes);
    SmallVector<Index, 4> indexAt(batch);
    indexSizes.push_back(view.indexVectorSize);
    indexAt.push_back(Index::of(number));
    return integerIndex(op.getIndices(), positionOf(indexSizes, indexAt));
  };
  bool fill = op.getMode() == "fill";
  Value inside;
  Position operandPosition;
  for (const GatherView::Dim &dim : view.operandDims) {
    Index here = dim.resultDim >= 0 ? at[static_cast<size_t>(dim.resultDim)] : Index::of(0);
    if (dim.batchDim >= 0) here = batch[static_cast<size_t>(dim.batchDim)];
    if (dim.indexComponent >= 0) {
      Index wanted = component(dim.indexComponent);
      if (fill) {
        Value valid = inBounds(index.base(wanted), dim.size - dim.slice);
        inside = inside ? arith::AndIOp::create(b, loc, inside, valid).getResult() : valid;
      }
      here = index.add(here, clamp(wanted, dim.size - dim.slice, op.getIndices()));
    }
    if (dim.size != 1) operandPosition.push_back({dim.size, here});
  }
  Element element = read(op.getOperand(), operandPosition);
  if (!inside) return element;
  return select(inside, element, fillElement(op));
}

Element ElementEmitter::fillElement(GatherOp op) {
  Type elementType = typeOf(op.getResult()).getElementType();
  Element element;
  SmallVector<Type, 2> types;
  appendScalarTypes(elementType, types);
  for (auto [part, type] : llvm::enumerate(types)) {
    TypedAttr value;
    if (auto floatType = dyn_cast<FloatType>(type)) {
      double number = op.getFillValue() ? part == 0 ? op.getFillValue()->convertToDouble() : 0.0
                                        : std::numeric_limits<double>::quiet_NaN();
      value = b.getFloatAttr(floatType, number);
    } else {
      auto integer = cast<IntegerType>(type);
      auto declared = dyn_cast<IntegerType>(elementType);
      unsigned width = integer.getWidth();
      bool isSigned = declared && !declared.isUnsigned() && width > 1;
      APInt number = isSigned ? APInt::getSignedMinValue(width) : APInt::getMaxValue(width);
      if (op.getFillValue()) {
        number = APInt(64, static_cast<uint64_t>(static_cast<int64_t>(op.getFillValue()->convertToDouble())))
                     .trunc(std::min(width, 64u));
      }
      value = b.getIntegerAttr(integer, number);
    }
    element.scalars.push_back(arith::ConstantOp::create(b, loc, value));
  }
  return element;
}

Element ElementEmitter::readIota(IotaOp op, const Position &position) {
  auto dim = static_cast<size_t>(op.getDimension());
  ArrayRef<int64_t> shape = typeOf(op.getResult()).getShape();
  int64_t outer = 1, inner = 1;
  for (int64_t size : shape.take_front(dim)) outer *= size;
  for (int64_t size : shape.drop_front(dim + 1)) inner *= size;
  Index at = index.split(position, {outer, shape[dim], inner})[1];
  Type elementType = machineType(typeOf(op.getResult()).getElementType());
  // Lanes are added as integers of 32 bits at least: an iota of up to 2^31 elements is exact there.
  Type integer = elementType.isInteger() ? elementType : Type(b.getI64Type());
  if (elementType.isInteger(64) || !elementType.isInteger()) integer = b.getI64Type();
  Value number = index.base({at.value, at.constant, false});
  if (integer != b.getI64Type()) number = arith::TruncIOp::create(b, loc, integer, number);
  Element element;
  element.isVector = at.lane;
  if (at.lane) {
    Value lanes = laneNumbers(b, loc, integer);
    number = arith::AddIOp::create(b, loc, broadcast(number), lanes);
  }
  if (isa<FloatType>(elementType)) {
    bool narrow = elementType.getIntOrFloatBitWidth() < 32;
    Type wide = narrow ? Type(b.getF32Type()) : elementType;
    number = arith::SIToFPOp::create(b, loc, liftTo(wide, at.lane), number);
    if (narrow) number = arith::TruncFOp::create(b, loc, liftTo(elementType, at.lane), number);
  }
  element.scalars.push_back(number);
  if (numScalars(typeOf(op.getResult()).getElementType()) == 2)
    element.scalars.push_back(arith::ConstantOp::create(b, loc, b.getZeroAttr(number.getType())));
  return element;
}

Element ElementEmitter::readKeys(Operation *op, const Position &position) {
  Value operand = op->getOperand(0);
  if (isa<WrapKeyOp>(op)) {
    Element key;
    for (int64_t word = 0; word < 2; ++word) {
      Position at = position;
      at.push_back({2, Index::of(word)});
      Element part = read(operand, at);
      key.isVector |= part.isVector;
      key.scalars.push_back(part.scalars.front());
    }
    return key;
  }
  int64_t keys = typeOf(operand).getNumElements();
  SmallVector<Index, 4> at = index.split(position, {keys, 2});
  // The leading factors stay as they are; only the words are told apart.
  Element key = read(operand, positionOf({keys}, {at[0]}));
  if (at[1].lane) {
    index.lost = true;
    at[1].lane = false;
  }
  if (at[1].isConstant()) return Element{{key.scalars[static_cast<size_t>(at[1].constant)]}, key.isVector};
  Value first = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, index.base(at[1]), constantIndex(0));
  return select(first, Element{{key.scalars[0]}, key.isVector}, Element{{key.scalars[1]}, key.isVector});
}

Element ElementEmitter::readConstant(ConstantOp op, const Position &position) {
  RankedTensorType type = typeOf(op.getResult());
  if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue()); dense && dense.isSplat()) {
    Element element;
    SmallVector<Type, 2> types;
    appendScalarTypes(type.getElementType(), types);
    if (types.size() == 2 && isa<ComplexType>(type.getElementType())) {
      auto value = dense.getSplatValue<std::complex<APFloat>>();
      element.scalars.push_back(arith::ConstantOp::create(b, loc, b.getFloatAttr(types[0], value.real())));
      element.scalars.push_back(arith::ConstantOp::create(b, loc, b.getFloatAttr(types[1], value.imag())));
    } else if (isa<FloatType>(types[0])) {
      element.scalars.push_back(
          arith::ConstantOp::create(b, loc, b.getFloatAttr(types[0], dense.getSplatValue<APFloat>())));
    } else {
      element.scalars.push_back(
          arith::ConstantOp::create(b, loc, b.getIntegerAttr(types[0], dense.getSplatValue<APInt>())));
    }
    return element;
  }
  return load(type.getElementType(), constantData(op), index.linear(position));
}

Value ElementEmitter::constantData(ConstantOp op) {
  // The bytes are the symbol's value; equal constants of a module share one.
  HostArray data = HostArray::fromAttr(op.getValue());
  StringRef bytes(static_cast<const char *>(data.data()), static_cast<size_t>(data.sizeInBytes()));
  std::string name = "data_" + llvm::utohexstr(llvm::xxh3_64bits(bytes)) + "_" + std::to_string(bytes.size());
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), static_cast<unsigned>(bytes.size()));
    LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true, LLVM::Linkage::Private, name,
                           b.getStringAttr(bytes),
                           /*alignment=*/64);
  }
  return LLVM::AddressOfOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), name);
}

} // namespace jx
