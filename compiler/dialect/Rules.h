// Contexts in which the rules of a primitive run, and the regular rules that op classes share.
//
// Transforms own the walk; a rule sees one op. In jvp and transpose the operands that a context hands out are
// values of the function being built, never of the original. Zero tangents and cotangents are symbolic: a
// rule never emits zeros.
#pragma once

#include "compiler/dialect/HostArray.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"

namespace jx {

class RuleBuilder;
// What rules of region ops and calls use besides: compiler/dialect/RegionRules.h.
class Dependence;
class JvpWalk;
class SplitWalk;
class TransposeWalk;
class BatchWalk;

/// A tangent or cotangent: a value, or the symbolic zero.
class Tangent {
public:
  Tangent() = default; // zero
  Tangent(mlir::Value value) : value(value) {}
  static Tangent zero() { return {}; }
  bool isZero() const { return !value; }
  explicit operator bool() const { return static_cast<bool>(value); }
  mlir::Value get() const { return value; }

private:
  mlir::Value value;
};

/// The type of a tangent or cotangent of a value of `type`: itself for floats and complex; null for types
/// without derivative (integers, bools, keys), whose tangents are always zero. Stacks follow their element.
mlir::Type tangentType(mlir::Type type);
inline bool isDifferentiable(mlir::Type type) { return static_cast<bool>(tangentType(type)); }

// --- Forward
// -----------------------------------------------------------------------------------------------------

/// jvp: emit the results' tangents from the operands' primals and tangents.
class JvpContext {
public:
  JvpContext(RuleBuilder &builder, mlir::Operation *op, llvm::ArrayRef<mlir::Value> primals,
             llvm::ArrayRef<Tangent> tangents, mlir::IRMapping &primalMap,
             llvm::DenseMap<mlir::Value, mlir::Value> &tangentMap)
      : b(builder), op(op), primals(primals), tangents(tangents), primalMap(primalMap),
        tangentMap(tangentMap), tangentsOut(op->getNumResults()) {}

  RuleBuilder &b;
  mlir::Operation *op; ///< the original op
  llvm::ArrayRef<mlir::Value> primals;
  llvm::ArrayRef<Tangent> tangents;
  /// Original value to its primal, and to its tangent, in the function being built (region rules: captured
  /// values).
  mlir::IRMapping &primalMap;
  llvm::DenseMap<mlir::Value, mlir::Value> &tangentMap;
  /// The walk that runs this rule, for region rules; null where a rule is run alone.
  JvpWalk *walk = nullptr;

  mlir::Value x(unsigned operand = 0) const { return primals[operand]; }
  Tangent dx(unsigned operand = 0) const { return tangents[operand]; }
  /// The primal result, cloned into the new function on first use.
  mlir::Value y(unsigned result = 0);
  /// A region rule computes primal and tangent in one op: it states the primal results itself.
  void setPrimal(unsigned result, mlir::Value value);
  void setTangent(unsigned result, Tangent tangent) { tangentsOut[result] = tangent; }
  llvm::ArrayRef<Tangent> getTangentsOut() const { return tangentsOut; }
  /// For the walk: clones the op if no rule asked for its results, and enters them into primalMap.
  void finish();

private:
  llvm::SmallVector<mlir::Value> primalsOut;
  llvm::SmallVector<Tangent> tangentsOut;
};

// --- Reverse
// -----------------------------------------------------------------------------------------------------

/// Destination of a cotangent. In a loop it is a carry, updated in place, so that gradients of slices stay
/// linear.
class Accumulator {
public:
  virtual ~Accumulator() = default;
  virtual void add(mlir::Value cotangent) = 0;
  /// Adds into the box at dynamic `starts` (one scalar integer a dimension, clamped as dynamic_slice clamps).
  virtual void addSlice(mlir::Value cotangent, mlir::ValueRange starts) = 0;
  /// Adds into the strided box at static `starts`.
  virtual void addStrided(mlir::Value cotangent, llvm::ArrayRef<int64_t> starts,
                          llvm::ArrayRef<int64_t> strides) = 0;
  /// Adds by `scatter`, a function that takes the current total and returns the new one (a scatter with
  /// combiner add).
  virtual void addScatter(llvm::function_ref<mlir::Value(mlir::Value)> scatter) = 0;
};

/// transpose: given the results' cotangents, add to the accumulators of the linear operands.
class TransposeContext {
public:
  RuleBuilder &b;
  mlir::Operation *op; ///< the original, linear op
  llvm::ArrayRef<Tangent> cotangents;
  /// Value of a non-linear operand in the function being built; null for linear ones.
  llvm::ArrayRef<mlir::Value> operands;
  /// Accumulator of a linear operand; null for non-linear ones.
  llvm::ArrayRef<Accumulator *> accumulators;
  /// For region rules: the accumulator of any original value (creating it), null when the value is not
  /// linear; and the value of a non-linear original value in the function being built.
  llvm::function_ref<Accumulator *(mlir::Value)> accumulatorOf;
  llvm::function_ref<mlir::Value(mlir::Value)> valueOf;
  TransposeWalk *walk = nullptr;

  bool isLinear(unsigned operand) const { return accumulators[operand] != nullptr; }
  Accumulator &acc(unsigned operand) const { return *accumulators[operand]; }
  mlir::Value x(unsigned operand) const { return operands[operand]; }
  Tangent ct(unsigned result = 0) const { return cotangents[result]; }
};

/// Splitting a region op of a JVP into what is known without the tangents and what is linear in them. Both
/// builders may use any known value; values of the known part that the linear part uses are residuals, which
/// the walk collects.
class SplitContext {
public:
  RuleBuilder &known;
  RuleBuilder &linear;
  mlir::Operation *op;
  /// True for original values that depend on tangents.
  llvm::function_ref<bool(mlir::Value)> depends;
  /// Original value to known value; original value to linear value.
  mlir::IRMapping &knownMap;
  mlir::IRMapping &linearMap;
  SplitWalk &walk;
};

// --- Batching
// ----------------------------------------------------------------------------------------------------

/// batch: emit the op over a leading batch dimension. Batched operands have it as dimension 0; others stay as
/// they are.
class BatchContext {
public:
  BatchContext(RuleBuilder &builder, mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands,
               llvm::ArrayRef<bool> batched, int64_t size, llvm::StringRef axisName, mlir::Value mask,
               mlir::IRMapping &valueMap, llvm::function_ref<bool(mlir::Value)> isValueBatched)
      : b(builder), op(op), operands(operands), batched(batched), size(size), axisName(axisName), mask(mask),
        valueMap(valueMap), isValueBatched(isValueBatched), results(op->getNumResults()),
        resultBatched(op->getNumResults(), false) {}

  RuleBuilder &b;
  mlir::Operation *op;
  llvm::ArrayRef<mlir::Value> operands;
  llvm::ArrayRef<bool> batched;
  int64_t size;
  llvm::StringRef axisName;
  /// Active lanes (tensor<size x i1>) inside a batched cond or while, else null: for effects and checks only.
  mlir::Value mask;
  /// For region rules: values of captured originals, and whether they are batched.
  mlir::IRMapping &valueMap;
  llvm::function_ref<bool(mlir::Value)> isValueBatched;
  BatchWalk *walk = nullptr;

  mlir::Value x(unsigned operand = 0) const { return operands[operand]; }
  bool isBatched(unsigned operand = 0) const { return batched[operand]; }
  bool anyBatched() const { return llvm::is_contained(batched, true); }
  /// The operand with its batch dimension, broadcast when it had none.
  mlir::Value materialise(unsigned operand);
  void set(unsigned result, mlir::Value value, bool isBatched = true) {
    results[result] = value;
    resultBatched[result] = isBatched;
  }
  llvm::ArrayRef<mlir::Value> getResults() const { return results; }
  llvm::ArrayRef<bool> getResultBatched() const { return resultBatched; }

private:
  llvm::SmallVector<mlir::Value> results;
  llvm::SmallVector<bool> resultBatched;
};

// --- Evaluation
// --------------------------------------------------------------------------------------------------

/// What evaluation asks of its surroundings: regions, callees, the outside world. The interpreter implements
/// it.
class EvalHost {
public:
  virtual ~EvalHost() = default;
  virtual mlir::FailureOr<llvm::SmallVector<HostArray>> runRegion(mlir::Region &region,
                                                                  llvm::ArrayRef<HostArray> arguments) = 0;
  virtual mlir::FailureOr<llvm::SmallVector<HostArray>> callFunction(llvm::StringRef symbol,
                                                                     llvm::ArrayRef<HostArray> arguments) = 0;
  /// The runtime's context (jxrt_context), for effects.
  virtual void *runtimeContext() = 0;
  /// Reports a failure at the op's location; evaluation stops.
  virtual mlir::LogicalResult fail(mlir::Operation *op, const llvm::Twine &message) = 0;
};

class EvalContext {
public:
  EvalContext(EvalHost &host, mlir::Operation *op, llvm::ArrayRef<HostArray> operands)
      : host(host), op(op), operands(operands), results(op->getNumResults()) {}
  EvalHost &host;
  mlir::Operation *op;
  llvm::ArrayRef<HostArray> operands;
  llvm::SmallVector<HostArray> results;

  const HostArray &x(unsigned operand = 0) const { return operands[operand]; }
  /// Type of a result; results that are not stacks are allocated by `alloc`.
  mlir::RankedTensorType resultType(unsigned result = 0) const {
    return llvm::cast<mlir::RankedTensorType>(op->getResult(result).getType());
  }
  HostArray &alloc(unsigned result = 0) { return results[result] = HostArray(resultType(result)); }
  mlir::LogicalResult fail(const llvm::Twine &message) { return host.fail(op, message); }
};

// --- Regular rules
// -----------------------------------------------------------------------------------------------

/// Result type of an elementwise op: equal shapes, element types of `domain` (see Elementwise.td), all the
/// same.
mlir::LogicalResult inferElementwise(llvm::StringRef name, llvm::StringRef domain, llvm::StringRef result,
                                     std::optional<mlir::Location> loc, mlir::ValueRange operands,
                                     llvm::SmallVectorImpl<mlir::Type> &types);
mlir::LogicalResult batchElementwise(mlir::Operation *op, BatchContext &ctx);
mlir::LogicalResult zeroJvp(mlir::Operation *op, JvpContext &ctx);
/// The op itself on the operands' tangents; zeros among several operands are materialised.
mlir::LogicalResult linearJvp(mlir::Operation *op, JvpContext &ctx);
/// The transpose of an op that is linear in nothing: reaching it is an internal error, reported as one.
mlir::LogicalResult notLinear(mlir::Operation *op, TransposeContext &ctx);
/// Not differentiable by declaration: an error that says `why`, unless every tangent is zero.
mlir::LogicalResult notDifferentiable(mlir::Operation *op, JvpContext &ctx, llvm::StringRef why);

} // namespace jx
