// The programs that the tests differentiate and batch.
#pragma once

namespace jx::test {

/// sin(x) * y + tanh(x * y)
constexpr const char *smooth = R"(
func.func @f(%x: !s, %y: !s) -> !s {
  %0 = jx.sin %x : (!s) -> !s
  %1 = jx.mul %0, %y : (!s, !s) -> !s
  %2 = jx.mul %x, %y : (!s, !s) -> !s
  %3 = jx.tanh %2 : (!s) -> !s
  %4 = jx.add %1, %3 : (!s, !s) -> !s
  return %4 : !s
})";

/// c = tanh(w * xs[i] + c), four trips; the result also adds the mean of what the trips gave.
constexpr const char *scan = R"(
func.func @f(%w: !s, %xs: tensor<4xf64>, %c0: !s) -> !s {
  %r:2 = "jx.for"(%c0, %xs) <{trip_count = 4 : i64, reverse = false, operandSegmentSizes = array<i32: 0, 1, 1>}> ({
  ^bb0(%i: !i, %c: !s, %x: !s):
    %0 = jx.mul %w, %x : (!s, !s) -> !s
    %1 = jx.add %0, %c : (!s, !s) -> !s
    %2 = jx.tanh %1 : (!s) -> !s
    %3 = jx.mul %2, %x : (!s, !s) -> !s
    jx.yield %2, %3 : !s, !s
  }) : (!s, tensor<4xf64>) -> (!s, tensor<4xf64>)
  %s = jx.reduce %r#1 {kind = "sum", axes = array<i64: 0>} : (tensor<4xf64>) -> !s
  %t = jx.mul %r#0, %s : (!s, !s) -> !s
  return %t : !s
})";

/// Newton's square root by a while loop, then its cube: d/da = 1.5 sqrt(a).
constexpr const char *newton = R"(
func.func @f(%a: !s) -> !s {
  %half = jx.constant dense<0.5> : !s
  %eps = jx.constant dense<1.0e-9> : !s
  %r:2 = "jx.while"(%a) ({
  ^bb0(%x: !s):
    %0 = jx.mul %x, %x : (!s, !s) -> !s
    %1 = jx.sub %0, %a : (!s, !s) -> !s
    %2 = jx.abs %1 : (!s) -> !s
    %3 = jx.compare %2, %eps {kind = "gt"} : (!s, !s) -> !b
    jx.yield %3 : !b
  }, {
  ^bb0(%x: !s):
    %0 = jx.div %a, %x : (!s, !s) -> !s
    %1 = jx.add %x, %0 : (!s, !s) -> !s
    %2 = jx.mul %half, %1 : (!s, !s) -> !s
    jx.yield %2 : !s
  }) : (!s) -> (!s, !i)
  %0 = jx.mul %r#0, %r#0 : (!s, !s) -> !s
  %1 = jx.mul %0, %r#0 : (!s, !s) -> !s
  return %1 : !s
})";

/// a * log(x) where x > 0, else a * x * x.
constexpr const char *branch = R"(
func.func @f(%a: !s, %x: !s) -> !s {
  %zero = jx.constant dense<0.0> : !s
  %p = jx.compare %x, %zero {kind = "gt"} : (!s, !s) -> !b
  %n = jx.convert %p {dtype = i32} : (!b) -> !n
  %r = "jx.cond"(%n) ({
    %0 = jx.mul %x, %x : (!s, !s) -> !s
    %1 = jx.mul %a, %0 : (!s, !s) -> !s
    jx.yield %1 : !s
  }, {
    %0 = jx.log %x : (!s) -> !s
    %1 = jx.mul %a, %0 : (!s, !s) -> !s
    jx.yield %1 : !s
  }) : (!n) -> !s
  return %r : !s
})";

/// A loop of run-time length around a cond around a loop, with a while beside it.
constexpr const char *nested = R"(
func.func @f(%x: !s, %n: !i) -> !s {
  %one = jx.constant dense<1.0> : !s
  %quarter = jx.constant dense<0.25> : !s
  %two = jx.constant dense<2> : !i
  %r = "jx.for"(%n, %x) <{reverse = false, operandSegmentSizes = array<i32: 1, 1, 0>}> ({
  ^bb0(%i: !i, %c: !s):
    %odd = jx.rem %i, %two : (!i, !i) -> !i
    %k = jx.convert %odd {dtype = i32} : (!i) -> !n
    %d = "jx.cond"(%k) ({
      %s = jx.sin %c : (!s) -> !s
      %q = "jx.for"(%s) <{trip_count = 3 : i64, reverse = true, operandSegmentSizes = array<i32: 0, 1, 0>}> ({
      ^bb0(%j: !i, %e: !s):
        %0 = jx.mul %e, %x : (!s, !s) -> !s
        %1 = jx.add %0, %c : (!s, !s) -> !s
        %2 = jx.tanh %1 : (!s) -> !s
        jx.yield %2 : !s
      }) : (!s) -> !s
      jx.yield %q : !s
    }, {
      %w:2 = "jx.while"(%c) ({
      ^bb0(%e: !s):
        %0 = jx.mul %e, %e : (!s, !s) -> !s
        %1 = jx.compare %0, %quarter {kind = "gt"} : (!s, !s) -> !b
        jx.yield %1 : !b
      }, {
      ^bb0(%e: !s):
        %0 = jx.sin %e : (!s) -> !s
        %1 = jx.mul %0, %x : (!s, !s) -> !s
        jx.yield %1 : !s
      }) : (!s) -> (!s, !i)
      %m = jx.mul %w#0, %x : (!s, !s) -> !s
      %p = jx.add %m, %one : (!s, !s) -> !s
      jx.yield %p : !s
    }) : (!n) -> !s
    jx.yield %d : !s
  }) : (!i, !s) -> !s
  return %r : !s
})";

} // namespace jx::test
