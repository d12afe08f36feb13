// Embedded trees: what is encoded is decoded, lazily, with ids that do not depend on the order of first use.
#include "compiler/syntax/Blob.h"
#include "SyntaxTest.h"
#include "compiler/syntax/Stdlib.h"

#include <gtest/gtest.h>
#include <llvm/Support/Casting.h>

namespace jx::test {

TEST(Blob, RoundTripKeepsTheWholeTree) {
  Parsed original(R"(
"""Module."""
import a.b as c, d
from ..m import (x as y, z,)
from .. import *
@dec(1)
def f(p, /, q: f32[n, 3] = 1, *args: int, k=-2.5, **kw) -> f32[n]:
    "Doc."
    global G
    total = 0x_ff + 10_000_000_000_000_000_000_000 + 1e400 + 2j
    def inner(t):
        nonlocal total
        total += t
        yield total
        yield from q
    for i, (u, *v) in enumerate(args):
        if i in kw and not u or v is not None: continue
        else: break
    else:
        del u, v[0], p.x
    while (w := f(p, *args, k=1, **kw)): pass
    return [s ** -t for s in q if s for t in s], {a: b for a, b in q}, {*q}, {**kw, 1: 2}, (g for g in q)
class C(B, *bases, meta=M):
    x: int = 3
    y: f32[2]
    def m(self): return super().m() @ self.x
try:
    with (open(f"a{x!r:>{y}.3f}{z=}") as fd, lock): raise E from None
except (A, B) as e: assert e, "m"
except: raise
finally: s = x[1:, ..., ::2, None][*y] if a < b <= c else lambda *z, o=b"\x00\xff": (yield)
)");
  ASSERT_TRUE(original.result) << original.error();
  std::string blob = encodeModule(*original.result.module);
  AstContext context;
  const ast::Module *decoded = decodeModule(blob, original.file, "__main__", context);
  EXPECT_EQ(dump(*decoded), original.dumped());
  EXPECT_EQ(encodeModule(*decoded), blob); // ranges too, which the dump does not show
}

TEST(Blob, BodiesAreDecodedOnFirstUseAndIdsDoNotDependOnTheOrder) {
  Parsed original("def f():\n  'Doc.'\n  return 1\ndef g():\n  return 2\n");
  std::string blob = encodeModule(*original.result.module);
  auto lastId = [&](bool reversed) {
    AstContext context;
    const ast::Module *module = decodeModule(blob, original.file, "m", context);
    auto *f = llvm::cast<ast::FunctionDef>(module->body[0]);
    auto *g = llvm::cast<ast::FunctionDef>(module->body[1]);
    EXPECT_FALSE(f->isLoaded());
    for (auto *def : reversed ? std::vector{g, f} : std::vector{f, g}) def->body();
    EXPECT_TRUE(f->isLoaded());
    EXPECT_EQ(f->docstring()->value, "Doc.");
    EXPECT_LT(f->body()[1]->id, g->id);
    EXPECT_LT(g->body()[0]->id, context.idLimit());
    return g->body()[0]->id;
  };
  EXPECT_EQ(lastId(false), lastId(true));
}

TEST(Stdlib, EveryModuleDecodes) {
  for (std::string_view name : stdlibModuleNames()) {
    const StdlibEntry *entry = findStdlibModule(name);
    ASSERT_NE(entry, nullptr);
    SourceManager sources;
    AstContext context, fresh;
    DiagnosticSink sink;
    const ast::Module *module = loadStdlibModule(*entry, sources, context);
    FileId file = sources.addStaticFile("again", entry->source, true);
    ParseResult parsed = parse(sources, file, fresh, sink, name);
    ASSERT_TRUE(parsed) << name;
    EXPECT_EQ(dump(*module), dump(*parsed.module)) << name;
    EXPECT_EQ(sources.displayName(module->file), "<" + std::string(name) + ">");
  }
  EXPECT_EQ(findStdlibModule("no.such.module"), nullptr);
}

} // namespace jx::test
