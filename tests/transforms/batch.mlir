// RUN: -jx-batch
!s = tensor<f32>

// What is not batched stays so.
// CHECK-LABEL: func private @shared.batch(
// CHECK-SAME: %[[K:.*]]: tensor<f32>, %[[X:.*]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK: jx.sin %[[K]] : (tensor<f32>) -> tensor<f32>
// CHECK: jx.mul {{.*}} -> tensor<4xf32>
func.func private @shared(%k: !s, %x: !s) -> !s attributes {jx.transform = {kind = "batch", args = [false, true], size = 4}} {
  %0 = jx.sin %k : (!s) -> !s
  %1 = jx.mul %0, %x : (!s, !s) -> !s
  return %1 : !s
}

// An index that all lanes share keeps a real cond, without masks.
// CHECK-LABEL: func private @together.batch(
// CHECK: jx.cond {{.*}} case 0
// CHECK-NOT: jx.cond
// CHECK-NOT: jx.select
// CHECK: return
func.func private @together(%p: tensor<i32>, %x: !s) -> !s attributes {jx.transform = {kind = "batch", args = [false, true], size = 4}} {
  %r = "jx.cond"(%p) ({
    %0 = jx.sin %x : (!s) -> !s
    jx.yield %0 : !s
  }, {
    %0 = jx.cos %x : (!s) -> !s
    jx.yield %0 : !s
  }) : (tensor<i32>) -> !s
  return %r : !s
}

// Lanes that differ: each branch under a guard, idle lanes impersonating an active one without gradient.
// CHECK-LABEL: func private @apart.batch(
// CHECK: jx.reduce {{.*}} kind = "or"
// CHECK: jx.cond
// CHECK: jx.stop_gradient
// CHECK: jx.sin
// CHECK: jx.cond
// CHECK: jx.stop_gradient
// CHECK: jx.log
// CHECK: return
func.func private @apart(%p: tensor<i32>, %x: !s) -> !s attributes {jx.transform = {kind = "batch", args = [true, true], size = 4}} {
  %r = "jx.cond"(%p) ({
    %0 = jx.sin %x : (!s) -> !s
    jx.yield %0 : !s
  }, {
    %0 = jx.log %x : (!s) -> !s
    jx.yield %0 : !s
  }) : (tensor<i32>) -> !s
  return %r : !s
}

// Prints happen lane by lane.
// CHECK-LABEL: func private @prints.batch(
// CHECK: jx.for %{{.*}} to 4
// CHECK: jx.print
func.func private @prints(%x: !s) -> !s attributes {jx.transform = {kind = "batch", args = [true], size = 4}} {
  jx.print %x {format = "\221:\0A", to_stderr = false} : (!s) -> ()
  return %x : !s
}
