// fuzz-mutate --corpus FOLDER --seed N --count N [--jx PATH]: input number i of seed s has the seed s * 2^32
// + i, which a failure prints; `--seed s --first i --count 1 --print` shows that input. Without --jx the
// inputs go to the parser: a tree or an error with a place in the text, within a time that the length allows.
// With --jx they go to `jx check`.
#include "Mutator.h"
#include "ToolRun.h"
#include "compiler/syntax/Blob.h"
#include "compiler/syntax/Parse.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

/// The input at work, for the handler of a crash.
char currentInput[80];

/// Names the input on a stack of its own (the crash may be an overflow) and lets the signal take its course.
void onCrash(int signal) {
  [[maybe_unused]] ssize_t written = write(1, currentInput, std::strlen(currentInput));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void nameInputOnCrash() {
  static char stack[1 << 16];
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action{};
  action.sa_handler = onCrash;
  action.sa_flags = SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS}) sigaction(signal, &action, nullptr);
}

/// What is wrong with how the parser took the text, or empty.
std::string parserFailure(const std::string &text) {
  jx::SourceManager sources;
  jx::AstContext context;
  jx::DiagnosticSink sink;
  jx::FileId file = sources.addFile("input.jx", text);
  jx::ParseResult result = jx::parse(sources, file, context, sink);
  if (result) {
    if (sink.hasErrors()) return "a tree and errors";
    jx::AstContext second;
    std::string blob = jx::encodeModule(*result.module);
    const jx::ast::Module *decoded = jx::decodeModule(blob, file, "__main__", second);
    return jx::dump(*decoded) == jx::dump(*result.module) ? "" : "the embedded tree differs";
  }
  if (sink.errorCount() != 1) return std::to_string(sink.errorCount()) + " errors instead of one";
  const jx::Diagnostic &error = sink.diagnostics().front();
  if (!error.primary.range.isValid() || error.primary.range.end > text.size() ||
      error.primary.range.begin > error.primary.range.end)
    return "an error outside the text";
  if (error.message.empty() || jx::kindInfo(error.kind).code.substr(0, 4) != "JX01")
    return "not a syntax error";
  jx::render(error, sources);
  return "";
}

} // namespace

int main(int argc, char **argv) {
  std::string corpus, tool;
  uint64_t seed = 1, first = 0, count = 100;
  bool print = false;
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i];
    if (option == "--print")
      print = true;
    else if (i + 1 < argc && option == "--corpus")
      corpus = argv[++i];
    else if (i + 1 < argc && option == "--jx")
      tool = argv[++i];
    else if (i + 1 < argc && option == "--seed")
      seed = std::strtoull(argv[++i], nullptr, 10);
    else if (i + 1 < argc && option == "--first")
      first = std::strtoull(argv[++i], nullptr, 10);
    else if (i + 1 < argc && option == "--count")
      count = std::strtoull(argv[++i], nullptr, 10);
    else {
      std::fprintf(stderr, "unknown option %s\n", argv[i]);
      return 2;
    }
  }
  std::vector<fs::path> files;
  for (const auto &entry : fs::directory_iterator(corpus))
    if (entry.path().extension() == ".jx") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> programs;
  for (const fs::path &path : files) {
    std::ifstream stream(path, std::ios::binary);
    std::stringstream content;
    content << stream.rdbuf();
    programs.push_back(content.str());
  }
  if (programs.empty()) {
    std::fprintf(stderr, "no programs in %s\n", corpus.c_str());
    return 2;
  }
  std::string scratch = (fs::temp_directory_path() / "fuzz-mutate-XXXXXX").string();
  if (!mkdtemp(scratch.data())) return 2;
  nameInputOnCrash();
  int failures = 0;
  for (uint64_t i = first; i < first + count; ++i) {
    std::string text = jx::fuzz::Mutator(programs, (seed << 32) + i).next(!tool.empty());
    std::snprintf(currentInput, sizeof currentInput, "CRASH --seed %llu --first %llu\n",
                  static_cast<unsigned long long>(seed), static_cast<unsigned long long>(i));
    if (print) std::fwrite(text.data(), 1, text.size(), stdout);
    std::string failure = tool.empty() ? parserFailure(text) : jx::fuzz::toolFailure(tool, text, scratch);
    if (failure.empty()) continue;
    ++failures;
    std::printf("FAIL --seed %llu --first %llu: %s\n", static_cast<unsigned long long>(seed),
                static_cast<unsigned long long>(i), failure.c_str());
  }
  fs::remove_all(scratch);
  std::printf("%llu inputs of seed %llu, %d failures\n", static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(seed), failures);
  return failures != 0;
}
