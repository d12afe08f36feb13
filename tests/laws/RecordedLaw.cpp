// Values and derivatives against what JAX computed.
#include "tests/laws/Laws.h"
#include "tests/laws/Trial.h"

using namespace mlir;

namespace jx::laws {

static void expectEqual(ArrayRef<HostArray> actual, ArrayRef<HostArray> expected, Tolerance tolerance,
                        const char *what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (auto [index, pair] : llvm::enumerate(llvm::zip_equal(actual, expected)))
    EXPECT_EQ(difference(std::get<0>(pair), std::get<1>(pair), tolerance), "")
        << what << ", result " << index;
}

/// Derivatives of f32 and narrower rows carry the rounding of a few more operations than the values.
static Tolerance derivativeTolerance(const OpSpec &spec, double least) {
  double tolerance = std::max(spec.valueTolerance.relative, least);
  return {tolerance, tolerance, /*signedZeros=*/false};
}

static void checkTangents(Trial &trial) {
  const OpSpec &spec = trial.spec;
  SmallVector<bool> active = trial.active();
  auto first = trial.transforms->jvp(trial.function, active);
  ASSERT_TRUE(succeeded(first)) << trial.world.diagnostics;
  Arrays tangents = trial.recorded("tangents"), arguments = trial.operands();
  llvm::append_range(arguments, tangents);
  // Tangents that are symbolic zeros are zero in JAX's record.
  auto withZeros = [](ArrayRef<HostArray> given, ArrayRef<bool> isActive, ArrayRef<HostArray> expected) {
    Arrays all;
    unsigned next = 0, at = 0;
    for (bool bit : isActive) {
      if (at == expected.size()) break;
      HostArray zero(expected[at].getType());
      std::memset(zero.mutableData(), 0, zero.sizeInBytes());
      all.push_back(bit ? given[next++] : zero);
      ++at;
    }
    return all;
  };
  SmallVector<bool> activeResults;
  for (auto [bit, type] : llvm::zip_equal(first->activeResults, trial.function.getResultTypes()))
    if (isDifferentiable(type)) activeResults.push_back(bit);
  Arrays results = trial.run(first->function, arguments), expected = trial.recorded("expected_tangents");
  unsigned numResults = trial.function.getNumResults();
  if (results.size() < numResults) return;
  expectEqual(withZeros(ArrayRef(results).drop_front(numResults), activeResults, expected), expected,
              derivativeTolerance(spec, 1e-5), "tangent");

  Arrays expectedSecond = trial.recorded("expected_second");
  if (expectedSecond.empty()) return;
  SmallVector<bool> primalsOnly(active);
  primalsOnly.append(tangents.size(), false);
  auto second = trial.transforms->jvp(first->function, primalsOnly);
  ASSERT_TRUE(succeeded(second)) << trial.world.diagnostics;
  llvm::append_range(arguments, tangents);
  results = trial.run(second->function, arguments);
  // Of the tangents of (results..., tangents...), those of the tangents.
  SmallVector<bool> secondActive;
  unsigned next = first->function.getNumResults(), at = numResults;
  for (unsigned i = 0; i < numResults; ++i) next += second->activeResults[i];
  for (bool bit : activeResults) secondActive.push_back(bit && second->activeResults[at++]);
  if (results.size() < next) return;
  expectEqual(withZeros(ArrayRef(results).drop_front(next), secondActive, expectedSecond), expectedSecond,
              derivativeTolerance(spec, 5e-5), "second derivative");
}

void checkRecorded(const OpSpec &spec) {
  Trial trial(spec);
  if (!trial.function) return;
  Arrays operands = trial.operands(), values = trial.run(trial.function, operands);
  expectEqual(values, trial.recorded("expected"), spec.valueTolerance, "value");
  auto clone = cast<func::FuncOp>(OpBuilder(trial.function).clone(*trial.function));
  clone.setName("simplified");
  simplify(clone);
  expectEqual(trial.run(clone, operands), values, {}, "simplified");
  if (!trial.recorded("expected_tangents").empty()) checkTangents(trial);
}

} // namespace jx::laws
