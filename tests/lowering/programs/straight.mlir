// Arrays in memory: kernels, views, constants as data.
func.func @entry() -> (tensor<6x5xf32>, tensor<5xf32>, tensor<30xf32>, tensor<f32>) {
  %x = jx.iota {dtype = f32, shape = array<i64: 6, 5>, dimension = 0 : i64} : () -> tensor<6x5xf32>
  %y = jx.iota {dtype = f32, shape = array<i64: 6, 5>, dimension = 1 : i64} : () -> tensor<6x5xf32>
  %z = jx.add %x, %y : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x5xf32>
  %w = jx.mul %z, %x : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x5xf32>
  %col = jx.reduce %w {kind = "sum", axes = array<i64: 0>} : (tensor<6x5xf32>) -> tensor<5xf32>
  %row = jx.slice %w {starts = array<i64: 2, 0>, limits = array<i64: 3, 5>, strides = array<i64: 1, 1>} : (tensor<6x5xf32>) -> tensor<1x5xf32>
  %r = jx.reshape %row {shape = array<i64: 5>} : (tensor<1x5xf32>) -> tensor<5xf32>
  %both = jx.add %col, %r : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %flat = jx.reshape %w {shape = array<i64: 30>} : (tensor<6x5xf32>) -> tensor<30xf32>
  %e = jx.exp %flat : (tensor<30xf32>) -> tensor<30xf32>
  %total = jx.reduce %w {kind = "sum", axes = array<i64: 0, 1>} : (tensor<6x5xf32>) -> tensor<f32>
  return %w, %both, %e, %total : tensor<6x5xf32>, tensor<5xf32>, tensor<30xf32>, tensor<f32>
}
