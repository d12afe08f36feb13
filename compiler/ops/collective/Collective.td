// Named-axis collectives; batching over the named axis resolves them into ordinary ops.
#ifndef JX_COLLECTIVE_TD
#define JX_COLLECTIVE_TD
include "compiler/dialect/JxBase.td"
class Jx_CollectiveOp<string mnemonic> : Jx_Op<mnemonic, [Pure]> {
  let results = (outs Jx_Array:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def Jx_AxisIndexOp : Jx_CollectiveOp<"axis_index"> { let arguments = (ins StrAttr:$axis_name); }
def Jx_PReduceOp : Jx_CollectiveOp<"preduce"> {
  let summary = "psum, pmax or pmin over `axis_name`, by kind sum, max, min";
  let arguments = (ins Jx_Array:$operand, StrAttr:$kind, StrAttr:$axis_name);
}
def Jx_AllGatherOp : Jx_CollectiveOp<"all_gather"> {
  let summary = "result has the axis, of `axis_size`, as its leading dimension";
  let arguments = (ins Jx_Array:$operand, StrAttr:$axis_name, I64Attr:$axis_size);
}
def Jx_PPermuteOp : Jx_CollectiveOp<"ppermute"> {
  let summary = "lane perm[2i+1] receives lane perm[2i]; lanes that receive nothing get zeros";
  let arguments = (ins Jx_Array:$operand, StrAttr:$axis_name, DenseI64ArrayAttr:$permutation);
}
#endif
