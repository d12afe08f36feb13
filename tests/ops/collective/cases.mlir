// Recorded from JAX 0.10.2 (NumPy 2.4.6) by tests/ops/record.py.
func.func @axis_index_0() -> (tensor<i32>)
    attributes {inputs = [], expected = [dense<"0x00000000010000000200000003000000"> : tensor<4xi32>], rtol = 0.000e+00 : f64, atol = 0.000e+00 : f64, axis = "i", size = 4 : i64} {
  %r = jx.axis_index  {axis_name = "i"} : () -> (tensor<i32>)
  return %r : tensor<i32>
}

func.func @preduce_1(%a0: tensor<f32>) -> (tensor<f32>)
    attributes {inputs = [dense<"0x3E9D9B3EF9AE863EABFA673C9575A73F"> : tensor<4xf32>], expected = [dense<"0x98D8F13F98D8F13F98D8F13F98D8F13F"> : tensor<4xf32>], rtol = 1.000e-06 : f64, atol = 1.000e-06 : f64, axis = "i", size = 4 : i64, tangents = [dense<"0x6FB9313F560D76BFB995FB3F5046D73C"> : tensor<4xf32>], expected_tangents = [dense<"0xDFC8DC3FDFC8DC3FDFC8DC3FDFC8DC3F"> : tensor<4xf32>], expected_second = [dense<"0x00000000000000000000000000000000"> : tensor<4xf32>]} {
  %r = jx.preduce %a0 {kind = "sum", axis_name = "i"} : (tensor<f32>) -> (tensor<f32>)
  return %r : tensor<f32>
}

func.func @preduce_2(%a0: tensor<3xf32>) -> (tensor<3xf32>)
    attributes {inputs = [dense<"0xC6B166BF31550C3FED0AA4BE699D80BEFFC2CE3E808ED53E04A81E3EF76B8F3F64F9C33FB127CC3F512C3B3F0512EDBF"> : tensor<4x3xf32>], expected = [dense<"0xE9F8183FBC6E3340E0BD65BEE9F8183FBC6E3340E0BD65BEE9F8183FBC6E3340E0BD65BEE9F8183FBC6E3340E0BD65BE"> : tensor<4x3xf32>], rtol = 1.000e-06 : f64, atol = 1.000e-06 : f64, axis = "i", size = 4 : i64, tangents = [dense<"0xA49E87BEA794093F06DD8F3FB49523BFC7FCEEBF153CE4BF460AB03D2CEC9A3FBB40CFBE4F3D8E3F3CF5AFBE2EA68F3F"> : tensor<4x3xf32>], expected_tangents = [dense<"0xC22D963E5C0EEDBE00DE6E3DC22D963E5C0EEDBE00DE6E3DC22D963E5C0EEDBE00DE6E3DC22D963E5C0EEDBE00DE6E3D"> : tensor<4x3xf32>], expected_second = [dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<4x3xf32>]} {
  %r = jx.preduce %a0 {kind = "sum", axis_name = "i"} : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @preduce_3(%a0: tensor<2xi32>) -> (tensor<2xi32>)
    attributes {inputs = [dense<"0xF9FFFFFF0500000008000000F7FFFFFF03000000FCFFFFFF"> : tensor<3x2xi32>], expected = [dense<"0x04000000F8FFFFFF04000000F8FFFFFF04000000F8FFFFFF"> : tensor<3x2xi32>], rtol = 1.000e-06 : f64, atol = 1.000e-06 : f64, axis = "i", size = 3 : i64} {
  %r = jx.preduce %a0 {kind = "sum", axis_name = "i"} : (tensor<2xi32>) -> (tensor<2xi32>)
  return %r : tensor<2xi32>
}

func.func @preduce_4(%a0: tensor<f32>) -> (tensor<f32>)
    attributes {inputs = [dense<"0xD4E49C3BC0E54EBF4DEF3FBF8FB13B3F"> : tensor<4xf32>], expected = [dense<"0x8FB13B3F8FB13B3F8FB13B3F8FB13B3F"> : tensor<4xf32>], rtol = 1.000e-06 : f64, atol = 1.000e-06 : f64, axis = "i", size = 4 : i64} {
  %r = jx.preduce %a0 {kind = "max", axis_name = "i"} : (tensor<f32>) -> (tensor<f32>)
  return %r : tensor<f32>
}

func.func @preduce_5(%a0: tensor<3xf32>) -> (tensor<3xf32>)
    attributes {inputs = [dense<"0x187DDF3F20F7A83F2A3F8ABFE4C2193EDA1F9F3B4BB97CBFDFC8B1BF5A8FC1BFAC8D1FBF8C4643BF3D5682BF295618C0"> : tensor<4x3xf32>], expected = [dense<"0x187DDF3F20F7A83FAC8D1FBF187DDF3F20F7A83FAC8D1FBF187DDF3F20F7A83FAC8D1FBF187DDF3F20F7A83FAC8D1FBF"> : tensor<4x3xf32>], rtol = 1.000e-06 : f64, atol = 1.000e-06 : f64, axis = "i", size = 4 : i64} {
  %r = jx.preduce %a0 {kind = "max", axis_name = "i"} : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @preduce_6(%a0: tensor<2xi32>) -> (tensor<2xi32>)
    attributes {inputs = [dense<"0x04000000FFFFFFFF0300000000000000F9FFFFFF07000000"> : tensor<3x2xi32>], expected = [dense<"0x040000000700000004000000070000000400000007000000"> : tensor<3x2xi32>], rtol = 1.000e-06 : f64, atol = 1.000e-06 : f64, axis = "i", size = 3 : i64} {
  %r = jx.preduce %a0 {kind = "max", axis_name = "i"} : (tensor<2xi32>) -> (tensor<2xi32>)
  return %r : tensor<2xi32>
}

func.func @preduce_7(%a0: tensor<f32>) -> (tensor<f32>)
    attributes {inputs = [dense<"0x0D0F46BE932D9F3F35A1B03D181E8E3F"> : tensor<4xf32>], expected = [dense<"0x0D0F46BE0D0F46BE0D0F46BE0D0F46BE"> : tensor<4xf32>], rtol = 1.000e-06 : f64, atol = 1.000e-06 : f64, axis = "i", size = 4 : i64} {
  %r = jx.preduce %a0 {kind = "min", axis_name = "i"} : (tensor<f32>) -> (tensor<f32>)
  return %r : tensor<f32>
}

func.func @preduce_8(%a0: tensor<3xf32>) -> (tensor<3xf32>)
    attributes {inputs = [dense<"0xA324BFBFB67AE03FDE2662BF9B6BE63E589B4EBFB663263E0AAC413E41334CBFA1E58D3F6844403F8EDDE7BF727E913F"> : tensor<4x3xf32>], expected = [dense<"0xA324BFBF8EDDE7BFDE2662BFA324BFBF8EDDE7BFDE2662BFA324BFBF8EDDE7BFDE2662BFA324BFBF8EDDE7BFDE2662BF"> : tensor<4x3xf32>], rtol = 1.000e-06 : f64, atol = 1.000e-06 : f64, axis = "i", size = 4 : i64} {
  %r = jx.preduce %a0 {kind = "min", axis_name = "i"} : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @preduce_9(%a0: tensor<2xi32>) -> (tensor<2xi32>)
    attributes {inputs = [dense<"0x00000000F7FFFFFF0500000002000000F9FFFFFFF8FFFFFF"> : tensor<3x2xi32>], expected = [dense<"0xF9FFFFFFF7FFFFFFF9FFFFFFF7FFFFFFF9FFFFFFF7FFFFFF"> : tensor<3x2xi32>], rtol = 1.000e-06 : f64, atol = 1.000e-06 : f64, axis = "i", size = 3 : i64} {
  %r = jx.preduce %a0 {kind = "min", axis_name = "i"} : (tensor<2xi32>) -> (tensor<2xi32>)
  return %r : tensor<2xi32>
}

func.func @all_gather_10(%a0: tensor<f32>) -> (tensor<4xf32>)
    attributes {inputs = [dense<"0x85688FBE2570A9BBB23205408DC0173F"> : tensor<4xf32>], expected = [dense<"0x85688FBE2570A9BBB23205408DC0173F85688FBE2570A9BBB23205408DC0173F85688FBE2570A9BBB23205408DC0173F85688FBE2570A9BBB23205408DC0173F"> : tensor<4x4xf32>], rtol = 0.000e+00 : f64, atol = 0.000e+00 : f64, axis = "i", size = 4 : i64, tangents = [dense<"0x9655D9BF6384D03F5D657C3FB5339FBE"> : tensor<4xf32>], expected_tangents = [dense<"0x9655D9BF6384D03F5D657C3FB5339FBE9655D9BF6384D03F5D657C3FB5339FBE9655D9BF6384D03F5D657C3FB5339FBE9655D9BF6384D03F5D657C3FB5339FBE"> : tensor<4x4xf32>], expected_second = [dense<"0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<4x4xf32>]} {
  %r = jx.all_gather %a0 {axis_size = 4 : i64, axis_name = "i"} : (tensor<f32>) -> (tensor<4xf32>)
  return %r : tensor<4xf32>
}

func.func @ppermute_11(%a0: tensor<f32>) -> (tensor<f32>)
    attributes {inputs = [dense<"0x85688FBE2570A9BBB23205408DC0173F"> : tensor<4xf32>], expected = [dense<"0x8DC0173F85688FBE2570A9BBB2320540"> : tensor<4xf32>], rtol = 0.000e+00 : f64, atol = 0.000e+00 : f64, axis = "i", size = 4 : i64, tangents = [dense<"0x96DCEB3BCBDBCE3FB302A9BC81DF503E"> : tensor<4xf32>], expected_tangents = [dense<"0x81DF503E96DCEB3BCBDBCE3FB302A9BC"> : tensor<4xf32>], expected_second = [dense<"0x00000000000000000000000000000000"> : tensor<4xf32>]} {
  %r = jx.ppermute %a0 {permutation = array<i64: 0, 1, 1, 2, 2, 3, 3, 0>, axis_name = "i"} : (tensor<f32>) -> (tensor<f32>)
  return %r : tensor<f32>
}

func.func @ppermute_12(%a0: tensor<f32>) -> (tensor<f32>)
    attributes {inputs = [dense<"0x85688FBE2570A9BBB23205408DC0173F"> : tensor<4xf32>], expected = [dense<"0x2570A9BBB23205408DC0173F85688FBE"> : tensor<4xf32>], rtol = 0.000e+00 : f64, atol = 0.000e+00 : f64, axis = "i", size = 4 : i64, tangents = [dense<"0xC2995B3F5243313BDD8E583F293D073F"> : tensor<4xf32>], expected_tangents = [dense<"0x5243313BDD8E583F293D073FC2995B3F"> : tensor<4xf32>], expected_second = [dense<"0x00000000000000000000000000000000"> : tensor<4xf32>]} {
  %r = jx.ppermute %a0 {permutation = array<i64: 0, 3, 2, 1, 1, 0, 3, 2>, axis_name = "i"} : (tensor<f32>) -> (tensor<f32>)
  return %r : tensor<f32>
}

func.func @all_gather_13(%a0: tensor<3xf32>) -> (tensor<4x3xf32>)
    attributes {inputs = [dense<"0x380639BF534698BED96F3EBFBDE55A3FBF134C3EBE746CBEF1D6DCBF2FACCE3F004F723FE9176B3FCBF505BE640F203E"> : tensor<4x3xf32>], expected = [dense<"0x380639BF534698BED96F3EBFBDE55A3FBF134C3EBE746CBEF1D6DCBF2FACCE3F004F723FE9176B3FCBF505BE640F203E380639BF534698BED96F3EBFBDE55A3FBF134C3EBE746CBEF1D6DCBF2FACCE3F004F723FE9176B3FCBF505BE640F203E380639BF534698BED96F3EBFBDE55A3FBF134C3EBE746CBEF1D6DCBF2FACCE3F004F723FE9176B3FCBF505BE640F203E380639BF534698BED96F3EBFBDE55A3FBF134C3EBE746CBEF1D6DCBF2FACCE3F004F723FE9176B3FCBF505BE640F203E"> : tensor<4x4x3xf32>], rtol = 0.000e+00 : f64, atol = 0.000e+00 : f64, axis = "i", size = 4 : i64, tangents = [dense<"0x0CFED83D66A9F6BC48E785BF76E5C4BE3CA7E0BF73A795BFA1D51ABFD0C024BF703836BFF52D83BF41C1B6BEB7E256BF"> : tensor<4x3xf32>], expected_tangents = [dense<"0x0CFED83D66A9F6BC48E785BF76E5C4BE3CA7E0BF73A795BFA1D51ABFD0C024BF703836BFF52D83BF41C1B6BEB7E256BF0CFED83D66A9F6BC48E785BF76E5C4BE3CA7E0BF73A795BFA1D51ABFD0C024BF703836BFF52D83BF41C1B6BEB7E256BF0CFED83D66A9F6BC48E785BF76E5C4BE3CA7E0BF73A795BFA1D51ABFD0C024BF703836BFF52D83BF41C1B6BEB7E256BF0CFED83D66A9F6BC48E785BF76E5C4BE3CA7E0BF73A795BFA1D51ABFD0C024BF703836BFF52D83BF41C1B6BEB7E256BF"> : tensor<4x4x3xf32>], expected_second = [dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<4x4x3xf32>]} {
  %r = jx.all_gather %a0 {axis_size = 4 : i64, axis_name = "i"} : (tensor<3xf32>) -> (tensor<4x3xf32>)
  return %r : tensor<4x3xf32>
}

func.func @ppermute_14(%a0: tensor<3xf32>) -> (tensor<3xf32>)
    attributes {inputs = [dense<"0x380639BF534698BED96F3EBFBDE55A3FBF134C3EBE746CBEF1D6DCBF2FACCE3F004F723FE9176B3FCBF505BE640F203E"> : tensor<4x3xf32>], expected = [dense<"0xE9176B3FCBF505BE640F203E380639BF534698BED96F3EBFBDE55A3FBF134C3EBE746CBEF1D6DCBF2FACCE3F004F723F"> : tensor<4x3xf32>], rtol = 0.000e+00 : f64, atol = 0.000e+00 : f64, axis = "i", size = 4 : i64, tangents = [dense<"0x3AD4493F5DCD653F2ADECA3F44A94E3F9F84273F70BF253F9C9308C00286A03EE383BFBF4F73D7BE07F6A23F5CDB013E"> : tensor<4x3xf32>], expected_tangents = [dense<"0x4F73D7BE07F6A23F5CDB013E3AD4493F5DCD653F2ADECA3F44A94E3F9F84273F70BF253F9C9308C00286A03EE383BFBF"> : tensor<4x3xf32>], expected_second = [dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<4x3xf32>]} {
  %r = jx.ppermute %a0 {permutation = array<i64: 0, 1, 1, 2, 2, 3, 3, 0>, axis_name = "i"} : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r : tensor<3xf32>
}

func.func @ppermute_15(%a0: tensor<3xf32>) -> (tensor<3xf32>)
    attributes {inputs = [dense<"0x380639BF534698BED96F3EBFBDE55A3FBF134C3EBE746CBEF1D6DCBF2FACCE3F004F723FE9176B3FCBF505BE640F203E"> : tensor<4x3xf32>], expected = [dense<"0xBDE55A3FBF134C3EBE746CBEF1D6DCBF2FACCE3F004F723FE9176B3FCBF505BE640F203E380639BF534698BED96F3EBF"> : tensor<4x3xf32>], rtol = 0.000e+00 : f64, atol = 0.000e+00 : f64, axis = "i", size = 4 : i64, tangents = [dense<"0x7D09AABED57114BFB441E63E61F0F53F8E5FBC3FA7AC94BF3250A4BFA7F7E53DD6662EBFCBB48B3F65EA9C3FCFE1423F"> : tensor<4x3xf32>], expected_tangents = [dense<"0x61F0F53F8E5FBC3FA7AC94BF3250A4BFA7F7E53DD6662EBFCBB48B3F65EA9C3FCFE1423F7D09AABED57114BFB441E63E"> : tensor<4x3xf32>], expected_second = [dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<4x3xf32>]} {
  %r = jx.ppermute %a0 {permutation = array<i64: 0, 3, 2, 1, 1, 0, 3, 2>, axis_name = "i"} : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r : tensor<3xf32>
}
