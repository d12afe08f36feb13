// What the functions of a program were called with and returned, as `jx check` prints it.
#include "compiler/elaborate/Evaluator.h"
#include "llvm/Support/Casting.h"

namespace jx::elab {

// How an argument looks in a signature.
static std::string signatureText(Evaluator &ev, Value v) {
  if (!v) return "?";
  if (v.isArray()) return ev.describeArray(v);
  if (v.isHost())
    return v.asHost().type == HostType::Float ? "float" : v.asHost().type == HostType::Bool ? "bool" : "int";
  if (v.isAny(Kind::Bool, Kind::Int, Kind::Float, Kind::Str, Kind::None)) {
    Value text = ev.repr(v);
    return text && text.is(Kind::Str) ? text.asStr().str() : ev.typeName(v);
  }
  constexpr size_t maxParts = 8;
  bool keyed = v.is(Kind::Dict);
  if (!v.isAny(Kind::Tuple, Kind::List, Kind::Dict)) return ev.typeName(v);
  std::vector<Value> parts = v.is(Kind::Tuple) ? v.asTuple().items : v.asObject()->contents().values;
  std::string text;
  for (auto [i, part] : llvm::enumerate(parts)) {
    text += i ? ", " : "";
    if (i == maxParts) {
      text += "...";
      break;
    }
    if (keyed) text += signatureText(ev, v.asObject()->contents().keys[i]) + ": ";
    text += signatureText(ev, part);
  }
  if (v.is(Kind::Tuple))
    return (v.asTuple().cls ? ev.typeName(v) : "") + "(" + text + (parts.size() == 1 ? ",)" : ")");
  return keyed ? "{" + text + "}" : "[" + text + "]";
}

void Evaluator::recordSignature(const FunctionNode &function, llvm::ArrayRef<Value> arguments, Value result,
                                const Declarations &declared) {
  constexpr unsigned maxEach = 4; // more combinations of types of one function say little
  auto *def = llvm::dyn_cast<ast::FunctionDef>(function.code);
  const auto &home = *static_cast<const ModuleNode *>(function.module->payload);
  bool isTopLevel = def && home.name == "__main__" && def->binding == Binding::Global;
  if (!isTopLevel) return;
  Frame scope{nullptr, nullptr, function.module, {}, &function, frame, {}};
  scope.declared = &declared;
  frame = &scope;
  std::string text = function.name + "(";
  for (auto [i, argument] : llvm::enumerate(arguments))
    text +=
        (i ? ", " : "") + std::string(function.params[i].name.str()) + ": " + signatureText(*this, argument);
  text += ") -> " + signatureText(*this, result);
  frame = scope.caller;
  unsigned known = 0;
  for (const Signature &other : signatures) {
    known += other.range == function.code->range;
    if (other.range == function.code->range && other.text == text) return;
  }
  if (known < maxEach) signatures.push_back({function.name, function.code->range, std::move(text)});
}

} // namespace jx::elab
