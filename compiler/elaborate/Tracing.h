// Functions of their own: targets of jit and of the transforms. The target is elaborated into a func.func
// whose arguments are the array leaves it was given and, found afterwards, the outer arrays that it uses;
// then the transform runs at once, and what it returns is called.
#pragma once
#include "compiler/elaborate/Joins.h"
#include "compiler/elaborate/KeyUses.h"
#include "compiler/elaborate/Pytree.h"
#include "compiler/transforms/Transforms.h"

namespace jx::elab {

// An elaborated target.
struct Traced {
  mlir::func::FuncOp function; // (inputs..., captured...) -> (outputs..., extras...)
  std::vector<mlir::Value> captured;
  // Types of the outputs: simplification may have erased the values that the body returned.
  struct Output {
    mlir::RankedTensorType type;
    bool isWeak;
  };
  std::vector<Output> outputs;
  // Values beside the outputs: auxiliary results and what was written to older objects.
  struct Extra {
    Template form;
    Object *object = nullptr; // null: the auxiliary result
    size_t index = 0;
    Value key;
  };
  std::vector<Extra> extras;
  unsigned numExtraLeaves = 0;
  bool writesHeap = false;
  bool pure = true;
  std::vector<unsigned> usedKeys; // inputs that are random keys and were used
};

// The body of a target: arguments in, outputs (arrays) and an auxiliary value out.
struct TraceBody {
  std::function<std::optional<std::vector<Value>>(llvm::ArrayRef<Value>)> run;
  Value auxiliary; // set by run
};

class Tracing : public RuleProvider {
public:
  explicit Tracing(Evaluator &ev);
  ~Tracing();
  Evaluator &ev;
  Pytrees trees;
  Transforms transforms;
  unsigned depth() const { return open + bodies; }
  bool isTracing() const { return open > 0; }
  std::vector<std::pair<std::string, int64_t>> axes; // named axes of vmap, innermost last
  // The functions that are being elaborated for a transform: the frame that the transform runs in, and its
  // name.
  struct Scope {
    const Frame *frame;
    std::string transform;
  };
  std::vector<Scope> scopes;
  KeyUses keys;
  unsigned bodies = 0; // open bodies of lax loops and branches: values there are no Python numbers

  // Elaborates a function of the given arrays' types for a transform, which errors inside of it name.
  std::optional<Traced> trace(const std::string &name, llvm::ArrayRef<Value> inputs, TraceBody &body,
                              const std::string &transform);
  // Emits a call; `op` is jx.call, jx.checkpoint, ...
  std::optional<std::vector<mlir::Value>> call(mlir::func::FuncOp function,
                                               llvm::ArrayRef<mlir::Value> operands,
                                               llvm::StringRef op = "jx.call",
                                               llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  // Rebuilds the auxiliary result and applies the heap writes from the call's results.
  Value applyExtras(const Traced &traced, llvm::ArrayRef<mlir::Value> leaves);
  // Runs a callable on a tree of arguments and flattens the result into arrays; static numbers become arrays.
  std::optional<std::vector<Value>> arrayLeaves(Value tree, Tree &out, bool numbersOnly = false);
  // Runs a transform; its errors become a diagnostic at the user's line.
  template <typename T>
  std::optional<T> resolve(const char *what, llvm::function_ref<mlir::FailureOr<T>()> run) {
    std::string message;
    mlir::ScopedDiagnosticHandler handler(&ev.context, [&](mlir::Diagnostic &diagnostic) {
      if (message.empty()) message = diagnostic.str();
      return mlir::success();
    });
    auto result = run();
    if (mlir::succeeded(result)) return *result;
    (void)reportFailure(what, message);
    return std::nullopt;
  }
  Status reportFailure(const char *what, const std::string &message);

  mlir::FailureOr<mlir::func::FuncOp> getJvp(CustomJvpOp op) override;
  mlir::FailureOr<mlir::func::FuncOp> getForward(CustomVjpOp op) override;
  mlir::FailureOr<mlir::func::FuncOp> getBackward(CustomVjpOp op) override;

  // User-defined derivative rules, by the number in the op's `rule` attribute.
  struct Rule {
    Value jvp, forward, backward;
    Tree arguments, results; // of the primal function
    std::vector<bool> weak;
    llvm::SmallVector<mlir::Type> types; // of the argument leaves
    unsigned numLeaves = 0;
    enum { Ready, BeingElaborated } state = Ready;
    bool callsItself = false;                    // found while it is being elaborated
    std::vector<mlir::Value> outer;              // arrays of the code around: the op's last arguments
    Pending failure;                             // of its elaboration at the call
    Tree residuals;                              // known once the forward rule was elaborated
    std::vector<Value> residualLeaves;           // arrays among them only say that they are some
    llvm::SmallVector<mlir::Type> residualTypes; // of those: their values end with the forward rule
    mlir::func::FuncOp jvpFunction, forwardFunction, backwardFunction;
  };
  std::vector<Rule> rules;
  bool pureFunction(mlir::func::FuncOp function);
  unsigned lifting = 0; // rules that are being elaborated at their calls, one inside another

private:
  friend class Evaluator;
  unsigned open = 0;
  unsigned counter = 0;
};

// The outputs of a loop as one value with stacked leaves.
Value stackedOutput(Evaluator &ev, const SegmentNode &segment);

// jit, transforms, loops and branches as natives of jx._intrinsics.
void registerJit(Registry &r);
void registerDerivatives(Registry &r);
void registerBatching(Registry &r);
void registerClosures(Registry &r);
void registerControl(Registry &r);

} // namespace jx::elab
