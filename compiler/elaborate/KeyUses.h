// Random keys that are used twice: legal, and nearly always a mistake, for both uses get the same numbers.
// What uses a key is recorded while the program is elaborated; when a function is finished, its keys are
// looked through.
#pragma once
#include "compiler/diagnostics/Diagnostic.h"
#include "mlir/IR/Region.h"
#include "mlir/IR/Value.h"
#include <string>
#include <vector>

namespace jx::elab {

class KeyUses {
public:
  // `what` used the key, in this block, at this place of the user's. Uses by one call of the library count
  // once.
  void use(mlir::Value key, mlir::Block *block, SourceRange range, std::string what, const void *libraryCall);
  size_t size() const { return uses.size(); }
  void forget(size_t from) { uses.resize(from); }
  // A function is finished: warns of the keys that it uses twice since `from`, and forgets them. Uses of keys
  // from outside become uses in the block around, null for none. Returns the arguments that it uses.
  std::vector<unsigned> close(size_t from, mlir::Region &body, mlir::Block *around, DiagnosticSink &sink);

private:
  struct Use {
    mlir::Value key;
    mlir::Block *block;
    SourceRange range;
    std::string what;
    const void *libraryCall;
  };
  std::vector<Use> uses;
};

} // namespace jx::elab
