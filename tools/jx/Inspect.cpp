// jx check and jx ir: what can be known and shown without running the program.
#include "compiler/driver/Compilation.h"
#include "compiler/lowering/Lowering.h"
#include "compiler/syntax/Parse.h"
#include "tools/jx/Commands.h"
#include "llvm/Support/raw_ostream.h"

namespace jx::tool {

int check(const std::string &file, bool strict) {
  Compilation compilation;
  ElaborateOptions options;
  options.programPath = file;
  options.strict = strict;
  options.recordSignatures = true;
  bool elaborated = compilation.elaborate(file, std::move(options));
  compilation.printDiagnostics();
  if (!compilation.internalErrors().empty()) return reportInternalError(compilation.internalErrors());
  for (const Signature &signature : compilation.signatures())
    llvm::outs() << compilation.getSources().place(signature.range) << ": " << signature.text << "\n";
  if (elaborated) llvm::outs() << file << ": no errors\n";
  llvm::outs().flush();
  return elaborated ? 0 : 1;
}

static int dumpAst(const std::string &file) {
  SourceManager sources;
  AstContext ast;
  DiagnosticSink sink;
  std::string error;
  auto id = sources.loadFile(file, error);
  if (!id) {
    llvm::errs() << "error: " << file << ": " << error << "\n";
    return 1;
  }
  ParseResult result = parse(sources, *id, ast, sink);
  llvm::errs() << render(sink.take(), sources);
  if (!result) return 1;
  llvm::outs() << dump(*result.module);
  llvm::outs().flush();
  return 0;
}

int dumpIr(const std::string &file, const std::string &stage,
           const std::vector<std::string> &programOptions) {
  if (stage == "ast") return dumpAst(file);
  Compilation compilation;
  ElaborateOptions options;
  options.programPath = file;
  options.optionValues = rawOptions(programOptions);
  bool good = compilation.elaborate(file, std::move(options));
  if (good && stage != "jx") good = compilation.prepare();
  compilation.printDiagnostics();
  if (!compilation.internalErrors().empty()) return reportInternalError(compilation.internalErrors());
  if (!good) return 1;
  if (stage == "jx" || stage == "prepared") {
    compilation.getModule().print(llvm::outs());
  } else {
    LoweringOptions lowering;
    lowering.dumpStage = stage;
    lowering.dumpTo = &llvm::outs();
    auto program = compile(compilation.getModule(), lowering);
    compilation.printDiagnostics();
    if (!program) {
      return reportInternalError(llvm::toString(program.takeError()) + "\n" + compilation.internalErrors());
    }
  }
  llvm::outs().flush();
  return 0;
}

} // namespace jx::tool
