// Arithmetic of run-time Python numbers equals what Python recorded (record_host.py).
#include "jxrt/Host.h"
#include "gtest/gtest.h"
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

namespace {

struct HostTest : testing::Test {
  jxrt_context *ctx = jxrt_context_create(nullptr);
  ~HostTest() override { jxrt_context_destroy(ctx); }

  std::string takeError() {
    const jxrt_error *error = jxrt_pending_error(ctx);
    std::string text = std::string(error->class_name) + ": " + error->message;
    jxrt_error_clear(ctx);
    return text;
  }
};

TEST_F(HostTest, EqualsPython) {
  std::ifstream in(JX_TEST_DATA "/recorded_host.txt");
  std::string line;
  int count = 0;
  while (std::getline(in, line)) {
    if (line[0] == '#') continue;
    std::istringstream fields(line);
    std::string type, name, a, b, expected;
    fields >> type >> name >> a >> b >> std::ws;
    std::getline(fields, expected);
    int32_t kind = jxrt_host_kind_of(name.c_str());
    ASSERT_GE(kind, 0) << name;
    bool failed;
    std::string got;
    if (type == "int") {
      int64_t result = 0;
      failed = jxrt_host_int(ctx, kind, std::stoll(a), std::stoll(b), &result, nullptr) != JXRT_OK;
      got = std::to_string(result);
      if (!failed) EXPECT_EQ(got, expected) << line;
    } else {
      double result = 0;
      failed = jxrt_host_float(ctx, kind, std::strtod(a.c_str(), nullptr), std::strtod(b.c_str(), nullptr),
                               &result, nullptr) != JXRT_OK;
      double wanted = std::strtod(expected.c_str(), nullptr);
      if (!failed)
        EXPECT_TRUE(std::isnan(wanted) ? std::isnan(result)
                                       : wanted == result && std::signbit(wanted) == std::signbit(result))
            << line << " got " << result;
    }
    bool expectsError = expected.find("Error") != std::string::npos;
    EXPECT_EQ(failed, expectsError) << line;
    // Where Python goes on with a wider type, only the class is recorded: our limits are our own words.
    if (failed) {
      std::string error = takeError();
      EXPECT_EQ(expected.find(':') == expected.npos ? error.substr(0, error.find(':')) : error, expected)
          << line;
    }
    ++count;
  }
  EXPECT_GT(count, 2000);
}

TEST_F(HostTest, TruncatesTowardsZero) {
  int64_t result;
  EXPECT_EQ(jxrt_host_truncate(ctx, -2.9, &result, nullptr), JXRT_OK);
  EXPECT_EQ(result, -2);
  EXPECT_EQ(jxrt_host_truncate(ctx, NAN, &result, nullptr), JXRT_ERROR);
  EXPECT_EQ(takeError(), "ValueError: cannot convert float NaN to integer");
  EXPECT_EQ(jxrt_host_truncate(ctx, 0x1p63, &result, nullptr), JXRT_ERROR);
}

} // namespace
