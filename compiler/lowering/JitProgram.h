// Linking of object code into this process.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <vector>

namespace jx {

/// Data or code of this process that the objects refer to by name.
struct NativeSymbol {
  std::string name;
  const void *address;
};

/// Names and addresses of the runtime's functions that generated code may call.
llvm::ArrayRef<NativeSymbol> runtimeSymbols();

/// Objects, linked and in memory; freed with this.
class LinkedCode {
public:
  virtual ~LinkedCode() = default;
  /// Address of a function, or null.
  virtual void *lookup(llvm::StringRef name) = 0;
};

llvm::Expected<std::unique_ptr<LinkedCode>>
linkInProcess(std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects, llvm::ArrayRef<NativeSymbol> symbols);

} // namespace jx
