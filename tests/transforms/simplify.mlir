// RUN: -jx-simplify
!s = tensor<f32>

// A carry that nothing reads goes, and with it its computation; one that never changes is its initial value.
// CHECK-LABEL: func @carries(
// CHECK: jx.for %{{.*}} to 3 carry(%{{[^,]*}}) :
// CHECK-NOT: jx.exp
// CHECK: return
func.func @carries(%x: !s, %k: !s) -> !s {
  %r:3 = "jx.for"(%x, %k, %x) <{trip_count = 3 : i64, reverse = false, operandSegmentSizes = array<i32: 0, 3, 0>}> ({
  ^bb0(%i: tensor<i64>, %a: !s, %b: !s, %unused: !s):
    %0 = jx.mul %a, %b : (!s, !s) -> !s
    %1 = jx.exp %unused : (!s) -> !s
    jx.yield %0, %b, %1 : !s, !s, !s
  }) : (!s, !s, !s) -> (!s, !s, !s)
  return %r#0 : !s
}

// What depends on nothing of the loop stands in front of it.
// CHECK-LABEL: func @invariant(
// CHECK: jx.sin
// CHECK: jx.for
// CHECK-NOT: jx.sin
// CHECK: return
func.func @invariant(%x: !s, %k: !s) -> !s {
  %r = "jx.for"(%x) <{trip_count = 3 : i64, reverse = false, operandSegmentSizes = array<i32: 0, 1, 0>}> ({
  ^bb0(%i: tensor<i64>, %a: !s):
    %0 = jx.sin %k : (!s) -> !s
    %1 = jx.mul %a, %0 : (!s, !s) -> !s
    jx.yield %1 : !s
  }) : (!s) -> !s
  return %r : !s
}

// CHECK-LABEL: func @one_trip(
// CHECK-NOT: jx.for
// CHECK: jx.sin
// CHECK: return
func.func @one_trip(%x: !s) -> !s {
  %r = "jx.for"(%x) <{trip_count = 1 : i64, reverse = false, operandSegmentSizes = array<i32: 0, 1, 0>}> ({
  ^bb0(%i: tensor<i64>, %a: !s):
    %0 = jx.sin %a : (!s) -> !s
    jx.yield %0 : !s
  }) : (!s) -> !s
  return %r : !s
}

// CHECK-LABEL: func @known_branch(
// CHECK-NOT: jx.cond
// CHECK: jx.cos
// CHECK-NOT: jx.sin
// CHECK: return
func.func @known_branch(%x: !s) -> !s {
  %p = jx.constant dense<1> : tensor<i32>
  %r = "jx.cond"(%p) ({
    %0 = jx.sin %x : (!s) -> !s
    jx.yield %0 : !s
  }, {
    %0 = jx.cos %x : (!s) -> !s
    jx.yield %0 : !s
  }) : (tensor<i32>) -> !s
  return %r : !s
}

// Adding +0 is no identity (-0 + 0 = 0); adding -0 and multiplying by 1 are.
// CHECK-LABEL: func @zeros(
// CHECK: %[[SUM:.*]] = jx.add
// CHECK-NEXT: return %[[SUM]]
func.func @zeros(%x: !s) -> !s {
  %plus = jx.constant dense<0.0> : !s
  %minus = jx.constant dense<-0.0> : !s
  %one = jx.constant dense<1.0> : !s
  %0 = jx.add %x, %plus : (!s, !s) -> !s
  %1 = jx.add %0, %minus : (!s, !s) -> !s
  %2 = jx.mul %1, %one : (!s, !s) -> !s
  return %2 : !s
}
