// Outlined clusters of array ops: the unit that lowering compiles.
#ifndef JX_KERNEL_TD
#define JX_KERNEL_TD
include "compiler/dialect/JxBase.td"
def Jx_KernelOp : Jx_Structural<"kernel", [IsolatedFromAbove, SingleBlock, Pure]> {
  let summary = "a group of pure array ops that becomes one native function";
  let description = [{
    Made by clustering, after all transforms. The block has one argument an operand, holds ordinary jx ops, and ends in
    a jx.yield of the results. `in_place` has one entry a result: the operand whose buffer that result takes over, or
    -1. The memory plan sets it, within what mayShareBuffer (compiler/lowering/Kernels.h) allows; until then it is
    absent and means -1 everywhere.
  }];
  let arguments = (ins Variadic<Jx_Array>:$inputs, OptionalAttr<DenseI64ArrayAttr>:$in_place);
  let results = (outs Variadic<Jx_Array>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    ::mlir::Block *getBlock() { return &getBody().front(); }
    ::mlir::Operation *getYield() { return getBlock()->getTerminator(); }
    /// The operand whose buffer result `r` takes over, or -1.
    int64_t inPlaceOperand(unsigned r) { return getInPlace() ? (*getInPlace())[r] : -1; }
  }];
}
#endif
