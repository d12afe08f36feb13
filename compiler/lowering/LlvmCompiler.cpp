// The target, the pass pipelines of the tiers, and the pool that compiles units.
#include "compiler/lowering/LlvmCompiler.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace llvm;

namespace jx {

namespace {
/// The host's CPU, asked once: reading its features takes a millisecond.
struct HostCpu {
  std::string name = sys::getHostCPUName().str();
  std::string features;
  HostCpu() {
    SubtargetFeatures list;
    for (auto &feature : sys::getHostCPUFeatures()) list.AddFeature(feature.first(), feature.second);
    features = list.getString();
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
  }
};
} // namespace

static const HostCpu &hostCpu() {
  static const HostCpu cpu;
  return cpu;
}

Expected<std::unique_ptr<TargetMachine>> createHostTarget(Tier tier) {
  const HostCpu &cpu = hostCpu();
  Triple triple(sys::getProcessTriple());
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target) return createStringError(error);
  TargetOptions options;
  // FMA only where lowering writes it: the bits must not depend on the target.
  options.AllowFPOpFusion = FPOpFusion::Strict;
  auto machine = std::unique_ptr<TargetMachine>(
      target->createTargetMachine(triple, cpu.name, cpu.features, options, Reloc::PIC_, CodeModel::Small,
                                  tier == Tier::Cold ? CodeGenOptLevel::None : CodeGenOptLevel::Default));
  if (!machine) return createStringError("no target machine for " + triple.str());
  if (tier == Tier::Cold) machine->setFastISel(true);
  return machine;
}

/// The mid-level pipeline of a tier.
static void optimise(Module &module, TargetMachine &machine, Tier tier) {
  if (tier == Tier::Cold) return;
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  PassBuilder builder(&machine, tuning);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3).run(module, modules);
}

Expected<std::unique_ptr<MemoryBuffer>> compileUnit(CodeUnit &unit, bool assembly) {
  auto machine = createHostTarget(unit.tier);
  if (!machine) return machine.takeError();
  Module &module = *unit.module;
  module.setDataLayout((*machine)->createDataLayout());
  module.setTargetTriple((*machine)->getTargetTriple());
  for (Function &function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", hostCpu().name);
    function.addFnAttr("target-features", hostCpu().features);
    // Without it LLVM halves the vectors on processors with 512-bit units.
    function.addFnAttr("prefer-vector-width", "512");
    function.addFnAttr(Attribute::NoUnwind);
  }
  optimise(module, **machine, unit.tier);
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager codegen;
  auto kind = assembly ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile;
  if ((*machine)->addPassesToEmitFile(codegen, stream, nullptr, kind, /*DisableVerify=*/true))
    return createStringError("the target cannot emit object files");
  codegen.run(module);
  return std::make_unique<SmallVectorMemoryBuffer>(std::move(bytes), unit.name,
                                                   /*RequiresNullTerminator=*/false);
}

UnitCompiler::UnitCompiler(unsigned threads) {
  hostCpu();
  if (!threads) threads = std::max(1u, std::thread::hardware_concurrency());
  // The caller's thread compiles too once it has made every unit.
  for (unsigned i = 1; i < threads; ++i) workers.emplace_back([this] { work(/*wait=*/true); });
}

UnitCompiler::~UnitCompiler() {
  {
    std::lock_guard lock(mutex);
    closed = true;
    next = jobs.size();
  }
  changed.notify_all();
  for (std::thread &worker : workers) worker.join();
}

void UnitCompiler::add(CodeUnit unit) {
  auto job = std::make_unique<Job>();
  job->unit = std::move(unit);
  {
    std::lock_guard lock(mutex);
    jobs.push_back(std::move(job));
  }
  changed.notify_one();
}

void UnitCompiler::work(bool wait) {
  while (true) {
    Job *job = nullptr;
    {
      std::unique_lock lock(mutex);
      if (wait) changed.wait(lock, [&] { return closed || next < jobs.size(); });
      if (next >= jobs.size()) return;
      job = jobs[next++].get();
    }
    auto object = compileUnit(job->unit);
    if (object)
      job->object = std::move(*object);
    else
      job->error = toString(object.takeError());
    job->unit.module.reset();
    job->unit.context.reset();
  }
}

Expected<std::vector<std::unique_ptr<MemoryBuffer>>> UnitCompiler::finish() {
  {
    std::lock_guard lock(mutex);
    closed = true;
  }
  changed.notify_all();
  work(/*wait=*/false);
  for (std::thread &worker : workers) worker.join();
  workers.clear();
  std::vector<std::unique_ptr<MemoryBuffer>> objects;
  for (auto &job : jobs) {
    if (!job->error.empty()) return createStringError(job->error);
    objects.push_back(std::move(job->object));
  }
  jobs.clear();
  next = 0;
  return objects;
}

} // namespace jx
