// The heap of elaboration: objects with identity and Python's aliasing, and the undo log that makes
// speculation safe. Everything that can change is an object, the variables of a function included, so that
// "what did this loop body change" is one question with one answer: compare contents before and after.
#pragma once
#include "compiler/elaborate/Value.h"
#include <memory>
#include <unordered_map>

namespace jx::elab {

class Heap;

enum class DictView : uint8_t { Keys, Values, Items };

// What an object holds. Maps (dicts, namespaces, attributes of instances) have a key for each value; sets
// have keys only, with None as values; lists and frames have values only.
struct Contents {
  std::vector<Value> keys;
  std::vector<Value> values;
};

class Object {
public:
  const Kind kind;
  const uint32_t id;
  Object *cls = nullptr; // class of an instance; of a list, dict or set, where it is not the built-in one
  Object *attributes = nullptr;  // of an instance of a subclass of list, dict or set: a dict
  const void *payload = nullptr; // immutable part: FunctionNode, ClassNode, ...
  std::shared_ptr<void> opaque;  // C++ state of Kind::Opaque

  bool isMap() const { return kind != Kind::List && kind != Kind::Frame && kind != Kind::Iterator; }
  size_t size() const;
  Value at(size_t index) const;
  Value keyAt(size_t index) const;
  std::optional<size_t> find(Value key) const;
  // The value under a key; null when there is none.
  Value get(Value key) const;
  // Everything, as it is now; counts as a read of the whole object.
  const Contents &contents() const;
  // The same, for comparing what happened to the object: that is no read.
  const Contents &peek() const { return holder().held; }
  uint64_t version() const { return holder().stamp; }
  // Whether an instance was ever among the keys: its class may call other keys equal to it.
  bool hasInstanceKeys() const { return holder().instanceKeys; }
  // Why the elements of a list are not known, not even their number; null where they are. Such a list holds
  // the reason alone.
  const UnboundNode *whyUnknown() const;

private:
  friend class Heap;
  Object(Heap &heap, Kind kind, uint32_t id) : kind(kind), id(id), heap(heap) {}
  const Object &holder() const { return viewed ? *viewed : *this; }
  // Of a list that views a dict: whether it was brought up to date here.
  bool showsDict() const;
  void noteRead(Value key, size_t index, bool whole) const;
  std::optional<size_t> findQuiet(Value key) const;
  Heap &heap;
  Object *viewed = nullptr; // the object whose contents a dict shows and changes: `vars(x)`
  Object *view = nullptr;   // the dict that does so for this object, once it was asked for
  bool instanceKeys = false;
  DictView part = DictView::Keys; // of a list that views a dict
  Contents held;
  uint64_t stamp = 0;
  uint32_t savedIn = 0; // the speculation that already keeps this object's old contents
  mutable std::unordered_multimap<size_t, uint32_t>
      index; // of keys, kept once the object has more than a few
  mutable size_t indexed = 0;
};

// What an instance of a subclass of int, float, str, bytes or complex stands for; other values are
// themselves.
Value plainValue(Value v);
inline bool isStandIn(Value v) { return v.is(Kind::Instance) && v.asObject()->payload; }

// The class of an instance, also of a tuple, list, dict or set, unless it is the built-in one; else null.
Object *userClass(Value v);

// What a function being elaborated read of objects older than itself: the condition under which its result
// may be used again.
struct ReadSet {
  struct Slot {
    const Object *object;
    Value key;    // null for frames
    size_t index; // frames
    Value value;
  };
  uint32_t firstNewId = 0;
  std::vector<Slot> slots;
  std::vector<std::pair<const Object *, uint64_t>> wholes;
  bool listsOnly = false; // only whole reads of lists are of interest
  ReadSet *outer = nullptr;
  bool stillHolds() const;
  // Adds what a used memo entry had read.
  void include(const ReadSet &other);
};

class Heap {
public:
  explicit Heap(Arena &arena) : arena(arena) {}
  Arena &arena;

  Object *create(Kind kind, Contents contents = {});
  Object *list(std::vector<Value> items) { return create(Kind::List, {{}, std::move(items)}); }
  Object *dict() { return create(Kind::Dict); }
  // The attributes of an object as a dict: what changes in one changes in the other.
  Object *viewOf(Object *object);
  // The keys, values or pairs of a dict as a list that shows them as they are when it is asked.
  Object *viewOf(Object *dict, DictView part);

  void set(Object *object, size_t index, Value value);
  void put(Object *object, Value key, Value value);
  // False when the key was absent.
  bool erase(Object *object, Value key);
  void append(Object *object, Value value);
  void insert(Object *object, size_t index, Value value);
  void eraseAt(Object *object, size_t index);
  void replace(Object *object, Contents contents);

  // A stretch of speculation. Brackets nest; each ends in commit or rollback.
  class Speculation {
  public:
    explicit Speculation(Heap &heap);
    ~Speculation();
    Speculation(const Speculation &) = delete;
    Speculation &operator=(const Speculation &) = delete;
    // An object that existed before and was written since, with its contents at the beginning.
    struct Change {
      Object *object;
      Contents before;
    };
    std::vector<Change> changes() const;
    bool isNew(const Object *object) const { return object->id >= firstNewId; }
    uint32_t firstNew() const { return firstNewId; }
    void commit();
    void rollback();

  private:
    friend class Heap;
    Heap &heap;
    size_t journalStart;
    uint32_t firstNewId;
    uint32_t epoch;
    Speculation *outer;
    bool open = true;
  };
  bool speculating() const { return current != nullptr; }
  // Whether the object is older than the innermost speculation, which would have to undo what changes in it.
  bool isOlder(const Object *object) const { return current && object->id < current->firstNewId; }

  // While a ReadSet is installed, reads of objects older than it are recorded.
  ReadSet *reads = nullptr;
  uint32_t nextObjectId() const { return static_cast<uint32_t>(objects.size()); }

private:
  friend class Object;
  void willChange(Object *object);
  struct JournalEntry {
    Object *object;
    Contents before;
    uint64_t stamp;
  };
  std::vector<std::unique_ptr<Object>> objects;
  std::vector<JournalEntry> journal;
  Speculation *current = nullptr;
  uint32_t epochs = 0;
  uint64_t stamps = 0;
};

} // namespace jx::elab
