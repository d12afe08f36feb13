// Templates: the form that a slot's value has on every path, with typed holes where it varies. Branches join
// the values of their ends, loops the values at entry and at the end of the body. A template turns a value
// into the operands of a `jx.yield`, and results of a region operation back into a value.
#pragma once
#include "compiler/elaborate/Evaluator.h"

namespace jx::elab {

// Whether the value is defined in the region or below it. Regions of loops and branches that are still being
// elaborated hang in no operation yet, which Region::isAncestor does not allow for.
bool isDefinedIn(mlir::Region &region, mlir::Value value);

struct LeafType {
  mlir::Type type; // of the SSA value: a tensor or a stack
  bool weak = false;
  bool isHost = false;
  HostType host = HostType::Int;
  bool operator==(const LeafType &) const = default;
};

struct Template {
  enum Form : uint8_t {
    Fixed,     // the same value on every path
    Leaf,      // an array or host number
    Aggregate, // tuple, slice, range, or a fresh object of the same kind, class and keys
    Closure,   // functions of the same code; children are the variables they captured
    Text,      // strings of the same parts; children are the holes
    Choice,    // a string that the branch selects; children are the holes of all choices, as leaves
    Known,     // one of several known strings; the child is the position in `choices`
    Optional,  // None or a value; the children are whether it is there, and its form
  } form = Fixed;
  Value sample; // Fixed: the value; Aggregate, Closure: one of the values, for its kind, class and keys
  LeafType leaf;
  std::vector<Template> children;
  std::vector<Value> choices;

  bool hasLeaves() const;
  bool operator==(const Template &other) const;
};

// What the host leaves of an instantiated template are called when something demands them.
struct LeafOrigin {
  SymbolInfo::Kind kind = SymbolInfo::Data;
  std::string name;
  uint32_t loop = 0;
  SourceRange range;
  std::vector<Symbol> sources;
};

class Joiner {
public:
  Joiner(Evaluator &ev) : ev(ev) {}
  std::string reason; // why the last join failed
  // What the branches or the body define, which a value that stands beside None must be opened for.
  std::function<bool(mlir::Value)> isInside;
  uint32_t firstNew = UINT32_MAX;

  // The common form of the values; strings that differ become a Choice if allowed.
  std::optional<Template> join(llvm::ArrayRef<Value> values, bool allowChoice);
  // The template made general enough for one more value.
  std::optional<Template> widen(const Template &form, Value value);
  // The form of one value in which everything run-time that `isInside` holds for is a leaf.
  std::optional<Template> open(Value value, llvm::function_ref<bool(mlir::Value)> isInside,
                               uint32_t firstNewObject);

  // Appends the SSA values of the leaves, converted where the value is weaker than the form.
  Status materialise(const Template &form, Value value, llvm::SmallVectorImpl<mlir::Value> &out);
  // Zeros for the leaves.
  Status zeros(const Template &form, llvm::SmallVectorImpl<mlir::Value> &out);
  void types(const Template &form, llvm::SmallVectorImpl<mlir::Type> &out);
  // A value of this form from SSA values, taken from the front of `leaves`; `index` selects choices.
  Value instantiate(const Template &form, llvm::ArrayRef<mlir::Value> &leaves, const LeafOrigin &origin,
                    mlir::Value index = {});

private:
  std::optional<Template> fail(const std::string &why);
  std::optional<Template> joinNumbers(llvm::ArrayRef<Value> values);
  std::optional<Template> joinLeaf(llvm::ArrayRef<LeafType> types, llvm::ArrayRef<Value> values);
  std::optional<Template> joinTexts(llvm::ArrayRef<Value> values, bool allowChoice);
  std::optional<Template> joinKnown(std::vector<Value> choices, llvm::ArrayRef<Value> values);
  std::optional<Template> joinOptional(llvm::ArrayRef<Value> values, bool allowChoice);
  std::optional<Template> widenOptional(const Template &form, Value value);
  mlir::Value positionOf(Value text, llvm::ArrayRef<Value> choices);
  std::string describe(Value v);
  Evaluator &ev;
  unsigned depth = 0;
  std::vector<std::pair<Value, size_t>>
      path; // to the part that is being joined: aggregates and positions in them
};

// The parts of an aggregate value: items of a tuple, contents of an object, parts of a slice.
std::vector<Value> partsOf(Value v);

} // namespace jx::elab
