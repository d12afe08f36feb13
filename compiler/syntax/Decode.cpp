// Bytes to tree, function bodies on demand.
#include "compiler/syntax/Blob.h"
#include "compiler/syntax/Fields.h"

#include <bit>
#include <charconv>
#include <llvm/Support/Casting.h>

namespace jx {
namespace {

using namespace ast;

/// What the decoders of one module share, and what its unread functions refer to.
class ModuleLoader : public BodyLoader {
public:
  ModuleLoader(std::string_view blob, FileId file, AstContext &context)
      : blob(blob), file(file), context(context) {}

  FunctionBody loadBody(const FunctionDef &function, uint64_t key) override;

  Name name(uint64_t number) {
    if (number == 0) return {};
    Name &result = names[number - 1];
    if (!result) result = context.name(nameTexts[number - 1]);
    return result;
  }

  std::string_view blob;
  FileId file;
  AstContext &context;
  std::vector<std::string_view> nameTexts;
  std::vector<Name> names;
};

class Decoder {
public:
  Decoder(ModuleLoader &loader, size_t pos, uint32_t nextId)
      : pos(pos), nextId(nextId), loader(loader), context(loader.context) {}

  size_t pos;
  uint32_t nextId;

  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      auto byte = static_cast<unsigned char>(loader.blob[pos++]);
      value |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
  }
  std::string_view bytes(size_t count) {
    std::string_view result = loader.blob.substr(pos, count);
    pos += count;
    return result;
  }

  template <typename T> void expr(const char *, T *&child) { child = static_cast<T *>(node()); }
  void exprs(const char *, ExprList &list) { list = children<Expr>(); }
  void block(const char *, Block &body) { body = children<Stmt>(); }
  void name(const char *, Name &value) { value = loader.name(varint()); }
  void names(const char *, std::span<const Name> &list) {
    std::vector<Name> items(varint());
    for (Name &item : items) item = loader.name(varint());
    list = context.copy(items);
  }
  void text(const char *, std::string_view &value) { value = bytes(varint()); }
  void flag(const char *, bool &value) { value = loader.blob[pos++] != 0; }
  void real(const char *, double &value) {
    uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits |= uint64_t{static_cast<unsigned char>(loader.blob[pos++])} << (8 * i);
    value = std::bit_cast<double>(bits);
  }
  template <typename T> void number(const char *, T &value) { value = static_cast<T>(varint()); }
  void range(const char *, SourceRange &range) {
    uint64_t coded = varint();
    lastBegin += static_cast<int64_t>(coded >> 1) ^ -static_cast<int64_t>(coded & 1);
    range.file = loader.file;
    range.begin = static_cast<uint32_t>(lastBegin);
    range.end = range.begin + static_cast<uint32_t>(varint());
  }
  void scope(const char *, const Scope *&result) {
    auto *scope = context.allocate<Scope>();
    uint64_t head = varint();
    scope->kind = static_cast<ScopeKind>(head >> 2);
    scope->hasYield = head & 2;
    scope->usesClassCell = head & 1;
    names("", scope->locals);
    scope->captured = flags(scope->locals.size());
    names("", scope->frees);
    scope->freeWritten = flags(scope->frees.size());
    names("", scope->globals);
    names("", scope->declaredGlobal);
    names("", scope->declaredNonlocal);
    result = scope;
  }
  template <typename T, typename Use> void rows(const char *, std::span<const T> &list, Use use) {
    std::vector<T> items(varint());
    for (T &item : items) use(*this, item);
    list = context.copy(items);
  }
  void body(FunctionDef &def) {
    size_t length = varint();
    auto count = static_cast<uint32_t>(varint());
    def.setLoader(&loader, uint64_t{nextId} << 32 | pos);
    pos += length;
    nextId += count;
  }

private:
  template <typename T> std::span<T *const> children() {
    std::vector<T *> items(varint());
    for (T *&item : items) item = static_cast<T *>(node());
    return context.copy(items);
  }
  std::span<const bool> flags(size_t count) {
    static_assert(sizeof(bool) == 1);
    // Encoded as one byte 0 or 1 each: the blob itself is the array.
    return {reinterpret_cast<const bool *>(bytes(count).data()), count};
  }

  Node *node() {
    uint64_t coded = varint();
    if (coded == 0) return nullptr;
    switch (static_cast<NodeKind>(coded - 1)) {
#define JX_EXPR(NODE)                                                                                        \
  case NodeKind::NODE:                                                                                       \
    return fill(context.allocate<NODE>());
#define JX_STMT(NODE) JX_EXPR(NODE)
#include "compiler/syntax/NodeKinds.def"
    }
    __builtin_unreachable();
  }
  template <typename T> T *fill(T *node) {
    node->id = nextId++;
    range("", node->range);
    if constexpr (std::is_base_of_v<Stmt, T>) {
      uint64_t jumps = varint();
      node->jumps.mayBreak = jumps & 1;
      node->jumps.mayContinue = jumps & 2;
      node->jumps.mayReturn = jumps & 4;
      node->jumps.mayRaise = jumps & 8;
      node->jumps.mayYield = jumps & 16;
    }
    fields(*this, *node);
    if constexpr (std::is_same_v<T, IntConst>) {
      int64_t value = 0;
      auto [end, status] =
          std::from_chars(node->digits.data(), node->digits.data() + node->digits.size(), value);
      if (status == std::errc()) node->value = value;
    }
    if constexpr (std::is_same_v<T, ClassDef>) node->docstring = docstringOf(node->body);
    return node;
  }

  ModuleLoader &loader;
  AstContext &context;
  int64_t lastBegin = 0;
};

FunctionBody ModuleLoader::loadBody(const FunctionDef &, uint64_t key) {
  Decoder decoder(*this, static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32));
  FunctionBody body;
  decoder.scope("", body.scope);
  decoder.block("", body.statements);
  body.docstring = docstringOf(body.statements);
  return body;
}

} // namespace

const ast::Module *decodeModule(std::string_view blob, FileId file, std::string_view moduleName,
                                AstContext &context) {
  auto &loader =
      static_cast<ModuleLoader &>(context.keep(std::make_unique<ModuleLoader>(blob, file, context)));
  Decoder decoder(loader, 0, 0);
  size_t count = decoder.varint();
  loader.nameTexts.reserve(count);
  for (size_t i = 0; i < count; ++i) loader.nameTexts.push_back(decoder.bytes(decoder.varint()));
  loader.names.resize(count);
  decoder.nextId = context.reserveIds(static_cast<uint32_t>(decoder.varint()));

  auto *module = context.allocate<Module>();
  module->name = context.name(moduleName);
  module->file = file;
  decoder.scope("", module->scope);
  decoder.block("", module->body);
  module->docstring = docstringOf(module->body);
  return module;
}

} // namespace jx
