// The public face of the elaborator: syntax tree in, module of jx functions out.
#pragma once
#include "compiler/diagnostics/Diagnostic.h"
#include "compiler/syntax/Ast.h"
#include "compiler/syntax/AstContext.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace jx {

/// A command-line option: a parameter of the `main` that the `__main__` block calls.
struct ProgramOption {
  enum Type { Int, Float, Bool, Str } type;
  std::string name;
  std::string defaultText; ///< as Python prints the default
  bool required = false;
  bool frozen = false;   ///< its value was needed at compile time
  std::string frozenWhy; ///< "a slice length", with its place
  std::string help;
};

/// What a function of the program was found to take and to return.
struct Signature {
  std::string function;
  SourceRange range; ///< of its definition
  std::string text;  ///< `loss(w: f32[784,10], x: f32[n=32,784]) -> f32[]`
};

struct ElaborateOptions {
  /// Values of command-line options, by name. Only frozen ones enter the program; `jx build` records them.
  std::map<std::string, std::string> optionValues;
  /// All options are frozen at their values, e.g. for the interpreter or `jx check`.
  bool freezeAll = false;
  bool strict = false;
  /// Keep the signatures of the program's top-level functions.
  bool recordSignatures = false;
  uint64_t maxOperations = 200'000;
  unsigned maxUnroll = 64;
  unsigned maxUnrolledElements = 4096;
  uint64_t maxExecutedTrips = 1'000'000;
  unsigned maxDepth = 1000;
  /// Path of the program as `__file__` gives it.
  std::string programPath;
};

/// Elaborates entries one after another; each sees the heap and the globals of those before it.
class Elaborator {
public:
  Elaborator(mlir::MLIRContext &context, SourceManager &sources, AstContext &ast, DiagnosticSink &sink,
             ElaborateOptions options = {});
  ~Elaborator();

  /// The entry as a module whose function @entry is its control program; arguments of @entry are the arrays
  /// that earlier entries returned, results are those that later ones may use (see `globals`). Null after
  /// errors, which are in the sink.
  mlir::OwningOpRef<mlir::ModuleOp> elaborateEntry(const ast::Module &entry);
  /// Parses and elaborates a file as a program of one entry.
  mlir::OwningOpRef<mlir::ModuleOp> elaborateProgram(const std::string &path);

  /// The options that `main` takes, after a program was elaborated.
  const std::vector<ProgramOption> &programOptions() const;
  /// Of the program's top-level functions, in the order of their first calls; several when a function is
  /// called with different types.
  const std::vector<Signature> &signatures() const;

  /// `main`'s docstring, for --help.
  const std::string &programHelp() const;

private:
  mlir::OwningOpRef<mlir::ModuleOp> elaborate(const ast::Module &entry, bool keepGlobals);
  struct State;
  std::unique_ptr<State> state;
};

} // namespace jx
