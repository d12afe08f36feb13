// Owns everything that trees are made of: the arena, the interned names, and the counter of node ids. One
// context serves a whole compilation, user files and standard library alike, so that names compare across
// modules.
#pragma once

#include "compiler/syntax/Ast.h"

#include <cstring>
#include <memory>
#include <memory_resource>
#include <vector>

namespace jx {

class AstContext {
public:
  AstContext() = default;
  AstContext(const AstContext &) = delete;
  AstContext &operator=(const AstContext &) = delete;

  Name name(std::string_view text) { return names.intern(text); }

  /// A new node with the next id.
  template <typename T> T *make(SourceRange range) {
    T *node = allocate<T>();
    node->range = range;
    node->id = nextId++;
    return node;
  }
  /// Reserves `count` consecutive ids (a decoded module numbers its nodes itself) and returns the first.
  uint32_t reserveIds(uint32_t count) {
    uint32_t first = nextId;
    nextId += count;
    return first;
  }
  /// An arena object that is not a node. Arena objects are never destroyed, so they must not own memory.
  template <typename T> T *allocate() { return new (arena.allocate(sizeof(T), alignof(T))) T(); }
  template <typename T> std::span<const T> copy(const std::vector<T> &items) {
    if (items.empty()) return {};
    T *memory = static_cast<T *>(arena.allocate(sizeof(T) * items.size(), alignof(T)));
    for (size_t i = 0; i < items.size(); ++i) new (memory + i) T(items[i]);
    return {memory, items.size()};
  }
  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char *memory = static_cast<char *>(arena.allocate(text.size(), 1));
    std::memcpy(memory, text.data(), text.size());
    return {memory, text.size()};
  }
  /// Keeps a loader alive as long as the trees that refer to it.
  ast::BodyLoader &keep(std::unique_ptr<ast::BodyLoader> loader) {
    loaders.push_back(std::move(loader));
    return *loaders.back();
  }
  /// An id above those of all nodes made so far.
  uint32_t idLimit() const { return nextId; }

private:
  std::pmr::monotonic_buffer_resource arena{64 * 1024};
  NameTable names;
  std::vector<std::unique_ptr<ast::BodyLoader>> loaders;
  uint32_t nextId = 1;
};

} // namespace jx
