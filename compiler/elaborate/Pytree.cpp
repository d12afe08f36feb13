// Flattening and unflattening of pytrees, and tree definitions as objects. See Pytree.h.
#include "compiler/elaborate/Pytree.h"
#include "compiler/elaborate/Tracing.h"

namespace jx::elab {

size_t TreeDef::leaves() const {
  if (form == Leaf) return 1;
  size_t count = 0;
  for (const Tree &child : children) count += child->leaves();
  return count;
}

size_t TreeDef::nodes() const {
  size_t count = 1;
  for (const Tree &child : children) count += child->nodes();
  return count;
}

bool TreeDef::equals(const TreeDef &o, Evaluator &ev) const {
  if (form != o.form || cls != o.cls || children.size() != o.children.size()) return false;
  if (form == Dict)
    for (size_t i = 0; i < keys.size(); ++i)
      if (!keys[i].keyEquals(o.keys[i])) return false;
  if (form == Custom && !aux.identical(o.aux)) {
    Value same = ev.isEqual(aux, o.aux);
    if (!same || ev.truth(same) != Truth::True) {
      ev.pending() = {};
      return false;
    }
  }
  for (size_t i = 0; i < children.size(); ++i)
    if (!children[i]->equals(*o.children[i], ev)) return false;
  return true;
}

static std::string className(const Object *cls) { return static_cast<const ClassNode *>(cls->payload)->name; }

Tree Pytrees::flattenLevel(Value value, std::vector<Value> &children) {
  auto tree = std::make_shared<TreeDef>();
  // Instances of a subclass of list, dict or set are leaves unless the class is registered.
  bool isOwnClass =
      value.is(Kind::Instance) || (value.isAny(Kind::List, Kind::Dict, Kind::Set) && userClass(value));
  switch (isOwnClass ? Kind::Instance : value.kind()) {
  case Kind::Choice:
    (void)ev.unsupported("a tree in which a run-time condition decides whether a value is None");
    return nullptr;
  case Kind::None:
    tree->form = TreeDef::None;
    return tree;
  case Kind::Tuple:
    tree->form = TreeDef::Tuple;
    tree->cls = value.asTuple().cls;
    children = value.asTuple().items;
    return tree;
  case Kind::List: {
    tree->form = TreeDef::List;
    auto items = ev.elements(value);
    if (!items) return nullptr;
    children = std::move(*items);
    return tree;
  }
  case Kind::Dict: {
    tree->form = TreeDef::Dict;
    const Contents &contents = value.asObject()->contents();
    std::vector<size_t> order(contents.keys.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    bool failed = false;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      auto way = failed ? std::optional<int>(0) : ev.staticOrder(contents.keys[a], contents.keys[b]);
      failed |= !way;
      return way && *way < 0;
    });
    if (failed) return nullptr;
    for (size_t i : order) {
      tree->keys.push_back(contents.keys[i]);
      children.push_back(contents.values[i]);
    }
    return tree;
  }
  case Kind::Instance: {
    auto found = classes.find(value.asObject()->cls);
    if (found == classes.end()) return tree;
    const TreeClass &how = found->second;
    tree->form = TreeDef::Custom;
    tree->cls = value.asObject()->cls;
    if (how.flatten) {
      Value pair = ev.call(how.flatten, {value});
      auto parts = pair ? ev.elements(pair) : std::nullopt;
      if (!parts || (parts->size() != 2 && parts->size() != 3)) {
        if (parts) (void)ev.typeError("the flatten function of a pytree node must return (children, aux)");
        return nullptr;
      }
      tree->aux = (*parts)[1];
      if (parts->size() == 3) { // and the keys of the children
        auto keys = ev.elements((*parts)[2]);
        if (!keys) return nullptr;
        tree->keys = std::move(*keys);
      }
      auto items = ev.elements((*parts)[0]);
      if (!items) return nullptr;
      children = std::move(*items);
      return tree;
    }
    std::vector<Value> meta;
    for (Value field : how.data) {
      Value child = ev.getAttr(value, field.asStr());
      if (!child) return nullptr;
      children.push_back(child);
      tree->keys.push_back(field);
    }
    for (Value field : how.meta) {
      Value part = ev.getAttr(value, field.asStr());
      if (!part) return nullptr;
      meta.push_back(part);
    }
    tree->aux = ev.arena.tuple(std::move(meta));
    return tree;
  }
  default:
    return tree;
  }
}

Tree Pytrees::flatten(Value value, std::vector<Value> &leaves, Value isLeaf) {
  if (isLeaf && !isLeaf.isNone()) {
    Value answer = ev.call(isLeaf, {value});
    if (!answer) return nullptr;
    if (ev.truth(answer) == Truth::True) {
      leaves.push_back(value);
      return std::make_shared<TreeDef>();
    }
  }
  std::vector<Value> children;
  if (!ev.whole(value)) return nullptr;
  Tree tree = flattenLevel(value, children);
  if (!tree) return nullptr;
  if (tree->form == TreeDef::Leaf) leaves.push_back(value);
  for (Value child : children) {
    Tree sub = flatten(child, leaves, isLeaf);
    if (!sub) return nullptr;
    tree->children.push_back(std::move(sub));
  }
  return tree;
}

Value Pytrees::unflatten(const TreeDef &tree, llvm::ArrayRef<Value> &leaves) {
  if (tree.form == TreeDef::Leaf) {
    if (leaves.empty()) return ev.fail(DiagKind::TreeMismatch, "too few leaves for the tree structure");
    Value leaf = leaves.front();
    leaves = leaves.drop_front();
    return leaf;
  }
  if (tree.form == TreeDef::None) return Value::none();
  std::vector<Value> parts;
  for (const Tree &child : tree.children) {
    Value part = unflatten(*child, leaves);
    if (!part) return Failed();
    parts.push_back(part);
  }
  switch (tree.form) {
  case TreeDef::Tuple:
    return ev.arena.tuple(std::move(parts), tree.cls);
  case TreeDef::List:
    return ev.heap.list(std::move(parts));
  case TreeDef::Dict:
    return ev.heap.create(Kind::Dict, {tree.keys, std::move(parts)});
  default:
    break;
  }
  const TreeClass &how = classes.at(tree.cls);
  if (how.flatten) return ev.call(how.unflatten, {tree.aux, ev.arena.tuple(std::move(parts))});
  // Dataclasses are rebuilt field by field: their __init__ may do more.
  Object *object = ev.heap.create(Kind::Instance);
  object->cls = tree.cls;
  for (size_t i = 0; i < how.data.size(); ++i) ev.heap.put(object, how.data[i], parts[i]);
  for (size_t i = 0; i < how.meta.size(); ++i) ev.heap.put(object, how.meta[i], tree.aux.asTuple().items[i]);
  return object;
}

Status Pytrees::flattenUpTo(const TreeDef &tree, Value value, std::vector<Value> &out) {
  std::vector<Value> path;
  return flattenUpTo(tree, value, out, path);
}

Status Pytrees::flattenUpTo(const TreeDef &tree, Value value, std::vector<Value> &out,
                            std::vector<Value> &path) {
  if (tree.form == TreeDef::Leaf) {
    out.push_back(value);
    return Status::success();
  }
  std::vector<Value> children;
  Tree own = flattenLevel(value, children);
  if (!own) return Failed();
  bool same = own->form == tree.form && own->cls == tree.cls && children.size() == tree.children.size();
  for (size_t i = 0; same && tree.form == TreeDef::Dict && i < own->keys.size(); ++i)
    same = own->keys[i].keyEquals(tree.keys[i]);
  if (!same)
    return ev.fail(DiagKind::TreeMismatch, "tree structures do not match" +
                                               (path.empty() ? "" : " at `" + pathText(path) + "`") +
                                               ": expected " + text(tree, false) + ", got " +
                                               levelText(*own, children.size(), value));
  for (size_t i = 0; i < children.size(); ++i) {
    path.push_back(pathEntry(tree, i));
    JX_CHECK(flattenUpTo(*tree.children[i], children[i], out, path));
    path.pop_back();
  }
  return Status::success();
}

std::string Pytrees::levelText(const TreeDef &own, size_t children, Value value) {
  if (own.form == TreeDef::Leaf)
    return value.isArray() ? "the array `" + ev.describeArray(value) + "`"
                           : "a value of type '" + ev.typeName(value) + "'";
  TreeDef level = own;
  level.children.assign(children, std::make_shared<TreeDef>());
  return text(level, false);
}

Status Pytrees::broadcastPrefix(Value prefix, const TreeDef &tree, std::vector<Value> &out) {
  // In in_axes, None means "not mapped" for everything below.
  std::vector<Value> children;
  Tree own = prefix.isNone() ? std::make_shared<TreeDef>() : flattenLevel(prefix, children);
  if (!own) return Failed();
  if (own->form == TreeDef::Leaf) {
    for (size_t n = tree.leaves(); n; --n) out.push_back(prefix);
    return Status::success();
  }
  bool same = own->form == tree.form && children.size() == tree.children.size();
  for (size_t i = 0; same && tree.form == TreeDef::Dict && i < own->keys.size(); ++i)
    same = own->keys[i].keyEquals(tree.keys[i]);
  if (!same) {
    for (size_t i = 0; i < children.size(); ++i) own->children.push_back(std::make_shared<TreeDef>());
    return ev.fail(
        DiagKind::VmapAxis,
        "the specification of axes must be a tree prefix of the corresponding value: it has the structure " +
            text(*own, false) + " where the value has " + text(tree, false));
  }
  for (size_t i = 0; i < children.size(); ++i) JX_CHECK(broadcastPrefix(children[i], *tree.children[i], out));
  return Status::success();
}

std::string Pytrees::text(const TreeDef &tree, bool top) {
  std::string inner;
  auto join = [&](const char *separator, bool keyed) {
    for (size_t i = 0; i < tree.children.size(); ++i) {
      if (i) inner += separator;
      if (keyed) {
        Value key = ev.repr(tree.keys[i]);
        inner += (key && key.is(Kind::Str) ? key.asStr().str() : "key") + ": ";
      }
      inner += text(*tree.children[i], false);
    }
  };
  switch (tree.form) {
  case TreeDef::Leaf:
    inner = "*";
    break;
  case TreeDef::None:
    inner = "None";
    break;
  case TreeDef::Tuple:
    if (tree.cls) {
      inner = "CustomNode(namedtuple[" + className(tree.cls) + "], [";
      join(", ", false);
      inner += "])";
      break;
    }
    inner = "(";
    join(", ", false);
    inner += tree.children.size() == 1 ? ",)" : ")";
    break;
  case TreeDef::List:
    inner = "[";
    join(", ", false);
    inner += "]";
    break;
  case TreeDef::Dict:
    inner = "{";
    join(", ", true);
    inner += "}";
    break;
  case TreeDef::Custom: {
    Value aux = ev.repr(tree.aux);
    inner = "CustomNode(" + className(tree.cls) + "[" + (aux && aux.is(Kind::Str) ? aux.asStr().str() : "") +
            "], [";
    join(", ", false);
    inner += "])";
  }
  }
  return top ? "PyTreeDef(" + inner + ")" : inner;
}

void Pytrees::paths(const TreeDef &tree, std::vector<Value> prefix, std::vector<Value> &out) {
  if (tree.form == TreeDef::Leaf) {
    out.push_back(ev.arena.tuple(prefix));
    return;
  }
  for (size_t i = 0; i < tree.children.size(); ++i) {
    prefix.push_back(pathEntry(tree, i));
    paths(*tree.children[i], prefix, out);
    prefix.pop_back();
  }
}

Value Pytrees::pathEntry(const TreeDef &tree, size_t child) {
  auto entry = [&](llvm::StringRef kind, Value key) { return ev.arena.tuple({ev.arena.str(kind), key}); };
  if (tree.form == TreeDef::Dict) return entry("dict", tree.keys[child]);
  if (tree.form == TreeDef::Custom && child < tree.keys.size())
    return entry(tree.keys[child].is(Kind::Str) ? "attr" : "key", tree.keys[child]);
  if (tree.form == TreeDef::Tuple && tree.cls)
    return entry("attr", ev.lookUpClass(tree.cls, "_fields").asTuple().items[child]);
  return entry(tree.form == TreeDef::Custom ? "flat" : "seq", Value::integer(child));
}

std::string Pytrees::pathText(const TreeDef &tree, size_t leaf, llvm::StringRef name) {
  std::vector<Value> all;
  paths(tree, {}, all);
  return name.str() + pathText(all[leaf].asTuple().items);
}

std::string Pytrees::pathText(llvm::ArrayRef<Value> path) {
  std::string result;
  for (Value entry : path) {
    llvm::StringRef kind = entry.asTuple().items[0].asStr();
    Value key = entry.asTuple().items[1];
    Value shown = kind == "attr" ? key : kind == "key" ? ev.str(key) : ev.repr(key);
    std::string part = shown && shown.is(Kind::Str) ? shown.asStr().str() : "...";
    result += kind == "attr" ? "." + part : kind == "key" ? part : "[" + part + "]";
  }
  return result;
}

namespace {

class TreeDefObject : public OpaqueObject {
public:
  TreeDefObject(Tree tree, Evaluator &ev) : tree(std::move(tree)), ev(&ev) {}
  llvm::StringRef typeName() const override { return "PyTreeDef"; }
  Value repr(Evaluator &ev, Object *) const override { return ev.arena.str(ev.tracing->trees.text(*tree)); }
  bool equals(const OpaqueObject &other) const override {
    auto *o = dynamic_cast<const TreeDefObject *>(&other);
    return o && tree->equals(*o->tree, *ev);
  }
  Value getAttr(Evaluator &ev, Object *, llvm::StringRef name) const override {
    if (name == "num_leaves") return Value::integer(tree->leaves());
    if (name == "num_nodes") return Value::integer(tree->nodes());
    Tree own = tree;
    if (name == "unflatten")
      return ev.arena.native(name, [own](Evaluator &ev, CallArgs &args) -> Value {
        JX_TRY(leaves, ev.elements(args.positional[0]));
        return ev.tracing->trees.unflattenAll(*own, *leaves);
      });
    if (name == "flatten_up_to")
      return ev.arena.native(name, [own](Evaluator &ev, CallArgs &args) -> Value {
        std::vector<Value> out;
        JX_CHECK(ev.tracing->trees.flattenUpTo(*own, args.positional[0], out));
        return ev.heap.list(std::move(out));
      });
    if (name == "children")
      return ev.arena.native(name, [own](Evaluator &ev, CallArgs &) -> Value {
        std::vector<Value> out;
        for (const Tree &child : own->children) out.push_back(makeTreeDef(ev, child));
        return ev.heap.list(std::move(out));
      });
    return {};
  }
  Tree tree;
  Evaluator *ev;
};

} // namespace

Value makeTreeDef(Evaluator &ev, Tree tree) {
  return makeOpaque(ev, std::make_shared<TreeDefObject>(std::move(tree), ev));
}

Tree treeDefOf(Value v) {
  auto *object = opaqueAs<TreeDefObject>(v);
  return object ? object->tree : nullptr;
}

} // namespace jx::elab
