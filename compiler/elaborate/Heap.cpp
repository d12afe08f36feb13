// Objects, the undo log and read tracking. See Heap.h.
#include "compiler/elaborate/Heap.h"
#include "compiler/elaborate/Evaluator.h"
#include <set>

namespace jx::elab {

namespace {
constexpr size_t indexThreshold = 8; // below it a linear search of the keys is faster than a hash table
}

Value plainValue(Value v) {
  return v.is(Kind::Instance) && v.asObject()->payload ? *static_cast<const Value *>(v.asObject()->payload)
                                                       : v;
}

Object *userClass(Value v) {
  if (v.is(Kind::Tuple)) return v.asTuple().cls;
  return v.isAny(Kind::Instance, Kind::List, Kind::Dict, Kind::Set) ? v.asObject()->cls : nullptr;
}

void Object::noteRead(Value key, size_t index, bool whole) const {
  for (ReadSet *set = heap.reads; set; set = set->outer) {
    if (id >= set->firstNewId) continue;
    if (set->listsOnly && kind != Kind::List) continue;
    bool bySlot =
        !whole && kind != Kind::List && kind != Kind::Dict && kind != Kind::Set && kind != Kind::Iterator;
    if (!bySlot) {
      if (set->wholes.empty() || set->wholes.back() != std::make_pair(this, stamp))
        set->wholes.emplace_back(this, stamp);
      continue;
    }
    Value value;
    if (kind == Kind::Frame)
      value = held.values[index];
    else if (auto found = findQuiet(key))
      value = held.values[*found];
    set->slots.push_back({this, key, index, value});
  }
}

const UnboundNode *Object::whyUnknown() const {
  if (viewed || kind != Kind::List || held.values.size() != 1 || !held.values[0].is(Kind::Unbound))
    return nullptr;
  auto *why = static_cast<const UnboundNode *>(held.values[0].asPointer());
  return why->ofWholeList ? why : nullptr;
}

bool Object::showsDict() const {
  if (!viewed || kind != Kind::List) return false;
  const Contents &dict = viewed->contents();
  if (stamp == viewed->holder().stamp) return true;
  auto *self = const_cast<Object *>(this);
  self->stamp = viewed->holder().stamp;
  self->held.values = part == DictView::Keys ? dict.keys : dict.values;
  if (part != DictView::Items) return true;
  for (auto [key, value] : llvm::zip(dict.keys, self->held.values)) value = heap.arena.tuple({key, value});
  return true;
}

size_t Object::size() const {
  if (viewed) return viewed->size();
  if (heap.reads) noteRead({}, 0, true);
  return held.values.size();
}

Value Object::at(size_t index) const {
  if (showsDict()) return held.values[index];
  if (viewed) return viewed->at(index);
  if (heap.reads) noteRead(index < held.keys.size() ? held.keys[index] : Value(), index, false);
  return held.values[index];
}

Value Object::keyAt(size_t index) const {
  if (viewed) return viewed->keyAt(index);
  if (heap.reads) noteRead({}, 0, true);
  return held.keys[index];
}

std::optional<size_t> Object::findQuiet(Value key) const {
  if (held.keys.size() <= indexThreshold) {
    for (size_t i = 0; i < held.keys.size(); ++i)
      if (held.keys[i].keyEquals(key)) return i;
    return std::nullopt;
  }
  for (; indexed < held.keys.size(); ++indexed) index.emplace(held.keys[indexed].keyHash(), indexed);
  auto [first, last] = index.equal_range(key.keyHash());
  for (; first != last; ++first)
    if (held.keys[first->second].keyEquals(key)) return first->second;
  return std::nullopt;
}

std::optional<size_t> Object::find(Value key) const {
  if (viewed) return viewed->find(key);
  if (heap.reads) noteRead(key, 0, false);
  return findQuiet(key);
}

Value Object::get(Value key) const {
  if (viewed) return viewed->get(key);
  auto found = find(key);
  return found ? held.values[*found] : Value();
}

const Contents &Object::contents() const {
  if (showsDict()) return held;
  if (viewed) return viewed->contents();
  if (heap.reads) noteRead({}, 0, true);
  return held;
}

bool ReadSet::stillHolds() const {
  auto same = [](Value a, Value b) { return a && b ? a.identical(b) : !a && !b; };
  for (const Slot &slot : slots)
    if (!same(slot.value, slot.key                           ? slot.object->get(slot.key)
                          : slot.index < slot.object->size() ? slot.object->at(slot.index)
                                                             : Value()))
      return false;
  for (auto &[object, version] : wholes)
    if (object->version() != version) return false;
  return true;
}

void ReadSet::include(const ReadSet &other) {
  for (const Slot &slot : other.slots)
    if (slot.object->id < firstNewId) slots.push_back(slot);
  for (auto &whole : other.wholes)
    if (whole.first->id < firstNewId) wholes.push_back(whole);
}

Object *Heap::create(Kind kind, Contents contents) {
  objects.emplace_back(new Object(*this, kind, static_cast<uint32_t>(objects.size())));
  Object *object = objects.back().get();
  object->instanceKeys = llvm::any_of(contents.keys, [](Value key) { return key.is(Kind::Instance); });
  object->held = std::move(contents);
  object->stamp = ++stamps;
  return object;
}

Object *Heap::viewOf(Object *dict, DictView part) {
  Object *view = create(Kind::List);
  view->viewed = dict;
  view->part = part;
  view->stamp = 0;
  return view;
}

Object *Heap::viewOf(Object *object) {
  if (!object->view) {
    object->view = create(Kind::Dict);
    object->view->viewed = object;
  }
  return object->view;
}

// Modules of the library are filled once, whoever imports them first; that outlives the speculation it
// happens in.
static bool isLibraryModule(const Object *object) {
  return object->kind == Kind::Module && object->payload &&
         static_cast<const ModuleNode *>(object->payload)->isLibrary;
}

void Heap::willChange(Object *object) {
  if (current && !isLibraryModule(object) && object->savedIn != current->epoch &&
      object->id < current->firstNewId) {
    journal.push_back({object, object->held, object->stamp});
    object->savedIn = current->epoch;
  }
  object->stamp = ++stamps;
}

void Heap::set(Object *object, size_t index, Value value) {
  if (object->viewed) object = object->viewed;
  willChange(object);
  object->held.values[index] = value;
}

void Heap::put(Object *object, Value key, Value value) {
  if (object->viewed) object = object->viewed;
  auto found = object->findQuiet(key);
  willChange(object);
  if (found) {
    object->held.values[*found] = value;
    return;
  }
  object->instanceKeys |= key.is(Kind::Instance);
  object->held.keys.push_back(key);
  object->held.values.push_back(value);
}

bool Heap::erase(Object *object, Value key) {
  if (object->viewed) object = object->viewed;
  auto found = object->findQuiet(key);
  if (!found) return false;
  eraseAt(object, *found);
  return true;
}

void Heap::append(Object *object, Value value) {
  if (object->viewed) object = object->viewed;
  willChange(object);
  object->held.values.push_back(value);
}

void Heap::insert(Object *object, size_t index, Value value) {
  if (object->viewed) object = object->viewed;
  willChange(object);
  object->held.values.insert(object->held.values.begin() + index, value);
}

void Heap::eraseAt(Object *object, size_t index) {
  if (object->viewed) object = object->viewed;
  willChange(object);
  object->held.values.erase(object->held.values.begin() + index);
  if (!object->isMap()) return;
  object->held.keys.erase(object->held.keys.begin() + index);
  object->index.clear();
  object->indexed = 0;
}

void Heap::replace(Object *object, Contents contents) {
  if (object->viewed) object = object->viewed;
  willChange(object);
  object->held = std::move(contents);
  object->instanceKeys |= llvm::any_of(object->held.keys, [](Value key) { return key.is(Kind::Instance); });
  object->index.clear();
  object->indexed = 0;
}

Heap::Speculation::Speculation(Heap &heap)
    : heap(heap), journalStart(heap.journal.size()), firstNewId(static_cast<uint32_t>(heap.objects.size())),
      epoch(++heap.epochs), outer(heap.current) {
  heap.current = this;
}

Heap::Speculation::~Speculation() {
  if (open) rollback();
}

std::vector<Heap::Speculation::Change> Heap::Speculation::changes() const {
  std::vector<Change> result;
  std::set<Object *> seen;
  for (size_t i = journalStart; i < heap.journal.size(); ++i) {
    const JournalEntry &entry = heap.journal[i];
    if (entry.object->id < firstNewId && seen.insert(entry.object).second)
      result.push_back({entry.object, entry.before});
  }
  return result;
}

void Heap::Speculation::commit() {
  open = false;
  heap.current = outer;
  if (!outer) heap.journal.clear();
}

void Heap::Speculation::rollback() {
  open = false;
  heap.current = outer;
  for (size_t i = heap.journal.size(); i-- > journalStart;) {
    JournalEntry &entry = heap.journal[i];
    entry.object->held = std::move(entry.before);
    entry.object->stamp = entry.stamp;
    entry.object->savedIn = 0;
    entry.object->index.clear();
    entry.object->indexed = 0;
  }
  heap.journal.resize(journalStart);
}

} // namespace jx::elab
