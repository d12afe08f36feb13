// Values of which the run decides which one of a few they are. See Choices.h.
#include "compiler/elaborate/Choices.h"
#include "compiler/elaborate/Branches.h"
#include "compiler/elaborate/Callable.h"
#include "compiler/elaborate/Evaluation.h"
#include "llvm/Support/Casting.h"

namespace jx::elab {

using namespace ast;

bool isKnownText(Value v) { return v.is(Kind::Text) && !v.asText().choices.empty(); }

std::vector<Value> textsOf(Value v) {
  if (v.is(Kind::Str)) return {v};
  return isKnownText(v) ? v.asText().choices : std::vector<Value>();
}

Value optional(Evaluator &ev, Value present, Value value) {
  if (present.is(Kind::Bool)) return present.asBool() ? value : Value::none();
  return Value::node(Kind::Choice, ev.arena.make<ChoiceNode>(present, value));
}

Value knownText(Evaluator &ev, Value selector, llvm::ArrayRef<Value> strings) {
  TextNode text;
  std::vector<FormatProgram> programs;
  for (Value string : strings) programs.emplace_back(string.asStr().str());
  text.operands.push_back(selector);
  text.program.table(OperandRef(0), std::move(programs));
  text.choices.assign(strings.begin(), strings.end());
  return Value::node(Kind::Text, ev.arena.make<TextNode>(std::move(text)));
}

Value overChoices(Evaluator &ev, Value choice, const std::function<Value(Value)> &every) {
  // What one of them does not allow is raised by the program, when it is that one.
  auto each = [&](Value one) {
    Value result = every(one);
    if (!result && ev.isPending(Pending::Exception)) ev.pending().fromRaise = true;
    return result;
  };
  std::vector<std::function<Value()>> branches;
  if (isOptional(choice)) {
    const ChoiceNode &node = choice.asChoice();
    for (Value one : {Value::none(), node.value}) branches.push_back([one, &each] { return each(one); });
    return joinValues(ev, node.present, branches);
  }
  const TextNode &text = choice.asText();
  Value selector = text.operands[0];
  if (auto known = evaluateNow(ev, selector.asHost().value, EvaluationLimits::forConvenience()))
    return each(text.choices[(*known)[0].scalarInt()]);
  for (Value one : text.choices) branches.push_back([one, &each] { return each(one); });
  return joinValues(ev, selector, branches);
}

Status overChoices(Evaluator &ev, Value choice, const std::function<Status(Value)> &each) {
  JX_CHECK(overChoices(ev, choice, std::function<Value(Value)>([&](Value one) -> Value {
                         return each(one) ? Value::none() : Value();
                       })));
  return Status::success();
}

Value certain(Evaluator &ev, Value v, const std::string &what) {
  if (!isOptional(v)) return v;
  JX_CHECK(ev.emitCheck(v.asChoice().present, "TypeError", ev.arena.str(what + " is None")));
  return v.asChoice().value;
}

// Natives that look at the characters or the value of an argument as at a key or a name.
static bool takesKnownText(Value callee, const CallArgs &args) {
  bool ofText = !args.positional.empty() && args.positional[0].isAny(Kind::Str, Kind::Text);
  if (ofText && callee.asNative().name != "join" && callee.asNative().name != "format") return true;
  return llvm::is_contained(
      {"get", "pop", "setdefault", "getattr", "hasattr", "int", "float", "ord", "index", "count", "remove"},
      callee.asNative().name);
}

std::optional<size_t> choiceAmong(Evaluator &ev, Value callee, const CallArgs &args) {
  bool isNative = callee.is(Kind::Native);
  // These keep or show what they are given.
  if (isNative &&
      llvm::is_contained({"print", "append", "str", "repr", "format", "is_host", "is_static", "id"},
                         callee.asNative().name))
    return std::nullopt;
  bool looks = isNative || callee.isAny(Kind::Dtype, Kind::Opaque);
  if (callee.is(Kind::Function))
    looks =
        ev.sources.isLibrary(static_cast<const FunctionNode *>(callee.asObject()->payload)->code->range.file);
  if (callee.is(Kind::Class))
    looks = static_cast<const ClassNode *>(callee.asObject()->payload)->moduleName == "builtins";
  if (!looks) return std::nullopt;
  auto isOne = [&](Value v) {
    return isOptional(v) || (isNative && isKnownText(v) && takesKnownText(callee, args));
  };
  for (auto [i, v] : llvm::enumerate(args.positional))
    if (isOne(v)) return i;
  for (auto [i, named] : llvm::enumerate(args.keywords))
    if (isOne(named.second)) return args.positional.size() + i;
  return std::nullopt;
}

// The variable of which the test, where its outcome is `outcome`, says whether it is None.
static const NameExpr *testedName(const Expr *test, bool outcome, bool &isNone) {
  if (auto *negated = llvm::dyn_cast<ast::Unary>(test); negated && negated->op == UnaryOp::Not)
    return testedName(negated->operand, !outcome, isNone);
  if (auto *name = llvm::dyn_cast<NameExpr>(test)) return outcome ? name : nullptr; // None is not true
  auto *compare = llvm::dyn_cast<Compare>(test);
  if (!compare || compare->ops.size() != 1 || !llvm::isa<NoneConst>(compare->rest[0])) return nullptr;
  if (compare->ops[0] != CompareOp::Is && compare->ops[0] != CompareOp::IsNot) return nullptr;
  isNone = (compare->ops[0] == CompareOp::Is) == outcome;
  return llvm::dyn_cast<NameExpr>(compare->first);
}

Narrowing::Narrowing(Evaluator &ev, const Expr *test, bool outcome) : ev(ev) {
  bool isNone = false;
  const NameExpr *tested = testedName(test, outcome, isNone);
  if (!tested || tested->binding == Binding::Free) return;
  bool slot = tested->binding == Binding::Local && ev.frame->locals->kind == Kind::Frame;
  object = slot || tested->binding == Binding::Local ? ev.frame->locals : ev.frame->module;
  if (slot)
    index = tested->slot;
  else
    key = ev.nameStr(tested->name);
  Value now = read();
  if (!now || !isOptional(now)) return;
  before = now;
  within = isNone ? Value::none() : now.asChoice().value;
  write(within);
}

// What the branch has given another value keeps it.
Narrowing::~Narrowing() {
  if (!before) return;
  Value now = read();
  if (now && now.kind() == within.kind() && now.identical(within)) write(before);
}

Value Narrowing::read() const { return key ? object->get(key) : object->at(index); }

void Narrowing::write(Value value) {
  if (key)
    ev.heap.put(object, key, value);
  else
    ev.heap.set(object, index, value);
}

} // namespace jx::elab
