// The values that elaboration computes with: static Python values, host values (Python numbers and strings
// known at run time only), and arrays (typed SSA values). A Value is 16 bytes and copied freely; what does
// not fit is an immutable node in the arena, or an Object of the heap (Heap.h) for everything that has
// identity.
#pragma once
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace jx::elab {

class Evaluator;
class Object;
struct HostNode;
struct TextNode;
struct TupleNode;
struct SliceNode;
struct NativeNode;
struct MethodNode;
struct SegmentNode;
struct ChoiceNode;
struct UnboundNode;
struct Template;

enum class Kind : uint8_t {
  Null,    // no value: the call failed, the reason is pending in the Evaluator
  Unbound, // a name or slot that may not be read, with the reason (UnboundNode)
  None,
  Ellipsis,
  NotImplemented,
  // static data
  Bool,
  Int, // unbounded
  Float,
  Complex,
  Str,
  Bytes,
  Dtype, // an element type: `x.dtype`, or the class `jnp.float32` that converts to it
  Tuple, // also instances of NamedTuple classes
  Slice,
  Range,
  // run-time data
  Array,
  Host,    // run-time Python int, float or bool
  Text,    // run-time string: literal parts with holes
  Segment, // elements that a compiled loop appended to a list
  Choice,  // None or another value, as a run-time condition decides
  // things with behaviour
  Native, // function of the elaborator itself
  Method, // function bound to its first argument
  // heap objects
  Frame,
  Function,
  Module,
  Class,
  List,
  Dict,
  Set,
  Instance,
  Iterator,
  Generator,
  Opaque, // object of the elaborator with C++ state: pullbacks, tree definitions, ...
};

// Result of a function that failed; the Evaluator holds the reason.
struct Failed {
  template <typename T> operator std::optional<T>() const { return std::nullopt; }
};

// Success or failure of a step without a result.
class [[nodiscard]] Status {
public:
  Status(Failed) : ok(false) {}
  static Status success() { return Status(true); }
  explicit operator bool() const { return ok; }

private:
  explicit Status(bool ok) : ok(ok) {}
  bool ok;
};

class Value {
public:
  Value() : kindTag(Kind::Null), bits(0) {}
  Value(Failed) : Value() {}
  static Value none() { return Value(Kind::None); }
  static Value ellipsis() { return Value(Kind::Ellipsis); }
  static Value notImplemented() { return Value(Kind::NotImplemented); }
  static Value boolean(bool b) { return Value(Kind::Bool, b); }
  static Value integer(int64_t i) { return Value(Kind::Int, static_cast<uint64_t>(i)); }
  static Value real(double d) {
    Value v(Kind::Float);
    v.number = d;
    return v;
  }
  static Value dtype(mlir::Type t) { return Value(Kind::Dtype, t.getAsOpaquePointer()); }
  static Value scalarType(mlir::Type t) { // jnp.float32, which differs from its dtype by name only
    Value v = dtype(t);
    v.flag = true;
    return v;
  }
  static Value array(mlir::Value v, bool weak) {
    Value result(Kind::Array, v.getAsOpaquePointer());
    result.flag = weak;
    return result;
  }
  static Value node(Kind kind, const void *node) { return Value(kind, node); }
  static Value bigInteger(const llvm::DynamicAPInt *node) {
    Value v(Kind::Int, node);
    v.flag = true;
    return v;
  }
  Value(Object *object);

  explicit operator bool() const { return kindTag != Kind::Null; }
  Kind kind() const { return kindTag; }
  bool is(Kind k) const { return kindTag == k; }
  template <typename... Ks> bool isAny(Ks... ks) const { return ((kindTag == ks) || ...); }
  bool isNone() const { return is(Kind::None); }
  bool isArray() const { return is(Kind::Array); }
  bool isHost() const { return is(Kind::Host); }
  bool isObject() const { return kindTag >= Kind::Frame; }
  bool isStaticNumber() const { return isAny(Kind::Bool, Kind::Int, Kind::Float, Kind::Complex); }
  bool isNumber() const { return isStaticNumber() || isHost(); }

  bool asBool() const { return bits != 0; }
  bool isSmallInt() const { return is(Kind::Int) && !flag; }
  int64_t asInt() const { return static_cast<int64_t>(bits); } // requires isSmallInt
  double asFloat() const { return number; }
  mlir::Type asDtype() const { return mlir::Type::getFromOpaquePointer(pointer); }
  mlir::Value asArray() const { return mlir::Value::getFromOpaquePointer(pointer); }
  bool isWeak() const { return flag; }                          // arrays
  bool isScalarType() const { return is(Kind::Dtype) && flag; } // made by scalarType
  mlir::RankedTensorType arrayType() const { return llvm::cast<mlir::RankedTensorType>(asArray().getType()); }
  llvm::StringRef asStr() const { return *static_cast<const std::string *>(pointer); } // Str, Bytes
  const llvm::DynamicAPInt &asBig() const { return *static_cast<const llvm::DynamicAPInt *>(pointer); }
  const HostNode &asHost() const { return *static_cast<const HostNode *>(pointer); }
  const TextNode &asText() const { return *static_cast<const TextNode *>(pointer); }
  const TupleNode &asTuple() const { return *static_cast<const TupleNode *>(pointer); }
  const SliceNode &asSlice() const { return *static_cast<const SliceNode *>(pointer); } // Slice, Range
  const NativeNode &asNative() const { return *static_cast<const NativeNode *>(pointer); }
  const MethodNode &asMethod() const { return *static_cast<const MethodNode *>(pointer); }
  const SegmentNode &asSegment() const { return *static_cast<const SegmentNode *>(pointer); }
  const ChoiceNode &asChoice() const { return *static_cast<const ChoiceNode *>(pointer); }
  const std::pair<double, double> &asComplex() const {
    return *static_cast<const std::pair<double, double> *>(pointer);
  }
  Object *asObject() const { return static_cast<Object *>(const_cast<void *>(pointer)); }
  const void *asPointer() const { return pointer; }

  // The same value in the sense of Python's `is` for objects, and of equal content for numbers and strings.
  bool identical(Value other) const;
  // Equality and hash of dictionary keys: 1 == 1.0 == True; strings and tuples by content, objects by
  // identity.
  bool keyEquals(Value other) const;
  size_t keyHash() const;
  // A key of a dict or set: static, or an object by identity.
  bool isHashable() const;

private:
  explicit Value(Kind kind, uint64_t bits = 0) : kindTag(kind), bits(bits) {}
  Value(Kind kind, const void *pointer) : kindTag(kind), pointer(pointer) {}
  Kind kindTag;
  bool flag = false; // weak array, big integer, scalar type
  union {
    uint64_t bits;
    double number;
    const void *pointer;
  };
};

struct TupleNode {
  std::vector<Value> items;
  Object *cls = nullptr; // the class of a NamedTuple or of another subclass of tuple
};

struct SliceNode { // slice(start, stop, step) or range(start, stop, step); the parts may be host ints
  Value start, stop, step;
};

struct CallArgs {
  llvm::SmallVector<Value, 6> positional;
  llvm::SmallVector<std::pair<llvm::StringRef, Value>, 2> keywords;
  // Takes the keyword out; null when it was not given.
  Value takeKeyword(llvm::StringRef name);
};
using NativeFn = std::function<Value(Evaluator &, CallArgs &)>;

struct NativeNode {
  std::string name;
  NativeFn fn;
};

struct MethodNode {
  Value function, self;
};

// Elements that a compiled loop appended: `count` trips of `perTrip` elements each. `stacks` has one array
// with a leading dimension (a !jx.stack when the count is not static) for each leaf of each of `forms`.
struct SegmentNode {
  std::vector<Value> stacks;
  std::shared_ptr<std::vector<Template>> forms; // of the elements of one trip
  size_t perTrip = 0;
  Value count; // Int or Host int
};

// None, or `value` where `present`, a host bool, is true (Choices.h).
struct ChoiceNode {
  Value present, value;
};

struct UnboundNode {
  bool ofWholeList;
  std::string reason; // completes "`x` has no value here: "; of a list's elements, a sentence
};

// Owns every node for the life of the Evaluator.
class Arena {
public:
  ~Arena();
  template <typename T, typename... Args> T *make(Args &&...args) {
    T *object = new (allocator.Allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
    if constexpr (!std::is_trivially_destructible_v<T>)
      destructors.emplace_back(object, [](void *p) { static_cast<T *>(p)->~T(); });
    return object;
  }
  Value str(llvm::StringRef text); // interned when short
  Value bytes(llvm::StringRef text) { return Value::node(Kind::Bytes, make<std::string>(text.str())); }
  Value integer(const llvm::DynamicAPInt &value);
  Value complex(double re, double im) {
    return Value::node(Kind::Complex, make<std::pair<double, double>>(re, im));
  }
  Value tuple(std::vector<Value> items, Object *cls = nullptr) {
    return Value::node(Kind::Tuple, make<TupleNode>(std::move(items), cls));
  }
  Value slice(Value start, Value stop, Value step) {
    return Value::node(Kind::Slice, make<SliceNode>(start, stop, step));
  }
  Value range(Value start, Value stop, Value step) {
    return Value::node(Kind::Range, make<SliceNode>(start, stop, step));
  }
  Value native(llvm::StringRef name, NativeFn fn) {
    return Value::node(Kind::Native, make<NativeNode>(name.str(), std::move(fn)));
  }
  Value method(Value function, Value self) {
    return Value::node(Kind::Method, make<MethodNode>(function, self));
  }
  Value unbound(llvm::StringRef reason, bool ofWholeList = false) {
    return Value::node(Kind::Unbound, make<UnboundNode>(ofWholeList, reason.str()));
  }

private:
  llvm::BumpPtrAllocator allocator;
  std::vector<std::pair<void *, void (*)(void *)>> destructors;
  llvm::StringMap<const std::string *> interned;
};

// The integer as arbitrary precision, also of bools.
llvm::DynamicAPInt toBig(Value v);
// The value of a static number; ints are rounded.
double toDouble(Value v);

} // namespace jx::elab

// Declares a variable with the result of a step that may fail, or passes the failure on.
#define JX_TRY(variable, ...)                                                                                \
  auto variable = (__VA_ARGS__);                                                                             \
  if (!variable) return ::jx::elab::Failed()
// Passes the failure of a step on.
#define JX_CHECK(...)                                                                                        \
  do                                                                                                         \
    if (!(__VA_ARGS__)) return ::jx::elab::Failed();                                                         \
  while (false)
