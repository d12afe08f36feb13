// Calls of functions and the ops that carry user-defined derivative rules or a recompute policy.
#ifndef JX_CALL_TD
#define JX_CALL_TD
include "compiler/dialect/JxBase.td"
class Jx_CallLike<string mnemonic, list<Trait> traits = []>
    : Jx_RegionOp<mnemonic, !listconcat([DeclareOpInterfaceMethods<MemoryEffectsOpInterface>], traits)> {
  let results = (outs Variadic<Jx_Value>:$outputs);
  let assemblyFormat = "$callee `(` operands `)` attr-dict `:` functional-type(operands, results)";
}
def Jx_CallOp : Jx_CallLike<"call"> {
  let summary = "calls func.func @callee; `pure` is set when the callee is finished and has no effects";
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Jx_Value>:$args, UnitAttr:$pure);
}
def Jx_CustomJvpOp : Jx_CallLike<"custom_jvp"> {
  let summary = [{call of a function with its own JVP. `rule` names the function (primals..., tangents...) ->
    (results..., tangents of results...), which RuleProvider elaborates on demand}];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Jx_Value>:$args, StrAttr:$rule, UnitAttr:$pure);
}
def Jx_CustomVjpOp : Jx_CallLike<"custom_vjp"> {
  let summary = [{call of a function with its own reverse rule: @fwd (args...) -> (results..., residuals...) and
    @bwd (residuals..., cotangents of results...) -> cotangents of args; both through RuleProvider, by `rule`}];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Jx_Value>:$args, StrAttr:$rule, UnitAttr:$pure);
}
def Jx_CustomLinearOp : Jx_CallLike<"custom_linear"> {
  let summary = [{the linear part of a custom_vjp: unknown tangents to unknown tangents, with @bwd as its transpose.
    args are the residuals, then the tangents of the primal's arguments. It cannot be evaluated}];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Jx_Value>:$args, I64Attr:$num_residuals, UnitAttr:$pure);
}
def Jx_CheckpointOp : Jx_CallLike<"checkpoint"> {
  let summary = [{call whose intermediates are recomputed in reverse mode. `policy` is "nothing", "everything", "dots",
    "dots_no_batch" or "names:a,b"; `recompute` marks the replayed copy, whose effects are dropped and which CSE never
    merges with the original}];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Jx_Value>:$args, StrAttr:$policy, UnitAttr:$recompute,
                       UnitAttr:$pure);
}
#endif
