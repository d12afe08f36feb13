// Two entries: the second sees the first's heap, globals and functions.
#include "compiler/dialect/JxDialect.h"
#include "compiler/elaborate/Elaborate.h"
#include "compiler/interpreter/Interpreter.h"
#include "compiler/syntax/Parse.h"
#include "mlir/IR/Verifier.h"
#include "tests/Console.h"
#include <gtest/gtest.h>

using namespace jx;

TEST(Entries, TheSecondSeesHeapAndGlobalsOfTheFirst) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  SourceManager sources;
  AstContext ast;
  DiagnosticSink sink;
  Elaborator elaborator(context, sources, ast, sink);
  test::Console console;
  llvm::SmallVector<HostArray> globals;
  for (const char *text :
       {"import jax\nimport jax.numpy as jnp\nhistory = [1]\nalias = history\nw = jnp.arange(3.0)\n"
        "@jax.jit\ndef scaled(x):\n    return x * w.sum()\n",
        "history.append(2)\nw = scaled(w)\nprint(alias, w)\n", "print(len(alias), w[2], scaled(2.0))\n"}) {
    FileId file = sources.addFile("entry.jx", text);
    ParseResult parsed = parse(sources, file, ast, sink, "__main__");
    ASSERT_TRUE(parsed);
    auto module = elaborator.elaborateEntry(*parsed.module);
    ASSERT_TRUE(module) << render(sink.diagnostics(), sources);
    ASSERT_TRUE(mlir::succeeded(mlir::verify(*module)));
    Interpreter interpreter(*module, console.context);
    auto entry = module->lookupSymbol<mlir::func::FuncOp>("entry");
    auto results = interpreter.run(entry, globals);
    ASSERT_TRUE(mlir::succeeded(results));
    globals = *results;
    jxrt_flush(console.context);
  }
  EXPECT_EQ(console.text, "[1, 2] [0. 3. 6.]\n2 6.0 18.0\n");
}
