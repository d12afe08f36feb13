// What every law of primitives shares: modules, evaluation, comparison of arrays.
#pragma once

#include "compiler/dialect/RuleBuilder.h"
#include "compiler/interpreter/Interpreter.h"
#include "jxrt/Context.h"
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

/// A runtime context that keeps what effects print. Programs have one option there, the int `n`, which is 7.
struct Console {
  std::string text;
  jxrt_context *context;
  Console();
  ~Console() { jxrt_context_destroy(context); }
  Console(const Console &) = delete;
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
