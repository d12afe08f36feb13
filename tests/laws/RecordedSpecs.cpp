// Rows recorded from JAX: tests/ops/record.py writes functions of one op each, with operands, results and
// derivatives (tests/ops/<family>/cases.mlir).
#include "tests/laws/OpSpec.h"
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace mlir;

namespace jx::laws {

static std::string take(StringRef text, StringRef from, StringRef to) {
  auto [before, rest] = text.split(from);
  return rest.split(to).first.str();
}

/// A function in three parts: a line with its name and types, a line `attributes {...} {`, its body.
static OpSpec parseCase(StringRef text) {
  auto [head, rest] = text.split("\n    attributes ");
  auto [attributes, body] = rest.split(" {\n");
  OpSpec spec;
  std::string function = take(head, "@", "(");
  auto [op, number] = StringRef(function).rsplit('_');
  spec.name = (op + "/recorded" + number).str();
  spec.source = "func.func @f" + head.drop_front(head.find('(')).str() + " {\n" + body.str();
  spec.recorded = attributes.str();
  StringRef(take(attributes, "rtol = ", " ")).getAsDouble(spec.valueTolerance.relative);
  StringRef(take(attributes, "atol = ", " ")).getAsDouble(spec.valueTolerance.absolute);
  spec.axis = take(attributes, "axis = \"", "\"");
  if (!spec.axis.empty()) StringRef(take(attributes, "size = ", " ")).getAsInteger(10, spec.axisSize);
  return spec;
}

/// The elementwise rows hold poles and kinks; ElementwiseSpecs.cpp has rows to differentiate.
static void readFamily(const std::filesystem::path &path, std::vector<OpSpec> &specs) {
  bool isElementwise = path.parent_path().filename() == "elementwise";
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  SmallVector<StringRef> functions;
  std::string content = text.str();
  StringRef(content).split(functions, "func.func ");
  for (StringRef function : llvm::drop_begin(functions)) {
    OpSpec &spec = specs.emplace_back(parseCase(function));
    if (isElementwise) spec.derivatives = Derivatives::Skipped;
    if (spec.opName() == "nextafter") spec.derivatives = Derivatives::Refused;
  }
}

std::vector<OpSpec> recordedSpecs() {
  std::vector<OpSpec> specs;
  std::vector<std::filesystem::path> folders;
  for (const auto &entry : std::filesystem::directory_iterator(JX_TESTS_DIR "/ops"))
    if (exists(entry.path() / "cases.mlir")) folders.push_back(entry.path());
  llvm::sort(folders);
  for (const auto &folder : folders) readFamily(folder / "cases.mlir", specs);
  return specs;
}

} // namespace jx::laws
