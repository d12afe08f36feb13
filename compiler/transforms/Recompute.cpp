// Checkpointing: what of a callee's residuals a policy saves, and the function that computes the others
// again.
#include "compiler/transforms/Engine.h"

using namespace mlir;

namespace jx {

/// Whether `policy` saves the results of `op`.
static bool saves(Operation *op, StringRef policy) {
  if (auto dot = dyn_cast<DotGeneralOp>(op))
    return policy == "dots" || (policy == "dots_no_batch" && dot.getLhsBatch().empty());
  auto name = op->getAttrOfType<StringAttr>("jx.checkpoint_name");
  if (!name || !policy.consume_front("names:")) return false;
  SmallVector<StringRef> names;
  policy.split(names, ',');
  return llvm::is_contained(names, name.getValue());
}

/// Removes prints, checks and other effects: they happened in the first computation.
static void dropEffects(func::FuncOp function) {
  SmallVector<Operation *> effects;
  function.walk([&](Operation *op) {
    if (op->getNumResults() == 0 && op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>() &&
        !isMemoryEffectFree(op))
      effects.push_back(op);
  });
  for (Operation *op : effects) op->erase();
}

FailureOr<SplitWalk::Recompute> Transforms::Memo::recompute(const SplitCallee &callee,
                                                            unsigned numKnownResults, StringRef policy) {
  func::FuncOp known = callee.known;
  std::string key = (known.getName() + "|recompute|" + policy).str();
  if (auto found = recomputes.find(key); found != recomputes.end()) return found->second;
  Block &original = known.getBody().front();
  auto copy = [&](StringRef suffix, IRMapping &map) {
    func::FuncOp function = create(known, suffix, known.getArgumentTypes());
    OpBuilder b = OpBuilder::atBlockEnd(&function.getBody().front());
    map.map(known.getArguments(), function.getArguments());
    for (Operation &op : original.without_terminator()) b.clone(op, map);
    return function;
  };
  OperandRange outputs = original.getTerminator()->getOperands();

  IRMapping again, first;
  func::FuncOp recompute = copy("recompute", again);
  SmallVector<Value> residuals, candidates, saved;
  for (Value residual : outputs.drop_front(numKnownResults)) residuals.push_back(again.lookup(residual));
  finish(recompute, residuals);
  dropEffects(recompute);
  Block &block = recompute.getBody().front();
  unsigned numArguments = known.getNumArguments();
  for (Operation &op : original.without_terminator())
    if (saves(&op, policy)) llvm::append_range(candidates, op.getResults());
  for (Value candidate : candidates)
    again.lookup(candidate).replaceAllUsesWith(block.addArgument(candidate.getType(), candidate.getLoc()));
  auto updateType = [&] {
    recompute.setType(FunctionType::get(recompute.getContext(), block.getArgumentTypes(),
                                        recompute.getFunctionType().getResults()));
  };
  updateType();
  simplify(recompute);
  llvm::BitVector unused(block.getNumArguments());
  for (auto [i, candidate] : llvm::enumerate(candidates)) {
    if (block.getArgument(numArguments + i).use_empty())
      unused.set(numArguments + i);
    else
      saved.push_back(candidate);
  }
  block.eraseArguments(unused);
  updateType();

  func::FuncOp saving = copy("saving", first);
  SmallVector<Value> results;
  for (Value result : outputs.take_front(numKnownResults)) results.push_back(first.lookup(result));
  for (Value value : saved) results.push_back(first.lookup(value));
  finish(saving, results);
  simplify(saving);
  return recomputes[key] = SplitWalk::Recompute{saving, recompute};
}

} // namespace jx
