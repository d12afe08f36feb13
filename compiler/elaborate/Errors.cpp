// Failures: diagnostics, Python exceptions, demands. Spans lie in the user's files: code of the library that
// fails is reported at the user's call.
#include "compiler/elaborate/Evaluator.h"
#include "compiler/elaborate/Output.h"
#include "compiler/elaborate/Tracing.h"
#include "llvm/ADT/StringSwitch.h"

namespace jx::elab {

SourceRange Evaluator::here() const {
  if (node) return node->range;
  return frame ? frame->callSite : SourceRange();
}

SourceRange Evaluator::userHere() const {
  SourceRange range = here();
  for (const Frame *f = frame; f; f = f->caller) {
    if (range.isValid() && !sources.isLibrary(range.file)) return range;
    range = f->callSite;
  }
  return range.isValid() ? range : here();
}

mlir::Location Evaluator::location() { return location(userHere()); }

mlir::Location Evaluator::location(SourceRange range) {
  if (!range.isValid()) return mlir::UnknownLoc::get(&context);
  uint64_t key = uint64_t(range.file) << 32 | range.begin;
  if (auto found = locations.find(key); found != locations.end()) return mlir::Location(found->second);
  LineColumn at = sources.begin(range);
  mlir::Location loc =
      mlir::FileLineColLoc::get(&context, sources.displayName(range.file), at.line, at.column);
  locations.try_emplace(key, loc);
  return loc;
}

static bool isLibraryCode(const SourceManager &sources, const FunctionNode *function) {
  return function && sources.isLibrary(function->code->range.file);
}

// The call chain from the innermost user call outwards. Steps inside the library are left out, but for what
// the user called there: a transform, a loop of `lax`, or a function that calls one of the user's.
void Evaluator::addCallChain(Diagnostic &diagnostic) const {
  std::string called, through;
  for (const Frame *f = frame; f; f = f->caller) {
    bool library = isLibraryCode(sources, f->function);
    if (f->function && !library) called = f->function->name;
    for (const Tracing::Scope &scope : tracing->scopes)
      if (scope.frame == f->caller)
        through += (through.empty() ? ", under `" : " under `") + scope.transform + "`";
    if (!f->callSite.isValid() || sources.isLibrary(f->callSite.file)) continue;
    if (library && through.empty()) through = called.empty() ? "" : ", called by `" + f->function->name + "`";
    std::string what = called.empty() && library ? "`" + f->function->name + "`"
                       : called.empty()          ? ""
                                                 : "`" + called + "`" + through;
    if (!(f->callSite == diagnostic.primary.range)) diagnostic.called(f->callSite, what);
    called.clear();
    through.clear();
  }
}

static DiagKind kindOfClass(llvm::StringRef className) {
  return llvm::StringSwitch<DiagKind>(className)
      .Case("TypeError", DiagKind::PythonTypeError)
      .Case("ValueError", DiagKind::PythonValueError)
      .Case("IndexError", DiagKind::PythonIndexError)
      .Case("KeyError", DiagKind::PythonKeyError)
      .Case("AttributeError", DiagKind::PythonAttributeError)
      .Case("ZeroDivisionError", DiagKind::PythonZeroDivision)
      .Default(DiagKind::UncaughtException);
}

Failed Evaluator::fail(DiagKind kind, const std::string &message, SourceRange range) {
  Diagnostic diagnostic(kind, range.isValid() && !sources.isLibrary(range.file) ? range : userHere(),
                        message);
  return fail(std::move(diagnostic));
}

// What is raised while another exception is handled remembers that one.
static void keepContext(Evaluator &ev, Object *exception) {
  for (Frame *f = ev.frame; f; f = f->caller) {
    if (!f->handling) continue;
    Value name = ev.arena.str("__context__");
    if (f->handling.asObject() != exception && !exception->get(name))
      ev.heap.put(exception, name, f->handling);
    return;
  }
}

// A new exception of a built-in class.
static Object *exceptionOf(Evaluator &ev, Object *cls, const std::string &message) {
  Object *instance = ev.heap.create(Kind::Instance);
  instance->cls = cls;
  std::vector<Value> given;
  if (!message.empty()) given.push_back(ev.arena.str(message));
  ev.heap.put(instance, ev.arena.str("args"), ev.arena.tuple(std::move(given)));
  keepContext(ev, instance);
  return instance;
}

Failed Evaluator::fail(Diagnostic diagnostic, const std::string &text) {
  addCallChain(diagnostic);
  Object *instance = exceptionOf(*this, builtinClass(kindInfo(diagnostic.kind).pythonClass),
                                 text.empty() ? diagnostic.message : text);
  pendingState = {Pending::Exception, instance, std::move(diagnostic), false, {}};
  return {};
}

Failed Evaluator::raise(llvm::StringRef className, const std::string &message, std::optional<DiagKind> kind) {
  Object *instance = exceptionOf(*this, builtinClass(className), message);
  DiagKind own = kind.value_or(kindOfClass(className));
  Diagnostic diagnostic(own, userHere(),
                        own == DiagKind::UncaughtException
                            ? "uncaught `" + className.str() + "`" + (message.empty() ? "" : ": " + message)
                            : message);
  addCallChain(diagnostic);
  pendingState = {Pending::Exception, instance, std::move(diagnostic), false, {}};
  return {};
}

namespace {

// What `jx._intrinsics.error` left in an exception of the library.
struct Explained {
  std::optional<DiagKind> kind;
  std::string summary, hint;
};

} // namespace

constexpr llvm::StringLiteral kindField = "__jx_kind__", summaryField = "__jx_summary__",
                              hintField = "__jx_hint__";

static Explained explainedBy(Evaluator &ev, Value exception) {
  Explained result;
  if (!exception.is(Kind::Instance)) return result;
  auto text = [&](llvm::StringRef field) {
    Value value = exception.asObject()->get(ev.arena.str(field));
    return value && value.is(Kind::Str) ? value.asStr().str() : std::string();
  };
  std::string name = text(kindField);
  for (const KindInfo &row : allKinds())
    if (name == row.name) result.kind = row.kind;
  result.summary = text(summaryField);
  result.hint = text(hintField);
  return result;
}

Value explain(Evaluator &ev, CallArgs &args) {
  Value v[4];
  JX_CHECK(ev.bindNative(args, "error", {"kind", "exception", "summary", "hint"}, 2, v));
  Object *exception = v[1].asObject();
  ev.heap.put(exception, ev.arena.str(kindField), v[0]);
  if (v[2]) ev.heap.put(exception, ev.arena.str(summaryField), v[2]);
  if (v[3]) ev.heap.put(exception, ev.arena.str(hintField), v[3]);
  return v[1];
}

Failed Evaluator::raise(Value exception, SourceRange range) {
  std::string message;
  if (Value text = str(exception))
    message = shownNow(*this, text);
  else
    pendingState = {};
  std::string className = typeName(exception);
  Explained explained = explainedBy(*this, exception);
  DiagKind kind = explained.kind.value_or(kindOfClass(className));
  if (!explained.summary.empty()) message = explained.summary;
  // What the library does not do is said in its own words.
  bool isRefusal = className == "NotImplementedError" && !message.empty() && range.isValid() &&
                   sources.isLibrary(range.file);
  if (kind == DiagKind::UncaughtException && !isRefusal)
    message = "uncaught `" + className + "`" + (message.empty() ? "" : ": " + message);
  keepContext(*this, exception.asObject());
  Diagnostic diagnostic(kind, range.isValid() && !sources.isLibrary(range.file) ? range : userHere(),
                        message.empty() ? "uncaught `" + className + "`" : message);
  diagnostic.withHint(explained.hint);
  addCallChain(diagnostic);
  pendingState = {Pending::Exception, exception, std::move(diagnostic), false, {}};
  return {};
}

Failed Evaluator::raiseKeyError(Value key, const Object *container) {
  JX_TRY(text, repr(key));
  std::string shown = text.is(Kind::Str) ? text.asStr().str() : "key";
  (void)raise("KeyError", shown);
  pendingState.diagnostic.message = "there is no key " + shown;
  std::vector<std::string> known;
  for (Value other : container->contents().keys)
    if (key.is(Kind::Str) && other.is(Kind::Str)) known.push_back(other.asStr().str());
  if (std::string guess = key.is(Kind::Str) ? nearestOf(key.asStr(), known) : ""; !guess.empty())
    pendingState.diagnostic.withHint("did you mean '" + guess + "'?");
  heap.put(pendingState.exception.asObject(), arena.str("args"), arena.tuple({key}));
  return {};
}

Failed Evaluator::typeError(const std::string &message) { return raise("TypeError", message); }
Failed Evaluator::valueError(const std::string &message) { return raise("ValueError", message); }

Failed Evaluator::unsupported(const std::string &what) {
  return fail(DiagKind::NotElaborated, what + " is not supported yet");
}

Failed Evaluator::stopIteration() {
  pendingState = {};
  pendingState.reason = Pending::Stopped;
  return {};
}

// Notes where the symbols of a demanded value come from.
Failed Evaluator::demand(Value host, const std::string &purpose) {
  Diagnostic diagnostic(DiagKind::NeedsStatic, userHere(),
                        purpose + " must be known when the program is compiled");
  std::vector<Symbol> from;
  if (host.isHost()) from = host.asHost().sources;
  for (Symbol s : from) {
    const SymbolInfo &info = symbols[s];
    std::string text = info.kind == SymbolInfo::LoopIndex   ? "the index of this compiled loop"
                       : info.kind == SymbolInfo::LoopCarry ? "`" + info.name + "`, which this loop changes"
                       : info.kind == SymbolInfo::Option    ? "the option `" + info.name + "`"
                                                            : "an array's value, read at run time";
    if (info.range.isValid()) diagnostic.span(info.range, "depends on " + text);
  }
  bool underJit = llvm::any_of(tracing->scopes, [](auto &scope) { return scope.transform == "jit"; });
  diagnostic.withHint(
      std::string("use a static form instead: `size=` or `where`, `lax.dynamic_slice`, or a shape "
                  "that does not depend on run-time values") +
      (underJit ? "; an argument of `jit` is known where `static_argnums=` or "
                  "`static_argnames=` names it"
                : ""));
  addCallChain(diagnostic);
  pendingState = {Pending::Needed, {}, std::move(diagnostic), false, {std::move(from), purpose}};
  return {};
}

void Evaluator::warn(DiagKind kind, const std::string &message, const std::string &hint, SourceRange range) {
  Diagnostic diagnostic(kind, range.isValid() ? range : userHere(), message);
  diagnostic.withHint(hint);
  sink.report(diagnostic.asWarning());
}

void Evaluator::labelOperands(const ast::Expr *failed, llvm::ArrayRef<Operand> operands, bool arraysOnly) {
  constexpr size_t maxLabels = 4;
  if (!isPending(Pending::Exception)) return;
  Diagnostic &diagnostic = pendingState.diagnostic;
  if (!(diagnostic.primary.range == failed->range) || !diagnostic.secondary.empty()) return;
  arraysOnly |= diagnostic.kind != DiagKind::UnsupportedOperands;
  const DimBindings *dims = frame && frame->declared ? &frame->declared->dims : nullptr;
  for (const Operand &operand : operands) {
    if (!operand.value.isArray() && arraysOnly) continue;
    diagnostic.span(operand.expr->range, operand.value.isArray() ? "`" + describeArray(operand.value) + "`"
                                                                 : "`" + typeName(operand.value) + "`");
    if (diagnostic.secondary.size() == maxLabels) break;
  }
  if (diagnostic.secondary.empty() || !dims) return;
  std::string text;
  for (auto &[name, bound] : *dims)
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(bound.first);
  diagnostic.note("in this call of `" + frame->function->name + "`: " + text);
}

Value Evaluator::catchException() {
  Value exception = pendingState.exception;
  pendingState = {};
  return exception;
}

Status Evaluator::mayEmit() {
  if (probing) {
    pendingState = {};
    pendingState.reason = Pending::Emitted;
    return Failed();
  }
  if (emitted > options.maxOperations)
    return fail(DiagKind::TooManyOperations, "the program elaborates to more than " +
                                                 std::to_string(options.maxOperations) + " operations");
  return Status::success();
}

void Evaluator::notifyOperationInserted(mlir::Operation *, mlir::OpBuilder::InsertPoint) { ++emitted; }

} // namespace jx::elab
