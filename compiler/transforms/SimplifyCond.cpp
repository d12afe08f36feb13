// Clean-up of jx.cond.
#include "compiler/dialect/RegionRules.h"
#include "compiler/transforms/SimplifyPatterns.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace jx {
namespace {

/// A cond whose index is a literal is the branch.
LogicalResult inlineConstantIndex(CondOp op, PatternRewriter &rewriter) {
  DenseElementsAttr index;
  bool only = op.getBranches().size() == 1;
  if (!only && !matchPattern(op.getIndex(), m_Constant(&index))) return failure();
  int64_t last = op.getBranches().size() - 1;
  int64_t chosen = only ? 0 : std::clamp<int64_t>(index.getSplatValue<llvm::APInt>().getSExtValue(), 0, last);
  Block *block = &op.getBranches()[chosen].front();
  Operation *yield = block->getTerminator();
  SmallVector<Value> results(yield->getOperands());
  rewriter.eraseOp(yield);
  rewriter.inlineBlockBefore(block, op);
  rewriter.replaceOp(op, results);
  return success();
}

/// Results that nothing uses go; results that every branch takes from outside, unchanged, are that value.
LogicalResult dropResults(CondOp op, PatternRewriter &rewriter) {
  SmallVector<unsigned> kept;
  SmallVector<Value> replacements(op.getNumResults());
  for (unsigned i = 0; i < op.getNumResults(); ++i) {
    Value common = op.getBranches().front().front().getTerminator()->getOperand(i);
    bool same = llvm::all_of(op.getBranches(), [&](Region &branch) {
      return branch.front().getTerminator()->getOperand(i) == common;
    });
    if (same && !op->isAncestor(common.getParentBlock()->getParentOp()))
      replacements[i] = common;
    else if (!op.getResult(i).use_empty())
      kept.push_back(i);
  }
  if (kept.size() == op.getNumResults()) return failure();
  SmallVector<Type> types;
  for (unsigned i : kept) types.push_back(op.getResult(i).getType());
  auto made = CondOp::create(rewriter, op.getLoc(), types, op.getIndex(), op.getBranches().size());
  for (auto [branch, target] : llvm::zip_equal(op.getBranches(), made.getBranches())) {
    rewriter.inlineRegionBefore(branch, target, target.end());
    Operation *yield = target.front().getTerminator();
    SmallVector<Value> values;
    for (unsigned i : kept) values.push_back(yield->getOperand(i));
    rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(values); });
  }
  for (auto [position, i] : llvm::enumerate(kept)) replacements[i] = made.getResult(position);
  for (auto [result, replacement] : llvm::zip_equal(op.getResults(), replacements))
    if (replacement) rewriter.replaceAllUsesWith(result, replacement);
  rewriter.eraseOp(op);
  return success();
}

} // namespace

void populateCondPatterns(RewritePatternSet &patterns) { patterns.add(inlineConstantIndex).add(dropResults); }

} // namespace jx
