// vjp, jvp, linearize, checkpoint. User-defined derivative rules: CustomRules.cpp.
#include "compiler/elaborate/Derivatives.h"
#include "compiler/dialect/JxDialect.h"
#include "compiler/transforms/Auxiliary.h"

namespace jx::elab {

std::optional<Target> traceTarget(Evaluator &ev, Value f, Value primals, bool hasAux,
                                  const std::string &transform) {
  Tracing &tracing = *ev.tracing;
  Target target;
  JX_TRY(leaves, tracing.arrayLeaves(primals, target.primals));
  target.leaves = std::move(*leaves);
  TraceBody body;
  body.run = [&](llvm::ArrayRef<Value> arguments) -> std::optional<std::vector<Value>> {
    JX_TRY(tree, tracing.trees.unflattenAll(*target.primals, arguments));
    JX_TRY(parts, ev.elements(tree));
    JX_TRY(result, ev.call(f, *parts));
    Value out = result;
    if (hasAux) {
      if (!result.is(Kind::Tuple) || result.asTuple().items.size() != 2) {
        (void)ev.fail(DiagKind::AuxNotPair,
                      "with has_aux=True the function must return a pair (output, auxiliary data)");
        return Failed();
      }
      out = result.asTuple().items[0];
      body.auxiliary = result.asTuple().items[1];
    }
    return tracing.arrayLeaves(out, target.results);
  };
  JX_TRY(traced, tracing.trace(nameOf(ev, f), target.leaves, body, transform));
  target.traced = std::move(*traced);
  for (Value leaf : target.leaves) target.active.push_back(isDifferentiable(leaf.asArray().getType()));
  target.active.append(target.traced.captured.size(), false);
  return target;
}

Value outputsOf(Evaluator &ev, const Target &target, llvm::ArrayRef<mlir::Value> results) {
  std::vector<Value> leaves;
  for (auto [output, result] : llvm::zip(target.traced.outputs, results))
    leaves.push_back(Value::array(result, output.isWeak && result.getType() == output.type));
  return ev.tracing->trees.unflattenAll(*target.results, leaves);
}

mlir::Value tangentLike(Evaluator &ev, Value given, mlir::Type needed, const char *what, bool converts) {
  auto wanted = llvm::cast<mlir::RankedTensorType>(needed);
  if (!given.isArray() && !given.isNumber()) {
    (void)ev.raise("TypeError",
                   std::string(what) + " must be arrays or numbers, not '" + ev.typeName(given) + "'",
                   DiagKind::TangentMismatch);
    return {};
  }
  Value array = ev.toArray(given);
  if (!array) return {};
  auto type = array.arrayType();
  if (type.getShape() != wanted.getShape() ||
      (!converts && type.getElementType() != wanted.getElementType())) {
    (void)ev.fail(DiagKind::TangentMismatch, std::string(what) + " of type `" + typeText(type) +
                                                 "` were given where `" + typeText(wanted) + "` is needed");
    return {};
  }
  array = ev.toArray(array, {wanted.getElementType(), false});
  return array ? array.asArray() : mlir::Value();
}

namespace {

// The tangent of what has none: zeros, of dtype float0 (which is bool here) for integers.
mlir::Value noTangent(Evaluator &ev, mlir::Type type) {
  auto array = llvm::cast<mlir::RankedTensorType>(type);
  return ev.zeroOf(isDifferentiable(type) ? array : array.clone(ev.builder.getI1Type()));
}

// What vjp returns: the transpose of the linear part, over residuals.
class Pullback : public OpaqueObject {
public:
  llvm::StringRef typeName() const override { return "VJP function"; }
  Tree primals, results;
  std::vector<std::pair<mlir::Type, bool>> inputTypes;
  std::vector<mlir::Type> outputTypes;
  llvm::SmallVector<bool> activeInputs, activeOutputs;
  mlir::func::FuncOp linear;
  unsigned numResiduals = 0;
  mutable mlir::func::FuncOp transposed;

  Value call(Evaluator &ev, Object *self, CallArgs &args) const override {
    if (args.positional.size() != 1)
      return ev.typeError("the function that vjp returns takes one argument, the cotangents");
    std::vector<Value> cotangents;
    Status fits = ev.tracing->trees.flattenUpTo(*results, args.positional[0], cotangents);
    if (!fits) return Failed();
    llvm::SmallVector<mlir::Value> operands;
    for (unsigned i = 0; i < numResiduals; ++i) operands.push_back(self->at(i).asArray());
    for (size_t i = 0; i < cotangents.size(); ++i) {
      if (!isDifferentiable(outputTypes[i])) continue;
      mlir::Value ct = tangentLike(ev, cotangents[i], outputTypes[i], "cotangents");
      if (!ct) return Failed();
      if (activeOutputs[i]) operands.push_back(ct);
    }
    std::vector<mlir::Value> gradients;
    if (linear) {
      unsigned numActive = llvm::count(activeInputs, true);
      if (!transposed) {
        auto made = ev.tracing->resolve<mlir::func::FuncOp>(
            "vjp", [&] { return ev.tracing->transforms.transpose(linear, numActive); });
        if (!made) return Failed();
        transposed = *made;
      }
      JX_TRY(results, ev.tracing->call(transposed, operands));
      gradients = std::move(*results);
    }
    std::vector<Value> leaves;
    size_t next = 0;
    for (size_t i = 0; i < inputTypes.size(); ++i) {
      auto [type, weak] = inputTypes[i];
      mlir::Value gradient = linear && activeInputs[i] ? gradients[next++] : noTangent(ev, type);
      if (!gradient) return Failed();
      leaves.push_back(Value::array(gradient, weak && isDifferentiable(type)));
    }
    return ev.tracing->trees.unflattenAll(*primals, leaves);
  }
};

Value makePrimalsTuple(Evaluator &ev, Value primals) {
  if (primals.is(Kind::Tuple) && !primals.asTuple().cls) return primals;
  auto items = ev.elements(primals);
  return items ? ev.arena.tuple(std::move(*items)) : Value();
}

// Whether one of the residuals of a linearized function depends on its first `numInputs` arguments: those of
// a linear function do not.
bool residualsDependOnInputs(LinearizeResult linearized, unsigned numInputs) {
  mlir::Block &block = linearized.known.getBody().front();
  llvm::DenseSet<mlir::Value> dependent;
  for (mlir::Value input : block.getArguments().take_front(numInputs)) dependent.insert(input);
  for (mlir::Operation &op : block.without_terminator()) {
    bool reads =
        op.walk([&](mlir::Operation *inner) {
            return llvm::any_of(inner->getOperands(), [&](mlir::Value v) { return dependent.contains(v); })
                       ? mlir::WalkResult::interrupt()
                       : mlir::WalkResult::advance();
          }).wasInterrupted();
    if (reads) dependent.insert_range(op.getResults());
  }
  return llvm::any_of(block.getTerminator()->getOperands().take_back(linearized.numResiduals),
                      [&](mlir::Value v) { return dependent.contains(v); });
}

// The function of a target whose derivative is to be taken: that of its outputs alone.
mlir::func::FuncOp withDerivative(const Target &target) {
  mlir::func::FuncOp function = target.traced.function;
  setAuxiliary(function, target.traced.numExtraLeaves);
  return function;
}

// The name of the transform that the library makes of this one.
std::string nameOr(Value given, const char *own) {
  return given && given.is(Kind::Str) ? given.asStr().str() : own;
}

Value vjp(Evaluator &ev, CallArgs &args) {
  Value v[5];
  JX_CHECK(ev.bindNative(args, "vjp", {"f", "primals", "has_aux", "linear", "transform"}, 2, v));
  bool hasAux = v[2] && ev.truth(v[2]) == Truth::True;
  bool mustBeLinear = v[3] && ev.truth(v[3]) == Truth::True;
  JX_TRY(primals, makePrimalsTuple(ev, v[1]));
  JX_TRY(target,
         traceTarget(ev, v[0], primals, hasAux, nameOr(v[4], mustBeLinear ? "linear_transpose" : "vjp")));
  Tracing &tracing = *ev.tracing;
  auto pullback = std::make_shared<Pullback>();
  pullback->primals = target->primals;
  pullback->results = target->results;
  for (Value leaf : target->leaves)
    pullback->inputTypes.emplace_back(leaf.asArray().getType(), leaf.isWeak());
  for (const Traced::Output &output : target->traced.outputs) pullback->outputTypes.push_back(output.type);
  pullback->activeInputs.assign(target->active.begin(), target->active.begin() + target->leaves.size());
  std::vector<mlir::Value> results;
  std::vector<Value> residuals;
  unsigned numResults = target->numOutputs() + target->traced.numExtraLeaves;
  if (llvm::is_contained(target->active, true)) {
    auto linearized = tracing.resolve<LinearizeResult>(
        "vjp", [&] { return tracing.transforms.linearize(withDerivative(*target), target->active); });
    if (!linearized) return Failed();
    if (mustBeLinear && residualsDependOnInputs(*linearized, target->leaves.size()))
      return ev.typeError(
          "linear_transpose needs a function that is linear in its arguments; the slope of this one "
          "depends on them");
    JX_TRY(called, tracing.call(linearized->known, target->operands()));
    results = std::move(*called);
    pullback->numResiduals = linearized->numResiduals;
    for (unsigned i = 0; i < linearized->numResiduals; ++i)
      residuals.push_back(Value::array(results[numResults + i], false));
    pullback->activeOutputs.assign(linearized->activeResults.begin(),
                                   linearized->activeResults.begin() + target->numOutputs());
    if (llvm::is_contained(pullback->activeOutputs, true)) pullback->linear = linearized->linear;
  } else {
    JX_TRY(called, tracing.call(target->traced.function, target->operands()));
    results = std::move(*called);
    pullback->activeOutputs.assign(target->numOutputs(), false);
  }
  llvm::ArrayRef<mlir::Value> all = results;
  JX_TRY(out, outputsOf(ev, *target, all.take_front(target->numOutputs())));
  JX_TRY(aux,
         tracing.applyExtras(target->traced, all.slice(target->numOutputs(), target->traced.numExtraLeaves)));
  Value function = makeOpaque(ev, pullback, std::move(residuals));
  std::vector<Value> parts{out, function};
  if (hasAux) parts.push_back(aux);
  return ev.arena.tuple(std::move(parts));
}

Value jvp(Evaluator &ev, CallArgs &args) {
  Value v[5];
  JX_CHECK(ev.bindNative(args, "jvp", {"f", "primals", "tangents", "has_aux", "transform"}, 3, v));
  bool hasAux = v[3] && ev.truth(v[3]) == Truth::True;
  JX_TRY(primals, makePrimalsTuple(ev, v[1]));
  JX_TRY(tangents, makePrimalsTuple(ev, v[2]));
  JX_TRY(target, traceTarget(ev, v[0], primals, hasAux, nameOr(v[4], "jvp")));
  Tracing &tracing = *ev.tracing;
  std::vector<Value> tangentLeaves;
  JX_CHECK(tracing.trees.flattenUpTo(*target->primals, tangents, tangentLeaves));
  llvm::SmallVector<mlir::Value> operands = target->operands();
  for (auto [i, tangent] : llvm::enumerate(tangentLeaves)) {
    if (!target->active[i]) continue;
    mlir::Value t = tangentLike(ev, tangent, target->leaves[i].asArray().getType(), "tangents");
    if (!t) return Failed();
    operands.push_back(t);
  }
  auto made = tracing.resolve<JvpResult>(
      "jvp", [&] { return tracing.transforms.jvp(withDerivative(*target), target->active); });
  if (!made) return Failed();
  JX_TRY(results, tracing.call(made->function, operands));
  llvm::ArrayRef<mlir::Value> all = *results;
  unsigned numOutputs = target->numOutputs(), numPrimal = numOutputs + target->traced.numExtraLeaves;
  JX_TRY(out, outputsOf(ev, *target, all.take_front(numOutputs)));
  std::vector<mlir::Value> outTangents;
  size_t next = numPrimal;
  for (unsigned i = 0; i < numOutputs; ++i) {
    mlir::Value tangent =
        made->activeResults[i] ? all[next++] : noTangent(ev, target->traced.outputs[i].type);
    if (!tangent) return Failed();
    outTangents.push_back(tangent);
  }
  JX_TRY(outTangent, outputsOf(ev, *target, outTangents));
  JX_TRY(aux, tracing.applyExtras(target->traced, all.slice(numOutputs, target->traced.numExtraLeaves)));
  std::vector<Value> parts{out, outTangent};
  if (hasAux) parts.push_back(aux);
  return ev.arena.tuple(std::move(parts));
}

// What linearize returns: the linear part over residuals.
class LinearMap : public OpaqueObject {
public:
  llvm::StringRef typeName() const override { return "linearized function"; }
  Target target;
  mlir::func::FuncOp linear;
  unsigned numResiduals = 0;
  llvm::SmallVector<bool> activeResults;

  Value call(Evaluator &ev, Object *self, CallArgs &args) const override {
    auto checked = ev.tracing->resolve<mlir::func::FuncOp>("linearize", [&] {
      bool fails = mlir::failed(ev.tracing->transforms.checkComputable(linear));
      return fails ? mlir::FailureOr<mlir::func::FuncOp>() : mlir::FailureOr(linear);
    });
    if (!checked) return Failed();
    std::vector<Value> tangents;
    JX_CHECK(ev.tracing->trees.flattenUpTo(
        *target.primals, ev.arena.tuple({args.positional.begin(), args.positional.end()}), tangents));
    llvm::SmallVector<mlir::Value> operands;
    for (unsigned i = 0; i < numResiduals; ++i) operands.push_back(self->at(i).asArray());
    for (auto [i, tangent] : llvm::enumerate(tangents)) {
      if (!target.active[i]) continue;
      mlir::Value t = tangentLike(ev, tangent, target.leaves[i].asArray().getType(), "tangents");
      if (!t) return Failed();
      operands.push_back(t);
    }
    JX_TRY(results, ev.tracing->call(linear, operands));
    std::vector<mlir::Value> outputs;
    size_t next = 0;
    for (unsigned i = 0; i < target.numOutputs(); ++i) {
      mlir::Value tangent =
          activeResults[i] ? (*results)[next++] : noTangent(ev, target.traced.outputs[i].type);
      if (!tangent) return Failed();
      outputs.push_back(tangent);
    }
    return outputsOf(ev, target, outputs);
  }
};

Value linearize(Evaluator &ev, CallArgs &args) {
  Value v[2];
  JX_CHECK(ev.bindNative(args, "linearize", {"f", "primals"}, 2, v));
  JX_TRY(primals, makePrimalsTuple(ev, v[1]));
  JX_TRY(target, traceTarget(ev, v[0], primals, false, "linearize"));
  Tracing &tracing = *ev.tracing;
  auto linearized = tracing.resolve<LinearizeResult>(
      "linearize", [&] { return tracing.transforms.linearize(withDerivative(*target), target->active); });
  if (!linearized) return Failed();
  JX_TRY(results, tracing.call(linearized->known, target->operands()));
  llvm::ArrayRef<mlir::Value> all = *results;
  unsigned numResults = target->numOutputs() + target->traced.numExtraLeaves;
  JX_TRY(out, outputsOf(ev, *target, all.take_front(target->numOutputs())));
  JX_TRY(aux,
         tracing.applyExtras(target->traced, all.slice(target->numOutputs(), target->traced.numExtraLeaves)));
  std::vector<Value> residuals;
  for (mlir::Value residual : all.drop_front(numResults)) residuals.push_back(Value::array(residual, false));
  auto map = std::make_shared<LinearMap>();
  map->linear = linearized->linear;
  map->numResiduals = linearized->numResiduals;
  map->activeResults = linearized->activeResults;
  map->target = std::move(*target);
  return ev.arena.tuple({out, makeOpaque(ev, map, std::move(residuals))});
}

Value checkpointCall(Evaluator &ev, CallArgs &args) {
  Value v[4];
  JX_CHECK(ev.bindNative(args, "checkpoint_call", {"f", "args", "kwargs", "policy"}, 4, v));
  Tracing &tracing = *ev.tracing;
  Value f = v[0], kwargs = v[2];
  // Keyword arguments are part of the tree of inputs.
  Value wrapped = ev.arena.native(nameOf(ev, f), [f](Evaluator &ev, CallArgs &args) -> Value {
    JX_TRY(inner, callArguments(ev, args.positional[0], args.positional[1]));
    return ev.call(f, *inner);
  });
  JX_TRY(positional, makePrimalsTuple(ev, v[1]));
  JX_TRY(target, traceTarget(ev, wrapped, ev.arena.tuple({positional, kwargs}), false, "checkpoint"));
  JX_TRY(results,
         tracing.call(target->traced.function, target->operands(), "jx.checkpoint",
                      ev.builder.getNamedAttr("policy", ev.builder.getStringAttr(
                                                            v[3].is(Kind::Str) ? v[3].asStr() : "nothing"))));
  llvm::ArrayRef<mlir::Value> all = *results;
  JX_TRY(out, outputsOf(ev, *target, all.take_front(target->numOutputs())));
  JX_TRY(aux, tracing.applyExtras(target->traced, all.drop_front(target->numOutputs())));
  return out;
}

// The operation that makes an array gets the name by which policies of checkpoint ask for it.
Value checkpointName(Evaluator &ev, CallArgs &args) {
  Value v[2];
  JX_CHECK(ev.bindNative(args, "checkpoint_name", {"x", "name"}, 2, v));
  if (mlir::Operation *op = v[0].asArray().getDefiningOp())
    op->setAttr("jx.checkpoint_name", ev.builder.getStringAttr(v[1].asStr()));
  return v[0];
}

} // namespace

void registerDerivatives(Registry &r) {
  r.function("jx._intrinsics", "vjp", vjp);
  r.function("jx._intrinsics", "jvp", jvp);
  r.function("jx._intrinsics", "linearize", linearize);
  r.function("jx._intrinsics", "checkpoint_call", checkpointCall);
  r.function("jx._intrinsics", "checkpoint_name", checkpointName);
  registerCustomRules(r);
}

} // namespace jx::elab
