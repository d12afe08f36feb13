// The elaborator's core: evaluates a program over its syntax tree, emitting jx operations for what is known at run time
// only. One Evaluator serves a compilation. Its member functions are spread over files by topic; natives (built-in
// functions and methods, Registry.h) are free functions that take it as their first argument.
//
// Failure: a function that returns a null Value, a failed Status or an empty optional has left the reason in
// `pending()`. Every caller passes it on with JX_TRY or JX_CHECK. No C++ exceptions.
#pragma once
#include "compiler/diagnostics/Diagnostic.h"
#include "compiler/elaborate/Elaborate.h"
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
class Transforms;
}

namespace jx::elab {

class Registry;
class Tracing; // transforms, jit: Tracing.h

// --- Code and scopes ---------------------------------------------------------------------------------------------

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

struct GeneratorNode {
  const FunctionNode *function;
  Object *frame;
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
  mlir::Location callLocation;
  // Consumer of `yield`, when the body is run as a generator.
  const std::function<Status(Value)> *consumer = nullptr;
  Value handling;                          // the exception that an `except` block is handling
  const struct Rest *rest = nullptr;       // what remains to run in this body, for branches that leave early
  unsigned rolledLoops = 0;                // compiled loops of this body that are open
};

// How a statement ended. Dynamic: the run-time tag in Evaluator::flowTag says which.
enum class Flow : uint8_t { Failed, Normal, Break, Continue, Return, Dynamic };

// --- Failure -----------------------------------------------------------------------------------------------------

// A static value was needed where a run-time one stood.
struct Demand {
  std::vector<Symbol> sources;
  std::string purpose; // "a slice length", "the shape of `zeros`"
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
  Value exception;       // Exception: the instance
  Diagnostic diagnostic; // Exception, Needed: what to report when nothing catches it
  Demand demand;
};

// --- Operators ---------------------------------------------------------------------------------------------------

enum class Truth : uint8_t { Failed, False, True, Dynamic };

class Evaluator : public mlir::OpBuilder::Listener {
public:
  Evaluator(mlir::MLIRContext &context, SourceManager &sources, AstContext &ast, DiagnosticSink &sink,
            const ElaborateOptions &options);
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
  Status runEntry(const ast::Module &program);

  // --- errors (Errors.cpp). The span is the node being evaluated unless a range is given.
  Failed fail(DiagKind kind, const std::string &message, SourceRange range = {});
  Failed fail(Diagnostic diagnostic);
  // A Python exception by class name (ValueError, ...) as `raise` in .jx makes it.
  Failed raise(llvm::StringRef className, const std::string &message);
  Failed raise(Value exception, SourceRange range);
  Failed typeError(const std::string &message);
  Failed valueError(const std::string &message);
  // The construct exists in Python and jx does not know it yet.
  Failed unsupported(const std::string &what);
  Failed demand(Value host, const std::string &purpose);
  void warn(DiagKind kind, const std::string &message, const std::string &hint = {});
  Pending &pending() { return pendingState; }
  bool isPending(Pending::Reason reason) const { return pendingState.reason == reason; }
  // The exception that is pending, taken out (the failure is then handled).
  Value catchException();
  SourceRange here() const;     // range of the node being evaluated
  SourceRange userHere() const; // the innermost range outside the standard library
  mlir::Location location();

  // --- expressions (Expressions.cpp, Names.cpp)
  Value eval(const ast::Expr *expr);
  Value lookUp(const ast::NameExpr *name);
  Value lookUpBuiltin(Name name);
  Status bind(Binding binding, uint32_t slot, Name name, Value value);
  Status assign(const ast::Expr *target, Value value);
  Status unpackInto(ast::ExprList targets, Value value, SourceRange range);

  // --- statements (Statements.cpp, Branches.cpp, Loops.cpp, WhileLoops.cpp, Exceptions.cpp)
  Flow run(ast::Block block);
  Flow run(const ast::Stmt *stmt);
  Value flowTag;     // host int over Flow, after Flow::Dynamic
  Value returnValue; // after Flow::Return

  // --- calls (Calls.cpp)
  Value call(Value callee, CallArgs &args);
  Value call(Value callee, llvm::ArrayRef<Value> positional) {
    CallArgs args;
    args.positional.assign(positional.begin(), positional.end());
    return call(callee, args);
  }
  // A function of a library module, e.g. callLibrary("jax._src.operators", "add", {x, y}).
  Value callLibrary(llvm::StringRef moduleName, llvm::StringRef function, llvm::ArrayRef<Value> positional);
  Value makeFunction(const ast::Node *code, llvm::StringRef name, ast::ParameterList params);
  // Binds the arguments of a native to its parameters, by position or name; the first `required` must be given, the
  // rest are null when left out. Fails with a TypeError in Python's words.
  Status bindNative(CallArgs &args, llvm::StringRef function, llvm::ArrayRef<llvm::StringRef> params, unsigned required,
                    llvm::MutableArrayRef<Value> out);

  // --- protocols (Protocols.cpp, Attributes.cpp): by kind, else through dunders
  Value getAttr(Value object, llvm::StringRef name);
  Value findAttr(Value object, llvm::StringRef name); // null without failure when absent; check isPending()
  Status setAttr(Value object, llvm::StringRef name, Value value);
  Status delAttr(Value object, llvm::StringRef name);
  Value getItem(Value object, Value index);
  Status setItem(Value object, Value index, Value value);
  Status delItem(Value object, Value index);
  Truth truth(Value v); // Dynamic: use truthValue
  Value truthValue(Value v); // a Bool or a Host bool
  Value length(Value v);
  Value binary(ast::BinaryOp op, Value a, Value b);
  Value inPlace(ast::BinaryOp op, Value a, Value b);
  Value unary(ast::UnaryOp op, Value a);
  Value compare(ast::CompareOp op, Value a, Value b);
  Value isEqual(Value a, Value b); // ==, as a Bool, a Host bool or an array
  Value isSame(Value a, Value b);  // `is`
  Value contains(Value container, Value item);
  // Calls `each` for every element in order, generators inlined. The elements must be enumerable at compile time.
  Status iterate(Value iterable, const std::function<Status(Value)> &each);
  std::optional<std::vector<Value>> elements(Value iterable);
  // `each` of iterate returns this to end early, without a failure for the caller of iterate.
  Failed stopIteration();
  Status runGenerator(Value generator, const std::function<Status(Value)> &each);
  Value str(Value v);  // Str or Text
  Value repr(Value v); // Str or Text
  Value format(Value v, Value spec);
  std::string typeName(Value v); // as Python names the class
  Object *classOf(Value v);
  bool isInstance(Value v, Object *cls);
  bool isSubclass(const Object *cls, const Object *base);
  Object *builtinClass(llvm::StringRef name) const; // `int`, `ValueError`, ...
  Value lookUpClass(Object *cls, llvm::StringRef name); // through the method resolution order; null if absent
  Value instantiate(Object *cls, CallArgs &args);
  // Calls the method `name` of the object's class; null without failure when the class has none.
  Value callDunder(Value object, llvm::StringRef name, llvm::ArrayRef<Value> args);

  // --- host and static numbers (Numbers.cpp, HostNumbers.cpp)
  Value staticBinary(ast::BinaryOp op, Value a, Value b);
  Value hostBinary(ast::BinaryOp op, Value a, Value b);
  Value hostCompare(ast::CompareOp op, Value a, Value b);
  Value makeHost(mlir::Value value, HostType type, std::optional<Affine> affine = {}, Interval range = {},
                 std::vector<Symbol> sources = {});
  Value hostOf(Value number, HostType type); // a static or host number as a host value of the type
  mlir::Value hostTensor(Value number, HostType type); // tensor<i64>, tensor<f64> or tensor<i1>
  HostType hostTypeOf(Value number);
  Symbol newSymbol(SymbolInfo info);
  const SymbolInfo &symbolInfo(Symbol s) const { return symbols[s]; }
  // A static int for a static or host value, by affine form, interval or evaluation; else a Demand is pending.
  std::optional<int64_t> toStaticInt(Value v, const std::string &purpose);
  // The static value (Bool, Int, Float, Str) of a host value; static values are returned as they are.
  Value toStatic(Value v, const std::string &purpose);
  // a - b when it is known at compile time.
  std::optional<int64_t> staticDifference(Value a, Value b);

  // --- arrays (Arrays.cpp, Primitives.cpp)
  Value toArray(Value number, WeakType type); // static or host number or array to a (converted) array
  Value toArray(Value v);                     // numbers with their default weak type; nested lists by `array_literal`
  mlir::Value constantScalar(mlir::Type dtype, Value number);
  Value primitive(llvm::StringRef opName, CallArgs &args);
  mlir::Value convert(mlir::Value v, mlir::Type dtype);
  // float(x), int(x), bool(x) of a one-element array: a host value; an error inside transforms.
  Value arrayToHost(Value array, HostType type);

  // --- output (Output.cpp)
  // The format program of a value in a string: appends to the text.
  Status appendText(TextNode &text, Value v, Conversion conversion);
  Value makeText(TextNode text); // a Str when it has no holes
  Value concatText(llvm::ArrayRef<Value> parts);
  Status emitPrint(Value text, bool toStderr);
  PrintOptions printOptions;

  // --- modules (Modules.cpp)
  Object *importModule(llvm::StringRef name, SourceRange range);
  Object *findModule(llvm::StringRef name) const;

  Value nameStr(Name name) { return arena.str(name.str()); }

  // --- state used by the parts above
  Frame *frame = nullptr;
  const ast::Node *node = nullptr; // being evaluated
  Tracing *tracing = nullptr;
  bool inTransform() const;

  // Operation counting: every insertion through `builder`.
  void notifyOperationInserted(mlir::Operation *op, mlir::OpBuilder::InsertPoint previous) override;
  uint64_t emitted = 0;
  bool probing = false; // a loop is being tried by execution: emission ends the try

private:
  friend class Tracing;
  Pending pendingState;
  std::vector<SymbolInfo> symbols;
};

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
