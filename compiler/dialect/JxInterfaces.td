// The rules of a primitive as op interfaces. Contexts and their contracts: compiler/dialect/Rules.h.
#ifndef JX_INTERFACES_TD
#define JX_INTERFACES_TD
include "mlir/IR/OpBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

def Jx_PrimitiveInterface : OpInterface<"PrimitiveInterface"> {
  let cppNamespace = "::jx";
  let description = "evaluation, derivative, transpose and batching of one primitive; none has a default";
  let methods = [
    InterfaceMethod<"computes the results on host arrays", "::llvm::LogicalResult", "eval",
                    (ins "::jx::EvalContext &":$ctx)>,
    InterfaceMethod<"emits the tangents of the results", "::llvm::LogicalResult", "jvp",
                    (ins "::jx::JvpContext &":$ctx)>,
    InterfaceMethod<"adds to the cotangents of the linear operands", "::llvm::LogicalResult", "transpose",
                    (ins "::jx::TransposeContext &":$ctx)>,
    InterfaceMethod<"emits the op over a leading batch dimension", "::llvm::LogicalResult", "batch",
                    (ins "::jx::BatchContext &":$ctx)>,
  ];
}

def Jx_RegionPrimitiveInterface : OpInterface<"RegionPrimitiveInterface"> {
  let cppNamespace = "::jx";
  let description = "what transforms ask of primitives that hold regions or call functions";
  let methods = [
    InterfaceMethod<[{splits the op, a JVP, into a known part and a part linear in the unknown operands; see
                      SplitContext}], "::llvm::LogicalResult", "split", (ins "::jx::SplitContext &":$ctx)>,
    InterfaceMethod<[{appends the values that `use`, an operand of the op or of a yield in its regions, flows
                      into: block arguments of its regions and results; see Dependence}], "void", "flow",
                    (ins "const ::jx::Dependence &":$bits, "::mlir::OpOperand &":$use,
                         "::llvm::SmallVectorImpl<::mlir::Value> &":$targets)>,
  ];
}
#endif
