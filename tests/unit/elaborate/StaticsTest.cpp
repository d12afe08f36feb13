// What Python computes at compile time: numbers, containers, functions, classes, exceptions. Expected output
// is CPython's.
#include "tests/unit/elaborate/Harness.h"
#include <gtest/gtest.h>

using jx::test::run;

static void prints(const char *program, const char *expected) {
  auto outcome = run(program);
  EXPECT_EQ(outcome.diagnostics, "");
  EXPECT_EQ(outcome.output, expected);
}

TEST(Statics, Numbers) {
  prints("print(7 // 2, -7 // 2, -7 % 3, 2 ** 70, 7 / 2, 1e16, 0.1 + 0.2, -0.0, 1 == 1.0, True + 1)\n",
         "3 -4 2 1180591620717411303424 3.5 1e+16 0.30000000000000004 -0.0 True 2\n");
  prints("print(2.5 // 1, -2.5 % 1, round(2.5), round(-3.5), round(2.675, 2), abs(-3), divmod(-7, 2), 5 & 3, "
         "5 ^ 3, ~5)\n",
         "2.0 0.5 2 -4 2.67 3 (-4, 1) 1 6 -6\n");
}

TEST(Statics, ContainersAndAliasing) {
  prints("a = [1, 2]\nb = a\nb.append(3)\nd = {'x': a}\nd['x'] += [4]\nprint(a, d, a is b, len(d), 3 in a)\n",
         "[1, 2, 3, 4] {'x': [1, 2, 3, 4]} True 1 True\n");
  prints("x = list(range(10))\nprint(x[2:8:3], x[::-1][:2], x[-1], (1,) * 3, {1, 2} & {2, 3}, sorted([3, 1, "
         "2], reverse=True))\n",
         "[2, 5] [9, 8] 9 (1, 1, 1) {2} [3, 2, 1]\n");
  prints("first, *rest = 'abc'\n(p, q), r = (1, 2), 3\nprint(first, rest, p + q + r, [i * j for i in "
         "range(3) for j in range(3) if i != j])\n",
         "a ['b', 'c'] 6 [0, 0, 0, 2, 0, 2]\n");
}

TEST(Statics, FunctionsAndClosures) {
  prints("def f(a, b=2, *args, c, d=4, **kw):\n    return (a, b, args, c, d, kw)\n"
         "print(f(1, c=3), f(1, 2, 3, 4, c=5, e=6))\n",
         "(1, 2, (), 3, 4, {}) (1, 2, (3, 4), 5, 4, {'e': 6})\n");
  prints("def counter():\n    n = 0\n    def step():\n        nonlocal n\n        n += 1\n        return n\n "
         "   return step\n"
         "c = counter()\nc()\nprint(c(), [f(3) for f in [lambda x, k=k: x * k for k in range(3)]])\n",
         "2 [0, 3, 6]\n");
  prints("def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nprint(fib(15))\n", "610\n");
}

TEST(Statics, Classes) {
  prints("class A:\n    def __init__(self, x):\n        self.x = x\n    def __add__(self, o):\n        "
         "return A(self.x + o.x)\n"
         "    def __repr__(self):\n        return f'A({self.x})'\n    @property\n    def double(self):\n     "
         "   return 2 * self.x\n"
         "class B(A):\n    def __init__(self, x):\n        super().__init__(x + 1)\n"
         "print(A(1) + B(2), B(3).double, isinstance(B(0), A), A(5))\n",
         "A(4) 8 True A(5)\n");
  prints("from typing import NamedTuple\nclass P(NamedTuple):\n    x: int\n    y: int = 2\np = "
         "P(1)\nprint(p, p.x + p[1], p._replace(y=5))\n",
         "P(x=1, y=2) 3 P(x=1, y=5)\n");
}

TEST(Statics, Exceptions) {
  prints(
      "def f(x):\n    try:\n        if x == 0:\n            raise ValueError('zero')\n        return {}[x]\n"
      "    except KeyError as e:\n        return 'key ' + str(e)\n    finally:\n        print('done', x)\n"
      "try:\n    f(0)\nexcept ValueError as e:\n    print('caught', e)\nprint(f(1))\n",
      "done 0\ncaught zero\ndone 1\nkey 1\n");
  auto outcome = run("def f(x):\n    return y + x\nf(1)\n");
  EXPECT_NE(outcome.diagnostics.find("test.jx:2"), std::string::npos) << outcome.diagnostics;
  EXPECT_NE(outcome.diagnostics.find("JX0201"), std::string::npos);
}

TEST(Statics, LoopsAreExecuted) {
  prints("steps, n = 0, 27\nwhile n != 1:\n    n = n // 2 if n % 2 == 0 else 3 * n + 1\n    steps += "
         "1\nprint(steps)\n",
         "111\n");
  prints("total = 0\nfor i in range(1000):\n    if i % 2:\n        continue\n    if i > 100:\n        "
         "break\n    total += i\nelse:\n    total = -1\nprint(total, i)\n",
         "2550 102\n");
}

TEST(Statics, Generators) {
  prints("def gen(n):\n    for i in range(n):\n        yield i * i\nprint(list(gen(4)), sum(x for x in "
         "gen(3)), next(x for x in gen(9) if x > 10))\n",
         "[0, 1, 4, 9] 5 16\n");
}

TEST(Statics, Strings) {
  prints("name, x = 'jx', 3.14159\nprint(f'{name!r:>6}|{x:.2f}|{x:{8}.{3}}|{1000000:,}', '%s-%03d' % (name, "
         "7), '{} {b}'.format(1, b=2), 'a,b'.split(','))\n",
         "  'jx'|3.14|    3.14|1,000,000 jx-007 1 2 ['a', 'b']\n");
}
