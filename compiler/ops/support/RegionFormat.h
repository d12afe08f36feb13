// How ops with regions are written: the operands that become block arguments stand as bindings before the
// region, `carry(%c = %init)`, and the arguments' types follow from the operands'.
#pragma once

#include "compiler/dialect/JxDialect.h"

namespace jx {

/// ` keyword(%argument = %operand, ...)`; nothing where there is no operand.
void printBindings(mlir::OpAsmPrinter &printer, llvm::StringRef keyword, mlir::ValueRange arguments,
                   mlir::ValueRange operands);

/// ` attributes {...} : (operand types) -> result types`.
void printAttributesAndTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                             llvm::ArrayRef<llvm::StringRef> elided = {});

/// ` {...}` without the header of its entry block, whose arguments are written before.
void printBody(mlir::OpAsmPrinter &printer, mlir::Region &region);

/// Reads what the functions above print, in the same order.
class RegionReader {
public:
  RegionReader(mlir::OpAsmParser &parser, mlir::OperationState &result) : parser(parser), result(result) {}

  using Arguments = llvm::SmallVector<mlir::OpAsmParser::Argument>;

  /// One operand.
  mlir::ParseResult operand();
  /// Appends the bindings to `arguments` and to the operands of the op; none where the keyword is missing.
  mlir::ParseResult bindings(llvm::StringRef keyword, Arguments &arguments);
  /// Resolves all operands that were read, and adds the results.
  mlir::ParseResult attributesAndTypes();
  /// The body, whose arguments have `types`.
  mlir::ParseResult body(Arguments arguments, llvm::ArrayRef<mlir::Type> types);

  unsigned numOperands() const { return operands.size(); }
  llvm::ArrayRef<mlir::Type> operandTypes() const { return types; }

private:
  mlir::OpAsmParser &parser;
  mlir::OperationState &result;
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> operands;
  llvm::SmallVector<mlir::Type> types;
};

} // namespace jx
