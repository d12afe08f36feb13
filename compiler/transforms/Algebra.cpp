// Algebra that holds exactly in floating point, signed zeros and nan included, and evaluation of small ops on
// literals.
#include "compiler/dialect/RuleBuilder.h"
#include "compiler/transforms/SimplifyPatterns.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace jx {
namespace {

/// Whether `value` is a literal whose elements all are `number`.
bool isSplat(Value value, double number) {
  DenseElementsAttr attr;
  if (!matchPattern(value, m_Constant(&attr)) || !attr.isSplat()) return false;
  Type element = attr.getElementType();
  if (isa<FloatType>(element)) {
    llvm::APFloat splat = attr.getSplatValue<llvm::APFloat>();
    return splat.convertToDouble() == number && splat.isNegative() == std::signbit(number);
  }
  if (!element.isInteger(1) && isa<IntegerType>(element))
    return attr.getSplatValue<llvm::APInt>() == llvm::APInt(element.getIntOrFloatBitWidth(),
                                                            uint64_t(int64_t(number)),
                                                            /*isSigned=*/true, /*implicitTrunc=*/true);
  return false;
}
bool isInteger(Value value) { return isa<IntegerType>(elementTypeOf(value)); }

/// x + 0 = x for integers; x + -0 = x; x + -y = x - y.
LogicalResult simplifyAdd(AddOp op, PatternRewriter &rewriter) {
  for (auto [x, y] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())}) {
    if (isSplat(y, -0.0) || (isInteger(y) && isSplat(y, 0.0))) {
      rewriter.replaceOp(op, x);
      return success();
    }
    if (auto neg = y.getDefiningOp<NegOp>()) {
      rewriter.replaceOpWithNewOp<SubOp>(op, x, neg.getOperand());
      return success();
    }
  }
  return failure();
}

/// x - 0 = x; x - -y = x + y.
LogicalResult simplifySub(SubOp op, PatternRewriter &rewriter) {
  if (isSplat(op.getRhs(), 0.0)) {
    rewriter.replaceOp(op, op.getLhs());
    return success();
  }
  auto neg = op.getRhs().getDefiningOp<NegOp>();
  if (!neg) return failure();
  rewriter.replaceOpWithNewOp<AddOp>(op, op.getLhs(), neg.getOperand());
  return success();
}

/// x * 1 = x; x * -1 = -x; -x * -y = x * y.
LogicalResult simplifyMul(MulOp op, PatternRewriter &rewriter) {
  for (auto [x, y] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())}) {
    if (isSplat(y, 1.0)) {
      rewriter.replaceOp(op, x);
      return success();
    }
    if (isSplat(y, -1.0)) {
      rewriter.replaceOpWithNewOp<NegOp>(op, x);
      return success();
    }
  }
  auto left = op.getLhs().getDefiningOp<NegOp>(), right = op.getRhs().getDefiningOp<NegOp>();
  if (!left || !right) return failure();
  rewriter.replaceOpWithNewOp<MulOp>(op, left.getOperand(), right.getOperand());
  return success();
}

/// x / 1 = x.
LogicalResult simplifyDiv(DivOp op, PatternRewriter &rewriter) {
  if (!isSplat(op.getRhs(), 1.0)) return failure();
  rewriter.replaceOp(op, op.getLhs());
  return success();
}

/// -(-x) = x; -(x - y) stays: it differs in the sign of zero.
LogicalResult simplifyNeg(NegOp op, PatternRewriter &rewriter) {
  auto inner = op.getOperand().getDefiningOp<NegOp>();
  if (!inner) return failure();
  rewriter.replaceOp(op, inner.getOperand());
  return success();
}

/// select(p, x, x) = x; select of a literal predicate.
LogicalResult simplifySelect(SelectOp op, PatternRewriter &rewriter) {
  DenseElementsAttr pred;
  Value chosen;
  if (op.getOnTrue() == op.getOnFalse())
    chosen = op.getOnTrue();
  else if (matchPattern(op.getPred(), m_Constant(&pred)) && pred.isSplat())
    chosen = pred.getSplatValue<bool>() ? op.getOnTrue() : op.getOnFalse();
  if (!chosen) return failure();
  rewriter.replaceOp(op, chosen);
  return success();
}

/// A conversion to its own type is the identity.
LogicalResult simplifyConvert(ConvertOp op, PatternRewriter &rewriter) {
  if (op.getOperand().getType() != op.getType()) return failure();
  rewriter.replaceOp(op, op.getOperand());
  return success();
}

/// Surroundings of an op that is evaluated while it is compiled: nothing.
class FoldHost : public EvalHost {
public:
  FailureOr<SmallVector<HostArray>> runRegion(Region &, ArrayRef<HostArray>) override { return failure(); }
  FailureOr<SmallVector<HostArray>> callFunction(StringRef, ArrayRef<HostArray>) override {
    return failure();
  }
  void *runtimeContext() override { return nullptr; }
  LogicalResult fail(Operation *, const Twine &) override { return failure(); }
};

/// Pure ops whose operands are literals become literals, while those are small; elementwise ops of splats are
/// evaluated on one element.
struct FoldLiterals : RewritePattern {
  explicit FoldLiterals(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  static constexpr int64_t largest = 1024;

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    auto primitive = dyn_cast<PrimitiveInterface>(op);
    if (!primitive || op->getNumRegions() || op->getNumOperands() == 0 || op->getNumResults() != 1 ||
        !isMemoryEffectFree(op) || isa<RegionPrimitiveInterface>(op))
      return failure();
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || isa<KeyType>(type.getElementType()) || bytes(type) > largest) return failure();
    SmallVector<HostArray> operands;
    for (Value operand : op->getOperands()) {
      ElementsAttr attr;
      if (!matchPattern(operand, m_Constant(&attr)) || bytes(attr.getShapedType()) > largest)
        return failure();
      operands.push_back(HostArray::fromAttr(attr));
    }
    FoldHost host;
    EvalContext evaluation(host, op, operands);
    if (failed(primitive.eval(evaluation))) return failure();
    rewriter.replaceOpWithNewOp<ConstantOp>(op, evaluation.results[0].toAttr());
    return success();
  }
  static int64_t bytes(ShapedType type) {
    if (isa<KeyType>(type.getElementType())) return INT64_MAX;
    return type.getNumElements() * elementBytes(type.getElementType());
  }
};

} // namespace

void populateAlgebraPatterns(RewritePatternSet &patterns) {
  patterns.add(simplifyAdd)
      .add(simplifySub)
      .add(simplifyMul)
      .add(simplifyDiv)
      .add(simplifyNeg)
      .add(simplifySelect)
      .add(simplifyConvert)
      .add<FoldLiterals>(patterns.getContext());
}

} // namespace jx
