// Arrays from nothing, and rearrangements of whole arrays.
#ifndef JX_SHAPE_TD
#define JX_SHAPE_TD
include "compiler/dialect/JxBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

class Jx_ShapeOp<string mnemonic, list<Trait> traits = []> : Jx_Op<mnemonic, !listconcat([Pure], traits)> {
  let results = (outs Jx_Array:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
class Jx_LinearShapeOp<string mnemonic> : Jx_ShapeOp<mnemonic> { let extraClassDefinition = Jx_linearJvp; }

def Jx_ConstantOp : Jx_ShapeOp<"constant", [ConstantLike]> {
  let summary = "a literal; larger than 1 KB it is a dense resource, which nothing folds";
  let arguments = (ins ElementsAttr:$value);
  let assemblyFormat = "$value attr-dict";
  let hasFolder = 1;
}
def Jx_IotaOp : Jx_ShapeOp<"iota"> {
  let summary = "counts 0, 1, ... along `dimension`";
  let arguments = (ins TypeAttr:$dtype, DenseI64ArrayAttr:$shape, I64Attr:$dimension);
  let assemblyFormat = "attr-dict `:` functional-type(operands, results)";
}
def Jx_BroadcastInDimOp : Jx_LinearShapeOp<"broadcast_in_dim"> {
  let summary = "operand dimension i becomes result dimension dims[i]; sizes of 1 repeat";
  let arguments = (ins Jx_Array:$operand, DenseI64ArrayAttr:$shape, DenseI64ArrayAttr:$dims);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
def Jx_ReshapeOp : Jx_LinearShapeOp<"reshape"> {
  let summary = "row-major reinterpretation";
  let arguments = (ins Jx_Array:$operand, DenseI64ArrayAttr:$shape);
  let hasFolder = 1;
}
def Jx_TransposeOp : Jx_LinearShapeOp<"transpose"> {
  let summary = "result dimension i is operand dimension permutation[i]";
  let arguments = (ins Jx_Array:$operand, DenseI64ArrayAttr:$permutation);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
def Jx_ReverseOp : Jx_LinearShapeOp<"reverse"> {
  let arguments = (ins Jx_Array:$operand, DenseI64ArrayAttr:$dims);
  let hasFolder = 1;
}
def Jx_PadOp : Jx_LinearShapeOp<"pad"> {
  let summary = "low, high (either may be negative) and interior padding; padding_value is a scalar";
  let arguments = (ins Jx_Array:$operand, Jx_Array:$padding_value, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
                       DenseI64ArrayAttr:$interior);
  let hasFolder = 1;
}
def Jx_ConcatenateOp : Jx_LinearShapeOp<"concatenate"> {
  let arguments = (ins Variadic<Jx_Array>:$inputs, I64Attr:$dimension);
  let hasFolder = 1;
}
#endif
