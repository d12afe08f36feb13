// RUN: -jx-linearize
!v = tensor<8xf32>

// The sine is not saved: the linear part computes it again, in a call that stays a call.
// CHECK-LABEL: func private @net.jvp.linear(
// CHECK: jx.checkpoint @{{[^(]*}}(%arg0) {{.*}} recompute}
func.func private @layer(%x: !v) -> !v {
  %0 = jx.sin %x : (!v) -> !v
  %1 = jx.exp %0 : (!v) -> !v
  return %1 : !v
}
func.func private @net(%x: !v) -> !v attributes {jx.transform = {kind = "linearize", args = [true]}} {
  %0 = jx.checkpoint @layer(%x) {policy = "nothing", pure} : (!v) -> !v
  return %0 : !v
}
