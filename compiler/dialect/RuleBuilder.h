// The builder in which rules are written: one short method a primitive, types inferred, shapes only through
// helpers
// (`like`, `broadcastLike`), so that run-time dimensions can come later without touching a rule.
#pragma once

#include "compiler/dialect/JxDialect.h"
#include "compiler/dialect/Rules.h"

namespace jx {

class RuleBuilder : public mlir::OpBuilder {
public:
  RuleBuilder(mlir::OpBuilder builder, mlir::Location loc) : OpBuilder(builder), loc(loc) {}
  mlir::Location getLoc() const { return loc; }
  void setLoc(mlir::Location location) { loc = location; }

  /// Builds an op whose results are inferred; returns the op.
  template <typename OpT, typename... Args> OpT make(Args &&...args) {
    return OpT::create(*this, loc, std::forward<Args>(args)...);
  }

  // Constants. `like` gives the shape and element type.
  mlir::Value constant(mlir::ElementsAttr value);
  mlir::Value scalar(mlir::Type elementType, double value);
  mlir::Value splat(mlir::RankedTensorType type, double value);
  mlir::Value like(mlir::Value v, double value);
  mlir::Value zerosLike(mlir::Value v);
  mlir::Value zeros(mlir::Type type); ///< also for stacks' element-wise zero: an empty stack is not supported
  mlir::Value index(int64_t value);   ///< tensor<i64>

  // Elementwise.
  mlir::Value neg(mlir::Value x);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value div(mlir::Value x, mlir::Value y);
  mlir::Value scale(mlir::Value x, double factor) { return mul(x, like(x, factor)); }
  mlir::Value compare(llvm::StringRef kind, mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value pred, mlir::Value onTrue, mlir::Value onFalse);
  mlir::Value logicalAnd(mlir::Value x, mlir::Value y);
  mlir::Value logicalOr(mlir::Value x, mlir::Value y);
  mlir::Value logicalNot(mlir::Value x);
  mlir::Value convert(mlir::Value x, mlir::Type elementType);
  mlir::Value stopGradient(mlir::Value x);
  /// Any unary or binary elementwise op, by class.
  template <typename OpT> mlir::Value unary(mlir::Value x) { return make<OpT>(x); }
  template <typename OpT> mlir::Value binary(mlir::Value x, mlir::Value y) { return make<OpT>(x, y); }

  // Shapes.
  mlir::Value broadcastInDim(mlir::Value x, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> dims);
  /// A scalar repeated to the shape of `v`; any other x must have v's shape already.
  mlir::Value broadcastLike(mlir::Value x, mlir::Value v);
  /// x with new leading dimension `size` (the batch dimension).
  mlir::Value broadcastLeading(mlir::Value x, int64_t size);
  /// A vector along dimension 0 repeated over v's other dimensions (masks over lanes).
  mlir::Value broadcastFromLeading(mlir::Value x, mlir::Value v);
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> permutation);
  mlir::Value iota(mlir::Type elementType, llvm::ArrayRef<int64_t> shape, int64_t dimension);
  mlir::Value slice(mlir::Value x, llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> limits,
                    llvm::ArrayRef<int64_t> strides);
  mlir::Value pad(mlir::Value x, double value, llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high,
                  llvm::ArrayRef<int64_t> interior);
  mlir::Value concatenate(mlir::ValueRange inputs, int64_t dimension);
  mlir::Value dynamicSlice(mlir::Value x, mlir::ValueRange starts, llvm::ArrayRef<int64_t> sizes);
  mlir::Value dynamicUpdateSlice(mlir::Value x, mlir::Value update, mlir::ValueRange starts);

  // Reductions and products.
  mlir::Value reduce(llvm::StringRef kind, mlir::Value x, llvm::ArrayRef<int64_t> axes);
  mlir::Value reduceSum(mlir::Value x, llvm::ArrayRef<int64_t> axes) { return reduce("sum", x, axes); }
  mlir::Value dotGeneral(mlir::Value lhs, mlir::Value rhs, llvm::ArrayRef<int64_t> lhsContracting,
                         llvm::ArrayRef<int64_t> rhsContracting, llvm::ArrayRef<int64_t> lhsBatch,
                         llvm::ArrayRef<int64_t> rhsBatch, mlir::Type elementType);

  // Tangents: the symbolic zero absorbs and is absorbed.
  Tangent add(Tangent x, Tangent y);
  Tangent neg(Tangent x) { return x ? Tangent(neg(x.get())) : x; }
  Tangent mul(Tangent x, mlir::Value y) { return x ? Tangent(mul(x.get(), y)) : x; }
  Tangent div(Tangent x, mlir::Value y) { return x ? Tangent(div(x.get(), y)) : x; }
  mlir::Value materialise(Tangent x, mlir::Type type) { return x ? x.get() : zeros(type); }

private:
  mlir::Location loc;
};

/// Shape and element type of an array value.
inline mlir::RankedTensorType arrayType(mlir::Value v) {
  return llvm::cast<mlir::RankedTensorType>(v.getType());
}
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value v) { return arrayType(v).getShape(); }
inline mlir::Type elementTypeOf(mlir::Value v) { return arrayType(v).getElementType(); }
inline int64_t rankOf(mlir::Value v) { return arrayType(v).getRank(); }

} // namespace jx
