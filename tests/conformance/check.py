#!/usr/bin/env python3
"""Runs conformance programs under jx and compares their output with what real JAX printed.

    check.py JX [--interpret] [--only REGEX] [--list FILE] [DIR]

Every NAME.jx with an expected/NAME.txt runs in DIR (default: this folder). Two outputs match when their texts between numbers are
equal, integers are equal, and floats agree within rtol 1e-5 or one unit of the last of three or more printed decimals; runs of white
space count as one. expected/ARGS (`NAME: --option value`) gives arguments; the first line of expected/VERSIONS names JAX and NumPy.
Exit status 0 when every program passes.
"""
import argparse
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

NUMBER = re.compile(r"(?<![\w.])[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w])|(?<![\w.+-])-?inf(?!\w)|(?<![\w.])nan(?!\w)")


def tokens(line):
    """The texts between the numbers of a line, and the numbers."""
    line = re.sub(r"\s+", " ", line).strip()
    line = re.sub(r"(?<=[\[(]) | (?=[\])])", "", line)
    return NUMBER.split(line), NUMBER.findall(line)


def close(expected, actual):
    """Whether two number tokens stand for the same value."""
    if re.fullmatch(r"[+-]?\d+", expected):
        return re.fullmatch(r"[+-]?\d+", actual) is not None and int(expected) == int(actual)
    if re.fullmatch(r"[+-]?\d+", actual):
        return False
    e, a = float(expected), float(actual)
    if e != e or a != a:
        return e != e and a != a
    if e in (float("inf"), float("-inf")) or a in (float("inf"), float("-inf")):
        return e == a
    mantissa, _, exponent = expected.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    unit = 10.0 ** (int(exponent or 0) - decimals) if decimals >= 3 else 0.0
    return abs(e - a) <= max(1e-5 * abs(e), 1e-6, 1.001 * unit)


def difference(expected, actual):
    """The first line that differs, or None."""
    wanted, got = expected.rstrip().splitlines(), actual.rstrip().splitlines()
    for number, (w, g) in enumerate(zip(wanted, got), 1):
        (w_text, w_numbers), (g_text, g_numbers) = tokens(w), tokens(g)
        if w_text != g_text or len(w_numbers) != len(g_numbers) or not all(map(close, w_numbers, g_numbers)):
            return f"line {number}:\n  expected {w}\n  printed  {g}"
    if len(wanted) != len(got):
        return f"{len(wanted)} lines expected, {len(got)} printed"
    return None


def run(jx, program, arguments, interpret):
    flags = ["--interpret"] if interpret else []
    try:
        result = subprocess.run([jx, "run", *flags, program.name, *arguments], cwd=program.parent, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "no end after 120 s"
    if result.returncode != 0:
        return f"exit status {result.returncode}: {result.stderr.strip()[-1500:]}"
    return difference((program.parent / "expected" / (program.stem + ".txt")).read_text(), result.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("jx")
    parser.add_argument("folder", nargs="?", default=Path(__file__).parent, type=Path)
    parser.add_argument("--interpret", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    jx = str(Path(options.jx).resolve())
    args_file = options.folder / "expected" / "ARGS"
    table = dict(line.split(":", 1) for line in args_file.read_text().splitlines() if ":" in line) if args_file.exists() else {}
    programs = sorted(p for p in options.folder.glob("*.jx")
                      if (options.folder / "expected" / (p.stem + ".txt")).exists() and re.search(options.only, p.stem))
    if not programs:
        sys.exit("no program matches")
    with ThreadPoolExecutor(options.jobs) as pool:
        reasons = list(pool.map(lambda p: run(jx, p, shlex.split(table.get(p.stem, "")), options.interpret), programs))
    failed = [(p, reason) for p, reason in zip(programs, reasons) if reason]
    for program, reason in failed:
        print(f"{program.stem}: {reason}")
    print(f"{len(programs) - len(failed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
