#include "compiler/elaborate/OptionTable.h"

namespace jx {

OptionTable::OptionTable(const std::vector<ProgramOption> &options) {
  for (const ProgramOption &option : options) {
    jxrt_option row{};
    row.name = option.name.c_str();
    row.default_text = option.required ? nullptr : option.defaultText.c_str();
    switch (option.type) {
    case ProgramOption::Int:
      row.kind = JXRT_OPTION_INT;
      break;
    case ProgramOption::Float:
      row.kind = JXRT_OPTION_FLOAT;
      break;
    case ProgramOption::Bool:
      row.kind = JXRT_OPTION_BOOL;
      break;
    case ProgramOption::Str:
      row.kind = JXRT_OPTION_STRING;
      break;
    }
    rows.push_back(row);
  }
}

} // namespace jx
