// Evaluation of random bits.
#include "compiler/dialect/RuleBuilder.h"
#include "compiler/numerics/Basic.h"

using namespace mlir;

namespace jx {

LogicalResult Threefry2x32Op::eval(EvalContext &ctx) {
  HostArray &y0 = ctx.alloc(0), &y1 = ctx.alloc(1);
  for (int64_t i = 0, n = y0.size(); i < n; ++i) {
    uint32_t x0 = ctx.x(2).as<uint32_t>()[i], x1 = ctx.x(3).as<uint32_t>()[i];
    num::threefry2x32(ctx.x(0).as<uint32_t>()[i], ctx.x(1).as<uint32_t>()[i], x0, x1);
    y0.as<uint32_t>()[i] = x0;
    y1.as<uint32_t>()[i] = x1;
  }
  return success();
}

// A key is its two words in memory: both directions are another view of the same bytes.
LogicalResult KeyDataOp::eval(EvalContext &ctx) {
  ctx.results[0] = ctx.x().withType(ctx.resultType());
  return success();
}
LogicalResult WrapKeyOp::eval(EvalContext &ctx) {
  ctx.results[0] = ctx.x().withType(ctx.resultType());
  return success();
}

} // namespace jx
