// The functions that transforms, jit and loops of jax.lax are given: their names, arguments and results.
#pragma once
#include "compiler/elaborate/Registry.h"
#include "compiler/elaborate/Tracing.h"

namespace jx::elab {

// The name of a callable for the functions made from it.
std::string nameOf(Evaluator &ev, Value f);

// The arguments of f(*args, **kwargs); `kwargs` is a dict with strings as keys.
std::optional<CallArgs> callArguments(Evaluator &ev, Value args, Value kwargs);

// A tree with its numbers as arrays; other leaves stay.
Value withArrays(Evaluator &ev, Value tree);

} // namespace jx::elab
