// Prints in order, host arithmetic, and a check that fails in the third trip.
func.func @entry() -> (tensor<i64>, tensor<f64>) {
  %ramp = jx.iota {dtype = f32, shape = array<i64: 12>, dimension = 0 : i64} : () -> tensor<12xf32>
  %zero = jx.constant dense<0> : tensor<i64>
  %three = jx.constant dense<3> : tensor<i64>
  %minus = jx.constant dense<-2> : tensor<i64>
  %q = jx.host_int %three, %minus {kind = "floordiv"} : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %m = jx.host_int %three, %q {kind = "mul"} : (tensor<i64>, tensor<i64>) -> tensor<i64>
  jx.print %ramp, %m {format = "\221:x%0js;\222: !%1hs;\221:\0A", to_stderr = false} : (tensor<12xf32>, tensor<i64>) -> ()
  %x = jx.constant dense<7.5> : tensor<f64>
  %y = jx.constant dense<-2.0> : tensor<f64>
  %f = jx.host_float %x, %y {kind = "mod"} : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %r = "jx.for"(%zero) <{operandSegmentSizes = array<i32: 0, 1, 0>, trip_count = 5 : i64, reverse = false}> ({
  ^bb0(%i: tensor<i64>, %n: tensor<i64>):
    %s = jx.host_int %n, %i {kind = "add"} : (tensor<i64>, tensor<i64>) -> tensor<i64>
    jx.print %i, %s {format = "%0hs;\221: %1hs;\221:\0A", to_stderr = false} : (tensor<i64>, tensor<i64>) -> ()
    %ok = jx.compare %s, %three {kind = "lt"} : (tensor<i64>, tensor<i64>) -> tensor<i1>
    jx.check %ok, %s {error = "ValueError", format = "\228:too big:%0hs;"} : (tensor<i1>, tensor<i64>) -> ()
    jx.yield %s : tensor<i64>
  }) : (tensor<i64>) -> tensor<i64>
  return %r, %f : tensor<i64>, tensor<f64>
}
