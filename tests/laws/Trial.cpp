#include "tests/laws/Trial.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace jx::laws {

/// The row's op in a function @f.
static func::FuncOp build(ModuleOp module, const OpSpec &spec) {
  MLIRContext *context = module.getContext();
  Location loc = UnknownLoc::get(context);
  SmallVector<Type> types;
  for (const OperandSpec &operand : spec.operands) types.push_back(typeOf(context, operand));
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto function = func::FuncOp::create(builder, loc, "f", FunctionType::get(context, types, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  RuleBuilder b(builder, loc);
  SmallVector<Value> results = spec.build(b, function.getArguments());
  func::ReturnOp::create(b, loc, results);
  function.setFunctionType(FunctionType::get(context, types, ValueRange(results).getTypes()));
  return succeeded(verify(module)) ? function : func::FuncOp();
}

Trial::Trial(const OpSpec &spec) : spec(spec), random(std::hash<std::string>()(spec.name)) {
  if (spec.source.empty()) {
    module = world.emptyModule();
    function = build(*module, spec);
  } else {
    module = world.parse(spec.source);
    if (module) function = module->lookupSymbol<func::FuncOp>("f");
  }
  EXPECT_TRUE(function) << spec.name << ": " << world.diagnostics;
  if (!function) return;
  if (!spec.recorded.empty())
    dictionary = cast<DictionaryAttr>(parseAttribute(spec.recorded, &world.context));
  transforms = std::make_unique<Transforms>(*module);
}

// --- Operands

HostArray Trial::draw(RankedTensorType type, const OperandSpec &operand, bool withSpecials) {
  HostArray array(type);
  bool isFloat = isa<FloatType, ComplexType>(type.getElementType());
  std::uniform_real_distribution<> real(operand.low, operand.high);
  std::uniform_int_distribution<int64_t> integer(int64_t(operand.low), int64_t(operand.high));
  for (int64_t i = 0, n = numbersIn(array); i < n; ++i) {
    double value = isFloat ? real(random) : double(integer(random));
    if (withSpecials && i < int64_t(operand.special.size())) value = operand.special[i];
    setNumberAt(array, i, value);
  }
  return array;
}

HostArray Trial::direction(RankedTensorType type) {
  OperandSpec spec;
  spec.low = -1, spec.high = 1;
  return draw(type, spec, false);
}

Arrays Trial::recorded(StringRef key) const {
  Arrays list;
  if (auto attr = dictionary ? dictionary.getAs<ArrayAttr>(key) : ArrayAttr())
    for (Attribute value : attr) list.push_back(HostArray::fromAttr(cast<ElementsAttr>(value)));
  return list;
}

RankedTensorType Trial::outerType(Type type) const {
  auto array = cast<RankedTensorType>(type);
  if (spec.axis.empty()) return array;
  SmallVector<int64_t> shape{spec.axisSize};
  llvm::append_range(shape, array.getShape());
  return RankedTensorType::get(shape, array.getElementType());
}

SmallVector<bool> Trial::active() const {
  func::FuncOp f = function;
  return llvm::map_to_vector(f.getArgumentTypes(), [](Type type) { return isDifferentiable(type); });
}

/// `array` in another element type, its elements rotated by `places`.
static HostArray rotated(const HostArray &array, RankedTensorType type, int64_t places) {
  HostArray result(type);
  if (type == array.getType()) {
    int64_t width = elementBytes(type.getElementType()), n = array.size();
    for (int64_t i = 0; i < n; ++i)
      std::memcpy(result.as<char>() + i * width, array.as<char>() + (i + places) % n * width, width);
    return result;
  }
  for (int64_t i = 0, n = numbersIn(array); i < n; ++i)
    setNumberAt(result, i, numberAt(array, (i + places) % n));
  return result;
}

Arrays Trial::operands(int64_t lane, bool withSpecials) {
  Arrays arrays;
  if (dictionary) {
    for (auto [array, type] : llvm::zip_equal(recorded("inputs"), function.getArgumentTypes()))
      arrays.push_back(rotated(array, outerType(type), lane));
    return arrays;
  }
  for (auto [operand, type] : llvm::zip_equal(spec.operands, function.getArgumentTypes()))
    arrays.push_back(draw(outerType(type), operand, withSpecials && lane == 0));
  return arrays;
}

// --- Running

HostArray stacked(ArrayRef<HostArray> arrays) {
  SmallVector<int64_t> shape{int64_t(arrays.size())};
  llvm::append_range(shape, arrays.front().getShape());
  HostArray result(RankedTensorType::get(shape, arrays.front().getElementType()));
  int64_t bytes = arrays.front().sizeInBytes();
  for (auto [lane, array] : llvm::enumerate(arrays))
    std::memcpy(result.as<char>() + lane * bytes, array.data(), bytes);
  return result;
}

HostArray laneOf(const HostArray &array, int64_t lane) {
  HostArray result(RankedTensorType::get(array.getShape().drop_front(), array.getElementType()));
  std::memcpy(result.mutableData(), array.as<char>() + lane * result.sizeInBytes(), result.sizeInBytes());
  return result;
}

Arrays Trial::run(func::FuncOp called, ArrayRef<HostArray> arguments) {
  SmallVector<bool> batchedResults(called.getNumResults(), true);
  if (!spec.axis.empty()) {
    SmallVector<bool> all(called.getNumArguments(), true);
    auto batch = transforms->batch(called, all, spec.axisSize, spec.axis);
    EXPECT_TRUE(succeeded(batch)) << world.diagnostics;
    if (failed(batch)) return {};
    called = batch->function;
    batchedResults = batch->batchedResults;
  }
  if (failed(verify(called))) {
    ADD_FAILURE() << "not valid: " << world.diagnostics;
    return {};
  }
  Console console;
  Interpreter interpreter(*module, console.context);
  auto results = interpreter.run(called, arguments);
  jxrt_flush(console.context);
  output += console.text;
  if (failed(results)) {
    ADD_FAILURE() << "evaluation failed: " << world.diagnostics;
    return {};
  }
  for (auto [array, isBatched] : llvm::zip_equal(*results, batchedResults))
    if (!isBatched) array = stacked(SmallVector<HostArray>(spec.axisSize, array));
  return *results;
}

} // namespace jx::laws
