// The two loop ops. Regions capture values of the enclosing function implicitly.
#ifndef JX_LOOP_TD
#define JX_LOOP_TD
include "compiler/dialect/JxBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Jx_ForOp : Jx_RegionOp<"for", [AttrSizedOperandSegments, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "loop over an index, with carries, scanned inputs and stacked outputs";
  let description = [{
    Trip count: the attribute `trip_count`, or else the operand `trip` (tensor<i64>; negative counts as 0). Block
    arguments: the index (tensor<i64>; with `reverse` it counts down), one per init, one slice per xs (leading
    dimension dropped; xs may be !jx.stack). Terminator jx.yield: the new carries, then one value a stacked output.
    Results: final carries, then the stacked outputs: arrays with a leading dimension under a static trip count,
    !jx.stack under a run-time one. With `reverse`, slices are read and outputs written from last to first.
  }];
  let arguments = (ins Optional<Jx_Array>:$trip, Variadic<Jx_Value>:$inits, Variadic<Jx_Value>:$xs,
                       OptionalAttr<I64Attr>:$trip_count, BoolAttr:$reverse);
  let results = (outs Variadic<Jx_Value>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    unsigned getNumCarries() { return getInits().size(); }
    unsigned getNumStacked() { return getNumResults() - getNumCarries(); }
    ::mlir::Block *getBlock() { return &getBody().front(); }
    ::mlir::BlockArgument getIndex() { return getBlock()->getArgument(0); }
    ::mlir::Block::BlockArgListType getCarryArgs() { return getBlock()->getArguments().slice(1, getNumCarries()); }
    ::mlir::Block::BlockArgListType getSliceArgs() { return getBlock()->getArguments().drop_front(1 + getNumCarries()); }
  }];
}

def Jx_WhileOp : Jx_RegionOp<"while", [RecursiveMemoryEffects]> {
  let summary = "loop while a condition holds, with carries and stacked outputs";
  let description = [{
    Both regions take the carries. `before` yields a scalar i1; `body` yields the new carries, then one value a stacked
    output. Results: final carries, the trip count (tensor<i64>), then one !jx.stack a stacked output.
  }];
  let arguments = (ins Variadic<Jx_Value>:$inits);
  let results = (outs Variadic<Jx_Value>:$outputs);
  let regions = (region SizedRegion<1>:$before, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    unsigned getNumCarries() { return getInits().size(); }
    unsigned getNumStacked() { return getNumResults() - getNumCarries() - 1; }
    ::mlir::Value getTripCount() { return getResult(getNumCarries()); }
    ::mlir::Block *getBeforeBlock() { return &getBefore().front(); }
    ::mlir::Block *getBodyBlock() { return &getBody().front(); }
  }];
}

def Jx_YieldOp : Jx_Structural<"yield", [Pure, Terminator, ReturnLike]> {
  let arguments = (ins Variadic<Jx_Value>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ }]>];
}

// Stacks as values.
def Jx_StackLengthOp : Jx_Op<"stack_length", [Pure]> {
  let summary = "number of elements, tensor<i64>";
  let arguments = (ins Jx_Value:$stack);
  let results = (outs Jx_Array:$length);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = Jx_zeroDerivativeRules;
}
def Jx_StackGetOp : Jx_Op<"stack_get", [Pure]> {
  let summary = "element at a scalar i64 index, clamped; zeros from an empty stack";
  let arguments = (ins Jx_Value:$stack, Jx_Array:$index);
  let results = (outs Jx_Array:$element);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
#endif
