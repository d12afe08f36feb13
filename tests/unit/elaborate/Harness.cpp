#include "tests/unit/elaborate/Harness.h"
#include "compiler/dialect/JxDialect.h"
#include "compiler/elaborate/OptionTable.h"
#include "compiler/interpreter/Interpreter.h"
#include "compiler/syntax/Parse.h"
#include "jxrt/Context.h"
#include "mlir/IR/Verifier.h"

namespace jx::test {

Outcome run(const std::string &program, ElaborateOptions options) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  SourceManager sources;
  AstContext ast;
  DiagnosticSink sink;
  Outcome outcome;
  Elaborator elaborator(context, sources, ast, sink, std::move(options));
  FileId file = sources.addFile("test.jx", program);
  ParseResult parsed = parse(sources, file, ast, sink, "__main__");
  mlir::OwningOpRef<mlir::ModuleOp> module;
  if (parsed) module = elaborator.elaborateEntry(*parsed.module);
  outcome.options = elaborator.programOptions();
  outcome.diagnostics = render(sink.diagnostics(), sources);
  if (!module) return outcome;
  llvm::raw_string_ostream(outcome.module) << *module;
  if (mlir::failed(mlir::verify(*module))) {
    outcome.diagnostics += "the module does not verify";
    return outcome;
  }
  jxrt_settings settings = {};
  settings.write = [](void *user, int32_t stream, const char *text, int64_t bytes) {
    auto *out = static_cast<Outcome *>(user);
    (stream == 2 ? out->diagnostics : out->output).append(text, bytes);
  };
  settings.write_user = &outcome;
  jxrt_context *runtime = jxrt_context_create(&settings);
  OptionTable table(outcome.options);
  const char *argv[] = {"test.jx"};
  jxrt_options_parse(runtime, "test.jx", "", table.data(), table.size(), 1, argv);
  Interpreter interpreter(*module, runtime);
  auto entry = module->lookupSymbol<mlir::func::FuncOp>("entry");
  (void)interpreter.run(entry, {});
  jxrt_flush(runtime);
  if (const jxrt_error *error = jxrt_pending_error(runtime))
    outcome.diagnostics += std::string(error->class_name) + ": " + error->message;
  jxrt_context_destroy(runtime);
  return outcome;
}

} // namespace jx::test
