// Tables of what the elaborator itself provides: built-in functions, native modules, and the methods and
// properties of built-in kinds. A file of natives exports one `void registerX(Registry &)`, listed in
// Registry.cpp.
#pragma once
#include "compiler/elaborate/Value.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace jx::elab {

class Evaluator;

// How many arguments a native function takes, the object of a method not counted.
struct Arity {
  static constexpr unsigned any = ~0u;
  unsigned least = 0, most = 0;
  bool keywords = false; // whether it reads keyword arguments itself
};

class Registry {
public:
  using Constant = std::function<Value(Evaluator &)>;

  // A function of a native module; "builtins" holds Python's built-in functions.
  void function(llvm::StringRef module, llvm::StringRef name, NativeFn fn);
  // The same, called only with as many arguments as `arity` allows: a native that binds no parameters itself.
  void function(llvm::StringRef module, llvm::StringRef name, Arity arity, NativeFn fn);
  void constant(llvm::StringRef module, llvm::StringRef name, Constant make);
  // A method of a built-in kind; positional[0] is the object.
  void method(Kind kind, llvm::StringRef name, NativeFn fn);
  void method(Kind kind, llvm::StringRef name, Arity arity, NativeFn fn);
  void property(Kind kind, llvm::StringRef name, NativeFn fn);
  // A function of a built-in class that takes no object: `dict.fromkeys`.
  void classMethod(llvm::StringRef className, llvm::StringRef name, NativeFn fn);
  const NativeFn *findClassMethod(llvm::StringRef className, llvm::StringRef name) const;
  // What `int(...)`, `list(...)` do: the constructor of a built-in class.
  void constructor(llvm::StringRef className, NativeFn fn);
  void constructor(llvm::StringRef className, Arity arity, NativeFn fn);

  bool hasModule(llvm::StringRef module) const { return modules.contains(module); }
  const std::map<std::string, Constant> *moduleEntries(llvm::StringRef module) const;
  const NativeFn *findMethod(Kind kind, llvm::StringRef name) const;
  const NativeFn *findProperty(Kind kind, llvm::StringRef name) const;
  const NativeFn *findConstructor(llvm::StringRef className) const;
  // Names of the methods and properties of a kind, for "did you mean" and dir().
  std::vector<std::string> memberNames(Kind kind) const;

  // The one table of this process, filled on first use.
  static const Registry &get();

private:
  llvm::StringMap<std::map<std::string, Constant>> modules;
  std::map<std::pair<Kind, std::string>, NativeFn> methods, properties;
  llvm::StringMap<NativeFn> constructors;
  std::map<std::pair<std::string, std::string>, NativeFn> classMethods;
};

void registerNumbers(Registry &r);      // int, float, bool, abs, divmod, round, pow, math
void registerContainers(Registry &r);   // list, dict, set, tuple and their methods; len, sum, any, all
void registerOrdering(Registry &r);     // sorted, min, max, and list.sort, index, count, remove
void registerIteration(Registry &r);    // range, enumerate, zip, map, filter, reversed, iter, next
void registerStrings(Registry &r);      // str, bytes and their methods, repr, format, print
void registerObjects(Registry &r);      // type, isinstance, getattr, property, super, id, callable, vars, dir
void registerDunders(Registry &r);      // special methods of built-in kinds by name
void registerStringFormat(Registry &r); // str.format
void registerStringCase(Registry &r);   // upper, isalpha and their kin
void registerStringTables(Registry &r); // str.maketrans, str.translate
void registerTyping(Registry &r);       // typing
void registerIntrinsics(Registry &r);   // jx._intrinsics: types and promotion, pytrees, errors
void registerTracing(Registry &r);      // jx._intrinsics: jit and transforms, loops and branches of jax.lax
void registerEffects(Registry &r); // jx._intrinsics: print, check, load, save, clock, options, configuration

} // namespace jx::elab
