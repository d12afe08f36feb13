// The elaborator's core: evaluates a program over its syntax tree, emitting jx operations for what is known
// at run time only. One Evaluator serves a compilation. Its member functions are spread over files by topic;
// natives (built-in functions and methods, Registry.h) are free functions that take it as their first
// argument.
//
// Failure: a function that returns a null Value, a failed Status or an empty optional has left the reason in
// `pending()`. Every caller passes it on with JX_TRY or JX_CHECK. No C++ exceptions.
#pragma once
#include "compiler/diagnostics/Diagnostic.h"
#include "compiler/elaborate/Elaborate.h"
#include "compiler/elaborate/Files.h"
#include "compiler/elaborate/Heap.h"
#include "compiler/elaborate/HostValue.h"
#include "compiler/elaborate/Types.h"
#include "compiler/syntax/AstContext.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include <functional>
#include <set>
#include <string>
#include <unordered_map>

namespace jx {
class HostArray;
}

namespace jx::elab {

class Registry;
class Tracing; // transforms, jit: Tracing.h

// --- Code and scopes
// ---------------------------------------------------------------------------------------------

// A variable of an enclosing function.
struct Cell {
  Object *frame;
  uint32_t slot;
};

// The immutable part of a function object.
struct FunctionNode {
  const ast::Node *code; // FunctionDef, Lambda or Comprehension
  ast::ParameterList params;
  Object *module;
  std::vector<Cell> frees;
  std::vector<Value> defaults; // one a parameter; null where there is none
  std::string name, qualifiedName;
  const Scope &scope() const;
};

// The immutable part of a class object; its attributes are the object's contents.
struct ClassNode {
  std::string name, qualifiedName, moduleName;
  std::vector<Object *> bases;
  std::vector<Object *> order; // method resolution order, the class first
  Kind builtin = Kind::Null;   // for classes of built-in values (`int`, `list`): the kind of their instances
  bool isException = false;
};

struct ModuleNode {
  std::string name;
  FileId file = 0;
  bool isPackage = false, isLibrary = false;
};

// What remains to run in the body of a function or loop after the current statement. A branch that a run-time
// condition leaves early (return, break, continue) takes the rest of the other branch into its own region.
struct Rest {
  ast::Block block;
  size_t next;
  const Rest *outer;
};

struct GeneratorNode {
  const FunctionNode *function; // of a generator function or a generator expression
  Object *frame;
  Value source; // generator expressions: the iterable of the first clause
};

// How a statement ended. Dynamic: Evaluator::flowTag says which, at run time. Raise: by an exception under a
// run-time condition; only the ends of regions (Raises.h) see it.
enum class Flow : uint8_t { Failed, Normal, Break, Continue, Return, Dynamic, Raise };

// The dimension variables of a call's annotations, each with its size and the annotation that bound it.
using DimBindings = std::map<std::string, std::pair<int64_t, SourceRange>>;

// What the annotations of one call declare: the sizes of the dimension variables, and the arrays whose shapes
// they name.
struct Declarations {
  DimBindings dims;
  std::vector<std::pair<Value, const ast::Expr *>> arrays;
};

// One activation of a function, module or class body.
struct Frame {
  Object *locals; // Kind::Frame by slot; the module or class itself at those levels
  const Scope *scope;
  Object *module;
  llvm::ArrayRef<Cell> frees;
  const FunctionNode *function = nullptr;
  Frame *caller = nullptr;
  SourceRange callSite;
  // Consumer of `yield`, when the body is run as a generator, and the frame that it runs in.
  const std::function<Status(Value)> *consumer = nullptr;
  Frame *consumerFrame = nullptr;
  Value handling = {}; // the exception that an `except` block is handling
  const Rest *rest = nullptr;
  Flow atEnd =
      Flow::Return; // what reaching the end of the body means: Return, Continue in loops, Normal under `try`
  Object *classCell = nullptr; // class bodies: the frame whose slot 0 is `__class__`
  const Declarations *declared = nullptr;
};

// --- Failure
// -----------------------------------------------------------------------------------------------------

// A static value was needed where a run-time one stood.
struct Demand {
  std::vector<Symbol> sources;
  std::string purpose; // "a slice length", "the shape of `zeros`"
  // Of a condition on a loop's index, which is known in parts of the loop: the number of trips after which it
  // repeats, as far as its remainders tell; else 0.
  int64_t period = 0;
};

struct Pending {
  enum Reason : uint8_t {
    None,
    Exception, // a Python exception; `except` may catch it
    Needed,    // a Demand, for the loops and the entry around
    Emitted,   // a loop tried by execution emitted an operation
    Stopped,   // the consumer of a generator has enough
    Fatal,     // reported already; nothing catches it
  } reason = None;
  Value exception;        // Exception: the instance
  Diagnostic diagnostic;  // Exception, Needed: what to report when nothing catches it
  bool fromRaise = false; // Exception: by a `raise` statement; under a run-time condition it becomes a check
  Demand demand;
};

// --- Outcomes
// ----------------------------------------------------------------------------------------------------

// Variables and parts of objects that a join gave a form although not every path had a value of that form.
using LostSlots = std::vector<std::tuple<Object *, size_t, Value>>;

// An exception that is raised under a run-time condition.
struct Raised {
  int64_t number; // of this exception, as the value of a FlowTag
  Pending pending;
  LostSlots lost; // which have no value when it is raised
};

// The run-time outcome of a statement: a host int over the values of Flow and the numbers of exceptions, and
// which of them are possible.
struct FlowTag {
  Value value;
  unsigned possible = 0; // bit k: Flow(k)
  std::vector<Raised> raised;
  LostSlots lost; // which have a value only if the flow is Normal
  bool mayBe(Flow flow) const { return possible >> static_cast<unsigned>(flow) & 1; }
  static FlowTag of(Flow flow) {
    return {Value::integer(static_cast<int64_t>(flow)), 1u << static_cast<unsigned>(flow), {}, {}};
  }
};

class Guard; // Raises.h

// A `try`, or a `with` (then `handlers` is null) whose manager sees every exception.
struct Catching {
  Frame *frame;
  const ast::Try *handlers;
};

// --- Operators
// ---------------------------------------------------------------------------------------------------

enum class Truth : uint8_t { Failed, False, True, Dynamic };

class Evaluator : public mlir::OpBuilder::Listener {
public:
  using Kind = elab::Kind; // not the listener's
  Evaluator(mlir::MLIRContext &context, SourceManager &sources, AstContext &ast, DiagnosticSink &sink,
            const ElaborateOptions &options, const std::map<std::string, std::string> &frozen);
  ~Evaluator();

  mlir::MLIRContext &context;
  SourceManager &sources;
  AstContext &ast;
  DiagnosticSink &sink;
  ElaborateOptions options;
  Arena arena;
  Heap heap;
  Promotion promotion;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  const Registry &registry;

  // --- entries (Entry.cpp)
  Status runEntry(const ast::Module &program, bool keepGlobals);
  void exportGlobals(mlir::func::FuncOp entry);
  void importGlobals(mlir::func::FuncOp entry);
  Value renamed(Value v, const llvm::DenseMap<mlir::Value, mlir::Value> &names);
  std::vector<mlir::Value> exported; // results of the last entry's function
  Status bindOptions(Object *mainFunction, CallArgs &args);
  const ast::Call *mainCall = nullptr; // the call whose parameters are the program's options
  std::vector<ProgramOption> programOptions;
  std::string programHelp;

  // --- errors (Errors.cpp). The span is the node being evaluated unless a range is given.
  Failed fail(DiagKind kind, const std::string &message, SourceRange range = {});
  // `text` is what the exception says to a program that catches it, when that differs from the report.
  Failed fail(Diagnostic diagnostic, const std::string &text = {});
  // A Python exception by class name (ValueError, ...) as `raise` in .jx makes it.
  Failed raise(llvm::StringRef className, const std::string &message, std::optional<DiagKind> kind = {});
  Failed raise(Value exception, SourceRange range);
  Failed raiseKeyError(Value key, const Object *container);
  Failed typeError(const std::string &message);
  Failed valueError(const std::string &message);
  // The construct exists in Python and jx does not know it yet.
  Failed unsupported(const std::string &what);
  Failed demand(Value host, const std::string &purpose);
  void warn(DiagKind kind, const std::string &message, const std::string &hint = {}, SourceRange range = {});
  // Marks the operands of the expression that just failed with their types, unless the failure lies inside of
  // it.
  struct Operand {
    const ast::Expr *expr;
    Value value;
  };
  void labelOperands(const ast::Expr *failed, llvm::ArrayRef<Operand> operands, bool arraysOnly);
  // An array's type in the user's terms, with the names that annotations give its dimensions: `f32[n=3,784]`.
  std::string describeArray(Value array) const;
  Pending &pending() { return pendingState; }
  bool isPending(Pending::Reason reason) const { return pendingState.reason == reason; }
  // The exception that is pending, taken out (the failure is then handled).
  Value catchException();
  SourceRange here() const;     // range of the node being evaluated
  SourceRange userHere() const; // the innermost range outside the standard library
  mlir::Location location();
  mlir::Location location(SourceRange range);

  // --- expressions (Expressions.cpp, Names.cpp)
  Value eval(const ast::Expr *expr);
  Status runClauses(const ast::Comprehension *code, size_t clause, Value source,
                    const std::function<Status()> &each);
  Value evalComprehension(const ast::Comprehension *comprehension);
  Value yieldValue(Value value);
  Value lookUp(const ast::NameExpr *name);
  Value lookUpBuiltin(Name name);
  // What was read; fails for a list whose elements are not known (Object::whyUnknown).
  Value whole(Value found);
  Status bind(Binding binding, uint32_t slot, Name name, Value value);
  Status unbind(Binding binding, uint32_t slot, Name name);
  Status assign(const ast::Expr *target, Value value);
  Status unpackInto(ast::ExprList targets, Value value, SourceRange range);

  // --- statements (Statements.cpp, Branches.cpp, Loops.cpp, WhileLoops.cpp, Exceptions.cpp)
  Flow run(ast::Block block);
  Flow run(const ast::Stmt *stmt);
  FlowTag flowTag;   // after Flow::Dynamic
  Value returnValue; // after Flow::Return
  Status runRaise(const ast::Raise *stmt);
  Flow runTry(const ast::Try *stmt);
  // Who would catch an exception of the class: a handler around, or one around the function that is being
  // compiled or transformed, which a run-time exception does not reach.
  enum class Catcher : uint8_t { None, Here, Outside };
  Catcher whoCatches(Object *cls);
  Value callMethod(Value object, llvm::StringRef name, llvm::ArrayRef<Value> args);
  Flow runWith(const ast::With *stmt);
  Status runAnnotated(const ast::AnnAssign *stmt);
  Status runModule(const ast::Module &tree, Object *object);
  Status runImport(const ast::Import *stmt);
  Status runImportFrom(const ast::ImportFrom *stmt);

  // --- calls (Calls.cpp)
  Value call(Value callee, CallArgs &args);
  Value call(Value callee, llvm::ArrayRef<Value> positional) {
    CallArgs args;
    args.positional.assign(positional.begin(), positional.end());
    return call(callee, args);
  }
  // A function of a library module, e.g. callLibrary("jax._src.operators", "add", {x, y}).
  Value callLibrary(llvm::StringRef moduleName, llvm::StringRef function, llvm::ArrayRef<Value> positional);
  Status checkParameters(const FunctionNode &function, llvm::ArrayRef<Value> slots, Declarations &declared);
  Status checkAnnotation(const ast::Expr *expr, Value value, const std::string &what, DimBindings &dims);
  std::optional<int64_t> annotatedDim(const ast::Expr *expr, int64_t actual, DimBindings &dims,
                                      SourceRange at);
  Value callFunction(Object *function, CallArgs &args);
  Status bindArguments(const FunctionNode &function, CallArgs &args, std::vector<Value> &slots);
  // What the program's own functions were called with and returned, for `jx check`: one line for each
  // combination.
  std::vector<Signature> signatures;
  void recordSignature(const FunctionNode &function, llvm::ArrayRef<Value> arguments, Value result,
                       const Declarations &declared);
  Value makeFunction(const ast::Node *code, llvm::StringRef name, ast::ParameterList params);
  // `outer.<locals>.name`, `Class.name`: the name of what is defined here as Python qualifies it.
  std::string qualifiedName(llvm::StringRef name);
  // Binds the arguments of a native to its parameters, by position or name; the first `required` must be
  // given, the rest are null when left out. Fails with a TypeError in Python's words.
  Status bindNative(CallArgs &args, llvm::StringRef function, llvm::ArrayRef<llvm::StringRef> params,
                    unsigned required, llvm::MutableArrayRef<Value> out);

  // --- protocols (Protocols.cpp, Attributes.cpp): by kind, else through dunders
  Value getAttr(Value object, llvm::StringRef name);
  Value findAttr(Value object, llvm::StringRef name); // null without failure when absent; check isPending()
  Status setAttr(Value object, llvm::StringRef name, Value value);
  Status delAttr(Value object, llvm::StringRef name);
  Value getItem(Value object, Value index);
  Status setItem(Value object, Value index, Value value);
  Status delItem(Value object, Value index);
  Truth truth(Value v);      // Dynamic: use truthValue
  Value truthValue(Value v); // a Bool or a Host bool
  Value length(Value v);
  Value binary(ast::BinaryOp op, Value a, Value b);
  // -1, 0, 1; 2 with a nan. `symbol` is the comparison that is refused where there is no order.
  std::optional<int> staticOrder(Value a, Value b, llvm::StringRef symbol = "<");
  Value rangeLength(Value range);
  Value sequenceItem(Value object, Value index);
  Value segmentedItem(Value list, Value index);
  Status setListItem(Value list, Value index, Value value);
  Status deleteListItem(Value list, Value index);
  Value inPlace(ast::BinaryOp op, Value a, Value b);
  Value unary(ast::UnaryOp op, Value a);
  Value compare(ast::CompareOp op, Value a, Value b);
  Value isEqual(Value a, Value b); // ==, as a Bool, a Host bool or an array
  Value isSame(Value a, Value b);  // `is`
  Value contains(Value container, Value item);
  // Calls `each` for every element in order, generators inlined. The elements must be enumerable at compile
  // time.
  Status iterate(Value iterable, const std::function<Status(Value)> &each);
  std::optional<std::vector<Value>> elements(Value iterable);
  // The elements that a compiled loop appended, as values; their number must be known.
  std::optional<std::vector<Value>> segmentElements(Value segment);
  // `each` of iterate returns this to end early, without a failure for the caller of iterate.
  Failed stopIteration();
  Status runGenerator(Value generator, const std::function<Status(Value)> &each);
  Value str(Value v);  // Str or Text
  Value repr(Value v); // Str or Text
  Value format(Value v, Value spec);
  Value percentFormat(Value text, Value args);
  std::string typeName(Value v); // as Python names the class
  Object *classOf(Value v);
  bool isInstance(Value v, Object *cls);
  bool isSubclass(const Object *cls, const Object *base);
  Object *builtinClass(llvm::StringRef name) const;     // `int`, `ValueError`, ...
  Value lookUpClass(Object *cls, llvm::StringRef name); // through the method resolution order; null if absent
  Value instantiate(Object *cls, CallArgs &args);
  void createBuiltins();
  bool isFieldMarker(Object *cls, llvm::StringRef name); // the name of a field of a NamedTuple class
  bool opaqueEquals(Value a, Value b);
  Value makeClass(const ast::ClassDef *def); // Classes.cpp
  // Calls the method `name` of the object's class; null without failure when the class has none.
  Value callDunder(Value object, llvm::StringRef name, llvm::ArrayRef<Value> args);

  // --- host and static numbers (Numbers.cpp, HostNumbers.cpp)
  Value staticBinary(ast::BinaryOp op, Value a, Value b);
  Value hostBinary(ast::BinaryOp op, Value a, Value b);
  Value hostCompare(ast::CompareOp op, Value a, Value b);
  Value makeHost(mlir::Value value, HostType type, std::optional<Polynomial> form = {}, Interval range = {},
                 std::vector<Symbol> sources = {});
  Value hostOf(Value number, HostType type);           // a static or host number as a host value of the type
  mlir::Value hostTensor(Value number, HostType type); // tensor<i64>, tensor<f64> or tensor<i1>
  HostType hostTypeOf(Value number);
  Symbol newSymbol(SymbolInfo info);
  const SymbolInfo &symbolInfo(Symbol s) const { return symbols[s]; }
  // A static int for a static or host value, by polynomial, interval or evaluation; else a Demand is
  // pending.
  std::optional<int64_t> toStaticInt(Value v, const std::string &purpose);
  // What an operation's value is, if it depends on no run-time input and the interpreter computes it from
  // arrays of at most `maxBytes` in all.
  std::optional<HostArray> evaluateNow(mlir::Value value, int64_t maxBytes = int64_t(256) << 20);
  // Whether x[from:to], of known length but perhaps beyond the end, may be taken as lax.dynamic_slice takes
  // it.
  bool runtimeSliceMayClamp(Value from, Value to, int64_t size);
  Value demandText(Value text, const std::string &purpose);
  // The static value (Bool, Int, Float, Str) of a host value; static values are returned as they are.
  Value toStatic(Value v, const std::string &purpose);
  std::optional<Polynomial> formOf(Value v);
  // The symbol of a result that is no polynomial, such as `i % n`: the same one for the same operands.
  Symbol resultSymbol(const char *operation, Value a, Value b, const std::vector<Symbol> &sources);
  Interval rangeOf(Value v);
  mlir::Type hostDtype(HostType type);
  Value hostNot(Value a);
  Value hostAnd(Value a, Value b);
  Value hostOr(Value a, Value b);
  Value hostMax(Value a, int64_t low);
  Symbol dataSymbol(Value array); // stands for values read from arrays
  Value staticComplexEqual(Value a, Value b);
  // a - b when it is known at compile time.
  std::optional<int64_t> staticDifference(Value a, Value b);

  // --- arrays (Arrays.cpp, Primitives.cpp)
  Value toArray(Value number, WeakType type); // static or host number or array to a (converted) array
  Value toArray(Value v);        // numbers with their default weak type; nested lists by `array_literal`
  mlir::Type dtypeFrom(Value v); // of a dtype, its name, `float`, `int`, `bool`, `complex`; else null
  mlir::Value constantScalar(mlir::Type dtype, Value number);
  Value primitive(llvm::StringRef opName, CallArgs &args);
  // Emits an operation without regions, its result types inferred. Null after a failure.
  mlir::Operation *emit(llvm::StringRef opName, mlir::ValueRange operands,
                        llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  Status checkSizes(mlir::TypeRange types); // arrays that no machine holds are refused
  mlir::Value emit1(llvm::StringRef opName, mlir::ValueRange operands,
                    llvm::ArrayRef<mlir::NamedAttribute> attributes = {}); // of one result
  mlir::Value constant(const HostArray &array);
  mlir::Value reshapeToScalar(mlir::Value array);
  mlir::Value convert(mlir::Value v, mlir::Type dtype);
  // jnp.array of nested lists and tuples of numbers and arrays; dtype may be null.
  Value arrayLiteral(Value nested, mlir::Type dtype);
  // float(x), int(x), bool(x) of a one-element array: a host value; an error inside transforms.
  Value arrayToHost(Value array, HostType type);

  // --- output (Output.cpp)
  // The format program of a value in a string: appends to the text.
  Status appendText(TextNode &text, Value v, Conversion conversion);
  Value makeText(TextNode text); // a Str when it has no holes
  Value concatText(llvm::ArrayRef<Value> parts);
  Status emitPrint(Value text, bool toStderr);
  // Raises the Python error when the condition, a bool of any kind, is false.
  Status emitCheck(Value condition, llvm::StringRef errorClass, Value message);
  // Stops the program with the Python error, which is reported at `at`, when the static or host bool is
  // false.
  Status emitStop(Value holds, llvm::StringRef errorClass, Value message, mlir::Location at);
  PrintOptions printOptions;
  std::map<std::string, Value> configuration;  // flags of jax.config
  std::map<std::string, SavedFile> savedFiles; // by path, with the options' values of this compilation

  // --- modules (Modules.cpp)
  Object *importModule(llvm::StringRef name, SourceRange range);
  bool moduleExists(llvm::StringRef name) const;
  Object *findModule(llvm::StringRef name) const;

  Value nameStr(Name name) { return arena.str(name.str()); }

  // --- state used by the parts above
  Frame *frame = nullptr;
  const ast::Node *node = nullptr; // being evaluated
  Tracing *tracing = nullptr;
  bool inTransform() const;

  // Operation counting: every insertion through `builder`.
  void notifyOperationInserted(mlir::Operation *op, mlir::OpBuilder::InsertPoint previous) override;
  // Called before anything is emitted: fails while a loop is being tried by execution, and beyond the budget.
  Status mayEmit();
  uint64_t emitted = 0;
  bool probing = false; // a loop is being tried by execution: emission ends the try

  std::vector<Catching> tries;                // whose bodies run
  size_t firstReachableTry = 0;               // those before are outside of the function that is being traced
  std::vector<std::unique_ptr<Guard>> guards; // what is being elaborated runs if no exception was raised
  int64_t raiseNumbers = 0;
  // Where the branches of a condition did not fit, and it was decided when the program is compiled: there it
  // is tried first.
  llvm::DenseSet<const ast::Node *> decidedConditions;

  Object *builtins = nullptr; // the module of built-in names
  // Regions of abandoned attempts. Kept, so that a value of one is never mistaken for a later value at its
  // address.
  std::vector<std::unique_ptr<mlir::Region>> abandoned;
  void abandon(std::unique_ptr<mlir::Region> region);
  unsigned depth = 0; // of calls
  uint32_t loopIds = 0;
  // Carries that a loop had when it was last compiled, by place and call path.
  struct RememberedCarry {
    size_t index;
    Value key;
    std::shared_ptr<Template> form;
  };
  std::unordered_map<uint64_t, std::vector<RememberedCarry>> loopMemory;
  // What `hash` gave for an instance when it last became a key.
  std::unordered_map<const Object *, int64_t> keyHashes;
  mlir::Value zeroOf(mlir::Type type);

private:
  friend class Tracing;
  void addCallChain(Diagnostic &diagnostic) const;
  Pending pendingState;
  std::vector<SymbolInfo> symbols;
  std::map<std::tuple<std::string, Polynomial, Polynomial>, Symbol> resultSymbols;
  llvm::DenseMap<uint64_t, mlir::LocationAttr> locations;
  std::map<std::string, Object *> loadedModules;
  const std::map<std::string, std::string> &frozen; // options with a static value, and why
  llvm::StringMap<Object *> builtinTable;
};

// Begins a body whose end means `atEnd`.
class RestScope {
public:
  RestScope(Frame &frame, Flow atEnd) : frame(frame), rest(frame.rest), end(frame.atEnd) {
    frame.rest = nullptr;
    frame.atEnd = atEnd;
  }
  ~RestScope() {
    frame.rest = rest;
    frame.atEnd = end;
  }

private:
  Frame &frame;
  const Rest *rest;
  Flow end;
};

// The candidate most like `wanted`, for "did you mean"; empty when none is close.
std::string nearestOf(llvm::StringRef wanted, const std::vector<std::string> &candidates);

// error(kind, exception, summary="", hint=""): the exception, which is reported as that kind of diagnostic,
// in the words of `summary`; what a program that catches it sees stays as it was.
Value explain(Evaluator &ev, CallArgs &args);

// Like JX_TRY, in functions that return a Flow.
#define JX_TRY_FLOW(variable, ...)                                                                           \
  auto variable = (__VA_ARGS__);                                                                             \
  if (!variable) return ::jx::elab::Flow::Failed

// Sets the node being evaluated, for spans, and restores it.
class NodeScope {
public:
  NodeScope(Evaluator &ev, const ast::Node *node) : ev(ev), previous(ev.node) { ev.node = node; }
  ~NodeScope() { ev.node = previous; }

private:
  Evaluator &ev;
  const ast::Node *previous;
};

} // namespace jx::elab
