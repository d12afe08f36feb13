// Registration of the dialect and its types.
#include "compiler/dialect/JxDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "compiler/dialect/JxDialect.cpp.inc"
#include "compiler/dialect/JxInterfaces.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "compiler/dialect/JxTypes.cpp.inc"

using namespace mlir;

namespace jx {

void JxDialect::initialize() {
  registerTypes();
  registerOps();
}

void JxDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/dialect/JxTypes.cpp.inc"
      >();
}

Operation *JxDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type) return nullptr;
  return ConstantOp::create(builder, loc, elements);
}

} // namespace jx
