// What to use instead of the parts of Python that jx leaves out: modules and built-in functions.
#pragma once
#include "llvm/ADT/StringRef.h"

namespace jx::elab {

// A hint for a module of Python (or the package it lies in) that jx does not have; empty when there is none.
llvm::StringRef insteadOfModule(llvm::StringRef name);
// A hint for a member of a module of Python's own library that jx has without it; empty when there is none.
llvm::StringRef insteadOfMember(llvm::StringRef module, llvm::StringRef member);
// A hint for a built-in function of Python that jx leaves out; empty when there is none.
llvm::StringRef insteadOfBuiltin(llvm::StringRef name);

} // namespace jx::elab
