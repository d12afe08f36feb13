// One walk over the statements of a module. See Lint.h.
#include "compiler/elaborate/Lint.h"
#include "llvm/Support/Casting.h"

namespace jx::elab {

using namespace ast;

namespace {

class Linter {
public:
  explicit Linter(DiagnosticSink &sink) : sink(sink) {}

  void block(Block statements) {
    const Stmt *leaves = nullptr;
    for (const Stmt *stmt : statements) {
      if (leaves) {
        warn(DiagKind::UnreachableStatement, stmt->range, "this statement is never reached",
             "remove it, or move it before the statement that leaves")
            .span(leaves->range, "control always leaves here");
        report();
        return;
      }
      statement(stmt);
      if (alwaysLeaves(stmt)) leaves = stmt;
    }
  }

private:
  static bool alwaysLeaves(const Stmt *stmt) {
    if (auto *branch = llvm::dyn_cast<If>(stmt))
      return !branch->body.empty() && !branch->orelse.empty() && alwaysLeaves(branch->body.back()) &&
             alwaysLeaves(branch->orelse.back());
    return llvm::isa<Return, Raise, Break, Continue>(stmt);
  }

  void statement(const Stmt *stmt) {
    if (auto *branch = llvm::dyn_cast<If>(stmt)) {
      block(branch->body);
      block(branch->orelse);
    } else if (auto *loop = llvm::dyn_cast<For>(stmt)) {
      block(loop->body);
      block(loop->orelse);
    } else if (auto *loop = llvm::dyn_cast<While>(stmt)) {
      block(loop->body);
      block(loop->orelse);
    } else if (auto *with = llvm::dyn_cast<With>(stmt)) {
      block(with->body);
    } else if (auto *attempt = llvm::dyn_cast<Try>(stmt)) {
      block(attempt->body);
      for (const ExceptHandler &handler : attempt->handlers) block(handler.body);
      block(attempt->orelse);
      block(attempt->finally);
    } else if (auto *cls = llvm::dyn_cast<ClassDef>(stmt)) {
      block(cls->body);
    } else if (auto *def = llvm::dyn_cast<FunctionDef>(stmt)) {
      for (const Parameter &parameter : def->params) defaultValue(*def, parameter);
      block(def->body());
    } else if (auto *assertion = llvm::dyn_cast<Assert>(stmt)) {
      auto *tuple = llvm::dyn_cast<Tuple>(assertion->test);
      if (tuple && !tuple->elements.empty()) {
        warn(DiagKind::AssertOnTuple, tuple->range,
             "this assertion always holds: a tuple with elements is true",
             "leave the parentheses out: `assert condition, message`");
        report();
      }
    } else if (auto *expr = llvm::dyn_cast<ExprStmt>(stmt)) {
      dropped(expr->value);
    }
  }

  void defaultValue(const FunctionDef &def, const Parameter &parameter) {
    if (!parameter.defaultValue || !llvm::isa<List, Dict, Set>(parameter.defaultValue)) return;
    std::string name(parameter.name.str());
    warn(DiagKind::MutableDefault, parameter.defaultValue->range,
         "all calls of `" + std::string(def.name.str()) + "` share this default value of `" + name + "`",
         "write `" + name + "=None`, and make a new one in the body: `if " + name + " is None: ...`");
    report();
  }

  // An expression statement whose value is all that it makes.
  void dropped(const Expr *value) {
    if (llvm::isa<Compare>(value)) {
      warn(DiagKind::UselessComparison, value->range, "the result of this comparison is not used",
           "to assign, write `=`; to check, write `assert`");
      report();
      return;
    }
    // x.at[i].set(y) and its kin
    auto *call = llvm::dyn_cast<Call>(value);
    auto *method = call ? llvm::dyn_cast<Attribute>(call->callee) : nullptr;
    auto *item = method ? llvm::dyn_cast<Subscript>(method->value) : nullptr;
    auto *at = item ? llvm::dyn_cast<Attribute>(item->value) : nullptr;
    if (!at || at->name.str() != "at") return;
    warn(DiagKind::DiscardedUpdate, value->range,
         "`.at[...]." + std::string(method->name.str()) + "` makes a new array, which is thrown away here",
         "keep it: `x = x.at[...]." + std::string(method->name.str()) + "(...)`");
    report();
  }

  Diagnostic &warn(DiagKind kind, SourceRange range, std::string message, std::string hint) {
    warning = Diagnostic(kind, range, std::move(message));
    warning.asWarning().withHint(std::move(hint));
    return warning;
  }
  void report() { sink.report(std::move(warning)); }

  DiagnosticSink &sink;
  Diagnostic warning;
};

} // namespace

void lint(const Module &module, DiagnosticSink &sink) { Linter(sink).block(module.body); }

} // namespace jx::elab
