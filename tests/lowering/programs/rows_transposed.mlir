// A row reduction whose consumer is read in another order: row i of the result needs the reductions of every row.
func.func @entry() -> tensor<3x3xf32> {
  %x = jx.iota {dtype = f32, shape = array<i64: 3, 3>, dimension = 0 : i64} : () -> tensor<3x3xf32>
  %y = jx.iota {dtype = f32, shape = array<i64: 3, 3>, dimension = 1 : i64} : () -> tensor<3x3xf32>
  %z = jx.add %x, %y : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %sum = jx.reduce %z {kind = "sum", axes = array<i64: 1>} : (tensor<3x3xf32>) -> tensor<3xf32>
  %rows = jx.broadcast_in_dim %sum {shape = array<i64: 3, 3>, dims = array<i64: 0>} : (tensor<3xf32>) -> tensor<3x3xf32>
  %p = jx.mul %rows, %y : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %t = jx.transpose %p {permutation = array<i64: 1, 0>} : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return %t : tensor<3x3xf32>
}
