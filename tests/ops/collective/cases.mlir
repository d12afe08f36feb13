// Recorded from JAX 0.10.2 (NumPy 2.4.6) by tests/ops/record.py.
func.func @axis_index_0() -> (tensor<i32>)
    attributes {inputs = [], expected = [dense<"0x00000000010000000200000003000000"> : tensor<4xi32>], rtol = 0.000e+00 : f64, atol = 0.000e+00 : f64, axis = "i", size = 4 : i64} {
  %r = jx.axis_index  {axis_name = "i"} : () -> (tensor<i32>)
  return %r : tensor<i32>
}

func.func @preduce_1(%a0: tensor<f32>) -> (tensor<f32>)
    attributes {inputs = [dense<"0xFB5536BF1BB7BDBEFAEAF93C4B59EA3F"> : tensor<4xf32>], expected = [dense<"0x6650473F6650473F6650473F6650473F"> : tensor<4xf32>], rtol = 1.000e-06 : f64, atol = 1.000e-06 : f64, axis = "i", size = 4 : i64, tangents = [dense<"0x5598C8BF42F05A3F6104A9BF9B203DBF"> : tensor<4xf32>], expected_tangents = [dense<"0x715A31C0715A31C0715A31C0715A31C0"> : tensor<4xf32>], expected_second = [dense<"0x00000000000000000000000000000000"> : tensor<4xf32>]} {
  %r = jx.preduce %a0 {kind = "sum", axis_name = "i"} : (tensor<f32>) -> (tensor<f32>)
  return %r : tensor<f32>
}

func.func @preduce_2(%a0: tensor<3xf32>) -> (tensor<3xf32>)
    attributes {inputs = [dense<"0x0A7B3C3DD5EF8A3F96D8A3BFB6DDB63E29DF2CBFD04909BF05C8D03C90A3AE3F478396BFA8734B3EBB00FA3DB0F6CBBE"> : tensor<4x3xf32>], expected = [dense<"0xB699203FDCC3F23F38FF58C0B699203FDCC3F23F38FF58C0B699203FDCC3F23F38FF58C0B699203FDCC3F23F38FF58C0"> : tensor<4x3xf32>], rtol = 1.000e-06 : f64, atol = 1.000e-06 : f64, axis = "i", size = 4 : i64, tangents = [dense<"0x8E21AE3EB4629ABF8E1B903E195191BE6F794C3FE88E733F74DD06BF925B9A3FB5C55A3FA84E86BF6B48AABE6B14E1BE"> : tensor<4x3xf32>], expected_tangents = [dense<"0x4589C2BFEB8DEE3E17ECD23F4589C2BFEB8DEE3E17ECD23F4589C2BFEB8DEE3E17ECD23F4589C2BFEB8DEE3E17ECD23F"> : tensor<4x3xf32>], expected_second = [dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<4x3xf32>]} {
  %r = jx.preduce %a0 {kind = "sum", axis_name = "i"} : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @preduce_3(%a0: tensor<2xi32>) -> (tensor<2xi32>)
    attributes {inputs = [dense<"0x0600000005000000F9FFFFFF05000000F8FFFFFFFAFFFFFF"> : tensor<3x2xi32>], expected = [dense<"0xF7FFFFFF04000000F7FFFFFF04000000F7FFFFFF04000000"> : tensor<3x2xi32>], rtol = 1.000e-06 : f64, atol = 1.000e-06 : f64, axis = "i", size = 3 : i64} {
  %r = jx.preduce %a0 {kind = "sum", axis_name = "i"} : (tensor<2xi32>) -> (tensor<2xi32>)
  return %r : tensor<2xi32>
}

func.func @preduce_4(%a0: tensor<f32>) -> (tensor<f32>)
    attributes {inputs = [dense<"0x39E890BFFF982C3F3E9D9B3EF9AE863E"> : tensor<4xf32>], expected = [dense<"0xFF982C3FFF982C3FFF982C3FFF982C3F"> : tensor<4xf32>], rtol = 1.000e-06 : f64, atol = 1.000e-06 : f64, axis = "i", size = 4 : i64} {
  %r = jx.preduce %a0 {kind = "max", axis_name = "i"} : (tensor<f32>) -> (tensor<f32>)
  return %r : tensor<f32>
}

func.func @preduce_5(%a0: tensor<3xf32>) -> (tensor<3xf32>)
    attributes {inputs = [dense<"0xABFA673C9575A73FC6B166BF31550C3FED0AA4BE699D80BEFFC2CE3E808ED53E04A81E3EF76B8F3F64F9C33FB127CC3F"> : tensor<4x3xf32>], expected = [dense<"0xF76B8F3F64F9C33FB127CC3FF76B8F3F64F9C33FB127CC3FF76B8F3F64F9C33FB127CC3FF76B8F3F64F9C33FB127CC3F"> : tensor<4x3xf32>], rtol = 1.000e-06 : f64, atol = 1.000e-06 : f64, axis = "i", size = 4 : i64} {
  %r = jx.preduce %a0 {kind = "max", axis_name = "i"} : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @preduce_6(%a0: tensor<2xi32>) -> (tensor<2xi32>)
    attributes {inputs = [dense<"0xFBFFFFFFFFFFFFFFFFFFFFFF040000000700000005000000"> : tensor<3x2xi32>], expected = [dense<"0x070000000500000007000000050000000700000005000000"> : tensor<3x2xi32>], rtol = 1.000e-06 : f64, atol = 1.000e-06 : f64, axis = "i", size = 3 : i64} {
  %r = jx.preduce %a0 {kind = "max", axis_name = "i"} : (tensor<2xi32>) -> (tensor<2xi32>)
  return %r : tensor<2xi32>
}

func.func @preduce_7(%a0: tensor<f32>) -> (tensor<f32>)
    attributes {inputs = [dense<"0x208C46BFDF3694BF6FB9313F560D76BF"> : tensor<4xf32>], expected = [dense<"0xDF3694BFDF3694BFDF3694BFDF3694BF"> : tensor<4xf32>], rtol = 1.000e-06 : f64, atol = 1.000e-06 : f64, axis = "i", size = 4 : i64} {
  %r = jx.preduce %a0 {kind = "min", axis_name = "i"} : (tensor<f32>) -> (tensor<f32>)
  return %r : tensor<f32>
}

func.func @preduce_8(%a0: tensor<3xf32>) -> (tensor<3xf32>)
    attributes {inputs = [dense<"0xB995FB3F5046D73CA49E87BEA794093F06DD8F3FB49523BFC7FCEEBF153CE4BF460AB03D2CEC9A3FBB40CFBE4F3D8E3F"> : tensor<4x3xf32>], expected = [dense<"0xC7FCEEBF153CE4BFB49523BFC7FCEEBF153CE4BFB49523BFC7FCEEBF153CE4BFB49523BFC7FCEEBF153CE4BFB49523BF"> : tensor<4x3xf32>], rtol = 1.000e-06 : f64, atol = 1.000e-06 : f64, axis = "i", size = 4 : i64} {
  %r = jx.preduce %a0 {kind = "min", axis_name = "i"} : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @preduce_9(%a0: tensor<2xi32>) -> (tensor<2xi32>)
    attributes {inputs = [dense<"0x08000000F9FFFFFFFCFFFFFFFBFFFFFFF8FFFFFFF9FFFFFF"> : tensor<3x2xi32>], expected = [dense<"0xF8FFFFFFF9FFFFFFF8FFFFFFF9FFFFFFF8FFFFFFF9FFFFFF"> : tensor<3x2xi32>], rtol = 1.000e-06 : f64, atol = 1.000e-06 : f64, axis = "i", size = 3 : i64} {
  %r = jx.preduce %a0 {kind = "min", axis_name = "i"} : (tensor<2xi32>) -> (tensor<2xi32>)
  return %r : tensor<2xi32>
}

func.func @all_gather_10(%a0: tensor<f32>) -> (tensor<4xf32>)
    attributes {inputs = [dense<"0xC0E54EBF4DEF3FBF8FB13B3F187DDF3F"> : tensor<4xf32>], expected = [dense<"0xC0E54EBF4DEF3FBF8FB13B3F187DDF3FC0E54EBF4DEF3FBF8FB13B3F187DDF3FC0E54EBF4DEF3FBF8FB13B3F187DDF3FC0E54EBF4DEF3FBF8FB13B3F187DDF3F"> : tensor<4x4xf32>], rtol = 0.000e+00 : f64, atol = 0.000e+00 : f64, axis = "i", size = 4 : i64, tangents = [dense<"0x8E4F3D40E342ADBE0D0F46BE932D9F3F"> : tensor<4xf32>], expected_tangents = [dense<"0x8E4F3D40E342ADBE0D0F46BE932D9F3F8E4F3D40E342ADBE0D0F46BE932D9F3F8E4F3D40E342ADBE0D0F46BE932D9F3F8E4F3D40E342ADBE0D0F46BE932D9F3F"> : tensor<4x4xf32>], expected_second = [dense<"0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<4x4xf32>]} {
  %r = jx.all_gather %a0 {axis_size = 4 : i64, axis_name = "i"} : (tensor<f32>) -> (tensor<4xf32>)
  return %r : tensor<4xf32>
}

func.func @ppermute_11(%a0: tensor<f32>) -> (tensor<f32>)
    attributes {inputs = [dense<"0xC0E54EBF4DEF3FBF8FB13B3F187DDF3F"> : tensor<4xf32>], expected = [dense<"0x187DDF3FC0E54EBF4DEF3FBF8FB13B3F"> : tensor<4xf32>], rtol = 0.000e+00 : f64, atol = 0.000e+00 : f64, axis = "i", size = 4 : i64, tangents = [dense<"0x35A1B03D181E8E3FA324BFBFB67AE03F"> : tensor<4xf32>], expected_tangents = [dense<"0xB67AE03F35A1B03D181E8E3FA324BFBF"> : tensor<4xf32>], expected_second = [dense<"0x00000000000000000000000000000000"> : tensor<4xf32>]} {
  %r = jx.ppermute %a0 {permutation = array<i64: 0, 1, 1, 2, 2, 3, 3, 0>, axis_name = "i"} : (tensor<f32>) -> (tensor<f32>)
  return %r : tensor<f32>
}

func.func @ppermute_12(%a0: tensor<f32>) -> (tensor<f32>)
    attributes {inputs = [dense<"0xC0E54EBF4DEF3FBF8FB13B3F187DDF3F"> : tensor<4xf32>], expected = [dense<"0x4DEF3FBF8FB13B3F187DDF3FC0E54EBF"> : tensor<4xf32>], rtol = 0.000e+00 : f64, atol = 0.000e+00 : f64, axis = "i", size = 4 : i64, tangents = [dense<"0xDE2662BF9B6BE63E589B4EBFB663263E"> : tensor<4xf32>], expected_tangents = [dense<"0x9B6BE63E589B4EBFB663263EDE2662BF"> : tensor<4xf32>], expected_second = [dense<"0x00000000000000000000000000000000"> : tensor<4xf32>]} {
  %r = jx.ppermute %a0 {permutation = array<i64: 0, 3, 2, 1, 1, 0, 3, 2>, axis_name = "i"} : (tensor<f32>) -> (tensor<f32>)
  return %r : tensor<f32>
}

func.func @all_gather_13(%a0: tensor<3xf32>) -> (tensor<4x3xf32>)
    attributes {inputs = [dense<"0x20F7A83F2A3F8ABFE4C2193EDA1F9F3B4BB97CBFDFC8B1BF5A8FC1BFAC8D1FBF8C4643BF3D5682BF295618C0BF66C0BE"> : tensor<4x3xf32>], expected = [dense<"0x20F7A83F2A3F8ABFE4C2193EDA1F9F3B4BB97CBFDFC8B1BF5A8FC1BFAC8D1FBF8C4643BF3D5682BF295618C0BF66C0BE20F7A83F2A3F8ABFE4C2193EDA1F9F3B4BB97CBFDFC8B1BF5A8FC1BFAC8D1FBF8C4643BF3D5682BF295618C0BF66C0BE20F7A83F2A3F8ABFE4C2193EDA1F9F3B4BB97CBFDFC8B1BF5A8FC1BFAC8D1FBF8C4643BF3D5682BF295618C0BF66C0BE20F7A83F2A3F8ABFE4C2193EDA1F9F3B4BB97CBFDFC8B1BF5A8FC1BFAC8D1FBF8C4643BF3D5682BF295618C0BF66C0BE"> : tensor<4x4x3xf32>], rtol = 0.000e+00 : f64, atol = 0.000e+00 : f64, axis = "i", size = 4 : i64, tangents = [dense<"0x0AAC413E41334CBFA1E58D3F6844403F8EDDE7BF727E913FF49453BDEAB189BE57DC0ABF85688FBE2570A9BBB2320540"> : tensor<4x3xf32>], expected_tangents = [dense<"0x0AAC413E41334CBFA1E58D3F6844403F8EDDE7BF727E913FF49453BDEAB189BE57DC0ABF85688FBE2570A9BBB23205400AAC413E41334CBFA1E58D3F6844403F8EDDE7BF727E913FF49453BDEAB189BE57DC0ABF85688FBE2570A9BBB23205400AAC413E41334CBFA1E58D3F6844403F8EDDE7BF727E913FF49453BDEAB189BE57DC0ABF85688FBE2570A9BBB23205400AAC413E41334CBFA1E58D3F6844403F8EDDE7BF727E913FF49453BDEAB189BE57DC0ABF85688FBE2570A9BBB2320540"> : tensor<4x4x3xf32>], expected_second = [dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<4x4x3xf32>]} {
  %r = jx.all_gather %a0 {axis_size = 4 : i64, axis_name = "i"} : (tensor<3xf32>) -> (tensor<4x3xf32>)
  return %r : tensor<4x3xf32>
}

func.func @ppermute_14(%a0: tensor<3xf32>) -> (tensor<3xf32>)
    attributes {inputs = [dense<"0x20F7A83F2A3F8ABFE4C2193EDA1F9F3B4BB97CBFDFC8B1BF5A8FC1BFAC8D1FBF8C4643BF3D5682BF295618C0BF66C0BE"> : tensor<4x3xf32>], expected = [dense<"0x3D5682BF295618C0BF66C0BE20F7A83F2A3F8ABFE4C2193EDA1F9F3B4BB97CBFDFC8B1BF5A8FC1BFAC8D1FBF8C4643BF"> : tensor<4x3xf32>], rtol = 0.000e+00 : f64, atol = 0.000e+00 : f64, axis = "i", size = 4 : i64, tangents = [dense<"0x8DC0173F380639BF534698BED96F3EBFBDE55A3FBF134C3EBE746CBEF1D6DCBF2FACCE3F004F723FE9176B3FCBF505BE"> : tensor<4x3xf32>], expected_tangents = [dense<"0x004F723FE9176B3FCBF505BE8DC0173F380639BF534698BED96F3EBFBDE55A3FBF134C3EBE746CBEF1D6DCBF2FACCE3F"> : tensor<4x3xf32>], expected_second = [dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<4x3xf32>]} {
  %r = jx.ppermute %a0 {permutation = array<i64: 0, 1, 1, 2, 2, 3, 3, 0>, axis_name = "i"} : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @ppermute_15(%a0: tensor<3xf32>) -> (tensor<3xf32>)
    attributes {inputs = [dense<"0x20F7A83F2A3F8ABFE4C2193EDA1F9F3B4BB97CBFDFC8B1BF5A8FC1BFAC8D1FBF8C4643BF3D5682BF295618C0BF66C0BE"> : tensor<4x3xf32>], expected = [dense<"0xDA1F9F3B4BB97CBFDFC8B1BF5A8FC1BFAC8D1FBF8C4643BF3D5682BF295618C0BF66C0BE20F7A83F2A3F8ABFE4C2193E"> : tensor<4x3xf32>], rtol = 0.000e+00 : f64, atol = 0.000e+00 : f64, axis = "i", size = 4 : i64, tangents = [dense<"0x640F203E9655D9BF6384D03F5D657C3FB5339FBE96DCEB3BCBDBCE3FB302A9BC81DF503EC2995B3F5243313BDD8E583F"> : tensor<4x3xf32>], expected_tangents = [dense<"0x5D657C3FB5339FBE96DCEB3BCBDBCE3FB302A9BC81DF503EC2995B3F5243313BDD8E583F640F203E9655D9BF6384D03F"> : tensor<4x3xf32>], expected_second = [dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<4x3xf32>]} {
  %r = jx.ppermute %a0 {permutation = array<i64: 0, 3, 2, 1, 1, 0, 3, 2>, axis_name = "i"} : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r : tensor<3xf32>
}
