// Host values: Python numbers and strings known at run time only. An int carries a polynomial over symbols
// (loop indices, options, carries) and an interval, which answer many demands for a static value; every host
// value knows the symbols that it stems from, which tells what to unroll or to freeze when they do not.
#pragma once
#include "compiler/diagnostics/SourceManager.h"
#include "compiler/elaborate/Value.h"
#include "runtime/include/jxrt/FormatBuilder.h"
#include <map>

namespace jx::elab {

enum class HostType : uint8_t { Int, Float, Bool };

using Symbol = uint32_t;

struct Interval {
  int64_t low = INT64_MIN, high = INT64_MAX; // INT64_MIN and INT64_MAX mean unknown
  static Interval of(int64_t v) { return {v, v}; }
};

// What a symbol stands for.
struct SymbolInfo {
  enum Kind { LoopIndex, LoopCarry, Option, Data } kind;
  std::string name;              // of the option, or the variable of the loop
  uint32_t loop = 0;             // the loop it belongs to
  SourceRange range;             // where it was made
  std::vector<Symbol> from = {}; // what it was computed from, if it stands for a result such as `i % n`
  Interval values = {};          // of a loop index
};

// constant + sum of coefficient * product of symbols; coefficients are not 0.
struct Polynomial {
  using Monomial = std::vector<Symbol>; // sorted; a power repeats its symbol
  int64_t constant = 0;
  std::map<Monomial, int64_t> terms;
  static Polynomial of(Symbol symbol) { return {0, {{{symbol}, 1}}}; }
  bool isConstant() const { return terms.empty(); }
  auto operator<=>(const Polynomial &) const = default;
  // Empty on overflow, and beyond a size that no index has.
  static std::optional<Polynomial> add(const Polynomial &a, const Polynomial &b, int64_t factorOfB);
  static std::optional<Polynomial> multiply(const Polynomial &a, const Polynomial &b);
};

Interval addIntervals(Interval a, Interval b, bool subtract);
Interval mulIntervals(Interval a, Interval b);

struct HostNode {
  mlir::Value value; // tensor<i64>, tensor<f64> or tensor<i1>
  HostType type;
  std::optional<Polynomial> form; // ints
  Interval range;                 // ints
  std::vector<Symbol> sources;    // sorted
};

// A run-time string: the format program that the runtime renders, its operands (arrays and host numbers), and
// the symbols behind holes that have no operand, which are options.
struct TextNode {
  FormatProgram program;
  std::vector<Value> operands;
  std::vector<Symbol> sources; // sorted
  // Of a text that is nothing but one of several known strings: the strings, which operand 0 selects from.
  std::vector<Value> choices = {};
  // Takes over the operands and sources of a part; by how much its operand numbers are to be raised.
  int64_t takeHoles(const TextNode &part);
};

std::vector<Symbol> mergeSources(const std::vector<Symbol> &a, const std::vector<Symbol> &b);

} // namespace jx::elab
