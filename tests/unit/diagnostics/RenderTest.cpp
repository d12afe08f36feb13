// Positions in source texts, the sink's brackets, and the exact look of diagnostics.
#include "compiler/diagnostics/Diagnostic.h"

#include <gtest/gtest.h>

namespace jx {
namespace {

TEST(SourceManager, LinesEndInAnyConventionAndColumnsCountCodePoints) {
  SourceManager sources;
  FileId file = sources.addFile("a.jx", "one\r\ntwo\rth\xC3\xA9 x\n");
  EXPECT_EQ(sources.lineCount(file), 4u);
  EXPECT_EQ(sources.lineText(file, 1), "one");
  EXPECT_EQ(sources.lineText(file, 3), "th\xC3\xA9 x");
  EXPECT_EQ(sources.lineText(file, 4), "");
  LineColumn at = sources.position(file, 14);
  EXPECT_EQ(at.line, 3u);
  EXPECT_EQ(at.column, 5u);
  EXPECT_EQ(sources.place({file, 5, 6}), "a.jx:2");
  EXPECT_EQ(sources.text(SourceRange{file, 5, 8}), "two");
  EXPECT_EQ(sources.position(file, 1000).line, 4u);
}

TEST(SourceManager, AMissingFileIsAReason) {
  SourceManager sources;
  std::string error;
  EXPECT_FALSE(sources.loadFile("/no/such/file.jx", error));
  EXPECT_EQ(error, "No such file or directory");
  EXPECT_FALSE(sources.loadFile("/", error));
  EXPECT_EQ(error, "is a directory");
}

TEST(Sink, RollbackForgetsAndReturnsWhatWasReported) {
  DiagnosticSink sink;
  auto error = [](const char *message) { return Diagnostic(DiagKind::UnexpectedToken, {}, message); };
  sink.report(error("kept"));
  auto outer = sink.begin();
  sink.report(error("dropped"));
  auto inner = sink.begin();
  sink.report(error("also dropped").asWarning());
  sink.commit(inner);
  EXPECT_TRUE(sink.isSpeculating());
  std::vector<Diagnostic> dropped = sink.rollback(outer);
  ASSERT_EQ(dropped.size(), 2u);
  EXPECT_EQ(dropped[0].message, "dropped");
  EXPECT_EQ(sink.errorCount(), 1u);
  EXPECT_FALSE(sink.isSpeculating());
  EXPECT_EQ(sink.take().size(), 1u);
  EXPECT_FALSE(sink.hasErrors());
}

TEST(Render, SpansNotesHintAndCalls) {
  SourceManager sources;
  FileId file = sources.addFile("p.jx", "import x\n\n\ty = dot(a, bb)\nz = 1\n");
  Diagnostic error(DiagKind::UnexpectedToken, {file, 15, 25}, "shapes do not fit", "here");
  error.span({file, 19, 20}, "f32[2]").span({file, 22, 24}, "f32[3]").span({file, 0, 6}, "from this");
  error.note("a note\nof two lines").withHint("a hint").called({file, 26, 27}, "`f`").called({file, 0, 1});
  EXPECT_EQ(render(error, sources), R"(error[JX0101]: shapes do not fit
 --> p.jx:3:6
  |
1 | import x
  | ------ from this
...
3 |     y = dot(a, bb)
  |         ^^^^^^^^^^
  |         |   |  f32[3]
  |         |   f32[2]
  |         here
  = note: a note
          of two lines
  = hint: a hint
  = called from p.jx:4: `f`
  = called from p.jx:1
)");
}

TEST(Render, OtherFilesHaveExcerptsOfTheirOwn) {
  SourceManager sources;
  FileId file = sources.addFile("p.jx", "f(1)\n");
  FileId library = sources.addStaticFile("<jax.numpy>", "def f(x): pass\n", true);
  Diagnostic error(DiagKind::UnexpectedToken, {file, 0, 4}, "no");
  error.span({library, 4, 5}, "defined here").asWarning();
  EXPECT_EQ(render(error, sources), R"(warning[JX0101]: no
 --> p.jx:1:1
  |
1 | f(1)
  | ^^^^
 ::: <jax.numpy>:1:5
  |
1 | def f(x): pass
  |     - defined here
)");
}

TEST(Render, ALongCallChainKeepsItsEndsAndNoPlaceIsNoExcerpt) {
  SourceManager sources;
  FileId file = sources.addFile("p.jx", "a\nb\nc\nd\n");
  Diagnostic error(DiagKind::TooDeeplyNested, {}, "too deep");
  for (uint32_t i = 0; i < 4; ++i) error.called({file, 2 * i, 2 * i + 1});
  RenderOptions options;
  options.maxFrames = 2;
  EXPECT_EQ(render(error, sources, options), "error[JX0114]: too deep\n"
                                             "  = called from p.jx:1\n"
                                             "  = 2 more calls\n"
                                             "  = called from p.jx:4\n");
}

TEST(Render, APlaceIsShownWithItsLine) {
  SourceManager sources;
  sources.addFile("a.jx", "x = 1\n\tprint(x)\n");
  EXPECT_EQ(renderPlace("a.jx:2", sources), " --> a.jx:2\n  |\n2 |     print(x)\n  |\n");
  EXPECT_EQ(renderPlace("a.jx:4", sources), " --> a.jx:4\n"); // the file was changed, or it is none of ours
  EXPECT_EQ(renderPlace("b.jx:1", sources), " --> b.jx:1\n");
  EXPECT_EQ(renderPlace("a.jx", sources), " --> a.jx\n");
  EXPECT_EQ(renderPlace("", sources), "");
}

TEST(Render, ALongLineIsShownAroundItsMark) {
  SourceManager sources;
  FileId file = sources.addFile("p.jx", std::string(1000, 'a') + "!" + std::string(1000, 'b') + "\n");
  std::string text =
      render(Diagnostic(DiagKind::InvalidCharacter, {file, 1000, 1001}, "no", "here"), sources);
  EXPECT_EQ(text, "error[JX0117]: no\n --> p.jx:1:1001\n  |\n1 | ..." + std::string(40, 'a') + "!" +
                      std::string(99, 'b') + "...\n  |    " + std::string(40, ' ') + "^ here\n");
}

TEST(Render, ControlCharactersOfTheSourceAreNotSentToTheTerminal) {
  SourceManager sources;
  FileId file = sources.addFile("p.jx", "x = \x1b[31m\n");
  std::string text = render(Diagnostic(DiagKind::InvalidCharacter, {file, 4, 5}, "no"), sources);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  RenderOptions color;
  color.color = true;
  EXPECT_NE(
      render(Diagnostic(DiagKind::InvalidCharacter, {file, 4, 5}, "no"), sources, color).find("\x1b[1;31m"),
      std::string::npos);
}

} // namespace
} // namespace jx
