#include "compiler/ops/support/RegionFormat.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

namespace jx {

void printBindings(OpAsmPrinter &printer, StringRef keyword, ValueRange arguments, ValueRange operands) {
  if (operands.empty()) return;
  printer << " " << keyword << "(";
  llvm::interleaveComma(llvm::zip_equal(arguments, operands), printer, [&](auto binding) {
    printer << std::get<0>(binding) << " = " << std::get<1>(binding);
  });
  printer << ")";
}

void printAttributesAndTypes(OpAsmPrinter &printer, Operation *op, ArrayRef<StringRef> elided) {
  SmallVector<StringRef> unprinted(elided);
  unprinted.push_back("operandSegmentSizes");
  printer.printOptionalAttrDictWithKeyword(op->getAttrs(), unprinted);
  printer << " : ";
  printer.printFunctionalType(op);
}

void printBody(OpAsmPrinter &printer, Region &region) {
  printer << " ";
  printer.printRegion(region, /*printEntryBlockArgs=*/false);
}

ParseResult RegionReader::operand() { return parser.parseOperand(operands.emplace_back()); }

ParseResult RegionReader::bindings(StringRef keyword, Arguments &arguments) {
  if (failed(parser.parseOptionalKeyword(keyword))) return success();
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
    if (parser.parseArgument(arguments.emplace_back()) || parser.parseEqual()) return failure();
    return operand();
  });
}

ParseResult RegionReader::attributesAndTypes() {
  SMLoc at = parser.getCurrentLocation();
  FunctionType type;
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseColonType(type))
    return failure();
  types.assign(type.getInputs().begin(), type.getInputs().end());
  result.addTypes(type.getResults());
  return parser.resolveOperands(operands, types, at, result.operands);
}

ParseResult RegionReader::body(Arguments arguments, ArrayRef<Type> argumentTypes) {
  if (arguments.size() != argumentTypes.size())
    return parser.emitError(parser.getCurrentLocation(), "expected ")
           << argumentTypes.size() << " region arguments, got " << arguments.size();
  for (auto [argument, type] : llvm::zip_equal(arguments, argumentTypes)) argument.type = type;
  return parser.parseRegion(*result.addRegion(), arguments);
}

} // namespace jx
