// How often the body of a loop is elaborated into the program: once where it is compiled, twice where the
// first or the last trip runs apart. Each body has one sine.
#include "tests/unit/elaborate/Harness.h"
#include <gtest/gtest.h>

using jx::test::run;

// Programs are indented by two spaces here and begin with the import.
static void hasBodies(unsigned count, const std::string &program, const char *expected,
                      bool (*frozen)(const jx::ProgramOption &) = nullptr) {
  auto outcome = run("import jax.numpy as jnp\nX = jnp.arange(32.0)\n" + program);
  EXPECT_EQ(outcome.diagnostics, "");
  EXPECT_EQ(outcome.output, expected);
  unsigned found = 0;
  for (size_t at = 0; (at = outcome.module.find("jx.sin", at)) != std::string::npos; ++at) ++found;
  EXPECT_EQ(found, count) << outcome.module;
  if (frozen)
    for (const jx::ProgramOption &option : outcome.options)
      EXPECT_EQ(option.frozen, frozen(option)) << option.name;
}

TEST(Bodies, SlicesByAnIndexThatRunsRound) {
  hasBodies(1,
            "n = 0\nfor i in range(30):\n  j = i % 8\n  b = X[j * 4:(j + 1) * 4]\n  n += len(b)\n"
            "  s = jnp.sin(b).sum()\nprint(n)\n",
            "120\n");
}

TEST(Bodies, OnlyTheBatchSizeIsFrozen) {
  hasBodies(1,
            "def main(steps: int = 30, batch: int = 4):\n  total = 0.0\n  n = len(X) // batch\n"
            "  for i in range(steps):\n    j = i % n\n    total += jnp.sin(X[j * batch:(j + 1) * "
            "batch]).sum() * 0\n"
            "  print(total)\nif __name__ == '__main__':\n  main()\n",
            "0.0\n", [](const jx::ProgramOption &option) { return option.name == "batch"; });
}

TEST(Bodies, RaggedLastTripRunsApart) {
  hasBodies(
      2,
      "for i in range(7):\n  b = X[i * 5:min((i + 1) * 5, 32)]\n  s = jnp.sin(b)\n  k = len(b)\nprint(k)\n",
      "2\n");
  hasBodies(2, "for i in range(0, 32, 5):\n  s = jnp.sin(X[i:i + 5])\nprint(s.shape)\n", "(2,)\n");
}

TEST(Bodies, FirstTripGivesTheForm) {
  hasBodies(2,
            "state = None\nfor i in range(50):\n  g = jnp.sin(X)\n"
            "  state = g if state is None else state + g\nprint(state.shape)\n",
            "(32,)\n");
}

TEST(Bodies, ListThatIsReadWhileItGrows) {
  hasBodies(1,
            "h = []\nn = 0\nfor i in range(100):\n  h.append(jnp.sin(X[i % 32]))\n"
            "  if len(h) > 1 and h[-1] < h[-2]:\n    n += 1\nprint(len(h), n)\n",
            "100 49\n");
}

TEST(Bodies, ComprehensionOfManyTrips) {
  hasBodies(1, "v = [jnp.sin(x) for x in jnp.linspace(0.0, 1.0, 500)]\nprint(len(v))\n", "500\n");
  hasBodies(3, "v = [jnp.sin(x) for x in X[:3]]\nprint(len(v))\n", "3\n");
}

TEST(Bodies, WhileOverAListThatShrinks) {
  hasBodies(3, "p = [X, X, X, X]\nwhile len(p) > 1:\n  p.append(jnp.sin(p.pop() + p.pop()))\nprint(len(p))\n",
            "1\n");
}
