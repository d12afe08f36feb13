#include "compiler/driver/Compilation.h"
#include "compiler/dialect/JxDialect.h"
#include "compiler/driver/Pipeline.h"
#include "compiler/lowering/Lowering.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace jx {

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registry.insert<JxDialect, func::FuncDialect>();
  registerLoweringDialects(registry);
  return registry;
}

static void collectPlaces(Location location, std::vector<FileLineColLoc> &out) {
  if (auto place = dyn_cast<FileLineColLoc>(location))
    out.push_back(place);
  else if (auto named = dyn_cast<NameLoc>(location))
    collectPlaces(named.getChildLoc(), out);
  else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    collectPlaces(call.getCallee(), out);
    collectPlaces(call.getCaller(), out);
  } else if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations()) collectPlaces(part, out);
}

std::string placeOf(Location location) {
  std::vector<FileLineColLoc> places;
  collectPlaces(location, places);
  for (FileLineColLoc place : places) // innermost first; library files are named <jax.numpy>
    if (!place.getFilename().getValue().starts_with("<"))
      return place.getFilename().str() + ":" + std::to_string(place.getLine());
  if (places.empty()) return {};
  return places.front().getFilename().str() + ":" + std::to_string(places.front().getLine());
}

Compilation::Compilation() : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
  context.loadDialect<JxDialect, func::FuncDialect>();
  // What a rule or the interpreter refuses is a user's error at the op's place; it is never shown as IR.
  handler = context.getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error) return success();
    std::string place = placeOf(diagnostic.getLocation());
    // A message that begins with the operation's name comes from a verifier or from lowering: the module is
    // not one that the elaborator should have made.
    if (std::string text = diagnostic.str(); llvm::StringRef(text).starts_with("'")) {
      internal += place + ": " + text + "\n";
      return success();
    }
    Diagnostic report(DiagKind::EvaluationFailed, {}, diagnostic.str());
    if (!place.empty()) report.note("at " + place);
    sink.report(std::move(report));
    return success();
  });
}

Compilation::~Compilation() { context.getDiagEngine().eraseHandler(handler); }

bool Compilation::elaborate(const std::string &path, ElaborateOptions options) {
  bool strict = options.strict;
  elaborator = std::make_unique<Elaborator>(context, sources, ast, sink, std::move(options));
  module = elaborator->elaborateProgram(path);
  bool warned =
      llvm::any_of(sink.diagnostics(), [](const Diagnostic &d) { return d.severity == Severity::Warning; });
  return module && !sink.hasErrors() && !(strict && warned);
}

bool Compilation::prepare() {
  return succeeded(runPreparation(module.get())) && !sink.hasErrors() && internal.empty();
}

const std::vector<ProgramOption> &Compilation::options() const { return elaborator->programOptions(); }
const std::vector<Signature> &Compilation::signatures() const { return elaborator->signatures(); }
const std::string &Compilation::help() const { return elaborator->programHelp(); }

void Compilation::printDiagnostics() {
  RenderOptions options;
  options.color = stderrWantsColor();
  std::string text = render(sink.take(), sources, options);
  llvm::errs() << text;
  llvm::errs().flush();
}

// --- Options of the program
// ------------------------------------------------------------------------------------

std::map<std::string, std::string> rawOptions(const std::vector<std::string> &arguments) {
  std::map<std::string, std::string> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    llvm::StringRef text = arguments[i];
    if (!text.consume_front("--")) continue;
    auto [name, value] = text.split('=');
    std::string key = name.str();
    std::replace(key.begin(), key.end(), '-', '_');
    if (text.contains('='))
      values[key] = value.str();
    else if (i + 1 < arguments.size() && !llvm::StringRef(arguments[i + 1]).starts_with("--"))
      values[key] = arguments[++i];
    else if (llvm::StringRef(key).starts_with("no_"))
      values[key.substr(3)] = "false";
    else
      values[key] = "true";
  }
  return values;
}

} // namespace jx
