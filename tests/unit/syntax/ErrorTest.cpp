// Messages of the syntax family, from the failing programs of tests/diagnostics, and sources that attack the
// parser.
#include "SyntaxTest.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace jx::test {
namespace {

std::string contentOf(const std::filesystem::path &path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream content;
  content << stream.rdbuf();
  return content.str();
}

TEST(Errors, FailingProgramsGiveTheirMessages) {
  int count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(JX_SOURCE_DIR "/tests/diagnostics")) {
    std::filesystem::path path = entry.path();
    std::string name = path.stem();
    if (path.extension() != ".jx" || !name.starts_with("JX01")) continue;
    ++count;
    Parsed parsed(contentOf(path));
    EXPECT_FALSE(parsed.result) << name;
    std::string error = parsed.error();
    EXPECT_NE(error.find("error[" + name.substr(0, 6) + "]"), std::string::npos) << name << "\n" << error;
    std::ifstream expected(path.replace_extension(".err"));
    for (std::string line; std::getline(expected, line);)
      EXPECT_NE(error.find(line), std::string::npos) << name << " lacks: " << line << "\n" << error;
  }
  EXPECT_GT(count, 40);
}

/// Where the tool could not decide on one token it writes a call of the prediction engine, whose warm-up
/// would cost more at every start than the whole parse.
bool predicts(const std::string &generated) { return generated.find("adaptivePredict") != std::string::npos; }

TEST(Grammar, EveryDecisionIsTakenOnOneToken) {
  std::string generated = contentOf(JX_GENERATED_PARSER);
  ASSERT_NE(generated.find("JxParser::operation()"), std::string::npos);
  EXPECT_FALSE(predicts(generated));
  EXPECT_TRUE(
      predicts("switch (getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 59, _ctx)) {"));
}

std::string repeated(std::string_view text, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += text;
  return out;
}

TEST(Errors, DeepNestingIsAnErrorAndNoCrash) {
  for (std::string source :
       {repeated("(", 10000) + "1" + repeated(")", 10000), repeated("not ", 20000) + "1",
        repeated("-", 20000) + "1", repeated("lambda: ", 10000) + "1", repeated("1 if 1 else ", 10000) + "1",
        repeated("2**", 10000) + "1", repeated("1+", 20000) + "1", "a" + repeated(".b", 20000),
        "a" + repeated("()", 20000), "a" + repeated("[0]", 5000),
        "if a: pass\n" + repeated("elif a: pass\n", 10000), repeated("f'{", 100), repeated("f\"{f'{", 100),
        "f'" + repeated("{x:", 1000), repeated("[", 20000)}) {
    Parsed parsed(source + "\n");
    EXPECT_FALSE(parsed.result) << source.substr(0, 40);
    EXPECT_NE(parsed.error().find("error[JX01"), std::string::npos);
  }
}

TEST(Errors, LongFlatSourceIsFine) {
  for (std::string source :
       {"f(" + repeated("a,", 20000) + ")", repeated("a = ", 5000) + "1", "x = 1" + repeated(" < 1", 5000),
        "x = 1" + repeated(" and 1", 5000), "x = " + repeated("'a' ", 5000), repeated("x = 1\n", 5000),
        repeated("@a\n", 2000) + "def f(): pass", std::string(), std::string("\n \n# only a comment")})
    EXPECT_TRUE(Parsed(source).result) << source.substr(0, 40);
}

TEST(Errors, SeveralBlocksOfBracketsInsideDeepIndentation) {
  std::string source;
  for (int i = 0; i < 99; ++i) source += std::string(static_cast<size_t>(i), ' ') + "if a:\n";
  Parsed parsed(source + std::string(99, ' ') + "x = " + repeated("(", 199) + "1" + repeated(")", 199) +
                "\n");
  EXPECT_TRUE(parsed.result) << parsed.error();
}

} // namespace
} // namespace jx::test
