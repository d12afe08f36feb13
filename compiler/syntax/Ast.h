// The syntax tree: Python's surface as far as jx accepts it, with nothing lost. Nodes live in the
// AstContext's arena, carry their range and an id that is unique in the context (the elaborator's key for
// what it remembers about a place), and work with LLVM's isa, cast and dyn_cast. Facts about scopes and
// jumps, which need a whole function to be known, are filled in by Scopes.cpp after parsing; Scope.h holds
// their types. The bodies of functions of the standard library are decoded on first use, which is why
// `body()` and `scope()` are calls.
#pragma once

#include "compiler/diagnostics/SourceManager.h"
#include "compiler/syntax/Name.h"
#include "compiler/syntax/Scope.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace jx::ast {

enum class NodeKind : uint8_t {
#define JX_EXPR(NODE) NODE,
#define JX_STMT(NODE) NODE,
#include "compiler/syntax/NodeKinds.def"
};

/// The enumerator's name, as the dump prints it.
std::string_view kindName(NodeKind kind);

struct Node {
  NodeKind kind;
  uint32_t id = 0;
  SourceRange range;

protected:
  explicit Node(NodeKind kind) : kind(kind) {}
};

struct Expr : Node {
  static bool classof(const Node *node) { return node->kind < NodeKind::ExprStmt; }

protected:
  using Node::Node;
};

struct Stmt : Node {
  /// How control can leave this statement other than at its end.
  Jumps jumps;
  static bool classof(const Node *node) { return node->kind >= NodeKind::ExprStmt; }

protected:
  using Node::Node;
};

/// Gives a node class its kind, constructor and classof.
template <NodeKind K, typename Base> struct NodeOf : Base {
  static constexpr NodeKind nodeKind = K;
  NodeOf() : Base(K) {}
  static bool classof(const Node *node) { return node->kind == K; }
};

using ExprList = std::span<Expr *const>;
using Block = std::span<Stmt *const>;

//===- Constants
//-----------------------------------------------------------------------------------------------===//

struct NoneConst : NodeOf<NodeKind::NoneConst, Expr> {};
struct EllipsisConst : NodeOf<NodeKind::EllipsisConst, Expr> {};
struct BoolConst : NodeOf<NodeKind::BoolConst, Expr> {
  bool value = false;
};
/// Python's ints are unbounded: `digits` is the decimal text; `value` is set where it fits.
struct IntConst : NodeOf<NodeKind::IntConst, Expr> {
  std::string_view digits;
  std::optional<int64_t> value;
};
struct FloatConst : NodeOf<NodeKind::FloatConst, Expr> {
  double value = 0;
};
/// `2.5j`; the value is the imaginary part.
struct ImaginaryConst : NodeOf<NodeKind::ImaginaryConst, Expr> {
  double value = 0;
};
/// Escapes are resolved and adjacent literals joined; UTF-8, may hold NUL.
struct StringConst : NodeOf<NodeKind::StringConst, Expr> {
  std::string_view value;
};
struct BytesConst : NodeOf<NodeKind::BytesConst, Expr> {
  std::string_view value;
};

/// A replacement field, or a literal piece where `value` is null. `{x=}` has become the literal `x=` and a
/// field.
struct FString;
struct FStringPart {
  std::string_view literal;
  Expr *value = nullptr;
  char conversion = 0;     ///< 'r', 's', 'a', or 0. For `{x=}` without a spec it is 'r', as in Python.
  FString *spec = nullptr; ///< The format spec, itself with fields; null when absent.
};
struct FString : NodeOf<NodeKind::FString, Expr> {
  std::span<const FStringPart> parts;
};

//===- Expressions
//---------------------------------------------------------------------------------------------===//

/// Whether a target-like expression is read, bound or deleted. Only NameExpr, Attribute, Subscript, Starred,
/// Tuple and List can be bound.
enum class Access : uint8_t { Load, Store, Del };

struct NameExpr : NodeOf<NodeKind::NameExpr, Expr> {
  Name name;
  Access access = Access::Load;
  /// Which scope the name belongs to.
  Binding binding = Binding::Global;
  /// Index into the scope's `locals` (Local) or `frees` (Free); unused for Global.
  uint32_t slot = 0;
};

struct Attribute : NodeOf<NodeKind::Attribute, Expr> {
  Expr *value = nullptr;
  Name name;
  SourceRange nameRange;
  Access access = Access::Load;
};

/// `index` is a Tuple for `x[a, b]`; Slice nodes occur here only, directly or as elements of that tuple.
struct Subscript : NodeOf<NodeKind::Subscript, Expr> {
  Expr *value = nullptr;
  Expr *index = nullptr;
  Access access = Access::Load;
};
struct Slice : NodeOf<NodeKind::Slice, Expr> {
  Expr *lower = nullptr, *upper = nullptr, *step = nullptr; ///< Null where left out.
};

/// `name=value`, or `**value` where the name is empty.
struct Keyword {
  Name name;
  Expr *value = nullptr;
  SourceRange range;
};
/// Positional arguments may hold Starred. All positional ones are evaluated before the keywords, as in
/// Python.
struct Call : NodeOf<NodeKind::Call, Expr> {
  Expr *callee = nullptr;
  ExprList args;
  std::span<const Keyword> keywords;
};

enum class UnaryOp : uint8_t { Neg, Pos, Invert, Not };
struct Unary : NodeOf<NodeKind::Unary, Expr> {
  UnaryOp op = UnaryOp::Neg;
  Expr *operand = nullptr;
};

enum class BinaryOp : uint8_t {
  Add,
  Sub,
  Mul,
  MatMul,
  Div,
  FloorDiv,
  Mod,
  Pow,
  LShift,
  RShift,
  BitAnd,
  BitOr,
  BitXor,
};
/// `+`, `//`, ...
std::string_view spelling(BinaryOp op);
std::string_view spelling(UnaryOp op);
struct Binary : NodeOf<NodeKind::Binary, Expr> {
  BinaryOp op = BinaryOp::Add;
  Expr *lhs = nullptr, *rhs = nullptr;
  SourceRange opRange;
};

/// `a and b and c`, two operands or more.
struct BoolOp : NodeOf<NodeKind::BoolOp, Expr> {
  bool isAnd = true;
  ExprList operands;
};

enum class CompareOp : uint8_t { Eq, NotEq, Lt, LtE, Gt, GtE, Is, IsNot, In, NotIn };
std::string_view spelling(CompareOp op);
/// `first ops[0] rest[0] ops[1] rest[1] ...`; each operand is evaluated once.
struct Compare : NodeOf<NodeKind::Compare, Expr> {
  Expr *first = nullptr;
  std::span<const CompareOp> ops;
  ExprList rest;
};

/// `body if test else orelse`.
struct Conditional : NodeOf<NodeKind::Conditional, Expr> {
  Expr *test = nullptr, *body = nullptr, *orelse = nullptr;
};

enum class ParamKind : uint8_t {
  PositionalOnly,
  PositionalOrKeyword,
  VarPositional,
  KeywordOnly,
  VarKeyword
};
struct Parameter {
  Name name;
  ParamKind kind = ParamKind::PositionalOrKeyword;
  Expr *annotation = nullptr;   ///< Null when absent.
  Expr *defaultValue = nullptr; ///< Null when absent; evaluated in the enclosing scope.
  SourceRange range;
};
/// Parameters stand in source order, and in this order they are the first locals of the function's scope.
using ParameterList = std::span<const Parameter>;

struct Lambda : NodeOf<NodeKind::Lambda, Expr> {
  ParameterList params;
  Expr *body = nullptr;
  const Scope *scope = nullptr;
};

/// Elements may hold Starred.
struct Tuple : NodeOf<NodeKind::Tuple, Expr> {
  ExprList elements;
  Access access = Access::Load;
};
struct List : NodeOf<NodeKind::List, Expr> {
  ExprList elements;
  Access access = Access::Load;
};
struct Set : NodeOf<NodeKind::Set, Expr> {
  ExprList elements;
};
/// `key: value`, or `**value` where the key is null.
struct DictItem {
  Expr *key = nullptr;
  Expr *value = nullptr;
};
struct Dict : NodeOf<NodeKind::Dict, Expr> {
  std::span<const DictItem> items;
};

enum class ComprehensionKind : uint8_t { List, Set, Dict, Generator };
/// One `for target in iter if ... if ...` clause.
struct ComprehensionClause {
  Expr *target = nullptr;
  Expr *iter = nullptr;
  ExprList conditions;
  SourceRange range;
};
/// A scope of its own, except for the first clause's `iter`, which belongs to the enclosing one; a walrus
/// inside binds in the enclosing function.
struct Comprehension : NodeOf<NodeKind::Comprehension, Expr> {
  ComprehensionKind comprehension = ComprehensionKind::List;
  Expr *element = nullptr; ///< The key for a dict.
  Expr *value = nullptr;   ///< Dict only.
  std::span<const ComprehensionClause> clauses;
  const Scope *scope = nullptr;
};

/// `target := value`.
struct Walrus : NodeOf<NodeKind::Walrus, Expr> {
  NameExpr *target = nullptr;
  Expr *value = nullptr;
};
/// `*value` in displays, calls, targets and subscripts.
struct Starred : NodeOf<NodeKind::Starred, Expr> {
  Expr *value = nullptr;
  Access access = Access::Load;
};
struct Yield : NodeOf<NodeKind::Yield, Expr> {
  Expr *value = nullptr; ///< May be null.
};
struct YieldFrom : NodeOf<NodeKind::YieldFrom, Expr> {
  Expr *value = nullptr;
};

//===- Statements
//----------------------------------------------------------------------------------------------===//

struct ExprStmt : NodeOf<NodeKind::ExprStmt, Stmt> {
  Expr *value = nullptr;
};
/// `targets[0] = targets[1] = value`.
struct Assign : NodeOf<NodeKind::Assign, Stmt> {
  ExprList targets;
  Expr *value = nullptr;
};
/// `target: annotation = value`; the value may be null. The annotation is never evaluated as a value.
struct AnnAssign : NodeOf<NodeKind::AnnAssign, Stmt> {
  Expr *target = nullptr;
  Expr *annotation = nullptr;
  Expr *value = nullptr;
};
struct AugAssign : NodeOf<NodeKind::AugAssign, Stmt> {
  Expr *target = nullptr; ///< Access::Store; it is read as well.
  BinaryOp op = BinaryOp::Add;
  Expr *value = nullptr;
  SourceRange opRange;
};
/// `elif` is an If alone in `orelse`.
struct If : NodeOf<NodeKind::If, Stmt> {
  Expr *test = nullptr;
  Block body, orelse;
};
struct For : NodeOf<NodeKind::For, Stmt> {
  Expr *target = nullptr;
  Expr *iter = nullptr;
  Block body, orelse;
  /// Names bound in the target and the body (not `orelse`), nested scopes left out, in order of first
  /// binding.
  std::span<const Name> assigned;
};
struct While : NodeOf<NodeKind::While, Stmt> {
  Expr *test = nullptr;
  Block body, orelse;
  /// Names bound in the test and the body, in order of first binding.
  std::span<const Name> assigned;
};

/// Decodes the body of a function of the standard library on first use.
class BodyLoader;
struct FunctionDef;
struct FunctionBody {
  Block statements;
  const Scope *scope = nullptr;
  /// The docstring's text, cleaned of nothing; null when there is none. It is also the first statement.
  const StringConst *docstring = nullptr;
};
class BodyLoader {
public:
  virtual ~BodyLoader() = default;
  virtual FunctionBody loadBody(const FunctionDef &function, uint64_t key) = 0;
};

struct FunctionDef : NodeOf<NodeKind::FunctionDef, Stmt> {
  Name name;
  SourceRange nameRange;
  ExprList decorators;
  ParameterList params;
  Expr *returns = nullptr; ///< Result annotation or null.

  Block body() const { return loaded().statements; }
  const Scope &scope() const { return *loaded().scope; }
  const StringConst *docstring() const { return loaded().docstring; }
  /// False while the body of a library function has not been asked for.
  bool isLoaded() const { return loader == nullptr; }
  /// Where the NameExpr-like binding of the function's own name lives.
  Binding binding = Binding::Global;
  uint32_t slot = 0;

  void setBody(FunctionBody value) const { content = value, loader = nullptr; }
  void setLoader(BodyLoader *value, uint64_t key) { loader = value, loaderKey = key; }

private:
  const FunctionBody &loaded() const {
    if (loader) setBody(loader->loadBody(*this, loaderKey));
    return content;
  }
  mutable FunctionBody content;
  mutable BodyLoader *loader = nullptr;
  uint64_t loaderKey = 0;
};

struct ClassDef : NodeOf<NodeKind::ClassDef, Stmt> {
  Name name;
  SourceRange nameRange;
  ExprList decorators;
  ExprList bases; ///< May hold Starred.
  std::span<const Keyword> keywords;
  Block body;
  const Scope *scope = nullptr;
  const StringConst *docstring = nullptr;
  Binding binding = Binding::Global;
  uint32_t slot = 0;
};

struct Return : NodeOf<NodeKind::Return, Stmt> {
  Expr *value = nullptr; ///< May be null.
};

struct WithItem {
  Expr *context = nullptr;
  Expr *target = nullptr; ///< May be null.
};
struct With : NodeOf<NodeKind::With, Stmt> {
  std::span<const WithItem> items;
  Block body;
};

/// A name that a statement binds without a NameExpr: `except E as name`, `import a as name`, `from m import
/// name`.
struct BoundName {
  Name name; ///< Empty when nothing is bound.
  Binding binding = Binding::Global;
  uint32_t slot = 0;
};
struct ExceptHandler {
  Expr *type = nullptr; ///< Null for a bare `except:`.
  BoundName bound;
  Block body;
  SourceRange range;
};
struct Try : NodeOf<NodeKind::Try, Stmt> {
  Block body;
  std::span<const ExceptHandler> handlers;
  Block orelse, finally;
};
struct Raise : NodeOf<NodeKind::Raise, Stmt> {
  Expr *exception = nullptr; ///< Null re-raises.
  Expr *cause = nullptr;
};

/// One `a.b.c as d` or, in a from-import, `name as d`. `path` keeps the dots.
struct ImportAlias {
  Name path;
  Name asName; ///< Empty when absent.
  /// What the scope sees: `asName`, else the first component of `path` (the name itself in a from-import).
  BoundName bound;
  SourceRange range;
};
struct Import : NodeOf<NodeKind::Import, Stmt> {
  std::span<const ImportAlias> aliases;
};
struct ImportFrom : NodeOf<NodeKind::ImportFrom, Stmt> {
  Name module;       ///< Dotted; empty for `from . import x`.
  unsigned dots = 0; ///< Leading dots of a relative import.
  SourceRange moduleRange;
  bool isStar = false;
  std::span<const ImportAlias> aliases; ///< Empty when `isStar`.
};
struct Global : NodeOf<NodeKind::Global, Stmt> {
  std::span<const Name> names;
};
struct Nonlocal : NodeOf<NodeKind::Nonlocal, Stmt> {
  std::span<const Name> names;
};
struct Assert : NodeOf<NodeKind::Assert, Stmt> {
  Expr *test = nullptr;
  Expr *message = nullptr; ///< May be null.
};
struct Del : NodeOf<NodeKind::Del, Stmt> {
  ExprList targets;
};
struct Pass : NodeOf<NodeKind::Pass, Stmt> {};
struct Break : NodeOf<NodeKind::Break, Stmt> {};
struct Continue : NodeOf<NodeKind::Continue, Stmt> {};

/// The string that a body begins with, or null.
inline const StringConst *docstringOf(Block body) {
  if (body.empty() || body.front()->kind != NodeKind::ExprStmt) return nullptr;
  const Expr *first = static_cast<const ExprStmt *>(body.front())->value;
  return first->kind == NodeKind::StringConst ? static_cast<const StringConst *>(first) : nullptr;
}

/// A whole file. Not a Node: nothing refers to it by id.
struct Module {
  Name name; ///< Dotted module name, `__main__` for a program.
  FileId file = 0;
  Block body;
  const Scope *scope = nullptr;
  const StringConst *docstring = nullptr;
};

} // namespace jx::ast
