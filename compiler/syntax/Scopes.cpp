// One walk over a module collects what each scope binds and mentions, the names that loops assign and the
// jumps of statements, and refuses misplaced statements; ScopeTable.cpp then resolves the names.
#include "compiler/syntax/Scopes.h"
#include "compiler/syntax/ScopeTable.h"

#include <algorithm>
#include <llvm/Support/Casting.h>

namespace jx {

using namespace ast;
using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

namespace {

struct Stop {};

class Resolver {
public:
  Resolver(Module &module, AstContext &context, DiagnosticSink &sink)
      : module(module), context(context), sink(sink), table(context), superName(context.name("super")) {}

  bool run() {
    try {
      ScopeRecord &top = open(ScopeKind::Module);
      block(module.body);
      current = nullptr;
      for (const NonlocalUse &use : nonlocals)
        if (!table.ownerOf(use.scope->parent, use.name))
          fail(Diagnostic(DiagKind::BadScopeDeclaration, use.range,
                          "no enclosing function has a variable `" + std::string(use.name.str()) + "`"));
      table.resolve();
      module.scope = top.result;
      for (auto &[function, record] : functions) setScope(function, record);
      return true;
    } catch (const Stop &) {
      return false;
    }
  }

private:
  //===- Bookkeeping -----------------------------------------------------------------------------------===//

  [[noreturn]] void fail(Diagnostic diagnostic) {
    sink.report(std::move(diagnostic));
    throw Stop();
  }
  [[noreturn]] void misplaced(const Node &node, std::string message) {
    fail(Diagnostic(DiagKind::MisplacedStatement, node.range, std::move(message)));
  }

  ScopeRecord &open(ScopeKind kind) {
    current = &table.add(kind, current);
    return *current;
  }
  void close() { current = current->parent; }

  static void setScope(const FunctionDef *function, const ScopeRecord *record) {
    FunctionBody body;
    body.statements = function->body();
    body.docstring = function->docstring();
    body.scope = record->result;
    function->setBody(body);
  }

  void bindIn(ScopeRecord &scope, Name name) {
    if (!scope.declaredGlobal.contains(name) && !scope.declaredNonlocal.contains(name))
      scope.bound.insert(name);
    for (NameSet *loop : scope.openLoops) loop->insert(name);
  }
  void mention(Name name, Binding &binding, uint32_t &slot) {
    current->mentions.push_back({name, &binding, &slot});
    current->mentioned.insert(name);
  }
  void bound(BoundName &name) {
    if (!name.name) return;
    bindIn(*current, name.name);
    mention(name.name, name.binding, name.slot);
  }

  struct DepthGuard {
    DepthGuard(Resolver &resolver, const Node &node) : resolver(resolver) {
      if (++resolver.depth > maxTreeDepth)
        resolver.fail(
            Diagnostic(DiagKind::TooDeeplyNested, node.range, "the program is nested too deeply here")
                .withHint("give inner expressions names of their own; use a loop or a list for long chains"));
    }
    ~DepthGuard() { --resolver.depth; }
    Resolver &resolver;
  };

  //===- Expressions -----------------------------------------------------------------------------------===//

  void each(ExprList list) {
    for (Expr *item : list) expr(item);
  }
  void annotation(Expr *tree) {
    ++annotations;
    expr(tree);
    --annotations;
  }
  void parameters(ParameterList params) {
    for (const Parameter &param : params) {
      annotation(param.annotation);
      expr(param.defaultValue);
    }
  }
  void bindParameters(ParameterList params) {
    for (const Parameter &param : params) {
      makePrivate(const_cast<Parameter &>(param).name);
      current->bound.insert(param.name);
    }
    current->parameterCount = params.size();
  }

  void name(NameExpr *node) {
    if (annotations) return; // names of types and dimensions; never variables
    makePrivate(node->name);
    if (node->access != Access::Load)
      bindIn(*current, node->name);
    else if (node->name == superName)
      classCell();
    mention(node->name, node->binding, node->slot);
  }

  /// Names with two leading underscores belong to the class that they are written in: `__x` is `_Class__x`.
  void makePrivate(Name &name) {
    std::string_view text = name.str(), owner = className.str();
    if (owner.empty() || !text.starts_with("__") || text.ends_with("__")) return;
    owner.remove_prefix(std::min(owner.find_first_not_of('_'), owner.size()));
    if (!owner.empty()) name = context.name("_" + std::string(owner) + std::string(text));
  }

  /// `super()` reads the cell `__class__` of the class around the method.
  void classCell() {
    for (ScopeRecord *scope = current; scope; scope = scope->parent)
      if (scope->kind == ScopeKind::Class && scope != current) {
        current->mentions.push_back({table.className, nullptr, nullptr});
        return;
      }
  }

  void walrus(Walrus *node) {
    expr(node->value);
    ScopeRecord *host = current;
    while (host->kind == ScopeKind::Comprehension) {
      if (host->bound.contains(node->target->name))
        fail(Diagnostic(DiagKind::BadScopeDeclaration, node->target->range,
                        "`:=` cannot rebind the variable of its own comprehension"));
      host = host->parent;
    }
    if (host == current) return name(node->target);
    if (host->kind == ScopeKind::Class)
      fail(Diagnostic(DiagKind::MisplacedStatement, node->range,
                      "`:=` in a comprehension needs a function or a module around it"));
    // The comprehension's own scope only passes the name on, as if it were declared nonlocal or global.
    bindIn(*host, node->target->name);
    bool toModule = host->kind == ScopeKind::Module;
    for (ScopeRecord *scope = current; scope != host; scope = scope->parent)
      (toModule ? scope->declaredGlobal : scope->declaredNonlocal).insert(node->target->name);
    mention(node->target->name, node->target->binding, node->target->slot);
  }

  void comprehension(Comprehension *node) {
    expr(node->clauses.front().iter);
    ScopeRecord &scope = open(ScopeKind::Comprehension);
    for (const ComprehensionClause &clause : node->clauses) {
      if (&clause != &node->clauses.front()) expr(clause.iter);
      expr(clause.target);
      each(clause.conditions);
    }
    expr(node->element);
    expr(node->value);
    node->scope = scope.result;
    close();
  }

  void yielded(Expr *node) {
    if (current->kind == ScopeKind::Comprehension)
      misplaced(*node, "`yield` cannot stand inside a comprehension");
    if (!current->isFunctionLike()) misplaced(*node, "`yield` outside a function");
    current->hasYield = true;
    sawYield = true;
  }

  void expr(Expr *node) {
    if (!node) return;
    DepthGuard guard(*this, *node);
    switch (node->kind) {
    case NodeKind::NameExpr:
      return name(cast<NameExpr>(node));
    case NodeKind::FString:
      for (const FStringPart &part : cast<FString>(node)->parts) {
        expr(part.value);
        expr(part.spec);
      }
      return;
    case NodeKind::Attribute:
      makePrivate(cast<Attribute>(node)->name);
      return expr(cast<Attribute>(node)->value);
    case NodeKind::Subscript:
      expr(cast<Subscript>(node)->value);
      return expr(cast<Subscript>(node)->index);
    case NodeKind::Slice: {
      auto *slice = cast<Slice>(node);
      expr(slice->lower);
      expr(slice->upper);
      return expr(slice->step);
    }
    case NodeKind::Call: {
      auto *call = cast<Call>(node);
      expr(call->callee);
      each(call->args);
      for (const Keyword &keyword : call->keywords) {
        if (keyword.name) makePrivate(const_cast<Keyword &>(keyword).name);
        expr(keyword.value);
      }
      return;
    }
    case NodeKind::Unary:
      return expr(cast<Unary>(node)->operand);
    case NodeKind::Binary:
      expr(cast<Binary>(node)->lhs);
      return expr(cast<Binary>(node)->rhs);
    case NodeKind::BoolOp:
      return each(cast<BoolOp>(node)->operands);
    case NodeKind::Compare:
      expr(cast<Compare>(node)->first);
      return each(cast<Compare>(node)->rest);
    case NodeKind::Conditional: {
      auto *choice = cast<Conditional>(node);
      expr(choice->test);
      expr(choice->body);
      return expr(choice->orelse);
    }
    case NodeKind::Lambda: {
      auto *lambda = cast<Lambda>(node);
      parameters(lambda->params);
      lambda->scope = open(ScopeKind::Lambda).result;
      bindParameters(lambda->params);
      bool outerYield = std::exchange(sawYield, false);
      expr(lambda->body);
      sawYield = outerYield;
      return close();
    }
    case NodeKind::Tuple:
      return each(cast<Tuple>(node)->elements);
    case NodeKind::List:
      return each(cast<List>(node)->elements);
    case NodeKind::Set:
      return each(cast<Set>(node)->elements);
    case NodeKind::Dict:
      for (const DictItem &item : cast<Dict>(node)->items) {
        expr(item.key);
        expr(item.value);
      }
      return;
    case NodeKind::Comprehension:
      return comprehension(cast<Comprehension>(node));
    case NodeKind::Walrus:
      return walrus(cast<Walrus>(node));
    case NodeKind::Starred:
      return expr(cast<Starred>(node)->value);
    case NodeKind::Yield:
      yielded(node);
      return expr(cast<Yield>(node)->value);
    case NodeKind::YieldFrom:
      yielded(node);
      return expr(cast<YieldFrom>(node)->value);
    default:
      return; // constants
    }
  }

  //===- Statements ------------------------------------------------------------------------------------===//

  static void merge(Jumps &into, Jumps from) {
    into.mayBreak |= from.mayBreak;
    into.mayContinue |= from.mayContinue;
    into.mayReturn |= from.mayReturn;
    into.mayRaise |= from.mayRaise;
    into.mayYield |= from.mayYield;
  }

  Jumps block(Block body) {
    Jumps jumps;
    for (Stmt *stmt : body) merge(jumps, statement(stmt));
    return jumps;
  }

  Jumps statement(Stmt *stmt) {
    DepthGuard guard(*this, *stmt);
    bool outerYield = std::exchange(sawYield, false);
    stmt->jumps = inside(stmt);
    stmt->jumps.mayYield |= sawYield;
    sawYield = outerYield;
    return stmt->jumps;
  }

  template <typename Loop> Jumps loop(Loop *node) {
    NameSet assigned;
    if constexpr (std::is_same_v<Loop, For>) expr(node->iter);
    current->openLoops.push_back(&assigned);
    if constexpr (std::is_same_v<Loop, For>)
      expr(node->target);
    else
      expr(node->test);
    ++current->loopDepth;
    Jumps jumps = block(node->body);
    --current->loopDepth;
    current->openLoops.pop_back();
    jumps.mayBreak = jumps.mayContinue = false;
    merge(jumps, block(node->orelse));
    node->assigned = context.copy(assigned.names());
    return jumps;
  }

  void function(FunctionDef *def) {
    each(def->decorators);
    parameters(def->params);
    annotation(def->returns);
    makePrivate(def->name);
    bindIn(*current, def->name);
    mention(def->name, def->binding, def->slot);
    ScopeRecord &scope = open(ScopeKind::Function);
    bindParameters(def->params);
    bool outerYield = std::exchange(sawYield, false);
    block(def->body());
    sawYield = outerYield;
    functions.emplace_back(def, &scope);
    close();
  }

  void classBody(ClassDef *def) {
    each(def->decorators);
    each(def->bases);
    for (const Keyword &keyword : def->keywords) expr(keyword.value);
    bindIn(*current, def->name);
    mention(def->name, def->binding, def->slot);
    def->scope = open(ScopeKind::Class).result;
    Name outer = std::exchange(className, def->name);
    block(def->body);
    className = outer;
    close();
  }

  void declare(Stmt *stmt, std::span<const Name> names, bool isGlobal) {
    const char *word = isGlobal ? "`global`" : "`nonlocal`";
    if (!isGlobal && current->kind == ScopeKind::Module)
      fail(Diagnostic(DiagKind::BadScopeDeclaration, stmt->range, "`nonlocal` outside a function"));
    for (Name name : names) {
      std::string quoted = "`" + std::string(name.str()) + "`";
      auto refuse = [&](std::string message) {
        fail(Diagnostic(DiagKind::BadScopeDeclaration, stmt->range, std::move(message)));
      };
      const std::vector<Name> &locals = current->bound.names();
      auto parameters = locals.begin() + static_cast<long>(current->parameterCount);
      if (std::find(locals.begin(), parameters, name) != parameters)
        refuse(quoted + " is a parameter and cannot be declared " + word);
      if (current->mentioned.contains(name)) refuse(quoted + " is used before its " + word + " declaration");
      if ((isGlobal ? current->declaredNonlocal : current->declaredGlobal).contains(name))
        refuse(quoted + " is declared both `global` and `nonlocal`");
      // Whether an enclosing function has the variable is known when that function is walked to its end.
      if (!isGlobal) nonlocals.push_back({current, name, stmt->range});
      (isGlobal ? current->declaredGlobal : current->declaredNonlocal).insert(name);
    }
  }

  Jumps inside(Stmt *stmt) {
    Jumps jumps;
    switch (stmt->kind) {
    case NodeKind::ExprStmt:
      expr(cast<ExprStmt>(stmt)->value);
      break;
    case NodeKind::Assign:
      expr(cast<Assign>(stmt)->value);
      each(cast<Assign>(stmt)->targets);
      break;
    case NodeKind::AnnAssign: {
      auto *node = cast<AnnAssign>(stmt);
      annotation(node->annotation);
      expr(node->value);
      expr(node->target);
      break;
    }
    case NodeKind::AugAssign:
      expr(cast<AugAssign>(stmt)->value);
      expr(cast<AugAssign>(stmt)->target);
      break;
    case NodeKind::If: {
      auto *node = cast<If>(stmt);
      expr(node->test);
      jumps = block(node->body);
      merge(jumps, block(node->orelse));
      break;
    }
    case NodeKind::For:
      jumps = loop(cast<For>(stmt));
      break;
    case NodeKind::While:
      jumps = loop(cast<While>(stmt));
      break;
    case NodeKind::FunctionDef:
      function(cast<FunctionDef>(stmt));
      break;
    case NodeKind::ClassDef:
      classBody(cast<ClassDef>(stmt));
      break;
    case NodeKind::Return:
      if (current->kind != ScopeKind::Function) misplaced(*stmt, "`return` outside a function");
      expr(cast<Return>(stmt)->value);
      jumps.mayReturn = true;
      break;
    case NodeKind::With: {
      auto *node = cast<With>(stmt);
      for (const WithItem &item : node->items) {
        expr(item.context);
        expr(item.target);
      }
      jumps = block(node->body);
      break;
    }
    case NodeKind::Try: {
      auto *node = cast<Try>(stmt);
      jumps = block(node->body);
      for (const ExceptHandler &handler : node->handlers) {
        expr(handler.type);
        bound(const_cast<ExceptHandler &>(handler).bound);
        merge(jumps, block(handler.body));
      }
      merge(jumps, block(node->orelse));
      merge(jumps, block(node->finally));
      break;
    }
    case NodeKind::Raise:
      expr(cast<Raise>(stmt)->exception);
      expr(cast<Raise>(stmt)->cause);
      jumps.mayRaise = true;
      break;
    case NodeKind::Import:
      for (const ImportAlias &alias : cast<Import>(stmt)->aliases)
        bound(const_cast<ImportAlias &>(alias).bound);
      break;
    case NodeKind::ImportFrom:
      if (cast<ImportFrom>(stmt)->isStar && current->kind != ScopeKind::Module)
        misplaced(*stmt, "`import *` is allowed at the top level of a file only");
      for (const ImportAlias &alias : cast<ImportFrom>(stmt)->aliases)
        bound(const_cast<ImportAlias &>(alias).bound);
      break;
    case NodeKind::Global:
      declare(stmt, cast<Global>(stmt)->names, true);
      break;
    case NodeKind::Nonlocal:
      declare(stmt, cast<Nonlocal>(stmt)->names, false);
      break;
    case NodeKind::Assert:
      expr(cast<Assert>(stmt)->test);
      expr(cast<Assert>(stmt)->message);
      jumps.mayRaise = true;
      break;
    case NodeKind::Del:
      each(cast<Del>(stmt)->targets);
      break;
    case NodeKind::Break:
    case NodeKind::Continue:
      if (current->loopDepth == 0)
        misplaced(*stmt, isa<Break>(stmt) ? "`break` outside a loop" : "`continue` outside a loop");
      (isa<Break>(stmt) ? jumps.mayBreak = true : jumps.mayContinue = true);
      break;
    default:
      break;
    }
    return jumps;
  }

  Module &module;
  AstContext &context;
  DiagnosticSink &sink;
  ScopeTable table;
  Name superName;
  ScopeRecord *current = nullptr;
  std::vector<std::pair<const FunctionDef *, ScopeRecord *>> functions;
  struct NonlocalUse {
    ScopeRecord *scope;
    Name name;
    SourceRange range;
  };
  std::vector<NonlocalUse> nonlocals;
  unsigned depth = 0;
  unsigned annotations = 0;
  bool sawYield = false;
  Name className; // of the class around
};

} // namespace

bool resolveScopes(Module &module, AstContext &context, DiagnosticSink &sink) {
  return Resolver(module, context, sink).run();
}

} // namespace jx
