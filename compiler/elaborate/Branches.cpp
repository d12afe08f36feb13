// Branches under run-time conditions. See Branches.h.
#include "compiler/elaborate/Branches.h"
#include "compiler/elaborate/Choices.h"
#include "compiler/elaborate/Evaluation.h"
#include "compiler/elaborate/Raises.h"
#include "llvm/Support/Casting.h"

namespace jx::elab {

namespace {

Value isBranch(Evaluator &ev, Value index, size_t number) {
  if (index.isHost() && index.asHost().type == HostType::Bool) return number ? index : ev.hostNot(index);
  return ev.hostCompare(ast::CompareOp::Eq, index, Value::integer(number));
}

// The last statement always leaves the block.
bool endsInJump(ast::Block block) {
  if (block.empty()) return false;
  const ast::Stmt *last = block.back();
  if (auto *branch = llvm::dyn_cast<ast::If>(last))
    return endsInJump(branch->body) && endsInJump(branch->orelse);
  return llvm::isa<ast::Return, ast::Break, ast::Continue, ast::Raise>(last);
}

// The branch to elaborate first: one that only raises, since the other one then needs no region.
size_t firstOf(const ast::If *stmt) {
  return !stmt->body.empty() && llvm::isa<ast::Raise>(stmt->body.back());
}

// Runs what remains of the body around.
Flow runRest(Evaluator &ev) {
  Frame *frame = ev.frame;
  const Rest *saved = frame->rest;
  Flow flow = Flow::Normal;
  for (const Rest *rest = saved; rest && flow == Flow::Normal; rest = rest->outer) {
    frame->rest = rest->outer;
    flow = ev.run(rest->block.subspan(rest->next));
  }
  frame->rest = saved;
  if (flow != Flow::Normal) return flow;
  if (frame->atEnd == Flow::Return) ev.returnValue = Value::none();
  return frame->atEnd;
}

} // namespace

Flow joinBranches(Evaluator &ev, Value index, llvm::ArrayRef<Branch> branches, size_t first) {
  if (!ev.mayEmit()) return Flow::Failed;
  const ast::Node *condition = ev.node;
  auto decided = [&]() -> std::optional<size_t> {
    if (!index.isHost()) return std::nullopt;
    auto known = evaluateNow(ev, index.asHost().value, EvaluationLimits::forConvenience(maxDecidedBytes));
    if (!known) return std::nullopt;
    return std::clamp<int64_t>((*known)[0].scalarInt(), 0, int64_t(branches.size()) - 1);
  };
  if (ev.decidedConditions.contains(condition))
    if (auto branch = decided()) return branches[*branch]();
  BranchJoin join(ev, index);
  join.outcomes.resize(branches.size());
  for (size_t n = 0; n < branches.size(); ++n) {
    size_t k = (first + n) % branches.size();
    auto outcome = elaborateBranch(ev, branches[k]);
    if (!outcome) return Flow::Failed;
    // Only the other branch goes on.
    if (outcome->flow == Flow::Raise && branches.size() == 2)
      return raiseWhen(ev, isBranch(ev, index, k), std::move(*outcome)) ? branches[1 - k]() : Flow::Failed;
    join.outcomes[k] = std::move(*outcome);
  }
  bool fits = bool(join.compare());
  if (join.unfit && !ev.isPending(Pending::Needed))
    if (auto branch = decided()) {
      ev.pending() = {};
      ev.decidedConditions.insert(condition);
      return branches[*branch]();
    }
  return fits ? takeRaises(ev, join.finish()) : Flow::Failed;
}

Value joinValues(Evaluator &ev, Value index, llvm::ArrayRef<std::function<Value()>> branches) {
  std::vector<Branch> flows;
  for (auto &branch : branches)
    flows.push_back([&ev, branch] {
      Value value = branch();
      ev.returnValue = value;
      return value ? Flow::Return : Flow::Failed;
    });
  Value outer = ev.returnValue;
  Flow flow = joinBranches(ev, index, flows);
  Value result = ev.returnValue;
  ev.returnValue = outer;
  return flow == Flow::Failed ? Value() : result;
}

Flow runBranches(Evaluator &ev, const ast::If *stmt, Value test) {
  JX_TRY_FLOW(condition, ev.truthValue(test));
  if (condition.is(Kind::Bool)) return ev.run(condition.asBool() ? stmt->body : stmt->orelse);
  bool jumps = stmt->jumps.mayBreak || stmt->jumps.mayContinue || stmt->jumps.mayReturn;
  bool bodyLeaves = endsInJump(stmt->body), elseLeaves = endsInJump(stmt->orelse);
  if (jumps && bodyLeaves != elseLeaves && ev.frame->atEnd != Flow::Normal) {
    auto withRest = [&](ast::Block block) {
      Narrowing narrowing(ev, stmt->test, block.data() == stmt->body.data());
      Flow flow = ev.run(block);
      if (flow == Flow::Normal) return runRest(ev);
      if (flow == Flow::Dynamic && ev.flowTag.mayBe(Flow::Normal))
        return continueWhenNormal(ev, [&] { return runRest(ev); });
      return flow;
    };
    return joinBranches(ev, condition,
                        {[&] { return elseLeaves ? ev.run(stmt->orelse) : withRest(stmt->orelse); },
                         [&] { return bodyLeaves ? ev.run(stmt->body) : withRest(stmt->body); }},
                        firstOf(stmt));
  }
  auto closed = [&](ast::Block block) {
    RestScope end(*ev.frame, Flow::Normal);
    Narrowing narrowing(ev, stmt->test, block.data() == stmt->body.data());
    return ev.run(block);
  };
  return joinBranches(ev, condition,
                      {[&] { return closed(stmt->orelse); }, [&] { return closed(stmt->body); }},
                      firstOf(stmt));
}

Flow continueWhenNormal(Evaluator &ev, const Branch &rest) {
  FlowTag tag = ev.flowTag;
  Value returned = ev.returnValue;
  unsigned others = tag.possible & ~(1u << static_cast<unsigned>(Flow::Normal));
  if (!others) return rest();
  JX_TRY_FLOW(normal, ev.hostCompare(ast::CompareOp::Eq, tag.value,
                                     Value::integer(static_cast<int64_t>(Flow::Normal))));
  auto leave = [&]() -> Flow {
    ev.returnValue = returned;
    (void)loseSlots(ev, tag.lost);
    for (Flow single : {Flow::Break, Flow::Continue, Flow::Return})
      if (others == 1u << static_cast<unsigned>(single)) return single;
    ev.flowTag = {tag.value, others, {}, {}};
    return Flow::Dynamic;
  };
  if (normal.is(Kind::Bool)) return normal.asBool() ? rest() : leave();
  return joinBranches(ev, normal, {leave, rest});
}

Value shortCircuit(Evaluator &ev, bool isAnd, Value value, const std::function<Value()> &rest) {
  Truth known = ev.truth(value);
  if (known == Truth::Failed) return Failed();
  if (known != Truth::Dynamic) return (known == Truth::True) == isAnd ? rest() : value;
  JX_TRY(condition, ev.truthValue(value));
  auto keep = [&] { return value; };
  if (condition.is(Kind::Bool)) return condition.asBool() == isAnd ? rest() : value;
  return isAnd ? joinValues(ev, condition, {keep, rest}) : joinValues(ev, condition, {rest, keep});
}

Value choose(Evaluator &ev, Value test, const std::function<Value()> &whenTrue,
             const std::function<Value()> &whenFalse) {
  Truth known = ev.truth(test);
  if (known == Truth::Failed) return Failed();
  if (known != Truth::Dynamic) return known == Truth::True ? whenTrue() : whenFalse();
  JX_TRY(condition, ev.truthValue(test));
  if (condition.is(Kind::Bool)) return condition.asBool() ? whenTrue() : whenFalse();
  return joinValues(ev, condition, {whenFalse, whenTrue});
}

} // namespace jx::elab
