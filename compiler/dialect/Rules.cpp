// Context methods and the regular rules.
#include "compiler/dialect/Rules.h"
#include "compiler/dialect/RuleBuilder.h"

using namespace mlir;

namespace jx {

Type tangentType(Type type) {
  if (auto stack = dyn_cast<StackType>(type)) return tangentType(stack.getElementType()) ? type : Type();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) return {};
  return isa<FloatType, ComplexType>(tensor.getElementType()) ? type : Type();
}

// --- JvpContext
// --------------------------------------------------------------------------------------------------

Value JvpContext::y(unsigned result) {
  if (primalsOut.empty()) {
    IRMapping operandsOnly;
    for (auto [original, primal] : llvm::zip_equal(op->getOperands(), primals))
      operandsOnly.map(original, primal);
    Operation *clone = b.clone(*op, operandsOnly);
    primalsOut.assign(clone->result_begin(), clone->result_end());
  }
  return primalsOut[result];
}

void JvpContext::setPrimal(unsigned result, Value value) {
  primalsOut.resize(op->getNumResults());
  primalsOut[result] = value;
}

void JvpContext::finish() {
  for (OpResult result : op->getResults()) {
    primalMap.map(result, y(result.getResultNumber()));
    if (Tangent tangent = tangentsOut[result.getResultNumber()]) tangentMap[result] = tangent.get();
  }
  // An effect without results is cloned here; a region rule has emitted it.
  if (op->getNumResults() != 0 || isa<RegionPrimitiveInterface>(op)) return;
  IRMapping operandsOnly;
  operandsOnly.map(op->getOperands(), primals);
  b.clone(*op, operandsOnly);
}

// --- BatchContext
// ------------------------------------------------------------------------------------------------

Value BatchContext::materialise(unsigned operand) {
  return isBatched(operand) ? x(operand) : b.broadcastLeading(x(operand), size);
}

// --- Regular rules
// -----------------------------------------------------------------------------------------------

static bool inDomain(Type element, StringRef domain) {
  bool isBool = element.isInteger(1);
  bool isInt = isa<IntegerType>(element) && !isBool;
  bool isRealFloat = isa<FloatType>(element);
  bool isComplex = isa<ComplexType>(element);
  return llvm::StringSwitch<bool>(domain)
      .Case("num", isInt || isRealFloat || isComplex)
      .Case("real", isInt || isRealFloat)
      .Case("float", isRealFloat) // functions of complex numbers have no rules yet
      .Case("realfloat", isRealFloat)
      .Case("int", isInt)
      .Case("bits", isBool || isInt)
      .Case("ordered", isBool || isInt || isRealFloat)
      .Case("any", true)
      .Default(false);
}

LogicalResult inferElementwise(StringRef name, StringRef domain, StringRef result,
                               std::optional<Location> loc, ValueRange operands,
                               SmallVectorImpl<Type> &types) {
  auto first = dyn_cast<RankedTensorType>(operands.front().getType());
  if (!first) return emitOptionalError(loc, "`", name.drop_front(3), "` needs arrays");
  for (Value operand : operands) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || type.getShape() != first.getShape())
      return emitOptionalError(loc, "`", name.drop_front(3), "` needs operands of equal shapes, got ", first,
                               " and ", operand.getType());
    if (type.getElementType() != first.getElementType())
      return emitOptionalError(loc, "`", name.drop_front(3), "` needs operands of equal dtypes, got ",
                               first.getElementType(), " and ", type.getElementType());
  }
  if (!inDomain(first.getElementType(), domain))
    return emitOptionalError(loc, "`", name.drop_front(3), "` does not accept arrays of ",
                             first.getElementType());
  Type element = result == "bool" ? IntegerType::get(first.getContext(), 1) : first.getElementType();
  types.push_back(RankedTensorType::get(first.getShape(), element));
  return success();
}

LogicalResult batchElementwise(Operation *op, BatchContext &ctx) {
  IRMapping map;
  bool any = ctx.anyBatched();
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    map.map(operand, any ? ctx.materialise(index) : ctx.x(index));
  Operation *clone = ctx.b.clone(*op, map);
  for (OpResult result : clone->getResults()) {
    if (any) {
      auto type = cast<RankedTensorType>(result.getType());
      SmallVector<int64_t> shape{ctx.size};
      llvm::append_range(shape, type.getShape());
      result.setType(RankedTensorType::get(shape, type.getElementType()));
    }
    ctx.set(result.getResultNumber(), result, any);
  }
  return success();
}

LogicalResult zeroJvp(Operation *, JvpContext &) { return success(); }

LogicalResult linearJvp(Operation *op, JvpContext &ctx) {
  if (llvm::all_of(ctx.tangents, [](Tangent t) { return t.isZero(); })) return success();
  // Of a sum with one tangent, that tangent is the sum's; zeros need no adding.
  if (isa<AddOp, SubOp>(op) && (ctx.dx(0).isZero() || ctx.dx(1).isZero())) {
    ctx.setTangent(0, ctx.dx(0) ? ctx.dx(0) : isa<SubOp>(op) ? ctx.b.neg(ctx.dx(1)) : ctx.dx(1));
    return success();
  }
  IRMapping map;
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    map.map(operand, ctx.b.materialise(ctx.dx(index), ctx.x(index).getType()));
  Operation *clone = ctx.b.clone(*op, map);
  for (OpResult result : clone->getResults()) ctx.setTangent(result.getResultNumber(), result);
  return success();
}

LogicalResult notLinear(Operation *op, TransposeContext &) {
  return op->emitOpError("is not linear and has no transpose");
}

LogicalResult notDifferentiable(Operation *op, JvpContext &ctx, StringRef why) {
  if (llvm::all_of(ctx.tangents, [](Tangent t) { return t.isZero(); })) return success();
  return op->emitError() << "`" << op->getName().stripDialect() << "` is not differentiable: " << why;
}

} // namespace jx
