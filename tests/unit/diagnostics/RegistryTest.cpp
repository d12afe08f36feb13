// Every kind of diagnostic is explained and has a failing program; every page and program has a kind.
#include "compiler/diagnostics/Diagnostic.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <set>

namespace jx {
namespace {

namespace fs = std::filesystem;
const fs::path root = JX_SOURCE_DIR;

/// The codes with which file names of this ending begin.
std::set<std::string> codesIn(const fs::path &folder, std::string_view ending) {
  std::set<std::string> codes;
  for (const auto &entry : fs::directory_iterator(folder)) {
    std::string name = entry.path().filename();
    if (name.starts_with("JX") && name.ends_with(ending)) codes.insert(name.substr(0, 6));
  }
  return codes;
}

/// What is wrong with a registry row, given the codes of the failing programs; empty when nothing is.
std::string rowError(const KindInfo &row, const std::set<std::string> &programs) {
  std::string title = row.title;
  if (explanation(row.kind).empty()) return "no page compiler/diagnostics/explain/" + row.code + ".md";
  if (!explanation(row.kind).starts_with("# " + row.code + ": "))
    return "the page does not begin with its code";
  if (!programs.count(row.code))
    return "no failing program tests/diagnostics/" + row.code + "*.jx with its .err";
  if (title.empty() || title.back() == '.' || (title[0] >= 'A' && title[0] <= 'Z'))
    return "title: lower case, no full stop";
  return "";
}

TEST(Registry, EveryKindIsExplainedAndTested) {
  std::set<std::string> programs = codesIn(root / "tests/diagnostics", ".err");
  for (const KindInfo &row : allKinds())
    EXPECT_EQ(rowError(row, programs), "") << row.code << " " << row.name;
}

TEST(Registry, TheCheckFailsOnAnUntestedKind) {
  EXPECT_NE(rowError(kindInfo(DiagKind::UnexpectedToken), {}), "");
  EXPECT_NE(rowError({static_cast<DiagKind>(9999), "New", "JX9999", "TypeError", "new"}, {"JX9999"}), "");
}

TEST(Registry, EveryPageAndProgramHasAKind) {
  for (const std::string &code : codesIn(root / "compiler/diagnostics/explain", ".md"))
    EXPECT_NE(findKind(code), nullptr) << code << ".md";
  for (const std::string &code : codesIn(root / "tests/diagnostics", ".jx"))
    EXPECT_NE(findKind(code), nullptr) << code;
  for (const auto &entry : fs::directory_iterator(root / "tests/diagnostics"))
    if (entry.path().extension() == ".err")
      EXPECT_TRUE(fs::exists(fs::path(entry.path()).replace_extension(".jx")) ||
                  fs::exists(fs::path(entry.path()).replace_extension(".gen")))
          << entry.path();
}

TEST(Registry, CodesAreUniqueAndFoundInAnyCase) {
  std::set<std::string> codes;
  for (const KindInfo &row : allKinds()) EXPECT_TRUE(codes.insert(row.code).second) << row.code;
  ASSERT_NE(findKind("jx0103"), nullptr);
  EXPECT_EQ(findKind("jx0103")->kind, DiagKind::UnclosedBracket);
  EXPECT_EQ(findKind("JX9999"), nullptr);
}

} // namespace
} // namespace jx
