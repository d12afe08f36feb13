// Reductions and scans by kind, never by region. Order of float sums: docs/numerics.md.
#ifndef JX_REDUCE_TD
#define JX_REDUCE_TD
include "compiler/dialect/JxBase.td"
class Jx_ReduceLike<string mnemonic> : Jx_Op<mnemonic, [Pure]> {
  let results = (outs Jx_Array:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def Jx_ReduceOp : Jx_ReduceLike<"reduce"> {
  let summary = "`kind` is sum, prod, max, min, and, or or xor; the axes disappear";
  let arguments = (ins Jx_Array:$operand, StrAttr:$kind, DenseI64ArrayAttr:$axes);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
def Jx_ArgReduceOp : Jx_ReduceLike<"arg_reduce"> {
  let summary = "index (of `dtype`) of the first max or min along `axis`, which disappears; nan wins";
  let arguments = (ins Jx_Array:$operand, StrAttr:$kind, I64Attr:$axis, TypeAttr:$dtype);
}
def Jx_CumulativeOp : Jx_ReduceLike<"cumulative"> {
  let summary = "`kind` is sum, prod, max, min or logsumexp along `axis`";
  let arguments = (ins Jx_Array:$operand, StrAttr:$kind, I64Attr:$axis, BoolAttr:$reverse);
}
#endif
