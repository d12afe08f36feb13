// Changes of element type.
#ifndef JX_CONVERT_TD
#define JX_CONVERT_TD
include "compiler/dialect/JxBase.td"

class Jx_DtypeOp<string mnemonic> : Jx_Op<mnemonic, [Pure]> {
  let arguments = (ins Jx_Array:$operand, TypeAttr:$dtype);
  let results = (outs Jx_Array:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def Jx_ConvertOp : Jx_DtypeOp<"convert"> {
  let summary = "value conversion as XLA does it: floats to ints truncate, saturate, nan to 0; to bool compares with 0";
}
def Jx_BitcastOp : Jx_DtypeOp<"bitcast"> { let summary = "same bits, another element type of the same width"; }
#endif
