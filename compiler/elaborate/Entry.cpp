// Entries: the Evaluator's life, the function that a program becomes, the options of `main`, restarts with a
// frozen option.
#include "compiler/dialect/JxDialect.h"
#include "compiler/elaborate/Callable.h"
#include "compiler/elaborate/Files.h"
#include "compiler/elaborate/Lint.h"
#include "compiler/elaborate/Output.h"
#include "compiler/elaborate/Raises.h"
#include "compiler/elaborate/Registry.h"
#include "compiler/elaborate/Tracing.h"
#include "compiler/syntax/Parse.h"
#include "llvm/Support/Casting.h"
#include <pthread.h>

namespace jx::elab {

Evaluator::Evaluator(mlir::MLIRContext &context, SourceManager &sources, AstContext &ast,
                     DiagnosticSink &sink, const ElaborateOptions &options,
                     const std::map<std::string, std::string> &frozen)
    : context(context), sources(sources), ast(ast), sink(sink), options(options), heap(arena),
      promotion(&context), builder(&context, this),
      module(mlir::ModuleOp::create(mlir::UnknownLoc::get(&context))), registry(Registry::get()),
      frozen(frozen) {
  createBuiltins();
  tracing = new Tracing(*this);
}

Evaluator::~Evaluator() { delete tracing; }

// The operations let go of the program's values at once: those must not look used.
void Evaluator::abandon(std::unique_ptr<mlir::Region> region) {
  region->walk([](mlir::Operation *op) { op->dropAllReferences(); });
  abandoned.push_back(std::move(region));
}

bool Evaluator::inTransform() const { return tracing->depth() > 0; }

// The calls `main()` of the block under `if __name__ == "__main__"`.
static const ast::Call *mainCallIn(const ast::Module &program) {
  for (const ast::Stmt *stmt : program.body) {
    auto *branch = llvm::dyn_cast<ast::If>(stmt);
    auto *compare = branch ? llvm::dyn_cast<ast::Compare>(branch->test) : nullptr;
    auto *name = compare ? llvm::dyn_cast<ast::NameExpr>(compare->first) : nullptr;
    if (!name || name->name.str() != "__name__") continue;
    for (const ast::Stmt *inner : branch->body) {
      auto *expr = llvm::dyn_cast<ast::ExprStmt>(inner);
      auto *call = expr ? llvm::dyn_cast<ast::Call>(expr->value) : nullptr;
      auto *callee = call ? llvm::dyn_cast<ast::NameExpr>(call->callee) : nullptr;
      if (callee && callee->name.str() == "main" && call->args.empty() && call->keywords.empty()) return call;
    }
  }
  return nullptr;
}

// An uncaught SystemExit ends the program when it gets here; one without a code ends it as its last line
// does.
static Status emitExit(Evaluator &ev, Value exception) {
  Value args = exception.asObject()->get(ev.arena.str("args"));
  bool plain = !args || args.asTuple().items.empty() || args.asTuple().items[0].isNone();
  if (plain) return Status::success();
  JX_TRY(message, ev.str(exception));
  std::string program;
  llvm::SmallVector<mlir::Value> operands{ev.hostTensor(Value::boolean(false), HostType::Bool)};
  JX_CHECK(operands[0] && lowerText(ev, message, program, operands));
  JX_CHECK(ev.emit("jx.check", operands,
                   {ev.builder.getNamedAttr("error", ev.builder.getStringAttr("SystemExit")),
                    ev.builder.getNamedAttr("format", ev.builder.getStringAttr(program))}));
  return Status::success();
}

Status Evaluator::runEntry(const ast::Module &program, bool keepGlobals) {
  mlir::Location unknown = mlir::UnknownLoc::get(&context);
  auto function = mlir::func::FuncOp::create(unknown, "entry", builder.getFunctionType({}, {}));
  module->push_back(function);
  builder.setInsertionPointToStart(function.addEntryBlock());
  Object *object = findModule("__main__");
  if (object) {
    importGlobals(function);
  } else {
    auto *node = arena.make<ModuleNode>();
    node->name = "__main__";
    node->file = program.file;
    object = heap.create(Kind::Module);
    object->payload = node;
    heap.put(object, arena.str("__name__"), arena.str("__main__"));
    heap.put(object, arena.str("__file__"), arena.str(absolutePath(options.programPath)));
    heap.put(object, arena.str("__doc__"),
             program.docstring ? arena.str(program.docstring->value) : Value::none());
    loadedModules["__main__"] = object;
  }
  mainCall = mainCallIn(program);
  Status ok = runModule(program, object);
  if (!ok) {
    bool exits =
        isPending(Pending::Exception) && isInstance(pendingState.exception, builtinClass("SystemExit"));
    if (!exits) return Failed();
    Value exception = pendingState.exception;
    pendingState = {};
    JX_CHECK(emitExit(*this, exception));
  }
  tracing->keys.close(0, function.getBody(), nullptr, sink);
  if (keepGlobals) exportGlobals(function);
  mlir::func::ReturnOp::create(builder, unknown, exported);
  function.setFunctionType(
      builder.getFunctionType(function.getBody().getArgumentTypes(), mlir::ValueRange(exported).getTypes()));
  return Status::success();
}

namespace {

// The static value of an option's text.
std::optional<Value> parseOption(Evaluator &ev, const ProgramOption &option, llvm::StringRef text) {
  int64_t integer;
  switch (option.type) {
  case ProgramOption::Int:
    if (!text.getAsInteger(10, integer)) return Value::integer(integer);
    break;
  case ProgramOption::Float: {
    char *end;
    std::string owned = text.str();
    double d = std::strtod(owned.c_str(), &end);
    if (!owned.empty() && !*end) return Value::real(d);
    break;
  }
  case ProgramOption::Bool:
    if (text == "true" || text == "True" || text == "1") return Value::boolean(true);
    if (text == "false" || text == "False" || text == "0") return Value::boolean(false);
    break;
  case ProgramOption::Str:
    return ev.arena.str(text);
  }
  const char *wanted = option.type == ProgramOption::Int     ? "an integer"
                       : option.type == ProgramOption::Float ? "a number"
                                                             : "true or false";
  (void)ev.fail(DiagKind::BadOption,
                "the option `--" + option.name + "` takes " + wanted + ", not `" + text.str() + "`");
  return std::nullopt;
}

} // namespace

// Arguments of the one call of `main`: each option's value, static when frozen, else read at run time.
Status Evaluator::bindOptions(Object *mainFunction, CallArgs &args) {
  const auto &function = *static_cast<const FunctionNode *>(mainFunction->payload);
  if (auto *def = llvm::dyn_cast<ast::FunctionDef>(function.code); def && def->docstring())
    programHelp = std::string(def->docstring()->value);
  programOptions.clear();
  for (size_t i = 0; i < function.params.size(); ++i) {
    Value fallback = function.defaults[i];
    ProgramOption option;
    option.name = std::string(function.params[i].name.str());
    std::string annotation =
        function.params[i].annotation ? std::string(sources.text(function.params[i].annotation->range)) : "";
    if (fallback && fallback.isAny(Kind::Bool, Kind::Int, Kind::Float, Kind::Str))
      option.type = fallback.is(Kind::Bool)    ? ProgramOption::Bool
                    : fallback.is(Kind::Int)   ? ProgramOption::Int
                    : fallback.is(Kind::Float) ? ProgramOption::Float
                                               : ProgramOption::Str;
    else
      option.type = annotation == "int"     ? ProgramOption::Int
                    : annotation == "float" ? ProgramOption::Float
                    : annotation == "bool"  ? ProgramOption::Bool
                                            : ProgramOption::Str;
    option.required = !fallback;
    if (fallback) {
      JX_TRY(text, str(fallback));
      option.defaultText = text.is(Kind::Str) ? text.asStr().str() : "";
    }
    auto given = options.optionValues.find(option.name);
    bool isGiven = given != options.optionValues.end();
    auto reason = frozen.find(option.name);
    // What is neither text nor a number, such as None, decides what the program is.
    bool structural = fallback && !fallback.isAny(Kind::Bool, Kind::Int, Kind::Float, Kind::Str);
    option.frozen = options.freezeAll || reason != frozen.end() || structural;
    option.frozenWhy = reason != frozen.end() ? reason->second
                       : structural           ? "a parameter whose default is `" + option.defaultText + "`"
                                              : "";
    if (option.required && !isGiven) {
      programOptions.push_back(option);
      return fail(DiagKind::MissingOption, "the option `--" + option.name + "` must be given",
                  function.params[i].range);
    }
    Value value = fallback;
    if (isGiven) {
      JX_TRY(parsed, parseOption(*this, option, given->second));
      value = *parsed;
    }
    if (!option.frozen && value.is(Kind::Str)) {
      TextNode text;
      text.program.option(int64_t(i));
      text.sources = {newSymbol({SymbolInfo::Option, option.name, 0, function.params[i].range})};
      value = makeText(std::move(text));
    }
    bool isNumber = value && value.isAny(Kind::Bool, Kind::Int, Kind::Float);
    if (!option.frozen && isNumber) {
      HostType type = option.type == ProgramOption::Int     ? HostType::Int
                      : option.type == ProgramOption::Float ? HostType::Float
                                                            : HostType::Bool;
      mlir::Builder b(&context);
      mlir::Value read = emit1("jx.option", {},
                               {b.getNamedAttr("name", b.getStringAttr(option.name)),
                                b.getNamedAttr("dtype", mlir::TypeAttr::get(hostDtype(type)))});
      Symbol symbol = newSymbol({SymbolInfo::Option, option.name, 0, function.params[i].range});
      std::optional<Polynomial> form;
      if (type == HostType::Int) form = Polynomial::of(symbol);
      value = makeHost(read, type, form, {}, {symbol});
      if (!value) return Failed();
    }
    if (value) args.keywords.emplace_back(arena.str(option.name).asStr(), value);
    programOptions.push_back(std::move(option));
  }
  for (auto &[name, text] : options.optionValues) {
    bool known =
        llvm::any_of(programOptions, [&, &name = name](const ProgramOption &o) { return o.name == name; });
    if (!known) return fail(DiagKind::UnknownOption, "the program has no option `--" + name + "`");
  }
  return Status::success();
}

mlir::Value Evaluator::zeroOf(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor) {
    (void)unsupported("a list that only some paths of a run-time condition build");
    return {};
  }
  mlir::Type dtype = tensor.getElementType();
  if (isKeyDtype(dtype)) {
    llvm::SmallVector<int64_t> shape(tensor.getShape());
    shape.push_back(2);
    mlir::Value words = zeroOf(mlir::RankedTensorType::get(shape, builder.getIntegerType(32, false)));
    return words ? emit1("jx.wrap_key", {words}) : words;
  }
  if (!mayEmit()) return {};
  mlir::Attribute zero;
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(dtype)) {
    mlir::Attribute part = builder.getZeroAttr(complex.getElementType());
    zero = builder.getArrayAttr({part, part});
    mlir::ElementsAttr value = mlir::DenseElementsAttr::get(
        tensor,
        std::complex<llvm::APFloat>(
            llvm::APFloat::getZero(llvm::cast<mlir::FloatType>(complex.getElementType()).getFloatSemantics()),
            llvm::APFloat::getZero(
                llvm::cast<mlir::FloatType>(complex.getElementType()).getFloatSemantics())));
    return ConstantOp::create(builder, location(), tensor, value).getResult();
  }
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(dtype))
    return ConstantOp::create(builder, location(), tensor,
                              mlir::DenseElementsAttr::get(tensor, llvm::APInt(integer.getWidth(), 0)))
        .getResult();
  return ConstantOp::create(builder, location(), tensor,
                            mlir::DenseElementsAttr::get(tensor, builder.getZeroAttr(dtype)))
      .getResult();
}

Value makeOpaque(Evaluator &ev, std::shared_ptr<OpaqueObject> state, std::vector<Value> leaves) {
  Object *object = ev.heap.create(Kind::Opaque);
  object->opaque = std::move(state);
  std::vector<Value> keys;
  for (size_t i = 0; i < leaves.size(); ++i) keys.push_back(Value::integer(i));
  if (!leaves.empty()) ev.heap.replace(object, {std::move(keys), std::move(leaves)});
  return object;
}

bool Evaluator::opaqueEquals(Value a, Value b) {
  auto *x = static_cast<OpaqueObject *>(a.asObject()->opaque.get()),
       *y = static_cast<OpaqueObject *>(b.asObject()->opaque.get());
  return x == y || x->equals(*y);
}

} // namespace jx::elab

namespace jx {

struct Elaborator::State {
  mlir::MLIRContext &context;
  SourceManager &sources;
  AstContext &ast;
  DiagnosticSink &sink;
  ElaborateOptions options;
  std::unique_ptr<elab::Evaluator> evaluator;
  std::map<std::string, std::string> frozen; // option, and why
  std::vector<ProgramOption> programOptions;
  std::vector<Signature> signatures;
  std::string help;
};

namespace {

// Elaboration follows the program's calls on the C++ stack: it runs on a thread whose stack is large enough.
void runOnLargeStack(std::function<void()> work) {
  constexpr size_t stackBytes = size_t(1) << 30; // reserved, not touched
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stackBytes);
  pthread_t thread;
  auto run = [](void *argument) -> void * {
    (*static_cast<std::function<void()> *>(argument))();
    return nullptr;
  };
  if (pthread_create(&thread, &attributes, run, &work) == 0)
    pthread_join(thread, nullptr);
  else
    work();
  pthread_attr_destroy(&attributes);
}

} // namespace

Elaborator::Elaborator(mlir::MLIRContext &context, SourceManager &sources, AstContext &ast,
                       DiagnosticSink &sink, ElaborateOptions options)
    : state(new State{context, sources, ast, sink, std::move(options), nullptr, {}, {}, {}, {}}) {
  context.loadDialect<JxDialect, mlir::func::FuncDialect>();
}

Elaborator::~Elaborator() = default;

mlir::OwningOpRef<mlir::ModuleOp> Elaborator::elaborateEntry(const ast::Module &entry) {
  if (!state->evaluator) return elaborate(entry, true);
  // A later entry: the heap and the functions of the earlier ones stay, their @entry is put away.
  mlir::OwningOpRef<mlir::ModuleOp> result;
  runOnLargeStack([&] {
    using namespace elab;
    Evaluator &ev = *state->evaluator;
    if (auto old = ev.module->lookupSymbol<mlir::func::FuncOp>("entry")) {
      auto region = std::make_unique<mlir::Region>();
      region->takeBody(old.getBody());
      ev.abandon(std::move(region));
      old.erase();
    }
    if (ev.runEntry(entry, true)) {
      result = ev.module->clone();
      return;
    }
    if (!ev.isPending(Pending::Fatal)) state->sink.report(ev.pending().diagnostic);
    ev.pending() = {};
  });
  return result;
}

mlir::OwningOpRef<mlir::ModuleOp> Elaborator::elaborate(const ast::Module &entry, bool keepGlobals) {
  mlir::OwningOpRef<mlir::ModuleOp> result;
  runOnLargeStack([&] {
    using namespace elab;
    while (true) { // each restart freezes one option at least
      state->evaluator = std::make_unique<Evaluator>(state->context, state->sources, state->ast, state->sink,
                                                     state->options, state->frozen);
      Evaluator &ev = *state->evaluator;
      auto mark = state->sink.begin();
      Status ok = ev.runEntry(entry, keepGlobals);
      state->programOptions = ev.programOptions;
      state->signatures = ev.signatures;
      state->help = ev.programHelp;
      if (ok) {
        state->sink.commit(mark);
        result = keepGlobals ? mlir::OwningOpRef<mlir::ModuleOp>(ev.module->clone()) : std::move(ev.module);
        // Evaluation and lowering find an option by its position in this list, which is that of the runtime's
        // table.
        llvm::SmallVector<mlir::Attribute> names;
        for (const ProgramOption &option : state->programOptions)
          names.push_back(ev.builder.getStringAttr(option.name));
        (*result)->setAttr("jx.options", ev.builder.getArrayAttr(names));
        return;
      }
      // A demand that stems from options is met by freezing them.
      bool again = false;
      if (ev.isPending(Pending::Needed))
        for (Symbol s : ev.pending().demand.sources)
          if (ev.symbolInfo(s).kind == SymbolInfo::Option) {
            std::string why = ev.pending().demand.purpose + " at " +
                              state->sources.place(ev.pending().diagnostic.primary.range);
            again |= state->frozen.emplace(ev.symbolInfo(s).name, why).second;
          }
      if (again) {
        state->sink.rollback(mark);
        continue;
      }
      state->sink.commit(mark);
      if (!ev.isPending(Pending::Fatal)) state->sink.report(ev.pending().diagnostic);
      return;
    }
  });
  return result;
}

mlir::OwningOpRef<mlir::ModuleOp> Elaborator::elaborateProgram(const std::string &path) {
  std::string error;
  auto file = state->sources.loadFile(path, error);
  if (!file) {
    state->sink.report(Diagnostic(DiagKind::UnreadableSource, {}, "cannot read `" + path + "`: " + error));
    return {};
  }
  if (state->options.programPath.empty()) state->options.programPath = path;
  ParseResult parsed = parse(state->sources, *file, state->ast, state->sink, "__main__");
  if (!parsed) return {};
  elab::lint(*parsed.module, state->sink);
  return elaborate(*parsed.module, false);
}

const std::vector<ProgramOption> &Elaborator::programOptions() const { return state->programOptions; }
const std::vector<Signature> &Elaborator::signatures() const { return state->signatures; }
const std::string &Elaborator::programHelp() const { return state->help; }

} // namespace jx
