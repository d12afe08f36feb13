// Every op of the dialect is a primitive with a row in the table of laws, or structural.
#include "tests/laws/OpSpec.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace jx::laws {
namespace {

/// Ops without rules: no transform meets them.
const llvm::StringSet<> structural = {"yield", "kernel"};

llvm::StringSet<> opsWithRows() {
  llvm::StringSet<> rows;
  for (const OpSpec &spec : allSpecs()) rows.insert(spec.opName());
  return rows;
}

TEST(Totality, EveryPrimitiveHasARow) {
  World world;
  llvm::StringSet<> rows = opsWithRows(), primitives;
  for (RegisteredOperationName op : world.context.getRegisteredOperationsByDialect("jx")) {
    StringRef name = op.getStringRef().drop_front(strlen("jx."));
    EXPECT_NE(op.hasInterface<PrimitiveInterface>(), structural.contains(name))
        << name.str() << " must have rules, or be listed as structural, and not both";
    if (!op.hasInterface<PrimitiveInterface>()) continue;
    primitives.insert(name);
    EXPECT_TRUE(rows.contains(name)) << name.str() << " has no row in the table of laws";
  }
  for (const auto &row : rows)
    EXPECT_TRUE(primitives.contains(row.getKey())) << row.getKey().str() << " has a row, but is no primitive";
}

/// The check can fail: an op without a row is noticed.
TEST(Totality, NoticesAnUnknownOp) { EXPECT_FALSE(opsWithRows().contains("no_such_op")); }

} // namespace
} // namespace jx::laws
