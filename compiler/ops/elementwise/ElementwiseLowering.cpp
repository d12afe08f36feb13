// Kernel code of arithmetic, bit operations, comparison and selection, and the entry of scalar emission.
#include "compiler/lowering/ScalarEmitter.h"
#include "compiler/numerics/Trigonometric.h"
#include "compiler/ops/elementwise/ElementwiseEmission.h"

using namespace mlir;

namespace jx {

static bool emitCompare(CompareOp op, Type element, ValueRange scalars, SmallVectorImpl<Value> &results) {
  StringRef kind = op.getKind();
  bool isEquality = kind == "eq" || kind == "ne";
  if (isEquality && scalarsOf<KeyBits> == numScalars(element)) {
    // Keys and complex numbers: equal where both parts are.
    auto part = [&](unsigned i) {
      num::Form form = isa<KeyType>(element)                                 ? num::formOf<uint32_t>
                       : cast<ComplexType>(element).getElementType().isF32() ? num::formOf<float>
                                                                             : num::formOf<double>;
      return num::Sym<bool>::of(num::emit::compare(num::Compare::Eq, form, scalars[i], scalars[2 + i]));
    };
    num::Sym<bool> equal = part(0) & part(1);
    results.push_back(kind == "eq" ? equal.v : (!equal).v);
    return true;
  }
  constexpr unsigned ordered = reals | bools;
  auto emit = [&](auto f) { return emitElements<ordered, 2>(element, scalars, results, f); };
  if (kind == "eq") return emit([](auto x, auto y) { return x == y; });
  if (kind == "ne") return emit([](auto x, auto y) { return x != y; });
  if (kind == "lt") return emit([](auto x, auto y) { return x < y; });
  if (kind == "le") return emit([](auto x, auto y) { return x <= y; });
  if (kind == "gt") return emit([](auto x, auto y) { return x > y; });
  return emit([](auto x, auto y) { return x >= y; });
}

/// Selection changes no number: each machine scalar is chosen as it is.
static bool emitSelect(Type element, ValueRange scalars, SmallVectorImpl<Value> &results) {
  unsigned width = numScalars(element);
  for (unsigned i = 0; i < width; ++i)
    results.push_back(num::emit::select(scalars[0], scalars[1 + i], scalars[1 + width + i]));
  return true;
}

bool emitArithmetic(Operation *operation, Type element, ValueRange scalars, SmallVectorImpl<Value> &results) {
  return llvm::TypeSwitch<Operation *, bool>(operation)
#define JX_UNARY(OpT, domain, formula)                                                                       \
  .Case<OpT>([&]([[maybe_unused]] OpT op) {                                                                  \
    return emitElements<domain, 1>(element, scalars, results, [&](auto x) { return formula; });              \
  })
#define JX_BINARY(OpT, domain, formula)                                                                      \
  .Case<OpT>([&]([[maybe_unused]] OpT op) {                                                                  \
    return emitElements<domain, 2>(element, scalars, results, [&](auto x, auto y) { return formula; });      \
  })
#include "compiler/ops/elementwise/Formulas.def"
      .Case<CompareOp>([&](CompareOp op) { return emitCompare(op, element, scalars, results); })
      .Case<ClampOp>([&](ClampOp) {
        return emitElements<reals | bools, 3>(
            element, scalars, results, [](auto low, auto x, auto high) { return num::clamp(low, x, high); });
      })
      .Case<SelectOp>([&](SelectOp op) {
        return emitSelect(cast<RankedTensorType>(op.getType()).getElementType(), scalars, results);
      })
      .Case<StopGradientOp>([&](StopGradientOp) {
        llvm::append_range(results, scalars);
        return true;
      })
      .Default([](Operation *) { return false; });
}

// --- The entry

void appendScalarTypes(Type elementType, SmallVectorImpl<Type> &types) {
  MLIRContext *context = elementType.getContext();
  if (isa<KeyType>(elementType))
    types.append(2, IntegerType::get(context, 32));
  else if (auto complex = dyn_cast<ComplexType>(elementType))
    types.append(2, complex.getElementType());
  else if (auto integer = dyn_cast<IntegerType>(elementType))
    types.push_back(IntegerType::get(context, integer.getWidth()));
  else
    types.push_back(elementType);
}
unsigned numScalars(Type elementType) { return isa<KeyType, ComplexType>(elementType) ? 2 : 1; }

bool hasScalarEmitter(Operation *op) {
#define JX_UNARY(OpT, domain, formula) OpT,
#define JX_BINARY(OpT, domain, formula) OpT,
#define JX_MATH(OpT, formula) OpT,
  return isa<
#include "compiler/ops/elementwise/Formulas.def"
      CompareOp, ClampOp, SelectOp, StopGradientOp, ConvertOp, BitcastOp, Threefry2x32Op>(op);
}

SmallVector<Value, 2> emitScalars(OpBuilder &b, Location loc, Operation *op, ValueRange scalars) {
  num::Emission emission(b, loc, scalars.front().getType());
  Type element = cast<RankedTensorType>(op->getOperand(0).getType()).getElementType();
  SmallVector<Value, 2> results;
  if (!emitArithmetic(op, element, scalars, results) && !emitMath(op, element, scalars, results) &&
      !emitConversion(op, element, scalars, results))
    results.clear();
  return results;
}

Value emitScalar(OpBuilder &b, Location loc, Operation *op, ValueRange scalars) {
  SmallVector<Value, 2> results = emitScalars(b, loc, op, scalars);
  return results.empty() ? Value() : results.front();
}

} // namespace jx
