// Indexing and slicing of lists, tuples, strings and ranges; lists with elements that a compiled loop
// appended.
#include "compiler/elaborate/Containers.h"

namespace jx::elab {

namespace {

// Python's slice.indices for a static slice.
struct Bounds {
  int64_t start, stop, step;
  int64_t count() const {
    if (step > 0) return start < stop ? (stop - start + step - 1) / step : 0;
    return start > stop ? (start - stop - step - 1) / -step : 0;
  }
};

std::optional<Bounds> boundsOf(Evaluator &ev, const SliceNode &slice, int64_t size) {
  auto part = [&](Value v, int64_t fallback) -> std::optional<int64_t> {
    if (v.isNone()) return fallback;
    return ev.toStaticInt(v, "a bound of a slice of a sequence");
  };
  JX_TRY(step, part(slice.step, 1));
  if (*step == 0) {
    (void)ev.valueError("slice step cannot be zero");
    return std::nullopt;
  }
  bool forward = *step > 0;
  auto clamp = [&](int64_t v) {
    if (v < 0) v += size;
    return std::clamp<int64_t>(v, forward ? 0 : -1, forward ? size : size - 1);
  };
  Bounds result{forward ? 0 : size - 1, forward ? size : -1, *step};
  if (!slice.start.isNone()) {
    JX_TRY(start, part(slice.start, 0));
    result.start = clamp(*start);
  }
  if (!slice.stop.isNone()) {
    JX_TRY(stop, part(slice.stop, 0));
    result.stop = clamp(*stop);
  }
  return result;
}

// As IndexError calls it.
std::string sequenceName(Evaluator &ev, Value sequence) {
  return sequence.is(Kind::Str) ? "string" : ev.typeName(sequence);
}

// The index of an item, an int or what stands for one.
std::optional<int64_t> indexOf(Evaluator &ev, Value sequence, Value index) {
  if (index.is(Kind::Instance)) {
    Value own = ev.callDunder(index, "__index__", {});
    if (!own && !ev.isPending(Pending::None)) return Failed();
    index = own ? own : plainValue(index);
  }
  if (!index.isAny(Kind::Int, Kind::Bool, Kind::Host, Kind::Array))
    return ev.typeError(sequence.is(Kind::Str)
                            ? "string indices must be integers, not '" + ev.typeName(index) + "'"
                            : ev.typeName(sequence) + " indices must be integers or slices, not " +
                                  ev.typeName(index));
  return ev.toStaticInt(index, "the index of a " + sequenceName(ev, sequence));
}

bool hasSegments(Value list) {
  return list.is(Kind::List) &&
         llvm::any_of(list.asObject()->contents().values, [](Value v) { return v.is(Kind::Segment); });
}

} // namespace

Status takeApart(Evaluator &ev, Object *list) {
  if (!hasSegments(Value(list))) return Status::success();
  JX_TRY(items, ev.elements(Value(list)));
  ev.heap.replace(list, {{}, std::move(*items)});
  return Status::success();
}

Value Evaluator::sequenceItem(Value object, Value index) {
  if (hasSegments(object)) return segmentedItem(object, index);
  std::vector<Value> items;
  if (object.is(Kind::Tuple))
    items = object.asTuple().items;
  else if (object.is(Kind::List))
    items = object.asObject()->contents().values;
  int64_t size = items.size();
  if (object.isAny(Kind::Str, Kind::Bytes)) {
    JX_TRY(characters, elements(object));
    items = std::move(*characters);
    size = items.size();
  }
  if (object.is(Kind::Range)) {
    const SliceNode &range = object.asSlice();
    JX_TRY(count, toStaticInt(length(object), "the length of a range that is indexed"));
    size = *count;
    auto at = [&](int64_t i) {
      return binary(ast::BinaryOp::Add, range.start,
                    binary(ast::BinaryOp::Mul, range.step, Value::integer(i)));
    };
    if (index.is(Kind::Slice)) {
      JX_TRY(bounds, boundsOf(*this, index.asSlice(), size));
      Value step = binary(ast::BinaryOp::Mul, range.step, Value::integer(bounds->step));
      return arena.range(at(bounds->start), at(bounds->start + bounds->count() * bounds->step), step);
    }
    JX_TRY(i, indexOf(*this, object, index));
    if (*i < -size || *i >= size) return raise("IndexError", "range object index out of range");
    return at(*i < 0 ? *i + size : *i);
  }
  if (index.is(Kind::Slice)) {
    JX_TRY(bounds, boundsOf(*this, index.asSlice(), size));
    std::vector<Value> picked;
    for (int64_t i = 0; i < bounds->count(); ++i) picked.push_back(items[bounds->start + i * bounds->step]);
    if (object.is(Kind::Tuple)) return arena.tuple(std::move(picked));
    if (object.is(Kind::List)) return heap.list(std::move(picked));
    std::string text;
    for (Value item : picked)
      text += object.is(Kind::Str) ? item.asStr().str() : std::string(1, char(item.asInt()));
    return object.is(Kind::Str) ? arena.str(text) : arena.bytes(text);
  }
  if (object.isAny(Kind::Str, Kind::Tuple, Kind::List)) {
    Value picked = itemFromData(*this, items, index, sequenceName(*this, object));
    if (picked || !isPending(Pending::None)) return picked;
  }
  JX_TRY(i, indexOf(*this, object, index));
  if (*i < -size || *i >= size)
    return raise("IndexError", sequenceName(*this, object) + " index out of range");
  return items[*i < 0 ? *i + size : *i];
}

Status Evaluator::setListItem(Value list, Value index, Value value) {
  JX_CHECK(takeApart(*this, list.asObject()));
  Object *object = list.asObject();
  int64_t size = object->size();
  if (index.is(Kind::Slice)) {
    JX_TRY(bounds, boundsOf(*this, index.asSlice(), size));
    JX_TRY(items, elements(value));
    Contents contents = object->contents();
    if (bounds->step == 1) {
      auto first = contents.values.begin() + bounds->start;
      auto at = contents.values.erase(first, first + bounds->count());
      contents.values.insert(at, items->begin(), items->end());
    } else {
      if (int64_t(items->size()) != bounds->count())
        return valueError("attempt to assign sequence of size " + std::to_string(items->size()) +
                          " to extended slice of size " + std::to_string(bounds->count()));
      for (int64_t i = 0; i < bounds->count(); ++i)
        contents.values[bounds->start + i * bounds->step] = (*items)[i];
    }
    heap.replace(object, std::move(contents));
    return Status::success();
  }
  JX_TRY(i, indexOf(*this, list, index));
  if (*i < -size || *i >= size) return raise("IndexError", "list assignment index out of range");
  heap.set(object, *i < 0 ? *i + size : *i, value);
  return Status::success();
}

Status Evaluator::deleteListItem(Value list, Value index) {
  JX_CHECK(takeApart(*this, list.asObject()));
  Object *object = list.asObject();
  int64_t size = object->size();
  if (index.is(Kind::Slice)) {
    JX_TRY(bounds, boundsOf(*this, index.asSlice(), size));
    Contents contents = object->contents(), kept;
    for (int64_t i = 0; i < size; ++i) {
      int64_t k = i - bounds->start;
      bool removed = k % bounds->step == 0 && k / bounds->step >= 0 && k / bounds->step < bounds->count();
      if (!removed) kept.values.push_back(contents.values[i]);
    }
    heap.replace(object, std::move(kept));
    return Status::success();
  }
  JX_TRY(i, indexOf(*this, list, index));
  if (*i < -size || *i >= size) return raise("IndexError", "list assignment index out of range");
  heap.eraseAt(object, *i < 0 ? *i + size : *i);
  return Status::success();
}

} // namespace jx::elab
