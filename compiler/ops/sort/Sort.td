// Sorting.
#ifndef JX_SORT_TD
#define JX_SORT_TD
include "compiler/dialect/JxBase.td"
def Jx_SortOp : Jx_Op<"sort", [Pure]> {
  let summary = [{stable ascending sort of all operands along `dimension` by the first `num_keys` operands,
    lexicographically; -0 equals 0, nan is last}];
  let arguments = (ins Variadic<Jx_Array>:$inputs, I64Attr:$dimension, I64Attr:$num_keys);
  let results = (outs Variadic<Jx_Array>:$outputs);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def Jx_TopKOp : Jx_Op<"top_k", [Pure]> {
  let summary = "the k largest of the last axis, descending, and their i32 indices; ties by index";
  let arguments = (ins Jx_Array:$operand, I64Attr:$k);
  let results = (outs Jx_Array:$values, Jx_Array:$indices);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
#endif
