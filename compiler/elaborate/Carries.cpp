// Compiling a loop: attempts at its body until the set of carries and their types stand still, then one
// jx.for or jx.while. See Loops.h.
#include "compiler/dialect/JxDialect.h"
#include "compiler/elaborate/Loops.h"
#include "compiler/elaborate/Raises.h"
#include "llvm/ADT/Hashing.h"

namespace jx::elab {

namespace {

constexpr unsigned maxAttempts = 24; // each widens a carry or adds one; a chain of weak types has height 3

std::string slotName(Evaluator &ev, Object *object, size_t index, Value key) {
  if (key && key.is(Kind::Str)) return key.asStr().str();
  for (Frame *f = ev.frame; f; f = f->caller)
    if (f->locals == object && index < f->scope->locals.size())
      return std::string(f->scope->locals[index].str());
  return object->kind == Kind::List ? "an element of a list" : "a value";
}

uint64_t pathOf(Evaluator &ev, const ast::Node *node) {
  llvm::hash_code hash = llvm::hash_value(node ? node->id : 0u);
  for (Frame *f = ev.frame; f; f = f->caller)
    hash = llvm::hash_combine(hash, f->callSite.file, f->callSite.begin);
  return hash;
}

// The type of one value a trip, for all trips.
mlir::Type stackedType(mlir::Type type, int64_t trips) {
  auto element = llvm::cast<mlir::RankedTensorType>(type);
  llvm::SmallVector<int64_t> shape{trips};
  llvm::append_range(shape, element.getShape());
  return mlir::RankedTensorType::get(shape, element.getElementType());
}

} // namespace

LoopCompiler::LoopCompiler(Evaluator &ev, LoopSpec given)
    : ev(ev), spec(std::move(given)), joiner(ev), loopId(++ev.loopIds) {}

LoopCompiler::Carry *LoopCompiler::findCarry(Object *object, size_t index, Value key) {
  for (Carry &carry : carries)
    if (carry.object == object &&
        (key ? carry.key && carry.key.keyEquals(key) : !carry.key && carry.index == index))
      return &carry;
  return nullptr;
}

llvm::SmallVector<mlir::Type> LoopCompiler::carryTypes() {
  llvm::SmallVector<mlir::Type> types;
  for (Carry &carry : carries) joiner.types(carry.form, types);
  for (Buffer &buffer : buffers) llvm::append_range(types, bufferTypes(buffer));
  return types;
}

llvm::SmallVector<mlir::Type> LoopCompiler::bufferTypes(const Buffer &buffer) {
  llvm::SmallVector<mlir::Type> types;
  for (const Template &form : buffer.forms) joiner.types(form, types);
  for (mlir::Type &type : types) type = stackedType(type, spec.trips.asInt());
  return types;
}

// The elements of `count` trips, as a list holds them.
Value LoopCompiler::segmentOf(const Buffer &buffer, Value count, llvm::ArrayRef<mlir::Value> stacks) {
  auto *segment = ev.arena.make<SegmentNode>();
  segment->count = count;
  for (mlir::Value stack : stacks) segment->stacks.push_back(Value::array(stack, false));
  segment->perTrip = buffer.forms.size();
  segment->forms = std::make_shared<std::vector<Template>>(buffer.forms);
  return Value::node(Kind::Segment, segment);
}

// The buffers with the elements of this trip, as operands of the yield.
Status LoopCompiler::yieldBuffers(mlir::Value index) {
  mlir::Builder b(&ev.context);
  for (Buffer &buffer : buffers) {
    const auto &items = buffer.list->contents().values;
    llvm::SmallVector<mlir::Value> leaves;
    for (auto [form, element] : llvm::zip(buffer.forms, llvm::ArrayRef(items).take_back(buffer.forms.size())))
      JX_CHECK(joiner.materialise(form, element, leaves));
    for (auto [leaf, stack] : llvm::zip(leaves, buffer.soFar.asSegment().stacks)) {
      llvm::SmallVector<int64_t> shape{1};
      llvm::append_range(shape, llvm::cast<mlir::RankedTensorType>(leaf.getType()).getShape());
      mlir::Value row =
          ev.emit1("jx.reshape", {leaf}, b.getNamedAttr("shape", b.getDenseI64ArrayAttr(shape)));
      llvm::SmallVector<mlir::Value> operands{stack.asArray(), row, index};
      mlir::Value zero = ev.hostTensor(Value::integer(0), HostType::Int);
      if (!row || !zero) return Failed();
      operands.append(shape.size() - 1, zero);
      mlir::Value updated = ev.emit1("jx.dynamic_update_slice", operands);
      if (!updated) return Failed();
      yields.push_back(updated);
    }
  }
  return Status::success();
}

void LoopCompiler::setSlot(const Carry &carry, Value value) {
  if (carry.key)
    ev.heap.put(carry.object, carry.key, value);
  else
    ev.heap.set(carry.object, carry.index, value);
}

// Puts the carries' block arguments into their slots.
void LoopCompiler::enter(llvm::ArrayRef<mlir::Value> arguments, Value index) {
  for (Carry &carry : carries) {
    LeafOrigin origin{
        SymbolInfo::LoopCarry, slotName(ev, carry.object, carry.index, carry.key), loopId, ev.here(), {}};
    Value value = joiner.instantiate(carry.form, arguments, origin);
    setSlot(carry, value);
  }
  for (Buffer &buffer : buffers) {
    size_t count = bufferTypes(buffer).size();
    buffer.soFar = segmentOf(buffer, index, arguments.take_front(count));
    arguments = arguments.drop_front(count);
    ev.heap.append(buffer.list, buffer.soFar);
  }
}

// Why the body could not be elaborated, from what is pending.
LoopCompiler::Attempt LoopCompiler::failure() {
  if (!ev.isPending(Pending::Needed)) return Attempt::Failed;
  auto &sources = ev.pending().demand.sources;
  bool mine = llvm::any_of(sources, [&](Symbol s) { return ev.symbolInfo(s).loop == loopId; });
  if (!mine) return Attempt::Failed;
  demanded = ev.pending();
  // For whoever is around, the demand is for what the number of trips depends on.
  llvm::erase_if(demanded.demand.sources, [&](Symbol s) { return ev.symbolInfo(s).loop == loopId; });
  if (spec.trips && spec.trips.isHost())
    demanded.demand.sources = mergeSources(demanded.demand.sources, spec.trips.asHost().sources);
  return Attempt::NotStatic;
}

// Why a variable has no one form in all trips.
static std::string formsOf(const std::string &name, Value after, const std::string &joined) {
  if (after && after.is(Kind::Unbound))
    return "`" + name + "` has no form at the end of a trip: " +
           static_cast<const UnboundNode *>(after.asPointer())->reason;
  return "`" + name + "` is " + joined + " in different trips";
}

LoopCompiler::Attempt LoopCompiler::examineSlot(Object *object, size_t index, Value key, Value before,
                                                Value after, mlir::Region *body, uint32_t firstNew) {
  if (llvm::is_contained(spec.derived, std::make_pair(object, index)) && !key) return Attempt::Fixpoint;
  std::string name = slotName(ev, object, index, key);
  joiner.isInside = [&](mlir::Value v) { return isDefinedIn(*body, v); };
  joiner.firstNew = firstNew;
  if (Carry *carry = findCarry(object, index, key)) {
    if (carry->zeroInit && (!after || after.is(Kind::Unbound))) return Attempt::Fixpoint;
    auto wider = joiner.widen(carry->form, after);
    // What the variable is before the loop says nothing of its form.
    if (!wider && carry->zeroInit)
      wider = joiner.open(after, [&](mlir::Value v) { return isDefinedIn(*body, v); }, firstNew);
    if (!wider) {
      reason = formsOf(name, after, joiner.reason);
      return Attempt::Structure;
    }
    if (*wider == carry->form) return Attempt::Fixpoint;
    carry->form = std::move(*wider);
    return Attempt::Again;
  }
  if (before && after && before.identical(after)) return Attempt::Fixpoint;
  auto isInside = [&](mlir::Value v) { return isDefinedIn(*body, v); };
  if (!before || before.is(Kind::Unbound)) {
    if (!after || after.is(Kind::Unbound)) return Attempt::Fixpoint;
    if (!spec.isLiveOut(object, index, key)) {
      temporaries.emplace_back(object, index, key);
      return Attempt::Fixpoint;
    }
    auto form = joiner.open(after, isInside, firstNew);
    if (!form) {
      temporaries.emplace_back(object, index, key);
      return Attempt::Fixpoint;
    }
    carries.push_back({object, index, key, std::move(*form), true, Value()});
    return Attempt::Again;
  }
  auto form = joiner.join({before, after}, false);
  if (!form) {
    reason = formsOf(name, after, joiner.reason);
    return Attempt::Structure;
  }
  carries.push_back({object, index, key, std::move(*form), false, before});
  return Attempt::Again;
}

// A list with a buffer may only grow, by elements of the forms that it has.
LoopCompiler::Attempt LoopCompiler::examineBuffer(Buffer &buffer, const Contents &before,
                                                  const Contents &after) {
  llvm::ArrayRef<Value> was = before.values, is = after.values;
  bool grew = is.size() == was.size() + 1 + buffer.forms.size() && is[was.size()].identical(buffer.soFar);
  for (size_t i = 0; grew && i < was.size(); ++i) grew = was[i].identical(is[i]);
  if (!grew) {
    reason = "a list is read and changed other than by adding the same elements in each trip";
    return Attempt::Structure;
  }
  Attempt result = Attempt::Fixpoint;
  for (auto [form, element] : llvm::zip(buffer.forms, is.drop_front(was.size() + 1))) {
    auto wider = joiner.widen(form, element);
    if (!wider) {
      reason = "a list gets " + joiner.reason;
      return Attempt::Structure;
    }
    if (*wider == form) continue;
    form = std::move(*wider);
    result = Attempt::Again;
  }
  return result;
}

// Compares the heap with what it was before the trip.
LoopCompiler::Attempt LoopCompiler::examine(Heap::Speculation &speculation, const ReadSet &reads,
                                            mlir::Region *body) {
  Attempt result = Attempt::Fixpoint;
  growths.clear();
  temporaries.clear();
  auto note = [&](Attempt one) {
    if (one == Attempt::Structure) result = one;
    if (one == Attempt::Again && result == Attempt::Fixpoint) result = one;
  };
  auto isInside = [&](mlir::Value v) { return isDefinedIn(*body, v); };
  for (auto &change : speculation.changes()) {
    Object *object = change.object;
    const Contents &before = change.before;
    Contents after = object->contents();
    auto buffer = llvm::find_if(buffers, [&](Buffer &b) { return b.list == object; });
    if (buffer != buffers.end()) {
      note(examineBuffer(*buffer, before, after));
      continue;
    }
    if (object->kind == Kind::List && after.values.size() > before.values.size()) {
      bool prefix = true;
      for (size_t i = 0; i < before.values.size(); ++i) prefix &= before.values[i].identical(after.values[i]);
      bool read = llvm::any_of(reads.wholes, [&](auto &whole) { return whole.first == object; });
      bool isFor = spec.trips && spec.trips.isSmallInt();
      if (!prefix || (read && !isFor)) {
        reason = prefix ? "a list is read while it grows, and the number of trips is not known"
                        : "a list is changed while it grows";
        return Attempt::Structure;
      }
      Growth growth{object, {}, {after.values.begin() + before.values.size(), after.values.end()}};
      bool isOutput = llvm::is_contained(spec.outputs, object);
      for (Value element : growth.elements) {
        auto form = joiner.open(
            element, [&](mlir::Value v) { return isOutput || isInside(v); }, speculation.firstNew());
        if (!form) {
          reason = "a list gets " + joiner.reason;
          return Attempt::Structure;
        }
        growth.forms.push_back(std::move(*form));
      }
      if (read) {
        for (const Template &form : growth.forms) {
          llvm::SmallVector<mlir::Type> types;
          joiner.types(form, types);
          if (!llvm::all_of(types, llvm::IsaPred<mlir::RankedTensorType>)) {
            reason = "a list of lists is read while it grows";
            return Attempt::Structure;
          }
        }
        buffers.push_back({object, std::move(growth.forms), Value()});
        note(Attempt::Again);
        continue;
      }
      growths.push_back(std::move(growth));
      continue;
    }
    if (!object->isMap()) {
      if (before.values.size() != after.values.size()) {
        reason = "a list becomes shorter";
        return Attempt::Structure;
      }
      for (size_t i = 0; i < after.values.size(); ++i)
        note(examineSlot(object, i, {}, before.values[i], after.values[i], body, speculation.firstNew()));
      continue;
    }
    auto find = [](const Contents &contents, Value key) -> Value {
      for (size_t i = 0; i < contents.keys.size(); ++i)
        if (contents.keys[i].keyEquals(key)) return contents.values[i];
      return {};
    };
    bool isNamespace = object->kind == Kind::Module || object->kind == Kind::Class;
    for (size_t i = 0; i < after.keys.size(); ++i) {
      Value old = find(before, after.keys[i]);
      if (!old && !isNamespace && !findCarry(object, 0, after.keys[i])) {
        reason =
            object->kind == Kind::Instance ? "an object gets a new attribute" : "a container gets new keys";
        return Attempt::Structure;
      }
      note(examineSlot(object, 0, after.keys[i], old, after.values[i], body, speculation.firstNew()));
    }
    for (Value key : before.keys)
      if (!find(after, key)) {
        reason = "a key is removed";
        return Attempt::Structure;
      }
  }
  return result;
}

LoopCompiler::Attempt LoopCompiler::elaborateBody(mlir::Block *block, Heap::Speculation &speculation) {
  Evaluator &e = ev;
  e.builder.setInsertionPointToEnd(block);
  llvm::SmallVector<mlir::Value> arguments(block->args_begin(), block->args_end());
  llvm::ArrayRef<mlir::Value> rest = arguments;
  Value index;
  if (spec.trips) {
    Interval range{0, INT64_MAX};
    Interval trips = e.rangeOf(spec.trips);
    if (trips.high != INT64_MAX) range.high = std::max<int64_t>(trips.high - 1, 0);
    indexSymbol = e.newSymbol({SymbolInfo::LoopIndex, "", loopId, e.here(), {}, range});
    std::vector<Symbol> sources{indexSymbol};
    index = Value::node(Kind::Host, e.arena.make<HostNode>(rest.front(), HostType::Int,
                                                           Polynomial::of(indexSymbol), range, sources));
    rest = rest.drop_front();
  }
  size_t numCarries = carryTypes().size();
  enter(rest.take_front(numCarries), index);
  std::vector<Value> slices;
  for (auto [x, slice] : llvm::zip(spec.xs, rest.drop_front(numCarries)))
    slices.push_back(Value::array(slice, x.isWeak()));
  Flow flow;
  {
    RestScope end(*e.frame, Flow::Continue);
    flow = runTrip(ev, [&] { return spec.body(index, slices); });
  }
  if (flow == Flow::Failed) return failure();
  lastFlow = flow == Flow::Dynamic ? e.flowTag : FlowTag::of(flow);
  unsigned stays = 1u << static_cast<unsigned>(Flow::Normal) | 1u << static_cast<unsigned>(Flow::Continue);
  if (lastFlow.possible & ~stays) return Attempt::LeavesEarly;
  return Attempt::Fixpoint;
}

LoopCompiler::Attempt LoopCompiler::attempt() {
  mlir::Location loc = ev.location();
  auto makeRegion = [&](bool withIndex) {
    auto region = std::make_unique<mlir::Region>();
    auto *block = new mlir::Block;
    region->push_back(block);
    if (withIndex) block->addArgument(mlir::RankedTensorType::get({}, ev.builder.getI64Type()), loc);
    for (mlir::Type type : carryTypes()) block->addArgument(type, loc);
    return region;
  };
  auto body = makeRegion(bool(spec.trips));
  for (Value x : spec.xs) {
    auto type = x.asArray().getType();
    mlir::Type slice;
    if (auto stack = llvm::dyn_cast<jx::StackType>(type))
      slice = stack.getElementType();
    else
      slice = mlir::RankedTensorType::get(llvm::cast<mlir::RankedTensorType>(type).getShape().drop_front(),
                                          llvm::cast<mlir::RankedTensorType>(type).getElementType());
    body->front().addArgument(slice, loc);
  }
  std::unique_ptr<mlir::Region> before;
  mlir::OpBuilder::InsertPoint outside = ev.builder.saveInsertionPoint();
  Frame *frame = ev.frame;
  unsigned depth = ev.depth;
  Value outerReturn = ev.returnValue;
  auto mark = ev.sink.begin();
  Attempt result = Attempt::Fixpoint;
  {
    Heap::Speculation speculation(ev.heap);
    ReadSet reads;
    reads.firstNewId = speculation.firstNew();
    reads.listsOnly = true;
    reads.outer = ev.heap.reads;
    ev.heap.reads = &reads;
    if (spec.condition) {
      before = makeRegion(false);
      ev.builder.setInsertionPointToEnd(&before->front());
      llvm::SmallVector<mlir::Value> arguments(before->front().args_begin(), before->front().args_end());
      enter(arguments, Value());
      UnreachableTries inside(ev);
      Value test = spec.condition();
      Value truth = test ? ev.truthValue(test) : Value();
      mlir::Value flag = truth ? ev.hostTensor(truth, HostType::Bool) : mlir::Value();
      if (flag)
        YieldOp::create(ev.builder, loc, mlir::ValueRange{flag});
      else
        result = failure();
    }
    if (result == Attempt::Fixpoint) result = elaborateBody(&body->front(), speculation);
    ev.heap.reads = reads.outer;
    if (result == Attempt::Fixpoint) result = examine(speculation, reads, body.get());
    if (result == Attempt::Fixpoint) {
      // The slots' last values, as operands of the yield.
      ev.builder.setInsertionPointToEnd(&body->front());
      yields.clear();
      for (Carry &carry : carries) {
        Value last = carry.key ? carry.object->get(carry.key) : carry.object->at(carry.index);
        if (!joiner.materialise(carry.form, last, yields)) result = Attempt::Failed;
      }
      if (!buffers.empty() && !yieldBuffers(body->front().getArgument(0))) result = Attempt::Failed;
      for (Growth &growth : growths)
        for (auto [form, element] : llvm::zip(growth.forms, growth.elements))
          if (!joiner.materialise(form, element, yields)) result = Attempt::Failed;
      if (result == Attempt::Fixpoint) YieldOp::create(ev.builder, loc, yields);
    }
    speculation.rollback();
  }
  ev.frame = frame;
  ev.depth = depth;
  ev.returnValue = outerReturn;
  ev.builder.restoreInsertionPoint(outside);
  if (result != Attempt::Fixpoint) {
    ev.sink.rollback(mark);
    ev.abandon(std::move(body));
    if (before) ev.abandon(std::move(before));
    return result;
  }
  ev.sink.commit(mark);
  return finish(std::move(before), std::move(body)) ? Attempt::Fixpoint : Attempt::Failed;
}

Status LoopCompiler::finish(std::unique_ptr<mlir::Region> before, std::unique_ptr<mlir::Region> body) {
  mlir::Location loc = ev.location();
  llvm::SmallVector<mlir::Value> inits;
  for (Carry &carry : carries)
    JX_CHECK(carry.zeroInit ? joiner.zeros(carry.form, inits)
                            : joiner.materialise(carry.form, carry.entry, inits));
  for (Buffer &buffer : buffers)
    for (mlir::Type type : bufferTypes(buffer)) {
      inits.push_back(ev.zeroOf(type));
      if (!inits.back()) return Failed();
    }
  bool staticTrips = spec.trips && spec.trips.isSmallInt();
  llvm::SmallVector<mlir::Type> results = carryTypes(), stackedTypes;
  for (Growth &growth : growths)
    for (Template &form : growth.forms) joiner.types(form, stackedTypes);
  mlir::Operation *op;
  if (spec.condition) {
    results.push_back(mlir::RankedTensorType::get({}, ev.builder.getI64Type()));
    for (mlir::Type type : stackedTypes)
      results.push_back(jx::StackType::get(&ev.context, llvm::cast<mlir::RankedTensorType>(type)));
    mlir::OperationState state(loc, WhileOp::getOperationName());
    state.addOperands(inits);
    state.addTypes(results);
    state.addRegion(std::move(before));
    state.addRegion(std::move(body));
    op = ev.builder.create(state);
    tripCount = op->getResult(inits.size());
  } else {
    for (mlir::Type type : stackedTypes) {
      if (staticTrips)
        results.push_back(stackedType(type, spec.trips.asInt()));
      else
        results.push_back(jx::StackType::get(&ev.context, llvm::cast<mlir::RankedTensorType>(type)));
    }
    llvm::SmallVector<mlir::Value> trip, xs;
    if (!staticTrips) trip.push_back(spec.trips.asHost().value);
    for (Value x : spec.xs) xs.push_back(x.asArray());
    op = ForOp::create(ev.builder, loc, results, staticTrips ? mlir::Value() : trip[0], inits, xs,
                       staticTrips ? ev.builder.getI64IntegerAttr(spec.trips.asInt()) : mlir::IntegerAttr(),
                       ev.builder.getBoolAttr(spec.reverse));
    op->getRegion(0).takeBody(*body);
  }
  llvm::SmallVector<mlir::Value> values(op->result_begin(), op->result_end());
  llvm::ArrayRef<mlir::Value> leaves = values;
  for (Carry &carry : carries) {
    LeafOrigin origin{SymbolInfo::Data, slotName(ev, carry.object, carry.index, carry.key), 0, ev.here(), {}};
    Value value = joiner.instantiate(carry.form, leaves, origin);
    setSlot(carry, value);
  }
  for (Buffer &buffer : buffers) {
    size_t count = bufferTypes(buffer).size();
    ev.heap.append(buffer.list, segmentOf(buffer, spec.trips, leaves.take_front(count)));
    leaves = leaves.drop_front(count);
  }
  if (spec.condition) leaves = leaves.drop_front();
  Value count = spec.trips;
  if (!count)
    count =
        ev.makeHost(tripCount, HostType::Int,
                    Polynomial::of(ev.newSymbol({SymbolInfo::Data, "", 0, ev.here()})), {0, INT64_MAX}, {});
  for (Growth &growth : growths) {
    auto *segment = ev.arena.make<SegmentNode>();
    segment->count = count;
    for (Template &form : growth.forms) {
      llvm::SmallVector<mlir::Type> types;
      joiner.types(form, types);
      for (size_t i = 0; i < types.size(); ++i) segment->stacks.push_back(Value::array(leaves[i], false));
      leaves = leaves.drop_front(types.size());
    }
    segment->perTrip = growth.forms.size();
    segment->forms = std::make_shared<std::vector<Template>>(growth.forms);
    ev.heap.append(growth.list, Value::node(Kind::Segment, segment));
  }
  Value gone = ev.arena.unbound("it is given a value inside a compiled loop only");
  for (auto &[object, index, key] : temporaries) {
    if (key)
      ev.heap.put(object, key, gone);
    else
      ev.heap.set(object, index, gone);
  }
  return Status::success();
}

// Carries in the current frame are remembered by place and call path, so that nested loops stay linear in
// attempts.
void LoopCompiler::remember() {
  auto &memory = ev.loopMemory[pathOf(ev, spec.node)];
  memory.clear();
  for (Carry &carry : carries)
    if (carry.object == ev.frame->locals && !carry.zeroInit)
      memory.push_back({carry.index, carry.key, std::make_shared<Template>(carry.form)});
}

void LoopCompiler::recall() {
  auto found = ev.loopMemory.find(pathOf(ev, spec.node));
  if (found == ev.loopMemory.end()) return;
  for (auto &slot : found->second) {
    Object *object = ev.frame->locals;
    Value entry = slot.key                      ? object->get(slot.key)
                  : slot.index < object->size() ? object->at(slot.index)
                                                : Value();
    if (!entry || entry.is(Kind::Unbound)) continue;
    if (auto form = joiner.widen(*slot.form, entry))
      carries.push_back({object, slot.index, slot.key, std::move(*form), false, entry});
  }
}

LoopResult LoopCompiler::compile() {
  if (!ev.mayEmit()) return LoopResult::Failed;
  recall();
  for (unsigned n = 0; n < maxAttempts; ++n) {
    switch (attempt()) {
    case Attempt::Fixpoint:
      remember();
      return LoopResult::Compiled;
    case Attempt::Again:
      continue;
    case Attempt::Failed:
      return LoopResult::Failed;
    case Attempt::Structure:
      return LoopResult::Structure;
    case Attempt::NotStatic:
      ev.pending() = {};
      return LoopResult::NotStatic;
    case Attempt::LeavesEarly:
      return LoopResult::LeavesEarly;
    }
  }
  reason = "its variables keep changing their form";
  return LoopResult::Structure;
}

} // namespace jx::elab
