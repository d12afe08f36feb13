// The table of primitives that drives every law: how to build an op, on which operands it is tried, how
// exactly it must agree. One row or more a primitive. Rows are built in C++ (ElementwiseSpecs.cpp), written
// in the textual form (RegionSpecs.cpp), or recorded from JAX (RecordedSpecs.cpp).
#pragma once

#include "tests/laws/Harness.h"
#include <functional>

namespace jx::laws {

/// An operand: its type, and the interval from which its elements are drawn, away from kinks and poles.
struct OperandSpec {
  std::string element = "f64"; ///< as in `tensor<...xf64>`
  llvm::SmallVector<int64_t> shape{5};
  double low = -2, high = 2;
  /// Values that the first elements take in laws without derivatives.
  std::vector<double> special = {};
};

/// Which derivative laws a row is under.
enum class Derivatives {
  Measured,    ///< all: forward and reverse, against differences
  Zero,        ///< the derivative is zero by definition, whatever the differences say
  ReverseOnly, ///< the op refuses forward mode
  Refused,     ///< the op is not differentiable, and says so
  Skipped      ///< the operands are poles and kinks; other rows of the op are measured
};

struct OpSpec {
  /// The mnemonic; after a slash what tells the rows of one op apart.
  std::string name;
  std::vector<OperandSpec> operands;
  /// The op, or
  std::function<llvm::SmallVector<mlir::Value>(RuleBuilder &, mlir::ValueRange)> build;
  /// a module in the textual form whose function @f is the row.
  std::string source;
  /// Of recorded rows, a dictionary attribute of lists of arrays: `inputs` (else operands are drawn),
  /// `expected`, and where they were recorded `tangents`, `expected_tangents` and `expected_second`:
  /// derivatives along `tangents`, of which there is one a differentiable input.
  std::string recorded;
  /// @f runs under this named axis: operands and results have it as their leading dimension.
  std::string axis;
  int64_t axisSize = 0;
  /// Relative and absolute error of derivatives against finite differences.
  double derivativeTolerance = 1e-6;
  /// Of recorded values, and of batches against single lanes: 0 where no sum is reordered.
  Tolerance valueTolerance;
  Derivatives derivatives = Derivatives::Measured;
  /// Part of the error with which batching refuses; empty where it does not.
  std::string refusesBatch;

  llvm::StringRef opName() const { return llvm::StringRef(name).split('/').first; }
};

std::vector<OpSpec> elementwiseSpecs();
std::vector<OpSpec> regionSpecs();
std::vector<OpSpec> recordedSpecs();
/// Every row.
const std::vector<OpSpec> &allSpecs();

mlir::RankedTensorType typeOf(mlir::MLIRContext *context, const OperandSpec &operand);

/// The same row in f64, where derivatives can be measured by differences.
OpSpec widened(const OpSpec &spec);

/// Names of parameterised tests: the row's, in letters, digits and underscores.
std::string testName(const testing::TestParamInfo<OpSpec> &info);
inline void PrintTo(const OpSpec &spec, std::ostream *out) { *out << spec.name; }

} // namespace jx::laws
