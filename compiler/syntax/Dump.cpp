// The tree as text, for tests and for people: one node a line, children indented and labelled with their
// field. Also the spellings of kinds and operators.
#include "compiler/syntax/Fields.h"
#include "compiler/syntax/Parse.h"

#include <cstdio>
#include <llvm/Support/Casting.h>

namespace jx {
namespace ast {

std::string_view kindName(NodeKind kind) {
  switch (kind) {
#define JX_EXPR(NODE)                                                                                        \
  case NodeKind::NODE:                                                                                       \
    return #NODE;
#define JX_STMT(NODE) JX_EXPR(NODE)
#include "compiler/syntax/NodeKinds.def"
  }
  __builtin_unreachable();
}

std::string_view spelling(BinaryOp op) {
  static constexpr std::string_view names[] = {"+",  "-",  "*",  "@", "/", "//", "%",
                                               "**", "<<", ">>", "&", "|", "^"};
  return names[static_cast<size_t>(op)];
}
std::string_view spelling(UnaryOp op) {
  static constexpr std::string_view names[] = {"-", "+", "~", "not"};
  return names[static_cast<size_t>(op)];
}
std::string_view spelling(CompareOp op) {
  static constexpr std::string_view names[] = {"==", "!=", "<",      "<=", ">",
                                               ">=", "is", "is not", "in", "not in"};
  return names[static_cast<size_t>(op)];
}

} // namespace ast

namespace {

using namespace ast;

/// The archive that prints. Values go on the node's line, children below it.
class Dumper {
public:
  std::string out;

  void line(std::string_view label, Node &node) {
    out.append(indent, ' ');
    if (!label.empty()) (out += label) += ": ";
    out += kindName(node.kind);
    std::string below;
    std::swap(below, children);
    indent += 2;
    withClass(node, [&](auto &self) { fields(*this, self); });
    if (auto *stmt = llvm::dyn_cast<Stmt>(&node)) jumps(stmt->jumps);
    indent -= 2;
    out += '\n';
    out += children;
    children = std::move(below);
  }

  void expr(const char *label, Expr *child) { below(label, child); }
  void expr(const char *label, FString *child) { below(label, child); }
  void expr(const char *label, NameExpr *child) { below(label, child); }
  void exprs(const char *label, ExprList list) {
    for (Expr *item : list) below(label, item);
  }
  void block(const char *label, Block body) {
    for (Stmt *stmt : body) below(label, stmt);
  }
  void name(const char *label, Name value) {
    if (value) (((out += ' ') += label) += '=') += value.str();
  }
  void names(const char *label, std::span<const Name> list) {
    if (list.empty()) return;
    ((out += ' ') += label) += "=[";
    for (size_t i = 0; i < list.size(); ++i) (out += i ? "," : "") += list[i].str();
    out += ']';
  }
  void text(const char *label, std::string_view value) {
    ((out += ' ') += label) += "=\"";
    for (char c : value) {
      char escaped[8];
      if (c == '"' || c == '\\')
        (out += '\\') += c;
      else if (c == '\n')
        out += "\\n";
      else if (static_cast<unsigned char>(c) < 0x20) {
        std::snprintf(escaped, sizeof escaped, "\\x%02x", c);
        out += escaped;
      } else
        out += c;
    }
    out += '"';
  }
  void flag(const char *label, bool value) {
    if (value) (out += ' ') += label;
  }
  void real(const char *label, double value) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.17g", value);
    (((out += ' ') += label) += '=') += buffer;
  }
  void number(const char *label, uint32_t value) {
    if (value) (((out += ' ') += label) += '=') += std::to_string(value);
  }
  void number(const char *, BinaryOp op) { (out += ' ') += spelling(op); }
  void number(const char *, UnaryOp op) { (out += ' ') += spelling(op); }
  void number(const char *, CompareOp op) { (out += ' ') += spelling(op); }
  void number(const char *, Access access) {
    out += access == Access::Load ? "" : access == Access::Store ? " store" : " del";
  }
  void number(const char *, Binding binding) {
    out += binding == Binding::Local ? " local" : binding == Binding::Free ? " free" : " global";
  }
  void number(const char *label, char conversion) {
    if (conversion) (((out += ' ') += label) += '=') += conversion;
  }
  void number(const char *, ParamKind kind) {
    static constexpr const char *words[] = {" positional-only", "", " *", " keyword-only", " **"};
    out += words[static_cast<size_t>(kind)];
  }
  void number(const char *, ComprehensionKind kind) {
    static constexpr const char *words[] = {" list", " set", " dict", " generator"};
    out += words[static_cast<size_t>(kind)];
  }
  void range(const char *, SourceRange) {}
  void scope(const char *, const Scope *scope) {
    names("locals", scope->locals);
    std::vector<Name> captured;
    for (size_t i = 0; i < scope->locals.size(); ++i)
      if (scope->captured[i]) captured.push_back(scope->locals[i]);
    names("captured", captured);
    names("frees", scope->frees);
    names("globals", scope->globals);
    flag("yields", scope->hasYield);
  }
  /// A row is a line of its own among the children.
  template <typename T, typename Use> void rows(const char *label, std::span<const T> list, Use use) {
    for (T row : list) {
      std::string line;
      std::swap(line, out);
      std::string before;
      std::swap(before, children);
      ((out.append(indent, ' ') += '<') += label) += '>';
      indent += 2;
      use(*this, row);
      indent -= 2;
      out += '\n';
      before += out + children;
      out = std::move(line);
      children = std::move(before);
    }
  }
  void body(FunctionDef &def) {
    scope("scope", &def.scope());
    block("body", def.body());
  }

private:
  void below(const char *label, Node *node) {
    if (!node) return;
    std::string line;
    std::swap(line, out);
    std::string before;
    std::swap(before, children);
    this->line(label, *node);
    before += out;
    out = std::move(line);
    children = std::move(before);
  }
  void jumps(Jumps jumps) {
    flag("may-break", jumps.mayBreak);
    flag("may-continue", jumps.mayContinue);
    flag("may-return", jumps.mayReturn);
    flag("may-raise", jumps.mayRaise);
    flag("may-yield", jumps.mayYield);
  }

  size_t indent = 0;
  std::string children;
};

} // namespace

std::string dump(const ast::Module &module) {
  std::string result = "Module " + std::string(module.name.str());
  Dumper header;
  header.scope("scope", module.scope);
  result += header.out + "\n";
  for (Stmt *stmt : module.body) {
    Dumper dumper;
    dumper.line("", *stmt);
    result += dumper.out;
  }
  return result;
}

} // namespace jx
