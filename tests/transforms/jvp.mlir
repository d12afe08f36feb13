// RUN: -jx-jvp
!s = tensor<f32>

// One rule a primitive; the primal is computed once and shared.
// CHECK-LABEL: func private @square_sine.jvp(
// CHECK-SAME: %[[X:.*]]: tensor<f32>, %[[DX:.*]]: tensor<f32>) -> (tensor<f32>, tensor<f32>)
// CHECK-DAG: %[[SIN:.*]] = jx.sin %[[X]]
// CHECK-DAG: %[[COS:.*]] = jx.cos %[[X]]
// CHECK: jx.mul
// CHECK-NOT: jx.sin
// CHECK: return
func.func private @square_sine(%x: !s) -> !s attributes {jx.transform = {kind = "jvp", args = [true]}} {
  %0 = jx.sin %x : (!s) -> !s
  %1 = jx.mul %0, %0 : (!s, !s) -> !s
  return %1 : !s
}

// A value that no tangent reaches has none: the result is not active.
// CHECK-LABEL: func private @constant_in_x.jvp(
// CHECK-SAME: -> tensor<f32>
func.func private @constant_in_x(%x: !s, %y: !s) -> !s attributes {jx.transform = {kind = "jvp", args = [true, false]}} {
  %0 = jx.floor %x : (!s) -> !s
  %1 = jx.mul %0, %y : (!s, !s) -> !s
  return %1 : !s
}

// Effects stay in the primal part, once.
// CHECK-LABEL: func private @prints.jvp(
// CHECK: jx.print
// CHECK-NOT: jx.print
// CHECK: return
func.func private @prints(%x: !s) -> !s attributes {jx.transform = {kind = "jvp", args = [true]}} {
  %0 = jx.exp %x : (!s) -> !s
  jx.print %0 {format = "\221:\0A", to_stderr = false} : (!s) -> ()
  return %0 : !s
}

// Only the carry that varies gets a tangent.
// CHECK-LABEL: func private @loop.jvp(
// CHECK: jx.for %{{.*}} to 3 carry(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) :
func.func private @loop(%x: !s, %k: !s) -> (!s, !s) attributes {jx.transform = {kind = "jvp", args = [true, false]}} {
  %r:2 = "jx.for"(%x, %k) <{trip_count = 3 : i64, reverse = false, operandSegmentSizes = array<i32: 0, 2, 0>}> ({
  ^bb0(%i: tensor<i64>, %a: !s, %b: !s):
    %0 = jx.mul %a, %b : (!s, !s) -> !s
    %1 = jx.sin %b : (!s) -> !s
    jx.yield %0, %1 : !s, !s
  }) : (!s, !s) -> (!s, !s)
  return %r#0, %r#1 : !s, !s
}
