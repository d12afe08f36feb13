// jx run: elaborate, then interpret or compile and run in this process.
#include "compiler/driver/Compilation.h"
#include "compiler/interpreter/Interpreter.h"
#include "compiler/lowering/Lowering.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tools/jx/Commands.h"
#include <csignal>

namespace jx::tool {
namespace {

jxrt_context *interrupted = nullptr; ///< the running program, for Ctrl-C

void onInterrupt(int) {
  if (interrupted) jxrt_cancel(interrupted);
}

/// Ctrl-C cancels the program at its next back edge; a second one ends the process.
void cancelOnInterrupt(jxrt_context *context) {
  interrupted = context;
  struct sigaction action{};
  action.sa_handler = onInterrupt;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
}

/// The program stopped with an error, or the compiler did before it ran.
int reportRuntimeError(jxrt_context *context, Compilation &compilation) {
  const jxrt_error *error = jxrt_pending_error(context);
  std::string internal = compilation.internalErrors();
  if (error && llvm::StringRef(error->class_name) == "SystemError")
    internal = error->message + ("\n" + internal);
  if (!internal.empty()) return reportInternalError(internal);
  if (!error) return 1;
  int32_t shown, status = jxrt_exit_status(context, &shown);
  if (llvm::StringRef(error->class_name) == "SystemExit") {
    if (shown) llvm::errs() << error->message << "\n";
    return status;
  }
  llvm::errs() << "error: " << error->class_name << ": " << error->message << "\n";
  llvm::errs() << renderPlace(error->where, compilation.getSources(), {.color = stderrWantsColor()});
  return status;
}

int interpret(Compilation &compilation, jxrt_context *context, const RunArguments &arguments) {
  InterpreterOptions options;
  options.checkNans = arguments.checkNans;
  options.trace = arguments.trace;
  Interpreter interpreter(compilation.getModule(), context, options);
  auto entry = compilation.getModule().lookupSymbol<mlir::func::FuncOp>("entry");
  auto results = interpreter.run(entry, {});
  jxrt_flush(context);
  if (jxrt_pending_error(context)) {
    compilation.getSink().take(); // the evaluation's own report says the same
    return reportRuntimeError(context, compilation);
  }
  compilation.printDiagnostics();
  if (!compilation.internalErrors().empty()) return reportInternalError(compilation.internalErrors());
  return failed(results) ? 1 : 0;
}

} // namespace

int run(const RunArguments &arguments) {
  Compilation compilation;
  ElaborateOptions options;
  options.optionValues = rawOptions(arguments.options);
  options.programPath = arguments.file;
  options.strict = arguments.strict;
  bool elaborated = compilation.elaborate(arguments.file, std::move(options));
  compilation.printDiagnostics();
  if (!elaborated) return 1;

  jxrt_context *context = jxrt_context_create(nullptr);
  OptionTable table(compilation.options());
  std::vector<const char *> argv{arguments.file.c_str()};
  for (const std::string &argument : arguments.options) argv.push_back(argument.c_str());
  switch (jxrt_options_parse(context, arguments.file.c_str(), compilation.help().c_str(), table.data(),
                             table.size(), int32_t(argv.size()), argv.data())) {
  case JXRT_HELP_SHOWN:
    jxrt_flush(context);
    return 0;
  case JXRT_PARSE_ERROR:
    (void)reportRuntimeError(context, compilation);
    return 2; // as argparse
  default:
    break;
  }

  bool prepared = compilation.prepare();
  compilation.printDiagnostics();
  if (!compilation.internalErrors().empty()) return reportInternalError(compilation.internalErrors());
  if (!prepared) return 1;
  cancelOnInterrupt(context);
  if (arguments.interpret) return interpret(compilation, context, arguments);
  int32_t status = compileAndRun(compilation.getModule(), context, {});
  jxrt_flush(context);
  compilation.printDiagnostics();
  return status == JXRT_OK ? 0 : reportRuntimeError(context, compilation);
}

} // namespace jx::tool
