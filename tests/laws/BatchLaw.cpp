// Batching: the op over a batch equals the op on each lane, for each choice of batched operands.
#include "tests/laws/Laws.h"
#include "tests/laws/Trial.h"

using namespace mlir;

namespace jx::laws {
namespace {

constexpr int64_t lanes = 3;

/// Lanes lie behind the named axis, which stays the leading dimension.
HostArray joined(const OpSpec &spec, ArrayRef<HostArray> each) {
  if (spec.axis.empty()) return stacked(each);
  Arrays rows;
  for (int64_t i = 0; i < spec.axisSize; ++i)
    rows.push_back(
        stacked(llvm::map_to_vector(each, [&](const HostArray &lane) { return laneOf(lane, i); })));
  return stacked(rows);
}

HostArray apart(const OpSpec &spec, const HostArray &array, int64_t lane) {
  if (spec.axis.empty()) return laneOf(array, lane);
  Arrays rows;
  for (int64_t i = 0; i < spec.axisSize; ++i) rows.push_back(laneOf(laneOf(array, i), lane));
  return stacked(rows);
}

void checkChoice(Trial &trial, ArrayRef<Arrays> points, ArrayRef<bool> batched) {
  const OpSpec &spec = trial.spec;
  Arrays arguments;
  SmallVector<Arrays> single(lanes);
  for (size_t i = 0; i < batched.size(); ++i) {
    Arrays each;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      each.push_back(points[batched[i] ? lane : 0][i]);
      single[lane].push_back(each.back());
    }
    arguments.push_back(batched[i] ? joined(spec, each) : each[0]);
  }
  auto batch = trial.transforms->batch(trial.function, batched, lanes);
  if (!spec.refusesBatch.empty() && llvm::is_contained(batched, true)) {
    EXPECT_TRUE(failed(batch)) << "batching must refuse";
    EXPECT_NE(trial.world.diagnostics.find(spec.refusesBatch), std::string::npos) << trial.world.diagnostics;
    return;
  }
  ASSERT_TRUE(succeeded(batch)) << trial.world.diagnostics;
  trial.output.clear();
  Arrays results = trial.run(batch->function, arguments);
  std::string together = std::exchange(trial.output, "");
  ASSERT_EQ(results.size(), trial.function.getNumResults());
  for (int64_t lane = 0; lane < lanes; ++lane) {
    for (auto [index, value] : llvm::enumerate(trial.run(trial.function, single[lane]))) {
      HostArray actual = batch->batchedResults[index] ? apart(spec, results[index], lane) : results[index];
      EXPECT_EQ(difference(actual, value, spec.valueTolerance), "")
          << "lane " << lane << ", result " << index;
    }
  }
  if (llvm::is_contained(batched, true)) EXPECT_EQ(together, trial.output) << "what the lanes print";
}

} // namespace

void checkBatch(const OpSpec &spec) {
  Trial trial(spec);
  if (!trial.function) return;
  SmallVector<Arrays> points;
  for (int64_t lane = 0; lane < lanes; ++lane) points.push_back(trial.operands(lane));
  size_t count = points[0].size();
  // All choices of up to four operands; of more, none, each alone and all.
  for (unsigned choice = 0; choice < (1u << count); ++choice) {
    if (count > 4 && llvm::popcount(choice) > 1 && choice + 1 != (1u << count)) continue;
    SmallVector<bool> batched;
    for (size_t i = 0; i < count; ++i) batched.push_back(choice >> i & 1);
    SCOPED_TRACE("batched operands " + std::to_string(choice));
    checkChoice(trial, points, batched);
  }
}

} // namespace jx::laws
