// Numbers of kernel code: a Sym<T> is an SSA value that holds a T (or a vector of them), and each operator
// emits the arith or math operation of the plain one. Integers are signless in the code; T knows their sign.
#pragma once

#include "compiler/numerics/Scalar.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace jx::num {

/// Where Sym operators emit to, for the lifetime of this object, on this thread. `like` gives the vector
/// shape of every value, constants included; a scalar for none.
class Emission {
public:
  Emission(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type like);
  ~Emission();
  Emission(const Emission &) = delete;
  static Emission &current();

  mlir::OpBuilder &builder;
  mlir::Location loc;
  /// `scalar` itself, or the vector of it.
  mlir::Type typeOf(mlir::Type scalar) const;

private:
  llvm::SmallVector<int64_t> shape;
  bool isVector;
  Emission *outer;
};

/// What T is in the code.
enum class Kind : uint8_t { Float, Signed, Unsigned, Bool };
struct Form {
  Kind kind;
  unsigned bits;
};
template <class T>
inline constexpr Form formOf{std::is_same_v<T, bool>       ? Kind::Bool
                             : std::is_floating_point_v<T> ? Kind::Float
                             : std::is_signed_v<T>         ? Kind::Signed
                                                           : Kind::Unsigned,
                             std::is_same_v<T, bool> ? 1u : unsigned(sizeof(T) * 8)};

enum class Binary : uint8_t { Add, Sub, Mul, Div, Rem, And, Or, Xor, ShiftLeft, ShiftRight, CopySign };
enum class Unary : uint8_t {
  Neg,
  Abs,
  Sqrt,
  Floor,
  Ceil,
  Trunc,
  Rint,
  CountOnes,
  LeadingZeros,
  Sin,
  Cos,
  Tan
};
enum class Compare : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };

namespace emit {
mlir::Value constant(Form form, double value);
mlir::Value constant(Form form, int64_t value);
mlir::Value unary(Unary op, mlir::Value x);
mlir::Value binary(Binary op, Form form, mlir::Value x, mlir::Value y);
mlir::Value compare(Compare op, Form form, mlir::Value x, mlir::Value y);
mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z);
mlir::Value select(mlir::Value condition, mlir::Value onTrue, mlir::Value onFalse);
mlir::Value selectRare(mlir::Value condition, llvm::function_ref<mlir::Value()> rare, mlir::Value common);
mlir::Value cast(Form from, Form to, mlir::Value x);
mlir::Value bitcast(Form to, mlir::Value x);
/// To a scalar type of MLIR of the same width, halves included.
mlir::Value bitcastTo(mlir::Type scalar, mlir::Value x);
} // namespace emit

template <class T> class Sym {
public:
  Sym() = default;
  Sym(T number) {
    if constexpr (std::is_floating_point_v<T>)
      v = emit::constant(form, double(number));
    else
      v = emit::constant(form, int64_t(number));
  }
  static Sym of(mlir::Value value) {
    Sym s;
    s.v = value;
    return s;
  }

  friend Sym operator-(Sym x) { return of(emit::unary(Unary::Neg, x.v)); }
  friend Sym operator+(Sym x, Sym y) { return binary(Binary::Add, x, y); }
  friend Sym operator-(Sym x, Sym y) { return binary(Binary::Sub, x, y); }
  friend Sym operator*(Sym x, Sym y) { return binary(Binary::Mul, x, y); }
  friend Sym operator/(Sym x, Sym y) { return binary(Binary::Div, x, y); }
  friend Sym operator&(Sym x, Sym y) { return binary(Binary::And, x, y); }
  friend Sym operator|(Sym x, Sym y) { return binary(Binary::Or, x, y); }
  friend Sym operator!(Sym x) { return binary(Binary::Xor, x, Sym(T(1))); }
  friend Sym<bool> operator==(Sym x, Sym y) { return compare(Compare::Eq, x, y); }
  friend Sym<bool> operator!=(Sym x, Sym y) { return compare(Compare::Ne, x, y); }
  friend Sym<bool> operator<(Sym x, Sym y) { return compare(Compare::Lt, x, y); }
  friend Sym<bool> operator<=(Sym x, Sym y) { return compare(Compare::Le, x, y); }
  friend Sym<bool> operator>(Sym x, Sym y) { return compare(Compare::Gt, x, y); }
  friend Sym<bool> operator>=(Sym x, Sym y) { return compare(Compare::Ge, x, y); }

  friend Sym fma(Sym x, Sym y, Sym z) { return of(emit::fma(x.v, y.v, z.v)); }

  friend Sym select(Sym<bool> condition, Sym onTrue, Sym onFalse) {
    return of(emit::select(condition.v, onTrue.v, onFalse.v));
  }
  template <class F> friend Sym selectRare(Sym<bool> condition, F rare, Sym common) {
    return of(emit::selectRare(condition.v, [&] { return rare().v; }, common.v));
  }

  mlir::Value v;

  static Sym binary(Binary op, Sym x, Sym y) { return of(emit::binary(op, form, x.v, y.v)); }

private:
  static constexpr Form form = formOf<T>;
  static Sym<bool> compare(Compare op, Sym x, Sym y) {
    return Sym<bool>::of(emit::compare(op, form, x.v, y.v));
  }
};

template <class T> Sym<T> sqrt(Sym<T> x) { return Sym<T>::of(emit::unary(Unary::Sqrt, x.v)); }
template <class T> Sym<T> floor(Sym<T> x) { return Sym<T>::of(emit::unary(Unary::Floor, x.v)); }
template <class T> Sym<T> ceil(Sym<T> x) { return Sym<T>::of(emit::unary(Unary::Ceil, x.v)); }
template <class T> Sym<T> trunc(Sym<T> x) { return Sym<T>::of(emit::unary(Unary::Trunc, x.v)); }
template <class T> Sym<T> rint(Sym<T> x) { return Sym<T>::of(emit::unary(Unary::Rint, x.v)); }
template <class T> Sym<T> abs(Sym<T> x) { return Sym<T>::of(emit::unary(Unary::Abs, x.v)); }
template <class T> Sym<T> countOnes(Sym<T> x) { return Sym<T>::of(emit::unary(Unary::CountOnes, x.v)); }
template <class T> Sym<T> leadingZeros(Sym<T> x) { return Sym<T>::of(emit::unary(Unary::LeadingZeros, x.v)); }
template <class T> Sym<T> librarySin(Sym<T> x) { return Sym<T>::of(emit::unary(Unary::Sin, x.v)); }
template <class T> Sym<T> libraryCos(Sym<T> x) { return Sym<T>::of(emit::unary(Unary::Cos, x.v)); }
template <class T> Sym<T> libraryTan(Sym<T> x) { return Sym<T>::of(emit::unary(Unary::Tan, x.v)); }
template <class T> Sym<T> bitAnd(Sym<T> x, Sym<T> y) { return x & y; }
template <class T> Sym<T> bitOr(Sym<T> x, Sym<T> y) { return x | y; }
template <class T> Sym<T> bitXor(Sym<T> x, Sym<T> y) { return Sym<T>::binary(Binary::Xor, x, y); }
template <class T> Sym<T> wrapAdd(Sym<T> x, Sym<T> y) { return x + y; }
template <class T> Sym<T> wrapSub(Sym<T> x, Sym<T> y) { return x - y; }
template <class T> Sym<T> wrapMul(Sym<T> x, Sym<T> y) { return x * y; }
template <class T> Sym<T> quotient(Sym<T> x, Sym<T> y) { return x / y; }
template <class T> Sym<T> remainder(Sym<T> x, Sym<T> y) { return Sym<T>::binary(Binary::Rem, x, y); }
template <class T> Sym<T> shiftLeft(Sym<T> x, Sym<T> amount) {
  return Sym<T>::binary(Binary::ShiftLeft, x, amount);
}
template <class T> Sym<T> shiftRight(Sym<T> x, Sym<T> amount) {
  return Sym<T>::binary(Binary::ShiftRight, x, amount);
}
template <class T> Sym<T> fmod(Sym<T> x, Sym<T> y) { return Sym<T>::binary(Binary::Rem, x, y); }
template <class T> Sym<T> copysign(Sym<T> x, Sym<T> sign) {
  return Sym<T>::binary(Binary::CopySign, x, sign);
}

// The result type is named as in the plain vocabulary: Sym<double> d = cast<Sym<double>>(x).
template <class S, class T> S cast(Sym<T> x) { return S::of(emit::cast(formOf<T>, formOf<Scalar<S>>, x.v)); }
template <class S, class T> S bitcast(Sym<T> x) { return S::of(emit::bitcast(formOf<Scalar<S>>, x.v)); }

} // namespace jx::num
