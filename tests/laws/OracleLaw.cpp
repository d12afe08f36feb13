// Evaluation equals what JAX computed: the cases that oracle/record.py wrote.
#include "tests/laws/Harness.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <fstream>

using namespace mlir;

namespace jx::laws {
namespace {

struct Case {
  std::string name, function;
  Tolerance tolerance;
  std::vector<std::string> arrays; // hexadecimal, operands then results
};

std::vector<Case> readCases(const std::string &path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::vector<Case> cases;
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("case ")) {
      SmallVector<StringRef> words;
      StringRef(line).split(words, ' ');
      Case &added = cases.emplace_back();
      added.name = words[1].str();
      words[2].drop_front(strlen("rtol=")).getAsDouble(added.tolerance.relative);
      words[3].drop_front(strlen("atol=")).getAsDouble(added.tolerance.absolute);
      std::getline(file, added.function);
    } else if (!line.empty() && line[0] != '#') {
      cases.back().arrays.push_back(line == "-" ? "" : llvm::fromHex(line));
    }
  }
  return cases;
}

HostArray arrayOf(Type type, const std::string &bytes) {
  HostArray array(cast<RankedTensorType>(type));
  EXPECT_EQ(int64_t(bytes.size()), array.sizeInBytes());
  std::memcpy(array.mutableData(), bytes.data(), bytes.size());
  return array;
}

class OracleLaw : public testing::TestWithParam<const char *> {};

TEST_P(OracleLaw, EvaluationEqualsJax) {
  World world;
  std::vector<Case> cases = readCases(std::string(JX_LAWS_DIR) + "/oracle/" + GetParam());
  EXPECT_FALSE(cases.empty());
  for (const Case &current : cases) {
    world.diagnostics.clear();
    OwningOpRef<ModuleOp> module = world.parse(current.function);
    if (!module) {
      ADD_FAILURE() << current.name << ": " << world.diagnostics;
      continue;
    }
    auto function = *module->getOps<func::FuncOp>().begin();
    Arrays arguments;
    for (auto [type, bytes] : llvm::zip(function.getArgumentTypes(), current.arrays))
      arguments.push_back(arrayOf(type, bytes));
    Interpreter interpreter(*module, nullptr);
    auto results = interpreter.run(function, arguments);
    if (failed(results)) {
      ADD_FAILURE() << current.name << ": " << world.diagnostics;
      continue;
    }
    for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
      HostArray expected = arrayOf(type, current.arrays[arguments.size() + index]);
      std::string found = difference((*results)[index], expected, current.tolerance);
      EXPECT_EQ(found, "") << current.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, OracleLaw, testing::Values("elementwise.txt"));

} // namespace
} // namespace jx::laws
