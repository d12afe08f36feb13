// Values of which the run decides which one of a few they are: None or another value (Kind::Choice), and
// texts that are one of several known strings. What is done with such a value is done, in a branch each,
// with everything that it may be, and the results are joined: an operation that None does not have becomes a
// check that raises what Python raises.
#pragma once
#include "compiler/elaborate/Evaluator.h"

namespace jx::elab {

// Whether the value is None or another one.
inline bool isOptional(Value v) { return v.is(Kind::Choice); }
// Whether there is a value, as a bool of any kind; of other values whether they are not None.
inline Value presenceOf(Value v) {
  return isOptional(v) ? v.asChoice().present : Value::boolean(!v.isNone());
}
// Whether the value is one of several known strings.
bool isKnownText(Value v);
inline bool isChoice(Value v) { return isOptional(v) || isKnownText(v); }
// The strings that a text may be, which is one of them: itself, or those of a known text; else empty.
std::vector<Value> textsOf(Value v);

// The value that is `value` where the host bool is true, else None.
Value optional(Evaluator &ev, Value present, Value value);
// The text that is the string at the position `selector`, a host int.
Value knownText(Evaluator &ev, Value selector, llvm::ArrayRef<Value> strings);

// The joined results of `each` for everything that the choice may be.
Value overChoices(Evaluator &ev, Value choice, const std::function<Value(Value)> &each);
Status overChoices(Evaluator &ev, Value choice, const std::function<Status(Value)> &each);
// The value itself, where it is needed as one: where it is None the program stops with a TypeError that says
// so of `what`.
Value certain(Evaluator &ev, Value v, const std::string &what);

// Calls with such an argument of what looks at its arguments: natives and functions of the library. Empty
// when the call is none.
std::optional<size_t> choiceAmong(Evaluator &ev, Value callee, const CallArgs &args);

// While it lives, a variable that `test` compares with None by `is` holds what it is in the branch where the
// test is `outcome`.
class Narrowing {
public:
  Narrowing(Evaluator &ev, const ast::Expr *test, bool outcome);
  ~Narrowing();

private:
  Value read() const;
  void write(Value value);
  Evaluator &ev;
  Object *object = nullptr; // the variable's frame, module or class
  size_t index = 0;
  Value key; // in modules and classes
  Value before, within;
};

} // namespace jx::elab
