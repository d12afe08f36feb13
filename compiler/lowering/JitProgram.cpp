// ORC's object layer with JITLink, without LLJIT: no platform, no symbol search in the process, no compile
// layer, so that linking a small program takes about a millisecond.
#include "compiler/lowering/JitProgram.h"
#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"

using namespace llvm;
using namespace llvm::orc;

namespace jx {

namespace {
class OrcCode : public LinkedCode {
public:
  OrcCode(std::unique_ptr<ExecutionSession> session, std::unique_ptr<ObjectLinkingLayer> layer,
          JITDylib &library)
      : session(std::move(session)), layer(std::move(layer)), library(library) {}
  ~OrcCode() override {
    if (Error error = session->endSession()) consumeError(std::move(error));
  }

  void *lookup(StringRef name) override {
    auto symbol = session->lookup({&library}, session->intern(name));
    if (!symbol) {
      consumeError(symbol.takeError());
      return nullptr;
    }
    return symbol->getAddress().toPtr<void *>();
  }

private:
  std::unique_ptr<ExecutionSession> session;
  std::unique_ptr<ObjectLinkingLayer> layer;
  JITDylib &library;
};
} // namespace

Expected<std::unique_ptr<LinkedCode>> linkInProcess(std::vector<std::unique_ptr<MemoryBuffer>> objects,
                                                    ArrayRef<NativeSymbol> symbols) {
  auto control = SelfExecutorProcessControl::Create();
  if (!control) return control.takeError();
  auto session = std::make_unique<ExecutionSession>(std::move(*control));
  std::string failures;
  session->setErrorReporter([&failures](Error error) { failures += toString(std::move(error)) + "\n"; });
  auto layer =
      std::make_unique<ObjectLinkingLayer>(*session, session->getExecutorProcessControl().getMemMgr());
  JITDylib &library = session->createBareJITDylib("program");
  SymbolMap native;
  auto define = [&](const NativeSymbol &symbol) {
    native[session->intern(symbol.name)] = {ExecutorAddr::fromPtr(symbol.address), JITSymbolFlags::Exported};
  };
  for (const NativeSymbol &symbol : runtimeSymbols()) define(symbol);
  for (const NativeSymbol &symbol : symbols) define(symbol);
  auto fail = [&](Error error) -> Error {
    std::string text = toString(std::move(error));
    consumeError(session->endSession());
    return createStringError(text + failures);
  };
  if (Error error = library.define(absoluteSymbols(std::move(native)))) return fail(std::move(error));
  for (auto &object : objects)
    if (Error error = layer->add(library, std::move(object))) return fail(std::move(error));
  // Linking happens at the first lookup, while failures can still be told.
  auto entry = session->lookup({&library}, session->intern("jx_entry"));
  if (!entry) return fail(entry.takeError());
  session->setErrorReporter([](Error error) { consumeError(std::move(error)); });
  return std::make_unique<OrcCode>(std::move(session), std::move(layer), library);
}

} // namespace jx
