"""Writes compiler/numerics/Coefficients.h: the polynomials of the elementary functions.

Each is the interpolant at Chebyshev nodes, computed with 60 digits, which is within a small factor of the best
polynomial of its degree. Needs mpmath. The printed error is the largest of |p - f| / scale on the interval, where
`scale` says how much f contributes to the function that uses it.

    python tools/generators/polynomials.py > compiler/numerics/Coefficients.h
"""

import sys

from mpmath import asin, atan, cos, erf, erfc, exp, log, mp, mpf, nstr, pi, polyval, sin, sqrt

mp.dps = 60


def fit(f, low, high, degree):
    """Coefficients, lowest first, of the interpolant of f at the Chebyshev nodes of [low, high]."""
    n = degree + 1
    nodes = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    # Newton's divided differences, then expansion to powers.
    table = [f(x) for x in nodes]
    for level in range(1, n):
        for i in range(n - 1, level - 1, -1):
            table[i] = (table[i] - table[i - 1]) / (nodes[i] - nodes[i - level])
    powers = [table[-1]]
    for i in range(n - 2, -1, -1):
        shifted = [mpf(0)] + powers
        powers = [s - nodes[i] * p for s, p in zip(shifted, powers + [mpf(0)])]
        powers[0] += table[i]
    return powers


def limit(f, series):
    """f away from 0, the series' first terms near 0, where f would cancel."""
    return lambda x: f(x) if abs(x) > mpf(10) ** -12 else polyval(series[::-1], x)


def erfcx(x):
    return exp(x * x) * erfc(x)


def scaled_erfcx(t):
    """(1 + 2x) erfcx(x) at x = 4 (1 + t) / (1 - t)."""
    x = 4 * (1 + t) / (1 - t)
    return (1 + 2 * x) * erfcx(x)


quarter = (pi / 4) ** 2 * mpf("1.0001")
half_ln2 = log(mpf(2)) / 2 * mpf("1.001")
low_f, high_f = sqrt(mpf(1) / 2) * mpf("0.9999") - 1, sqrt(mpf(2)) * mpf("1.0001") - 1
s_max = (high_f / (2 + high_f)) ** 2
atan_max = (sqrt(mpf(2)) - 1) ** 2 * mpf("1.001")


def root(f):
    return lambda z: f(sqrt(z))


TABLES = [
    ("expF32", "(exp(r) - 1 - r) / r^2 on |r| <= ln2 / 2",
     limit(lambda r: (exp(r) - 1 - r) / r**2, [mpf(1) / 2, mpf(1) / 6]), -half_ln2, half_ln2, 5),
    ("expF64", "(exp(r) - 1 - r) / r^2 on |r| <= ln2 / 2",
     limit(lambda r: (exp(r) - 1 - r) / r**2, [mpf(1) / 2, mpf(1) / 6]), -half_ln2, half_ln2, 10),
    ("logF32", "(log(1 + f) - f + f^2 / 2) / f^3 for 1 + f from sqrt(1/2) to sqrt(2)",
     limit(lambda f: (log(1 + f) - f + f * f / 2) / f**3, [mpf(1) / 3, -mpf(1) / 4]), low_f, high_f, 9),
    ("logF64", "(log((1 + s) / (1 - s)) / s - 2) / z with z = s^2, for (1 + s) / (1 - s) from sqrt(1/2) to sqrt(2)",
     limit(root(lambda s: (log((1 + s) / (1 - s)) / s - 2) / s**2), [mpf(2) / 3, mpf(2) / 5]), mpf(0), s_max, 7),
    ("sinF32", "(sin(x) - x) / x^3 in z = x^2 on |x| <= pi / 4",
     limit(root(lambda x: (sin(x) - x) / x**3), [-mpf(1) / 6, mpf(1) / 120]), mpf(0), quarter, 3),
    ("cosF32", "(cos(x) - 1 + z / 2) / z^2 in z = x^2 on |x| <= pi / 4",
     limit(root(lambda x: (cos(x) - 1 + x * x / 2) / x**4), [mpf(1) / 24, -mpf(1) / 720]), mpf(0), quarter, 3),
    ("sinF64", "(sin(x) - x) / x^3 in z = x^2 on |x| <= pi / 4",
     limit(root(lambda x: (sin(x) - x) / x**3), [-mpf(1) / 6, mpf(1) / 120]), mpf(0), quarter, 6),
    ("cosF64", "(cos(x) - 1 + z / 2) / z^2 in z = x^2 on |x| <= pi / 4",
     limit(root(lambda x: (cos(x) - 1 + x * x / 2) / x**4), [mpf(1) / 24, -mpf(1) / 720]), mpf(0), quarter, 6),
    ("asinF64", "(asin(x) - x) / x^3 in z = x^2 on |x| <= 1/2",
     limit(root(lambda x: (asin(x) - x) / x**3), [mpf(1) / 6, mpf(3) / 40]), mpf(0), mpf("0.25"), 13),
    ("atanF64", "(atan(x) - x) / x^3 in z = x^2 on |x| <= tan(pi / 8)",
     limit(root(lambda x: (atan(x) - x) / x**3), [-mpf(1) / 3, mpf(1) / 5]), mpf(0), atan_max, 11),
    ("erfF64", "erf(x) / x in z = x^2 on |x| <= 1",
     limit(root(lambda x: erf(x) / x), [2 / sqrt(pi), -2 / (3 * sqrt(pi))]), mpf(0), mpf("1.01"), 13),
    ("erfcxF64", "(1 + 2x) exp(x^2) erfc(x) in t = (x - 4) / (x + 4) on 0 <= x <= 28",
     scaled_erfcx, mpf(-1), mpf("0.75"), 24),
]


def main():
    out = ["// Polynomials of the elementary functions, lowest power first. Written by tools/generators/polynomials.py.",
           "#pragma once", "", "namespace jx::num::coefficients {", ""]
    for name, what, f, low, high, degree in TABLES:
        powers = fit(f, low, high, degree)
        worst = max(abs(polyval([mpf(float(p)) for p in powers[::-1]], x) - f(x))
                    for x in [low + (high - low) * mpf(k) / 401 for k in range(402)])
        out.append(f"/// {what}; largest error {nstr(worst, 2)}.")
        out.append(f"inline constexpr double {name}[] = {{" + ", ".join(repr(float(p)) for p in powers) + "};")
        out.append("")
    out.append("} // namespace jx::num::coefficients")
    print("\n".join(out))


if __name__ == "__main__":
    sys.exit(main())
