// Hashing and equality of keys as Python defines them: numbers, tuples and frozen sets by value, instances by
// the `__hash__` and `__eq__` of their class. The heap itself compares keys by identity and content; what
// classes say comes in here, by asking for the key that a container already has.
#include "compiler/elaborate/Callable.h"
#include "compiler/elaborate/Containers.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

namespace jx::elab {

namespace {

constexpr int hashBits = 61;
constexpr uint64_t hashModulus = (uint64_t(1) << hashBits) - 1; // numbers hash to their residue

int64_t notMinusOne(uint64_t hash) { return static_cast<int64_t>(hash) == -1 ? -2 : hash; }

int64_t hashInt(Value v) {
  llvm::DynamicAPInt big = toBig(v), magnitude = big < 0 ? -big : big;
  int64_t residue = int64_t(magnitude % llvm::DynamicAPInt(int64_t(hashModulus)));
  return notMinusOne(big < 0 ? -residue : residue);
}

// Python/pyhash.c, _Py_HashDouble.
int64_t hashFloat(double v) {
  constexpr int infinity = 314159, digitBits = 28;
  if (std::isinf(v)) return v > 0 ? infinity : -infinity;
  if (std::isnan(v)) return 0;
  int exponent;
  double mantissa = std::fabs(std::frexp(v, &exponent));
  uint64_t x = 0;
  while (mantissa != 0) {
    x = ((x << digitBits) & hashModulus) | x >> (hashBits - digitBits);
    mantissa *= 1 << digitBits;
    exponent -= digitBits;
    auto digit = static_cast<uint64_t>(mantissa);
    mantissa -= static_cast<double>(digit);
    x += digit;
    if (x >= hashModulus) x -= hashModulus;
  }
  int turn = exponent >= 0 ? exponent % hashBits : hashBits - 1 - ((-1 - exponent) % hashBits);
  x = ((x << turn) & hashModulus) | x >> (hashBits - turn);
  return notMinusOne(v < 0 ? -x : x);
}

// Objects/tupleobject.c, tuplehash: xxHash without its final mixing.
int64_t hashTuple(llvm::ArrayRef<int64_t> parts) {
  constexpr uint64_t prime1 = 11400714785074694791u, prime2 = 14029467366897019727u,
                     prime5 = 2870177450012600261u;
  uint64_t hash = prime5;
  for (int64_t part : parts) hash = llvm::rotl(hash + uint64_t(part) * prime2, 31) * prime1;
  hash += parts.size() ^ (prime5 ^ 3527539u);
  return hash == ~uint64_t(0) ? 1546275796 : hash;
}

// Objects/setobject.c, frozenset_hash: in no order.
int64_t hashFrozenSet(llvm::ArrayRef<int64_t> parts) {
  uint64_t hash = 0;
  for (int64_t part : parts)
    hash ^= (uint64_t(part) ^ 89869747u ^ (uint64_t(part) << 16)) * uint64_t(3644798167u);
  hash ^= (uint64_t(parts.size()) + 1) * 1927868237u;
  hash ^= (hash >> 11) ^ (hash >> 25);
  return notMinusOne(hash * 69069u + 907133923u);
}

// The parts whose hashes make that of the whole; null for values without parts.
const std::vector<Value> *partsOfKey(Value v) {
  if (v.is(Kind::Tuple)) return &v.asTuple().items;
  return v.is(Kind::Set) && v.isHashable() ? &v.asObject()->contents().keys : nullptr;
}

int64_t hashParts(Value v, llvm::ArrayRef<int64_t> parts) {
  return v.is(Kind::Tuple) ? hashTuple(parts) : hashFrozenSet(parts);
}

// Whether what equals the key is for its class to say.
bool asksClass(Value v) {
  if (v.isAny(Kind::Instance, Kind::Opaque)) return true;
  const std::vector<Value> *parts = partsOfKey(v);
  return parts && llvm::any_of(*parts, asksClass);
}

Failed unhashable(Evaluator &ev, Value v) {
  return ev.fail(DiagKind::Unhashable, "unhashable type: '" + ev.typeName(v) + "'");
}

// The key with numbers and strings of the run made static, also within tuples.
Value staticKey(Evaluator &ev, Value key) {
  if (key.isAny(Kind::Host, Kind::Text)) return ev.toStatic(key, "a key of a dict or an element of a set");
  if (!key.is(Kind::Tuple) || key.isHashable()) return key;
  std::vector<Value> items = key.asTuple().items;
  for (Value &item : items) {
    item = staticKey(ev, item);
    if (!item) return Failed();
  }
  return ev.arena.tuple(std::move(items), key.asTuple().cls);
}

} // namespace

std::optional<int64_t> plainHash(Value v) {
  if (v.isAny(Kind::Bool, Kind::Int)) return hashInt(v);
  if (v.is(Kind::Float)) return hashFloat(v.asFloat());
  if (v.is(Kind::Complex))
    return notMinusOne(hashFloat(v.asComplex().first) + 1000003u * hashFloat(v.asComplex().second));
  if (v.isNone()) return 0xFCA86420;
  const std::vector<Value> *parts = partsOfKey(v);
  if (!parts) return std::nullopt;
  std::vector<int64_t> hashes;
  for (Value part : *parts) {
    std::optional<int64_t> hash = plainHash(part);
    if (!hash) return std::nullopt;
    hashes.push_back(*hash);
  }
  return hashParts(v, hashes);
}

std::optional<int64_t> hashOf(Evaluator &ev, Value v) {
  if (std::optional<int64_t> plain = plainHash(v)) return plain;
  if (v.isAny(Kind::Host, Kind::Text)) {
    JX_TRY(known, ev.toStatic(v, "a key of a dict or an element of a set"));
    return hashOf(ev, known);
  }
  if (const std::vector<Value> *parts = partsOfKey(v)) {
    std::vector<int64_t> hashes;
    for (Value part : *parts) {
      JX_TRY(hash, hashOf(ev, part));
      hashes.push_back(*hash);
    }
    return hashParts(v, hashes);
  }
  if (v.is(Kind::Opaque)) return 0; // of pullbacks and tree definitions; equality decides
  Object *cls = userClass(v);
  if (Value own = cls ? ev.lookUpClass(cls, "__hash__") : Value()) {
    if (own.isNone()) return unhashable(ev, v);
    JX_TRY(hash, ev.callDunder(v, "__hash__", {}));
    JX_TRY(known, ev.toStatic(hash, "the result of `__hash__`"));
    if (!known.isAny(Kind::Int, Kind::Bool)) {
      (void)ev.typeError("__hash__ method should return an integer");
      return std::nullopt;
    }
    return hashInt(known);
  }
  if (isStandIn(v)) return hashOf(ev, plainValue(v));
  if (!v.isHashable()) return unhashable(ev, v);
  return static_cast<int64_t>(v.keyHash() >> 2);
}

Value keyIn(Evaluator &ev, const Object *container, Value key) {
  key = staticKey(ev, key);
  if (!key) return Failed();
  bool asks = asksClass(key);
  if (!asks && !key.isHashable()) {
    if (!key.is(Kind::Tuple)) return unhashable(ev, key);
    JX_TRY(hash, hashOf(ev, key)); // names the part that has none
  }
  if (!asks && !container->hasInstanceKeys()) return key;
  JX_TRY(hash, hashOf(ev, key));
  if (key.is(Kind::Instance)) ev.keyHashes[key.asObject()] = *hash;
  if (container->find(key)) return key;
  const std::vector<Value> candidates = container->contents().keys;
  for (Value candidate : candidates) {
    if (!asks && !asksClass(candidate)) continue;
    auto known = candidate.is(Kind::Instance) ? ev.keyHashes.find(candidate.asObject()) : ev.keyHashes.end();
    std::optional<int64_t> other =
        known != ev.keyHashes.end() ? std::optional(known->second) : hashOf(ev, candidate);
    if (!other) return Failed();
    if (*other != *hash) continue;
    JX_TRY(same, ev.isEqual(candidate, key));
    JX_TRY(decided, ev.toStatic(same, "whether two keys are equal"));
    Truth equal = ev.truth(decided);
    if (equal == Truth::Failed) return Failed();
    if (equal == Truth::True) return candidate;
  }
  return key;
}

Status putItem(Evaluator &ev, Object *container, Value key, Value value) {
  JX_TRY(own, keyIn(ev, container, key));
  ev.heap.put(container, own, value);
  return Status::success();
}

} // namespace jx::elab
