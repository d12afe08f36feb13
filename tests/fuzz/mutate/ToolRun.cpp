// The child process: limits, redirection, verdict.
#include "ToolRun.h"

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace jx::fuzz {

/// A check that takes longer hangs, in the sense of the suite. Processor time, so that a busy machine does
/// not count.
static constexpr rlim_t maxSeconds = 5;

std::string toolFailure(const std::string &jx, const std::string &program, const std::string &scratch) {
  const std::string file = scratch + "/program.jx", output = scratch + "/output";
  std::ofstream(file, std::ios::binary) << program;
  pid_t child = fork();
  if (child < 0) return "cannot fork";
  if (child == 0) {
    rlimit seconds{maxSeconds, maxSeconds + 1};
    setrlimit(RLIMIT_CPU, &seconds);
    rlimit noCore{0, 0};
    setrlimit(RLIMIT_CORE, &noCore);
    int out = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int in = open("/dev/null", O_RDONLY);
    dup2(in, 0);
    dup2(out, 1);
    dup2(out, 2);
    if (chdir(scratch.c_str()) != 0) _exit(126);
    execl(jx.c_str(), jx.c_str(), "check", file.c_str(), static_cast<char *>(nullptr));
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL
               ? "no answer within 5 s"
               : "signal " + std::to_string(WTERMSIG(status));
  std::ifstream stream(output, std::ios::binary);
  std::stringstream content;
  content << stream.rdbuf();
  std::string text = content.str();
  int code = WEXITSTATUS(status);
  if (code >= 126) return "exit status " + std::to_string(code);
  if (text.find("internal error") != std::string::npos || text.find("Assertion `") != std::string::npos)
    return "internal error:\n" + text;
  if (code != 0 && text.find("error[JX") == std::string::npos)
    return "a failure without a coded message:\n" + text;
  return "";
}

} // namespace jx::fuzz
