// The dialect, its types and its op base classes. Every primitive derives from Jx_Op: it declares the five rules
// (infer, eval, jvp, transpose, batch) without defaults, so that a primitive with a rule missing does not link.
#ifndef JX_BASE_TD
#define JX_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "compiler/dialect/JxInterfaces.td"

def Jx_Dialect : Dialect {
  let name = "jx";
  let cppNamespace = "::jx";
  let description = [{
    Array programs as JAX understands them. Values are statically shaped tensors; unsigned integers keep their sign
    in the type, booleans are i1, random keys are the element type !jx.key.
  }];
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = "void registerTypes(); void registerOps();";
}

class Jx_Type<string name, string mnemonicText, list<Trait> traits = []> : TypeDef<Jx_Dialect, name, traits> {
  let mnemonic = mnemonicText;
}

def Jx_KeyType : Jx_Type<"Key", "key", [DeclareTypeInterfaceMethods<MemRefElementTypeInterface>]> {
  let summary = "element type of random keys: one threefry2x32 key, two 32-bit words";
}

def Jx_StackType : Jx_Type<"Stack", "stack"> {
  let summary = "run-time number of equally typed arrays; a value, grown in place by lowering";
  let parameters = (ins "::mlir::RankedTensorType":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
}

// Operand and result constraints. Elementwise dtype checks are made in infer, in the user's terms.
def Jx_Array : Type<CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">, "statically shaped array",
                    "::mlir::RankedTensorType">;
def Jx_Value : Type<CPred<"::llvm::isa<::mlir::RankedTensorType, ::jx::StackType>($_self)">, "array or stack">;

// What every primitive has, region or not.
class Jx_Primitive<string mnemonic, list<Trait> traits = []>
    : Op<Jx_Dialect, mnemonic, !listconcat(traits, [DeclareOpInterfaceMethods<Jx_PrimitiveInterface>])>;

// A primitive whose result types follow from operands and attributes.
class Jx_Op<string mnemonic, list<Trait> traits = []>
    : Jx_Primitive<mnemonic, !listconcat([DeclareOpInterfaceMethods<InferTypeOpInterface>], traits)>;

// A primitive with regions or a callee: its rules transform the regions too.
class Jx_RegionOp<string mnemonic, list<Trait> traits = []>
    : Jx_Primitive<mnemonic, !listconcat(traits, [DeclareOpInterfaceMethods<Jx_RegionPrimitiveInterface>])>;

// Ops without rules: terminators, transform ops, kernel calls.
class Jx_Structural<string mnemonic, list<Trait> traits = []> : Op<Jx_Dialect, mnemonic, traits>;

// --- Classes that derive what is regular -------------------------------------------------------------------------

// One result of the operands' shape. `result` names how its element type follows: "same" (as operand 0) or "bool".
// `domain` names the allowed element types; jx::inferElementwise knows the names.
class Jx_Elementwise<string mnemonic, string domain, string result = "same", list<Trait> traits = []>
    : Jx_Op<mnemonic, !listconcat([Pure], traits)> {
  let results = (outs Jx_Array:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  code regularRules = !strconcat([{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *, std::optional<::mlir::Location> loc,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr, ::mlir::OpaqueProperties, ::mlir::RegionRange,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::jx::inferElementwise(getOperationName(), "}], domain, "\", \"", result, [{", loc, operands, types);
    }
    ::llvm::LogicalResult $cppClass::batch(::jx::BatchContext &ctx) { return ::jx::batchElementwise(*this, ctx); }
  }]);
  let extraClassDefinition = regularRules;
}

class Jx_Unary<string mnemonic, string domain, string result = "same", list<Trait> traits = []>
    : Jx_Elementwise<mnemonic, domain, result, traits> {
  let arguments = (ins Jx_Array:$operand);
}

class Jx_Binary<string mnemonic, string domain, string result = "same", list<Trait> traits = []>
    : Jx_Elementwise<mnemonic, domain, result, traits> {
  let arguments = (ins Jx_Array:$lhs, Jx_Array:$rhs);
}

// Smooth or kinked, but not linear: the author writes jvp and eval; there is no transpose.
defvar Jx_noTranspose = [{
  ::llvm::LogicalResult $cppClass::transpose(::jx::TransposeContext &ctx) { return ::jx::notLinear(*this, ctx); }
}];
class Jx_UnaryNonlinear<string mnemonic, string domain, list<Trait> traits = []>
    : Jx_Unary<mnemonic, domain, "same", traits> {
  let extraClassDefinition = !strconcat(regularRules, Jx_noTranspose);
}
class Jx_BinaryNonlinear<string mnemonic, string domain, list<Trait> traits = []>
    : Jx_Binary<mnemonic, domain, "same", traits> {
  let extraClassDefinition = !strconcat(regularRules, Jx_noTranspose);
}

// Piecewise constant: the derivative is zero by definition.
defvar Jx_zeroDerivative = !strconcat([{
  ::llvm::LogicalResult $cppClass::jvp(::jx::JvpContext &ctx) { return ::jx::zeroJvp(*this, ctx); }
}], Jx_noTranspose);
def Jx_ZeroDerivativeTrait : NativeOpTrait<"jx::ZeroDerivative">;
class Jx_UnaryConstant<string mnemonic, string domain, string result = "same", list<Trait> traits = []>
    : Jx_Unary<mnemonic, domain, result, !listconcat([Jx_ZeroDerivativeTrait], traits)> {
  let extraClassDefinition = !strconcat(regularRules, Jx_zeroDerivative);
}
class Jx_BinaryConstant<string mnemonic, string domain, string result = "same", list<Trait> traits = []>
    : Jx_Binary<mnemonic, domain, result, !listconcat([Jx_ZeroDerivativeTrait], traits)> {
  let extraClassDefinition = !strconcat(regularRules, Jx_zeroDerivative);
}

// Linear in all array operands together: the tangent is the op itself on tangents.
defvar Jx_linearJvp = [{
  ::llvm::LogicalResult $cppClass::jvp(::jx::JvpContext &ctx) { return ::jx::linearJvp(*this, ctx); }
}];
defvar Jx_zeroDerivativeRules = Jx_zeroDerivative;
#endif
