"""Writes docs/primitives.md, the reference of the dialect: every op with its operands and attributes, and where each rule stands.

    python3 tools/generators/primitives.py > docs/primitives.md

Reads the op definitions through llvm-tblgen (LLVM_TBLGEN, else the one of LLVM 22), and looks up in the sources which
file defines a rule. With --check, compares with the file instead, and fails if it is out of date.
"""
import collections
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "primitives.md"
LLVM = pathlib.Path(os.environ.get("JX_LLVM_ROOT", "/usr/lib/llvm-22"))
ATTRIBUTES = {"I64Attr": "int", "F64Attr": "float", "BoolAttr": "bool", "StrAttr": "str", "TypeAttr": "dtype",
              "DenseI64ArrayAttr": "ints", "ElementsAttr": "literal", "UnitAttr": "flag", "ArrayAttr": "strs",
              "FlatSymbolRefAttr": "function"}

HEAD = """# The jx dialect

Written by `tools/generators/primitives.py` from the op definitions; a test keeps it up to date.

Values are arrays of static shape and element type, or stacks (`!jx.stack`), run-time lists of equal arrays. An op is
`jx.NAME`; library code calls it as `p.NAME(arrays..., attribute=...)`. How a rule is written: `docs/adding-a-primitive.md`;
what must hold of it: `tests/laws`.

## Rules

What each column says, with the file that states it:

- **infer**: result types and all checks of operands. `regions` types follow from the terminators, and `verify` checks them.
- **fold**: `fold` to an operand or a literal, `canon` rewriting into a simpler op.
- **eval**: the reference interpreter.
- **jvp**: `linear` is the op itself on tangents; `0` a derivative that is zero by definition.
- **transpose**: `-` for ops that are linear in nothing.
- **batch**: `leading` is the op itself with one more leading dimension.
- **split**: for ops with regions or callees, into a known and a linear part.
- **lowering**: `kernel`, `compiler/lowering/Kernel*` and the emitters it calls; `control`, `Control*`; `-` where a
  transform has replaced the op before.
"""


def read_definitions():
    """The records of all ops, in order of definition, and of what they are made of, by name."""
    tablegen = os.environ.get("LLVM_TBLGEN", str(LLVM / "bin" / "llvm-tblgen"))
    command = [tablegen, "--dump-json", "-I", str(LLVM / "include"), "-I", str(ROOT), str(ROOT / "compiler/dialect/JxOps.td")]
    records = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    ops = [records[name] for kind in ("Jx_Primitive", "Jx_Structural") for name in records["!instanceof"][kind]]
    return sorted(ops, key=lambda op: int(op["!locs"][0].split(":")[1])), records


# Families whose ops become native functions, alone or together; those of the others become the program around them.
KERNELS = {"convert", "dot", "elementwise", "index", "random", "reduce", "shape", "sort"}


class Sources:
    """Where C++ defines what."""

    def __init__(self):
        self.texts = {path.relative_to(ROOT): path.read_text() for path in sorted((ROOT / "compiler/ops").rglob("*")) if path.suffix in (".cpp", ".def")}

    def definition(self, op, rule):
        """The file that defines op::rule, and the rest of the line that does."""
        macros = {"inferReturnTypes": rf"JX_INFER\({op}\)", "jvp": rf"JX_PRIMAL_ONLY\({op}\)",
                  "transpose": rf"JX_PRIMAL_ONLY\({op}\)"}
        patterns = [rf"\b{op}::{rule}\(.*"] + ([rf"^{macros[rule]}.*"] if rule in macros else [])
        for pattern in patterns:
            for path, text in self.texts.items():
                if match := re.search(pattern, text, re.MULTILINE):
                    line = match.group(0)
                    if "PRIMAL_ONLY" in line:
                        line = "zeroJvp notLinear"
                    return path, line
        return None, ""

    def formula(self, op):
        formulas = pathlib.Path("compiler/ops/elementwise/Formulas.def")
        return formulas if re.search(rf"\({op},", self.texts[formulas]) else None


def link(path, text=None):
    return f"[{text or path.stem}](../{path})"


def class_name(record):
    return record["!name"].removeprefix("Jx_")


def has(record, superclass):
    return superclass in record["!superclasses"]


def code(record):
    return record["extraClassDefinition"] or ""


def lowering(record):
    if family(record) == "collective" or record["opName"] == "custom_linear":
        return "-"
    return "kernel" if family(record) in KERNELS else "control"


def rule_cells(record, sources):
    op, definition = class_name(record), code(record)

    def cell(rule, regular):
        for mark, text in regular.items():
            if mark in definition:
                return text
        path, line = sources.definition(op, rule)
        for mark, text in regular.items():
            if path and mark in line:
                return text
        return link(path) if path else "-"

    infer = link(pathlib.Path("compiler/dialect/Rules.cpp")) if "inferElementwise" in definition else cell("inferReturnTypes", {})
    if has(record, "Jx_RegionOp") and infer == "-":
        infer = "regions" if record["hasVerifier"] else "callee"
    folds = []
    if record["hasFolder"]:
        folds.append(link(sources.definition(op, "fold")[0], "fold"))
    if record["hasCanonicalizer"]:
        folds.append(link(sources.definition(op, "getCanonicalizationPatterns")[0], "canon"))
    formula = sources.formula(op)
    return [infer,
            link(sources.definition(op, "verify")[0]) if record["hasVerifier"] else "-",
            ", ".join(folds) or "-",
            link(formula) if formula else cell("eval", {}),
            cell("jvp", {"zeroJvp": "0", "linearJvp": "linear"}),
            cell("transpose", {"notLinear": "-"}),
            cell("batch", {"batchElementwise": "leading", "batchAsIs": "leading"}),
            cell("split", {}),
            lowering(record)]


def kind_of(argument, records):
    """Of an operand "", "Variadic" or "Optional"; of an attribute its record's name, "Optional" before it or not."""
    record = records[argument["def"]]
    classes = record["!superclasses"]
    if "OptionalAttr" in classes:
        return "Optional" + record["baseAttr"]["def"]
    for kind in ("Variadic", "Optional"):
        if kind in classes:
            return kind
    return argument["def"] if "Attr" in classes else ""


def signature(record, records):
    arrays, attributes = [], []
    for argument, name in record["arguments"]["args"]:
        kind = kind_of(argument, records)
        if kind in ("", "Variadic", "Optional"):
            arrays.append({"Variadic": f"*{name}", "Optional": f"{name}?", "": name}[kind])
        else:
            attribute = ATTRIBUTES[kind.removeprefix("Optional")]
            attributes.append(f"{name}: {attribute}" + (" = None" if kind.startswith("Optional") else ""))
    return f"{record['opName']}({', '.join(arrays + attributes)})"


def family(record):
    return record["!locs"][0].split(".td")[0].lower()


def document(ops, records, sources):
    lines = [HEAD]
    families = collections.defaultdict(list)
    for record in ops:
        families[family(record)].append(record)
    lines.append("| op | infer | verify | fold | eval | jvp | transpose | batch | split | lowering |")
    lines.append("|-|-|-|-|-|-|-|-|-|-|")
    for name in sorted(families):
        for record in families[name]:
            if not has(record, "Jx_Structural"):
                lines.append(f"| `{record['opName']}` | " + " | ".join(rule_cells(record, sources)) + " |")
    lines.append("\n## Ops\n")
    for name in sorted(families):
        lines.append(f"### {name}\n")
        for record in families[name]:
            summary = " ".join((record["summary"] or "").split())
            lines.append(f"- `{signature(record, records)}`" + (f": {summary}" if summary else ""))
            if description := " ".join((record["description"] or "").split()):
                lines.append(f"  {description}")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def main():
    ops, records = read_definitions()
    text = document(ops, records, Sources())
    if sys.argv[1:] != ["--check"]:
        print(text, end="")
        return 0
    difference = list(difflib.unified_diff(DOCUMENT.read_text().splitlines(), text.splitlines(), "docs/primitives.md",
                                           "what the op definitions say", lineterm=""))
    if difference:
        print("\n".join(difference))
        print("docs/primitives.md is out of date: python3 tools/generators/primitives.py > docs/primitives.md")
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
