// Run-time choice among branches.
#ifndef JX_COND_TD
#define JX_COND_TD
include "compiler/dialect/JxBase.td"
def Jx_CondOp : Jx_RegionOp<"cond", [RecursiveMemoryEffects, NoRegionArguments]> {
  let summary = [{runs the region that the scalar i32 `index` names, clamped into range; every region ends in a jx.yield
    of the result types. lax.cond is region 1 for true, region 0 for false}];
  let arguments = (ins Jx_Array:$index);
  let results = (outs Variadic<Jx_Value>:$outputs);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
#endif
