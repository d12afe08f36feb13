// The builder writes what the renderer reads: each item once, and the algebra of appending.
#include "jxrt/FormatBuilder.h"
#include "jxrt/Format.h"
#include "jxrt/Options.h"
#include "gtest/gtest.h"

namespace {
using namespace jx;

jxrt_value intValue(int64_t i) {
  jxrt_value value{};
  value.kind = JXRT_VALUE_INT;
  value.scalar.i = i;
  return value;
}

jxrt_value floatValue(double f) {
  jxrt_value value{};
  value.kind = JXRT_VALUE_FLOAT;
  value.scalar.f = f;
  return value;
}

std::string render(const FormatProgram &program, const std::vector<jxrt_value> &operands,
                   const jxrt_context *ctx = nullptr) {
  std::string text = program.serialize();
  jxrt_string out{};
  jxrt_format_error error{};
  int32_t status = jxrt_format(ctx, text.data(), static_cast<int64_t>(text.size()), operands.data(),
                               static_cast<int64_t>(operands.size()), &out, &error);
  std::string result =
      status ? std::string(error.class_name) + ": " + error.message : std::string(out.data, out.length);
  jxrt_string_free(&out);
  return result;
}

TEST(FormatBuilder, EachItem) {
  FormatProgram width;
  width.str(1, Flavour::Python);
  FormatProgram spec;
  spec.append(width).literal(".2f");
  FormatProgram program;
  program.literal("a").literal("b ");
  program.format(0, Flavour::Python, spec);
  program.literal("|").percent(0, Flavour::Python, FormatProgram("-6.1f")).literal("|");
  FormatProgram name;
  name.literal("n").str(1, Flavour::Python);
  program.group(Conversion::Repr, FormatProgram(">6"), name);
  program.literal("|").table(2, {FormatProgram("(no)"), FormatProgram("yes")});
  EXPECT_EQ(render(program, {floatValue(1.5), intValue(8), intValue(1)}), "ab     1.50|1.5   |  'n8'|yes");
}

TEST(FormatBuilder, StacksZipAndNest) {
  float losses[] = {0.5f, 0.25f, 2.0f};
  int64_t shape[] = {1};
  jxrt_value stack{};
  stack.kind = JXRT_VALUE_STACK;
  stack.dtype = JXRT_F32;
  stack.data = losses;
  stack.scalar.i = 3;
  FormatProgram element;
  element.repr({0, {0}}, Flavour::JaxArray);
  FormatProgram list;
  list.list(0, element);
  EXPECT_EQ(render(list, {stack}),
            "[Array(0.5, dtype=float32), Array(0.25, dtype=float32), Array(2., dtype=float32)]");
  FormatProgram tail;
  tail.elements(0, -2, {}, {}, FormatProgram(" "), FormatProgram(element));
  EXPECT_EQ(render(tail, {stack}), "Array(0.25, dtype=float32) Array(2., dtype=float32)");
  stack.rank = 1;
  stack.shape = shape;
  FormatProgram inner;
  inner.repr({0, {0, 1}}, Flavour::Python);
  FormatProgram row;
  row.list({0, {0}}, inner);
  FormatProgram nested;
  nested.list(0, row);
  EXPECT_EQ(render(nested, {stack}), "[[0.5], [0.25], [2.0]]");
}

TEST(FormatBuilder, AppendShiftsOperands) {
  FormatProgram first, second;
  first.literal("x=").str(0, Flavour::Python);
  second.literal(", y=").str(0, Flavour::Python);
  second.group(Conversion::Str, FormatProgram(), FormatProgram().literal("!").str(1, Flavour::Python));
  first.append(second, 1);
  EXPECT_EQ(render(first, {intValue(1), intValue(2), intValue(3)}), "x=1, y=2!3");
  EXPECT_FALSE(first.staticText().has_value());
  FormatProgram plain("a");
  plain.append(FormatProgram("b"));
  EXPECT_EQ(plain.staticText(), "ab");
}

TEST(FormatBuilder, OptionsTravel) {
  double values[] = {1.23456, 1e-9};
  int64_t shape[] = {2};
  jxrt_value value{};
  value.kind = JXRT_VALUE_ARRAY;
  value.dtype = JXRT_F64;
  value.data = values;
  value.rank = 1;
  value.shape = shape;
  PrintOptions options;
  options.precision = 2;
  options.suppress = true;
  EXPECT_EQ(render(FormatProgram().str(0, Flavour::NumpyArray, options), {value}), "[1.23 0.  ]");
}

TEST(FormatBuilder, OptionsOfTheRunningProgram) {
  const jxrt_option table[] = {{"n", "3", nullptr, JXRT_OPTION_INT, 0},
                               {"data", "a/b", nullptr, JXRT_OPTION_STRING, 0}};
  const char *arguments[] = {"prog", "--data", "it's"};
  jxrt_context *ctx = jxrt_context_create(nullptr);
  ASSERT_EQ(jxrt_options_parse(ctx, "prog", "", table, 2, 3, arguments), JXRT_PARSED);
  FormatProgram program;
  program.literal("<").option(1).literal("> ");
  program.group(Conversion::Repr, FormatProgram(">8"), FormatProgram().option(1));
  FormatProgram spec;
  spec.literal("^").option(0);
  program.literal("|").format(0, Flavour::Python, spec).literal("|");
  // A choice that is not taken is passed over.
  program.table(1, {FormatProgram("x").option(0), FormatProgram().option(0), FormatProgram().option(1)});
  std::vector<jxrt_value> operands{intValue(7), intValue(1)};
  EXPECT_EQ(render(program, operands, ctx), "<it's>   \"it's\"| 7 |3");
  EXPECT_FALSE(program.staticText().has_value());
  FormatProgram bound = program.withOptions([](int64_t option) { return option ? "b" : "5"; });
  EXPECT_EQ(render(bound, operands), "<b>      'b'|  7  |5");
  // Without options, or with fewer, the program is malformed.
  EXPECT_EQ(render(FormatProgram().option(0), {}).substr(0, 11), "SystemError");
  EXPECT_EQ(render(FormatProgram().option(2), {}, ctx).substr(0, 11), "SystemError");
  jxrt_context_destroy(ctx);
}

TEST(FormatBuilder, PathsAreJoinedAsByPython) {
  const char *cases[][3] = {{"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"", "b", "b"}, {"a", "", "a/"},
                            {"/", "b", "/b"},  {"a", "/b", "/b"},  {"", "", ""},   {"a//", "b/", "a//b/"}};
  for (auto [first, second, joined] : cases) {
    FormatProgram program;
    program.pathJoin(FormatProgram(first), FormatProgram(second));
    EXPECT_EQ(render(program, {}), joined) << first << " and " << second;
    EXPECT_EQ(program.hasLiteral(), *first || *second);
  }
  FormatProgram nested, outer;
  nested.pathJoin(FormatProgram("d"), FormatProgram().str(0, Flavour::Python));
  outer.literal("(").append(nested, 1).literal(")");
  EXPECT_EQ(render(outer, {intValue(1), intValue(2)}), "(d/2)");
}

} // namespace
