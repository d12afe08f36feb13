// closure_convert: a function's captured arrays become arguments of it, so that rules of the library can
// differentiate with respect to them.
#include "compiler/elaborate/Registry.h"
#include "compiler/elaborate/Tracing.h"

namespace jx::elab {

namespace {

// A function elaborated for arguments of one structure and type, which takes what it captured behind them.
class ConvertedFunction : public OpaqueObject {
public:
  llvm::StringRef typeName() const override { return "function"; }
  Tree arguments, results;
  std::vector<mlir::Type> types; // of the leaves of the arguments, then of what was captured
  mlir::func::FuncOp function;
  std::vector<bool> weak; // of the outputs

  Value call(Evaluator &ev, Object *, CallArgs &args) const override {
    Tracing &tracing = *ev.tracing;
    size_t numArguments = arguments->children.size(), numCaptured = types.size() - arguments->leaves();
    if (args.positional.size() != numArguments + numCaptured)
      return ev.typeError("the converted function takes " + std::to_string(numArguments) + " arguments and " +
                          std::to_string(numCaptured) + " arrays that it captured, but " +
                          std::to_string(args.positional.size()) + " were given");
    std::vector<Value> leaves, given(args.positional.begin(), args.positional.begin() + numArguments);
    JX_CHECK(tracing.trees.flattenUpTo(*arguments, ev.arena.tuple(std::move(given)), leaves));
    leaves.insert(leaves.end(), args.positional.begin() + numArguments, args.positional.end());
    llvm::SmallVector<mlir::Value> operands;
    for (auto [leaf, type] : llvm::zip_equal(leaves, types)) {
      auto wanted = llvm::cast<mlir::RankedTensorType>(type);
      Value array = ev.toArray(leaf, {wanted.getElementType(), false});
      if (!array) return Failed();
      if (array.arrayType() != wanted)
        return ev.typeError("the converted function was made for an argument `" + typeText(wanted) +
                            "`, but `" + typeText(array.arrayType()) + "` was given");
      operands.push_back(array.asArray());
    }
    JX_TRY(outputs, tracing.call(function, operands));
    std::vector<Value> values;
    for (auto [output, isWeak] : llvm::zip_equal(*outputs, weak))
      values.push_back(Value::array(output, isWeak));
    return tracing.trees.unflattenAll(*results, values);
  }
};

// closure_convert(f, args): (converted, captured arrays), with converted(*args, *captured) == f(*args).
Value closureConvert(Evaluator &ev, CallArgs &args) {
  Value v[2];
  JX_CHECK(ev.bindNative(args, "closure_convert", {"f", "args"}, 2, v));
  Tracing &tracing = *ev.tracing;
  auto converted = std::make_shared<ConvertedFunction>();
  JX_TRY(items, ev.elements(v[1]));
  JX_TRY(leaves, tracing.arrayLeaves(ev.arena.tuple(*items), converted->arguments));
  TraceBody body;
  body.run = [&](llvm::ArrayRef<Value> arguments) -> std::optional<std::vector<Value>> {
    JX_TRY(tree, tracing.trees.unflattenAll(*converted->arguments, arguments));
    JX_TRY(parts, ev.elements(tree));
    JX_TRY(result, ev.call(v[0], *parts));
    return tracing.arrayLeaves(result, converted->results);
  };
  JX_TRY(traced, tracing.trace("converted", *leaves, body, "closure_convert"));
  if (traced->writesHeap)
    return ev.fail(
        DiagKind::TransformFailed,
        "a function for closure_convert writes a variable of the code around it; return the value");
  converted->function = traced->function;
  for (Value leaf : *leaves) converted->types.push_back(leaf.asArray().getType());
  std::vector<Value> captured;
  for (mlir::Value value : traced->captured) {
    converted->types.push_back(value.getType());
    captured.push_back(Value::array(value, false));
  }
  for (const Traced::Output &output : traced->outputs) converted->weak.push_back(output.isWeak);
  return ev.arena.tuple({makeOpaque(ev, converted), Value(ev.heap.list(std::move(captured)))});
}

} // namespace

void registerClosures(Registry &r) { r.function("jx._intrinsics", "closure_convert", closureConvert); }

} // namespace jx::elab
