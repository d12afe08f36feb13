// RUN: -jx-transpose
!s = tensor<f32>
!v = tensor<8xf32>

// CHECK-LABEL: func private @product.transpose(
// CHECK-SAME: %[[K:.*]]: tensor<8xf32>, %[[CT:.*]]: tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[R:.*]] = jx.mul %[[CT]], %[[K]]
// CHECK-NEXT: return %[[R]]
func.func private @product(%k: !v, %x: !v) -> !v attributes {jx.transform = {kind = "transpose", linear = 1}} {
  %0 = jx.mul %x, %k : (!v, !v) -> !v
  return %0 : !v
}

// Parts that tile the array are joined, not padded and added.
// CHECK-LABEL: func private @halves.transpose(
// CHECK-NOT: jx.pad
// CHECK: jx.concatenate
// CHECK-NOT: jx.add
// CHECK: return
func.func private @halves(%x: !v) -> (tensor<3xf32>, tensor<5xf32>) attributes {jx.transform = {kind = "transpose", linear = 1}} {
  %a = jx.slice %x {starts = array<i64: 0>, limits = array<i64: 3>, strides = array<i64: 1>} : (!v) -> tensor<3xf32>
  %b = jx.slice %x {starts = array<i64: 3>, limits = array<i64: 8>, strides = array<i64: 1>} : (!v) -> tensor<5xf32>
  return %a, %b : tensor<3xf32>, tensor<5xf32>
}

// The sum of a captured array's cotangent is a carry that slices are added to.
// CHECK-LABEL: func private @reads.transpose(
// CHECK: jx.for %{{.*}} to 8 reverse
// CHECK: jx.dynamic_slice
// CHECK: jx.add
// CHECK: jx.dynamic_update_slice
// CHECK: return
func.func private @reads(%x: !v, %c0: !s) -> !s attributes {jx.transform = {kind = "transpose", linear = 2}} {
  %r = "jx.for"(%c0) <{trip_count = 8 : i64, reverse = false, operandSegmentSizes = array<i32: 0, 1, 0>}> ({
  ^bb0(%i: tensor<i64>, %c: !s):
    %0 = jx.dynamic_slice %x, %i {sizes = array<i64: 1>} : (!v, tensor<i64>) -> tensor<1xf32>
    %1 = jx.reshape %0 {shape = array<i64>} : (tensor<1xf32>) -> !s
    %2 = jx.add %c, %1 : (!s, !s) -> !s
    jx.yield %2 : !s
  }) : (!s) -> !s
  return %r : !s
}
