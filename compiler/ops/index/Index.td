// Reading and writing parts of arrays.
#ifndef JX_INDEX_TD
#define JX_INDEX_TD
include "compiler/dialect/JxBase.td"

class Jx_IndexOp<string mnemonic> : Jx_Op<mnemonic, [Pure]> {
  let results = (outs Jx_Array:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def Jx_SliceOp : Jx_IndexOp<"slice"> {
  let summary = "static bounds, positive strides";
  let arguments = (ins Jx_Array:$operand, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$limits,
                       DenseI64ArrayAttr:$strides);
  let extraClassDefinition = Jx_linearJvp;
  let hasFolder = 1;
}
def Jx_DynamicSliceOp : Jx_IndexOp<"dynamic_slice"> {
  let summary = "one scalar integer start a dimension, clamped so that the slice lies inside";
  let arguments = (ins Jx_Array:$operand, Variadic<Jx_Array>:$starts, DenseI64ArrayAttr:$sizes);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
def Jx_DynamicUpdateSliceOp : Jx_IndexOp<"dynamic_update_slice"> {
  let summary = "operand with `update` written at the clamped starts";
  let arguments = (ins Jx_Array:$operand, Jx_Array:$update, Variadic<Jx_Array>:$starts);
  let hasFolder = 1;
}
def Jx_GatherOp : Jx_IndexOp<"gather"> {
  let summary = [{JAX's gather (GatherDimensionNumbers): index vectors lie along the last dimension of `indices`;
    `mode` is clip, fill (with `fill_value`, else nan or the smallest int / largest uint) or promise}];
  let arguments = (ins Jx_Array:$operand, Jx_Array:$indices, DenseI64ArrayAttr:$offset_dims,
    DenseI64ArrayAttr:$collapsed_slice_dims, DenseI64ArrayAttr:$operand_batching_dims,
    DenseI64ArrayAttr:$start_indices_batching_dims, DenseI64ArrayAttr:$start_index_map,
    DenseI64ArrayAttr:$slice_sizes, StrAttr:$mode, OptionalAttr<F64Attr>:$fill_value);
}
def Jx_ScatterOp : Jx_IndexOp<"scatter"> {
  let summary = [{JAX's scatter (ScatterDimensionNumbers); `combiner` is set, add, sub, mul, min or max; `mode` is drop,
    clip or promise. Updates are applied in row-major order of the update indices}];
  let arguments = (ins Jx_Array:$operand, Jx_Array:$indices, Jx_Array:$updates,
    DenseI64ArrayAttr:$update_window_dims, DenseI64ArrayAttr:$inserted_window_dims,
    DenseI64ArrayAttr:$operand_batching_dims, DenseI64ArrayAttr:$scatter_indices_batching_dims,
    DenseI64ArrayAttr:$scatter_dims_to_operand_dims, StrAttr:$combiner, StrAttr:$mode, BoolAttr:$unique_indices);
}
#endif
