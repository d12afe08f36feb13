// What every law of primitives shares: modules, evaluation, comparison of arrays.
#pragma once

#include "compiler/dialect/RuleBuilder.h"
#include "compiler/interpreter/Interpreter.h"
#include "tests/Console.h"
#include "gtest/gtest.h"
#include <string>
#include <vector>

namespace jx::laws {

using Arrays = llvm::SmallVector<HostArray>;

/// A context with the dialects of plain programs, whose diagnostics are collected.
class World {
public:
  World();
  mlir::MLIRContext context;
  std::string diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text);
  mlir::OwningOpRef<mlir::ModuleOp> emptyModule();
};

/// Programs have one option there, the int `n`, which is 7.
struct Console : test::Console {
  Console();
};

/// Element i of a real array, or part i of a complex one (real and imaginary parts alternate).
double numberAt(const HostArray &array, int64_t i);
int64_t numbersIn(const HostArray &array);
void setNumberAt(HostArray &array, int64_t i, double value);
std::string typeName(mlir::Type type);

struct Tolerance {
  double relative = 0, absolute = 0;
  bool signedZeros = true; ///< whether zeros must have the same sign
};
/// Empty if equal element by element: nan equals nan, infinities have their signs; else a sentence about the
/// first difference.
std::string difference(const HostArray &actual, const HostArray &expected, Tolerance tolerance);

} // namespace jx::laws
