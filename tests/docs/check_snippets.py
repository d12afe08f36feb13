#!/usr/bin/env python3
"""Runs the snippets of the documentation: check_snippets.py JX ROOT

A block marked `python` in README.md or docs/*.md is a program; the block marked `text` that follows it is what it prints, and a block
marked `error` what it is refused with: each of its lines occurs in the report. Without either the program must only run. `python` blocks
marked `continued` go on from the block before. A comment `# file: NAME.jx` in the first line makes a file that later snippets import.
Numbers are compared as conformance programs compare them. Exit status 0 when every snippet does what its page says.
"""
import importlib.util
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.M | re.S)


def load_comparison(root):
    spec = importlib.util.spec_from_file_location("check", root / "tests" / "conformance" / "check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.difference


def snippets(text):
    """(line, source, expected kind or None, expected text) of each program on a page."""
    blocks = [(text.count("\n", 0, m.start()) + 1, m[1], m[2], m[3]) for m in BLOCK.finditer(text)]
    before = ""
    for k, (line, language, marks, source) in enumerate(blocks):
        if language != "python":
            continue
        if "continued" in marks:
            source = before + source
        before = source
        follower = blocks[k + 1] if k + 1 < len(blocks) else (0, "", "", "")
        kind = follower[1] if follower[1] in ("text", "error") else None
        yield line, source, kind, follower[3] if kind else ""


def failure(jx, difference, folder, source, kind, expected):
    """What is wrong with one snippet, or None."""
    named = re.match(r"# file: (\S+)\n", source)
    if named:
        (folder / named[1]).parent.mkdir(parents=True, exist_ok=True)
        (folder / named[1]).write_text(source)
        return None
    (folder / "snippet.jx").write_text(source)
    result = subprocess.run([jx, "run", "snippet.jx"], cwd=folder, capture_output=True, text=True, timeout=120)
    if kind == "error":
        missing = [line for line in expected.splitlines() if line.strip() and line not in result.stderr]
        if result.returncode == 0 or missing:
            return f"the report lacks {missing}:\n{result.stderr}"
        return None
    if result.returncode != 0:
        return result.stderr
    return difference(expected, result.stdout) if kind else None


def main():
    jx, root = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2])
    difference = load_comparison(root)
    count = failed = 0
    for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        with tempfile.TemporaryDirectory() as folder:
            for line, source, kind, expected in snippets(page.read_text()):
                count += 1
                wrong = failure(jx, difference, Path(folder), source, kind, expected)
                if wrong:
                    failed += 1
                    print(f"{page.relative_to(root)}:{line}: {wrong}")
    print(f"{count - failed} snippets pass, {failed} fail")
    sys.exit(1 if failed or not count else 0)


if __name__ == "__main__":
    main()
