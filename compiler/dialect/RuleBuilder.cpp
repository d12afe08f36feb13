#include "compiler/dialect/RuleBuilder.h"

using namespace mlir;

namespace jx {

// --- Constants
// ---------------------------------------------------------------------------------------------------

/// A splat attribute of any element type that has zero and one: floats, ints, bools, complex, keys excluded.
static ElementsAttr splatAttr(RankedTensorType type, double value) {
  Type element = type.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element)) {
    auto part = cast<FloatType>(complex.getElementType());
    llvm::APFloat real(value), imag(0.0);
    bool losesInfo;
    real.convert(part.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    imag.convert(part.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return DenseElementsAttr::get(type, std::complex<llvm::APFloat>(real, imag));
  }
  HostArray scalar = HostArray::scalar(element, value);
  if (element.isInteger(1)) return DenseElementsAttr::get(type, value != 0.0);
  return DenseElementsAttr::getFromRawBuffer(type, ArrayRef<char>(scalar.as<char>(), scalar.sizeInBytes()));
}

Value RuleBuilder::constant(ElementsAttr value) { return make<ConstantOp>(value); }
Value RuleBuilder::splat(RankedTensorType type, double value) { return constant(splatAttr(type, value)); }
Value RuleBuilder::scalar(Type elementType, double value) {
  return splat(RankedTensorType::get({}, elementType), value);
}
Value RuleBuilder::like(Value v, double value) { return splat(arrayType(v), value); }
Value RuleBuilder::zerosLike(Value v) { return like(v, 0.0); }
Value RuleBuilder::zeros(Type type) {
  auto array = cast<RankedTensorType>(type);
  if (!isa<KeyType>(array.getElementType())) return splat(array, 0.0);
  SmallVector<int64_t> words(array.getShape());
  words.push_back(2);
  return make<WrapKeyOp>(splat(RankedTensorType::get(words, getIntegerType(32, false)), 0.0));
}
Value RuleBuilder::index(int64_t value) {
  auto type = RankedTensorType::get({}, getI64Type());
  return constant(DenseElementsAttr::get(type, value));
}

// --- Elementwise
// -------------------------------------------------------------------------------------------------

Value RuleBuilder::neg(Value x) { return make<NegOp>(x); }
Value RuleBuilder::add(Value x, Value y) { return make<AddOp>(x, y); }
Value RuleBuilder::sub(Value x, Value y) { return make<SubOp>(x, y); }
Value RuleBuilder::mul(Value x, Value y) { return make<MulOp>(x, y); }
Value RuleBuilder::div(Value x, Value y) { return make<DivOp>(x, y); }
Value RuleBuilder::compare(StringRef kind, Value x, Value y) { return make<CompareOp>(x, y, kind); }
Value RuleBuilder::select(Value pred, Value onTrue, Value onFalse) {
  return make<SelectOp>(pred, onTrue, onFalse);
}
Value RuleBuilder::logicalAnd(Value x, Value y) { return make<AndOp>(x, y); }
Value RuleBuilder::logicalOr(Value x, Value y) { return make<OrOp>(x, y); }
Value RuleBuilder::logicalNot(Value x) { return make<NotOp>(x); }
Value RuleBuilder::convert(Value x, Type elementType) {
  return elementTypeOf(x) == elementType ? x : make<ConvertOp>(x, TypeAttr::get(elementType));
}
Value RuleBuilder::stopGradient(Value x) { return make<StopGradientOp>(x); }

// --- Shapes
// ------------------------------------------------------------------------------------------------------

Value RuleBuilder::broadcastInDim(Value x, ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  return make<BroadcastInDimOp>(x, shape, dims);
}
Value RuleBuilder::broadcastLike(Value x, Value v) {
  if (shapeOf(x) == shapeOf(v)) return x;
  assert(rankOf(x) == 0 && "broadcastLike repeats scalars only");
  return broadcastInDim(x, shapeOf(v), {});
}
Value RuleBuilder::broadcastLeading(Value x, int64_t size) {
  SmallVector<int64_t> shape{size}, dims;
  llvm::append_range(shape, shapeOf(x));
  for (int64_t i = 1; i <= rankOf(x); ++i) dims.push_back(i);
  return broadcastInDim(x, shape, dims);
}
Value RuleBuilder::broadcastFromLeading(Value x, Value v) {
  return shapeOf(x) == shapeOf(v) ? x : broadcastInDim(x, shapeOf(v), {0});
}
Value RuleBuilder::reshape(Value x, ArrayRef<int64_t> shape) {
  return shapeOf(x) == shape ? x : make<ReshapeOp>(x, shape);
}
Value RuleBuilder::transpose(Value x, ArrayRef<int64_t> permutation) {
  for (auto [index, dim] : llvm::enumerate(permutation))
    if (int64_t(index) != dim) return make<TransposeOp>(x, permutation);
  return x;
}
Value RuleBuilder::iota(Type elementType, ArrayRef<int64_t> shape, int64_t dimension) {
  return make<IotaOp>(TypeAttr::get(elementType), getDenseI64ArrayAttr(shape), getI64IntegerAttr(dimension));
}
Value RuleBuilder::slice(Value x, ArrayRef<int64_t> starts, ArrayRef<int64_t> limits,
                         ArrayRef<int64_t> strides) {
  return make<SliceOp>(x, starts, limits, strides);
}
Value RuleBuilder::pad(Value x, double value, ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                       ArrayRef<int64_t> interior) {
  return make<PadOp>(x, scalar(elementTypeOf(x), value), low, high, interior);
}
Value RuleBuilder::concatenate(ValueRange inputs, int64_t dimension) {
  return inputs.size() == 1 ? inputs.front() : make<ConcatenateOp>(inputs, dimension);
}
Value RuleBuilder::dynamicSlice(Value x, ValueRange starts, ArrayRef<int64_t> sizes) {
  return make<DynamicSliceOp>(x, starts, sizes);
}
Value RuleBuilder::dynamicUpdateSlice(Value x, Value update, ValueRange starts) {
  return make<DynamicUpdateSliceOp>(x, update, starts);
}

// --- Reductions and products
// -------------------------------------------------------------------------------------

Value RuleBuilder::reduce(StringRef kind, Value x, ArrayRef<int64_t> axes) {
  return axes.empty() ? x : make<ReduceOp>(x, kind, axes);
}
Value RuleBuilder::dotGeneral(Value lhs, Value rhs, ArrayRef<int64_t> lhsContracting,
                              ArrayRef<int64_t> rhsContracting, ArrayRef<int64_t> lhsBatch,
                              ArrayRef<int64_t> rhsBatch, Type elementType) {
  return make<DotGeneralOp>(lhs, rhs, lhsContracting, rhsContracting, lhsBatch, rhsBatch, elementType);
}

// --- Tangents
// ----------------------------------------------------------------------------------------------------

Tangent RuleBuilder::add(Tangent x, Tangent y) {
  if (!x) return y;
  return y ? Tangent(add(x.get(), y.get())) : x;
}

} // namespace jx
