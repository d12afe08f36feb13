#include "tests/unit/transforms/Programs.h"
#include "compiler/ops/call/CallRules.h"

using namespace mlir;

namespace jx::test {

Program::Program(StringRef text) : context(std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED)) {
  context->loadDialect<JxDialect, func::FuncDialect>();
  std::string aliases =
      "!s = tensor<f64>\n!i = tensor<i64>\n!n = tensor<i32>\n!b = tensor<i1>\n!v = tensor<3xf64>\n";
  module = parseSourceString<ModuleOp>(aliases + text.str(), context.get());
  EXPECT_TRUE(module) << "the program does not parse";
  transforms = std::make_unique<Transforms>(*module);
}

static HostArray toArray(RankedTensorType type, ArrayRef<double> numbers) {
  HostArray array(type);
  int64_t width = elementBytes(type.getElementType());
  EXPECT_EQ(array.size(), int64_t(numbers.size()));
  for (auto [i, number] : llvm::enumerate(numbers)) {
    HostArray scalar = HostArray::scalar(type.getElementType(), number);
    std::memcpy(array.as<char>() + i * width, scalar.data(), width);
  }
  return array;
}

static std::vector<double> toNumbers(const HostArray &array) {
  std::vector<double> numbers;
  if (array.isStack()) {
    for (const HostArray &element : array.getElements())
      for (double number : toNumbers(element)) numbers.push_back(number);
    return numbers;
  }
  int64_t width = elementBytes(array.getElementType());
  for (int64_t i = 0; i < array.size(); ++i) {
    HostArray scalar(RankedTensorType::get({}, array.getElementType()));
    std::memcpy(scalar.mutableData(), array.as<char>() + i * width, width);
    numbers.push_back(scalar.scalarFloat());
  }
  return numbers;
}

Numbers Program::run(func::FuncOp function, const Numbers &arguments) {
  EXPECT_TRUE(succeeded(mlir::verify(function)));
  Interpreter interpreter(*module, runtime);
  SmallVector<HostArray> inputs;
  for (auto [type, numbers] : llvm::zip_equal(function.getArgumentTypes(), arguments))
    inputs.push_back(toArray(cast<RankedTensorType>(type), numbers));
  auto results = interpreter.run(function, inputs);
  operationsRun = interpreter.operationsRun();
  EXPECT_TRUE(succeeded(results));
  Numbers numbers;
  if (succeeded(results))
    for (const HostArray &result : *results) numbers.push_back(toNumbers(result));
  return numbers;
}

static func::FuncOp newFunction(ModuleOp module, Twine name, TypeRange arguments) {
  std::string unique = name.str();
  while (module.lookupSymbol(unique)) unique += "_";
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto function = func::FuncOp::create(b, module.getLoc(), unique, b.getFunctionType(arguments, {}));
  function.addEntryBlock();
  return function;
}

static void finish(func::FuncOp function, RuleBuilder &b, ValueRange results) {
  func::ReturnOp::create(b, b.getLoc(), results);
  function.setType(b.getFunctionType(function.getArgumentTypes(), results.getTypes()));
}

func::FuncOp Program::gradient(func::FuncOp function, std::vector<bool> active) {
  SmallVector<bool> bits(active.begin(), active.end());
  auto parts = transforms->linearize(function, bits);
  EXPECT_TRUE(succeeded(parts));
  if (failed(parts)) return {};
  auto transposed = transforms->transpose(parts->linear, llvm::count(bits, true));
  EXPECT_TRUE(succeeded(transposed));
  if (failed(transposed)) return {};
  auto result = newFunction(*module, function.getName() + ".grad", function.getArgumentTypes());
  RuleBuilder b(OpBuilder::atBlockEnd(&result.getBody().front()), function.getLoc());
  CallOp known = makeCall(b, parts->known, result.getArguments());
  unsigned numResults = function.getNumResults();
  SmallVector<Value> arguments(known.getResults().drop_front(numResults));
  for (unsigned i = 0; i < numResults; ++i)
    if (parts->activeResults[i]) arguments.push_back(b.like(known.getResult(i), i == 0 ? 1.0 : 0.0));
  finish(result, b, makeCall(b, *transposed, arguments).getResults());
  return result;
}

func::FuncOp Program::pushforward(func::FuncOp function, std::vector<bool> active) {
  SmallVector<bool> bits(active.begin(), active.end());
  auto jvp = transforms->jvp(function, bits);
  EXPECT_TRUE(succeeded(jvp));
  if (failed(jvp)) return {};
  auto result = newFunction(*module, function.getName() + ".push", jvp->function.getArgumentTypes());
  RuleBuilder b(OpBuilder::atBlockEnd(&result.getBody().front()), function.getLoc());
  CallOp call = makeCall(b, jvp->function, result.getArguments());
  finish(result, b, call.getResults().drop_front(function.getNumResults()));
  return result;
}

func::FuncOp Program::derivative(func::FuncOp function) {
  std::vector<bool> active(function.getNumArguments(), false);
  active[0] = true;
  func::FuncOp push = pushforward(function, active);
  if (!push) return {};
  auto result = newFunction(*module, function.getName() + ".d", function.getArgumentTypes());
  RuleBuilder b(OpBuilder::atBlockEnd(&result.getBody().front()), function.getLoc());
  SmallVector<Value> arguments(result.getArguments());
  arguments.push_back(b.like(result.getArgument(0), 1.0));
  finish(result, b, makeCall(b, push, arguments).getResults());
  return result;
}

func::FuncOp Program::batch(func::FuncOp function, std::vector<bool> batched, int64_t size) {
  SmallVector<bool> bits(batched.begin(), batched.end());
  auto result = transforms->batch(function, bits, size);
  EXPECT_TRUE(succeeded(result));
  return succeeded(result) ? result->function : func::FuncOp();
}

Numbers Program::differences(func::FuncOp function, const Numbers &arguments, std::vector<bool> active,
                             double step) {
  Numbers gradients;
  for (size_t a = 0; a < arguments.size(); ++a) {
    if (!active[a]) continue;
    std::vector<double> &gradient = gradients.emplace_back();
    for (size_t i = 0; i < arguments[a].size(); ++i) {
      Numbers above = arguments, below = arguments;
      above[a][i] += step;
      below[a][i] -= step;
      gradient.push_back((run(function, above)[0][0] - run(function, below)[0][0]) / (2 * step));
    }
  }
  return gradients;
}

void Program::expectGradient(func::FuncOp function, const Numbers &arguments, std::vector<bool> active,
                             double tolerance) {
  func::FuncOp gradient = this->gradient(function, active);
  ASSERT_TRUE(gradient);
  expectNear(run(gradient, arguments), differences(function, arguments, active), tolerance);
}

void expectNear(const Numbers &actual, const Numbers &expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t a = 0; a < actual.size(); ++a) {
    ASSERT_EQ(actual[a].size(), expected[a].size()) << "array " << a;
    for (size_t i = 0; i < actual[a].size(); ++i)
      EXPECT_NEAR(actual[a][i], expected[a][i], tolerance * std::max(1.0, std::abs(expected[a][i])))
          << "array " << a << " element " << i;
  }
}

int64_t countOps(func::FuncOp function) {
  auto module = function->getParentOfType<ModuleOp>();
  DenseSet<Operation *> seen;
  SmallVector<func::FuncOp> worklist{function};
  int64_t count = 0;
  while (!worklist.empty()) {
    func::FuncOp next = worklist.pop_back_val();
    if (!next || !seen.insert(next).second) continue;
    next.getBody().walk([&](Operation *op) {
      ++count;
      if (auto callee = op->getAttrOfType<FlatSymbolRefAttr>("callee"))
        worklist.push_back(module.lookupSymbol<func::FuncOp>(callee.getValue()));
    });
  }
  return count;
}

} // namespace jx::test
