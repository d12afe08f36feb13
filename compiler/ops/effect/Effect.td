// Ordered effects: each writes the one resource Host, which keeps them in program order without tokens.
#ifndef JX_EFFECT_TD
#define JX_EFFECT_TD
include "compiler/dialect/JxBase.td"
def Jx_Host : Resource<"::jx::HostResource">;
class Jx_EffectOp<string mnemonic, list<Trait> traits = []>
    : Jx_Op<mnemonic, !listconcat([MemoryEffects<[MemWrite<Jx_Host>]>], traits)> {
  let results = (outs Variadic<Jx_Array>:$outputs);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def Jx_PrintOp : Jx_EffectOp<"print"> {
  let summary = "renders a format program (runtime/include/jxrt/Format.h) over the operands and writes it";
  let arguments = (ins Variadic<Jx_Value>:$args, StrAttr:$format, BoolAttr:$to_stderr);
}
def Jx_CheckOp : Jx_EffectOp<"check"> {
  let summary = "stops the program with the rendered message when the scalar i1 `pred` is false; `error` is a Python class";
  let arguments = (ins Jx_Array:$pred, Variadic<Jx_Value>:$args, StrAttr:$error, StrAttr:$format);
}
def Jx_LoadOp : Jx_EffectOp<"load"> {
  let summary = [{reads one array of the file whose path the format program `path` renders over the operands; the file's
    header must still be the type recorded here. `file_format` is auto, idx, npy or npz; `member` names the npz array}];
  let arguments = (ins Variadic<Jx_Value>:$args, StrAttr:$path, StrAttr:$file_format, StrAttr:$member, TypeAttr:$type);
}
def Jx_SaveOp : Jx_EffectOp<"save", [AttrSizedOperandSegments]> {
  let summary = [{writes `arrays` to the path that the format program `path` renders over `args`, as npy (one array) or
    npz (compressed or not), named by `members`}];
  let arguments = (ins Variadic<Jx_Value>:$args, Variadic<Jx_Array>:$arrays, StrAttr:$path, StrAttr:$file_format,
                       ArrayAttr:$members, BoolAttr:$compressed);
}
def Jx_FileExistsOp : Jx_EffectOp<"file_exists"> {
  let summary = [{whether the path that the format program `path` renders over the operands names something: tensor<i1>.
    `kind` is any, file or directory}];
  let arguments = (ins Variadic<Jx_Value>:$args, StrAttr:$path, StrAttr:$kind);
}
def Jx_ClockOp : Jx_EffectOp<"clock"> { let summary = "time.perf_counter() or, with kind \"time\", time.time(): seconds, tensor<f64>";
  let arguments = (ins StrAttr:$kind); }
def Jx_BarrierOp : Jx_EffectOp<"barrier"> {
  let summary = "the identity; nothing moves across it, and operands are computed anew each time (block_until_ready)";
  let arguments = (ins Variadic<Jx_Value>:$args);
}
def Jx_OptionOp : Jx_Op<"option", [Pure]> {
  let summary = "value of the command-line option `name`: tensor<i64>, tensor<f64> or tensor<i1> as `dtype` says";
  let arguments = (ins StrAttr:$name, TypeAttr:$dtype);
  let results = (outs Jx_Array:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def Jx_HostIntOp : Jx_EffectOp<"host_int"> {
  let summary = [{arithmetic of run-time Python ints on tensor<i64>: `kind` is add, sub, mul, floordiv, mod, neg, abs, pow,
    shl or shr. Overflow, and division by zero, stop the program with Python's error}];
  let arguments = (ins Variadic<Jx_Array>:$args, StrAttr:$kind);
}
def Jx_HostFloatOp : Jx_EffectOp<"host_float"> {
  let summary = [{arithmetic of run-time Python floats on tensor<f64> where it can raise: `kind` is div, floordiv, mod,
    pow; ZeroDivisionError and OverflowError as in Python}];
  let arguments = (ins Variadic<Jx_Array>:$args, StrAttr:$kind);
}
#endif
