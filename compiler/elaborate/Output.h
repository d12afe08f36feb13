// What the files that make strings share: rendering of static values by the runtime's own renderer.
#pragma once
#include "compiler/elaborate/Value.h"
#include "runtime/include/jxrt/Array.h"
#include "runtime/include/jxrt/FormatBuilder.h"

namespace jx::elab {

class Evaluator;

// A static bool, 64-bit int, float or string as an operand of the renderer.
jxrt_value staticOperand(Value v);
// The rendered text, or the Python error that rendering gives.
Value renderNow(Evaluator &ev, const FormatProgram &program, llvm::ArrayRef<jxrt_value> operands);

/// The serialised format program of a static or run-time string, and its operands as tensors.
Status lowerText(Evaluator &ev, Value text, std::string &program,
                 llvm::SmallVectorImpl<mlir::Value> &operands);

} // namespace jx::elab
