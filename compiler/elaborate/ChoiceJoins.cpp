// Templates of values of which the run decides what they are: one of several known strings, None or a value.
#include "compiler/elaborate/Choices.h"
#include "compiler/elaborate/Joins.h"

namespace jx::elab {

static constexpr size_t maxKnownTexts = 64;

static Template hostLeaf(Evaluator &ev, HostType type) {
  Template leaf;
  leaf.form = Template::Leaf;
  leaf.leaf = {mlir::RankedTensorType::get({}, ev.hostDtype(type)), false, true, type};
  return leaf;
}

// One of the strings that any of the values may be, besides `choices`.
std::optional<Template> Joiner::joinKnown(std::vector<Value> choices, llvm::ArrayRef<Value> values) {
  for (Value v : values)
    for (Value text : textsOf(v))
      if (llvm::none_of(choices, [&](Value c) { return c.identical(text); })) choices.push_back(text);
  if (choices.size() > maxKnownTexts) return fail("too many different strings");
  Template result;
  result.form = Template::Known;
  result.sample = values.back();
  result.choices = std::move(choices);
  result.children.push_back(hostLeaf(ev, HostType::Int));
  return result;
}

// Where the text stands among the choices, as tensor<i64>.
mlir::Value Joiner::positionOf(Value text, llvm::ArrayRef<Value> choices) {
  auto among = [&](Value string) {
    return Value::integer(llvm::find_if(choices, [&](Value c) { return c.identical(string); }) -
                          choices.begin());
  };
  if (text.is(Kind::Str)) return ev.hostTensor(among(text), HostType::Int);
  Value own = text.asText().operands[0], position = Value::integer(0);
  bool same = true;
  for (auto [k, string] : llvm::enumerate(text.asText().choices)) {
    Value there = among(string);
    same &= there.asInt() == int64_t(k);
    Value isIt = ev.hostCompare(ast::CompareOp::Eq, own, Value::integer(int64_t(k)));
    Value share = isIt ? ev.hostBinary(ast::BinaryOp::Mul, isIt, there) : Value();
    position = share ? ev.hostBinary(ast::BinaryOp::Add, position, share) : Value();
    if (!position) return {};
  }
  return ev.hostTensor(same ? own : position, HostType::Int);
}

// The common form of None and other values.
std::optional<Template> Joiner::joinOptional(llvm::ArrayRef<Value> values, bool allowChoice) {
  llvm::SmallVector<Value> others;
  for (Value v : values)
    if (!v.isNone()) others.push_back(isOptional(v) ? v.asChoice().value : v);
  auto inside = [&](mlir::Value v) { return isInside && isInside(v); };
  auto form = others.size() == 1 ? open(others[0], inside, firstNew) : join(others, allowChoice);
  if (!form) return std::nullopt;
  Template result;
  result.form = Template::Optional;
  result.sample = values.back();
  result.children.push_back(hostLeaf(ev, HostType::Bool));
  result.children.push_back(std::move(*form));
  return result;
}

std::optional<Template> Joiner::widenOptional(const Template &form, Value value) {
  Template result = form;
  if (form.form != Template::Optional) {
    result = Template();
    result.form = Template::Optional;
    result.sample = value;
    result.children.push_back(hostLeaf(ev, HostType::Bool));
    result.children.push_back(form);
  }
  auto presence = widen(result.children[0], presenceOf(value));
  if (!presence) return std::nullopt;
  result.children[0] = std::move(*presence);
  if (value.isNone()) return result;
  auto other = widen(result.children[1], isOptional(value) ? value.asChoice().value : value);
  if (!other) return std::nullopt;
  result.children[1] = std::move(*other);
  return result;
}

} // namespace jx::elab
