// jx.kernel: textual form. What it means: compiler/lowering.
#include "compiler/ops/support/RegionFormat.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

namespace jx {

/// `jx.kernel inputs(%x = %array) : types {...}`
void KernelOp::print(OpAsmPrinter &printer) {
  printBindings(printer, "inputs", getBlock()->getArguments(), getInputs());
  printAttributesAndTypes(printer, *this);
  printBody(printer, getBody());
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  RegionReader reader(parser, result);
  RegionReader::Arguments arguments;
  if (reader.bindings("inputs", arguments) || reader.attributesAndTypes()) return failure();
  return reader.body(std::move(arguments), reader.operandTypes());
}

} // namespace jx
