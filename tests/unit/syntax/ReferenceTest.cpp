// The trees and scopes of the corpus against CPython's, recorded by record_trees.py as hashes of a normal
// form that this file writes from our trees. `syntax_test --gtest_filter=Reference*` names the programs that
// differ; compare the form printed by `record_trees.py --show` with that in the failure.
#include "SyntaxTest.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <llvm/Support/Casting.h>
#include <set>
#include <sstream>

namespace jx::test {
namespace {

using namespace ast;
using llvm::cast;

std::string hexed(std::string_view bytes) {
  static const char digits[] = "0123456789abcdef";
  std::string out;
  for (unsigned char c : bytes) (out += digits[c >> 4]) += digits[c & 15];
  return out;
}
std::string hexed(double value) {
  auto bits = __builtin_bswap64(std::bit_cast<uint64_t>(value));
  char bytes[8];
  std::memcpy(bytes, &bits, 8);
  return hexed(std::string_view(bytes, 8));
}
std::string text(Name name) { return name ? std::string(name.str()) : "-"; }

/// Writes the normal form and collects the line of each scope.
class Normal {
public:
  std::vector<std::string> scopes;
  std::vector<std::pair<uint32_t, uint32_t>> places;

  std::string forms(ExprList list) {
    std::string out;
    for (Expr *item : list) out += (out.empty() ? "" : " ") + form(item);
    return "[" + out + "]";
  }
  std::string forms(Block list) {
    std::string out;
    for (Stmt *item : list) out += (out.empty() ? "" : " ") + form(item);
    return "[" + out + "]";
  }
  template <typename T, typename F>
  std::string each(std::span<const T> rows, F use, const char *separator = " ") {
    std::string out;
    for (const T &row : rows) out += (out.empty() ? "" : separator) + use(row);
    return out;
  }
  std::string context(Access access) {
    return access == Access::Load ? "l" : access == Access::Store ? "s" : "d";
  }
  /// Whether the place of an expression is compared. In f-strings CPython 3.11 does not know it, and a
  /// generator that is a sole argument ends where the call does.
  void place(Node *n) {
    if (hidden || !llvm::isa<Expr>(n)) return;
    switch (n->kind) {
    case NodeKind::Slice:
    case NodeKind::Walrus:
    case NodeKind::Starred:
    case NodeKind::Yield:
    case NodeKind::YieldFrom:
      return;
    case NodeKind::Comprehension:
      if (cast<Comprehension>(n)->comprehension != ComprehensionKind::List) return;
      break;
    default:
      break;
    }
    places.emplace_back(n->range.begin, n->range.end);
  }
  std::string parts(const FString &node) {
    ++hidden;
    std::string out = fieldParts(node);
    --hidden;
    return out;
  }
  std::string fieldParts(const FString &node) {
    return each(node.parts, [&](const FStringPart &part) -> std::string {
      if (!part.value) return "s" + hexed(part.literal);
      return "(field " + form(part.value) + " " + (part.conversion ? std::string(1, part.conversion) : "-") +
             " " + (part.spec ? "(" + parts(*part.spec) + ")" : "-") + ")";
    });
  }
  std::string parameters(ParameterList params) {
    ++hidden;
    std::string out = parameterRows(params);
    --hidden;
    return out;
  }
  std::string parameterRows(ParameterList params) {
    return "[" +
           each(params,
                [&](const Parameter &p) {
                  return "(param " + std::to_string(int(p.kind)) + " " + text(p.name) + " " +
                         form(p.annotation) + " " + form(p.defaultValue) + ")";
                }) +
           "]";
  }
  std::string keywords(std::span<const Keyword> rows) {
    return "[" +
           each(rows, [&](const Keyword &k) { return "(" + text(k.name) + " " + form(k.value) + ")"; }) + "]";
  }
  std::string aliases(std::span<const ImportAlias> rows) {
    return "[" + each(rows, [&](const ImportAlias &a) { return text(a.path) + ":" + text(a.asName); }) + "]";
  }
  static std::string names(std::set<std::string_view> sorted) {
    std::string out;
    for (std::string_view name : sorted) (out += out.empty() ? "" : ",") += name;
    return out;
  }
  void scope(const Scope &scope) {
    std::set<std::string_view> locals, frees, globals;
    for (Name name : scope.locals) locals.insert(name.str());
    for (Name name : scope.frees) frees.insert(name.str());
    for (Name name : scope.globals) globals.insert(name.str());
    for (Name name : scope.declaredGlobal) globals.insert(name.str());
    // A variable that a class only passes on to its methods, beside an attribute of the same name.
    for (std::string_view name : locals) frees.erase(name);
    scopes.push_back((scope.kind == ScopeKind::Class ? "class " : "function ") + names(locals) + " | " +
                     names(frees) + " | " + names(globals));
  }

  std::string form(Node *n) {
    if (!n) return "-";
    place(n);
    switch (n->kind) {
    case NodeKind::NoneConst:
      return "None";
    case NodeKind::EllipsisConst:
      return "Ellipsis";
    case NodeKind::BoolConst:
      return cast<BoolConst>(n)->value ? "True" : "False";
    case NodeKind::IntConst:
      return "i" + std::string(cast<IntConst>(n)->digits);
    case NodeKind::FloatConst:
      return "f" + hexed(cast<FloatConst>(n)->value);
    case NodeKind::ImaginaryConst:
      return "j" + hexed(cast<ImaginaryConst>(n)->value);
    case NodeKind::StringConst:
      return "s" + hexed(cast<StringConst>(n)->value);
    case NodeKind::BytesConst:
      return "b" + hexed(cast<BytesConst>(n)->value);
    case NodeKind::FString:
      return "(FString " + parts(*cast<FString>(n)) + ")";
    case NodeKind::NameExpr:
      return "(Name " + text(cast<NameExpr>(n)->name) + " " + context(cast<NameExpr>(n)->access) + ")";
    case NodeKind::Attribute: {
      auto *e = cast<Attribute>(n);
      return "(Attribute " + form(e->value) + " " + text(e->name) + " " + context(e->access) + ")";
    }
    case NodeKind::Subscript: {
      auto *e = cast<Subscript>(n);
      return "(Subscript " + form(e->value) + " " + form(e->index) + " " + context(e->access) + ")";
    }
    case NodeKind::Slice: {
      auto *e = cast<Slice>(n);
      return "(Slice " + form(e->lower) + " " + form(e->upper) + " " + form(e->step) + ")";
    }
    case NodeKind::Call: {
      auto *e = cast<Call>(n);
      return "(Call " + form(e->callee) + " " + forms(e->args) + " " + keywords(e->keywords) + ")";
    }
    case NodeKind::Unary: {
      static const char *ops[] = {"USub", "UAdd", "Invert", "Not"};
      return std::string("(Unary ") + ops[int(cast<Unary>(n)->op)] + " " + form(cast<Unary>(n)->operand) +
             ")";
    }
    case NodeKind::Binary: {
      auto *e = cast<Binary>(n);
      return "(Binary " + binary(e->op) + " " + form(e->lhs) + " " + form(e->rhs) + ")";
    }
    case NodeKind::BoolOp: {
      auto *e = cast<BoolOp>(n);
      return std::string("(BoolOp ") + (e->isAnd ? "And " : "Or ") + forms(e->operands) + ")";
    }
    case NodeKind::Compare: {
      auto *e = cast<Compare>(n);
      static const char *ops[] = {"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE", "Is", "IsNot", "In", "NotIn"};
      return "(Compare " + form(e->first) + " " +
             each(e->ops, [&](CompareOp op) { return std::string(ops[int(op)]); }) + " " + forms(e->rest) +
             ")";
    }
    case NodeKind::Conditional: {
      auto *e = cast<Conditional>(n);
      return "(Conditional " + form(e->test) + " " + form(e->body) + " " + form(e->orelse) + ")";
    }
    case NodeKind::Lambda: {
      auto *e = cast<Lambda>(n);
      scope(*e->scope);
      return "(Lambda " + parameters(e->params) + " " + form(e->body) + ")";
    }
    case NodeKind::Tuple:
      return "(Tuple " + forms(cast<Tuple>(n)->elements) + " " + context(cast<Tuple>(n)->access) + ")";
    case NodeKind::List:
      return "(List " + forms(cast<List>(n)->elements) + " " + context(cast<List>(n)->access) + ")";
    case NodeKind::Set:
      return "(Set " + forms(cast<Set>(n)->elements) + ")";
    case NodeKind::Dict:
      return "(Dict " +
             each(cast<Dict>(n)->items,
                  [&](const DictItem &i) { return form(i.key) + ":" + form(i.value); }) +
             ")";
    case NodeKind::Comprehension: {
      auto *e = cast<Comprehension>(n);
      scope(*e->scope);
      static const char *kinds[] = {"list", "set", "dict", "generator"};
      return std::string("(Comp ") + kinds[int(e->comprehension)] + " " + form(e->element) +
             (e->value ? " " + form(e->value) : "") + " [" +
             each(e->clauses,
                  [&](const ComprehensionClause &c) {
                    return "(" + form(c.target) + " " + form(c.iter) + " " + forms(c.conditions) + ")";
                  }) +
             "])";
    }
    case NodeKind::Walrus:
      return "(Walrus " + form(cast<Walrus>(n)->target) + " " + form(cast<Walrus>(n)->value) + ")";
    case NodeKind::Starred:
      return "(Starred " + form(cast<Starred>(n)->value) + " " + context(cast<Starred>(n)->access) + ")";
    case NodeKind::Yield:
      return "(Yield " + form(cast<Yield>(n)->value) + ")";
    case NodeKind::YieldFrom:
      return "(YieldFrom " + form(cast<YieldFrom>(n)->value) + ")";
    default:
      return statement(n);
    }
  }

private:
  int hidden = 0;
  std::string binary(BinaryOp op) {
    static const char *ops[] = {"Add", "Sub",    "Mult",   "MatMult", "Div",   "FloorDiv", "Mod",
                                "Pow", "LShift", "RShift", "BitAnd",  "BitOr", "BitXor"};
    return ops[int(op)];
  }

  std::string statement(Node *n) {
    switch (n->kind) {
    case NodeKind::ExprStmt:
      return "(ExprStmt " + form(cast<ExprStmt>(n)->value) + ")";
    case NodeKind::Assign:
      return "(Assign " + forms(cast<Assign>(n)->targets) + " " + form(cast<Assign>(n)->value) + ")";
    case NodeKind::AnnAssign: {
      auto *s = cast<AnnAssign>(n);
      return "(AnnAssign " + form(s->target) + " " + form(s->annotation) + " " + form(s->value) + ")";
    }
    case NodeKind::AugAssign: {
      auto *s = cast<AugAssign>(n);
      return "(AugAssign " + form(s->target) + " " + binary(s->op) + " " + form(s->value) + ")";
    }
    case NodeKind::If:
      return "(If " + form(cast<If>(n)->test) + " " + forms(cast<If>(n)->body) + " " +
             forms(cast<If>(n)->orelse) + ")";
    case NodeKind::While: {
      auto *s = cast<While>(n);
      return "(While " + form(s->test) + " " + forms(s->body) + " " + forms(s->orelse) + ")";
    }
    case NodeKind::For: {
      auto *s = cast<For>(n);
      return "(For " + form(s->target) + " " + form(s->iter) + " " + forms(s->body) + " " + forms(s->orelse) +
             ")";
    }
    case NodeKind::FunctionDef: {
      auto *s = cast<FunctionDef>(n);
      scope(s->scope());
      return "(FunctionDef " + text(s->name) + " " + forms(s->decorators) + " " + parameters(s->params) +
             " " + form(s->returns) + " " + forms(s->body()) + ")";
    }
    case NodeKind::ClassDef: {
      auto *s = cast<ClassDef>(n);
      scope(*s->scope);
      return "(ClassDef " + text(s->name) + " " + forms(s->decorators) + " " + forms(s->bases) + " " +
             keywords(s->keywords) + " " + forms(s->body) + ")";
    }
    case NodeKind::Return:
      return "(Return " + form(cast<Return>(n)->value) + ")";
    case NodeKind::With: {
      auto *s = cast<With>(n);
      return "(With [" +
             each(s->items,
                  [&](const WithItem &i) { return "(" + form(i.context) + " " + form(i.target) + ")"; }) +
             "] " + forms(s->body) + ")";
    }
    case NodeKind::Try: {
      auto *s = cast<Try>(n);
      return "(Try " + forms(s->body) + " [" +
             each(s->handlers,
                  [&](const ExceptHandler &h) {
                    return "(" + form(h.type) + " " + text(h.bound.name) + " " + forms(h.body) + ")";
                  }) +
             "] " + forms(s->orelse) + " " + forms(s->finally) + ")";
    }
    case NodeKind::Raise:
      return "(Raise " + form(cast<Raise>(n)->exception) + " " + form(cast<Raise>(n)->cause) + ")";
    case NodeKind::Import:
      return "(Import " + aliases(cast<Import>(n)->aliases) + ")";
    case NodeKind::ImportFrom: {
      auto *s = cast<ImportFrom>(n);
      return "(ImportFrom " + std::to_string(s->dots) + " " + text(s->module) + " " +
             (s->isStar ? "*" : aliases(s->aliases)) + ")";
    }
    case NodeKind::Global:
    case NodeKind::Nonlocal: {
      bool isGlobal = n->kind == NodeKind::Global;
      std::string list;
      for (Name name : isGlobal ? cast<Global>(n)->names : cast<Nonlocal>(n)->names) list += " " + text(name);
      return (isGlobal ? "(Global" : "(Nonlocal") + list + ")";
    }
    case NodeKind::Assert:
      return "(Assert " + form(cast<Assert>(n)->test) + " " + form(cast<Assert>(n)->message) + ")";
    case NodeKind::Del:
      return "(Del " + forms(cast<Del>(n)->targets) + ")";
    case NodeKind::Pass:
      return "(Pass)";
    case NodeKind::Break:
      return "(Break)";
    case NodeKind::Continue:
      return "(Continue)";
    default:
      return "?";
    }
  }
};

std::string fnv(std::string_view text) {
  uint64_t value = 0xCBF29CE484222325;
  for (unsigned char c : text) value = (value ^ c) * 0x100000001B3;
  char buffer[20];
  std::snprintf(buffer, sizeof buffer, "%016llx", static_cast<unsigned long long>(value));
  return buffer;
}

TEST(Reference, TreesAndScopesAreThoseOfCPython) {
  const std::string folder = JX_SOURCE_DIR "/tests/unit/syntax/";
  std::ifstream list(folder + "recorded_trees.txt");
  std::string program, tree, names, places;
  int count = 0;
  while (list >> program >> tree >> names >> places) {
    ++count;
    std::ifstream stream(folder + "corpus/" + program);
    std::stringstream content;
    content << stream.rdbuf();
    Parsed parsed(content.str());
    ASSERT_TRUE(parsed.result) << program << "\n" << parsed.error();
    Normal normal;
    std::string form, scopes;
    for (Stmt *stmt : parsed.result.module->body) form += (form.empty() ? "" : "\n") + normal.form(stmt);
    std::sort(normal.scopes.begin(), normal.scopes.end());
    for (const std::string &line : normal.scopes) scopes += (scopes.empty() ? "" : "\n") + line;
    std::sort(normal.places.begin(), normal.places.end());
    std::string ranges;
    for (auto [begin, end] : normal.places)
      ranges += (ranges.empty() ? "" : "\n") + std::to_string(begin) + "-" + std::to_string(end);
    EXPECT_EQ(fnv(ranges), places) << program << "\n" << ranges;
    EXPECT_EQ(fnv(form), tree) << program << "\n" << form;
    EXPECT_EQ(fnv(scopes), names) << program << "\n" << scopes;
  }
  EXPECT_GT(count, 90);
}

} // namespace
} // namespace jx::test
