// A program's options as the runtime parses them from its command line.
#pragma once
#include "compiler/elaborate/Elaborate.h"
#include "jxrt/Options.h"
#include <vector>

namespace jx {

/// The table of a program's options as the runtime takes it. The texts live as long as `options` does.
class OptionTable {
public:
  OptionTable(const std::vector<ProgramOption> &options);
  const jxrt_option *data() const { return rows.data(); }
  int32_t size() const { return int32_t(rows.size()); }

private:
  std::vector<jxrt_option> rows;
};

} // namespace jx
