#!/usr/bin/env python3
"""Records what real JAX prints for conformance programs: record.py NAME...

Needs jax[cpu], optax (expected/VERSIONS names the versions) in the Python that runs it. A .jx file runs as Python with postponed
annotations.
"""
import __future__
import contextlib
import io
import os
import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def record(name):
    path = FOLDER / f"{name}.jx"
    code = compile(path.read_text(), str(path), "exec", flags=__future__.annotations.compiler_flag, dont_inherit=True)
    out = io.StringIO()
    scope = {"__name__": "__main__", "__file__": str(path)}
    with contextlib.redirect_stdout(out):
        exec(code, scope)
    (FOLDER / "expected" / f"{name}.txt").write_text(out.getvalue())


def main():
    import jax
    import numpy
    sys.path[:0] = [str(FOLDER)]
    os.chdir(FOLDER)
    (FOLDER / "expected" / "VERSIONS").write_text(f"jax {jax.__version__}, numpy {numpy.__version__}\n")
    for name in sys.argv[1:] or sys.exit(__doc__):
        record(name)


if __name__ == "__main__":
    main()
