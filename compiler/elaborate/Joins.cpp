// Joining, widening and instantiating templates. See Joins.h.
#include "compiler/elaborate/Joins.h"
#include "compiler/dialect/JxDialect.h"
#include "compiler/elaborate/Choices.h"

namespace jx::elab {

bool isDefinedIn(mlir::Region &region, mlir::Value value) {
  for (mlir::Region *home = value.getParentRegion(); home;) {
    if (home == &region) return true;
    mlir::Operation *parent = home->getParentOp();
    home = parent ? parent->getParentRegion() : nullptr;
  }
  return false;
}

namespace {

constexpr unsigned maxJoinDepth = 200; // deeper structures are cyclic, or no data that changes in a loop

bool isAggregate(Value v) {
  return v.isAny(Kind::Tuple, Kind::Slice, Kind::Range, Kind::List, Kind::Dict, Kind::Set, Kind::Instance,
                 Kind::Opaque);
}

// The values that a string takes up when the program runs.
llvm::ArrayRef<Value> holesOf(Value text) {
  return text.is(Kind::Text) ? llvm::ArrayRef<Value>(text.asText().operands) : llvm::ArrayRef<Value>();
}

// Whether two strings differ in what stands in their holes only.
bool sameParts(Value a, Value b) {
  return a.is(Kind::Text) && b.is(Kind::Text) && holesOf(a).size() == holesOf(b).size() &&
         a.asText().program.serialize() == b.asText().program.serialize();
}

bool isLeaf(Value v) { return v.isArray() || v.isNumber(); }

const FunctionNode &functionOf(Value v) { return *static_cast<const FunctionNode *>(v.asObject()->payload); }

std::vector<Value> capturedBy(Value function) {
  std::vector<Value> values;
  for (const Cell &cell : functionOf(function).frees)
    values.push_back(cell.frame ? cell.frame->at(cell.slot) : Value());
  return values;
}

// Whether two aggregates differ in their parts only.
bool sameShell(Value a, Value b, std::string &why) {
  why = "";
  if (a.kind() != b.kind()) return false;
  if (a.is(Kind::Tuple)) {
    if (a.asTuple().cls != b.asTuple().cls) return false;
    if (a.asTuple().items.size() == b.asTuple().items.size()) return true;
    why = "tuples of length " + std::to_string(a.asTuple().items.size()) + " and " +
          std::to_string(b.asTuple().items.size());
    return false;
  }
  if (!a.isObject()) return true;
  Object *x = a.asObject(), *y = b.asObject();
  if (x->cls != y->cls || x->opaque != y->opaque) return false;
  if (a.is(Kind::Instance) && (x->payload || y->payload) &&
      !(x->payload && y->payload && plainValue(a).identical(plainValue(b))))
    return false;
  const Contents &p = x->contents(), &q = y->contents();
  if (p.values.size() != q.values.size()) {
    why = "a " + std::string(a.is(Kind::List) ? "list" : "container") + " of length " +
          std::to_string(p.values.size()) + " and one of length " + std::to_string(q.values.size());
    return false;
  }
  // The order of keys may differ: tree.map sorts them.
  for (Value key : p.keys)
    if (!y->find(key)) {
      why = "containers with different keys";
      return false;
    }
  return true;
}

} // namespace

std::vector<Value> partsOf(Value v) {
  if (v.is(Kind::Tuple)) return v.asTuple().items;
  if (v.isAny(Kind::Slice, Kind::Range)) return {v.asSlice().start, v.asSlice().stop, v.asSlice().step};
  return v.asObject()->contents().values;
}

// The parts of `v` in the order of the keys of `sample`, an aggregate of the same shell.
static std::vector<Value> partsLike(Value sample, Value v) {
  if (!v.isObject() || !v.asObject()->isMap() || v.asObject()->contents().keys.empty()) return partsOf(v);
  std::vector<Value> parts;
  for (Value key : sample.asObject()->contents().keys) parts.push_back(v.asObject()->get(key));
  return parts;
}

// How part i of an aggregate is reached, in the order of partsOf: `['w']`, `[0]`, `.bias`.
static std::string stepText(Evaluator &ev, Value aggregate, size_t i) {
  bool keyed = aggregate.isObject() && aggregate.asObject()->isMap() &&
               aggregate.asObject()->contents().keys.size() == aggregate.asObject()->contents().values.size();
  if (!keyed) return "[" + std::to_string(i) + "]";
  Value key = aggregate.asObject()->contents().keys[i];
  if (aggregate.is(Kind::Instance) && key.is(Kind::Str)) return "." + key.asStr().str();
  Value text = ev.repr(key);
  return "[" + (text && text.is(Kind::Str) ? text.asStr().str() : "...") + "]";
}

std::optional<Template> Joiner::fail(const std::string &why) {
  reason = why;
  std::string where;
  for (auto &[aggregate, part] : path) where += stepText(ev, aggregate, part);
  if (!where.empty()) reason += ", at `" + where + "`";
  path.clear();
  return std::nullopt;
}

bool Template::hasLeaves() const {
  return form == Leaf || form == Choice ||
         llvm::any_of(children, [](const Template &t) { return t.hasLeaves(); });
}

bool Template::operator==(const Template &o) const {
  if (form != o.form || children.size() != o.children.size()) return false;
  if (form == Fixed) return sample.identical(o.sample);
  if (form == Leaf) return leaf == o.leaf;
  if (form == Text && !sameParts(sample, o.sample)) return false;
  if (!std::equal(choices.begin(), choices.end(), o.choices.begin(), o.choices.end(),
                  [](Value x, Value y) { return x.identical(y); }))
    return false;
  return children == o.children;
}

std::string Joiner::describe(Value v) {
  if (!v) return "no value";
  if (v.isArray()) return "an array `" + typeText(v.arrayType()) + "`";
  if (v.isNone()) return "`None`";
  if (v.is(Kind::Function)) return "the function `" + functionOf(v).name + "`";
  return "a value of type `" + ev.typeName(v) + "`";
}

std::optional<Template> Joiner::joinLeaf(llvm::ArrayRef<LeafType> types, llvm::ArrayRef<Value> values) {
  Template result;
  result.form = Template::Leaf;
  bool anyArray = llvm::any_of(types, [](const LeafType &t) { return !t.isHost; });
  if (!anyArray) {
    HostType host = types[0].host;
    for (const LeafType &t : types)
      if (t.host != host)
        host = t.host == HostType::Float || host == HostType::Float ? HostType::Float : HostType::Int;
    result.leaf = {mlir::RankedTensorType::get({}, ev.hostDtype(host)), false, true, host};
    return result;
  }
  llvm::SmallVector<WeakType> lattice;
  std::optional<llvm::SmallVector<int64_t>> shape;
  for (const LeafType &t : types) {
    if (llvm::isa<jx::StackType>(t.type)) {
      if (!llvm::all_of(types, [&](const LeafType &o) { return o.type == t.type; }))
        return fail("lists of different elements");
      result.leaf = t;
      return result;
    }
    auto tensor = llvm::cast<mlir::RankedTensorType>(t.type);
    if (t.isHost) {
      mlir::Type dtype = t.host == HostType::Int     ? ev.promotion.defaultInt()
                         : t.host == HostType::Float ? ev.promotion.defaultFloat()
                                                     : mlir::Type(ev.builder.getI1Type());
      lattice.push_back({dtype, t.host != HostType::Bool});
    } else {
      bool key = isKeyDtype(tensor.getElementType());
      if (key && !llvm::all_of(types, [&](const LeafType &o) { return o.type == t.type; }))
        return fail("keys and numbers");
      if (key) {
        result.leaf = t;
        return result;
      }
      lattice.push_back({tensor.getElementType(), t.weak});
    }
    llvm::SmallVector<int64_t> own(tensor.getShape());
    if (!shape) shape = own;
    if (*shape != own) {
      auto text = [&](size_t i) {
        auto own = llvm::dyn_cast<mlir::RankedTensorType>(types[i].type);
        return own ? typeText(own) : std::string("a list");
      };
      return fail("shapes `" + text(0) + "` and `" + text(types.size() - 1) + "`");
    }
  }
  WeakType common = ev.promotion.promote(lattice);
  for (auto [i, t] : llvm::enumerate(types))
    if (!t.isHost && !t.weak && lattice[i].dtype != common.dtype)
      return fail("dtypes " + dtypeName(lattice.front().dtype) + " and " + dtypeName(lattice.back().dtype));
  result.leaf = {mlir::RankedTensorType::get(*shape, common.dtype), common.weak, false, HostType::Int};
  return result;
}

static LeafType leafTypeOf(Evaluator &ev, Value v) {
  if (v.isArray()) return {v.asArray().getType(), v.isWeak(), false, HostType::Int};
  HostType host = ev.hostTypeOf(v);
  return {mlir::RankedTensorType::get({}, ev.hostDtype(host)), false, true, host};
}

std::optional<Template> Joiner::joinNumbers(llvm::ArrayRef<Value> values) {
  llvm::SmallVector<LeafType> types;
  for (Value v : values) {
    if (v.is(Kind::Complex)) return fail("complex Python numbers that differ");
    types.push_back(leafTypeOf(ev, v));
  }
  return joinLeaf(types, values);
}

// Strings: of the same parts with other values in the holes, or one that the branch selects.
std::optional<Template> Joiner::joinTexts(llvm::ArrayRef<Value> values, bool allowChoice) {
  bool allKnown = llvm::all_of(values, [](Value v) { return !textsOf(v).empty(); });
  if (allKnown && (allowChoice || llvm::any_of(values, isKnownText))) return joinKnown({}, values);
  Template result;
  result.sample = values.back();
  if (llvm::all_of(values, [&](Value v) { return sameParts(v, values[0]); })) {
    result.form = Template::Text;
    for (size_t i = 0; i < holesOf(values[0]).size(); ++i) {
      llvm::SmallVector<Value> column;
      for (Value v : values) column.push_back(holesOf(v)[i]);
      auto hole = join(column, false);
      if (!hole) break;
      result.children.push_back(std::move(*hole));
    }
    if (result.children.size() == holesOf(values[0]).size()) return result;
    result.children.clear();
  }
  bool known = llvm::all_of(values, [](Value v) { return holesOf(v).empty(); });
  if (!allowChoice)
    return fail(known ? "a string with other text" : "a string that is made from run-time values");
  result.form = Template::Choice;
  result.choices.assign(values.begin(), values.end());
  for (Value choice : values)
    for (Value hole : holesOf(choice)) {
      Template child;
      child.form = Template::Leaf;
      child.leaf = leafTypeOf(ev, hole);
      if (llvm::isa<StackType>(child.leaf.type)) return fail("the text of a list that a compiled loop built");
      result.children.push_back(std::move(child));
    }
  return result;
}

std::optional<Template> Joiner::join(llvm::ArrayRef<Value> values, bool allowChoice) {
  Template result;
  // The last value is where control goes on from: its order of keys is what is seen after a loop.
  result.sample = values.back();
  if (llvm::all_of(values, [&](Value v) { return v && v.identical(values[0]); })) return result;
  for (Value v : values)
    if (!v || v.is(Kind::Unbound)) return fail("a value and none");
  if (llvm::all_of(values, isLeaf)) return joinNumbers(values);
  if (llvm::any_of(values, isOptional) ||
      (allowChoice && llvm::any_of(values, [](Value v) { return v.isNone(); })))
    return joinOptional(values, allowChoice);
  if (++depth > maxJoinDepth) return fail("structures that are nested too deeply");
  struct Leave {
    unsigned &depth;
    ~Leave() { --depth; }
  } leave{depth};
  if (llvm::all_of(values, [](Value v) { return v.isAny(Kind::Str, Kind::Text); }))
    return joinTexts(values, allowChoice);
  bool closures = llvm::all_of(values, [&](Value v) {
    return v.is(Kind::Function) && functionOf(v).code == functionOf(values[0]).code;
  });
  std::vector<std::vector<Value>> parts;
  if (closures) {
    result.form = Template::Closure;
    for (Value v : values) parts.push_back(capturedBy(v));
  } else {
    result.form = Template::Aggregate;
    for (Value v : values) {
      std::string why;
      if (!isAggregate(v) || !isAggregate(values[0]) || !sameShell(values[0], v, why)) {
        auto other = llvm::find_if(values, [&](Value o) { return o.kind() != values[0].kind(); });
        Value shown = other == values.end() ? v : *other;
        return fail(why.empty() ? describe(values[0]) + " and " + describe(shown) : why);
      }
    }
    for (Value v : values) parts.push_back(partsLike(result.sample, v));
  }
  for (size_t i = 0; i < parts[0].size(); ++i) {
    llvm::SmallVector<Value> column;
    for (auto &row : parts) column.push_back(row[i]);
    path.emplace_back(result.sample, i);
    auto child = join(column, allowChoice);
    if (!child) return std::nullopt;
    path.pop_back();
    result.children.push_back(std::move(*child));
  }
  return result;
}

std::optional<Template> Joiner::widen(const Template &form, Value value) {
  if (!value || value.is(Kind::Unbound)) return fail("a value and none");
  if (form.form == Template::Optional || (isOptional(value) && form.form != Template::Fixed))
    return widenOptional(form, value);
  switch (form.form) {
  case Template::Fixed:
    return join({form.sample, value}, false);
  case Template::Leaf:
    if (!isLeaf(value)) return fail("a number or array and " + describe(value));
    return joinLeaf({form.leaf, leafTypeOf(ev, value)}, {Value(), value});
  case Template::Choice:
    return fail("strings that differ");
  case Template::Optional:
    break; // above
  case Template::Known:
    if (textsOf(value).empty()) return fail("a string that is made from run-time values");
    return joinKnown(form.choices, {value});
  case Template::Text: {
    if (isKnownText(form.sample) && !textsOf(value).empty())
      return joinKnown(form.sample.asText().choices, {value});
    if (!sameParts(form.sample, value)) return fail("a string with other text");
    Template result = form;
    for (auto [child, hole] : llvm::zip(result.children, holesOf(value))) {
      auto wider = widen(child, hole);
      if (!wider) return std::nullopt;
      child = std::move(*wider);
    }
    return result;
  }
  case Template::Aggregate:
  case Template::Closure: {
    std::vector<Value> parts;
    std::string why;
    if (form.form == Template::Closure) {
      if (!value.is(Kind::Function) || functionOf(value).code != functionOf(form.sample).code)
        return fail("different functions");
      parts = capturedBy(value);
    } else {
      if (!isAggregate(value) || !sameShell(form.sample, value, why))
        return fail(why.empty() ? describe(form.sample) + " and " + describe(value) : why);
      parts = partsLike(form.sample, value);
    }
    Template result = form;
    for (size_t i = 0; i < parts.size(); ++i) {
      path.emplace_back(form.sample, i);
      auto child = widen(form.children[i], parts[i]);
      if (!child) return std::nullopt;
      path.pop_back();
      result.children[i] = std::move(*child);
    }
    return result;
  }
  }
  return std::nullopt;
}

std::optional<Template> Joiner::open(Value value, llvm::function_ref<bool(mlir::Value)> isInside,
                                     uint32_t firstNew) {
  Template result;
  result.sample = value;
  if (value.isArray() || value.isHost()) {
    mlir::Value ssa = value.isArray() ? value.asArray() : value.asHost().value;
    if (!isInside(ssa)) return result;
    result.form = Template::Leaf;
    result.leaf = leafTypeOf(ev, value);
    return result;
  }
  std::vector<Value> parts;
  if (isOptional(value)) {
    result.form = Template::Optional;
    parts = {value.asChoice().present, value.asChoice().value};
  } else if (value.isAny(Kind::Tuple, Kind::Slice, Kind::Range) ||
             (isAggregate(value) && value.asObject()->id >= firstNew)) {
    result.form = Template::Aggregate;
    parts = partsOf(value);
  } else if (value.is(Kind::Function) && value.asObject()->id >= firstNew) {
    result.form = Template::Closure;
    parts = capturedBy(value);
  } else if (value.is(Kind::Text)) {
    result.form = Template::Text;
    for (Value hole : holesOf(value)) {
      bool isStack = hole.isArray() && llvm::isa<StackType>(hole.asArray().getType());
      if (isStack && isInside(hole.asArray())) return fail("the text of a list that a compiled loop built");
      parts.push_back(hole);
    }
  } else {
    return result;
  }
  if (++depth > maxJoinDepth) return fail("structures that are nested too deeply");
  for (Value part : parts) {
    if (!part || part.is(Kind::Unbound)) {
      Template fixed;
      fixed.sample = part;
      result.children.push_back(fixed);
      continue;
    }
    auto child = open(part, isInside, firstNew);
    if (!child) return std::nullopt;
    result.children.push_back(std::move(*child));
  }
  --depth;
  return result;
}

Status Joiner::materialise(const Template &form, Value value, llvm::SmallVectorImpl<mlir::Value> &out) {
  switch (form.form) {
  case Template::Fixed:
    return Status::success();
  case Template::Text:
    for (auto [child, hole] : llvm::zip(form.children, holesOf(value)))
      JX_CHECK(materialise(child, hole, out));
    return Status::success();
  case Template::Known: {
    mlir::Value position = positionOf(value, form.choices);
    if (!position) return Failed();
    out.push_back(position);
    return Status::success();
  }
  case Template::Optional:
    JX_CHECK(materialise(form.children[0], presenceOf(value), out));
    if (value.isNone()) return zeros(form.children[1], out);
    return materialise(form.children[1], isOptional(value) ? value.asChoice().value : value, out);
  case Template::Choice: {
    const Template *child = form.children.data();
    for (Value choice : form.choices)
      for (Value hole : holesOf(choice)) {
        if (value.identical(choice))
          JX_CHECK(materialise(*child, hole, out));
        else
          JX_CHECK(zeros(*child, out));
        ++child;
      }
    return Status::success();
  }
  case Template::Leaf: {
    mlir::Value leaf;
    if (form.leaf.isHost)
      leaf = ev.hostTensor(value, form.leaf.host);
    else if (llvm::isa<jx::StackType>(form.leaf.type))
      leaf = value.asArray();
    else if (Value array =
                 ev.toArray(value, {llvm::cast<mlir::RankedTensorType>(form.leaf.type).getElementType(),
                                    form.leaf.weak}))
      leaf = array.asArray();
    if (!leaf) return Failed();
    out.push_back(leaf);
    return Status::success();
  }
  case Template::Aggregate:
  case Template::Closure: {
    std::vector<Value> parts =
        form.form == Template::Closure ? capturedBy(value) : partsLike(form.sample, value);
    for (size_t i = 0; i < parts.size(); ++i) JX_CHECK(materialise(form.children[i], parts[i], out));
    return Status::success();
  }
  }
  return Failed();
}

void Joiner::types(const Template &form, llvm::SmallVectorImpl<mlir::Type> &out) {
  if (form.form == Template::Leaf) out.push_back(form.leaf.type);
  for (const Template &child : form.children) types(child, out);
}

Status Joiner::zeros(const Template &form, llvm::SmallVectorImpl<mlir::Value> &out) {
  llvm::SmallVector<mlir::Type> leafTypes;
  types(form, leafTypes);
  for (mlir::Type type : leafTypes) {
    mlir::Value zero = ev.zeroOf(type);
    if (!zero) return Failed();
    out.push_back(zero);
  }
  return Status::success();
}

Value Joiner::instantiate(const Template &form, llvm::ArrayRef<mlir::Value> &leaves, const LeafOrigin &origin,
                          mlir::Value index) {
  switch (form.form) {
  case Template::Fixed:
    return form.sample;
  case Template::Known:
    return knownText(ev, instantiate(form.children[0], leaves, origin), form.choices);
  case Template::Optional: {
    Value present = instantiate(form.children[0], leaves, origin);
    return optional(ev, present, instantiate(form.children[1], leaves, origin, index));
  }
  case Template::Choice: {
    TextNode text;
    std::vector<FormatProgram> choices;
    text.operands.push_back(Value::node(
        Kind::Host, ev.arena.make<HostNode>(index, HostType::Int, std::nullopt, Interval{}, origin.sources)));
    const Template *child = form.children.data();
    for (Value choice : form.choices) {
      TextNode part;
      if (!ev.appendText(part, choice, Conversion::Str)) return Failed();
      for (Value &hole : part.operands) hole = instantiate(*child++, leaves, origin);
      FormatProgram program;
      program.append(part.program, text.takeHoles(part));
      choices.push_back(std::move(program));
    }
    text.program.table(OperandRef(0), std::move(choices));
    return Value::node(Kind::Text, ev.arena.make<TextNode>(std::move(text)));
  }
  case Template::Text: {
    TextNode text = form.sample.asText();
    for (auto [hole, child] : llvm::zip(text.operands, form.children))
      hole = instantiate(child, leaves, origin, index);
    return Value::node(Kind::Text, ev.arena.make<TextNode>(std::move(text)));
  }
  case Template::Leaf: {
    mlir::Value leaf = leaves.front();
    leaves = leaves.drop_front();
    if (!form.leaf.isHost) return Value::array(leaf, form.leaf.weak);
    Symbol symbol = ev.newSymbol({origin.kind, origin.name, origin.loop, origin.range, origin.sources});
    std::optional<Polynomial> polynomial;
    if (form.leaf.host == HostType::Int) polynomial = Polynomial::of(symbol);
    return Value::node(Kind::Host, ev.arena.make<HostNode>(leaf, form.leaf.host, polynomial, Interval{},
                                                           mergeSources({symbol}, origin.sources)));
  }
  case Template::Aggregate:
  case Template::Closure: {
    std::vector<Value> parts;
    for (const Template &child : form.children) {
      Value part = instantiate(child, leaves, origin, index);
      parts.push_back(part);
    }
    Value sample = form.sample;
    if (form.form == Template::Closure) {
      auto *function = ev.arena.make<FunctionNode>(functionOf(sample));
      Object *cells = ev.heap.create(Kind::Frame, {{}, parts});
      for (uint32_t i = 0; i < parts.size(); ++i) function->frees[i] = {cells, i};
      Object *object = ev.heap.create(Kind::Function, sample.asObject()->contents());
      object->payload = function;
      return object;
    }
    if (sample.is(Kind::Tuple)) return ev.arena.tuple(std::move(parts), sample.asTuple().cls);
    if (sample.is(Kind::Slice)) return ev.arena.slice(parts[0], parts[1], parts[2]);
    if (sample.is(Kind::Range)) return ev.arena.range(parts[0], parts[1], parts[2]);
    Object *object = ev.heap.create(sample.kind(), {sample.asObject()->contents().keys, std::move(parts)});
    object->cls = sample.asObject()->cls;
    object->attributes = sample.asObject()->attributes;
    object->payload = sample.asObject()->payload;
    object->opaque = sample.asObject()->opaque;
    return object;
  }
  }
  return Failed();
}

} // namespace jx::elab
