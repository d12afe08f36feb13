// Products of matrices from outside of loops with vectors that the loops carry: with the contracted dimension last, in
// batches, as left and as right operands, in a while, and transposed already.
func.func @entry() -> (tensor<40xf32>, tensor<3x20xf32>, tensor<f32>) {
  %linear = jx.iota {dtype = f32, shape = array<i64: 1600>, dimension = 0 : i64} : () -> tensor<1600xf32>
  %scale = jx.constant dense<0.00003> : tensor<1600xf32>
  %flat = jx.mul %linear, %scale : (tensor<1600xf32>, tensor<1600xf32>) -> tensor<1600xf32>
  %w = jx.reshape %flat {shape = array<i64: 40, 40>} : (tensor<1600xf32>) -> tensor<40x40xf32>
  %wt = jx.transpose %w {permutation = array<i64: 1, 0>} : (tensor<40x40xf32>) -> tensor<40x40xf32>
  %part = jx.slice %flat {starts = array<i64: 0>, limits = array<i64: 1200>, strides = array<i64: 1>} : (tensor<1600xf32>) -> tensor<1200xf32>
  %b = jx.reshape %part {shape = array<i64: 3, 20, 20>} : (tensor<1200xf32>) -> tensor<3x20x20xf32>
  %start = jx.iota {dtype = f32, shape = array<i64: 40>, dimension = 0 : i64} : () -> tensor<40xf32>
  %rows = jx.iota {dtype = f32, shape = array<i64: 3, 20>, dimension = 1 : i64} : () -> tensor<3x20xf32>
  %limit = jx.constant dense<1.0e3> : tensor<f32>
  %r:2 = "jx.for"(%start, %rows) <{trip_count = 6 : i64, reverse = false, operandSegmentSizes = array<i32: 0, 2, 0>}> ({
  ^bb0(%i: tensor<i64>, %x: tensor<40xf32>, %y: tensor<3x20xf32>):
    %inner = "jx.for"(%x) <{trip_count = 2 : i64, reverse = false, operandSegmentSizes = array<i32: 0, 1, 0>}> ({
    ^bb0(%j: tensor<i64>, %z: tensor<40xf32>):
      %0 = jx.dot_general %w, %z {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, dtype = f32} : (tensor<40x40xf32>, tensor<40xf32>) -> tensor<40xf32>
      %1 = jx.tanh %0 : (tensor<40xf32>) -> tensor<40xf32>
      jx.yield %1 : tensor<40xf32>
    }) : (tensor<40xf32>) -> tensor<40xf32>
    %2 = jx.dot_general %inner, %wt {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 1>, dtype = f32} : (tensor<40xf32>, tensor<40x40xf32>) -> tensor<40xf32>
    %3 = jx.dot_general %y, %b {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 2>, dtype = f32} : (tensor<3x20xf32>, tensor<3x20x20xf32>) -> tensor<3x20xf32>
    jx.yield %2, %3 : tensor<40xf32>, tensor<3x20xf32>
  }) : (tensor<40xf32>, tensor<3x20xf32>) -> (tensor<40xf32>, tensor<3x20xf32>)
  %s:2 = "jx.while"(%start) ({
  ^bb0(%x: tensor<40xf32>):
    %0 = jx.dot_general %w, %x {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, dtype = f32} : (tensor<40x40xf32>, tensor<40xf32>) -> tensor<40xf32>
    %1 = jx.reduce %0 {kind = "sum", axes = array<i64: 0>} : (tensor<40xf32>) -> tensor<f32>
    %2 = jx.compare %1, %limit {kind = "lt"} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    jx.yield %2 : tensor<i1>
  }, {
  ^bb0(%x: tensor<40xf32>):
    %0 = jx.dot_general %w, %x {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, dtype = f32} : (tensor<40x40xf32>, tensor<40xf32>) -> tensor<40xf32>
    %1 = jx.add %0, %x : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
    jx.yield %1 : tensor<40xf32>
  }) : (tensor<40xf32>) -> (tensor<40xf32>, tensor<i64>)
  %sum = jx.reduce %s#0 {kind = "sum", axes = array<i64: 0>} : (tensor<40xf32>) -> tensor<f32>
  return %r#0, %r#1, %sum : tensor<40xf32>, tensor<3x20xf32>, tensor<f32>
}
