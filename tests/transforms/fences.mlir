// RUN: -jx-simplify
!s = tensor<f32>
!t = tensor<f64>

// What is computed before a barrier is computed again after it.
// CHECK-LABEL: func @straight(
// CHECK: jx.sin
// CHECK: jx.barrier
// CHECK: jx.sin
// CHECK: jx.barrier
// CHECK: return
func.func @straight(%x: !s) {
  %0 = jx.sin %x : (!s) -> !s
  %1 = jx.barrier %0 : (!s) -> !s
  %2 = jx.sin %x : (!s) -> !s
  %3 = jx.barrier %2 : (!s) -> !s
  return
}

// Between two fences equal values are one.
// CHECK-LABEL: func @between(
// CHECK: jx.clock
// CHECK: %[[SIN:.*]] = jx.sin
// CHECK-NOT: jx.sin
// CHECK: jx.barrier %[[SIN]], %[[SIN]]
// CHECK: return
func.func @between(%x: !s) -> !t {
  %start = jx.clock {kind = "perf"} : () -> !t
  %0 = jx.sin %x : (!s) -> !s
  %1 = jx.sin %x : (!s) -> !s
  %2:2 = jx.barrier %0, %1 : (!s, !s) -> (!s, !s)
  return %start : !t
}

// A loop that times itself keeps its work, also where the clock is a function's.
// CHECK-LABEL: func @repeated(
// CHECK: jx.sin
// CHECK: jx.barrier
// CHECK: jx.for
// CHECK: jx.call @work
// CHECK: jx.barrier
// CHECK: jx.for
// CHECK: jx.call @work
// CHECK: jx.call @wait
// CHECK: return
func.func @repeated(%x: !s) {
  %0 = jx.sin %x : (!s) -> !s
  %1 = jx.barrier %0 : (!s) -> !s
  "jx.for"() <{trip_count = 3 : i64, reverse = false, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%i: tensor<i64>):
    %2 = jx.call @work(%x) {pure} : (!s) -> !s
    %3 = jx.barrier %2 : (!s) -> !s
    jx.yield
  }) : () -> ()
  "jx.for"() <{trip_count = 3 : i64, reverse = false, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%i: tensor<i64>):
    %2 = jx.call @work(%x) {pure} : (!s) -> !s
    jx.call @wait(%2) : (!s) -> ()
    jx.yield
  }) : () -> ()
  return
}
func.func @work(%x: !s) -> !s {
  %0 = jx.sin %x : (!s) -> !s
  return %0 : !s
}
func.func @wait(%x: !s) {
  %0 = jx.barrier %x : (!s) -> !s
  return
}
