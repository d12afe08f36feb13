// Carries in registers, in place, swapped, stacked; scanned inputs; reverse; run-time trip counts; nesting.
func.func @entry() -> (tensor<f32>, tensor<20xf32>, tensor<20xf32>, tensor<7x20xf32>, tensor<7xf32>, tensor<20xf32>, tensor<20xf32>, tensor<i64>, tensor<12xf32>) {
  %zero = jx.constant dense<0.0> : tensor<f32>
  %half = jx.constant dense<0.5> : tensor<f32>
  %halves = jx.constant dense<0.5> : tensor<20xf32>
  %ones = jx.constant dense<1.0> : tensor<20xf32>
  %ramp = jx.iota {dtype = f32, shape = array<i64: 20>, dimension = 0 : i64} : () -> tensor<20xf32>
  %xs = jx.iota {dtype = f32, shape = array<i64: 7, 20>, dimension = 0 : i64} : () -> tensor<7x20xf32>
  // A register carry, an array updated in place, scanned rows, stacked rows and scalars.
  %r:4 = "jx.for"(%zero, %ramp, %xs) <{operandSegmentSizes = array<i32: 0, 2, 1>, trip_count = 7 : i64, reverse = false}> ({
  ^bb0(%i: tensor<i64>, %s: tensor<f32>, %c: tensor<20xf32>, %x: tensor<20xf32>):
    %n = jx.mul %c, %halves : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xf32>
    %n2 = jx.add %n, %x : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xf32>
    %t = jx.add %s, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %out = jx.sub %n2, %ones : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xf32>
    jx.yield %t, %n2, %out, %t : tensor<f32>, tensor<20xf32>, tensor<20xf32>, tensor<f32>
  }) : (tensor<f32>, tensor<20xf32>, tensor<7x20xf32>) -> (tensor<f32>, tensor<20xf32>, tensor<7x20xf32>, tensor<7xf32>)
  // (a, b) = (b, a + b) with an odd number of trips.
  %f:2 = "jx.for"(%ramp, %ones) <{operandSegmentSizes = array<i32: 0, 2, 0>, trip_count = 5 : i64, reverse = false}> ({
  ^bb0(%i: tensor<i64>, %a: tensor<20xf32>, %b: tensor<20xf32>):
    %n = jx.add %a, %b : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xf32>
    jx.yield %b, %n : tensor<20xf32>, tensor<20xf32>
  }) : (tensor<20xf32>, tensor<20xf32>) -> (tensor<20xf32>, tensor<20xf32>)
  // The old carry is still read after the new one is made; reverse; nested; a run-time trip count.
  %trips = jx.constant dense<3> : tensor<i64>
  %g:2 = "jx.for"(%trips, %ramp) <{operandSegmentSizes = array<i32: 1, 1, 0>, reverse = true}> ({
  ^bb0(%i: tensor<i64>, %a: tensor<20xf32>):
    %rev = jx.reverse %a {dims = array<i64: 0>} : (tensor<20xf32>) -> tensor<20xf32>
    %h = "jx.for"(%rev) <{operandSegmentSizes = array<i32: 0, 1, 0>, trip_count = 3 : i64, reverse = false}> ({
    ^bb0(%k: tensor<i64>, %v: tensor<20xf32>):
      %flip = jx.reverse %v {dims = array<i64: 0>} : (tensor<20xf32>) -> tensor<20xf32>
      %w = jx.add %flip, %a : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xf32>
      jx.yield %w : tensor<20xf32>
    }) : (tensor<20xf32>) -> tensor<20xf32>
    %d = jx.sub %h, %a : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xf32>
    %fi = jx.convert %i {dtype = f32} : (tensor<i64>) -> tensor<f32>
    jx.yield %d, %fi : tensor<20xf32>, tensor<f32>
  }) : (tensor<i64>, tensor<20xf32>) -> (tensor<20xf32>, !jx.stack<tensor<f32>>)
  %len = jx.stack_length %g#1 : (!jx.stack<tensor<f32>>) -> tensor<i64>
  %zeros = jx.constant dense<0.0> : tensor<12xf32>
  // Reads a stack, updates elements in place.
  %u = "jx.for"(%len, %zeros, %g#1) <{operandSegmentSizes = array<i32: 1, 1, 1>, reverse = false}> ({
  ^bb0(%i: tensor<i64>, %a: tensor<12xf32>, %v: tensor<f32>):
    %one = jx.constant dense<[3.0]> : tensor<1xf32>
    %v1 = jx.reshape %v {shape = array<i64: 1>} : (tensor<f32>) -> tensor<1xf32>
    %p = jx.add %v1, %one : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %n = jx.dynamic_update_slice %a, %p, %i : (tensor<12xf32>, tensor<1xf32>, tensor<i64>) -> tensor<12xf32>
    jx.yield %n : tensor<12xf32>
  }) : (tensor<i64>, tensor<12xf32>, !jx.stack<tensor<f32>>) -> tensor<12xf32>
  return %r#0, %r#1, %f#0, %r#2, %r#3, %f#1, %g#0, %len, %u : tensor<f32>, tensor<20xf32>, tensor<20xf32>, tensor<7x20xf32>, tensor<7xf32>, tensor<20xf32>, tensor<20xf32>, tensor<i64>, tensor<12xf32>
}
