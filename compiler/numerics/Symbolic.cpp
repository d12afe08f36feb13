// Emission of the numerical vocabulary as arith and math operations.
#include "compiler/numerics/Symbolic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace jx::num {

static thread_local Emission *currentEmission = nullptr;

Emission::Emission(OpBuilder &builder, Location loc, Type like)
    : builder(builder), loc(loc), isVector(false), outer(currentEmission) {
  if (auto vector = dyn_cast<VectorType>(like)) {
    isVector = true;
    shape.assign(vector.getShape().begin(), vector.getShape().end());
  }
  currentEmission = this;
}
Emission::~Emission() { currentEmission = outer; }
Emission &Emission::current() {
  assert(currentEmission && "no emission in progress");
  return *currentEmission;
}
Type Emission::typeOf(Type scalar) const { return isVector ? VectorType::get(shape, scalar) : scalar; }

namespace emit {

static Emission &here() { return Emission::current(); }
template <typename OpT, typename... Args> static Value make(Args &&...args) {
  return OpT::create(here().builder, here().loc, std::forward<Args>(args)...);
}

static Type scalarType(Form form) {
  OpBuilder &b = here().builder;
  if (form.kind == Kind::Float) return form.bits == 32 ? Type(b.getF32Type()) : Type(b.getF64Type());
  return b.getIntegerType(form.bits);
}

static Value constant(TypedAttr scalar) {
  Type type = here().typeOf(scalar.getType());
  if (auto vector = dyn_cast<VectorType>(type)) scalar = DenseElementsAttr::get(vector, scalar);
  return make<arith::ConstantOp>(scalar);
}
Value constant(Form form, double value) { return constant(FloatAttr::get(scalarType(form), value)); }
Value constant(Form form, int64_t value) {
  return constant(IntegerAttr::get(scalarType(form), APInt(form.bits, uint64_t(value), false, true)));
}

Value unary(Unary op, Value x) {
  switch (op) {
  case Unary::Neg:
    if (isa<FloatType>(getElementTypeOrSelf(x.getType()))) return make<arith::NegFOp>(x);
    return make<arith::SubIOp>(constant(IntegerAttr::get(getElementTypeOrSelf(x.getType()), 0)), x);
  case Unary::Abs:
    return make<math::AbsFOp>(x);
  case Unary::Sqrt:
    return make<math::SqrtOp>(x);
  case Unary::Floor:
    return make<math::FloorOp>(x);
  case Unary::Ceil:
    return make<math::CeilOp>(x);
  case Unary::Trunc:
    return make<math::TruncOp>(x);
  case Unary::Rint:
    return make<math::RoundEvenOp>(x);
  case Unary::CountOnes:
    return make<math::CtPopOp>(x);
  case Unary::LeadingZeros:
    return make<math::CountLeadingZerosOp>(x);
  case Unary::Sin:
    return make<math::SinOp>(x);
  case Unary::Cos:
    return make<math::CosOp>(x);
  case Unary::Tan:
    return make<math::TanOp>(x);
  }
  llvm_unreachable("unary operation");
}

Value binary(Binary op, Form form, Value x, Value y) {
  bool isFloat = form.kind == Kind::Float, isSigned = form.kind == Kind::Signed;
  switch (op) {
  case Binary::Add:
    return isFloat ? make<arith::AddFOp>(x, y) : make<arith::AddIOp>(x, y);
  case Binary::Sub:
    return isFloat ? make<arith::SubFOp>(x, y) : make<arith::SubIOp>(x, y);
  case Binary::Mul:
    return isFloat ? make<arith::MulFOp>(x, y) : make<arith::MulIOp>(x, y);
  case Binary::Div:
    return isFloat    ? make<arith::DivFOp>(x, y)
           : isSigned ? make<arith::DivSIOp>(x, y)
                      : make<arith::DivUIOp>(x, y);
  case Binary::Rem:
    return isFloat    ? make<arith::RemFOp>(x, y)
           : isSigned ? make<arith::RemSIOp>(x, y)
                      : make<arith::RemUIOp>(x, y);
  case Binary::And:
    return make<arith::AndIOp>(x, y);
  case Binary::Or:
    return make<arith::OrIOp>(x, y);
  case Binary::Xor:
    return make<arith::XOrIOp>(x, y);
  case Binary::ShiftLeft:
    return make<arith::ShLIOp>(x, y);
  case Binary::ShiftRight:
    return isSigned ? make<arith::ShRSIOp>(x, y) : make<arith::ShRUIOp>(x, y);
  case Binary::CopySign:
    return make<math::CopySignOp>(x, y);
  }
  llvm_unreachable("binary operation");
}

Value compare(Compare op, Form form, Value x, Value y) {
  if (form.kind == Kind::Float) {
    constexpr arith::CmpFPredicate predicates[] = {arith::CmpFPredicate::OEQ, arith::CmpFPredicate::UNE,
                                                   arith::CmpFPredicate::OLT, arith::CmpFPredicate::OLE,
                                                   arith::CmpFPredicate::OGT, arith::CmpFPredicate::OGE};
    return make<arith::CmpFOp>(predicates[unsigned(op)], x, y);
  }
  constexpr arith::CmpIPredicate ofSigned[] = {arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,
                                               arith::CmpIPredicate::slt, arith::CmpIPredicate::sle,
                                               arith::CmpIPredicate::sgt, arith::CmpIPredicate::sge};
  constexpr arith::CmpIPredicate ofUnsigned[] = {arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,
                                                 arith::CmpIPredicate::ult, arith::CmpIPredicate::ule,
                                                 arith::CmpIPredicate::ugt, arith::CmpIPredicate::uge};
  bool isSigned = form.kind == Kind::Signed;
  return make<arith::CmpIOp>((isSigned ? ofSigned : ofUnsigned)[unsigned(op)], x, y);
}

Value fma(Value x, Value y, Value z) { return make<math::FmaOp>(x, y, z); }
Value select(Value condition, Value onTrue, Value onFalse) {
  return make<arith::SelectOp>(condition, onTrue, onFalse);
}
/// A branch that vectors take when any of their lanes does.
Value selectRare(Value condition, llvm::function_ref<Value()> rare, Value common) {
  OpBuilder &b = here().builder;
  Value any = condition;
  if (isa<VectorType>(any.getType())) any = make<vector::ReductionOp>(vector::CombiningKind::OR, any);
  auto branch = scf::IfOp::create(b, here().loc, TypeRange{common.getType()}, any, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, here().loc, select(condition, rare(), common));
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, here().loc, common);
  return branch.getResult(0);
}

Value cast(Form from, Form to, Value x) {
  Type type = here().typeOf(scalarType(to));
  if (x.getType() == type) return x;
  bool toFloat = to.kind == Kind::Float, fromFloat = from.kind == Kind::Float;
  if (to.kind == Kind::Bool)
    return compare(Compare::Ne, from, x, fromFloat ? constant(from, 0.0) : constant(from, int64_t(0)));
  if (fromFloat && toFloat)
    return from.bits < to.bits ? make<arith::ExtFOp>(type, x) : make<arith::TruncFOp>(type, x);
  if (fromFloat)
    return to.kind == Kind::Signed ? make<arith::FPToSIOp>(type, x) : make<arith::FPToUIOp>(type, x);
  if (toFloat)
    return from.kind == Kind::Signed ? make<arith::SIToFPOp>(type, x) : make<arith::UIToFPOp>(type, x);
  if (from.bits > to.bits) return make<arith::TruncIOp>(type, x);
  return from.kind == Kind::Signed ? make<arith::ExtSIOp>(type, x) : make<arith::ExtUIOp>(type, x);
}

Value bitcast(Form to, Value x) { return bitcastTo(scalarType(to), x); }
Value bitcastTo(Type scalar, Value x) {
  Type type = here().typeOf(scalar);
  return x.getType() == type ? x : make<arith::BitcastOp>(type, x);
}

} // namespace emit
} // namespace jx::num
