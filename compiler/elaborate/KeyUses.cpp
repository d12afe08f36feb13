// See KeyUses.h.
#include "compiler/elaborate/KeyUses.h"
#include "compiler/dialect/JxDialect.h"

namespace jx::elab {

namespace {

// The regions around a block, innermost first.
std::vector<mlir::Region *> regionsAround(mlir::Block *block) {
  std::vector<mlir::Region *> regions;
  for (mlir::Region *region = block->getParent(); region;) {
    regions.push_back(region);
    mlir::Operation *parent = region->getParentOp();
    region = parent ? parent->getParentRegion() : nullptr;
  }
  return regions;
}

// Blocks of different branches of one `cond`: only one of them runs.
bool exclude(mlir::Block *a, mlir::Block *b) {
  for (mlir::Region *x : regionsAround(a))
    for (mlir::Region *y : regionsAround(b))
      if (x != y && x->getParentOp() && x->getParentOp() == y->getParentOp() &&
          llvm::isa<CondOp>(x->getParentOp()))
        return true;
  return false;
}

// A loop between the block and the key's definition uses the key on every trip.
bool repeats(mlir::Block *block, mlir::Value key) {
  for (mlir::Region *region : regionsAround(block)) {
    if (region == key.getParentRegion()) return false;
    if (region->getParentOp() && llvm::isa<ForOp, WhileOp>(region->getParentOp())) {
      auto loop = llvm::dyn_cast<ForOp>(region->getParentOp());
      if (!loop || !loop.getTripCount() || *loop.getTripCount() > 1) return true;
    }
  }
  return false;
}

bool contains(mlir::Region &body, mlir::Region *region) {
  for (; region; region = region->getParentOp() ? region->getParentOp()->getParentRegion() : nullptr)
    if (region == &body) return true;
  return false;
}

} // namespace

void KeyUses::use(mlir::Value key, mlir::Block *block, SourceRange range, std::string what,
                  const void *libraryCall) {
  for (const Use &other : uses)
    if (libraryCall && other.key == key && other.libraryCall == libraryCall) return;
  uses.push_back({key, block, range, std::move(what), libraryCall});
}

std::vector<unsigned> KeyUses::close(size_t from, mlir::Region &body, mlir::Block *around,
                                     DiagnosticSink &sink) {
  std::vector<Use> open(uses.begin() + from, uses.end());
  uses.resize(from);
  // Attempts that were given up hang in no function.
  llvm::erase_if(open, [&](const Use &use) { return !contains(body, use.block->getParent()); });
  std::vector<unsigned> arguments;
  llvm::DenseSet<mlir::Value> reported;
  for (size_t i = 0; i < open.size(); ++i) {
    Use &use = open[i];
    if (!contains(body, use.key.getParentRegion())) {
      if (around) uses.push_back({use.key, around, use.range, use.what, use.libraryCall});
      continue;
    }
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(use.key);
        argument && argument.getOwner() == &body.front() &&
        !llvm::is_contained(arguments, argument.getArgNumber()))
      arguments.push_back(argument.getArgNumber());
    const Use *first = nullptr;
    for (size_t k = 0; k < i && !first; ++k)
      if (open[k].key == use.key && !exclude(open[k].block, use.block)) first = &open[k];
    bool again = repeats(use.block, use.key);
    if ((!first && !again) || !reported.insert(use.key).second) continue;
    Diagnostic warning(
        DiagKind::KeyReused, use.range,
        again ? "this key is used again in every trip of the loop, which gives the same numbers each time"
              : "this key has been used before: " + use.what + " gets the same random bits again",
        again ? "used here, by " + use.what : "");
    if (first && !again && !(first->range == use.range))
      warning.span(first->range, "used first here, by " + first->what);
    warning.withHint(again ? "make a key for each trip: `jax.random.fold_in(key, i)`"
                           : "make new keys first: `key, subkey = jax.random.split(key)`");
    sink.report(warning.asWarning());
  }
  return arguments;
}

} // namespace jx::elab
