// RUN: -jx-linearize
!s = tensor<f32>
!v = tensor<8xf32>

// The residual of a product is the other factor; the literal is made again rather than saved.
// CHECK-LABEL: func private @scaled.jvp.linear(
// CHECK-SAME: %[[RES:.*]]: tensor<8xf32>, %[[DX:.*]]: tensor<8xf32>) -> tensor<8xf32>
// CHECK: jx.constant
// CHECK-LABEL: func private @scaled.jvp.known(
// CHECK-SAME: -> (tensor<8xf32>, tensor<8xf32>)
func.func private @scaled(%x: !v) -> !v attributes {jx.transform = {kind = "linearize", args = [true]}} {
  %c = jx.constant dense<3.0> : !v
  %0 = jx.mul %x, %c : (!v, !v) -> !v
  %1 = jx.sin %0 : (!v) -> !v
  return %1 : !v
}

// c = tanh(w * xs[i] + c): only what comes of the carry is stacked; w is passed, xs is scanned again.
// CHECK-LABEL: func private @cell.jvp.linear(
// CHECK: jx.for
// CHECK: return
// CHECK-LABEL: func private @cell.jvp.known(
// CHECK: jx.for
// CHECK: return %{{.*}}#0, %{{.*}}#1, %arg1 : tensor<f32>, tensor<8xf32>, tensor<8xf32>
// CHECK: return
func.func private @cell(%w: !s, %xs: !v, %c0: !s) -> !s attributes {jx.transform = {kind = "linearize", args = [true, false, true]}} {
  %r = "jx.for"(%c0, %xs) <{trip_count = 8 : i64, reverse = false, operandSegmentSizes = array<i32: 0, 1, 1>}> ({
  ^bb0(%i: tensor<i64>, %c: !s, %x: !s):
    %0 = jx.mul %w, %x : (!s, !s) -> !s
    %1 = jx.add %0, %c : (!s, !s) -> !s
    %2 = jx.tanh %1 : (!s) -> !s
    jx.yield %2 : !s
  }) : (!s, !v) -> !s
  return %r : !s
}

// The linear part of a while is a for over as many trips, over stacks.
// CHECK-LABEL: func private @newton.jvp.linear(
// CHECK-NOT: jx.while
// CHECK: jx.for
// CHECK-NOT: jx.while
// CHECK: return
// CHECK-LABEL: func private @newton.jvp.known(
// CHECK: jx.while
// CHECK: return
func.func private @newton(%a: !s) -> !s attributes {jx.transform = {kind = "linearize", args = [true]}} {
  %half = jx.constant dense<0.5> : !s
  %r:2 = "jx.while"(%a) ({
  ^bb0(%x: !s):
    %0 = jx.mul %x, %x : (!s, !s) -> !s
    %1 = jx.compare %0, %a {kind = "gt"} : (!s, !s) -> tensor<i1>
    jx.yield %1 : tensor<i1>
  }, {
  ^bb0(%x: !s):
    %0 = jx.div %a, %x : (!s, !s) -> !s
    %1 = jx.add %x, %0 : (!s, !s) -> !s
    %2 = jx.mul %half, %1 : (!s, !s) -> !s
    jx.yield %2 : !s
  }) : (!s) -> (!s, tensor<i64>)
  return %r#0 : !s
}
