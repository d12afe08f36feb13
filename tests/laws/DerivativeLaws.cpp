// Derivatives: the JVP equals finite differences, reverse mode is its transpose, second order closes. All are
// measured in f64; narrower floats share the rules.
#include "tests/laws/Laws.h"
#include "tests/laws/Trial.h"
#include <cmath>

using namespace mlir;

namespace jx::laws {
namespace {

Type realPart(Type element) {
  auto complex = dyn_cast<ComplexType>(element);
  return complex ? complex.getElementType() : element;
}

/// Sum of products. Complex numbers pair without conjugation, as cotangents are linear: the real part of x y.
double dot(const Arrays &x, const Arrays &y) {
  double sum = 0;
  for (auto [a, b] : llvm::zip_equal(x, y)) {
    bool isComplex = isa<ComplexType>(a.getElementType());
    for (int64_t i = 0, n = numbersIn(a); i < n; ++i)
      sum += numberAt(a, i) * numberAt(b, i) * (isComplex && i % 2 ? -1 : 1);
  }
  return sum;
}

/// x + h v on the active arrays.
Arrays moved(const Arrays &x, ArrayRef<bool> active, const Arrays &directions, double h) {
  Arrays result;
  unsigned next = 0;
  for (auto [index, array] : llvm::enumerate(x)) {
    HostArray copy = array;
    if (active[index]) {
      copy = HostArray(array.getType());
      const HostArray &v = directions[next++];
      for (int64_t i = 0, n = numbersIn(copy); i < n; ++i)
        setNumberAt(copy, i, numberAt(array, i) + h * numberAt(v, i));
    }
    result.push_back(copy);
  }
  return result;
}

/// Whether results are rounded so coarsely that differences need large steps.
bool isCoarse(double tolerance) { return tolerance > 1e-3; }

/// Central differences of the function's results along `directions`; nan at a kink, jump or pole.
std::vector<std::vector<double>> differences(Trial &trial, func::FuncOp function, const Arrays &x,
                                             ArrayRef<bool> active, const Arrays &directions) {
  // Results in coarse types need large steps.
  bool coarse = isCoarse(trial.spec.derivativeTolerance);
  const double h = coarse ? 1.0 / 8 : 1e-5;
  Arrays at[5]; // x - 2 h v, x - h v, x, x + h v, x + 2 h v
  for (int step = -2; step <= 2; ++step)
    at[step + 2] = trial.run(function, moved(x, active, directions, step * h));
  std::vector<std::vector<double>> slopes(function.getNumResults());
  for (size_t r = 0; r < slopes.size(); ++r)
    for (int64_t i = 0, n = numbersIn(at[2][r]); i < n; ++i) {
      double f[5];
      for (int step = 0; step < 5; ++step) f[step] = numberAt(at[step][r], i);
      double slope = (f[3] - f[1]) / (2 * h), wide = (f[4] - f[0]) / (4 * h);
      double up = (f[3] - f[2]) / h, down = (f[2] - f[1]) / h, most = 2e-3 * (1 + std::fabs(slope));
      bool isSmooth = std::fabs(up - down) < most && std::fabs(slope - wide) < most;
      slopes[r].push_back(isSmooth || coarse ? slope : std::nan(""));
    }
  return slopes;
}

/// The tangents of the marked results against central differences of `function`.
void expectDerivative(Trial &trial, func::FuncOp function, const Arrays &x, ArrayRef<bool> active,
                      const Arrays &directions, ArrayRef<bool> activeResults, ArrayRef<HostArray> tangents) {
  auto slopes = differences(trial, function, x, active, directions);
  double tolerance = trial.spec.derivativeTolerance;
  ASSERT_EQ(tangents.size(), size_t(llvm::count(activeResults, true)));
  unsigned next = 0;
  for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
    bool hasTangent = activeResults[index];
    if (!isDifferentiable(type)) {
      EXPECT_FALSE(hasTangent) << "a tangent of a type without derivative";
      continue;
    }
    const HostArray *tangent = hasTangent ? &tangents[next++] : nullptr;
    for (auto [i, slope] : llvm::enumerate(slopes[index])) {
      if (!std::isfinite(slope)) continue;
      double given = tangent ? numberAt(*tangent, i) : 0;
      EXPECT_NEAR(given, slope, tolerance * (1 + std::fabs(slope)))
          << "result " << index << ", element " << i;
    }
  }
}

/// A row with all that its derivatives need.
class Measurement : public Trial {
public:
  explicit Measurement(const OpSpec &spec) : Trial(spec) {
    if (!function) return;
    x = operands(0, false);
    for (Type type : function.getArgumentTypes()) {
      active.push_back(realPart(getElementTypeOrSelf(type)).isF64());
      if (active.back()) directions.push_back(direction(outerType(type)));
    }
  }
  /// Rows of other floats in C++ have a neighbour in f64.
  bool isMeasured() const { return !directions.empty(); }

  Arrays x, directions;
  SmallVector<bool> active;
};

} // namespace

void checkForward(const OpSpec &written) {
  OpSpec spec = widened(written);
  Measurement trial(spec);
  if (!trial.isMeasured()) return;
  auto jvp = trial.transforms->jvp(trial.function, trial.active);
  if (spec.derivatives == Derivatives::Refused) {
    EXPECT_TRUE(failed(jvp)) << "the derivative must be refused";
    EXPECT_NE(trial.world.diagnostics.find("is not differentiable"), std::string::npos)
        << trial.world.diagnostics;
    return;
  }
  ASSERT_TRUE(succeeded(jvp)) << trial.world.diagnostics;
  if (spec.derivatives == Derivatives::Zero) {
    EXPECT_FALSE(llvm::is_contained(jvp->activeResults, true)) << "a tangent that is zero by definition";
    return;
  }
  Arrays arguments = trial.x;
  llvm::append_range(arguments, trial.directions);
  Arrays results = trial.run(jvp->function, arguments);
  unsigned numResults = trial.function.getNumResults();
  ASSERT_GE(results.size(), numResults);
  for (auto [index, value] : llvm::enumerate(trial.run(trial.function, trial.x)))
    EXPECT_EQ(difference(results[index], value, {}), "") << "primal result " << index;
  expectDerivative(trial, trial.function, trial.x, trial.active, trial.directions, jvp->activeResults,
                   ArrayRef(results).drop_front(numResults));
}

void checkReverse(const OpSpec &written) {
  OpSpec spec = widened(written);
  Measurement trial(spec);
  if (!trial.isMeasured()) return;
  unsigned numResults = trial.function.getNumResults();
  auto parts = trial.transforms->linearize(trial.function, trial.active);
  ASSERT_TRUE(succeeded(parts)) << trial.world.diagnostics;
  Arrays known = trial.run(parts->known, trial.x);
  ASSERT_EQ(known.size(), numResults + parts->numResiduals);
  Arrays residuals(known.begin() + numResults, known.end());
  if (!llvm::is_contained(parts->activeResults, true)) return; // nothing to transpose

  Arrays weights, forward;
  for (auto [index, type] : llvm::enumerate(trial.function.getResultTypes()))
    if (parts->activeResults[index]) weights.push_back(trial.direction(trial.outerType(type)));
  double tolerance = isCoarse(spec.derivativeTolerance) ? spec.derivativeTolerance : 1e-9;
  if (spec.derivatives == Derivatives::ReverseOnly) {
    auto slopes = differences(trial, trial.function, trial.x, trial.active, trial.directions);
    unsigned next = 0;
    for (auto [index, type] : llvm::enumerate(trial.function.getResultTypes()))
      if (parts->activeResults[index]) {
        HostArray &array = forward.emplace_back(weights[next++].getType());
        for (auto [i, slope] : llvm::enumerate(slopes[index])) setNumberAt(array, i, slope);
      }
    tolerance = spec.derivativeTolerance;
  } else {
    Arrays linearArguments = residuals;
    llvm::append_range(linearArguments, trial.directions);
    forward = trial.run(parts->linear, linearArguments);
  }
  ASSERT_EQ(forward.size(), weights.size());

  auto transposed = trial.transforms->transpose(parts->linear, trial.directions.size());
  ASSERT_TRUE(succeeded(transposed)) << trial.world.diagnostics;
  Arrays backArguments = residuals;
  llvm::append_range(backArguments, weights);
  Arrays backward = trial.run(*transposed, backArguments);
  ASSERT_EQ(backward.size(), trial.directions.size());
  for (auto [cotangent, direction] : llvm::zip_equal(backward, trial.directions))
    ASSERT_EQ(cotangent.getType(), direction.getType());
  double left = dot(forward, weights), right = dot(trial.directions, backward);
  if (!std::isfinite(left)) return; // the operands hold a pole or nan
  EXPECT_NEAR(left, right, tolerance * (1 + std::fabs(left)));
}

void checkSecondOrder(const OpSpec &written) {
  OpSpec spec = widened(written);
  Measurement trial(spec);
  if (!trial.isMeasured()) return;
  auto first = trial.transforms->jvp(trial.function, trial.active);
  ASSERT_TRUE(succeeded(first)) << trial.world.diagnostics;
  SmallVector<bool> primalsOnly = trial.active;
  primalsOnly.append(trial.directions.size(), false);
  auto second = trial.transforms->jvp(first->function, primalsOnly);
  ASSERT_TRUE(succeeded(second)) << trial.world.diagnostics;
  Arrays point = trial.x;
  llvm::append_range(point, trial.directions);
  Arrays arguments = point;
  llvm::append_range(arguments, trial.directions);
  Arrays results = trial.run(second->function, arguments);
  unsigned numFirst = first->function.getNumResults();
  ASSERT_GE(results.size(), numFirst);
  expectDerivative(trial, first->function, point, primalsOnly, trial.directions, second->activeResults,
                   ArrayRef(results).drop_front(numFirst));
}

} // namespace jx::laws
