// Lists with elements that a compiled loop appended: reading them back.
#include "compiler/dialect/JxDialect.h"
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
    // Counted from the end, part by part: needs no length of what stands before.
    int64_t back = -index.asInt();
    for (auto it = parts.rbegin(); it != parts.rend(); ++it) {
      if (!it->is(Kind::Segment)) {
        if (--back == 0) return *it;
        continue;
      }
      const SegmentNode &segment = it->asSegment();
      int64_t perTrip = segment.perTrip;
      int64_t tripsBack = (back + perTrip - 1) / perTrip;
      if (segment.count.isSmallInt() && tripsBack > segment.count.asInt()) {
        back -= segment.count.asInt() * perTrip;
        continue;
      }
      JX_TRY(trip, binary(ast::BinaryOp::Sub, segment.count, Value::integer(tripsBack)));
      if (trip.isHost()) {
        JX_TRY(enough, hostCompare(ast::CompareOp::GtE, trip, Value::integer(0)));
        JX_CHECK(emitCheck(enough, "IndexError", arena.str("list index out of range")));
      }
      return elementOf(*this, segment, trip, tripsBack * perTrip - back);
    }
    return raise("IndexError", "list index out of range");
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
