"""Runs random programs (generate.py, arrays.py, regions.py) compiled and interpreted, and under JAX where it is installed, and compares what they print.

    python run.py --jx build/bin/jx [--kind control] [--seed 1] [--count 500] [--jax] [--keep FOLDER]

Program k has the seed `seed * 1000000 + k`. Programs that disagree, or that do not run, are kept in FOLDER.
"""

import argparse
import concurrent.futures
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import arrays
import generate
import regions

KINDS = {"control": generate.program, "arrays": arrays.program, "regions": regions.program}

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf)")
TOLERANCE = 2e-4  # relative, and absolute near zero: the programs sum, normalise and differentiate twice in float32
HALF_TOLERANCE = 0.06  # on lines that name a half-precision dtype: XLA may keep more digits between operations


def tokens(text):
    """The numbers of an output, each with its tolerance, and what stands between them without blanks (line breaks depend on digits)."""
    numbers = [(float(n), HALF_TOLERANCE if "float16" in line else TOLERANCE) for line in text.splitlines() for n in NUMBER.findall(line)]
    return numbers, re.sub(r"\s+", "", NUMBER.sub("#", text)).replace("-", "")


def agree(a, b):
    """Whether two outputs are the same but for rounding."""
    numbers_a, text_a = tokens(a)
    numbers_b, text_b = tokens(b)
    if text_a != text_b or len(numbers_a) != len(numbers_b):
        return False
    return all(x == y or (x != x and y != y) or abs(x - y) <= tolerance * max(1.0, abs(x), abs(y)) for (x, tolerance), (y, _) in zip(numbers_a, numbers_b))


def run_jx(jx, path, *flags):
    """The output of the program, or None and why it did not run."""
    try:
        done = subprocess.run([jx, "run", path, *flags], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return None, "timeout"
    if done.returncode:
        return None, f"exit status {done.returncode}: {done.stderr.strip()[:400]}"
    return done.stdout, ""


def run_jax(text):
    """What JAX prints for the program, or None and the exception."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(text, "<program>", "exec"), {"__name__": "__main__"})
    except Exception as error:  # whatever the program raises is the finding
        return None, f"JAX: {type(error).__name__}: {str(error)[:200]}"
    return out.getvalue(), ""


def check(jx, program, seed, folder):
    """The outputs of one program and a list of what is wrong with them."""
    text = program(seed)
    path = os.path.join(folder, f"program{seed}.jx")
    with open(path, "w") as file:
        file.write(text)
    problems = []
    compiled, why = run_jx(jx, path)
    if compiled is None:
        problems.append("compiled: " + why)
    interpreted, why = run_jx(jx, path, "--interpret")
    if interpreted is None:
        problems.append("interpreted: " + why)
    if compiled is not None and interpreted is not None and not agree(compiled, interpreted):
        problems.append(f"compiled and interpreted differ:\n{compiled}---\n{interpreted}")
    return seed, text, path, compiled, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jx", required=True)
    parser.add_argument("--kind", choices=KINDS, default="control", help="what the programs are about: loops and branches, arrays, or regions under transformations")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--jax", action="store_true", help="compare with JAX, which must be installed, too")
    parser.add_argument("--keep", help="folder for the programs that fail")
    arguments = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or scratch
        os.makedirs(folder, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            seeds = [arguments.seed * 1_000_000 + k for k in range(arguments.first, arguments.first + arguments.count)]
            for seed, text, path, compiled, problems in pool.map(lambda s: check(arguments.jx, KINDS[arguments.kind], s, folder), seeds):
                if arguments.jax:
                    expected, why = run_jax(text)
                    if expected is None:
                        problems.append(why)
                    elif compiled is not None and not agree(compiled, expected):
                        problems.append(f"jx and JAX differ:\n{compiled}---\n{expected}")
                if problems:
                    failures += 1
                    print(f"FAIL seed {seed}\n    " + "\n    ".join("\n".join(problems).splitlines()[:40]), flush=True)
                else:
                    os.remove(path)
    print(f"{arguments.count} programs, {failures} failures")
    return 1 if failures or not arguments.count else 0


if __name__ == "__main__":
    sys.exit(main())
