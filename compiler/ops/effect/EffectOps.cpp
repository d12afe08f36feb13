// Ordered effects: result types, and evaluation through the runtime's C ABI. Their batching:
// EffectBatching.cpp.
#include "compiler/ops/effect/RuntimeValues.h"
#include "compiler/ops/support/RuleSupport.h"
#include "jxrt/Effects.h"
#include "jxrt/Io.h"
#include "jxrt/Options.h"
#include <cmath>

using namespace mlir;

namespace jx {

JX_INFER(PrintOp) { return success(); }
JX_INFER(SaveOp) { return success(); }
JX_INFER(CheckOp) {
  if (operands[0].getType() != RankedTensorType::get({}, IntegerType::get(context, 1)))
    return emitOptionalError(loc, "`check` needs a scalar bool, got ", operands[0].getType());
  return success();
}
JX_INFER(LoadOp) {
  auto op = JX_ADAPTOR(LoadOp);
  if (!isa<RankedTensorType>(op.getType())) return emitOptionalError(loc, "`load` needs an array type");
  types.push_back(op.getType());
  return success();
}
JX_INFER(FileExistsOp) {
  types.push_back(RankedTensorType::get({}, IntegerType::get(context, 1)));
  return success();
}
JX_INFER(ClockOp) {
  types.push_back(RankedTensorType::get({}, Float64Type::get(context)));
  return success();
}
JX_INFER(BarrierOp) {
  llvm::append_range(types, operands.getTypes());
  return success();
}
JX_INFER(OptionOp) {
  types.push_back(RankedTensorType::get({}, JX_ADAPTOR(OptionOp).getDtype()));
  return success();
}
/// Host arithmetic: scalars of one type, which the result has too.
static LogicalResult inferHost(StringRef name, Type element, std::optional<Location> loc, ValueRange operands,
                               SmallVectorImpl<Type> &types) {
  auto type = RankedTensorType::get({}, element);
  for (Value operand : operands)
    if (operand.getType() != type)
      return emitOptionalError(loc, "`", name, "` needs operands of type ", type, ", got ",
                               operand.getType());
  types.push_back(type);
  return success();
}
JX_INFER(HostIntOp) { return inferHost("host_int", IntegerType::get(context, 64), loc, operands, types); }
JX_INFER(HostFloatOp) { return inferHost("host_float", Float64Type::get(context), loc, operands, types); }
#undef JX_INFER

// --- Evaluation

/// The context for effects; an error where there is none (compile-time evaluation).
static FailureOr<jxrt_context *> runtime(EvalContext &ctx) {
  auto *context = static_cast<jxrt_context *>(ctx.host.runtimeContext());
  if (context) return context;
  (void)ctx.fail("an effect cannot run at compile time");
  return failure();
}

/// Turns a runtime status into an evaluation status; the runtime's error slot keeps its class.
static LogicalResult finish(EvalContext &ctx, jxrt_context *context, int32_t status) {
  if (status == JXRT_OK) return success();
  const jxrt_error *error = jxrt_pending_error(context);
  return ctx.fail(error ? Twine(error->class_name) + ": " + error->message
                        : Twine("the program was stopped"));
}

static LogicalResult raise(EvalContext &ctx, const char *pythonClass, const char *message) {
  if (auto *context = static_cast<jxrt_context *>(ctx.host.runtimeContext()))
    jxrt_fail(context, pythonClass, message, sourceLine(ctx.op->getLoc()).c_str());
  return ctx.fail(Twine(pythonClass) + ": " + message);
}

LogicalResult PrintOp::eval(EvalContext &ctx) {
  auto context = runtime(ctx);
  if (failed(context)) return failure();
  RuntimeValues values(ctx.operands);
  int32_t status = jxrt_print(*context, getFormat().data(), getFormat().size(), values.data(), values.size(),
                              getToStderr() ? 2 : 1);
  return finish(ctx, *context, status);
}

LogicalResult CheckOp::eval(EvalContext &ctx) {
  if (ctx.x().scalarInt()) return success();
  auto context = runtime(ctx);
  if (failed(context)) return failure();
  RuntimeValues values(ctx.operands.drop_front());
  int32_t status =
      jxrt_check_failed(*context, getError().str().c_str(), getFormat().data(), getFormat().size(),
                        values.data(), values.size(), sourceLine(getLoc()).c_str());
  return finish(ctx, *context, status);
}

LogicalResult LoadOp::eval(EvalContext &ctx) {
  auto context = runtime(ctx);
  if (failed(context)) return failure();
  RuntimeValues path(ctx.operands);
  jxrt_array destination = arrayDescriptor(ctx.alloc());
  int32_t status = jxrt_load(*context, getPath().data(), getPath().size(), path.data(), path.size(),
                             fileFormat(getFileFormat()), getMember().str().c_str(), &destination,
                             sourceLine(getLoc()).c_str());
  return finish(ctx, *context, status);
}

LogicalResult SaveOp::eval(EvalContext &ctx) {
  auto context = runtime(ctx);
  if (failed(context)) return failure();
  unsigned numPath = getArgs().size();
  RuntimeValues path(ctx.operands.take_front(numPath));
  std::vector<std::string> names;
  for (Attribute name : getMembers()) names.push_back(cast<StringAttr>(name).str());
  std::vector<const char *> namePointers;
  for (const std::string &name : names) namePointers.push_back(name.c_str());
  std::vector<jxrt_array> arrays;
  for (const HostArray &array : ctx.operands.drop_front(numPath)) arrays.push_back(arrayDescriptor(array));
  int32_t status = jxrt_save(*context, getPath().data(), getPath().size(), path.data(), path.size(),
                             fileFormat(getFileFormat()), getCompressed(),
                             namePointers.empty() ? nullptr : namePointers.data(), arrays.data(),
                             arrays.size(), sourceLine(getLoc()).c_str());
  return finish(ctx, *context, status);
}

LogicalResult FileExistsOp::eval(EvalContext &ctx) {
  auto context = runtime(ctx);
  if (failed(context)) return failure();
  RuntimeValues path(ctx.operands);
  int32_t found = 0;
  int32_t status = jxrt_file_exists(*context, getPath().data(), getPath().size(), path.data(), path.size(),
                                    pathKind(getKind()), &found, sourceLine(getLoc()).c_str());
  ctx.results[0] = HostArray::scalar(IntegerType::get(getContext(), 1), int64_t(found));
  return finish(ctx, *context, status);
}

LogicalResult ClockOp::eval(EvalContext &ctx) {
  if (failed(runtime(ctx))) return failure();
  int32_t kind = llvm::StringSwitch<int32_t>(getKind())
                     .Case("time", JXRT_CLOCK_TIME)
                     .Case("process", JXRT_CLOCK_PROCESS)
                     .Default(JXRT_CLOCK_PERF);
  ctx.results[0] = HostArray::scalar(Float64Type::get(getContext()), jxrt_clock(kind));
  return success();
}

LogicalResult BarrierOp::eval(EvalContext &ctx) {
  llvm::copy(ctx.operands, ctx.results.begin());
  return success();
}

/// The module's `jx.options` lists the names in the order of the runtime's table.
LogicalResult OptionOp::eval(EvalContext &ctx) {
  auto context = runtime(ctx);
  if (failed(context)) return failure();
  auto names = getOperation()->getParentOfType<ModuleOp>()->getAttrOfType<ArrayAttr>("jx.options");
  int32_t index = 0;
  for (Attribute name : names ? names.getValue() : ArrayRef<Attribute>()) {
    if (cast<StringAttr>(name).getValue() != getName()) {
      ++index;
      continue;
    }
    ctx.results[0] = isa<FloatType>(getDtype())
                         ? HostArray::scalar(getDtype(), jxrt_option_float(*context, index))
                         : HostArray::scalar(getDtype(), jxrt_option_int(*context, index));
    return success();
  }
  return ctx.fail("option `" + getName() + "` has no value here");
}

// --- Python arithmetic

static int64_t floorDivide(int64_t x, int64_t y) { return x / y - (x % y != 0 && (x < 0) != (y < 0)); }

LogicalResult HostIntOp::eval(EvalContext &ctx) {
  int64_t x = ctx.x(0).scalarInt(), y = ctx.operands.size() > 1 ? ctx.x(1).scalarInt() : 0, z = 0;
  bool overflow = false;
  StringRef kind = getKind();
  if (kind == "add") {
    overflow = __builtin_add_overflow(x, y, &z);
  } else if (kind == "sub") {
    overflow = __builtin_sub_overflow(x, y, &z);
  } else if (kind == "mul") {
    overflow = __builtin_mul_overflow(x, y, &z);
  } else if (kind == "neg") {
    overflow = __builtin_sub_overflow(int64_t(0), x, &z);
  } else if (kind == "abs") {
    overflow = x == INT64_MIN;
    z = overflow || x >= 0 ? x : -x;
  } else if (kind == "floordiv" || kind == "mod") {
    if (y == 0) return raise(ctx, "ZeroDivisionError", "integer division or modulo by zero");
    overflow = x == INT64_MIN && y == -1 && kind == "floordiv";
    if (!overflow) z = y == -1 ? (kind == "mod" ? 0 : -x) : floorDivide(x, y);
    if (kind == "mod" && y != -1) z = x - z * y;
  } else if (kind == "pow") {
    if (y < 0) return raise(ctx, "ValueError", "a run-time int power needs an exponent of 0 or more");
    z = 1;
    for (int64_t base = x, left = y; left && !overflow; left >>= 1) {
      if (left & 1) overflow = __builtin_mul_overflow(z, base, &z);
      if (left > 1 && !overflow) overflow = __builtin_mul_overflow(base, base, &base);
    }
  } else if (kind == "shl") {
    if (y < 0) return raise(ctx, "ValueError", "negative shift count");
    overflow = x != 0 && (y > 62 || (z = x << y) >> y != x);
  } else if (kind == "shr") {
    if (y < 0) return raise(ctx, "ValueError", "negative shift count");
    z = x >> std::min<int64_t>(y, 63);
  } else {
    return ctx.fail("unknown kind of host_int: " + kind);
  }
  if (overflow) return raise(ctx, "OverflowError", "a run-time int does not fit 64 bits");
  ctx.results[0] = HostArray::scalar(ctx.resultType().getElementType(), z);
  return success();
}

LogicalResult HostFloatOp::eval(EvalContext &ctx) {
  double x = ctx.x(0).scalarFloat(), y = ctx.x(1).scalarFloat(), z = 0;
  StringRef kind = getKind();
  if (kind == "pow") {
    if (x == 0 && y < 0) return raise(ctx, "ZeroDivisionError", "zero to a negative power");
    if (x < 0 && std::isfinite(x) && std::isfinite(y) && y != std::floor(y))
      return raise(ctx, "ValueError", "a negative run-time float to a fractional power is complex");
    z = std::pow(x, y);
    if (std::isinf(z) && std::isfinite(x) && std::isfinite(y))
      return raise(ctx, "OverflowError", "(34, 'Numerical result out of range')");
  } else {
    if (y == 0)
      return raise(ctx, "ZeroDivisionError",
                   kind == "div" ? "float division by zero"
                                 : (kind == "mod" ? "float modulo" : "float floor division by zero"));
    if (kind == "div") {
      z = x / y;
    } else { // as CPython's float_divmod
      double mod = std::fmod(x, y);
      double quotient = (x - mod) / y;
      if (mod != 0) {
        if ((y < 0) != (mod < 0)) {
          mod += y;
          quotient -= 1;
        }
      } else {
        mod = std::copysign(0.0, y);
      }
      if (kind == "mod") {
        z = mod;
      } else {
        z = quotient != 0 ? std::floor(quotient) : std::copysign(0.0, x / y);
        if (quotient - z > 0.5) z += 1;
      }
    }
  }
  ctx.results[0] = HostArray::scalar(ctx.resultType().getElementType(), z);
  return success();
}

} // namespace jx
