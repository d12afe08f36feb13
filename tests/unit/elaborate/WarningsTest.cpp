// Warnings: random keys that are used twice, on every way that a key can take, and what is right and draws
// none.
#include "tests/unit/elaborate/Harness.h"
#include <gtest/gtest.h>

using jx::test::run;

/// How often the program is warned of a key that is used twice.
static size_t reuses(const std::string &body) {
  auto outcome =
      run("import jax\nimport jax.numpy as jnp\nfrom jax import lax, random\nkey = random.key(0)\n" + body);
  EXPECT_EQ(outcome.diagnostics.find("error["), std::string::npos) << outcome.diagnostics;
  size_t count = 0;
  for (size_t at = 0; (at = outcome.diagnostics.find("JX0705", at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(Keys, TwoUsesAreReportedOnce) {
  EXPECT_EQ(reuses("a, b = random.normal(key), random.normal(key)\n"), 1u);
  EXPECT_EQ(reuses("a, b = random.split(key), random.normal(key)\n"), 1u);
  EXPECT_EQ(reuses("a, b, c = random.normal(key), random.uniform(key), random.bits(key)\n"), 1u);
}

TEST(Keys, RawKeysAreKeys) {
  EXPECT_EQ(reuses("raw = random.PRNGKey(1)\na, b = random.normal(raw), random.normal(raw)\n"), 1u);
}

TEST(Keys, FreshKeysAreFine) {
  EXPECT_EQ(reuses("k1, k2 = random.split(key)\na, b = random.normal(k1), random.normal(k2)\n"), 0u);
  EXPECT_EQ(reuses("a = random.permutation(key, 5)\n"), 0u); // which splits it again and again
}

TEST(Keys, LoopsRepeatTheirBody) {
  EXPECT_EQ(reuses("for i in range(100):\n    a = random.normal(key)\n    print(a)\n"), 1u);
  EXPECT_EQ(reuses("for i in range(100):\n    a = random.normal(random.fold_in(key, i))\n    print(a)\n"),
            0u);
  EXPECT_EQ(reuses("for i in range(100):\n    key, k = random.split(key)\n    print(random.normal(k))\n"),
            0u);
}

TEST(Keys, BranchesExcludeEachOther) {
  EXPECT_EQ(
      reuses("x = random.uniform(random.key(1))\nif x > 0.5:\n    y = random.normal(key)\nelse:\n    y = "
             "random.uniform(key)\nprint(y)\n"),
      0u);
  EXPECT_EQ(
      reuses("x = random.uniform(random.key(1))\nif x > 0.5:\n    y = random.normal(key)\nelse:\n    y = "
             "random.uniform(key)\nprint(y, random.normal(key))\n"),
      1u);
}

TEST(Keys, FunctionsUseTheirArguments) {
  std::string f = "@jax.jit\ndef f(k):\n    return random.normal(k)\n";
  EXPECT_EQ(reuses(f + "a, b = f(key), f(key)\n"), 1u);
  EXPECT_EQ(reuses("f = lambda w: w * random.normal(key)\na, b = jax.grad(f)(1.0), jax.grad(f)(2.0)\n"), 1u);
  EXPECT_EQ(reuses("f = lambda w: w * random.normal(key)\na = jax.grad(f)(1.0)\n"), 0u);
  EXPECT_EQ(
      reuses("def f(w, k):\n    return w * random.normal(k)\nfor i in range(9):\n    print(jax.grad(f)(1.0, "
             "key))\n"),
      1u);
}
