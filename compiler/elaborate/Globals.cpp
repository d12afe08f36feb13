// What one entry leaves to the next: arrays that its modules still reach become results of @entry, and
// arguments of the next @entry. The heap itself lives on; its values are renamed.
#include "compiler/elaborate/Callable.h"
#include "compiler/elaborate/Evaluator.h"
#include "compiler/elaborate/Joins.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace jx::elab {

namespace {

// Walks everything that a value reaches; `leaf` sees arrays and host numbers.
class Reach {
public:
  std::function<void(mlir::Value)> leaf;
  void visit(Value v) {
    switch (v.kind()) {
    case Kind::Array:
      leaf(v.asArray());
      return;
    case Kind::Host:
      leaf(v.asHost().value);
      return;
    case Kind::Text:
      for (Value operand : v.asText().operands) visit(operand);
      return;
    case Kind::Segment:
      for (Value stack : v.asSegment().stacks) visit(stack);
      visit(v.asSegment().count);
      return;
    case Kind::Tuple:
      for (Value item : v.asTuple().items) visit(item);
      return;
    case Kind::Slice:
    case Kind::Range:
      visit(v.asSlice().start);
      visit(v.asSlice().stop);
      visit(v.asSlice().step);
      return;
    case Kind::Choice:
      visit(v.asChoice().present);
      visit(v.asChoice().value);
      return;
    case Kind::Method:
      visit(v.asMethod().function);
      visit(v.asMethod().self);
      return;
    default:
      if (v.isObject()) visit(v.asObject());
    }
  }
  void visit(Object *object) {
    if (!objects.insert(object)) return;
    for (Value value : object->contents().values)
      if (value) visit(value);
    if (object->cls) visit(object->cls);
    if (object->kind == Kind::Function) {
      const auto &function = *static_cast<const FunctionNode *>(object->payload);
      for (const Cell &cell : function.frees)
        if (cell.frame) visit(cell.frame);
      for (Value value : function.defaults)
        if (value) visit(value);
    }
    if (object->kind == Kind::Opaque) {
      std::vector<Value> held;
      static_cast<OpaqueObject *>(object->opaque.get())->children(held);
      for (Value value : held) visit(value);
    }
  }
  llvm::SetVector<Object *> objects;
};

} // namespace

// The value with the SSA values of an earlier entry replaced.
Value Evaluator::renamed(Value v, const llvm::DenseMap<mlir::Value, mlir::Value> &names) {
  auto all = [&](const std::vector<Value> &items) {
    std::vector<Value> result;
    for (Value item : items) result.push_back(item ? renamed(item, names) : item);
    return result;
  };
  switch (v.kind()) {
  case Kind::Array: {
    auto found = names.find(v.asArray());
    return found == names.end() ? arena.unbound("its value belongs to an earlier entry and was not kept")
                                : Value::array(found->second, v.isWeak());
  }
  case Kind::Host: {
    auto found = names.find(v.asHost().value);
    if (found == names.end()) return arena.unbound("its value belongs to an earlier entry and was not kept");
    HostNode host = v.asHost();
    host.value = found->second;
    return Value::node(Kind::Host, arena.make<HostNode>(std::move(host)));
  }
  case Kind::Text: {
    TextNode text = v.asText();
    text.operands = all(text.operands);
    return Value::node(Kind::Text, arena.make<TextNode>(std::move(text)));
  }
  case Kind::Segment: {
    SegmentNode segment = v.asSegment();
    segment.stacks = all(segment.stacks);
    segment.count = renamed(segment.count, names);
    return Value::node(Kind::Segment, arena.make<SegmentNode>(std::move(segment)));
  }
  case Kind::Tuple:
    return arena.tuple(all(v.asTuple().items), v.asTuple().cls);
  case Kind::Slice:
  case Kind::Range: {
    Value parts[3] = {renamed(v.asSlice().start, names), renamed(v.asSlice().stop, names),
                      renamed(v.asSlice().step, names)};
    return v.is(Kind::Slice) ? arena.slice(parts[0], parts[1], parts[2])
                             : arena.range(parts[0], parts[1], parts[2]);
  }
  case Kind::Choice:
    return Value::node(Kind::Choice, arena.make<ChoiceNode>(renamed(v.asChoice().present, names),
                                                            renamed(v.asChoice().value, names)));
  case Kind::Method:
    return arena.method(v.asMethod().function, renamed(v.asMethod().self, names));
  default:
    return v;
  }
}

void Evaluator::exportGlobals(mlir::func::FuncOp entry) {
  Reach reach;
  llvm::SetVector<mlir::Value> found;
  reach.leaf = [&](mlir::Value v) {
    if (v && v.getParentRegion() == &entry.getBody()) found.insert(v);
  };
  for (auto &[name, object] : loadedModules) reach.visit(object);
  exported.assign(found.begin(), found.end());
}

void Evaluator::importGlobals(mlir::func::FuncOp entry) {
  llvm::DenseMap<mlir::Value, mlir::Value> names;
  for (mlir::Value old : exported) names[old] = entry.getBody().addArgument(old.getType(), old.getLoc());
  Reach reach;
  reach.leaf = [](mlir::Value) {};
  for (auto &[name, object] : loadedModules) reach.visit(object);
  for (Object *object : reach.objects) {
    Contents contents = object->contents();
    for (Value &value : contents.values)
      if (value) value = renamed(value, names);
    heap.replace(object, std::move(contents));
  }
  entry.setFunctionType(builder.getFunctionType(entry.getBody().getArgumentTypes(), {}));
}

} // namespace jx::elab
