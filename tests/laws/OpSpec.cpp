#include "tests/laws/OpSpec.h"
#include "mlir/AsmParser/AsmParser.h"
#include <regex>

using namespace mlir;

namespace jx::laws {

const std::vector<OpSpec> &allSpecs() {
  static const std::vector<OpSpec> specs = [] {
    std::vector<OpSpec> all;
    for (auto family : {elementwiseSpecs, regionSpecs, recordedSpecs}) llvm::append_range(all, family());
    return all;
  }();
  return specs;
}

RankedTensorType typeOf(MLIRContext *context, const OperandSpec &operand) {
  return RankedTensorType::get(operand.shape, parseType(operand.element, context));
}

OpSpec widened(const OpSpec &spec) {
  OpSpec wide = spec;
  wide.source = std::regex_replace(spec.source, std::regex("bf16|f16|f32"), "f64");
  return wide;
}

std::string testName(const testing::TestParamInfo<OpSpec> &info) {
  std::string name = info.param.name;
  for (char &c : name)
    if (!isalnum(c)) c = '_';
  return name;
}

} // namespace jx::laws
