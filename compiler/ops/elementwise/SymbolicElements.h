// Between the machine scalars of an element in kernel code and the symbolic number that formulas compute
// with.
#pragma once

#include "compiler/numerics/ElementTypes.h"
#include "compiler/numerics/Symbolic.h"

namespace jx {

/// What formulas compute with for elements stored as T, in kernel code.
template <class T> struct SymbolicOf {
  using type = num::Sym<ComputeOf<T>>;
};
template <class R> struct SymbolicOf<num::Complex<R>> {
  using type = num::Complex<num::Sym<R>>;
};
template <class T> using Symbolic = typename SymbolicOf<T>::type;

template <class T>
inline constexpr unsigned scalarsOf = num::isComplex<T> || std::is_same_v<T, KeyBits> ? 2 : 1;

/// The machine scalars at the front of `scalars` as a number; halves are widened.
template <class T> Symbolic<T> readElement(mlir::ValueRange scalars) {
  if constexpr (num::isComplex<T>) {
    using S = decltype(Symbolic<T>::re);
    return {S::of(scalars[0]), S::of(scalars[1])};
  } else if constexpr (isHalf<T>) {
    auto bits = num::Sym<uint16_t>::of(num::emit::bitcast(num::formOf<uint16_t>, scalars[0]));
    if constexpr (std::is_same_v<T, Float16>)
      return num::fromFloat16(bits);
    else
      return num::fromBfloat16(bits);
  } else {
    return Symbolic<T>::of(scalars[0]);
  }
}

/// Appends the machine scalars of `number` as an element stored as T; `element` is its type.
template <class T, class S>
void writeElement(mlir::Type element, S number, llvm::SmallVectorImpl<mlir::Value> &scalars) {
  if constexpr (num::isComplex<T>) {
    scalars.push_back(number.re.v);
    scalars.push_back(number.im.v);
  } else if constexpr (isHalf<T>) {
    num::Sym<uint16_t> bits;
    if constexpr (std::is_same_v<T, Float16>)
      bits = num::toFloat16(number);
    else
      bits = num::toBfloat16(number);
    scalars.push_back(num::emit::bitcastTo(element, bits.v));
  } else {
    scalars.push_back(number.v);
  }
}

/// One op on one element: `f` on the numbers of `arity` operands, whose machine scalars are `scalars`.
template <unsigned domain, size_t arity, class F>
bool emitElements(mlir::Type element, mlir::ValueRange scalars, llvm::SmallVectorImpl<mlir::Value> &results,
                  F f) {
  return dispatchElement<domain>(element, [&](auto tag) {
    using T = decltype(tag);
    constexpr unsigned width = scalarsOf<T>;
    auto call = [&]<size_t... k>(std::index_sequence<k...>) {
      return f(readElement<T>(scalars.slice(k * width, width))...);
    };
    auto number = call(std::make_index_sequence<arity>());
    if constexpr (std::is_same_v<decltype(number), num::Sym<bool>>)
      results.push_back(number.v);
    else
      writeElement<T>(element, number, results);
  });
}

} // namespace jx
