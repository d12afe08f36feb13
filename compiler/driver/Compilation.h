// One compilation from file to module: owns every table that the phases share, and turns what any phase
// reports into the diagnostics that a user reads. The tools are thin layers over it.
#pragma once

#include "compiler/diagnostics/Diagnostic.h"
#include "compiler/elaborate/Elaborate.h"
#include "compiler/elaborate/OptionTable.h"
#include "compiler/syntax/AstContext.h"
#include "jxrt/Context.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>
#include <vector>

namespace jx {

class Compilation {
public:
  Compilation();
  ~Compilation();
  Compilation(const Compilation &) = delete;

  /// Parses and elaborates a program. Returns false after errors, which are in `sink`.
  bool elaborate(const std::string &path, ElaborateOptions options);

  /// Inlines and simplifies the elaborated module for evaluation or lowering: driver/Pipeline.cpp lists the
  /// passes.
  bool prepare();

  mlir::ModuleOp getModule() { return module.get(); }
  const std::vector<ProgramOption> &options() const;
  const std::string &help() const;
  /// What the user's functions take and return, when the options asked for it.
  const std::vector<Signature> &signatures() const;
  /// Failures of the compiler itself, in its own terms, for a report; empty when there are none.
  const std::string &internalErrors() const { return internal; }

  /// Prints what was reported so far to stderr, and forgets it.
  void printDiagnostics();

  mlir::MLIRContext &getContext() { return context; }
  SourceManager &getSources() { return sources; }
  AstContext &getAst() { return ast; }
  DiagnosticSink &getSink() { return sink; }

private:
  mlir::MLIRContext context;
  SourceManager sources;
  AstContext ast;
  DiagnosticSink sink;
  std::string internal;
  std::unique_ptr<Elaborator> elaborator;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::DiagnosticEngine::HandlerID handler;
};

/// `file.jx:12` of an op's location: the innermost place in a user's file.
std::string placeOf(mlir::Location location);

/// Splits `--name value`, `--name=value` and `--flag` into names and values; errors are the runtime's to
/// report.
std::map<std::string, std::string> rawOptions(const std::vector<std::string> &arguments);

} // namespace jx
