// One jx.cond: branches elaborated in regions of their own from the same state, and the join of how they
// ended, of what they changed on the heap and of what they raised.
#pragma once
#include "compiler/elaborate/Joins.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace jx::elab {

// The end of one branch.
struct Outcome {
  Flow flow = Flow::Failed; // Raise: by the one exception of `tag`
  FlowTag tag;              // set for every flow
  Value returned;
  llvm::MapVector<Object *, Contents> after; // objects older than the branch that it wrote
  std::unique_ptr<mlir::Region> region;
  std::vector<Diagnostic> warnings;
  uint32_t firstNew = 0; // objects from this number on were made in the branch
};

// Elaborates a branch, from the state in which `start` ended if that is given, and takes its changes back.
// An exception of a `raise` statement, or one that a handler around waits for, is an outcome. Nothing after
// any other failure.
std::optional<Outcome> elaborateBranch(Evaluator &ev, const std::function<Flow()> &branch,
                                       Outcome start = {});
// Completes an outcome whose branch has just ended with `flow`; after Failed, with the pending exception.
void noteEnd(Evaluator &ev, Outcome &outcome, Flow flow);
// Takes the values of the slots away and returns them.
std::vector<Value> loseSlots(Evaluator &ev, const LostSlots &slots);
// Gives them back to the slots that have no new value.
void giveBack(Evaluator &ev, const LostSlots &slots, llvm::ArrayRef<Value> values);
// An outcome which raises the exception at once.
Outcome raisingOutcome(Evaluator &ev, Raised raised);

class BranchJoin {
public:
  // `index` is a host int or bool; a bool picks branch 1 when true.
  BranchJoin(Evaluator &ev, Value index) : ev(ev), index(index), joiner(ev) {}
  ~BranchJoin();
  BranchJoin(const BranchJoin &) = delete;

  std::vector<Outcome> outcomes; // one a branch, by number
  bool ofException = false;      // the condition is whether an exception is raised
  // Finds the common forms of what the branches leave; before `finish`.
  Status compare();
  // Whether the branches leave what has no form in common: a condition that depends on no input of the run is
  // better decided.
  bool unfit = false;
  // Emits the operation and writes the joined state. The flow may include Flow::Raise: see takeRaises.
  Flow finish();

private:
  // A slot that the join writes.
  struct JoinedSlot {
    Object *object;
    size_t index;
    Value key; // maps
    Template form;
    llvm::SmallVector<Value> values; // one a branch; null where a branch that leaves has none of the form
  };
  struct JoinedRaise {
    size_t branch;
    Raised raised;
    Template form;
  };

  Status joinHeap();
  Status joinUneven(Object *list, size_t one, size_t other);
  void joinSlot(Object *object, size_t index, Value key, llvm::SmallVector<Value> values);
  std::optional<Template> formOf(llvm::ArrayRef<Value> values);
  std::optional<Template> formWhereReached(llvm::MutableArrayRef<Value> values);
  Value atEnd(const Outcome &outcome, Value value, llvm::SmallPtrSetImpl<Object *> &inside);
  void takeEnds(llvm::MutableArrayRef<Value> values);
  Status joinFlow();
  Status joinRaises();
  Status emit();
  Flow apply();
  Contents contentsAfter(const Outcome &outcome, Object *object) {
    auto found = outcome.after.find(object);
    return found != outcome.after.end() ? found->second : object->peek();
  }

  Evaluator &ev;
  Value index;
  Joiner joiner;
  std::vector<JoinedSlot> slots;
  std::vector<JoinedRaise> raises;
  std::vector<std::tuple<Object *, size_t, Value, Value>> poisoned;
  std::vector<std::pair<Object *, Value>> removed;
  std::vector<std::pair<Object *, size_t>> resized; // lists
  std::optional<Template> returnForm, tagForm;
  Flow flow = Flow::Normal;
  FlowTag tag;
  mlir::Operation *op = nullptr;
  mlir::Value selector; // tensor<i32>
};

} // namespace jx::elab
