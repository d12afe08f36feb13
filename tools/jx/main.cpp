// jx: run, check, inspect, build and explain JAX programs.
#include "tools/jx/Commands.h"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <pthread.h>
#include <unistd.h>

using namespace jx::tool;

/// Elaboration follows the nesting of the program; a thread with a large, lazily touched stack carries it.
constexpr size_t stackBytes = size_t(1) << 30;

static int onLargeStack(std::function<int()> work) {
  struct Job {
    std::function<int()> work;
    int status = 1;
  } job{std::move(work)};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stackBytes);
  pthread_t thread;
  auto body = [](void *argument) -> void * {
    auto *job = static_cast<Job *>(argument);
    useCrashStack();
    job->status = job->work();
    return nullptr;
  };
  if (pthread_create(&thread, &attributes, body, &job) != 0) return job.work();
  pthread_join(thread, nullptr);
  return job.status;
}

int main(int argc, char **argv) {
  CLI::App app{"jx: JAX as a compiled language"};
  app.set_version_flag("--version", "jx 0.1.0 (JAX 0.10.2)");
  app.require_subcommand(1);
  std::function<int()> command;

  RunArguments runArguments;
  CLI::App *run =
      app.add_subcommand("run", "compile a program and run it; options after FILE are the program's");
  run->add_option("FILE", runArguments.file, "the program")->required();
  run->add_flag("--interpret", runArguments.interpret, "evaluate with the reference interpreter");
  run->add_flag("--check-nans", runArguments.checkNans, "with --interpret: stop where a nan is made");
  run->add_flag("--trace", runArguments.trace, "with --interpret: print each operation's line as it runs");
  run->add_flag("--strict", runArguments.strict, "warnings are errors");
  run->prefix_command();
  run->callback([&] {
    runArguments.options = run->remaining();
    command = [&] { return jx::tool::run(runArguments); };
  });

  std::string file, stage = "jx", output, code;
  bool strict = false;
  CLI::App *checkCommand =
      app.add_subcommand("check", "report every error that can be known before the program runs");
  checkCommand->add_option("FILE", file, "the program")->required();
  checkCommand->add_flag("--strict", strict, "warnings are errors");
  checkCommand->callback([&] { command = [&] { return check(file, strict); }; });

  CLI::App *ir = app.add_subcommand("ir", "print a stage of the compilation");
  ir->add_option("--stage", stage, "ast, jx, prepared, cluster, control, llvm or asm")
      ->check(CLI::IsMember({"ast", "jx", "prepared", "cluster", "control", "llvm", "asm"}));
  ir->add_option("FILE", file, "the program")->required();
  ir->prefix_command();
  ir->callback([&] { command = [&, ir] { return dumpIr(file, stage, ir->remaining()); }; });

  CLI::App *buildCommand = app.add_subcommand(
      "build", "make an executable that takes the program's options; those given here after FILE become its "
               "defaults, and the values of the ones that the compiler must know, which it names");
  buildCommand->add_option("-o,--output", output, "the executable (default: FILE without .jx)");
  buildCommand->add_option("FILE", file, "the program")->required();
  buildCommand->prefix_command();
  buildCommand->callback(
      [&] { command = [&, buildCommand] { return build(file, output, buildCommand->remaining()); }; });

  CLI::App *explainCommand = app.add_subcommand("explain", "the long form of an error code such as JX0103");
  explainCommand->add_option("CODE", code, "the code")->required();
  explainCommand->callback([&] { command = [&] { return explain(code); }; });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  installCrashReport(argc, argv);
  int status = onLargeStack(command);
  // The tables of a compilation need not be taken apart before the process goes.
  fflush(nullptr);
  _exit(status);
}
