// Runs a program's text through the elaborator and the interpreter, and gives back what it printed or the
// diagnostics.
#pragma once
#include "compiler/elaborate/Elaborate.h"
#include <string>

namespace jx::test {

struct Outcome {
  std::string output;      // standard output
  std::string diagnostics; // rendered, and errors of the running program
  std::string module;      // the IR
  std::vector<ProgramOption> options;
};

Outcome run(const std::string &program, ElaborateOptions options = {});

} // namespace jx::test
