#include "compiler/elaborate/Callables.h"

namespace jx::elab {

std::string nameOf(Evaluator &ev, Value f) {
  Value name = ev.findAttr(f, "__name__");
  ev.pending() = {};
  return name && name.is(Kind::Str) ? name.asStr().str() : "function";
}

std::optional<CallArgs> callArguments(Evaluator &ev, Value args, Value kwargs) {
  JX_TRY(positional, ev.elements(args));
  CallArgs given;
  given.positional.assign(positional->begin(), positional->end());
  const Contents &named = kwargs.asObject()->contents();
  for (auto [name, value] : llvm::zip_equal(named.keys, named.values))
    given.keywords.emplace_back(name.asStr(), value);
  return given;
}

Value withArrays(Evaluator &ev, Value tree) {
  Tree form;
  JX_TRY(leaves, ev.tracing->arrayLeaves(tree, form, true));
  return ev.tracing->trees.unflattenAll(*form, *leaves);
}

} // namespace jx::elab
