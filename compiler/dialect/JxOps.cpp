// Definitions of the generated op classes; the rules that they declare are defined beside each family.
#include "compiler/dialect/JxDialect.h"
#include "compiler/dialect/RuleBuilder.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "compiler/dialect/JxOps.cpp.inc"

void jx::JxDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/JxOps.cpp.inc"
      >();
}
