// Turns a crash of the compiler into a report that a user can send, and an exit status that scripts
// understand.
#include "tools/jx/Commands.h"
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace jx::tool {
namespace {

constexpr int internalErrorStatus = 70; // EX_SOFTWARE of sysexits.h

// Prepared before anything can go wrong: a handler may not allocate.
std::string folder, argumentFile, argumentText, sourceCopy, sourcePath;

void say(const char *text) { [[maybe_unused]] ssize_t n = write(2, text, std::strlen(text)); }

void copyFile(const char *from, const char *to) {
  int in = open(from, O_RDONLY | O_CLOEXEC);
  int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  char buffer[4096];
  ssize_t n;
  while (in >= 0 && out >= 0 && (n = read(in, buffer, sizeof buffer)) > 0)
    if (write(out, buffer, n) != n) break;
}

void writeBundle() {
  int out = open(argumentFile.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (out >= 0 && write(out, argumentText.data(), argumentText.size()) >= 0) close(out);
  if (!sourcePath.empty()) copyFile(sourcePath.c_str(), sourceCopy.c_str());
  say("What is needed to reproduce it was written to ");
  say(folder.c_str());
  say("; please send it with your report.\n");
}

void onCrash(int signal) {
  // A second fault, inside this handler, ends the process at once.
  struct sigaction fallback{};
  fallback.sa_handler = SIG_DFL;
  sigaction(signal, &fallback, nullptr);
  say("\njx: internal error: the compiler itself failed (");
  say(signal == SIGABRT ? "assertion" : signal == SIGSEGV ? "invalid memory access" : "signal");
  say("). This is a bug in jx, not in your program.\n");
  if (mkdir(folder.c_str(), 0755) == 0) writeBundle();
  _exit(internalErrorStatus);
}

// A program may need more memory than there is while it is compiled or interpreted.
void onMemoryExhausted() {
  say("error: MemoryError: out of memory\n");
  _exit(1);
}

} // namespace

void useCrashStack() {
  static thread_local char alternateStack[64 * 1024];
  stack_t stack{};
  stack.ss_sp = alternateStack;
  stack.ss_size = sizeof alternateStack;
  sigaltstack(&stack, nullptr);
}

void installCrashReport(int argc, const char *const *argv) {
  const char *temporary = getenv("TMPDIR");
  folder = std::string(temporary ? temporary : "/tmp") + "/jx-crash-" + std::to_string(getpid());
  argumentFile = folder + "/command.txt";
  sourceCopy = folder + "/program.jx";
  argumentText = "jx 0.1.0\n";
  for (int i = 0; i < argc; ++i) {
    argumentText += std::string(argv[i]) + "\n";
    std::string argument = argv[i];
    if (sourcePath.empty() && argument.size() > 3 && argument.ends_with(".jx")) sourcePath = argument;
  }
  useCrashStack();
  std::set_new_handler(onMemoryExhausted);
  struct sigaction action{};
  action.sa_handler = onCrash;
  action.sa_flags = SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE}) sigaction(signal, &action, nullptr);
}

int reportInternalError(const std::string &details) {
  say("jx: internal error: the compiler itself failed. This is a bug in jx, not in your program.\n");
  argumentText += "\n" + details + "\n";
  if (mkdir(folder.c_str(), 0755) == 0) writeBundle();
  return internalErrorStatus;
}

std::string libraryFolder() {
  char path[4096];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  std::string binary(path, n > 0 ? n : 0);
  std::string bin = binary.substr(0, binary.rfind('/'));
  return bin.substr(0, bin.rfind('/')) + "/lib";
}

} // namespace jx::tool
