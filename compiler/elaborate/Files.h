// What the natives that touch files share.
#pragma once
#include "compiler/elaborate/Value.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <string>

namespace jx::elab {

class Evaluator;

/// A file of arrays that the program has written by the time it gets to what is being elaborated: what a load
/// of it finds, whatever stands at its path when the program is compiled.
struct SavedFile {
  std::map<std::string, mlir::RankedTensorType> arrays; // by name; of a .npy file, one without a name
  bool isArchive = false;                               // .npz
};

/// Whether `path`, a string known now or at run time, names something when the program gets here: a host
/// bool. `kind` is "any", "file" or "directory". TypeError for what is no string.
Value fileExists(Evaluator &ev, Value path, llvm::StringRef kind = "any");

/// The path of a source file as `__file__` gives it: absolute, so that a built program finds what stands
/// beside its source from whichever folder it runs in.
std::string absolutePath(llvm::StringRef path);

} // namespace jx::elab
