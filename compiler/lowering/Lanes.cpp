#include "compiler/lowering/Lanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace jx {

Type liftTo(Type type, bool vector) { return vector ? Type(VectorType::get({kLanes}, type)) : type; }

Value laneNumbers(OpBuilder &b, Location loc, Type integer) {
  SmallVector<Attribute> numbers;
  for (int64_t lane = 0; lane < kLanes; ++lane) numbers.push_back(b.getIntegerAttr(integer, lane));
  auto type = VectorType::get({kLanes}, integer);
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, numbers));
}

Value lanesBefore(ElementEmitter &e, Value at, Value end) {
  Value left = arith::SubIOp::create(e.b, e.loc, end, at);
  left = arith::MinSIOp::create(e.b, e.loc, left, e.index.base(Index::of(kLanes)));
  Value left32 = arith::TruncIOp::create(e.b, e.loc, e.b.getI32Type(), left);
  Value lanes = laneNumbers(e.b, e.loc, e.b.getI32Type());
  return arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::slt, lanes, e.broadcast(left32));
}

Value rotateLanes(ElementEmitter &e, Value vector, int32_t by) {
  SmallVector<int32_t> order;
  for (int32_t lane = 0; lane < kLanes; ++lane) order.push_back((lane + by) % static_cast<int32_t>(kLanes));
  return LLVM::ShuffleVectorOp::create(e.b, e.loc, vector, vector, order);
}

Value firstLane(ElementEmitter &e, Value vector) {
  Value zero = LLVM::ConstantOp::create(e.b, e.loc, e.b.getI32Type(), e.b.getI32IntegerAttr(0));
  return LLVM::ExtractElementOp::create(e.b, e.loc, vector, zero);
}

} // namespace jx
