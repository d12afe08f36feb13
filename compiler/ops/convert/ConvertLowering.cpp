// Kernel code of conversions and random bits.
#include "compiler/ops/elementwise/ElementwiseEmission.h"

using namespace mlir;

namespace jx {

/// From `x`, a real number, to an element of type `target`.
template <class X> static bool convertReal(X x, Type target, SmallVectorImpl<Value> &results) {
  return dispatchElement<numbers | bools>(target, [&](auto tag) {
    using T = decltype(tag);
    if constexpr (num::isComplex<T>) {
      using S = decltype(Symbolic<T>::re);
      writeElement<T>(target, Symbolic<T>{num::convert<S>(x), S(0)}, results);
    } else {
      writeElement<T>(target, num::convert<Symbolic<T>>(x), results);
    }
  });
}

static bool emitConvert(Type source, Type target, ValueRange scalars, SmallVectorImpl<Value> &results) {
  if (source == target) {
    llvm::append_range(results, scalars);
    return true;
  }
  return dispatchElement<numbers | bools>(source, [&](auto tag) {
    using S = decltype(tag);
    auto x = readElement<S>(scalars);
    if constexpr (!num::isComplex<S>) {
      convertReal(x, target, results);
    } else if (auto complex = dyn_cast<ComplexType>(target)) {
      convertReal(x.re, complex.getElementType(), results);
      convertReal(x.im, complex.getElementType(), results);
    } else if (target.isInteger(1)) {
      decltype(x.re) zero = num::Scalar<decltype(x.re)>(0);
      results.push_back(((x.re != zero) | (x.im != zero)).v);
    } else {
      convertReal(x.re, target, results);
    }
  });
}

static void emitThreefry(ValueRange scalars, SmallVectorImpl<Value> &results) {
  using W = num::Sym<uint32_t>;
  W x0 = W::of(scalars[2]), x1 = W::of(scalars[3]);
  num::threefry2x32(W::of(scalars[0]), W::of(scalars[1]), x0, x1);
  results.append({x0.v, x1.v});
}

bool emitConversion(Operation *operation, Type element, ValueRange scalars, SmallVectorImpl<Value> &results) {
  return llvm::TypeSwitch<Operation *, bool>(operation)
      .Case<ConvertOp>([&](ConvertOp op) { return emitConvert(element, op.getDtype(), scalars, results); })
      .Case<BitcastOp>([&](BitcastOp op) {
        Type target = op.getDtype();
        if (auto integer = dyn_cast<IntegerType>(target))
          target = IntegerType::get(target.getContext(), integer.getWidth());
        results.push_back(num::emit::bitcastTo(target, scalars.front()));
        return true;
      })
      .Case<Threefry2x32Op>([&](Threefry2x32Op) {
        emitThreefry(scalars, results);
        return true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace jx
