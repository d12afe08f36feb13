// The stages of lowering in order: cluster, control program and kernels, LLVM, linking.
#include "compiler/lowering/Pipeline.h"
#include "compiler/lowering/ContractionOperands.h"
#include "compiler/lowering/ControlOutline.h"
#include "compiler/lowering/ControlPacking.h"
#include "compiler/lowering/ControlProgram.h"
#include "compiler/lowering/JitProgram.h"
#include "compiler/lowering/LlvmCompiler.h"
#include "compiler/lowering/LlvmConversion.h"
#include "jxrt/Context.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;

namespace jx {

namespace {
/// Collects the diagnostics of a stage as text.
class DiagnosticText {
public:
  explicit DiagnosticText(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          text += (text.empty() ? "" : "\n") + diagnostic.str();
          return success();
        }) {}
  llvm::Error error(const char *stage) { return llvm::createStringError(std::string(stage) + ": " + text); }

private:
  std::string text;
  ScopedDiagnosticHandler handler;
};

class NativeProgram : public CompiledProgram {
public:
  NativeProgram(ControlProgram &control, func::FuncOp entry)
      : arenaBytes(control.getArenaBytes()), largestLine(control.getLargestLine()) {
    for (const ProgramData &item : control.getData()) data.push_back(item);
    for (Type type : entry.getResultTypes()) resultTypes.push_back(cast<RankedTensorType>(type));
  }

  int32_t run(jxrt_context *context, ArrayRef<HostArray> arguments,
              std::vector<HostArray> &results) override {
    if (int32_t status = jxrt_arena_reserve(context, arenaBytes, largestLine.c_str())) return status;
    SmallVector<const void *> inputs;
    for (const HostArray &argument : arguments) inputs.push_back(argument.data());
    SmallVector<void *> outputs;
    for (RankedTensorType type : resultTypes) outputs.push_back(results.emplace_back(type).mutableData());
    return entry(context, inputs.data(), outputs.data());
  }

  std::deque<ProgramData> data;
  SmallVector<RankedTensorType> resultTypes;
  int64_t arenaBytes;
  std::string largestLine; ///< whose array takes most of the arena
  std::unique_ptr<LinkedCode> code;
  int32_t (*entry)(jxrt_context *, const void **, void **) = nullptr;
};
} // namespace

static bool dumps(const LoweringOptions &options, StringRef stage) {
  return options.dumpTo && options.dumpStage == stage;
}

llvm::Expected<std::vector<std::unique_ptr<llvm::MemoryBuffer>>>
compileUnits(ModuleOp module, ControlProgram &control, const LoweringOptions &options) {
  MLIRContext *context = module.getContext();
  loadLoweringDialects(context);
  DiagnosticText diagnostics(context);
  transposeInvariantMatrices(module);
  packScalarFunctions(module);
  if (failed(clusterKernels(module))) return diagnostics.error("clustering failed");
  outlineHotLoops(module);
  if (dumps(options, "cluster")) module.print(*options.dumpTo);
  if (failed(control.emit())) return diagnostics.error("lowering failed");
  UnitCompiler compiler(options.threads);
  // The units that take longest first.
  for (Tier tier : {Tier::Hot, Tier::Cold})
    for (ControlUnit &unit : control.getUnits()) {
      if (unit.tier != tier || unit.module->getBody()->empty()) continue;
      if (dumps(options, "control")) unit.module->print(*options.dumpTo);
      CodeUnit code;
      code.context = std::make_unique<llvm::LLVMContext>();
      code.module = translateToLlvm(*unit.module, *code.context);
      if (!code.module) return diagnostics.error("translation to LLVM failed");
      for (llvm::Function &function : *code.module)
        if (!function.isDeclaration() && !llvm::is_contained(unit.exported, function.getName()))
          function.setLinkage(llvm::GlobalValue::InternalLinkage);
      code.tier = options.optimize ? unit.tier : Tier::Cold;
      code.name = unit.name;
      if (dumps(options, "llvm")) code.module->print(*options.dumpTo, nullptr);
      if (dumps(options, "asm")) {
        CodeUnit copy; // compilation transforms the module that it is given
        copy.module = llvm::CloneModule(*code.module);
        copy.tier = code.tier;
        auto text = compileUnit(copy, /*assembly=*/true);
        if (!text) return text.takeError();
        *options.dumpTo << (*text)->getBuffer();
      }
      compiler.add(std::move(code));
    }
  return compiler.finish();
}

llvm::Expected<std::unique_ptr<CompiledProgram>> compile(ModuleOp module, const LoweringOptions &options) {
  ControlProgram control(module);
  auto objects = compileUnits(module, control, options);
  if (!objects) return objects.takeError();
  auto program = std::make_unique<NativeProgram>(control, control.lookup("entry"));
  std::vector<NativeSymbol> symbols;
  for (const ProgramData &item : program->data) symbols.push_back({item.symbol, item.bytes.data()});
  auto code = linkInProcess(std::move(*objects), symbols);
  if (!code) return code.takeError();
  program->code = std::move(*code);
  void *entry = program->code->lookup("jx_entry");
  if (!entry) return llvm::createStringError("the linked program has no entry");
  program->entry = reinterpret_cast<decltype(program->entry)>(entry);
  return program;
}

int32_t compileAndRun(ModuleOp module, jxrt_context *context, const LoweringOptions &options) {
  auto program = compile(module, options);
  if (!program) return jxrt_fail(context, "SystemError", llvm::toString(program.takeError()).c_str(), "");
  std::vector<HostArray> results;
  return (*program)->run(context, {}, results);
}

} // namespace jx
