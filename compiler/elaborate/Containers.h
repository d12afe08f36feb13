// Instances of subclasses of list, dict and set: containers with a class and attributes of their own. What
// the built-in classes do, beneath the methods of the subclass, is here; classes made by `type(...)` too.
#pragma once
#include "compiler/elaborate/Evaluator.h"

namespace jx::elab {

// What `list(...)`, `dict(...)`, `set(...)` of the arguments hold, as the container's contents.
Status fillContainer(Evaluator &ev, Value container, CallArgs &args);

// The value as the key of a dict or an element of a set: what of it the run knows is demanded. TypeError for
// what has no hash.
Value asKey(Evaluator &ev, Value key);

// Item access of the built-in class, past the methods of a subclass.
Value builtinItem(Evaluator &ev, Value object, Value index);
Status setBuiltinItem(Evaluator &ev, Value object, Value index, Value value);
Status deleteBuiltinItem(Evaluator &ev, Value object, Value index);

// The elements of a set in the order in which Python's hash table gives them, where that depends on the
// elements alone (ints); else in the order of insertion.
std::vector<Value> setOrder(const std::vector<Value> &keys);

// `type(name, bases, namespace)`.
Value makeClassFrom(Evaluator &ev, Value name, Value bases, Value members);

} // namespace jx::elab
