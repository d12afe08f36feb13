// Run-time control flow: loops with carries, lists that grow, joins, early exits, host values, options.
// Expected output is CPython's, with the arrays replaced by what real JAX prints.
#include "tests/unit/elaborate/Harness.h"
#include <gtest/gtest.h>

using jx::test::run;

static jx::test::Outcome prints(const char *program, const char *expected,
                                jx::ElaborateOptions options = {}) {
  auto outcome = run(program, std::move(options));
  EXPECT_EQ(outcome.diagnostics, "");
  EXPECT_EQ(outcome.output, expected);
  return outcome;
}

TEST(Control, LoopBecomesOneOperation) {
  auto outcome =
      prints("import jax.numpy as jnp\nx = jnp.array([1.0, 2.0])\ntotal = 0.0\nfor i in range(100):\n    x = "
             "x * 0.5 + i\n    total += x.sum()\nprint(x, f'{total:.1f}', i)\n",
             "[196. 196.] 19411.0 99\n");
  EXPECT_EQ(outcome.module.find("jx.for"), outcome.module.rfind("jx.for"));
}

TEST(Control, ListsGrowIntoStacks) {
  prints("import jax.numpy as jnp\nlosses = []\nx = jnp.float32(8.0)\nfor i in range(6):\n    x = x / 2\n    "
         "losses.append(float(x))\nprint(len(losses), losses[-1], losses)\n",
         "6 0.125 [4.0, 2.0, 1.0, 0.5, 0.25, 0.125]\n");
}

TEST(Control, WeakCarriesWiden) {
  prints("import jax.numpy as jnp\nxs = jnp.array([3.0, 1.0, 2.0])\nbest, where, total = 0.0, -1, 0\nfor i, "
         "x in enumerate(xs):\n    total = total + x\nfor i in range(3):\n    if xs[i] > best:\n        "
         "best, where = xs[i], i\nprint(best, where, total)\n",
         "3.0 0 6.0\n");
}

TEST(Control, EarlyExits) {
  const char *program = "import jax.numpy as jnp\ndef find(x, limit):\n    for i in range(100):\n        if "
                        "x > limit:\n            return i, x\n        x = x * 2.0\n    return -1, x\n"
                        "def first(x):\n    if x > 1.0:\n        return x\n    if x < -1.0:\n        return "
                        "-x\n    return x * 0.0\n"
                        "k, v = find(jnp.float32(1.0), 50.0)\nprint(k, v, first(jnp.float32(2.0)), "
                        "first(jnp.float32(-3.0)), first(jnp.float32(0.5)))\n";
  prints(program, "6 64.0 2.0 3.0 0.0\n");
  prints("import jax.numpy as jnp\nx = jnp.float32(1.0)\nn = 0\nwhile True:\n    x = x * 2\n    n += 1\n    "
         "if x > 30:\n        break\nprint(x, n)\n",
         "32.0 5\n");
}

TEST(Control, OptionsStayDynamicUntilAShapeNeedsThem) {
  const char *program =
      "import jax.numpy as jnp\ndef main(steps: int = 3, size: int = 2, lr: float = 0.5):\n    x = "
      "jnp.ones(size)\n    for i in range(steps):\n        x = x - lr * x\n    print(x)\n"
      "if __name__ == '__main__':\n    main()\n";
  auto outcome = prints(program, "[0.125 0.125]\n");
  ASSERT_EQ(outcome.options.size(), 3u);
  EXPECT_FALSE(outcome.options[0].frozen);
  EXPECT_TRUE(outcome.options[1].frozen);
  EXPECT_FALSE(outcome.options[2].frozen);
}

TEST(Control, DivergingBranchesAreReportedOnUse) {
  auto outcome = run("import jax.numpy as jnp\nx = jnp.float32(1.0)\nif x > 0:\n    y = 1\nprint(y)\n");
  EXPECT_NE(outcome.diagnostics.find("JX0411"), std::string::npos) << outcome.diagnostics;
}

TEST(Control, StructureThatChangesInALoopIsAnError) {
  auto outcome = run("import jax.numpy as jnp\nx = jnp.ones(2)\nfor i in range(1000):\n    x = "
                     "jnp.concatenate([x, x[:1]])\nprint(x)\n");
  EXPECT_NE(outcome.diagnostics.find("JX0402"), std::string::npos) << outcome.diagnostics;
  EXPECT_NE(outcome.diagnostics.find("test.jx:3"), std::string::npos) << outcome.diagnostics;
}

TEST(Control, RaiseUnderARunTimeConditionIsACheck) {
  auto outcome = run("import jax.numpy as jnp\nx = jnp.float32(-1.0)\nprint('before')\nif x < 0:\n    raise "
                     "ValueError('negative')\nprint('after')\n");
  EXPECT_EQ(outcome.output, "before\n");
  EXPECT_NE(outcome.diagnostics.find("ValueError: negative"), std::string::npos) << outcome.diagnostics;
}

TEST(Control, ReverseModeGoesThroughEarlyReturns) {
  prints("import jax\nimport jax.numpy as jnp\ndef f(x):\n    for i in range(10):\n        if x > 5.0:\n     "
         "       return x\n"
         "        x = x * 2\n    return x * 0.0\nprint(f(jnp.float32(1.0)), jax.jvp(f, (1.0,), (1.0,))[1], "
         "jax.grad(f)(1.0))\n",
         "8.0 8.0 8.0\n");
}

TEST(Control, TransformsInsideLoopsUseVariablesOfTheLoop) {
  prints("import jax\nimport jax.numpy as jnp\nx = jnp.ones(2)\nfor i in range(3):\n"
         "    x = x + jax.vmap(lambda a: jnp.sum(a * x))(x)\nprint(x)\n",
         "[903. 903.]\n");
}
