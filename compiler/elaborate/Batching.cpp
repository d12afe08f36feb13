// vmap, named axes, eval_shape.
#include "compiler/dialect/JxDialect.h"
#include "compiler/elaborate/Callables.h"

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

// f on arguments that were flattened as the tree of (args, kwargs).
Value callOnLeaves(Evaluator &ev, Value f, const TreeDef &inputs, llvm::ArrayRef<Value> leaves) {
  JX_TRY(rebuilt, ev.tracing->trees.unflattenAll(inputs, leaves));
  const auto &pair = Value(rebuilt).asTuple().items;
  JX_TRY(arguments, callArguments(ev, pair[0], pair[1]));
  return ev.call(f, *arguments);
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

// One call of a function under vmap, step by step.
class MappedCall {
public:
  MappedCall(Evaluator &ev, Value function) : ev(ev), tracing(*ev.tracing), function(function) {}

  // Spreads the axes over the leaves of the arguments; keyword arguments are mapped over their leading axis.
  Status spreadAxes(Value args, Value kwargs, Value inAxes);
  // Brings the mapped axes to the front; they are of one size, `axisSize` where it is given.
  Status takeArguments(Value axisSize);
  // Elaborates the function for one lane and calls what batching makes of it.
  Status call(const std::string &axisName);
  // The outputs, with their lanes where `outAxes` says.
  Value outputs(Value outAxes);

private:
  Status takeSize(size_t number, mlir::RankedTensorType type, int64_t axis);
  std::optional<Traced> traceLane();
  Value output(size_t number, Value outAxis);
  Value repeated(Value lane);

  Evaluator &ev;
  Tracing &tracing;
  Value function;
  Tree inputs, results;         // inputs: (args, kwargs)
  std::vector<Value> raw, axes; // of the inputs' leaves
  std::vector<bool> isMappable; // leaves that the lanes see as arrays; others stay what they are
  std::vector<Value> leaves;    // the arrays among them
  llvm::SmallVector<bool> batched;
  std::optional<int64_t> size;
  std::string sizeOrigin = "the `axis_size` argument";
  Traced traced;
  std::vector<Value> returned; // leaves, as the function returned them
  std::vector<mlir::Value> called;
  llvm::SmallVector<bool> batchedResults;
};

Status MappedCall::spreadAxes(Value args, Value kwargs, Value inAxes) {
  JX_TRY(positional, ev.elements(args));
  inputs = tracing.trees.flatten(ev.arena.tuple({ev.arena.tuple(*positional), kwargs}), raw);
  if (!inputs) return Failed();
  const char *rule =
      "vmap in_axes must be an int, None, or a tuple of entries corresponding to the positional "
      "arguments passed to the function, but got ";
  if (inAxes.is(Kind::List)) inAxes = ev.arena.tuple(inAxes.asObject()->contents().values);
  if (!inAxes.isNone() && !inAxes.isSmallInt() && !inAxes.is(Kind::Tuple))
    return ev.typeError(rule + ("a value of type '" + ev.typeName(inAxes) + "'"));
  if (inAxes.is(Kind::Tuple) && inAxes.asTuple().items.size() != positional->size())
    return ev.fail(DiagKind::VmapAxis, rule +
                                           ("len(in_axes)=" + std::to_string(inAxes.asTuple().items.size())) +
                                           ", len(args)=" + std::to_string(positional->size()));
  JX_CHECK(tracing.trees.broadcastPrefix(inAxes, *inputs->children[0], axes));
  axes.resize(raw.size(), Value::integer(0));
  return Status::success();
}

Status MappedCall::takeArguments(Value axisSize) {
  if (axisSize && axisSize.isSmallInt()) size = axisSize.asInt();
  for (auto [i, leaf] : llvm::enumerate(raw)) {
    bool mapped = !axes[i].isNone();
    if (mapped && !leaf.isArray() && !leaf.isNumber())
      return ev.raise("TypeError",
                      "vmap cannot map over a value of type '" + ev.typeName(leaf) +
                          "'; give it the axis None",
                      DiagKind::VmapAxis);
    // A number that is not mapped stays what it is.
    isMappable.push_back(leaf.isArray() || mapped);
    if (!isMappable.back()) continue;
    JX_TRY(array, ev.toArray(leaf));
    JX_TRY(axis, axisOf(ev, axes[i], array.arrayType().getRank(), "in_axes"));
    if (*axis) {
      JX_CHECK(takeSize(i, array.arrayType(), **axis));
      array = moveAxis(ev, array, **axis, 0);
      if (!array) return Failed();
    }
    leaves.push_back(array);
    batched.push_back(bool(*axis));
  }
  if (!size) return ev.fail(DiagKind::VmapAxis, "vmap must have at least one non-None value in in_axes");
  return Status::success();
}

// The number of lanes, by the axis of an argument.
Status MappedCall::takeSize(size_t number, mlir::RankedTensorType type, int64_t axis) {
  int64_t extent = type.getDimSize(axis);
  std::string origin = "axis " + std::to_string(axis) + " of " + argumentText(ev, *inputs, number) +
                       " of type `" + typeText(type) + "`";
  if (size && *size != extent)
    return ev.fail(DiagKind::VmapSizes,
                   "vmap got inconsistent sizes for array axes to be mapped: " + sizeOrigin + " gives " +
                       std::to_string(*size) + ", but " + origin + " has size " + std::to_string(extent));
  if (!size) sizeOrigin = origin;
  size = extent;
  return Status::success();
}

// The function over one lane: placeholders of the lane's types.
std::optional<Traced> MappedCall::traceLane() {
  mlir::Block lanes;
  std::vector<Value> laneInputs;
  for (auto [i, leaf] : llvm::enumerate(leaves)) {
    auto type = leaf.arrayType();
    if (batched[i]) type = mlir::RankedTensorType::get(type.getShape().drop_front(), type.getElementType());
    laneInputs.push_back(Value::array(lanes.addArgument(type, ev.location()), leaf.isWeak()));
  }
  TraceBody body;
  body.run = [&](llvm::ArrayRef<Value> arguments) -> std::optional<std::vector<Value>> {
    std::vector<Value> all;
    size_t next = 0;
    for (size_t i = 0; i < raw.size(); ++i) all.push_back(isMappable[i] ? arguments[next++] : raw[i]);
    JX_TRY(result, callOnLeaves(ev, function, *inputs, all));
    if (!tracing.trees.flatten(result, returned)) return Failed();
    return tracing.arrayLeaves(result, results);
  };
  return tracing.trace(nameOf(ev, function), laneInputs, body, "vmap");
}

Status MappedCall::call(const std::string &axisName) {
  tracing.axes.emplace_back(axisName, *size);
  auto lane = traceLane();
  tracing.axes.pop_back();
  if (!lane) return Failed();
  traced = std::move(*lane);
  llvm::SmallVector<bool> bits = batched;
  bits.append(traced.captured.size(), false);
  auto made = tracing.resolve<BatchResult>(
      "vmap", [&] { return tracing.transforms.batch(traced.function, bits, *size, axisName); });
  if (!made) return Failed();
  JX_CHECK(checkSizes(ev, made->function));
  llvm::SmallVector<mlir::Value> operands;
  for (Value leaf : leaves) operands.push_back(leaf.asArray());
  operands.append(traced.captured.begin(), traced.captured.end());
  JX_TRY(values, tracing.call(made->function, operands));
  called = std::move(*values);
  batchedResults = made->batchedResults;
  if (traced.writesHeap)
    return ev.fail(DiagKind::StateInVmap,
                   "a function under vmap writes a variable of the code around it; return the value instead");
  return Status::success();
}

Value MappedCall::outputs(Value outAxes) {
  std::vector<Value> spread, all;
  JX_CHECK(tracing.trees.broadcastPrefix(outAxes, *results, spread));
  for (size_t i = 0; i < traced.outputs.size(); ++i) {
    Value made = output(i, spread[i]);
    if (!made) return Failed();
    all.push_back(made);
  }
  return tracing.trees.unflattenAll(*results, all);
}

Value MappedCall::output(size_t number, Value outAxis) {
  const Traced::Output &lane = traced.outputs[number];
  Value result = Value::array(called[number], lane.isWeak);
  JX_TRY(axis, axisOf(ev, outAxis, lane.type.getRank() + 1, "out_axes"));
  if (*axis) {
    if (!batchedResults[number]) result = repeated(result);
    return result ? moveAxis(ev, result, 0, **axis) : Value();
  }
  if (batchedResults[number])
    return ev.fail(DiagKind::VmapAxis, "at vmap out_axes, got axis spec None for " +
                                           tracing.trees.pathText(*results, number, "the output") +
                                           ", but it differs from lane to lane");
  // A Python number stays one.
  Value own = returned[number];
  if (own.isHost()) own = ev.arrayToHost(result, own.asHost().type);
  return !own || own.isNumber() ? own : result;
}

// What is the same in all lanes, once a lane.
Value MappedCall::repeated(Value lane) {
  llvm::SmallVector<int64_t> shape{*size}, dims;
  for (auto [d, extent] : llvm::enumerate(lane.arrayType().getShape()))
    shape.push_back(extent), dims.push_back(d + 1);
  mlir::Value wide = ev.emit1("jx.broadcast_in_dim", {lane.asArray()},
                              {ev.builder.getNamedAttr("shape", ev.builder.getDenseI64ArrayAttr(shape)),
                               ev.builder.getNamedAttr("dims", ev.builder.getDenseI64ArrayAttr(dims))});
  return wide ? Value::array(wide, lane.isWeak()) : Value();
}

Value vmapCall(Evaluator &ev, CallArgs &args) {
  Value v[7];
  JX_CHECK(ev.bindNative(args, "vmap_call",
                         {"f", "args", "kwargs", "in_axes", "out_axes", "axis_name", "axis_size"}, 5, v));
  MappedCall mapped(ev, v[0]);
  JX_CHECK(mapped.spreadAxes(v[1], v[2], v[3]));
  JX_CHECK(mapped.takeArguments(v[6]));
  JX_CHECK(mapped.call(v[5] && v[5].is(Kind::Str) ? v[5].asStr().str() : ""));
  return mapped.outputs(v[4]);
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
    JX_TRY(result, callOnLeaves(ev, v[0], *tree, all));
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
