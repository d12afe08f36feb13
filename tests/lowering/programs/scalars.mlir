// Scalars and tiny arrays: everything in registers.
func.func @entry() -> (tensor<f32>, tensor<3xf32>, tensor<f32>, tensor<2x2xf32>, tensor<i32>, tensor<4xi1>, tensor<ui8>) {
  %a = jx.constant dense<[1.5, -2.25, 0.125]> : tensor<3xf32>
  %b = jx.constant dense<[0.5, 4.0, -8.0]> : tensor<3xf32>
  %s = jx.constant dense<2.0> : tensor<f32>
  %m = jx.constant dense<[[1.0, 2.0], [3.0, 4.5]]> : tensor<2x2xf32>
  %i = jx.constant dense<-7> : tensor<i32>
  %j = jx.constant dense<2> : tensor<i32>
  %u = jx.constant dense<250> : tensor<ui8>
  %sum = jx.add %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %sb = jx.broadcast_in_dim %s {shape = array<i64: 3>, dims = array<i64>} : (tensor<f32>) -> tensor<3xf32>
  %scaled = jx.mul %sum, %sb : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %total = jx.reduce %scaled {kind = "sum", axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
  %sine = jx.sin %total : (tensor<f32>) -> tensor<f32>
  %t = jx.transpose %m {permutation = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %mm = jx.dot_general %m, %t {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>, lhs_batch = array<i64>, rhs_batch = array<i64>, dtype = f32} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %q = jx.div %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %flat = jx.reshape %mm {shape = array<i64: 4>} : (tensor<2x2xf32>) -> tensor<4xf32>
  %total1 = jx.reshape %total {shape = array<i64: 1>} : (tensor<f32>) -> tensor<1xf32>
  %c = jx.concatenate %a, %total1 {dimension = 0 : i64} : (tensor<3xf32>, tensor<1xf32>) -> tensor<4xf32>
  %less = jx.compare %flat, %c {kind = "lt"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %uu = jx.add %u, %u : (tensor<ui8>, tensor<ui8>) -> tensor<ui8>
  return %sine, %scaled, %total, %mm, %q, %less, %uu : tensor<f32>, tensor<3xf32>, tensor<f32>, tensor<2x2xf32>, tensor<i32>, tensor<4xi1>, tensor<ui8>
}
