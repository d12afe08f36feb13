// One row of the table made real: its function in a module of its own, its operands, and what running it
// gives. A row under a named axis runs batched over that axis.
#pragma once

#include "compiler/transforms/Transforms.h"
#include "tests/laws/OpSpec.h"
#include <random>

namespace jx::laws {

class Trial {
public:
  explicit Trial(const OpSpec &spec);

  World world;
  const OpSpec &spec;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function; ///< null if the row is not valid; `world.diagnostics` says why
  std::unique_ptr<Transforms> transforms;

  /// Operands of lane 0, 1, ...: draws, with the row's special values in lane 0; or what was recorded, and
  /// its rotations.
  Arrays operands(int64_t lane = 0, bool withSpecials = true);
  /// An array of the type with elements from -1 to 1.
  HostArray direction(mlir::RankedTensorType type);
  /// A list of recorded arrays; empty where the row has none.
  Arrays recorded(llvm::StringRef key) const;
  /// The type as operands and results have it: with the named axis, where there is one.
  mlir::RankedTensorType outerType(mlir::Type type) const;
  /// Which parameters are differentiable.
  llvm::SmallVector<bool> active() const;

  /// The results of a function of the module. Fails the test where there are none; output of effects is
  /// appended to `output`.
  Arrays run(mlir::func::FuncOp function, llvm::ArrayRef<HostArray> arguments);
  std::string output;

private:
  HostArray draw(mlir::RankedTensorType type, const OperandSpec &operand, bool withSpecials);
  mlir::DictionaryAttr dictionary;
  std::mt19937_64 random;
};

/// Arrays of one type along a new leading dimension, and back.
HostArray stacked(llvm::ArrayRef<HostArray> arrays);
HostArray laneOf(const HostArray &array, int64_t lane);

} // namespace jx::laws
