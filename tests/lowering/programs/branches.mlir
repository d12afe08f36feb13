// While with a stack, conds that update and pass through, calls with arrays and scalars.
func.func private @step(%x: tensor<16xf32>, %s: tensor<f32>) -> (tensor<16xf32>, tensor<f32>) {
  %b = jx.broadcast_in_dim %s {shape = array<i64: 16>, dims = array<i64>} : (tensor<f32>) -> tensor<16xf32>
  %y = jx.add %x, %b : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %t = jx.add %s, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y, %t : tensor<16xf32>, tensor<f32>
}
func.func @entry() -> (tensor<16xf32>, tensor<f32>, tensor<i64>, tensor<i64>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %ramp = jx.iota {dtype = f32, shape = array<i64: 16>, dimension = 0 : i64} : () -> tensor<16xf32>
  %one = jx.constant dense<1.0> : tensor<f32>
  %limit = jx.constant dense<40.0> : tensor<f32>
  %w:4 = "jx.while"(%ramp, %one) ({
  ^bb0(%x: tensor<16xf32>, %s: tensor<f32>):
    %go = jx.compare %s, %limit {kind = "lt"} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    jx.yield %go : tensor<i1>
  }, {
  ^bb0(%x: tensor<16xf32>, %s: tensor<f32>):
    %n:2 = jx.call @step(%x, %s) {pure} : (tensor<16xf32>, tensor<f32>) -> (tensor<16xf32>, tensor<f32>)
    jx.yield %n#0, %n#1, %x : tensor<16xf32>, tensor<f32>, tensor<16xf32>
  }) : (tensor<16xf32>, tensor<f32>) -> (tensor<16xf32>, tensor<f32>, tensor<i64>, !jx.stack<tensor<16xf32>>)
  %len = jx.stack_length %w#3 : (!jx.stack<tensor<16xf32>>) -> tensor<i64>
  %two = jx.constant dense<2> : tensor<i64>
  %third = jx.stack_get %w#3, %two : (!jx.stack<tensor<16xf32>>, tensor<i64>) -> tensor<16xf32>
  %c:2 = "jx.for"(%ramp, %one) <{operandSegmentSizes = array<i32: 0, 2, 0>, trip_count = 6 : i64, reverse = false}> ({
  ^bb0(%i: tensor<i64>, %x: tensor<16xf32>, %s: tensor<f32>):
    %three = jx.constant dense<3> : tensor<i64>
    %rest = jx.rem %i, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %which = jx.convert %rest {dtype = i32} : (tensor<i64>) -> tensor<i32>
    %n:2 = "jx.cond"(%which) ({
      %d = jx.add %x, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      jx.yield %d, %s : tensor<16xf32>, tensor<f32>
    }, {
      jx.yield %x, %one : tensor<16xf32>, tensor<f32>
    }, {
      %t = jx.add %s, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %m:2 = jx.call @step(%x, %t) {pure} : (tensor<16xf32>, tensor<f32>) -> (tensor<16xf32>, tensor<f32>)
      jx.yield %m#0, %m#1 : tensor<16xf32>, tensor<f32>
    }) : (tensor<i32>) -> (tensor<16xf32>, tensor<f32>)
    jx.yield %n#0, %n#1 : tensor<16xf32>, tensor<f32>
  }) : (tensor<16xf32>, tensor<f32>) -> (tensor<16xf32>, tensor<f32>)
  // The passed-through array is needed afterwards.
  %zero = jx.constant dense<0> : tensor<i32>
  %p = "jx.cond"(%zero) ({
    %d = jx.add %ramp, %ramp : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    jx.yield %d : tensor<16xf32>
  }, {
    jx.yield %ramp : tensor<16xf32>
  }) : (tensor<i32>) -> tensor<16xf32>
  %after = jx.add %p, %ramp : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %w#0, %w#1, %w#2, %len, %third, %c#0, %after : tensor<16xf32>, tensor<f32>, tensor<i64>, tensor<i64>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}
