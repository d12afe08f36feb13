// Ops that functions of the runtime carry out on whole arrays: sort, top_k, cumulative
// (runtime/include/jxrt/Sort.h).
#include "compiler/lowering/KernelBody.h"
#include "compiler/ops/effect/RuntimeValues.h"
#include "jxrt/Sort.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace jx {

namespace {
/// A row-major array seen as (outer, n, inner) around one dimension.
struct AxisView {
  int64_t outer = 1, n, inner = 1;
  AxisView(Value value, int64_t axis) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
    auto dim = static_cast<size_t>(axis);
    n = shape[dim];
    for (int64_t size : shape.take_front(dim)) outer *= size;
    for (int64_t size : shape.drop_front(dim + 1)) inner *= size;
  }
};

Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

void storeField(KernelBody &body, Value base, int32_t offset, Value field) {
  auto pointer = LLVM::LLVMPointerType::get(body.b.getContext());
  Value address = LLVM::GEPOp::create(body.b, body.loc, pointer, body.b.getI8Type(), base,
                                      ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(offset)});
  LLVM::StoreOp::create(body.b, body.loc, field, address);
}
} // namespace

void emitSort(KernelBody &body, SortOp op) {
  AxisView view(op.getInputs().front(), op.getDimension());
  auto count = static_cast<int32_t>(op.getInputs().size());
  Value operands = body.scratch(count * static_cast<int64_t>(sizeof(jxrt_sort_operand)));
  SmallVector<Value> destinations;
  for (auto [number, input, output] : llvm::enumerate(op.getInputs(), op.getOutputs())) {
    auto base = static_cast<int32_t>(number * sizeof(jxrt_sort_operand));
    Value source = body.materialise(input);
    destinations.push_back(body.destination(output));
    storeField(body, operands, base + static_cast<int32_t>(offsetof(jxrt_sort_operand, input)), source);
    storeField(body, operands, base + static_cast<int32_t>(offsetof(jxrt_sort_operand, output)),
               destinations.back());
    storeField(body, operands, base + static_cast<int32_t>(offsetof(jxrt_sort_operand, dtype)),
               body.constant32(runtimeDtype(elementOf(input))));
  }
  body.callRuntime("jxrt_sort", {body.getContext(), operands, body.constant32(count),
                                 body.constant32(static_cast<int32_t>(op.getNumKeys())), body.constant32(0),
                                 body.constant64(view.outer), body.constant64(view.n),
                                 body.constant64(view.inner), body.where()});
  for (auto [output, destination] : llvm::zip_equal(op.getOutputs(), destinations))
    body.written(output, destination);
}

void emitTopK(KernelBody &body, TopKOp op) {
  int64_t axis = cast<RankedTensorType>(op.getOperand().getType()).getRank() - 1;
  AxisView view(op.getOperand(), axis);
  Value source = body.materialise(op.getOperand());
  Value values = body.destination(op.getValues()), indices = body.destination(op.getIndices());
  body.callRuntime("jxrt_top_k",
                   {body.getContext(), body.constant32(runtimeDtype(elementOf(op.getOperand()))), source,
                    values, indices, body.constant64(view.outer), body.constant64(view.n),
                    body.constant64(static_cast<int64_t>(op.getK())), body.constant64(1), body.where()});
  body.written(op.getValues(), values);
  body.written(op.getIndices(), indices);
}

void emitCumulative(KernelBody &body, CumulativeOp op) {
  AxisView view(op.getOperand(), op.getAxis());
  Value source = body.materialise(op.getOperand());
  Value destination = body.destination(op.getResult());
  int32_t kind = llvm::StringSwitch<int32_t>(op.getKind())
                     .Case("sum", JXRT_CUMSUM)
                     .Case("prod", JXRT_CUMPROD)
                     .Case("max", JXRT_CUMMAX)
                     .Case("min", JXRT_CUMMIN)
                     .Default(JXRT_CUMLOGSUMEXP);
  body.callRuntime("jxrt_cumulative",
                   {body.getContext(), body.constant32(kind),
                    body.constant32(runtimeDtype(elementOf(op.getOperand()))), source, destination,
                    body.constant64(view.outer), body.constant64(view.n), body.constant64(view.inner),
                    body.constant32(op.getReverse()), body.where()});
  body.written(op.getResult(), destination);
}

} // namespace jx
