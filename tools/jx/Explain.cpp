// jx explain: the long form of an error.
#include "compiler/diagnostics/Diagnostic.h"
#include "tools/jx/Commands.h"
#include "llvm/Support/raw_ostream.h"

namespace jx::tool {

int explain(const std::string &code) {
  const KindInfo *info = findKind(code);
  if (!info) {
    llvm::errs() << "error: no error has the code " << code << "; codes look like JX0103\n";
    return 2;
  }
  llvm::outs() << info->code << ": " << info->title << "\n\n" << explanation(info->kind);
  llvm::outs().flush();
  return 0;
}

} // namespace jx::tool
