// Element-by-element emission of tiny ops, and the rule which ops the control program evaluates itself.
#include "compiler/lowering/ControlRegisters.h"
#include "compiler/dialect/HostArray.h"
#include "compiler/lowering/ControlPacking.h"
#include "compiler/lowering/ScalarEmitter.h"
#include "compiler/numerics/ReductionOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace jx {

bool livesInRegisters(Type type) {
  auto array = dyn_cast<RankedTensorType>(type);
  return array && array.getNumElements() <= registerElements;
}

static bool allInRegisters(Operation *op) {
  return llvm::all_of(op->getOperandTypes(), livesInRegisters) &&
         llvm::all_of(op->getResultTypes(), livesInRegisters);
}

/// Relative size of the code of one element; a tiny array of an expensive function is a kernel after all.
static int64_t elementCost(Operation *op) {
  if (isa<Threefry2x32Op>(op)) return 8;
  return isLongFunction(op) ? 4 : 1;
}

bool isLongFunction(Operation *op) {
  return isa<ExpOp, Exp2Op, Expm1Op, LogOp, Log1pOp, SinOp, CosOp, TanOp, AsinOp, AcosOp, AtanOp, SinhOp,
             CoshOp, TanhOp, AsinhOp, AcoshOp, AtanhOp, LogisticOp, ErfOp, ErfcOp, ErfInvOp, LgammaOp,
             DigammaOp, PolygammaOp, PowOp, Atan2Op, CbrtOp, RemOp, NextafterOp>(op);
}

/// A contraction as batch x (m, k) x (k, n).
struct DotSizes {
  int64_t batch = 1, m = 1, n = 1, k = 1;
};
static DotSizes dotSizes(DotGeneralOp dot) {
  DotSizes sizes;
  auto lhs = dot.getLhs().getType().getShape(), rhs = dot.getRhs().getType().getShape();
  for (int64_t dim : dot.getLhsBatch()) sizes.batch *= lhs[dim];
  for (int64_t dim : dot.getLhsContracting()) sizes.k *= lhs[dim];
  for (int64_t dim = 0; dim < int64_t(lhs.size()); ++dim)
    if (!llvm::is_contained(dot.getLhsBatch(), dim) && !llvm::is_contained(dot.getLhsContracting(), dim))
      sizes.m *= lhs[dim];
  for (int64_t dim = 0; dim < int64_t(rhs.size()); ++dim)
    if (!llvm::is_contained(dot.getRhsBatch(), dim) && !llvm::is_contained(dot.getRhsContracting(), dim))
      sizes.n *= rhs[dim];
  return sizes;
}

bool isRegisterOp(Operation *op) {
  if (!allInRegisters(op)) return false;
  if (auto dot = dyn_cast<DotGeneralOp>(op)) {
    DotSizes sizes = dotSizes(dot);
    Type type = elementTypeOf(dot.getResult());
    bool plain = elementTypeOf(dot.getLhs()) == type && elementTypeOf(dot.getRhs()) == type;
    return plain && (type.isF32() || type.isF64()) && sizes.batch * sizes.m * sizes.n * sizes.k <= 64;
  }
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    Type type = elementTypeOf(reduce.getOperand());
    return type.isF32() || type.isF64() || isa<IntegerType>(type);
  }
  if (hasScalarEmitter(op)) {
    int64_t elements = 1;
    for (Value result : op->getResults()) elements = std::max(elements, arrayType(result).getNumElements());
    return elements * elementCost(op) <= 16 || op->hasAttr(packedAttr);
  }
  return isa<ConstantOp, IotaOp, BroadcastInDimOp, ReshapeOp, TransposeOp, ReverseOp, PadOp, ConcatenateOp,
             SliceOp, DynamicSliceOp, DynamicUpdateSliceOp, KeyDataOp, WrapKeyOp>(op);
}

bool evaluatedByControl(Operation *op) {
  if (op->getNumRegions() > 0 || isa<KernelOp>(op)) return true;
  if (isa<CallOp, CustomJvpOp, CustomVjpOp, CustomLinearOp, CheckpointOp, ConstantOp, ReshapeOp, OptionOp,
          StackLengthOp, StackGetOp>(op))
    return true;
  if (op->hasTrait<OpTrait::IsTerminator>() || !isMemoryEffectFree(op)) return true;
  if (isRegisterOp(op)) return true;
  if (auto slice = dyn_cast<SliceOp>(op)) {
    if (livesInRegisters(slice.getResult().getType())) return true;
    auto size = shapeOf(slice.getResult());
    for (auto [extent, stride] : llvm::zip(size, slice.getStrides()))
      if (extent > 1 && stride != 1) return false;
    return isContiguousWindow(size, shapeOf(slice.getOperand()));
  }
  if (auto slice = dyn_cast<DynamicSliceOp>(op))
    return livesInRegisters(slice.getResult().getType()) ||
           isContiguousWindow(slice.getSizes(), shapeOf(slice.getOperand()));
  if (auto update = dyn_cast<DynamicUpdateSliceOp>(op)) return livesInRegisters(update.getUpdate().getType());
  return false;
}

bool isContiguousWindow(ArrayRef<int64_t> sizes, ArrayRef<int64_t> shape) {
  size_t dim = 0;
  while (dim < sizes.size() && sizes[dim] == 1) ++dim;
  for (++dim; dim < sizes.size(); ++dim)
    if (sizes[dim] != shape[dim]) return false;
  return true;
}

/// The index vector of row-major position `linear`.
static SmallVector<int64_t> unravel(int64_t linear, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> index(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    index[dim] = linear % shape[dim];
    linear /= shape[dim];
  }
  return index;
}

static int64_t ravel(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  int64_t linear = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim) linear = linear * shape[dim] + index[dim];
  return linear;
}

Value clampedStart(OpBuilder &b, Location loc, Value start, Type elementType, int64_t limit) {
  Type i64 = b.getI64Type();
  bool isUnsigned = elementType.isUnsignedInteger() || elementType.isInteger(1);
  Value high = arith::ConstantIntOp::create(b, loc, i64, limit);
  if (start.getType() != i64)
    start = isUnsigned ? arith::ExtUIOp::create(b, loc, i64, start).getResult()
                       : arith::ExtSIOp::create(b, loc, i64, start).getResult();
  if (isUnsigned) return arith::MinUIOp::create(b, loc, start, high);
  Value zero = arith::ConstantIntOp::create(b, loc, i64, 0);
  return arith::MaxSIOp::create(b, loc, arith::MinSIOp::create(b, loc, start, high), zero);
}

/// One machine scalar of a literal, read from memory in the runtime's layout.
static Value constantScalar(OpBuilder &b, Location loc, Type type, const char *bytes) {
  TypedAttr attr;
  if (auto floatType = dyn_cast<FloatType>(type)) {
    unsigned width = floatType.getWidth();
    uint64_t bits = 0;
    std::memcpy(&bits, bytes, width / 8);
    attr = FloatAttr::get(type, llvm::APFloat(floatType.getFloatSemantics(), llvm::APInt(width, bits)));
  } else {
    unsigned width = type.getIntOrFloatBitWidth();
    uint64_t bits = 0;
    std::memcpy(&bits, bytes, std::max(1u, width / 8));
    attr = IntegerAttr::get(type, llvm::APInt(width, bits, false, /*implicitTrunc=*/true));
  }
  return arith::ConstantOp::create(b, loc, attr);
}

Registers constantRegisters(OpBuilder &b, Location loc, ElementsAttr value) {
  HostArray array = HostArray::fromAttr(value);
  SmallVector<Type, 2> types;
  appendScalarTypes(array.getElementType(), types);
  int64_t partBytes = elementBytes(array.getElementType()) / int64_t(types.size());
  Registers registers;
  for (int64_t i = 0; i < array.size(); ++i)
    for (auto [part, type] : llvm::enumerate(types))
      registers.push_back(constantScalar(
          b, loc, type, array.as<char>() + (i * int64_t(types.size()) + int64_t(part)) * partBytes));
  return registers;
}

namespace {
/// Emission of one op; `in` are the operands' registers.
struct RegisterEmitter {
  OpBuilder &b;
  Location loc;
  Operation *op;
  ArrayRef<Registers> in;

  Value constantInt(Type type, int64_t value) { return arith::ConstantIntOp::create(b, loc, type, value); }
  unsigned parts(unsigned operand) { return numScalars(elementTypeOf(op->getOperand(operand))); }
  ArrayRef<Value> element(unsigned operand, int64_t i) {
    return ArrayRef<Value>(in[operand]).slice(i * parts(operand), parts(operand));
  }

  /// A result each of whose elements is an element of an operand: `source` maps the result's index vector to
  /// an operand's number and linear position.
  Registers rearrange(function_ref<std::pair<unsigned, int64_t>(SmallVector<int64_t>)> source) {
    auto shape = shapeOf(op->getResult(0));
    Registers out;
    for (int64_t i = 0, n = arrayType(op->getResult(0)).getNumElements(); i < n; ++i) {
      auto [operand, position] = source(unravel(i, shape));
      llvm::append_range(out, element(operand, position));
    }
    return out;
  }

  /// All elements as the lanes of vectors.
  Registers packed() {
    SmallVector<Value> vectors;
    for (const Registers &operand : in) {
      auto type = VectorType::get({int64_t(operand.size())}, operand.front().getType());
      Value vector = LLVM::PoisonOp::create(b, loc, type);
      for (auto [lane, scalar] : llvm::enumerate(operand))
        vector =
            LLVM::InsertElementOp::create(b, loc, vector, scalar, constantInt(b.getI32Type(), int64_t(lane)));
      vectors.push_back(vector);
    }
    Value result = emitScalar(b, loc, op, vectors);
    Registers out;
    for (int64_t lane = 0; lane < cast<VectorType>(result.getType()).getNumElements(); ++lane)
      out.push_back(LLVM::ExtractElementOp::create(b, loc, result, constantInt(b.getI32Type(), lane)));
    return out;
  }

  SmallVector<Registers, 2> elementwise() {
    if (op->hasAttr(packedAttr)) return {packed()};
    SmallVector<Registers, 2> results(op->getNumResults());
    for (int64_t i = 0, n = arrayType(op->getResult(0)).getNumElements(); i < n; ++i) {
      SmallVector<Value> scalars;
      for (unsigned operand = 0; operand < op->getNumOperands(); ++operand) {
        bool isScalar = arrayType(op->getOperand(operand)).getNumElements() == 1;
        llvm::append_range(scalars, element(operand, isScalar ? 0 : i));
      }
      SmallVector<Value, 2> values = emitScalars(b, loc, op, scalars);
      size_t next = 0;
      for (auto [result, registers] : llvm::zip(op->getResults(), results))
        for (unsigned part = 0; part < numScalars(elementTypeOf(result)); ++part)
          registers.push_back(values[next++]);
    }
    return results;
  }

  Registers pad() {
    auto pad = cast<PadOp>(op);
    auto shape = shapeOf(pad.getOperand());
    return rearrange([&](SmallVector<int64_t> index) -> std::pair<unsigned, int64_t> {
      for (size_t dim = 0; dim < index.size(); ++dim) {
        int64_t at = index[dim] - pad.getLow()[dim], step = pad.getInterior()[dim] + 1;
        if (at < 0 || at % step != 0 || at / step >= shape[dim]) return {1, 0};
        index[dim] = at / step;
      }
      return {0, ravel(index, shape)};
    });
  }

  Registers concatenate() {
    auto concatenate = cast<ConcatenateOp>(op);
    int64_t dim = concatenate.getDimension();
    return rearrange([&](SmallVector<int64_t> index) -> std::pair<unsigned, int64_t> {
      unsigned operand = 0;
      while (index[dim] >= shapeOf(op->getOperand(operand))[dim]) {
        index[dim] -= shapeOf(op->getOperand(operand))[dim];
        ++operand;
      }
      return {operand, ravel(index, shapeOf(op->getOperand(operand)))};
    });
  }

  Registers iota() {
    auto iota = cast<IotaOp>(op);
    SmallVector<Type, 2> types;
    appendScalarTypes(iota.getDtype(), types);
    Registers out;
    for (int64_t i = 0, n = arrayType(iota.getResult()).getNumElements(); i < n; ++i) {
      int64_t count = unravel(i, iota.getShape())[iota.getDimension()];
      for (auto [part, type] : llvm::enumerate(types)) {
        if (auto floatType = dyn_cast<FloatType>(type))
          out.push_back(
              arith::ConstantOp::create(b, loc, FloatAttr::get(floatType, part ? 0.0 : double(count))));
        else
          out.push_back(constantInt(type, count));
      }
    }
    return out;
  }

  /// Linear position of a window's element `offset` at run-time `starts`.
  Value windowPosition(ArrayRef<Value> starts, ArrayRef<int64_t> offset, ArrayRef<int64_t> shape) {
    Value position = constantInt(b.getI64Type(), ravel(offset, shape));
    for (auto [start, stride] : llvm::zip(starts, rowMajorStrides(shape))) {
      Value scaled = arith::MulIOp::create(b, loc, start, constantInt(b.getI64Type(), stride));
      position = arith::AddIOp::create(b, loc, position, scaled);
    }
    return position;
  }

  Value isAt(Value position, int64_t index) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, position,
                                 constantInt(b.getI64Type(), index));
  }

  SmallVector<Value> clampedStarts(unsigned first, ArrayRef<int64_t> shape, ArrayRef<int64_t> sizes) {
    SmallVector<Value> starts;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      starts.push_back(clampedStart(b, loc, in[first + dim][0], elementTypeOf(op->getOperand(first + dim)),
                                    shape[dim] - sizes[dim]));
    return starts;
  }

  Registers dynamicSlice() {
    auto slice = cast<DynamicSliceOp>(op);
    auto shape = shapeOf(slice.getOperand());
    SmallVector<Value> starts = clampedStarts(1, shape, slice.getSizes());
    Registers out;
    for (int64_t i = 0, n = arrayType(slice.getResult()).getNumElements(); i < n; ++i) {
      Value position = windowPosition(starts, unravel(i, slice.getSizes()), shape);
      SmallVector<Value, 2> chosen(element(0, 0));
      for (int64_t j = 1; j < arrayType(slice.getOperand()).getNumElements(); ++j) {
        Value here = isAt(position, j);
        for (auto [part, value] : llvm::enumerate(element(0, j)))
          chosen[part] = arith::SelectOp::create(b, loc, here, value, chosen[part]);
      }
      llvm::append_range(out, chosen);
    }
    return out;
  }

  Registers dynamicUpdateSlice() {
    auto update = cast<DynamicUpdateSliceOp>(op);
    auto shape = shapeOf(update.getOperand()), sizes = shapeOf(update.getUpdate());
    SmallVector<Value> starts = clampedStarts(2, shape, sizes);
    Registers out(in[0].begin(), in[0].end());
    for (int64_t i = 0; i < arrayType(update.getUpdate()).getNumElements(); ++i) {
      Value position = windowPosition(starts, unravel(i, sizes), shape);
      for (int64_t j = 0; j < arrayType(update.getOperand()).getNumElements(); ++j) {
        Value here = isAt(position, j);
        for (auto [part, value] : llvm::enumerate(element(1, i))) {
          Value &old = out[j * parts(1) + part];
          old = arith::SelectOp::create(b, loc, here, value, old);
        }
      }
    }
    return out;
  }

  // --- Reductions and contractions, in the specified order
  // -------------------------------------------------------

  Value reduceIdentity(StringRef kind, Type elementType, Type type) {
    if (auto floatType = dyn_cast<FloatType>(type)) {
      const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
      llvm::APFloat value = kind == "prod"  ? llvm::APFloat(semantics, 1)
                            : kind == "max" ? llvm::APFloat::getInf(semantics, /*Negative=*/true)
                            : kind == "min" ? llvm::APFloat::getInf(semantics)
                                            : llvm::APFloat::getZero(semantics);
      return arith::ConstantOp::create(b, loc, FloatAttr::get(type, value));
    }
    unsigned width = type.getIntOrFloatBitWidth();
    bool isUnsigned = elementType.isUnsignedInteger() || width == 1;
    llvm::APInt value(width, 0);
    if (kind == "prod")
      value = llvm::APInt(width, 1);
    else if (kind == "and")
      value = llvm::APInt::getAllOnes(width);
    else if (kind == "max" && !isUnsigned)
      value = llvm::APInt::getSignedMinValue(width);
    else if (kind == "min")
      value = isUnsigned ? llvm::APInt::getMaxValue(width) : llvm::APInt::getSignedMaxValue(width);
    return arith::ConstantOp::create(b, loc, IntegerAttr::get(type, value));
  }

  Value combine(StringRef kind, Type elementType, Value x, Value y) {
    bool isFloat = isa<FloatType>(x.getType());
    bool isUnsigned = elementType.isUnsignedInteger() || elementType.isInteger(1);
    if (kind == "sum")
      return isFloat ? arith::AddFOp::create(b, loc, x, y).getResult()
                     : arith::AddIOp::create(b, loc, x, y).getResult();
    if (kind == "prod")
      return isFloat ? arith::MulFOp::create(b, loc, x, y).getResult()
                     : arith::MulIOp::create(b, loc, x, y).getResult();
    if (kind == "and") return arith::AndIOp::create(b, loc, x, y);
    if (kind == "or") return arith::OrIOp::create(b, loc, x, y);
    if (kind == "xor") return arith::XOrIOp::create(b, loc, x, y);
    bool isMax = kind == "max";
    if (isFloat)
      return isMax ? arith::MaximumFOp::create(b, loc, x, y).getResult()
                   : arith::MinimumFOp::create(b, loc, x, y).getResult();
    if (isUnsigned)
      return isMax ? arith::MaxUIOp::create(b, loc, x, y).getResult()
                   : arith::MinUIOp::create(b, loc, x, y).getResult();
    return isMax ? arith::MaxSIOp::create(b, loc, x, y).getResult()
                 : arith::MinSIOp::create(b, loc, x, y).getResult();
  }

  Registers reduce() {
    auto reduce = cast<ReduceOp>(op);
    Type elementType = elementTypeOf(reduce.getOperand());
    StringRef kind = reduce.getKind();
    if (in[0].empty()) {
      SmallVector<Type, 2> types;
      appendScalarTypes(elementType, types);
      return Registers(arrayType(reduce.getResult()).getNumElements(),
                       reduceIdentity(kind, elementType, types[0]));
    }
    Value identity = reduceIdentity(kind, elementType, in[0][0].getType());
    // Lanes that nothing has reached stand for the identity without code for it.
    auto fold = [&](Value x, Value y) -> Value {
      if (!y) return x;
      return combine(kind, elementType, x ? x : identity, y);
    };
    Registers values = in[0];
    for (order::ReductionStep step : order::reductionSteps(shapeOf(reduce.getOperand()), reduce.getAxes())) {
      Registers next;
      for (int64_t outer = 0; outer < step.outer; ++outer)
        for (int64_t inner = 0; inner < step.inner; ++inner) {
          auto load = [&](int64_t i) { return values[(outer * step.n + i) * step.inner + inner]; };
          Value result = step.isContiguous() ? order::foldContiguous(step.n, Value(), load, fold)
                                             : order::foldColumn(step.n, Value(), load, fold);
          next.push_back(result ? result : identity);
        }
      values = std::move(next);
    }
    return values;
  }

  Registers dot() {
    auto dot = cast<DotGeneralOp>(op);
    DotSizes sizes = dotSizes(dot);
    Type type = elementTypeOf(dot.getResult());
    auto lhsShape = shapeOf(dot.getLhs()), rhsShape = shapeOf(dot.getRhs());
    // Linear positions of an operand's elements by (batch, free, contracting) position.
    auto positions = [](ArrayRef<int64_t> shape, ArrayRef<int64_t> batch, ArrayRef<int64_t> contracting) {
      SmallVector<int64_t> dims(batch);
      for (int64_t dim = 0; dim < int64_t(shape.size()); ++dim)
        if (!llvm::is_contained(batch, dim) && !llvm::is_contained(contracting, dim)) dims.push_back(dim);
      llvm::append_range(dims, contracting);
      SmallVector<int64_t> ordered;
      for (int64_t dim : dims) ordered.push_back(shape[dim]);
      SmallVector<int64_t> strides = rowMajorStrides(shape), result;
      int64_t count = 1;
      for (int64_t extent : ordered) count *= extent;
      for (int64_t i = 0; i < count; ++i) {
        SmallVector<int64_t> index = unravel(i, ordered);
        int64_t position = 0;
        for (auto [at, dim] : llvm::zip(index, dims)) position += at * strides[dim];
        result.push_back(position);
      }
      return result;
    };
    SmallVector<int64_t> lhs = positions(lhsShape, dot.getLhsBatch(), dot.getLhsContracting());
    SmallVector<int64_t> rhs = positions(rhsShape, dot.getRhsBatch(), dot.getRhsContracting());
    Value zero = arith::ConstantOp::create(b, loc, FloatAttr::get(type, 0.0));
    Registers out;
    for (int64_t batch = 0; batch < sizes.batch; ++batch)
      for (int64_t row = 0; row < sizes.m; ++row)
        for (int64_t column = 0; column < sizes.n; ++column) {
          auto fma = [&](Value sum, int64_t k) -> Value {
            Value x = in[0][lhs[(batch * sizes.m + row) * sizes.k + k]];
            Value y = in[1][rhs[(batch * sizes.n + column) * sizes.k + k]];
            return math::FmaOp::create(b, loc, x, y, sum ? sum : zero);
          };
          out.push_back(order::usesReductionOrder(sizes.m, sizes.n, sizes.k) ? vectorDot(sizes.k, zero, fma)
                                                                             : chainDot(sizes.k, zero, fma));
        }
    return out;
  }

  Value chainDot(int64_t k, Value zero, function_ref<Value(Value, int64_t)> fma) {
    Value sum = zero;
    for (int64_t i = 0; i < k; ++i) sum = fma(sum, i);
    return sum;
  }

  /// Lanes of one product each: k is at most the number of lanes here.
  Value vectorDot(int64_t k, Value zero, function_ref<Value(Value, int64_t)> fma) {
    if (k == 0) return zero;
    std::array<Value, order::lanes> lane;
    for (int64_t i = 0; i < k; ++i) lane[i] = fma(Value(), i);
    return order::combineLanes(lane, [&](Value x, Value y) -> Value {
      if (!y) return x;
      return arith::AddFOp::create(b, loc, x ? x : zero, y);
    });
  }

  SmallVector<Registers, 2> emit() {
    if (hasScalarEmitter(op)) return elementwise();
    return {llvm::TypeSwitch<Operation *, Registers>(op)
                .Case([&](ConstantOp constant) { return constantRegisters(b, loc, constant.getValue()); })
                .Case([&](IotaOp) { return iota(); })
                .Case<ReshapeOp, KeyDataOp, WrapKeyOp>([&](auto) { return in[0]; })
                .Case([&](BroadcastInDimOp broadcast) {
                  auto shape = shapeOf(broadcast.getOperand());
                  return rearrange([&](SmallVector<int64_t> index) -> std::pair<unsigned, int64_t> {
                    SmallVector<int64_t> from;
                    for (auto [dim, extent] : llvm::zip(broadcast.getDims(), shape))
                      from.push_back(extent == 1 ? 0 : index[dim]);
                    return {0, ravel(from, shape)};
                  });
                })
                .Case([&](TransposeOp transpose) {
                  return rearrange([&](SmallVector<int64_t> index) -> std::pair<unsigned, int64_t> {
                    SmallVector<int64_t> from(index.size());
                    for (auto [at, dim] : llvm::zip(index, transpose.getPermutation())) from[dim] = at;
                    return {0, ravel(from, shapeOf(transpose.getOperand()))};
                  });
                })
                .Case([&](ReverseOp reverse) {
                  auto shape = shapeOf(reverse.getOperand());
                  return rearrange([&](SmallVector<int64_t> index) -> std::pair<unsigned, int64_t> {
                    for (int64_t dim : reverse.getDims()) index[dim] = shape[dim] - 1 - index[dim];
                    return {0, ravel(index, shape)};
                  });
                })
                .Case([&](SliceOp slice) {
                  return rearrange([&](SmallVector<int64_t> index) -> std::pair<unsigned, int64_t> {
                    for (size_t dim = 0; dim < index.size(); ++dim)
                      index[dim] = slice.getStarts()[dim] + index[dim] * slice.getStrides()[dim];
                    return {0, ravel(index, shapeOf(slice.getOperand()))};
                  });
                })
                .Case([&](PadOp) { return pad(); })
                .Case([&](ConcatenateOp) { return concatenate(); })
                .Case([&](DynamicSliceOp) { return dynamicSlice(); })
                .Case([&](DynamicUpdateSliceOp) { return dynamicUpdateSlice(); })
                .Case([&](ReduceOp) { return reduce(); })
                .Case([&](DotGeneralOp) { return dot(); })};
  }
};
} // namespace

SmallVector<Registers, 2> emitInRegisters(OpBuilder &b, Location loc, Operation *op,
                                          ArrayRef<Registers> operands) {
  return RegisterEmitter{b, loc, op, operands}.emit();
}

} // namespace jx
