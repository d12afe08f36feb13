// Simplification of functions that transforms made, and inlining. Start-up matters here: one greedy run with
// a small pattern set, then CSE.
#include "compiler/dialect/RegionRules.h"
#include "compiler/ops/effect/Fences.h"
#include "compiler/transforms/SimplifyPatterns.h"
#include "compiler/transforms/Transforms.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace jx {

/// Erases pure ops without uses, from last to first.
static void removeDeadOps(Region &region) {
  for (Block &block : region)
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (isOpTriviallyDead(&op)) {
        op.erase();
        continue;
      }
      for (Region &inner : op.getRegions()) removeDeadOps(inner);
    }
}

/// Numbers the stretches of code between fences, on every op: CSE takes ops with different attributes for
/// different.
static constexpr llvm::StringLiteral stretchAttr = "jx.stretch";
static void numberStretches(Region &region, int64_t &stretch) {
  for (Block &block : region)
    for (Operation &op : block) {
      bool fence = isFence(&op);
      stretch += fence;
      auto number = IntegerAttr::get(IntegerType::get(op.getContext(), 64), stretch);
      if (!op.hasTrait<OpTrait::ConstantLike>()) op.setDiscardableAttr(stretchAttr, number);
      for (Region &inner : op.getRegions()) numberStretches(inner, stretch);
      stretch += fence;
    }
}

/// Common subexpressions, each side of a fence by itself.
static bool mergeEqual(func::FuncOp function) {
  bool fences = hasFence(function.getBody()), changed = false;
  int64_t stretch = 0;
  if (fences) numberStretches(function.getBody(), stretch);
  IRRewriter rewriter(function.getContext());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function, &changed);
  if (fences) function.walk([](Operation *op) { op->removeDiscardableAttr(stretchAttr); });
  return changed;
}

void simplify(func::FuncOp function) {
  if (function.isExternal()) return;
  MLIRContext *context = function.getContext();
  removeDeadOps(function.getBody());
  RewritePatternSet patterns(context);
  populateAlgebraPatterns(patterns);
  populateLoopPatterns(patterns);
  populateCondPatterns(patterns);
  FrozenRewritePatternSet frozen(std::move(patterns));
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled).setUseTopDownTraversal(true);
  for (int round = 0; round < 3; ++round) {
    (void)applyPatternsGreedily(function.getBody(), frozen, config);
    if (!mergeEqual(function)) break; // what was merged may simplify further
  }
}

// --- Inlining

/// Callees of at most this many ops are inlined wherever they are called.
constexpr int64_t smallFunction = 40;

static int64_t countOps(func::FuncOp function) {
  int64_t count = 0;
  function.getBody().walk([&](Operation *) { ++count; });
  return count;
}

/// Calls that are no more than calls once all derivatives are taken: all but a recomputation, which must not
/// be seen beside what it computes again.
static bool isPlainCall(Operation *op) {
  if (auto checkpoint = dyn_cast<CheckpointOp>(op)) return !checkpoint.getRecompute();
  return isa<CallOp, CustomJvpOp, CustomVjpOp>(op);
}

static void inlineCall(Operation *call, func::FuncOp callee) {
  OpBuilder builder(call);
  IRMapping map;
  Block &body = callee.getBody().front();
  map.map(body.getArguments(), call->getOperands());
  Location site = call->getLoc();
  auto located = [&](Operation *op) { op->setLoc(CallSiteLoc::get(op->getLoc(), site)); };
  for (Operation &op : body.without_terminator()) builder.clone(op, map)->walk(located);
  for (auto [result, value] : llvm::zip_equal(call->getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(map.lookup(value));
  call->erase();
}

namespace {
class Inliner {
public:
  explicit Inliner(ModuleOp module) : symbols(module) {
    module.walk([&](Operation *op) {
      if (auto callee = op->getAttrOfType<FlatSymbolRefAttr>("callee")) ++uses[callee.getValue()];
    });
  }

  void run(func::FuncOp function) {
    if (function.isExternal() || !visited.insert(function).second) return;
    SmallVector<std::pair<Operation *, func::FuncOp>> calls;
    function.walk([&](Operation *op) {
      auto symbol = op->getAttrOfType<FlatSymbolRefAttr>("callee");
      auto callee = symbol ? symbols.lookup<func::FuncOp>(symbol.getValue()) : func::FuncOp();
      if (callee && callee != function && !callee.isExternal()) calls.emplace_back(op, callee);
    });
    bool changed = false;
    for (auto [call, callee] : calls) {
      run(callee);
      if (!isPlainCall(call) || (uses[callee.getName()] > 1 && countOps(callee) > smallFunction)) continue;
      inlineCall(call, callee);
      changed = true;
    }
    if (changed) simplify(function);
  }

private:
  SymbolTable symbols;
  llvm::StringMap<int> uses;
  DenseSet<Operation *> visited;
};
} // namespace

void inlineCalls(func::FuncOp function) { Inliner(function->getParentOfType<ModuleOp>()).run(function); }

void removeUnusedFunctions(ModuleOp module) {
  llvm::StringMap<func::FuncOp> functions;
  SmallVector<func::FuncOp> worklist;
  for (auto function : module.getOps<func::FuncOp>()) {
    functions[function.getName()] = function;
    if (!function.isPrivate()) worklist.push_back(function);
  }
  DenseSet<Operation *> used(worklist.begin(), worklist.end());
  while (!worklist.empty())
    worklist.pop_back_val().walk([&](Operation *op) {
      auto callee = op->getAttrOfType<FlatSymbolRefAttr>("callee");
      func::FuncOp target = callee ? functions.lookup(callee.getValue()) : func::FuncOp();
      if (target && used.insert(target).second) worklist.push_back(target);
    });
  for (auto &[name, function] : functions)
    if (!used.contains(function)) function.erase();
}

} // namespace jx
