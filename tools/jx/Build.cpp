// jx build: an executable, and a word on every option that was frozen into it.
#include "compiler/driver/Compilation.h"
#include "compiler/lowering/Lowering.h"
#include "jxrt/Options.h"
#include "mlir/IR/Builders.h"
#include "tools/jx/Commands.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace jx::tool {

/// The text of an option's value in this build.
static std::string valueOf(const ProgramOption &option, const std::map<std::string, std::string> &values) {
  auto given = values.find(option.name);
  return given == values.end() ? option.defaultText : given->second;
}

/// Leaves the options of `main` on the module, where the executable's table of options is made from them.
static void recordOptions(Compilation &compilation, const std::map<std::string, std::string> &values) {
  ModuleOp module = compilation.getModule();
  Builder b(module.getContext());
  SmallVector<Attribute> table;
  for (const ProgramOption &option : compilation.options()) {
    NamedAttrList row;
    row.append("name", b.getStringAttr(option.name));
    int32_t kind = JXRT_OPTION_STRING;
    switch (option.type) {
    case ProgramOption::Int:
      kind = JXRT_OPTION_INT;
      break;
    case ProgramOption::Float:
      kind = JXRT_OPTION_FLOAT;
      break;
    case ProgramOption::Bool:
      kind = JXRT_OPTION_BOOL;
      break;
    case ProgramOption::Str:
      break;
    }
    row.append("kind", b.getI32IntegerAttr(kind));
    std::string value = valueOf(option, values);
    if (!option.required || values.contains(option.name)) row.append("default", b.getStringAttr(value));
    if (option.frozen) row.append("frozen", b.getStringAttr(value));
    table.push_back(row.getDictionary(module.getContext()));
  }
  module->setAttr("jx.option_table", b.getArrayAttr(table));
  module->setAttr("jx.doc", b.getStringAttr(compilation.help()));
}

int build(const std::string &file, const std::string &output,
          const std::vector<std::string> &programOptions) {
  Compilation compilation;
  ElaborateOptions options;
  options.programPath = file;
  std::map<std::string, std::string> values = rawOptions(programOptions);
  options.optionValues = values;
  bool good = compilation.elaborate(file, std::move(options)) && compilation.prepare();
  compilation.printDiagnostics();
  if (!compilation.internalErrors().empty()) return reportInternalError(compilation.internalErrors());
  if (!good) return 1;
  std::string path = output;
  if (path.empty()) {
    llvm::StringRef stem = file;
    stem.consume_back(".jx");
    path = stem.str();
  }
  for (const ProgramOption &option : compilation.options())
    if (option.frozen)
      llvm::outs() << "frozen: --" << option.name << " = " << valueOf(option, values) << ", needed as "
                   << option.frozenWhy << "\n";
  recordOptions(compilation, values);
  if (llvm::Error error = compileToExecutable(compilation.getModule(), path, libraryFolder(), {})) {
    compilation.printDiagnostics();
    return reportInternalError(llvm::toString(std::move(error)) + "\n" + compilation.internalErrors());
  }
  llvm::outs() << path << "\n";
  llvm::outs().flush();
  return 0;
}

} // namespace jx::tool
