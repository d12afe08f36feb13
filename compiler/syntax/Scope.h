// Facts about scopes and jumps that are computed once after parsing (Scopes.cpp) and stored in the tree, so
// that the elaborator resolves a name by index and knows, before it runs a loop, what the loop can bind and
// how it can be left.
#pragma once

#include "compiler/syntax/Name.h"

#include <cstdint>
#include <span>

namespace jx {

/// Where a name lives, by Python's rules.
enum class Binding : uint8_t {
  Local,  ///< In this scope: `Scope::locals[slot]`. At module level and in a class body a local is looked up
          ///< by name.
  Free,   ///< In an enclosing function, lambda or comprehension: `Scope::frees[slot]`.
  Global, ///< In the module, else a builtin. At module level every name is this.
};

enum class ScopeKind : uint8_t { Module, Class, Function, Lambda, Comprehension };

/// The names of one scope. Lists are in order of first appearance, so that everything derived from them is
/// deterministic.
struct Scope {
  ScopeKind kind = ScopeKind::Module;
  /// Names that this scope binds; parameters come first, in order.
  std::span<const Name> locals;
  /// For each local, whether a nested scope refers to it (it needs a shared cell).
  std::span<const bool> captured;
  /// Names of enclosing functions that this scope or a scope nested in it refers to.
  std::span<const Name> frees;
  /// For each free name, whether a `nonlocal` here or in a nested scope may rebind it.
  std::span<const bool> freeWritten;
  /// Names that this scope reads or, through `global`, binds in the module; builtins are among them; nested
  /// scopes are not.
  std::span<const Name> globals;
  /// Names declared `global` here.
  std::span<const Name> declaredGlobal;
  std::span<const Name> declaredNonlocal;
  bool hasYield = false;
  /// `super()` or `__class__` occurs here or in a nested function (the class cell is then a free name
  /// `__class__`).
  bool usesClassCell = false;
};

/// How control can leave a statement other than at its end.
struct Jumps {
  bool mayBreak : 1 = false;    ///< A `break` of the loop around the statement.
  bool mayContinue : 1 = false; ///< A `continue` of the loop around the statement.
  bool mayReturn : 1 = false;
  bool mayRaise : 1 = false; ///< A `raise` or `assert` stands in it; calls are not looked into.
  bool mayYield : 1 = false;
};

} // namespace jx
