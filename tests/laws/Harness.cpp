#include "tests/laws/Harness.h"
#include "jxrt/Options.h"
#include "mlir/Parser/Parser.h"
#include <cmath>
#include <sstream>

using namespace mlir;

namespace jx::laws {

World::World() {
  context.loadDialect<JxDialect, func::FuncDialect>();
  context.disableMultithreading();
  context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    diagnostics += diagnostic.str() + "\n";
    return success();
  });
}

OwningOpRef<ModuleOp> World::parse(StringRef text) { return parseSourceString<ModuleOp>(text, &context); }
OwningOpRef<ModuleOp> World::emptyModule() { return ModuleOp::create(UnknownLoc::get(&context)); }

Console::Console() : test::Console(/*threads=*/1) {
  static const jxrt_option option = {"n", "7", nullptr, JXRT_OPTION_INT, 0};
  jxrt_options_parse(context, "laws", "", &option, 1, 0, nullptr);
}

int64_t numbersIn(const HostArray &array) {
  return array.size() * (isa<ComplexType, KeyType>(array.getElementType()) ? 2 : 1);
}

/// One number as a scalar array of its own: HostArray knows every layout.
static HostArray scalarView(const HostArray &array, int64_t i) {
  Type element = array.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element)) element = complex.getElementType();
  if (isa<KeyType>(element)) element = IntegerType::get(element.getContext(), 32, IntegerType::Unsigned);
  HostArray scalar(RankedTensorType::get({}, element));
  int64_t width = elementBytes(element);
  std::memcpy(scalar.mutableData(), array.as<char>() + i * width, width);
  return scalar;
}

double numberAt(const HostArray &array, int64_t i) { return scalarView(array, i).scalarFloat(); }

void setNumberAt(HostArray &array, int64_t i, double value) {
  Type element = scalarView(array, i).getElementType();
  HostArray scalar = HostArray::scalar(element, value);
  int64_t width = elementBytes(element);
  std::memcpy(array.as<char>() + i * width, scalar.data(), width);
}

std::string typeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

static bool agree(double actual, double expected, Tolerance tolerance) {
  if (std::isnan(expected)) return std::isnan(actual);
  if (expected == actual) return !tolerance.signedZeros || std::signbit(expected) == std::signbit(actual);
  return std::fabs(actual - expected) <= tolerance.absolute + tolerance.relative * std::fabs(expected);
}

std::string difference(const HostArray &actual, const HostArray &expected, Tolerance tolerance) {
  if (actual.getType() != expected.getType())
    return "type " + typeName(actual.getType()) + " instead of " + typeName(expected.getType());
  bool isInteger = isa<IntegerType, KeyType>(expected.getElementType());
  for (int64_t i = 0, n = numbersIn(expected); i < n; ++i) {
    bool equal = isInteger ? scalarView(actual, i).scalarInt() == scalarView(expected, i).scalarInt()
                           : agree(numberAt(actual, i), numberAt(expected, i), tolerance);
    if (!equal) {
      std::ostringstream text;
      text << "element " << i << ": " << numberAt(actual, i) << " instead of " << numberAt(expected, i);
      return text.str();
    }
  }
  return "";
}

} // namespace jx::laws
