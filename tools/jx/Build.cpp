// jx build: an executable, and a word on every option that was frozen into it.
#include "compiler/driver/Compilation.h"
#include "compiler/lowering/Lowering.h"
#include "tools/jx/Commands.h"
#include "llvm/Support/raw_ostream.h"

namespace jx::tool {

int build(const std::string &file, const std::string &output, const std::vector<std::string> &programOptions) {
  Compilation compilation;
  ElaborateOptions options;
  options.programPath = file;
  options.optionValues = rawOptions(programOptions);
  bool good = compilation.elaborate(file, std::move(options)) && compilation.prepare();
  compilation.printDiagnostics();
  if (!good) return 1;
  std::string path = output;
  if (path.empty()) {
    llvm::StringRef stem = file;
    stem.consume_back(".jx");
    path = stem.str();
  }
  for (const ProgramOption &option : compilation.options())
    if (option.frozen)
      llvm::outs() << "frozen: --" << option.name << " = " << option.defaultText << ", needed as " << option.frozenWhy << "\n";
  if (llvm::Error error = compileToExecutable(compilation.getModule(), path, libraryFolder(), {})) {
    compilation.printDiagnostics();
    llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  llvm::outs() << path << "\n";
  llvm::outs().flush();
  return 0;
}

} // namespace jx::tool
