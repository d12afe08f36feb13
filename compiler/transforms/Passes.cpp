// The transforms as passes: each acts on the functions whose attribute `jx.transform` names it.
//
//   jx.transform = {kind = "jvp", args = [true, false]}          -jx-jvp
//   jx.transform = {kind = "linearize", args = [true, false]}    -jx-linearize
//   jx.transform = {kind = "transpose", linear = 1}              -jx-transpose
//   jx.transform = {kind = "batch", args = [true], size = 4, axis = "i"}    -jx-batch
#include "compiler/dialect/JxDialect.h"
#include "compiler/transforms/Transforms.h"

using namespace mlir;

namespace jx {
namespace {

struct TransformPass : PassWrapper<TransformPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TransformPass)
  explicit TransformPass(StringRef kind = "") : kind(kind.str()), argument(("jx-" + kind).str()) {}
  TransformPass(const TransformPass &other)
      : PassWrapper(other), kind(other.kind), argument(other.argument) {}
  StringRef getArgument() const final { return argument; }
  StringRef getDescription() const final { return "transforms the functions that jx.transform marks for it"; }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Transforms transforms(module);
    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      auto request = function->getAttrOfType<DictionaryAttr>("jx.transform");
      if (!request || request.getAs<StringAttr>("kind") != StringAttr::get(&getContext(), kind)) continue;
      function->removeAttr("jx.transform");
      if (failed(apply(transforms, function, request))) return signalPassFailure();
    }
  }

private:
  LogicalResult apply(Transforms &transforms, func::FuncOp function, DictionaryAttr request) {
    SmallVector<bool> bits;
    if (auto args = request.getAs<ArrayAttr>("args"))
      for (Attribute bit : args) bits.push_back(cast<BoolAttr>(bit).getValue());
    auto integer = [&](StringRef name) {
      auto attr = request.getAs<IntegerAttr>(name);
      return attr ? attr.getInt() : 0;
    };
    if (kind != "transpose" && bits.size() != function.getNumArguments())
      return function.emitError("jx.transform needs one bit an argument");
    if (kind == "jvp") return transforms.jvp(function, bits);
    if (kind == "linearize") return transforms.linearize(function, bits);
    if (kind == "transpose") return transforms.transpose(function, integer("linear"));
    auto axis = request.getAs<StringAttr>("axis");
    return transforms.batch(function, bits, integer("size"), axis ? axis.getValue() : "");
  }
  std::string kind, argument;
};

struct SimplifyPass : PassWrapper<SimplifyPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SimplifyPass)
  StringRef getArgument() const final { return "jx-simplify"; }
  StringRef getDescription() const final { return "canonicalisation, CSE and removal of dead code"; }
  void runOnOperation() override { simplify(getOperation()); }
};

struct InlinePass : PassWrapper<InlinePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InlinePass)
  StringRef getArgument() const final { return "jx-inline"; }
  StringRef getDescription() const final {
    return "inlines calls bottom-up and removes unused private functions";
  }
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (!function.isPrivate()) inlineCalls(function);
    removeUnusedFunctions(getOperation());
  }
};

} // namespace

void registerTransformPasses() {
  for (StringRef kind : {"jvp", "linearize", "transpose", "batch"})
    registerPass([kind]() -> std::unique_ptr<Pass> { return std::make_unique<TransformPass>(kind); });
  PassRegistration<SimplifyPass>();
  PassRegistration<InlinePass>();
}

} // namespace jx
