// Tree to bytes.
#include "compiler/syntax/Blob.h"
#include "compiler/syntax/Fields.h"

#include <bit>
#include <llvm/Support/Casting.h>
#include <unordered_map>

namespace jx {
namespace {

using namespace ast;

/// Names of a module, numbered in order of first use; 0 is "no name".
struct NameNumbers {
  std::unordered_map<Name, uint64_t> numbers;
  std::vector<Name> order;
  uint64_t operator()(Name name) {
    if (!name) return 0;
    auto [at, isNew] = numbers.try_emplace(name, order.size() + 1);
    if (isNew) order.push_back(name);
    return at->second;
  }
};

void putVarint(std::string &bytes, uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
}

class Encoder {
public:
  explicit Encoder(NameNumbers &numbers) : numbers(numbers) {}

  std::string bytes;
  uint64_t nodeCount = 0;

  void varint(uint64_t value) { putVarint(bytes, value); }

  template <typename T> void expr(const char *, T *child) { node(child); }
  void exprs(const char *, ExprList list) {
    varint(list.size());
    for (Expr *item : list) node(item);
  }
  void block(const char *, Block body) {
    varint(body.size());
    for (Stmt *stmt : body) node(stmt);
  }
  void name(const char *, Name value) { varint(numbers(value)); }
  void names(const char *, std::span<const Name> list) {
    varint(list.size());
    for (Name item : list) varint(numbers(item));
  }
  void text(const char *, std::string_view value) {
    varint(value.size());
    bytes += value;
  }
  void flag(const char *, bool value) { bytes += static_cast<char>(value); }
  void real(const char *, double value) {
    auto bits = std::bit_cast<uint64_t>(value);
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(bits >> (8 * i));
  }
  template <typename T> void number(const char *, T value) { varint(static_cast<uint64_t>(value)); }
  void range(const char *, SourceRange range) {
    int64_t delta = static_cast<int64_t>(range.begin) - lastBegin;
    varint(static_cast<uint64_t>(delta) << 1 ^ static_cast<uint64_t>(delta >> 63));
    varint(range.end - range.begin);
    lastBegin = range.begin;
  }
  void scope(const char *, const Scope *scope) {
    varint(static_cast<uint64_t>(scope->kind) << 2 | uint64_t{scope->hasYield} << 1 |
           uint64_t{scope->usesClassCell});
    names("", scope->locals);
    for (bool value : scope->captured) flag("", value);
    names("", scope->frees);
    for (bool value : scope->freeWritten) flag("", value);
    names("", scope->globals);
    names("", scope->declaredGlobal);
    names("", scope->declaredNonlocal);
  }
  template <typename T, typename Use> void rows(const char *, std::span<const T> list, Use use) {
    varint(list.size());
    for (T row : list) use(*this, row);
  }
  void body(FunctionDef &def) {
    Encoder inner(numbers);
    inner.scope("", &def.scope());
    inner.block("", def.body());
    varint(inner.bytes.size());
    varint(inner.nodeCount);
    bytes += inner.bytes;
    nodeCount += inner.nodeCount;
  }

private:
  void node(Node *node) {
    if (!node) return varint(0);
    ++nodeCount;
    varint(static_cast<uint64_t>(node->kind) + 1);
    range("", node->range);
    if (auto *stmt = llvm::dyn_cast<Stmt>(node)) {
      Jumps jumps = stmt->jumps;
      varint(unsigned{jumps.mayBreak} | unsigned{jumps.mayContinue} << 1 | unsigned{jumps.mayReturn} << 2 |
             unsigned{jumps.mayRaise} << 3 | unsigned{jumps.mayYield} << 4);
    }
    withClass(*node, [&](auto &self) { fields(*this, self); });
  }

  NameNumbers &numbers;
  int64_t lastBegin = 0;
};

} // namespace

std::string encodeModule(const ast::Module &module) {
  NameNumbers numbers;
  Encoder encoder(numbers);
  encoder.scope("", module.scope);
  encoder.block("", module.body);
  std::string result;
  putVarint(result, numbers.order.size());
  for (Name name : numbers.order) {
    putVarint(result, name.str().size());
    result += name.str();
  }
  putVarint(result, encoder.nodeCount);
  return result + encoder.bytes;
}

} // namespace jx
