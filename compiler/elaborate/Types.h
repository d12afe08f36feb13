// Element types by their JAX names, Python numbers' weak types, and JAX's promotion lattice.
#pragma once
#include "compiler/elaborate/Value.h"

namespace jx::elab {

// A dtype with JAX's weak flag: the type of an array, or of a Python number that meets one.
struct WeakType {
  mlir::Type dtype;
  bool weak = false;
  bool operator==(const WeakType &) const = default;
};

// The element type of a NumPy name such as `float32`, `bool` or `int8`; null for another name.
mlir::Type dtypeByName(mlir::MLIRContext *context, llvm::StringRef name);
std::string dtypeName(mlir::Type dtype);
bool isBoolDtype(mlir::Type dtype);
bool isIntDtype(mlir::Type dtype); // signed or unsigned, not bool
bool isUnsignedDtype(mlir::Type dtype);
bool isFloatDtype(mlir::Type dtype);
bool isComplexDtype(mlir::Type dtype);
bool isKeyDtype(mlir::Type dtype);
unsigned dtypeBytes(mlir::Type dtype);
// `f32[3,4]`, the short form of annotations and messages.
std::string typeText(mlir::RankedTensorType type, bool weak = false);

class Promotion {
public:
  Promotion(mlir::MLIRContext *context) : context(context) {}
  bool x64 = false; // jax_enable_x64: Python numbers are 64 bits wide

  mlir::Type defaultInt() const;
  mlir::Type defaultFloat() const;
  mlir::Type defaultComplex() const;
  // The type of a static or host number that becomes an array.
  WeakType ofNumber(Value number) const;
  // JAX's lattice over operands' types.
  WeakType promote(llvm::ArrayRef<WeakType> types) const;

private:
  mlir::MLIRContext *context;
};

} // namespace jx::elab
