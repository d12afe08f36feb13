#include "compiler/ops/effect/RuntimeValues.h"
#include "compiler/dialect/JxDialect.h"
#include "jxrt/Io.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace jx {

int32_t fileFormat(StringRef name) {
  return llvm::StringSwitch<int32_t>(name)
      .Case("idx", JXRT_FILE_IDX)
      .Case("npy", JXRT_FILE_NPY)
      .Case("npz", JXRT_FILE_NPZ)
      .Default(JXRT_FILE_AUTO);
}

int32_t pathKind(StringRef name) {
  return llvm::StringSwitch<int32_t>(name)
      .Case("file", JXRT_PATH_FILE)
      .Case("directory", JXRT_PATH_DIRECTORY)
      .Default(JXRT_PATH_ANY);
}

int32_t runtimeDtype(Type type) {
  if (isa<KeyType>(type)) return JXRT_KEY;
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex.getElementType().isF32() ? JXRT_C64 : JXRT_C128;
  if (type.isF16()) return JXRT_F16;
  if (type.isBF16()) return JXRT_BF16;
  if (type.isF32()) return JXRT_F32;
  if (type.isF64()) return JXRT_F64;
  if (type.isInteger(1)) return JXRT_BOOL;
  bool isUnsigned = type.isUnsignedInteger();
  switch (type.getIntOrFloatBitWidth()) {
  case 8:
    return isUnsigned ? JXRT_U8 : JXRT_I8;
  case 16:
    return isUnsigned ? JXRT_U16 : JXRT_I16;
  case 32:
    return isUnsigned ? JXRT_U32 : JXRT_I32;
  default:
    return isUnsigned ? JXRT_U64 : JXRT_I64;
  }
}

jxrt_array arrayDescriptor(const HostArray &array) {
  jxrt_array descriptor = {};
  descriptor.data = const_cast<void *>(array.data());
  descriptor.rank = array.getRank();
  descriptor.shape = array.getShape().data();
  descriptor.dtype = runtimeDtype(array.getElementType());
  return descriptor;
}

RuntimeValues::RuntimeValues(ArrayRef<HostArray> arrays) {
  for (const HostArray &array : arrays) {
    jxrt_value value = {};
    value.kind = array.isStack() ? JXRT_VALUE_STACK : JXRT_VALUE_ARRAY;
    value.dtype = runtimeDtype(array.getElementType());
    value.rank = array.getRank();
    value.shape = array.getShape().data();
    value.data = array.data();
    if (array.isStack()) {
      std::vector<char> &bytes = storage.emplace_back();
      for (const HostArray &element : array.getElements())
        bytes.insert(bytes.end(), element.as<char>(), element.as<char>() + element.sizeInBytes());
      value.data = bytes.data();
      value.scalar.i = array.getElements().size();
    }
    values.push_back(value);
  }
}

std::string sourceLine(Location loc) {
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    return (file.getFilename().getValue() + ":" + Twine(file.getLine())).str();
  if (auto name = dyn_cast<NameLoc>(loc)) return sourceLine(name.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(loc)) return sourceLine(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (std::string line = sourceLine(part); !line.empty()) return line;
  return "";
}

} // namespace jx
