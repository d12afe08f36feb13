// Elementwise primitives on equally shaped operands; broadcasting is explicit (jx.broadcast_in_dim). Domains:
// "num" ints, floats, complex; "real" ints and floats; "float" floats and complex; "realfloat"; "int"; "bits" bool and
// ints; "any"; "ordered" bool, ints, floats.
#ifndef JX_ELEMENTWISE_TD
#define JX_ELEMENTWISE_TD
include "compiler/dialect/JxBase.td"

// unary, differentiable
class Jx_UnaryLinear<string mnemonic, string domain> : Jx_Unary<mnemonic, domain> {
  let extraClassDefinition = !strconcat(regularRules, Jx_linearJvp);
}
def Jx_NegOp : Jx_UnaryLinear<"neg", "num">;
def Jx_AbsOp : Jx_UnaryNonlinear<"abs", "real">;
def Jx_ExpOp : Jx_UnaryNonlinear<"exp", "float">;
def Jx_Exp2Op : Jx_UnaryNonlinear<"exp2", "float">;
def Jx_Expm1Op : Jx_UnaryNonlinear<"expm1", "float">;
def Jx_LogOp : Jx_UnaryNonlinear<"log", "float">;
def Jx_Log1pOp : Jx_UnaryNonlinear<"log1p", "float">;
def Jx_SqrtOp : Jx_UnaryNonlinear<"sqrt", "float">;
def Jx_RsqrtOp : Jx_UnaryNonlinear<"rsqrt", "float">;
def Jx_CbrtOp : Jx_UnaryNonlinear<"cbrt", "realfloat">;
def Jx_SinOp : Jx_UnaryNonlinear<"sin", "float">;
def Jx_CosOp : Jx_UnaryNonlinear<"cos", "float">;
def Jx_TanOp : Jx_UnaryNonlinear<"tan", "float">;
def Jx_AsinOp : Jx_UnaryNonlinear<"asin", "float">;
def Jx_AcosOp : Jx_UnaryNonlinear<"acos", "float">;
def Jx_AtanOp : Jx_UnaryNonlinear<"atan", "float">;
def Jx_SinhOp : Jx_UnaryNonlinear<"sinh", "float">;
def Jx_CoshOp : Jx_UnaryNonlinear<"cosh", "float">;
def Jx_TanhOp : Jx_UnaryNonlinear<"tanh", "float">;
def Jx_AsinhOp : Jx_UnaryNonlinear<"asinh", "float">;
def Jx_AcoshOp : Jx_UnaryNonlinear<"acosh", "float">;
def Jx_AtanhOp : Jx_UnaryNonlinear<"atanh", "float">;
def Jx_LogisticOp : Jx_UnaryNonlinear<"logistic", "float">;
def Jx_ErfOp : Jx_UnaryNonlinear<"erf", "realfloat">;
def Jx_ErfcOp : Jx_UnaryNonlinear<"erfc", "realfloat">;
def Jx_ErfInvOp : Jx_UnaryNonlinear<"erf_inv", "realfloat">;
def Jx_LgammaOp : Jx_UnaryNonlinear<"lgamma", "realfloat">;
def Jx_DigammaOp : Jx_UnaryNonlinear<"digamma", "realfloat">;
def Jx_PolygammaOp : Jx_UnaryNonlinear<"polygamma", "realfloat"> {
  let summary = "derivative of digamma of static order >= 1";
  let arguments = (ins Jx_Array:$operand, I64Attr:$order);
}
def Jx_IntegerPowOp : Jx_UnaryNonlinear<"integer_pow", "num"> {
  let summary = "x ** exponent for a static integer exponent, by repeated multiplication as JAX does";
  let arguments = (ins Jx_Array:$operand, I64Attr:$exponent);
}

// unary, piecewise constant
def Jx_SignOp : Jx_UnaryConstant<"sign", "real">;
def Jx_FloorOp : Jx_UnaryConstant<"floor", "realfloat">;
def Jx_CeilOp : Jx_UnaryConstant<"ceil", "realfloat">;
def Jx_RoundOp : Jx_UnaryConstant<"round", "realfloat"> {
  let summary = "round to integer; `mode` is \"even\" or \"away\"";
  let arguments = (ins Jx_Array:$operand, StrAttr:$mode);
}
def Jx_IsFiniteOp : Jx_UnaryConstant<"is_finite", "realfloat", "bool">;
def Jx_NotOp : Jx_UnaryConstant<"not", "bits">;
def Jx_PopulationCountOp : Jx_UnaryConstant<"population_count", "int">;
def Jx_ClzOp : Jx_UnaryConstant<"clz", "int">;
def Jx_StopGradientOp : Jx_UnaryConstant<"stop_gradient", "any"> {
  let summary = "the identity with derivative zero";
}

// binary, not constant. add and sub are linear in both operands, mul in each, div in the first.
def Jx_AddOp : Jx_Binary<"add", "num", "same", [Commutative]>;
def Jx_SubOp : Jx_Binary<"sub", "num">;
def Jx_MulOp : Jx_Binary<"mul", "num", "same", [Commutative]>;
def Jx_DivOp : Jx_Binary<"div", "num"> {
  let summary = "quotient; integers round towards zero, and x / 0 is -1 as in XLA";
}
def Jx_RemOp : Jx_BinaryNonlinear<"rem", "real"> { let summary = "remainder with the sign of the dividend"; }
def Jx_MaxOp : Jx_BinaryNonlinear<"max", "ordered">;
def Jx_MinOp : Jx_BinaryNonlinear<"min", "ordered">;
def Jx_PowOp : Jx_BinaryNonlinear<"pow", "float">;
def Jx_Atan2Op : Jx_BinaryNonlinear<"atan2", "realfloat">;
def Jx_NextafterOp : Jx_BinaryNonlinear<"nextafter", "realfloat"> {
  let summary = "the neighbour of lhs in the direction of rhs among the floats of its type; not differentiable";
}

// binary, piecewise constant
def Jx_AndOp : Jx_BinaryConstant<"and", "bits", "same", [Commutative]>;
def Jx_OrOp : Jx_BinaryConstant<"or", "bits", "same", [Commutative]>;
def Jx_XorOp : Jx_BinaryConstant<"xor", "bits", "same", [Commutative]>;
def Jx_ShiftLeftOp : Jx_BinaryConstant<"shift_left", "int">;
def Jx_ShiftRightLogicalOp : Jx_BinaryConstant<"shift_right_logical", "int">;
def Jx_ShiftRightArithmeticOp : Jx_BinaryConstant<"shift_right_arithmetic", "int">;
def Jx_CompareOp : Jx_BinaryConstant<"compare", "any", "bool"> {
  let summary = "`kind` is eq, ne, lt, le, gt or ge; with nan only ne holds";
  let arguments = (ins Jx_Array:$lhs, Jx_Array:$rhs, StrAttr:$kind);
}

def Jx_SelectOp : Jx_Op<"select", [Pure]> {
  let summary = "pred ? on_true : on_false, elementwise; a scalar pred chooses a whole array";
  let arguments = (ins Jx_Array:$pred, Jx_Array:$on_true, Jx_Array:$on_false);
  let results = (outs Jx_Array:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def Jx_ClampOp : Jx_Op<"clamp", [Pure]> {
  let summary = "min(max(x, low), high); bounds are scalars or of x's shape";
  let arguments = (ins Jx_Array:$low, Jx_Array:$operand, Jx_Array:$high);
  let results = (outs Jx_Array:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
#endif
