#include "compiler/dialect/HostArray.h"
#include "compiler/dialect/JxDialect.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;

namespace jx {

int64_t elementBytes(Type type) {
  if (isa<KeyType>(type)) return 8;
  if (auto complex = dyn_cast<ComplexType>(type)) return 2 * elementBytes(complex.getElementType());
  return std::max<int64_t>(1, type.getIntOrFloatBitWidth() / 8);
}

HostArray::HostArray(RankedTensorType type) : type(type) {
  bytes = std::shared_ptr<char[]>(new char[std::max<int64_t>(1, sizeInBytes())]);
}

HostArray HostArray::stack(RankedTensorType elementType, std::vector<HostArray> elements) {
  HostArray array;
  array.type = elementType;
  array.elements = std::make_shared<std::vector<HostArray>>(std::move(elements));
  return array;
}

HostArray &HostArray::unique() {
  if (bytes.use_count() > 1) {
    std::shared_ptr<char[]> copy(new char[std::max<int64_t>(1, sizeInBytes())]);
    std::memcpy(copy.get(), bytes.get(), sizeInBytes());
    bytes = std::move(copy);
  }
  return *this;
}

HostArray HostArray::withType(RankedTensorType newType) const {
  HostArray array = *this;
  array.type = newType;
  return array;
}

int64_t HostArray::scalarInt() const {
  Type element = getElementType();
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  switch (elementBytes(element)) {
  case 1:
    return isUnsigned ? int64_t(*as<uint8_t>()) : int64_t(*as<int8_t>());
  case 2:
    return isUnsigned ? int64_t(*as<uint16_t>()) : int64_t(*as<int16_t>());
  case 4:
    return isUnsigned ? int64_t(*as<uint32_t>()) : int64_t(*as<int32_t>());
  default:
    return *as<int64_t>();
  }
}

double HostArray::scalarFloat() const {
  Type element = getElementType();
  if (element.isF64()) return *as<double>();
  if (element.isF32()) return *as<float>();
  if (auto floatType = dyn_cast<FloatType>(element)) {
    llvm::APFloat value(floatType.getFloatSemantics(), llvm::APInt(16, *as<uint16_t>()));
    bool losesInfo;
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return value.convertToDouble();
  }
  return double(scalarInt());
}

HostArray HostArray::scalar(Type elementType, int64_t value) {
  if (isa<FloatType>(elementType)) return scalar(elementType, double(value));
  HostArray array(RankedTensorType::get({}, elementType));
  std::memcpy(array.mutableData(), &value, array.sizeInBytes()); // little-endian: the low bytes come first
  if (elementType.isInteger(1)) *array.as<uint8_t>() = value != 0;
  return array;
}

HostArray HostArray::scalar(Type elementType, double value) {
  auto floatType = dyn_cast<FloatType>(elementType);
  if (!floatType) return scalar(elementType, int64_t(value));
  HostArray array(RankedTensorType::get({}, elementType));
  if (elementType.isF64())
    *array.as<double>() = value;
  else if (elementType.isF32())
    *array.as<float>() = float(value);
  else {
    llvm::APFloat rounded(value);
    bool losesInfo;
    rounded.convert(floatType.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    *array.as<uint16_t>() = uint16_t(rounded.bitcastToAPInt().getZExtValue());
  }
  return array;
}

/// Dense attributes store i1 bit-packed through their own accessors; everything else as raw bytes of our
/// layout.
HostArray HostArray::fromAttr(ElementsAttr attr) {
  auto type = cast<RankedTensorType>(attr.getShapedType());
  HostArray array(type);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr)) {
    ArrayRef<char> raw = resource.getData();
    std::memcpy(array.mutableData(), raw.data(), std::min<size_t>(raw.size(), array.sizeInBytes()));
    return array;
  }
  auto dense = cast<DenseElementsAttr>(attr);
  if (type.getElementType().isInteger(1)) {
    char *out = array.as<char>();
    if (dense.isSplat())
      std::memset(out, dense.getSplatValue<bool>(), array.size());
    else
      for (bool value : dense.getValues<bool>()) *out++ = value;
    return array;
  }
  ArrayRef<char> raw = dense.getRawData();
  if (!dense.isSplat()) {
    std::memcpy(array.mutableData(), raw.data(), array.sizeInBytes());
    return array;
  }
  int64_t width = elementBytes(type.getElementType());
  for (int64_t i = 0, n = array.size(); i < n; ++i)
    std::memcpy(array.as<char>() + i * width, raw.data(), width);
  return array;
}

/// Above 1 KB a literal becomes a dense resource: uniquing would hash every byte, and nothing may fold it.
ElementsAttr HostArray::toAttr() const {
  constexpr int64_t largestFolded = 1024;
  ArrayRef<char> raw(as<char>(), sizeInBytes());
  if (type.getElementType().isInteger(1)) {
    SmallVector<bool> values(size());
    for (int64_t i = 0; i < size(); ++i) values[i] = raw[i];
    return DenseElementsAttr::get(type, values);
  }
  int64_t width = elementBytes(type.getElementType());
  bool splat = size() > 0;
  for (int64_t i = 1; splat && i < size(); ++i)
    splat = !std::memcmp(raw.data(), raw.data() + i * width, width);
  if (splat && size() > 1) return DenseElementsAttr::getFromRawBuffer(type, raw.take_front(width));
  if (sizeInBytes() > largestFolded)
    return DenseResourceElementsAttr::get(type, "literal",
                                          HeapAsmResourceBlob::allocateAndCopyWithAlign(raw, 64));
  return DenseElementsAttr::getFromRawBuffer(type, raw);
}

} // namespace jx
