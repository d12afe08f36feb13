// Failures: diagnostics, Python exceptions, demands. Spans lie in the user's files: code of the library that
// fails is reported at the user's call.
#include "compiler/elaborate/Evaluator.h"
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

mlir::Location Evaluator::location() {
  SourceRange range = userHere();
  if (!range.isValid()) return mlir::UnknownLoc::get(&context);
  uint64_t key = uint64_t(range.file) << 32 | range.begin;
  if (auto found = locations.find(key); found != locations.end()) return mlir::Location(found->second);
  LineColumn at = sources.begin(range);
  mlir::Location loc =
      mlir::FileLineColLoc::get(&context, sources.displayName(range.file), at.line, at.column);
  locations.try_emplace(key, loc);
  return loc;
}

// The call chain from the innermost user call outwards; steps inside the library are left out.
void Evaluator::addCallChain(Diagnostic &diagnostic) const {
  for (const Frame *f = frame; f; f = f->caller) {
    if (!f->callSite.isValid() || sources.isLibrary(f->callSite.file) ||
        f->callSite == diagnostic.primary.range)
      continue;
    diagnostic.called(f->callSite, f->function ? "`" + f->function->name + "`" : "");
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

Failed Evaluator::fail(Diagnostic diagnostic) {
  addCallChain(diagnostic);
  Object *cls = builtinClass(kindInfo(diagnostic.kind).pythonClass);
  Object *instance = heap.create(Kind::Instance);
  instance->cls = cls;
  heap.put(instance, arena.str("args"), arena.tuple({arena.str(diagnostic.message)}));
  pendingState = {Pending::Exception, instance, std::move(diagnostic), false, {}};
  return {};
}

Failed Evaluator::raise(llvm::StringRef className, const std::string &message) {
  Object *instance = heap.create(Kind::Instance);
  instance->cls = builtinClass(className);
  heap.put(instance, arena.str("args"), arena.tuple({arena.str(message)}));
  Diagnostic diagnostic(kindOfClass(className), userHere(), message);
  addCallChain(diagnostic);
  pendingState = {Pending::Exception, instance, std::move(diagnostic), false, {}};
  return {};
}

Failed Evaluator::raise(Value exception, SourceRange range) {
  std::string message;
  if (Value text = str(exception); text && text.is(Kind::Str))
    message = text.asStr().str();
  else
    pendingState = {};
  std::string className = typeName(exception);
  if (kindOfClass(className) == DiagKind::UncaughtException)
    message = "uncaught `" + className + "`" + (message.empty() ? "" : ": " + message);
  Diagnostic diagnostic(kindOfClass(className),
                        range.isValid() && !sources.isLibrary(range.file) ? range : userHere(),
                        message.empty() ? "uncaught `" + className + "`" : message);
  addCallChain(diagnostic);
  pendingState = {Pending::Exception, exception, std::move(diagnostic), false, {}};
  return {};
}

Failed Evaluator::raiseKeyError(Value key) {
  JX_TRY(text, repr(key));
  (void)raise("KeyError", text.is(Kind::Str) ? text.asStr().str() : "key");
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
  diagnostic.withHint(
      "use a static form instead: `size=` or `where`, `lax.dynamic_slice`, or a shape that does not "
      "depend on run-time values");
  addCallChain(diagnostic);
  pendingState = {Pending::Needed, {}, std::move(diagnostic), false, {std::move(from), purpose}};
  return {};
}

void Evaluator::warn(DiagKind kind, const std::string &message, const std::string &hint) {
  Diagnostic diagnostic(kind, userHere(), message);
  diagnostic.withHint(hint);
  sink.report(diagnostic.asWarning());
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
