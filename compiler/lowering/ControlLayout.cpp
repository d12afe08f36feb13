// How elements lie in memory: loads, stores and addresses that control program and kernels share.
#include "compiler/lowering/Kernels.h"
#include "compiler/lowering/ScalarEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace jx {

/// Address `bytes` after `pointer`.
static Value offsetPointer(OpBuilder &b, Location loc, Value pointer, int64_t bytes) {
  if (bytes == 0) return pointer;
  return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
}

SmallVector<Value, 2> loadElement(OpBuilder &b, Location loc, Type elementType, Value pointer) {
  SmallVector<Type, 2> types;
  appendScalarTypes(elementType, types);
  SmallVector<Value, 2> scalars;
  int64_t partBytes = elementBytes(elementType) / static_cast<int64_t>(types.size());
  for (auto [part, type] : llvm::enumerate(types)) {
    Value address = offsetPointer(b, loc, pointer, part * partBytes);
    bool isBool = type.isInteger(1);
    Value value = LLVM::LoadOp::create(b, loc, isBool ? b.getI8Type() : type, address, partBytes);
    scalars.push_back(isBool ? arith::TruncIOp::create(b, loc, type, value).getResult() : value);
  }
  return scalars;
}

void storeElement(OpBuilder &b, Location loc, Type elementType, ValueRange scalars, Value pointer) {
  int64_t partBytes = elementBytes(elementType) / static_cast<int64_t>(scalars.size());
  for (auto [part, value] : llvm::enumerate(scalars)) {
    Value address = offsetPointer(b, loc, pointer, part * partBytes);
    if (value.getType().isInteger(1)) value = arith::ExtUIOp::create(b, loc, b.getI8Type(), value);
    LLVM::StoreOp::create(b, loc, value, address, partBytes);
  }
}

Value elementPointer(OpBuilder &b, Location loc, Type elementType, Value pointer, Value index) {
  auto element = LLVM::LLVMArrayType::get(b.getI8Type(), elementBytes(elementType));
  return LLVM::GEPOp::create(b, loc, pointer.getType(), element, pointer, ArrayRef<LLVM::GEPArg>{index});
}

} // namespace jx
