// Static on demand: a value that must be known at compile time is looked for in its polynomial and interval,
// then by evaluating the operations that make it, if no run-time input is among them. What remains is left to
// the loops and the entry around: unrolling, or freezing an option.
#include "compiler/dialect/JxDialect.h"
#include "compiler/elaborate/Choices.h"
#include "compiler/elaborate/Evaluation.h"
#include "compiler/elaborate/Output.h"
#include "compiler/ops/effect/RuntimeValues.h"
#include "mlir/IR/IRMapping.h"

namespace jx::elab {

namespace {

constexpr size_t maxSliceOperations = 20000; // operations that are looked through

// The operations that a value is computed from, operands first. False when a run-time input is among them.
class Slice {
public:
  bool collect(mlir::Value value) {
    mlir::Operation *op = value ? value.getDefiningOp() : nullptr;
    if (!op) return false;
    if (!seen.insert(op).second) return true;
    if (seen.size() > maxSliceOperations || llvm::isa<OptionOp>(op) || !isPureEnough(op)) return false;
    for (mlir::Value operand : op->getOperands())
      if (!collect(operand)) return false;
    bool known = true;
    op->walk([&](mlir::Operation *inner) {
      if (inner == op) return;
      if (!isPureEnough(inner)) known = false;
      for (mlir::Value operand : inner->getOperands()) {
        if (!operand) known = false;
        if (!known) return;
        mlir::Region *home = operand.getParentRegion();
        bool inside =
            home && op->isAncestor(home->getParentOp() ? home->getParentOp() : op) && home->getParentOp();
        if (!inside && known) known = collect(operand);
      }
    });
    if (!known) return false;
    operations.push_back(op);
    return true;
  }
  std::vector<mlir::Operation *> operations;

private:
  static bool isPureEnough(mlir::Operation *op) {
    // Host arithmetic only stops the program on errors, which compile-time evaluation reports by failing.
    if (llvm::isa<HostIntOp, HostFloatOp>(op)) return true;
    if (llvm::isa<PrintOp, CheckOp, LoadOp, SaveOp, FileExistsOp, ClockOp, BarrierOp, OptionOp>(op))
      return false;
    if (auto call = llvm::dyn_cast<CallOp>(op)) return call.getPure();
    return true;
  }
  llvm::DenseSet<mlir::Operation *> seen;
};

} // namespace

std::optional<llvm::SmallVector<HostArray>> evaluateNow(Evaluator &ev, llvm::ArrayRef<mlir::Value> values,
                                                        EvaluationLimits limits) {
  Slice slice;
  for (mlir::Value value : values)
    if (!slice.collect(value)) return std::nullopt;
  mlir::OpBuilder inner(&ev.context);
  inner.setInsertionPointToEnd(ev.module->getBody());
  auto function = mlir::func::FuncOp::create(inner, ev.location(), "compile_time_evaluation",
                                             inner.getFunctionType({}, mlir::ValueRange(values).getTypes()));
  function.setPrivate();
  inner.setInsertionPointToStart(function.addEntryBlock());
  mlir::IRMapping map;
  for (mlir::Operation *op : slice.operations) inner.clone(*op, map);
  llvm::SmallVector<mlir::Value> results;
  for (mlir::Value value : values) results.push_back(map.lookup(value));
  mlir::func::ReturnOp::create(inner, ev.location(), results);
  mlir::ScopedDiagnosticHandler quiet(&ev.context, [](mlir::Diagnostic &) { return mlir::success(); });
  Interpreter interpreter(*ev.module, nullptr, {limits.work, limits.bytes});
  auto known = interpreter.run(function, {});
  function.erase();
  if (mlir::failed(known)) return std::nullopt;
  return std::move(*known);
}

std::optional<HostArray> Evaluator::evaluateNow(mlir::Value value, int64_t maxBytes) {
  auto known = elab::evaluateNow(*this, value, {.bytes = maxBytes});
  if (!known) return std::nullopt;
  return (*known)[0];
}

Value Evaluator::toStatic(Value v, const std::string &purpose) {
  v = certain(*this, v, purpose);
  if (!v) return Failed();
  if (v.isHost()) {
    const HostNode &host = v.asHost();
    if (host.type == HostType::Int && host.range.low == host.range.high)
      return Value::integer(host.range.low);
    if (auto known = evaluateNow(host.value)) {
      if (host.type == HostType::Float) return Value::real(known->scalarFloat());
      int64_t i = known->scalarInt();
      return host.type == HostType::Bool ? Value::boolean(i != 0) : Value::integer(i);
    }
    return demand(v, purpose);
  }
  if (v.isArray()) {
    if (v.arrayType().getNumElements() != 1)
      return typeError(purpose + " must be a number, not an array of shape " + typeText(v.arrayType()));
    mlir::Type dtype = v.arrayType().getElementType();
    if (auto known = evaluateNow(v.asArray())) {
      if (isFloatDtype(dtype)) return Value::real(known->scalarFloat());
      int64_t i = known->scalarInt();
      return isBoolDtype(dtype) ? Value::boolean(i != 0) : Value::integer(i);
    }
    return demand(v, purpose);
  }
  if (v.is(Kind::Text)) return demandText(v, purpose);
  return v;
}

// A slice whose bounds are known at run time only must lie inside the array, or its length would not be
// known. Where the interval says that some trip of a loop leaves it, the loop is unrolled; where nothing is
// known, the program checks.
bool Evaluator::runtimeSliceMayClamp(Value from, Value to, int64_t size) {
  Interval low = rangeOf(from), high = rangeOf(to);
  if (low.low != INT64_MIN && high.high != INT64_MAX) return false;
  Value inside = hostAnd(hostCompare(ast::CompareOp::GtE, from, Value::integer(0)),
                         hostCompare(ast::CompareOp::LtE, to, Value::integer(size)));
  return bool(emitCheck(inside, "IndexError",
                        arena.str("slice goes beyond the end of an axis of size " + std::to_string(size))));
}

// Strings with run-time holes: rendered now if the holes can be evaluated; else the holes' sources are what
// to freeze or unroll.
Value Evaluator::demandText(Value v, const std::string &purpose) {
  std::string program;
  llvm::SmallVector<mlir::Value> holes;
  if (v.asText().sources.empty()) {
    JX_CHECK(lowerText(*this, v, program, holes));
    if (auto known = elab::evaluateNow(*this, holes)) {
      RuntimeValues operands(*known);
      return renderNow(*this, v.asText().program, llvm::ArrayRef(operands.data(), operands.size()));
    }
  }
  std::vector<Symbol> sources = v.asText().sources;
  for (Value hole : v.asText().operands)
    if (hole.isHost()) sources = mergeSources(sources, hole.asHost().sources);
  (void)demand(Value::node(Kind::Host, arena.make<HostNode>(mlir::Value(), HostType::Int, std::nullopt,
                                                            Interval{}, sources)),
               purpose);
  return Failed();
}

std::optional<int64_t> Evaluator::toStaticInt(Value v, const std::string &purpose) {
  if (!v) return Failed();
  if (v.is(Kind::Instance))
    if (Value own = callDunder(v, "__index__", {})) v = own;
  v = plainValue(v);
  JX_TRY(known, toStatic(v, purpose));
  if (known.is(Kind::Bool)) return known.asBool();
  if (known.isSmallInt()) return known.asInt();
  if (known.is(Kind::Int)) {
    (void)raise("OverflowError", purpose + " is too large: the integer does not fit 64 bits");
    return std::nullopt;
  }
  return fail(Diagnostic(DiagKind::PythonTypeError, userHere(),
                         purpose + " must be an integer, not '" + typeName(known) + "'"),
              "'" + typeName(known) + "' object cannot be interpreted as an integer");
}

} // namespace jx::elab
