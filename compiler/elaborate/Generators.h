// Generators, in two ways. A consumer that takes all elements has the body of the generator run around it
// (Evaluator::runGenerator): each `yield` hands its value over, and loops of the generator may be compiled.
// A consumer that takes one element at a time, such as `next`, `zip` or a loop with `break`, advances the
// generator from one `yield` to the next; where it stands is kept in the heap, so that speculation can take
// it back. Conditions and loops around a `yield` must then be known when the program is compiled.
#pragma once
#include "compiler/elaborate/Evaluator.h"

namespace jx::elab {

// Whether the body has only forms that a generator can be stopped in; others serve consumers of all elements.
bool canStep(Value generator);
// Whether the generator was advanced or run before.
bool hasStarted(Value generator);

// Runs the generator to its next `yield`, whose value in the body is `sent`. Null without failure at the end.
Value resume(Evaluator &ev, Value generator, Value sent);
// Leaves the generator at the `yield` where it stands: `finally` blocks run, and `__exit__` of `with`.
Status closeGenerator(Evaluator &ev, Value generator);
// Raises the exception at the `yield` where the generator stands; what it yields next, as of `resume`.
Value throwInto(Evaluator &ev, Value generator, Value exception);
// What the generator returned, None before; the result of `yield from`.
Value returnedBy(Evaluator &ev, Value generator);
// Notes that the body ends with this value.
void endGenerator(Evaluator &ev, Value generator, Value returned);

// `iter(v)`.
Value iteratorOf(Evaluator &ev, Value v);
// The next element of an iterator; null without failure at the end.
Value advance(Evaluator &ev, Value iterator);
// Whether its elements are made one by one: an iterator, a generator that can step, an instance.
bool isLazy(Evaluator &ev, Value v);

} // namespace jx::elab
