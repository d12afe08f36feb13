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

/// str(), repr() or ascii() of a value, as `!s`, `!r` and `!a` ask for it.
Value converted(Evaluator &ev, Value v, Conversion conversion);
/// The text as it stands while the program is compiled, with the options' values of this compilation; what
/// else it is made of must be static, else a demand for `purpose`.
Value textNow(Evaluator &ev, Value text, const std::string &purpose);
/// The text as a message of the compiler shows it; empty where it has holes other than options.
std::string shownNow(Evaluator &ev, Value text);
/// The serialised format program of a static or run-time string, and its operands as tensors.
Status lowerText(Evaluator &ev, Value text, std::string &program,
                 llvm::SmallVectorImpl<mlir::Value> &operands);

} // namespace jx::elab
