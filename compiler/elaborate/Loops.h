// Loops: executed at compile time when they emit nothing, else compiled to one jx.for or jx.while, else
// unrolled. The carries of a compiled loop are found by elaborating its body and comparing heap and names
// before and after, until nothing new turns up.
#pragma once
#include "compiler/elaborate/Joins.h"

namespace jx::elab {

Flow runFor(Evaluator &ev, const ast::For *stmt);
Flow runWhile(Evaluator &ev, const ast::While *stmt);

// Runs `work` at compile time until something would be emitted, or `work` says that it needs run-time values.
// Nothing then, and no trace is left.
std::optional<Flow> executeNow(Evaluator &ev, const std::function<Flow(bool &needsRunTime)> &work);

// A loop whose trips are elaborated one after another.
struct UnrolledLoop {
  // What the loop ends with before trip k; nothing when that trip runs.
  std::function<std::optional<Flow>(size_t)> endBefore;
  std::function<Flow(size_t)> trip;
};
// Trips k, k + 1, ... Where a run-time condition leaves the loop, the later trips are elaborated in the
// branch that goes on.
Flow unrollFrom(Evaluator &ev, size_t k, const UnrolledLoop &loop);
// The end of a loop of n trips.
std::function<std::optional<Flow>(size_t)> endAfter(size_t n, std::function<Flow()> runElse);

// Why a loop (`this loop`, `this comprehension`) is not compiled, with what to do about it.
Diagnostic notRollable(Evaluator &ev, const std::string &what, const std::string &reason);

// Whether the body may end the loop.
bool mayLeaveEarly(ast::Block body);
// Whether a name is read after the loop, judged by the text that follows in the same function or module.
bool isReadLater(Evaluator &ev, const ast::Stmt *loop, llvm::StringRef name);

// How the trips of a compiled loop end that may be left early, by `break`, `return` or an exception.
class LoopExit {
public:
  explicit LoopExit(Evaluator &ev);
  // Holds the outcome of the last trip, for the loop to carry.
  Object *const control;
  // Whether the outcome lets the loop go on: the body ended or was left by `continue`.
  Value goesOn();
  // Runs the body of a trip and writes down its outcome; the flow lets the loop be compiled.
  Flow run(const std::function<Flow()> &body);
  // After the loop: continues by the outcome.
  Flow after(const std::function<Flow()> &runElse);

private:
  Value is(Flow flow);
  Evaluator &ev;
  unsigned possible = 0; // the flows that were met
  std::vector<Raised> raised;
};

// A loop to be compiled. Exactly one of `condition` (jx.while) and `trips` (jx.for) is given.
struct LoopSpec {
  const ast::Node *node = nullptr;
  Value trips;           // Int or Host int, not negative
  std::vector<Value> xs; // arrays scanned along their leading dimension
  bool reverse = false;
  std::function<Value()> condition; // a bool of any kind
  // The body: index (host int, jx.for only) and the slices of xs. Normal and Continue go on.
  std::function<Flow(Value, llvm::ArrayRef<Value>)> body;
  // Slots that the body writes before it reads and that nothing carries, such as the target of `for i in
  // range`.
  std::vector<std::pair<Object *, size_t>> derived;
  // Whether a variable that is bound in the body only is read later.
  std::function<bool(Object *, size_t, Value)> isLiveOut = [](Object *, size_t, Value) { return false; };
  // Lists whose elements are outputs of the loop (scan): each element's leaves are stacked, constants too.
  std::vector<Object *> outputs;
};

enum class LoopResult : uint8_t {
  Compiled,
  Failed,     // the reason is pending
  Structure,  // a container changes its form: peel the first trip, or unroll
  NotStatic,  // a demand for this loop's index or carries: unroll
  LeavesEarly // the body may break or return
};

class LoopCompiler {
public:
  LoopCompiler(Evaluator &ev, LoopSpec spec);
  LoopResult compile();
  std::string reason;    // Structure
  Pending demanded;      // NotStatic
  mlir::Value tripCount; // of a compiled while
  FlowTag lastFlow;

private:
  struct Carry {
    Object *object;
    size_t index;
    Value key;
    Template form;
    bool zeroInit = false;
    Value entry;
  };
  struct Growth {
    Object *list;
    std::vector<Template> forms;
    std::vector<Value> elements;
  };
  // A list that the body reads while it grows: the elements so far are carried, in an array of as many rows
  // as the loop has trips for each of their leaves.
  struct Buffer {
    Object *list;
    std::vector<Template> forms; // of the elements of one trip
    Value soFar;                 // the segment that the body reads
  };
  enum class Attempt : uint8_t { Fixpoint, Again, Failed, Structure, NotStatic, LeavesEarly };
  Attempt attempt();
  Attempt examine(Heap::Speculation &speculation, const ReadSet &reads, mlir::Region *body);
  Attempt examineSlot(Object *object, size_t index, Value key, Value before, Value after, mlir::Region *body,
                      uint32_t firstNew);
  Attempt elaborateBody(mlir::Block *block, Heap::Speculation &speculation);
  void enter(llvm::ArrayRef<mlir::Value> arguments, Value index);
  void setSlot(const Carry &carry, Value value);
  Attempt examineBuffer(Buffer &buffer, const Contents &before, const Contents &after);
  llvm::SmallVector<mlir::Type> bufferTypes(const Buffer &buffer);
  Value segmentOf(const Buffer &buffer, Value count, llvm::ArrayRef<mlir::Value> stacks);
  Status yieldBuffers(mlir::Value index);
  Attempt failure();
  Carry *findCarry(Object *object, size_t index, Value key);
  Status finish(std::unique_ptr<mlir::Region> before, std::unique_ptr<mlir::Region> body);
  void remember();
  void recall();

  Evaluator &ev;
  LoopSpec spec;
  Joiner joiner;
  std::vector<Carry> carries;
  std::vector<Growth> growths;
  std::vector<Buffer> buffers;
  std::vector<std::tuple<Object *, size_t, Value>> temporaries;
  llvm::SmallVector<mlir::Value> yields; // made at the end of the body, at the fixpoint
  uint32_t loopId;
  Symbol indexSymbol = 0;
  llvm::SmallVector<mlir::Type> carryTypes();
};

} // namespace jx::elab
