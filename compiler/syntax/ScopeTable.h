// What the walk over a module collects about its scopes, and the resolution of names over it. Internal to
// compiler/syntax: Scopes.cpp fills the table, ScopeTable.cpp resolves it.
#pragma once

#include "compiler/syntax/AstContext.h"

#include <deque>
#include <unordered_map>
#include <unordered_set>

namespace jx {

/// Names in order of first insertion, with their index.
class NameSet {
public:
  uint32_t insert(Name name) {
    auto [at, isNew] = indices.try_emplace(name, static_cast<uint32_t>(order.size()));
    if (isNew) order.push_back(name);
    return at->second;
  }
  bool contains(Name name) const { return indices.count(name) != 0; }
  uint32_t index(Name name) const { return indices.at(name); }
  const std::vector<Name> &names() const { return order; }

private:
  std::unordered_map<Name, uint32_t> indices;
  std::vector<Name> order;
};

/// A place in the tree that names a variable. The implicit `__class__` of `super()` has no place.
struct Mention {
  Name name;
  Binding *binding;
  uint32_t *slot;
};

struct ScopeRecord {
  ScopeRecord(ScopeKind kind, ScopeRecord *parent) : kind(kind), parent(parent) {}

  bool isFunctionLike() const { return kind != ScopeKind::Module && kind != ScopeKind::Class; }

  ScopeKind kind;
  ScopeRecord *parent;
  NameSet bound;
  NameSet frees;
  NameSet globals;
  NameSet declaredGlobal, declaredNonlocal;
  NameSet mentioned; ///< For `global x` after a use of x.
  std::unordered_set<Name> captured, written;
  std::vector<Mention> mentions;
  std::vector<NameSet *> openLoops;
  size_t parameterCount = 0;
  unsigned loopDepth = 0;
  bool hasYield = false, usesClassCell = false;
  Scope *result = nullptr;
};

/// All scopes of a module, outer ones before inner ones.
class ScopeTable {
public:
  explicit ScopeTable(AstContext &context) : context(context), className(context.name("__class__")) {}

  ScopeRecord &add(ScopeKind kind, ScopeRecord *parent) {
    ScopeRecord &record = scopes.emplace_back(kind, parent);
    record.result = context.allocate<Scope>();
    return record;
  }
  /// Gives every mention its binding and slot and fills in every Scope. Call once, when all scopes are
  /// walked.
  void resolve();
  /// The function-like scope, from `scope` outwards, whose variable the name is; null for the module.
  ScopeRecord *ownerOf(ScopeRecord *scope, Name name) const;

  AstContext &context;
  const Name className; ///< `__class__`, which a class provides to its methods.

private:
  void resolve(ScopeRecord &scope, const Mention &mention);
  void finish(ScopeRecord &record);
  std::span<const bool> flags(const std::vector<Name> &names, const std::unordered_set<Name> &members);

  std::deque<ScopeRecord> scopes;
};

} // namespace jx
