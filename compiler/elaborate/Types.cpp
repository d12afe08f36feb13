// Element types and promotion. The lattice is the table of JAX's "type promotion semantics": each node lists
// its immediate upper bounds, the join is the least common upper bound.
#include "compiler/elaborate/Types.h"
#include "compiler/dialect/JxDialect.h"
#include "compiler/elaborate/HostValue.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"

namespace jx::elab {

using mlir::Type;

Type dtypeByName(mlir::MLIRContext *context, llvm::StringRef name) {
  mlir::Builder b(context);
  auto sign = [&](unsigned width, bool isSigned) -> Type { return b.getIntegerType(width, isSigned); };
  return llvm::StringSwitch<std::function<Type()>>(name)
      .Cases({"bool", "bool_"}, [&] { return Type(b.getI1Type()); })
      .Case("int8", [&] { return Type(b.getIntegerType(8)); })
      .Case("int16", [&] { return Type(b.getIntegerType(16)); })
      .Case("int32", [&] { return Type(b.getI32Type()); })
      .Case("int64", [&] { return Type(b.getI64Type()); })
      .Case("uint8", [&] { return sign(8, false); })
      .Case("uint16", [&] { return sign(16, false); })
      .Case("uint32", [&] { return sign(32, false); })
      .Case("uint64", [&] { return sign(64, false); })
      .Case("float16", [&] { return Type(b.getF16Type()); })
      .Case("bfloat16", [&] { return Type(b.getBF16Type()); })
      .Case("float32", [&] { return Type(b.getF32Type()); })
      .Case("float64", [&] { return Type(b.getF64Type()); })
      .Case("complex64", [&] { return Type(mlir::ComplexType::get(b.getF32Type())); })
      .Case("complex128", [&] { return Type(mlir::ComplexType::get(b.getF64Type())); })
      .Default([] { return Type(); })();
}

bool isKeyDtype(Type t) { return llvm::isa<jx::KeyType>(t); }
bool isBoolDtype(Type t) { return t.isInteger(1); }
bool isIntDtype(Type t) { return llvm::isa<mlir::IntegerType>(t) && !isBoolDtype(t); }
bool isUnsignedDtype(Type t) { return t.isUnsignedInteger(); }
bool isFloatDtype(Type t) { return llvm::isa<mlir::FloatType>(t); }
bool isComplexDtype(Type t) { return llvm::isa<mlir::ComplexType>(t); }

unsigned dtypeBytes(Type t) {
  if (isKeyDtype(t)) return 8;
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(t)) return 2 * dtypeBytes(complex.getElementType());
  return (t.getIntOrFloatBitWidth() + 7) / 8;
}

std::string dtypeName(Type t) {
  if (isBoolDtype(t)) return "bool";
  if (isKeyDtype(t)) return "key<fry>";
  if (t.isBF16()) return "bfloat16";
  if (isFloatDtype(t)) return "float" + std::to_string(t.getIntOrFloatBitWidth());
  if (isComplexDtype(t)) return "complex" + std::to_string(8 * dtypeBytes(t));
  return (isUnsignedDtype(t) ? "uint" : "int") + std::to_string(t.getIntOrFloatBitWidth());
}

std::string typeText(mlir::RankedTensorType type, bool weak) {
  Type t = type.getElementType();
  std::string text = isBoolDtype(t)    ? "bool"
                     : isKeyDtype(t)   ? "key"
                     : t.isBF16()      ? "bf16"
                     : isFloatDtype(t) ? "f" + std::to_string(t.getIntOrFloatBitWidth())
                     : isComplexDtype(t)
                         ? "c" + std::to_string(8 * dtypeBytes(t))
                         : (isUnsignedDtype(t) ? "u" : "i") + std::to_string(t.getIntOrFloatBitWidth());
  text += "[";
  for (auto [i, dim] : llvm::enumerate(type.getShape())) text += (i ? "," : "") + std::to_string(dim);
  return text + "]";
}

Type Promotion::defaultInt() const { return mlir::IntegerType::get(context, x64 ? 64 : 32); }
Type Promotion::defaultFloat() const {
  return x64 ? Type(mlir::Float64Type::get(context)) : Type(mlir::Float32Type::get(context));
}
Type Promotion::defaultComplex() const { return mlir::ComplexType::get(defaultFloat()); }

WeakType Promotion::ofNumber(Value v) const {
  if (v.isHost()) {
    switch (v.asHost().type) {
    case HostType::Int:
      return {defaultInt(), true};
    case HostType::Float:
      return {defaultFloat(), true};
    case HostType::Bool:
      return {mlir::IntegerType::get(context, 1), false};
    }
  }
  if (v.is(Kind::Bool)) return {mlir::IntegerType::get(context, 1), false};
  if (v.is(Kind::Int)) return {defaultInt(), true};
  if (v.is(Kind::Float)) return {defaultFloat(), true};
  return {defaultComplex(), true};
}

namespace {
enum Node : unsigned {
  B1,
  IW,
  U8,
  U16,
  U32,
  U64,
  I8,
  I16,
  I32,
  I64,
  FW,
  BF16,
  F16,
  F32,
  F64,
  CW,
  C64,
  C128,
  NumNodes
};
constexpr uint32_t bit(Node n) { return 1u << n; }
// Immediate upper bounds. IW, FW and CW are the weak int, float and complex of Python numbers.
constexpr uint32_t above[NumNodes] = {
    bit(IW),                        // B1
    bit(U8) | bit(I8),              // IW
    bit(I16) | bit(U16),            // U8
    bit(I32) | bit(U32),            // U16
    bit(I64) | bit(U64),            // U32
    bit(FW),                        // U64
    bit(I16),                       // I8
    bit(I32),                       // I16
    bit(I64),                       // I32
    bit(FW),                        // I64
    bit(CW) | bit(F16) | bit(BF16), // FW
    bit(F32),                       // BF16
    bit(F32),                       // F16
    bit(F64) | bit(C64),            // F32
    bit(C128),                      // F64
    bit(C64),                       // CW
    bit(C128),                      // C64
    0,                              // C128
};

// A node with everything above it.
uint32_t upperBounds(unsigned node) {
  uint32_t bounds = 1u << node, frontier = bounds;
  while (frontier) {
    uint32_t next = 0;
    for (unsigned n = 0; n < NumNodes; ++n)
      if (frontier >> n & 1) next |= above[n];
    frontier = next & ~bounds;
    bounds |= next;
  }
  return bounds;
}

Node nodeOf(WeakType type) {
  Type t = type.dtype;
  if (isBoolDtype(t)) return B1;
  if (type.weak) return isComplexDtype(t) ? CW : isFloatDtype(t) ? FW : IW;
  if (isComplexDtype(t)) return dtypeBytes(t) == 8 ? C64 : C128;
  if (t.isBF16()) return BF16;
  if (t.isF16()) return F16;
  if (isFloatDtype(t)) return t.isF32() ? F32 : F64;
  unsigned log = llvm::Log2_32(t.getIntOrFloatBitWidth()) - 3;
  return static_cast<Node>((isUnsignedDtype(t) ? U8 : I8) + log);
}
} // namespace

WeakType Promotion::promote(llvm::ArrayRef<WeakType> types) const {
  if (types.size() == 1) return types.front();
  bool allWeak = llvm::all_of(types, [](WeakType t) { return t.weak; });
  bool same = llvm::all_of(types, [&](WeakType t) { return t.dtype == types.front().dtype; });
  if (same) return {types.front().dtype, allWeak};
  uint32_t common = ~0u;
  bool wide = x64;
  for (WeakType t : types) {
    common &= upperBounds(nodeOf({t.dtype, allWeak ? false : t.weak}));
    if (!t.weak && !isBoolDtype(t.dtype) && dtypeBytes(t.dtype) == (isComplexDtype(t.dtype) ? 16u : 8u))
      wide = true;
  }
  unsigned join = C128;
  for (unsigned n = 0; n < NumNodes; ++n)
    if ((common >> n & 1) && (common & ~upperBounds(n)) == 0) {
      join = n;
      break;
    }
  auto integer = [&](unsigned width, bool isSigned) -> Type {
    return isSigned ? mlir::IntegerType::get(context, width)
                    : mlir::IntegerType::get(context, width, mlir::IntegerType::Unsigned);
  };
  Type f32 = mlir::Float32Type::get(context), f64 = mlir::Float64Type::get(context);
  switch (join) {
  case B1:
    return {integer(1, true), false};
  case IW:
    return {defaultInt(), true};
  case U8:
  case U16:
  case U32:
    return {integer(8u << (join - U8), false), allWeak};
  // Without x64 only operands that are 64 bits wide themselves give 64-bit results.
  case U64:
    return {integer(wide ? 64 : 32, false), allWeak};
  case I8:
  case I16:
  case I32:
    return {integer(8u << (join - I8), true), allWeak};
  case I64:
    return {integer(wide ? 64 : 32, true), allWeak};
  case FW:
    return {defaultFloat(), true};
  case BF16:
    return {mlir::BFloat16Type::get(context), allWeak};
  case F16:
    return {mlir::Float16Type::get(context), allWeak};
  case F32:
    return {f32, allWeak};
  case F64:
    return {wide ? f64 : f32, allWeak};
  case CW:
    return {defaultComplex(), true};
  case C64:
    return {mlir::ComplexType::get(f32), allWeak};
  default:
    return {mlir::ComplexType::get(wide ? f64 : f32), allWeak};
  }
}

} // namespace jx::elab
