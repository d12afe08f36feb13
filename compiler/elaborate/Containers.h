// Instances of subclasses of list, dict and set: containers with a class and attributes of their own. What
// the built-in classes do, beneath the methods of the subclass, is here; classes made by `type(...)` too.
#pragma once
#include "compiler/elaborate/Evaluator.h"

namespace jx::elab {

// What `list(...)`, `dict(...)`, `set(...)` of the arguments hold, as the container's contents.
Status fillContainer(Evaluator &ev, Value container, CallArgs &args);

// The item at a position, or of a key, that depends on data: a choice when the program runs, which stops with
// IndexError or KeyError where there is no such item. Null without failure where the items are no plain
// values of one form, or the position is known or can be made so (Lookups.cpp). `sequence` is what messages
// call it.
Value itemFromData(Evaluator &ev, llvm::ArrayRef<Value> items, Value index, const std::string &sequence);
Value itemOfDictFromData(Evaluator &ev, Object *dict, Value key);
// Whether items are plain values of one form, so that the run may pick one of them; and the one at the
// position, a host int of their range.
bool canPick(Evaluator &ev, llvm::ArrayRef<Value> items);
Value pickItem(Evaluator &ev, llvm::ArrayRef<Value> items, Value position);

// The list with what compiled loops appended as elements of its own, whose number must be known.
Status takeApart(Evaluator &ev, Object *list);

// Item access of the built-in class, past the methods of a subclass.
Value builtinItem(Evaluator &ev, Value object, Value index);
Status setBuiltinItem(Evaluator &ev, Value object, Value index, Value value);
Status deleteBuiltinItem(Evaluator &ev, Value object, Value index);

// The elements of a set in the order in which Python's hash table gives them, where that depends on the
// elements alone (numbers and tuples of them); else in the order of insertion.
std::vector<Value> setOrder(const std::vector<Value> &keys);

// --- Keys of dicts and elements of sets (Keys.cpp)

// CPython's `hash`. Those of strings and of plain objects are of this compiler's own making; what only the
// run knows is demanded; TypeError for what has none.
std::optional<int64_t> hashOf(Evaluator &ev, Value v);
// The same where neither a class nor a string has a say: of numbers, None, and tuples and frozensets of them.
std::optional<int64_t> plainHash(Value v);
// The key under which the container holds an equal one, else the key itself. TypeError for what cannot be a
// key.
Value keyIn(Evaluator &ev, const Object *container, Value key);
// Assigns under the equal key, if there is one.
Status putItem(Evaluator &ev, Object *container, Value key, Value value);

// The elements of an iterable; where it is none, a TypeError in these words.
std::optional<std::vector<Value>> elementsOf(Evaluator &ev, Value iterable, const std::string &otherwise);
// Refuses keyword arguments that a native did not take.
Status noMoreKeywords(Evaluator &ev, CallArgs &args, llvm::StringRef function);

// What `cls.__new__(cls, ...)` makes: an empty instance, list, dict or set, a tuple of the elements, or an
// instance that stands for a value of the built-in base.
Value newObject(Evaluator &ev, Object *cls, CallArgs &args);

// `type(name, bases, namespace)`.
Value makeClassFrom(Evaluator &ev, Value name, Value bases, Value members);

} // namespace jx::elab
