// Lists with elements that a compiled loop appended: reading them back.
#include "compiler/dialect/JxDialect.h"
#include "compiler/elaborate/Branches.h"
#include "compiler/elaborate/Joins.h"

namespace jx::elab {

namespace {

// Row `trip` (static or host) of a stack as an SSA value.
mlir::Value rowOf(Evaluator &ev, Value stack, Value trip) {
  mlir::Builder b(&ev.context);
  if (llvm::isa<jx::StackType>(stack.asArray().getType())) {
    mlir::Value index = ev.hostTensor(trip, HostType::Int);
    return index ? ev.emit1("jx.stack_get", {stack.asArray(), index}) : index;
  }
  auto type = stack.arrayType();
  llvm::SmallVector<int64_t> sizes(type.getShape());
  mlir::Value row;
  if (trip.isSmallInt()) {
    llvm::SmallVector<int64_t> starts(sizes.size(), 0), limits = sizes, strides(sizes.size(), 1);
    starts[0] = trip.asInt();
    limits[0] = trip.asInt() + 1;
    row = ev.emit1("jx.slice", {stack.asArray()},
                   {b.getNamedAttr("starts", b.getDenseI64ArrayAttr(starts)),
                    b.getNamedAttr("limits", b.getDenseI64ArrayAttr(limits)),
                    b.getNamedAttr("strides", b.getDenseI64ArrayAttr(strides))});
  } else {
    llvm::SmallVector<mlir::Value> operands{stack.asArray(), ev.hostTensor(trip, HostType::Int)};
    mlir::Value zero = ev.hostTensor(Value::integer(0), HostType::Int);
    if (!operands[1] || !zero) return {};
    operands.append(sizes.size() - 1, zero);
    sizes[0] = 1;
    row = ev.emit1("jx.dynamic_slice", operands, b.getNamedAttr("sizes", b.getDenseI64ArrayAttr(sizes)));
  }
  if (!row) return {};
  return ev.emit1("jx.reshape", {row},
                  b.getNamedAttr("shape", b.getDenseI64ArrayAttr(type.getShape().drop_front())));
}

// Element `which` of the trip.
Value elementOf(Evaluator &ev, const SegmentNode &segment, Value trip, size_t which) {
  Joiner joiner(ev);
  size_t first = 0;
  for (size_t i = 0; i < which; ++i) {
    llvm::SmallVector<mlir::Type> types;
    joiner.types((*segment.forms)[i], types);
    first += types.size();
  }
  const Template &form = (*segment.forms)[which];
  llvm::SmallVector<mlir::Type> types;
  joiner.types(form, types);
  llvm::SmallVector<mlir::Value> rows;
  for (size_t i = 0; i < types.size(); ++i) {
    mlir::Value row = rowOf(ev, segment.stacks[first + i], trip);
    if (!row) return Failed();
    rows.push_back(row);
  }
  llvm::ArrayRef<mlir::Value> leaves = rows;
  return joiner.instantiate(form, leaves,
                            LeafOrigin{SymbolInfo::Data, "an element of a list", 0, ev.userHere(), {}});
}

Value fromTheEnd(Evaluator &ev, llvm::ArrayRef<Value> parts, int64_t back);

// The element that stands `back` from the end of a segment of run-time length, or of the parts before it
// while the segment is shorter than that.
Value fromOpenSegment(Evaluator &ev, const SegmentNode &segment, llvm::ArrayRef<Value> before, int64_t back) {
  int64_t perTrip = segment.perTrip, tripsBack = (back + perTrip - 1) / perTrip;
  JX_TRY(trip, ev.binary(ast::BinaryOp::Sub, segment.count, Value::integer(tripsBack)));
  auto own = [&] { return elementOf(ev, segment, trip, tripsBack * perTrip - back); };
  if (trip.isSmallInt()) return own();
  int64_t available = 0; // elements of the parts before; those of other open segments are checked there
  for (Value part : before) {
    if (!part.is(Kind::Segment))
      ++available;
    else
      available = part.asSegment().count.isSmallInt()
                      ? available + part.asSegment().count.asInt() * int64_t(part.asSegment().perTrip)
                      : available + back;
  }
  // With k trips so far, k >= least, there is such an element.
  int64_t least = std::min(tripsBack, (std::max<int64_t>(back - available, 0) + perTrip - 1) / perTrip);
  JX_TRY(enough, ev.compare(ast::CompareOp::GtE, segment.count, Value::integer(least)));
  if (enough.isHost()) JX_CHECK(ev.emitCheck(enough, "IndexError", ev.arena.str("list index out of range")));
  Value selector = Value::integer(0);
  std::vector<std::function<Value()>> choices;
  for (int64_t k = least; k < tripsBack; ++k) {
    choices.push_back([&, k] { return fromTheEnd(ev, before, back - k * perTrip); });
    JX_TRY(more, ev.compare(ast::CompareOp::Gt, segment.count, Value::integer(k)));
    JX_TRY(step, ev.binary(ast::BinaryOp::Add, more, Value::integer(0)));
    selector = ev.binary(ast::BinaryOp::Add, selector, step);
    if (!selector) return Failed();
  }
  choices.push_back(own);
  return selector.isSmallInt() ? choices[selector.asInt()]() : joinValues(ev, selector, choices);
}

// Counted from the end, part by part: needs no length of what stands before.
Value fromTheEnd(Evaluator &ev, llvm::ArrayRef<Value> parts, int64_t back) {
  for (; !parts.empty(); parts = parts.drop_back()) {
    if (!parts.back().is(Kind::Segment)) {
      if (--back == 0) return parts.back();
      continue;
    }
    const SegmentNode &segment = parts.back().asSegment();
    int64_t length = segment.count.isSmallInt() ? segment.count.asInt() * int64_t(segment.perTrip) : back;
    if (back <= length) return fromOpenSegment(ev, segment, parts.drop_back(), back);
    back -= length;
  }
  return ev.raise("IndexError", "list index out of range");
}

} // namespace

std::optional<std::vector<Value>> Evaluator::segmentElements(Value value) {
  const SegmentNode &segment = value.asSegment();
  JX_TRY(count, toStaticInt(segment.count, "the length of a list that a compiled loop built"));
  if (*count > int64_t(options.maxUnrolledElements)) {
    (void)fail(DiagKind::UnrollLimit, "a list of " + std::to_string(*count) +
                                          " elements would be taken apart one by one; the limit is " +
                                          std::to_string(options.maxUnrolledElements));
    return Failed();
  }
  std::vector<Value> items;
  for (int64_t trip = 0; trip < *count; ++trip)
    for (size_t k = 0; k < segment.perTrip; ++k) {
      JX_TRY(item, elementOf(*this, segment, Value::integer(trip), k));
      items.push_back(item);
    }
  return items;
}

Value Evaluator::segmentedItem(Value list, Value index) {
  const std::vector<Value> parts = list.asObject()->contents().values;
  if (index.is(Kind::Slice)) {
    JX_TRY(items, elements(list));
    return sequenceItem(heap.list(std::move(*items)), index);
  }
  bool fromEnd = index.isSmallInt() && index.asInt() < 0;
  if (fromEnd) {
    return fromTheEnd(*this, parts, -index.asInt());
  }
  if (index.isArray()) {
    index = arrayToHost(index, HostType::Int);
    if (!index) return Failed();
  }
  if (index.isHost() && parts.size() == 1 && parts[0].asSegment().perTrip == 1) {
    const SegmentNode &segment = parts[0].asSegment();
    JX_TRY(low, hostCompare(ast::CompareOp::GtE, index, Value::integer(0)));
    JX_TRY(high, hostCompare(ast::CompareOp::Lt, index, segment.count));
    JX_CHECK(emitCheck(hostAnd(low, high), "IndexError", arena.str("list index out of range")));
    return elementOf(*this, segment, index, 0);
  }
  JX_TRY(at, toStaticInt(index, "the index of a list"));
  int64_t left = *at;
  for (Value part : parts) {
    if (!part.is(Kind::Segment)) {
      if (left-- == 0) return part;
      continue;
    }
    const SegmentNode &segment = part.asSegment();
    int64_t trip = left / static_cast<int64_t>(segment.perTrip);
    JX_TRY(inside, compare(ast::CompareOp::Lt, Value::integer(trip), segment.count));
    if (inside.isHost()) {
      JX_CHECK(emitCheck(inside, "IndexError", arena.str("list index out of range")));
      inside = Value::boolean(true);
    }
    if (inside.asBool()) return elementOf(*this, segment, Value::integer(trip), left % segment.perTrip);
    left -= segment.count.asInt() * static_cast<int64_t>(segment.perTrip);
  }
  return raise("IndexError", "list index out of range");
}

} // namespace jx::elab
