// Pytrees as JAX knows them: tuples, lists, dicts (by sorted keys), None, named tuples, and classes that a
// program registered. Everything else is a leaf.
#pragma once
#include "compiler/elaborate/Callable.h"
#include "compiler/elaborate/Evaluator.h"

namespace jx::elab {

struct TreeDef {
  enum Form : uint8_t { Leaf, None, Tuple, List, Dict, Custom } form = Leaf;
  Object *cls = nullptr;   // Custom, and Tuple of a named tuple
  std::vector<Value> keys; // Dict: keys in order; Custom: paths of the children, if known
  Value aux;               // Custom
  std::vector<std::shared_ptr<TreeDef>> children;
  size_t leaves() const;
  size_t nodes() const;
  bool equals(const TreeDef &other, Evaluator &ev) const;
};
using Tree = std::shared_ptr<TreeDef>;

// How a class takes part in trees.
struct TreeClass {
  Value flatten, unflatten;      // as in register_pytree_node, or
  std::vector<Value> data, meta; // the fields of register_dataclass
};

class Pytrees {
public:
  Pytrees(Evaluator &ev) : ev(ev) {}
  void registerClass(Object *cls, TreeClass how) { classes[cls] = std::move(how); }

  // Null after a failure. `isLeaf` may be null.
  Tree flatten(Value tree, std::vector<Value> &leaves, Value isLeaf = {});
  // One level: the children; null when it is a leaf.
  Tree flattenLevel(Value tree, std::vector<Value> &children);
  Value unflatten(const TreeDef &tree, llvm::ArrayRef<Value> &leaves);
  Value unflattenAll(const TreeDef &tree, llvm::ArrayRef<Value> leaves) { return unflatten(tree, leaves); }
  // The subtrees of `value` at the leaves of `tree`, as a prefix; fails when the structures differ, and says
  // at which path.
  Status flattenUpTo(const TreeDef &tree, Value value, std::vector<Value> &out);
  // A tree that is a prefix of `tree` (in_axes) spread over its leaves.
  Status broadcastPrefix(Value prefix, const TreeDef &tree, std::vector<Value> &out);
  std::string text(const TreeDef &tree, bool top = true);
  void paths(const TreeDef &tree, std::vector<Value> prefix, std::vector<Value> &out);
  // The leaf as an expression: `name` and what follows it, ['w'][0].
  std::string pathText(const TreeDef &tree, size_t leaf, llvm::StringRef name);

private:
  // The step from `tree` to its child: what it is ("dict", "seq", "attr", "key" or "flat"), and its key.
  Value pathEntry(const TreeDef &tree, size_t child);
  std::string pathText(llvm::ArrayRef<Value> path);
  Status flattenUpTo(const TreeDef &tree, Value value, std::vector<Value> &out, std::vector<Value> &path);
  // What stands at the top of a value: `(*, *)`, an array, ...
  std::string levelText(const TreeDef &own, size_t children, Value value);

  Evaluator &ev;
  std::map<Object *, TreeClass> classes;
};

Value makeTreeDef(Evaluator &ev, Tree tree);
Tree treeDefOf(Value v); // null when it is none

} // namespace jx::elab
