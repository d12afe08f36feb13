// Host arrays as the runtime's C ABI sees them: operands of format programs, array descriptors, source lines.
#pragma once

#include "compiler/dialect/HostArray.h"
#include "jxrt/Array.h"
#include "mlir/IR/Location.h"
#include <deque>
#include <string>
#include <vector>

namespace jx {

/// The runtime's number of an element type.
int32_t runtimeDtype(mlir::Type elementType);

/// The runtime's number of a file format by its name in jx.load and jx.save; unknown names mean "by the
/// file's own mark".
int32_t fileFormat(llvm::StringRef name);

/// The runtime's number of what jx.file_exists looks for, by its name; unknown names mean anything.
int32_t pathKind(llvm::StringRef name);

/// A descriptor that borrows `array`, which must outlive it.
jxrt_array arrayDescriptor(const HostArray &array);

/// Operands of a format program. Borrows the arrays; a stack is laid out contiguously here.
class RuntimeValues {
public:
  explicit RuntimeValues(llvm::ArrayRef<HostArray> arrays);
  const jxrt_value *data() const { return values.data(); }
  int64_t size() const { return int64_t(values.size()); }

private:
  std::vector<jxrt_value> values;
  std::deque<std::vector<char>> storage;
};

/// "file.jx:12" of a location, innermost call first; empty where unknown.
std::string sourceLine(mlir::Location loc);

} // namespace jx
