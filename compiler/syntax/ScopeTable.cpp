// Python's rules for where a name lives: a scope's own variable, one of an enclosing function (class bodies
// between them do not count), else the module's.
#include "compiler/syntax/ScopeTable.h"

namespace jx {

void ScopeTable::resolve() {
  for (ScopeRecord &scope : scopes)
    for (const Mention &mention : scope.mentions) resolve(scope, mention);
  for (ScopeRecord &scope : scopes) finish(scope);
}

void ScopeTable::resolve(ScopeRecord &scope, const Mention &mention) {
  auto set = [&](Binding binding, uint32_t slot) {
    if (!mention.binding) return;
    *mention.binding = binding;
    *mention.slot = slot;
  };
  Name name = mention.name;
  bool isNonlocal = scope.declaredNonlocal.contains(name);
  if (scope.kind == ScopeKind::Module || scope.declaredGlobal.contains(name)) {
    scope.globals.insert(name);
    return set(Binding::Global, 0);
  }
  if (scope.bound.contains(name)) return set(Binding::Local, scope.bound.index(name));
  ScopeRecord *owner = ownerOf(scope.parent, name);
  if (!owner) {
    scope.globals.insert(name);
    return set(Binding::Global, 0);
  }
  owner->captured.insert(name);
  for (ScopeRecord *between = &scope; between != owner; between = between->parent) {
    between->frees.insert(name);
    if (isNonlocal) between->written.insert(name);
  }
  if (owner->kind == ScopeKind::Class) owner->usesClassCell = true;
  set(Binding::Free, scope.frees.index(name));
}

ScopeRecord *ScopeTable::ownerOf(ScopeRecord *scope, Name name) const {
  for (; scope; scope = scope->parent) {
    if (scope->kind == ScopeKind::Class && name == className) return scope;
    if (!scope->isFunctionLike()) continue;
    if (scope->declaredGlobal.contains(name)) return nullptr;
    if (scope->bound.contains(name)) return scope;
  }
  return nullptr;
}

void ScopeTable::finish(ScopeRecord &record) {
  Scope &scope = *record.result;
  scope.kind = record.kind;
  const std::vector<Name> &locals = record.bound.names();
  scope.locals = context.copy(locals);
  scope.captured = flags(locals, record.captured);
  scope.frees = context.copy(record.frees.names());
  scope.freeWritten = flags(record.frees.names(), record.written);
  scope.globals = context.copy(record.globals.names());
  scope.declaredGlobal = context.copy(record.declaredGlobal.names());
  scope.declaredNonlocal = context.copy(record.declaredNonlocal.names());
  scope.hasYield = record.hasYield;
  scope.usesClassCell = record.usesClassCell || record.frees.contains(className);
}

std::span<const bool> ScopeTable::flags(const std::vector<Name> &names,
                                        const std::unordered_set<Name> &members) {
  if (names.empty()) return {};
  struct Flag {
    bool value;
  };
  std::vector<Flag> result; // not vector<bool>, which has no array
  for (Name name : names) result.push_back({members.count(name) != 0});
  return {&context.copy(result).front().value, names.size()};
}

} // namespace jx
