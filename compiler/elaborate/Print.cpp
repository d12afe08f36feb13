// The effects that take texts: printing, and checks that stop the program with a message.
#include "compiler/elaborate/Evaluator.h"
#include "compiler/elaborate/Output.h"
#include "compiler/elaborate/Raises.h"

namespace jx::elab {

Status lowerText(Evaluator &ev, Value text, std::string &program,
                 llvm::SmallVectorImpl<mlir::Value> &operands) {
  if (text.is(Kind::Str)) {
    program = FormatProgram(std::string_view(text.asStr())).serialize();
    return Status::success();
  }
  program = text.asText().program.serialize();
  for (Value operand : text.asText().operands) {
    if (operand.isArray()) {
      operands.push_back(operand.asArray());
      continue;
    }
    if (operand.is(Kind::Str)) return ev.unsupported("a static string as an operand of a text");
    mlir::Value tensor = ev.hostTensor(operand, ev.hostTypeOf(operand));
    if (!tensor) return Failed();
    operands.push_back(tensor);
  }
  return Status::success();
}

Status Evaluator::emitPrint(Value text, bool toStderr) {
  std::string program;
  llvm::SmallVector<mlir::Value> operands;
  JX_CHECK(lowerText(*this, text, program, operands));
  mlir::NamedAttribute attributes[] = {builder.getNamedAttr("format", builder.getStringAttr(program)),
                                       builder.getNamedAttr("to_stderr", builder.getBoolAttr(toStderr))};
  if (!emit("jx.print", operands, attributes)) return Failed();
  return Status::success();
}

Status Evaluator::emitCheck(Value condition, llvm::StringRef errorClass, Value message) {
  switch (truth(condition)) {
  case Truth::Failed:
    return Failed();
  case Truth::True:
    return Status::success();
  case Truth::False:
    if (message.is(Kind::Str)) return raise(errorClass, message.asStr().str());
    break; // the message has run-time parts: the program reports it when it gets there
  case Truth::Dynamic:
    break;
  }
  Value known = truthValue(condition);
  if (!known) return Failed();
  Object *cls = builtinClass(errorClass);
  if (cls && known.isHost() && whoCatches(cls) != Catcher::None)
    return raiseUnless(*this, known, cls, message);
  return emitStop(known, errorClass, message, location());
}

Status Evaluator::emitStop(Value holds, llvm::StringRef errorClass, Value message, mlir::Location at) {
  llvm::SmallVector<mlir::Value> operands{hostTensor(holds, HostType::Bool)};
  if (!operands[0]) return Failed();
  std::string program;
  JX_CHECK(lowerText(*this, message, program, operands));
  mlir::NamedAttribute attributes[] = {builder.getNamedAttr("error", builder.getStringAttr(errorClass)),
                                       builder.getNamedAttr("format", builder.getStringAttr(program))};
  mlir::Operation *check = emit("jx.check", operands, attributes);
  if (!check) return Failed();
  check->setLoc(at);
  return Status::success();
}

} // namespace jx::elab
