#!/usr/bin/env python3
"""Records the signatures of the public functions of modules: record.py MODULE[.CLASS]...

Needs the library (jax, optax) in the Python that runs it. Writes recorded/MODULE.txt: the library and its version, then a line
`name(parameters)` for each function, without annotations; parameters that begin with an underscore are left out. What is neither
function nor callable object (modules, constants, classes, dtypes) is not recorded. `jax.Array.at` stands for the class of `x.at[...]`.
"""
import enum
import importlib
import inspect
import sys
import types
from pathlib import Path


def default(value):
    """A default value as the source text of a library would have it."""
    if isinstance(value, (type, types.FunctionType)) or type(value).__name__ in ("jitted_function", "PjitFunction"):
        return value.__name__
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, frozenset) and not value:
        return "frozenset()"
    return "<object>" if repr(value).startswith("<") else repr(value)


def signature(function, bound):
    parts, last = [], None
    parameters = [q for q in inspect.signature(function).parameters.values() if not q.name.startswith("_")]
    for position, q in enumerate(parameters[1:] if bound else parameters):
        if last == q.POSITIONAL_ONLY and q.kind != last:
            parts.append("/")
        if q.kind == q.KEYWORD_ONLY and last not in (q.KEYWORD_ONLY, q.VAR_POSITIONAL):
            parts.append("*")
        star = {q.VAR_POSITIONAL: "*", q.VAR_KEYWORD: "**"}.get(q.kind, "")
        parts.append(star + q.name + ("" if q.default is q.empty else "=" + default(q.default)))
        last = q.kind
    if last == inspect.Parameter.POSITIONAL_ONLY:
        parts.append("/")
    return f"({', '.join(parts)})"


def find(path):
    """The module or class of a dotted path."""
    if path == "jax.Array.at":
        import jax.numpy
        return type(jax.numpy.zeros(1).at[0])
    parts = path.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        for part in parts[count:]:
            found = getattr(found, part)
        return found
    raise ImportError(path)


def record(path):
    place = find(path)
    package = sys.modules[path.partition(".")[0]]
    version = getattr(package, "__version__", None)
    lines = [f"# {package.__name__} {version}" if version else f"# Python {sys.version.split()[0]}"]
    bound = isinstance(place, type)
    listed = getattr(place, "__all__", None)
    public = listed if isinstance(listed, (list, tuple)) and listed else dir(place)
    for name in sorted(n for n in public if not n.startswith("_")):
        value = inspect.getattr_static(place, name) if bound else getattr(place, name)
        if isinstance(value, (types.ModuleType, type, property)) or not callable(value):
            continue
        try:
            lines.append(name + signature(value, bound))
        except (ValueError, TypeError):
            pass  # a function written in C, or a dtype
    (Path(__file__).parent / "recorded" / f"{path}.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    for argument in sys.argv[1:] or sys.exit(__doc__):
        record(argument)
