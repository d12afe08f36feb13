// Contraction.
#ifndef JX_DOT_TD
#define JX_DOT_TD
include "compiler/dialect/JxBase.td"
def Jx_DotGeneralOp : Jx_Op<"dot_general", [Pure]> {
  let summary = [{lax.dot_general: result dimensions are batch, free of lhs, free of rhs; accumulation with k
    ascending in one FMA chain an output (f32 for f16 and bf16); `dtype` is the result's element type}];
  let arguments = (ins Jx_Array:$lhs, Jx_Array:$rhs, DenseI64ArrayAttr:$lhs_contracting,
    DenseI64ArrayAttr:$rhs_contracting, DenseI64ArrayAttr:$lhs_batch, DenseI64ArrayAttr:$rhs_batch, TypeAttr:$dtype);
  let hasCanonicalizer = 1;
  let results = (outs Jx_Array:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
#endif
