// Elaborating a target into a function of its own, and calling it. See Tracing.h.
#include "compiler/elaborate/Tracing.h"
#include "compiler/dialect/JxDialect.h"
#include "compiler/dialect/RegionRules.h"
#include "compiler/elaborate/Raises.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

namespace jx::elab {

Tracing::Tracing(Evaluator &ev) : ev(ev), trees(ev), transforms(*ev.module, this) {}
Tracing::~Tracing() = default;

bool Tracing::pureFunction(mlir::func::FuncOp function) { return !hasEffects(function.getBody()); }

namespace {

// Values of outside that the function uses become further arguments of it.
std::vector<mlir::Value> liftCaptured(mlir::func::FuncOp function) {
  std::vector<mlir::Value> captured;
  llvm::DenseMap<mlir::Value, mlir::Value> arguments;
  mlir::Region &body = function.getBody();
  body.walk([&](mlir::Operation *op) {
    for (mlir::OpOperand &operand : op->getOpOperands()) {
      mlir::Value value = operand.get();
      if (isDefinedIn(body, value)) continue;
      mlir::Value &argument = arguments[value];
      if (!argument) {
        argument = body.addArgument(value.getType(), value.getLoc());
        captured.push_back(value);
      }
      operand.set(argument);
    }
  });
  return captured;
}

} // namespace

std::optional<Traced> Tracing::trace(const std::string &name, llvm::ArrayRef<Value> inputs, TraceBody &body,
                                     const std::string &transform) {
  JX_CHECK(ev.mayEmit());
  mlir::OpBuilder::InsertPoint outside = ev.builder.saveInsertionPoint();
  mlir::Location loc = ev.location();
  std::string clean;
  for (char c : name) clean += llvm::isAlnum(c) || c == '_' ? c : '_';
  auto function = mlir::func::FuncOp::create(loc, clean + "_" + std::to_string(counter++),
                                             ev.builder.getFunctionType({}, {}));
  function.setPrivate();
  ev.module->push_back(function);
  mlir::Block *block = function.addEntryBlock();
  Traced traced;
  traced.function = function;
  std::vector<Value> arguments;
  for (Value input : inputs)
    arguments.push_back(Value::array(block->addArgument(input.asArray().getType(), loc), input.isWeak()));
  ev.builder.setInsertionPointToStart(block);
  Heap::Speculation speculation(ev.heap);
  UnreachableTries inside(ev);
  size_t firstUse = keys.size();
  ++open;
  scopes.push_back({ev.frame, transform});
  auto outputs = body.run(arguments);
  scopes.pop_back();
  --open;
  auto abandon = [&]() -> std::optional<Traced> {
    keys.forget(firstUse);
    // The region stays until the end: values of it may still be mentioned by the heap.
    auto region = std::make_unique<mlir::Region>();
    region->takeBody(function.getBody());
    ev.abandon(std::move(region));
    function.erase();
    speculation.commit();
    ev.builder.restoreInsertionPoint(outside);
    return std::nullopt;
  };
  if (!outputs) return abandon();
  Joiner joiner(ev);
  mlir::Region &region = function.getBody();
  auto isInside = [&](mlir::Value v) { return isDefinedIn(region, v); };
  llvm::SmallVector<mlir::Value> results;
  for (Value output : *outputs) results.push_back(output.asArray());
  auto addExtra = [&](Value value, Object *object, size_t index, Value key) -> Status {
    auto form = joiner.open(value, isInside, speculation.firstNew());
    if (!form)
      return ev.fail(DiagKind::TransformFailed,
                     "a value that leaves the function cannot be returned: " + joiner.reason);
    llvm::SmallVector<mlir::Value> leaves;
    JX_CHECK(joiner.materialise(*form, value, leaves));
    llvm::append_range(results, leaves);
    traced.numExtraLeaves += leaves.size();
    traced.extras.push_back({std::move(*form), object, index, key});
    return Status::success();
  };
  if (body.auxiliary && !addExtra(body.auxiliary, nullptr, 0, {})) return abandon();
  for (auto &change : speculation.changes()) {
    Object *object = change.object;
    Contents after = object->contents();
    for (size_t i = 0; i < after.values.size(); ++i) {
      Value now = after.values[i];
      bool same = i < change.before.values.size() && change.before.values[i] && now &&
                  now.identical(change.before.values[i]);
      if (same || !now) continue;
      traced.writesHeap = true;
      if (now.is(Kind::Unbound)) continue;
      if (now.is(Kind::Segment)) {
        (void)ev.unsupported(
            "a list outside of a compiled or transformed function that grows in a loop inside it");
        return abandon();
      }
      if (!addExtra(now, object, i, object->isMap() ? after.keys[i] : Value())) return abandon();
    }
    traced.writesHeap |= after.values.size() != change.before.values.size();
  }
  mlir::func::ReturnOp::create(ev.builder, loc, results);
  traced.usedKeys = keys.close(firstUse, region, outside.getBlock(), ev.sink);
  traced.captured = liftCaptured(function);
  function.setFunctionType(
      ev.builder.getFunctionType(region.getArgumentTypes(), mlir::ValueRange(results).getTypes()));
  for (Value output : *outputs) traced.outputs.push_back({output.arrayType(), output.isWeak()});
  speculation.commit();
  ev.builder.restoreInsertionPoint(outside);
  simplify(function);
  traced.pure = pureFunction(function);
  return traced;
}

std::optional<std::vector<mlir::Value>> Tracing::call(mlir::func::FuncOp function,
                                                      llvm::ArrayRef<mlir::Value> operands,
                                                      llvm::StringRef op,
                                                      llvm::ArrayRef<mlir::NamedAttribute> attributes) {
  JX_CHECK(ev.mayEmit());
  mlir::OperationState state(ev.location(), op, operands, function.getFunctionType().getResults(),
                             attributes);
  state.addAttribute("callee", mlir::FlatSymbolRefAttr::get(function.getSymNameAttr()));
  if (pureFunction(function)) state.addAttribute("pure", ev.builder.getUnitAttr());
  mlir::Operation *made = ev.builder.create(state);
  return std::vector<mlir::Value>(made->result_begin(), made->result_end());
}

Value Tracing::applyExtras(const Traced &traced, llvm::ArrayRef<mlir::Value> leaves) {
  Joiner joiner(ev);
  Value auxiliary;
  for (const Traced::Extra &extra : traced.extras) {
    Value value =
        joiner.instantiate(extra.form, leaves, LeafOrigin{SymbolInfo::Data, "", 0, ev.userHere(), {}});
    if (!value) return Failed();
    if (!extra.object)
      auxiliary = value;
    else if (extra.key)
      ev.heap.put(extra.object, extra.key, value);
    else
      ev.heap.set(extra.object, extra.index, value);
  }
  return auxiliary ? auxiliary : Value::none();
}

std::optional<std::vector<Value>> Tracing::arrayLeaves(Value tree, Tree &out, bool numbersOnly) {
  std::vector<Value> leaves;
  out = trees.flatten(tree, leaves);
  if (!out) return Failed();
  for (Value &leaf : leaves) {
    if (leaf.isArray()) continue;
    if (!leaf.isNumber()) {
      if (numbersOnly) continue;
      (void)ev.fail(DiagKind::NotAnArray,
                    "a value of type '" + ev.typeName(leaf) + "' is not a valid JAX type");
      return Failed();
    }
    leaf = ev.toArray(leaf);
    if (!leaf) return Failed();
  }
  return leaves;
}

Status Tracing::reportFailure(const char *what, const std::string &message) {
  if (!ev.isPending(Pending::None)) return Failed(); // a rule of the user's failed
  return ev.fail(DiagKind::TransformFailed,
                 message.empty() ? std::string("`") + what + "` of this function is not possible" : message);
}

} // namespace jx::elab
