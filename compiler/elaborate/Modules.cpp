// Imports: native modules, modules of the embedded library, and .jx files beside the program.
#include "compiler/elaborate/Alternatives.h"
#include "compiler/elaborate/Evaluator.h"
#include "compiler/elaborate/Files.h"
#include "compiler/elaborate/Lint.h"
#include "compiler/elaborate/Registry.h"
#include "compiler/syntax/Parse.h"
#include "compiler/syntax/Stdlib.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace jx::elab {

namespace {
constexpr llvm::StringLiteral primitives = "jx._prim";

std::string siblingPath(const ElaborateOptions &options, llvm::StringRef module) {
  llvm::SmallString<128> path(llvm::sys::path::parent_path(options.programPath));
  llvm::SmallVector<llvm::StringRef> parts;
  module.split(parts, '.');
  for (llvm::StringRef part : parts) llvm::sys::path::append(path, part);
  std::string base = path.str().str();
  if (llvm::sys::fs::exists(base + ".jx")) return base + ".jx";
  if (llvm::sys::fs::exists(base + "/__init__.jx")) return base + "/__init__.jx";
  return "";
}
} // namespace

std::string absolutePath(llvm::StringRef path) {
  llvm::SmallString<128> whole(path);
  if (path.empty() || llvm::sys::fs::make_absolute(whole)) return path.str();
  llvm::sys::path::remove_dots(whole);
  return whole.str().str();
}

Object *Evaluator::findModule(llvm::StringRef name) const {
  auto found = loadedModules.find(name.str());
  return found == loadedModules.end() ? nullptr : found->second;
}

// A package without a module of its own, such as `jax._src`.
static bool isPackagePrefix(llvm::StringRef name) {
  std::string prefix = name.str() + ".";
  return llvm::any_of(stdlibModuleNames(),
                      [&](std::string_view module) { return llvm::StringRef(module).starts_with(prefix); });
}

bool Evaluator::moduleExists(llvm::StringRef name) const {
  return isPackagePrefix(name) || findModule(name) || registry.hasModule(name) || name == primitives ||
         findStdlibModule(name) || !siblingPath(options, name).empty();
}

// Runs a module's body in its own namespace.
Status Evaluator::runModule(const ast::Module &tree, Object *object) {
  Frame own{object, tree.scope, object, {}, nullptr, frame, here()};
  own.atEnd = Flow::Normal;
  frame = &own;
  Flow flow = run(tree.body);
  frame = own.caller;
  if (flow == Flow::Failed) return Failed();
  return Status::success();
}

Object *Evaluator::importModule(llvm::StringRef name, SourceRange range) {
  if (Object *loaded = findModule(name)) return loaded;
  auto fail = [&]() -> Object * { return nullptr; };
  // Parents first, as in Python.
  size_t dot = name.rfind('.');
  Object *parent = nullptr;
  if (dot != llvm::StringRef::npos && moduleExists(name.take_front(dot))) {
    parent = importModule(name.take_front(dot), range);
    if (!parent) return fail();
    if (Object *loaded = findModule(name)) return loaded;
  }
  const auto *natives = registry.moduleEntries(name);
  const StdlibEntry *library = findStdlibModule(name);
  std::string path = natives || library ? "" : siblingPath(options, name);
  if (!natives && !library && path.empty() && name != primitives && !isPackagePrefix(name)) {
    Diagnostic diagnostic(DiagKind::MissingModule,
                          range.isValid() && !sources.isLibrary(range.file) ? range : userHere(),
                          "there is no module `" + name.str() + "`");
    std::string best;
    unsigned distance = 3;
    for (std::string_view candidate : stdlibModuleNames())
      if (unsigned d = name.edit_distance(candidate, true, distance); d < distance)
        distance = d, best = candidate;
    if (!best.empty()) diagnostic.withHint("did you mean `" + best + "`?");
    if (llvm::StringRef instead = insteadOfModule(name); !instead.empty()) {
      diagnostic.kind = DiagKind::ForeignModule;
      diagnostic.message = "jx has no module `" + name.str() + "`";
      diagnostic.withHint(instead.str());
    }
    (void)this->fail(std::move(diagnostic), "No module named '" + name.str() + "'");
    return fail();
  }
  auto *node = arena.make<ModuleNode>();
  node->name = name.str();
  node->isLibrary = path.empty();
  Object *object = heap.create(Kind::Module);
  object->payload = node;
  heap.put(object, arena.str("__name__"), arena.str(name));
  loadedModules[name.str()] = object;
  if (natives)
    for (auto &[member, make] : *natives) heap.put(object, arena.str(member), make(*this));
  const ast::Module *tree = nullptr;
  if (library) {
    tree = loadStdlibModule(*library, sources, ast);
    node->isPackage = library->isPackage;
  } else if (!path.empty()) {
    std::string error;
    auto file = sources.loadFile(path, error);
    if (!file) {
      (void)raise("ImportError", error);
      return fail();
    }
    heap.put(object, arena.str("__file__"), arena.str(absolutePath(path)));
    node->isPackage = llvm::StringRef(path).ends_with("__init__.jx");
    ParseResult parsed = parse(sources, *file, ast, sink, std::string(name));
    if (!parsed) {
      pendingState = {};
      pendingState.reason = Pending::Fatal;
      return fail();
    }
    lint(*parsed.module, sink);
    tree = parsed.module;
  }
  if (tree) {
    node->file = tree->file;
    // A module that is imported while a function is elaborated runs as at top level.
    const ast::Node *at = this->node;
    if (!runModule(*tree, object)) {
      loadedModules.erase(name.str());
      return fail();
    }
    this->node = at;
  }
  if (parent) heap.put(parent, arena.str(name.drop_front(dot + 1)), object);
  return object;
}

Status Evaluator::runImport(const ast::Import *stmt) {
  for (const ast::ImportAlias &alias : stmt->aliases) {
    Object *module = importModule(alias.path.str(), alias.range);
    if (!module) return Failed();
    if (!alias.asName) { // `import a.b` binds `a`
      llvm::StringRef first = llvm::StringRef(alias.path.str()).split('.').first;
      module = importModule(first, alias.range);
      if (!module) return Failed();
    }
    JX_CHECK(bind(alias.bound.binding, alias.bound.slot, alias.bound.name, module));
  }
  return Status::success();
}

Status Evaluator::runImportFrom(const ast::ImportFrom *stmt) {
  std::string name(stmt->module.str());
  if (stmt->dots) {
    const auto &own = *static_cast<const ModuleNode *>(frame->module->payload);
    llvm::StringRef base = own.name;
    for (unsigned up = own.isPackage ? 1 : 0; up < stmt->dots; ++up)
      base = base.rsplit('.').first == base ? "" : base.rsplit('.').first;
    name = name.empty() ? base.str() : base.empty() ? name : base.str() + "." + name;
  }
  if (name == "__future__") return Status::success();
  Object *module = importModule(name, stmt->moduleRange);
  if (!module) return Failed();
  if (stmt->isStar) {
    Contents contents = module->contents();
    Value all = module->get(arena.str("__all__"));
    for (size_t i = 0; i < contents.keys.size(); ++i) {
      llvm::StringRef member = contents.keys[i].asStr();
      bool exported = !member.starts_with("_");
      if (all) {
        JX_TRY(listed, contains(all, contents.keys[i]));
        exported = truth(listed) == Truth::True;
      }
      if (exported) heap.put(frame->locals, contents.keys[i], contents.values[i]);
    }
    return Status::success();
  }
  for (const ast::ImportAlias &alias : stmt->aliases) {
    Value member;
    if (name == primitives) {
      member = Value();
    } else {
      std::string sub = name + "." + std::string(alias.path.str());
      member = module->get(nameStr(alias.path));
      if (!member && moduleExists(sub)) {
        Object *submodule = importModule(sub, alias.range);
        if (!submodule) return Failed();
        member = submodule;
      }
    }
    if (!member) {
      NodeScope at(*this, nullptr);
      member = getAttr(module, alias.path.str());
      if (!member) {
        pendingState.diagnostic.primary.range = alias.range;
        if (!isPending(Pending::Exception)) return Failed();
        Object *error = pendingState.exception.asObject();
        error->cls = builtinClass("ImportError");
        heap.put(error, arena.str("args"),
                 arena.tuple({arena.str("cannot import name '" + std::string(alias.path.str()) + "' from '" +
                                        name + "' (unknown location)")}));
        return Failed();
      }
    }
    JX_CHECK(bind(alias.bound.binding, alias.bound.slot, alias.bound.name, member));
  }
  return Status::success();
}

} // namespace jx::elab
