// The subcommands of jx. Each returns the exit status: 0 success, 1 an error in the program or its run, 2
// wrong usage.
#pragma once

#include <string>
#include <vector>

namespace jx::tool {

struct RunArguments {
  std::string file;
  std::vector<std::string> options; ///< of the program
  bool interpret = false;
  bool checkNans = false;
  bool trace = false;
  bool strict = false;
};
int run(const RunArguments &arguments);

int check(const std::string &file, bool strict);
int dumpIr(const std::string &file, const std::string &stage, const std::vector<std::string> &options);
int build(const std::string &file, const std::string &output, const std::vector<std::string> &options);
int explain(const std::string &code);

/// Installs handlers that turn a crash of the compiler into a one-line apology and a folder with what is
/// needed to reproduce it; the process then exits with status 70 instead of dying by the signal.
void installCrashReport(int argc, const char *const *argv);
/// Gives the calling thread the stack on which those handlers run when its own is exhausted.
void useCrashStack();

/// Reports a failure of the compiler itself that was noticed without a crash: `details`, which are no words
/// for a user, go into the folder. Returns the exit status, 70.
int reportInternalError(const std::string &details);

/// Folder of the runtime archives: build/lib beside build/bin.
std::string libraryFolder();

} // namespace jx::tool
