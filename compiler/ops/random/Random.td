// Random bits. Everything else of jax.random is .jx over these.
#ifndef JX_RANDOM_TD
#define JX_RANDOM_TD
include "compiler/dialect/JxBase.td"
def Jx_Threefry2x32Op : Jx_Op<"threefry2x32", [Pure]> {
  let summary = "20 rounds of threefry2x32 on equally shaped ui32 arrays: key words k0, k1 and counter words x0, x1";
  let arguments = (ins Jx_Array:$k0, Jx_Array:$k1, Jx_Array:$x0, Jx_Array:$x1);
  let results = (outs Jx_Array:$y0, Jx_Array:$y1);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = Jx_zeroDerivativeRules;
}
class Jx_KeyOp<string mnemonic> : Jx_Op<mnemonic, [Pure]> {
  let arguments = (ins Jx_Array:$operand);
  let results = (outs Jx_Array:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = Jx_zeroDerivativeRules;
}
def Jx_KeyDataOp : Jx_KeyOp<"key_data"> { let summary = "keys[...] to ui32[..., 2]"; }
def Jx_WrapKeyOp : Jx_KeyOp<"wrap_key"> { let summary = "ui32[..., 2] to keys[...]"; }
#endif
