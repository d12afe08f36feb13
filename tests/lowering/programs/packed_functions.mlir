// Functions of many scalars in one trip, at several levels, of several kinds and types: packed eight at a time; checks and prints
// keep their order; in a branch and in a while.
func.func @entry() -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>) {
  %s0 = jx.constant dense<-0.300> : tensor<f32>
  %s1 = jx.constant dense<-0.200> : tensor<f32>
  %s2 = jx.constant dense<-0.100> : tensor<f32>
  %s3 = jx.constant dense<0.000> : tensor<f32>
  %s4 = jx.constant dense<0.100> : tensor<f32>
  %s5 = jx.constant dense<0.200> : tensor<f32>
  %s6 = jx.constant dense<0.300> : tensor<f32>
  %s7 = jx.constant dense<0.400> : tensor<f32>
  %s8 = jx.constant dense<0.500> : tensor<f32>
  %s9 = jx.constant dense<0.600> : tensor<f32>
  %s10 = jx.constant dense<0.700> : tensor<f32>
  %w0 = jx.constant dense<0.250> : tensor<f64>
  %w1 = jx.constant dense<0.950> : tensor<f64>
  %w2 = jx.constant dense<1.650> : tensor<f64>
  %big = jx.constant dense<3.0e12> : tensor<f32>
  %half = jx.constant dense<0.5> : tensor<f32>
  %r:14 = "jx.for"(%s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %s8, %s9, %s10, %w0, %w1, %w2) <{trip_count = 9 : i64, reverse = false, operandSegmentSizes = array<i32: 0, 14, 0>}> ({
  ^bb0(%i: tensor<i64>, %a0: tensor<f32>, %a1: tensor<f32>, %a2: tensor<f32>, %a3: tensor<f32>, %a4: tensor<f32>, %a5: tensor<f32>, %a6: tensor<f32>, %a7: tensor<f32>, %a8: tensor<f32>, %a9: tensor<f32>, %a10: tensor<f32>, %b0: tensor<f64>, %b1: tensor<f64>, %b2: tensor<f64>):
    %xf0 = jx.sin %a1 : (tensor<f32>) -> tensor<f32>
    %xh0 = jx.mul %xf0, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %xg0 = jx.sin %xh0 : (tensor<f32>) -> tensor<f32>
    %xr0 = jx.add %xg0, %a0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %xf1 = jx.sin %a2 : (tensor<f32>) -> tensor<f32>
    %xh1 = jx.mul %xf1, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %xg1 = jx.cos %xh1 : (tensor<f32>) -> tensor<f32>
    %xr1 = jx.add %xg1, %a1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %xf2 = jx.exp %a3 : (tensor<f32>) -> tensor<f32>
    %xh2 = jx.mul %xf2, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %xg2 = jx.sin %xh2 : (tensor<f32>) -> tensor<f32>
    %xr2 = jx.add %xg2, %a2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %xf3 = jx.sin %a4 : (tensor<f32>) -> tensor<f32>
    %xh3 = jx.mul %xf3, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %xg3 = jx.cos %xh3 : (tensor<f32>) -> tensor<f32>
    %xr3 = jx.add %xg3, %a3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %xm4 = jx.mul %a5, %big : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %ok = jx.compare %xf0, %big {kind = "lt"} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    jx.check %ok {error = "ValueError", format = "\221:too large"} : (tensor<i1>) -> ()
    %xf4 = jx.sin %xm4 : (tensor<f32>) -> tensor<f32>
    %xh4 = jx.mul %xf4, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %xg4 = jx.sin %xh4 : (tensor<f32>) -> tensor<f32>
    %xr4 = jx.add %xg4, %a4 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %xf5 = jx.tanh %a6 : (tensor<f32>) -> tensor<f32>
    %xh5 = jx.mul %xf5, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %xg5 = jx.cos %xh5 : (tensor<f32>) -> tensor<f32>
    %xr5 = jx.add %xg5, %a5 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %xf6 = jx.sin %a7 : (tensor<f32>) -> tensor<f32>
    %xh6 = jx.mul %xf6, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %xg6 = jx.sin %xh6 : (tensor<f32>) -> tensor<f32>
    %xr6 = jx.add %xg6, %a6 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %xf7 = jx.cos %a8 : (tensor<f32>) -> tensor<f32>
    %xh7 = jx.mul %xf7, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %xg7 = jx.cos %xh7 : (tensor<f32>) -> tensor<f32>
    %xr7 = jx.add %xg7, %a7 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %xf8 = jx.sin %a9 : (tensor<f32>) -> tensor<f32>
    %xh8 = jx.mul %xf8, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %xg8 = jx.sin %xh8 : (tensor<f32>) -> tensor<f32>
    %xr8 = jx.add %xg8, %a8 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %xf9 = jx.sin %a10 : (tensor<f32>) -> tensor<f32>
    %xh9 = jx.mul %xf9, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %xg9 = jx.cos %xh9 : (tensor<f32>) -> tensor<f32>
    %xr9 = jx.add %xg9, %a9 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %xf10 = jx.sin %a0 : (tensor<f32>) -> tensor<f32>
    %xh10 = jx.mul %xf10, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %xg10 = jx.sin %xh10 : (tensor<f32>) -> tensor<f32>
    %xr10 = jx.add %xg10, %a10 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %xd0 = jx.pow %b0, %b1 : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %xe0 = jx.tanh %xd0 : (tensor<f64>) -> tensor<f64>
    %xd1 = jx.pow %b1, %b2 : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %xe1 = jx.tanh %xd1 : (tensor<f64>) -> tensor<f64>
    %xd2 = jx.pow %b2, %b0 : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %xe2 = jx.tanh %xd2 : (tensor<f64>) -> tensor<f64>
    jx.yield %xr0, %xr1, %xr2, %xr3, %xr4, %xr5, %xr6, %xr7, %xr8, %xr9, %xr10, %xe0, %xe1, %xe2 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f64>, tensor<f64>, tensor<f64>
  }) : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f64>, tensor<f64>, tensor<f64>)
  %v:2 = "jx.while"(%half) ({
  ^bb0(%a0: tensor<f32>):
    %c = jx.compare %a0, %big {kind = "lt"} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    jx.yield %c : tensor<i1>
  }, {
  ^bb0(%a0: tensor<f32>):
    %q0 = jx.add %a0, %s0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %z0 = jx.exp %q0 : (tensor<f32>) -> tensor<f32>
    %q1 = jx.add %a0, %s1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %z1 = jx.exp %q1 : (tensor<f32>) -> tensor<f32>
    %q2 = jx.add %a0, %s2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %z2 = jx.exp %q2 : (tensor<f32>) -> tensor<f32>
    %q3 = jx.add %a0, %s3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %z3 = jx.exp %q3 : (tensor<f32>) -> tensor<f32>
    %q4 = jx.add %a0, %s4 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %z4 = jx.exp %q4 : (tensor<f32>) -> tensor<f32>
    %q5 = jx.add %a0, %s5 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %z5 = jx.exp %q5 : (tensor<f32>) -> tensor<f32>
    %t0 = jx.add %a0, %z0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %t1 = jx.add %t0, %z1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %t2 = jx.add %t1, %z2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %t3 = jx.add %t2, %z3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %t4 = jx.add %t3, %z4 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %t5 = jx.add %t4, %z5 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    jx.yield %t5 : tensor<f32>
  }) : (tensor<f32>) -> (tensor<f32>, tensor<i64>)
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7, %r#8, %r#9, %r#10, %r#11, %r#12, %r#13, %v#0 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f32>
}
