// Attribute access beneath what classes override: what `object.__getattribute__`, `object.__setattr__` and
// `object.__delattr__` do, and the other methods that every object has.
#pragma once
#include "compiler/elaborate/Evaluator.h"

namespace jx::elab {

// The attribute of an instance past the `__getattribute__` and `__getattr__` of its class; null without
// failure when absent.
Value plainAttr(Evaluator &ev, Value instance, llvm::StringRef name);
// Assigns past the `__setattr__` of the class. AttributeError where a property has no setter or `__slots__`
// has no such name.
Status setPlainAttr(Evaluator &ev, Value instance, llvm::StringRef name, Value value);
// Deletes past the `__delattr__` of the class. AttributeError where there is none.
Status deletePlainAttr(Evaluator &ev, Value instance, llvm::StringRef name);

// A method that every object has, as a function of the object; null when `object` has none of that name.
Value objectMethod(Evaluator &ev, llvm::StringRef name);

// An attribute that exceptions have beside their own: `__cause__`, `value` of StopIteration, `errno` of
// OSError, `add_note`; null for other objects and names.
Value exceptionAttr(Evaluator &ev, Value instance, llvm::StringRef name);

// The text of an instance whose class says nothing about it: an exception's message or call, else the class.
Value plainText(Evaluator &ev, Value instance, bool isStr);

} // namespace jx::elab
