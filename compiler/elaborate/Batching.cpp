// vmap, named axes, eval_shape.
#include "compiler/dialect/JxDialect.h"
#include "compiler/elaborate/Registry.h"
#include "compiler/elaborate/Tracing.h"

namespace jx::elab {

namespace {

Value moveAxis(Evaluator &ev, Value array, int64_t from, int64_t to) {
  int64_t rank = array.arrayType().getRank();
  if (from == to) return array;
  llvm::SmallVector<int64_t> order;
  for (int64_t i = 0; i < rank; ++i)
    if (i != from) order.push_back(i);
  order.insert(order.begin() + to, from);
  mlir::Value moved =
      ev.emit1("jx.transpose", {array.asArray()},
               ev.builder.getNamedAttr("permutation", ev.builder.getDenseI64ArrayAttr(order)));
  return moved ? Value::array(moved, array.isWeak()) : Value();
}

// The axis number of a leaf, or none for "not mapped".
std::optional<std::optional<int64_t>> axisOf(Evaluator &ev, Value axis, int64_t rank, const char *what) {
  if (axis.isNone()) return std::optional<int64_t>();
  if (!axis.isSmallInt()) {
    (void)ev.raise("TypeError",
                   std::string("vmap ") + what + " must be ints, None or trees of them, not '" +
                       ev.typeName(axis) + "'",
                   DiagKind::VmapAxis);
    return std::nullopt;
  }
  int64_t n = axis.asInt() < 0 ? axis.asInt() + rank : axis.asInt();
  if (n < 0 || n >= rank) {
    (void)ev.fail(DiagKind::VmapAxis,
                  std::string("vmap ") + what + " has axis " + std::to_string(axis.asInt()) +
                      ", which is out of bounds for an array of rank " + std::to_string(rank));
    return std::nullopt;
  }
  return std::optional<int64_t>(n);
}

// An argument of a mapped function, or a leaf of it, as messages name it; `inputs` is the tree of (args,
// kwargs).
std::string argumentText(Evaluator &ev, const TreeDef &inputs, size_t leaf) {
  size_t positional = inputs.children[0]->leaves();
  return leaf < positional ? ev.tracing->trees.pathText(*inputs.children[0], leaf, "args")
                           : ev.tracing->trees.pathText(*inputs.children[1], leaf - positional, "kwargs");
}

// Lanes multiply what the function makes.
Status checkSizes(Evaluator &ev, mlir::func::FuncOp function) {
  Status status = Status::success();
  function.walk([&](mlir::Operation *op) {
    status = ev.checkSizes(op->getResultTypes());
    return status ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
  });
  return status;
}

Value vmapCall(Evaluator &ev, CallArgs &args) {
  Value v[7];
  JX_CHECK(ev.bindNative(args, "vmap_call",
                         {"f", "args", "kwargs", "in_axes", "out_axes", "axis_name", "axis_size"}, 5, v));
  Tracing &tracing = *ev.tracing;
  Value f = v[0];
  JX_TRY(positional, ev.elements(v[1]));
  Contents keywords = v[2].asObject()->contents();
  Value inputs = ev.arena.tuple({ev.arena.tuple(*positional), v[2]});
  // The axes, spread over the leaves; keyword arguments are mapped over their leading axis.
  Tree tree;
  std::vector<Value> raw;
  tree = tracing.trees.flatten(inputs, raw);
  if (!tree) return Failed();
  std::vector<Value> axes;
  Value inAxes = v[3].is(Kind::List) ? ev.arena.tuple(v[3].asObject()->contents().values) : v[3];
  if (!inAxes.isNone() && !inAxes.isSmallInt() && !inAxes.is(Kind::Tuple))
    return ev.typeError(
        "vmap in_axes must be an int, None, or a tuple of entries corresponding to the positional arguments "
        "passed to the function, but got a value of type '" +
        ev.typeName(inAxes) + "'");
  if (inAxes.is(Kind::Tuple) && inAxes.asTuple().items.size() != positional->size())
    return ev.fail(
        DiagKind::VmapAxis,
        "vmap in_axes must be an int, None, or a tuple of entries corresponding to the positional arguments "
        "passed to the function, but got len(in_axes)=" +
            std::to_string(inAxes.asTuple().items.size()) +
            ", len(args)=" + std::to_string(positional->size()));
  JX_CHECK(tracing.trees.broadcastPrefix(inAxes, *tree->children[0], axes));
  while (axes.size() < raw.size()) axes.push_back(Value::integer(0));
  std::optional<int64_t> size;
  std::string sizeOrigin = "the `axis_size` argument";
  if (v[6] && v[6].isSmallInt()) size = v[6].asInt();
  std::vector<Value> leaves, innerTypes;
  llvm::SmallVector<bool> batched;
  std::vector<bool> isLeafArray;
  for (auto [i, leaf] : llvm::enumerate(raw)) {
    bool mapped = !axes[i].isNone();
    if (!leaf.isArray() && !leaf.isNumber()) {
      if (mapped)
        return ev.raise("TypeError",
                        "vmap cannot map over a value of type '" + ev.typeName(leaf) +
                            "'; give it the axis None",
                        DiagKind::VmapAxis);
      isLeafArray.push_back(false);
      continue;
    }
    // A number that is not mapped stays what it is.
    if (!leaf.isArray() && !mapped) {
      isLeafArray.push_back(false);
      continue;
    }
    JX_TRY(array, ev.toArray(leaf));
    JX_TRY(axis, axisOf(ev, axes[i], array.arrayType().getRank(), "in_axes"));
    isLeafArray.push_back(true);
    if (*axis) {
      mlir::RankedTensorType shown = array.arrayType();
      int64_t extent = shown.getDimSize(**axis);
      if (size && *size != extent)
        return ev.fail(DiagKind::VmapSizes,
                       "vmap got inconsistent sizes for array axes to be mapped: " + sizeOrigin + " gives " +
                           std::to_string(*size) + ", but axis " + std::to_string(**axis) + " of " +
                           argumentText(ev, *tree, i) + " of type `" + typeText(shown) + "` has size " +
                           std::to_string(extent));
      if (!size)
        sizeOrigin = "axis " + std::to_string(**axis) + " of " + argumentText(ev, *tree, i) + " of type `" +
                     typeText(shown) + "`";
      size = extent;
      array = moveAxis(ev, array, **axis, 0);
      if (!array) return Failed();
    }
    leaves.push_back(array);
    batched.push_back(bool(*axis));
  }
  if (!size) return ev.fail(DiagKind::VmapAxis, "vmap must have at least one non-None value in in_axes");
  std::string axisName = v[5] && v[5].is(Kind::Str) ? v[5].asStr().str() : "";

  // The target sees one lane: placeholders of the lane's types.
  mlir::Block lanes;
  std::vector<Value> laneInputs;
  for (auto [i, leaf] : llvm::enumerate(leaves)) {
    auto type = leaf.arrayType();
    if (batched[i]) type = mlir::RankedTensorType::get(type.getShape().drop_front(), type.getElementType());
    laneInputs.push_back(Value::array(lanes.addArgument(type, ev.location()), leaf.isWeak()));
  }
  Tree results;
  TraceBody body;
  std::vector<Value> outLeaves; // as the function returned them
  body.run = [&](llvm::ArrayRef<Value> arguments) -> std::optional<std::vector<Value>> {
    std::vector<Value> all;
    size_t next = 0;
    for (size_t i = 0; i < raw.size(); ++i) all.push_back(isLeafArray[i] ? arguments[next++] : raw[i]);
    JX_TRY(rebuilt, tracing.trees.unflattenAll(*tree, all));
    CallArgs inner;
    const auto &pair = Value(rebuilt).asTuple().items;
    inner.positional.assign(pair[0].asTuple().items.begin(), pair[0].asTuple().items.end());
    const Contents &named = pair[1].asObject()->contents();
    for (size_t i = 0; i < named.keys.size(); ++i)
      inner.keywords.emplace_back(named.keys[i].asStr(), named.values[i]);
    JX_TRY(result, ev.call(f, inner));
    if (!tracing.trees.flatten(result, outLeaves)) return Failed();
    return tracing.arrayLeaves(result, results);
  };
  Value nameValue = ev.findAttr(f, "__name__");
  ev.pending() = {};
  tracing.axes.emplace_back(axisName, *size);
  auto traced = tracing.trace(nameValue && nameValue.is(Kind::Str) ? nameValue.asStr().str() : "function",
                              laneInputs, body, "vmap");
  tracing.axes.pop_back();
  if (!traced) return Failed();
  llvm::SmallVector<bool> bits = batched;
  bits.append(traced->captured.size(), false);
  auto made = tracing.resolve<BatchResult>(
      "vmap", [&] { return tracing.transforms.batch(traced->function, bits, *size, axisName); });
  if (!made) return Failed();
  JX_CHECK(checkSizes(ev, made->function));
  llvm::SmallVector<mlir::Value> operands;
  for (Value leaf : leaves) operands.push_back(leaf.asArray());
  operands.append(traced->captured.begin(), traced->captured.end());
  JX_TRY(called, tracing.call(made->function, operands));
  if (traced->writesHeap)
    return ev.fail(DiagKind::StateInVmap,
                   "a function under vmap writes a variable of the code around it; return the value instead");
  std::vector<Value> outAxes;
  JX_CHECK(tracing.trees.broadcastPrefix(v[4], *results, outAxes));
  std::vector<Value> outputs;
  for (auto [i, output] : llvm::enumerate(traced->outputs)) {
    Value result = Value::array((*called)[i], output.isWeak);
    bool isBatched = made->batchedResults[i];
    int64_t rank = output.type.getRank() + 1;
    JX_TRY(axis, axisOf(ev, outAxes[i], rank, "out_axes"));
    if (!*axis) {
      if (isBatched)
        return ev.fail(DiagKind::VmapAxis, "at vmap out_axes, got axis spec None for " +
                                               tracing.trees.pathText(*results, i, "the output") +
                                               ", but it differs from lane to lane");
      // A Python number stays one.
      Value own = outLeaves[i];
      if (own.isHost()) own = ev.arrayToHost(result, own.asHost().type);
      if (!own) return Failed();
      outputs.push_back(own.isNumber() ? own : result);
      continue;
    }
    if (!isBatched) {
      llvm::SmallVector<int64_t> shape{*size}, dims;
      for (auto [d, extent] : llvm::enumerate(output.type.getShape()))
        shape.push_back(extent), dims.push_back(d + 1);
      mlir::Value wide = ev.emit1("jx.broadcast_in_dim", {result.asArray()},
                                  {ev.builder.getNamedAttr("shape", ev.builder.getDenseI64ArrayAttr(shape)),
                                   ev.builder.getNamedAttr("dims", ev.builder.getDenseI64ArrayAttr(dims))});
      if (!wide) return Failed();
      result = Value::array(wide, output.isWeak);
    }
    result = moveAxis(ev, result, 0, **axis);
    if (!result) return Failed();
    outputs.push_back(result);
  }
  return tracing.trees.unflattenAll(*results, outputs);
}

Value axisSize(Evaluator &ev, CallArgs &args) {
  if (args.positional.size() != 1 || !args.positional[0].is(Kind::Str))
    return ev.typeError("an axis name is expected");
  auto &axes = ev.tracing->axes;
  for (auto it = axes.rbegin(); it != axes.rend(); ++it)
    if (it->first == args.positional[0].asStr()) return Value::integer(it->second);
  return ev.fail(DiagKind::UnboundAxisName, "unbound axis name: " + args.positional[0].asStr().str());
}

// The structure of the result with make(shape, dtype) at its array leaves.
Value evalShape(Evaluator &ev, CallArgs &args) {
  Value v[4];
  JX_CHECK(ev.bindNative(args, "eval_shape_call", {"f", "args", "kwargs", "make"}, 4, v));
  Tracing &tracing = *ev.tracing;
  JX_TRY(positional, ev.elements(v[1]));
  Tree tree, results;
  std::vector<Value> raw;
  tree = tracing.trees.flatten(ev.arena.tuple({ev.arena.tuple(*positional), v[2]}), raw);
  if (!tree) return Failed();
  mlir::Block inputs;
  std::vector<Value> leaves;
  std::vector<bool> isArray;
  for (Value leaf : raw) {
    mlir::RankedTensorType type;
    bool weak = false;
    if (leaf.isArray()) {
      type = leaf.arrayType();
      weak = leaf.isWeak();
    } else if (leaf.isNumber()) {
      WeakType number = ev.promotion.ofNumber(leaf);
      type = mlir::RankedTensorType::get({}, number.dtype);
      weak = number.weak;
    } else if (Value shape = ev.findAttr(leaf, "shape"); shape && shape.is(Kind::Tuple)) { // ShapeDtypeStruct
      llvm::SmallVector<int64_t> dims;
      for (Value dim : shape.asTuple().items) dims.push_back(dim.asInt());
      JX_TRY(dtype, ev.getAttr(leaf, "dtype"));
      type = mlir::RankedTensorType::get(dims, ev.dtypeFrom(dtype));
    }
    ev.pending() = {};
    isArray.push_back(bool(type));
    if (type) leaves.push_back(Value::array(inputs.addArgument(type, ev.location()), weak));
  }
  Value structure;
  std::vector<Value> shapes;
  TraceBody body;
  body.run = [&](llvm::ArrayRef<Value> arguments) -> std::optional<std::vector<Value>> {
    std::vector<Value> all;
    size_t next = 0;
    for (size_t i = 0; i < raw.size(); ++i) all.push_back(isArray[i] ? arguments[next++] : raw[i]);
    JX_TRY(rebuilt, tracing.trees.unflattenAll(*tree, all));
    const auto &pair = Value(rebuilt).asTuple().items;
    CallArgs inner;
    inner.positional.assign(pair[0].asTuple().items.begin(), pair[0].asTuple().items.end());
    const Contents &named = pair[1].asObject()->contents();
    for (size_t i = 0; i < named.keys.size(); ++i)
      inner.keywords.emplace_back(named.keys[i].asStr(), named.values[i]);
    JX_TRY(result, ev.call(v[0], inner));
    JX_TRY(outputs, tracing.arrayLeaves(result, results));
    for (Value output : *outputs) {
      std::vector<Value> dims;
      for (int64_t dim : output.arrayType().getShape()) dims.push_back(Value::integer(dim));
      JX_TRY(made, ev.call(v[3], {ev.arena.tuple(std::move(dims)),
                                  Value::dtype(output.arrayType().getElementType())}));
      shapes.push_back(made);
    }
    return std::vector<Value>();
  };
  size_t keysBefore = tracing.keys.size();
  JX_TRY(traced, tracing.trace("eval_shape", leaves, body, "eval_shape"));
  tracing.keys.forget(keysBefore); // nothing of it runs
  auto region = std::make_unique<mlir::Region>();
  region->takeBody(traced->function.getBody());
  ev.abandon(std::move(region));
  traced->function.erase();
  return tracing.trees.unflattenAll(*results, shapes);
}

} // namespace

void registerBatching(Registry &r) {
  r.function("jx._intrinsics", "vmap_call", vmapCall);
  r.function("jx._intrinsics", "axis_size", axisSize);
  r.function("jx._intrinsics", "eval_shape_call", evalShape);
}

} // namespace jx::elab
