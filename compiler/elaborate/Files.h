// What the natives that touch files share.
#pragma once
#include "compiler/elaborate/Value.h"
#include "llvm/ADT/StringRef.h"

namespace jx::elab {

class Evaluator;

/// Whether `path`, a string known now or at run time, names something when the program gets here: a host
/// bool. `kind` is "any", "file" or "directory". TypeError for what is no string.
Value fileExists(Evaluator &ev, Value path, llvm::StringRef kind = "any");

/// The path of a source file as `__file__` gives it: absolute, so that a built program finds what stands
/// beside its source from whichever folder it runs in.
std::string absolutePath(llvm::StringRef path);

} // namespace jx::elab
