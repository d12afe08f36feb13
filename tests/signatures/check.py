#!/usr/bin/env python3
"""Compares the parameters of the library's functions with the recorded ones: check.py STDLIB [MODULE...]

For each `name(parameters)` of recorded/MODULE.txt the `def` that MODULE.name stands for is found in the .jx files by reading them: through
imports, aliases, functions that return a function, and classes. Names, order, kinds and defaults must be equal; parameters of jx that
begin with an underscore do not count. differences.tsv lists what may differ: `MODULE.name<TAB>reason`, `MODULE.*` for what is not there of
a module. A line of it that allows nothing fails too.
"""
import ast
import sys
from pathlib import Path

HERE = Path(__file__).parent
# Where jx keeps what has no module in JAX's API.
PLACES = {"jax.Array": "jax._src.array_methods", "jax.Array.at": "jax._src.updates.IndexUpdateRef"}
METHODS_OF_MODULE = {"jax._src.array_methods"}  # functions whose first parameter is the object


class Library:
    def __init__(self, root):
        self.root, self.modules = Path(root), {}

    def module(self, name):
        """The names that a module binds at its top level, each with what it is bound to; None if there is no such module."""
        if name not in self.modules:
            base = self.root / Path(*name.split("."))
            file = next((f for f in (base / "__init__.jx", base.with_suffix(".jx")) if f.is_file()), None)
            self.modules[name] = None if file is None else bindings(ast.parse(file.read_text()).body)
        return self.modules[name]

    def find(self, module, name):
        """The definition that a name of a module stands for: a node and the names in whose scope it stands."""
        scope = self.module(module)
        if scope is None or name not in scope:
            return None if self.module(f"{module}.{name}") is None else (module + "." + name, None)
        bound = scope[name]
        if isinstance(bound, tuple):
            return self.find(*bound) if bound[1] else (bound[0], None)
        return self.resolve(module, bound)

    def resolve(self, module, node):
        if isinstance(node, ast.Name):
            return self.find(module, node.id)
        if isinstance(node, ast.Attribute):
            owner = self.resolve(module, node.value)
            if owner is None:
                return None
            place, definition = owner
            if definition is None:
                return self.find(place, node.attr)
            return self.member(place, definition, node.attr) if isinstance(definition, ast.ClassDef) else None
        if isinstance(node, ast.Call):
            made = self.resolve(module, node.func)
            if made is None or made[1] is None:
                return None
            place, definition = made
            if isinstance(definition, ast.ClassDef):
                return self.member(place, definition, "__call__")
            inner = bindings(definition.body)
            returned = [s.value for s in definition.body if isinstance(s, ast.Return)]
            if len(returned) != 1:
                return None
            if isinstance(returned[0], ast.Name):
                return (place, inner[returned[0].id]) if returned[0].id in inner else None
            return self.resolve(place, returned[0])
        return (module, node) if isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef)) else None

    def member(self, module, definition, name):
        found = bindings(definition.body).get(name)
        while isinstance(found, ast.Name):
            found = bindings(definition.body).get(found.id)
        for base in definition.bases if found is None else ():
            owner = self.resolve(module, base)
            if owner is not None and isinstance(owner[1], ast.ClassDef):
                return self.member(*owner, name)
        return None if found is None else (module, Bound(found))


class Bound:
    """A method, whose first parameter the call does not give."""

    def __init__(self, definition):
        self.definition = definition


def bindings(body):
    names = {}
    for statement in body:
        if isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                names[alias.asname or alias.name] = (statement.module, alias.name)
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                names[alias.asname or alias.name.partition(".")[0]] = (alias.name if alias.asname else alias.name.partition(".")[0], "")
        elif isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            names[statement.name] = statement
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    names[target.id] = statement.value
                elif isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
                    names.update((t.id, v) for t, v in zip(target.elts, statement.value.elts) if isinstance(t, ast.Name))
    return names


def parameters(arguments, bound=False):
    """A list of (kind, name, default); the names of positional-only and starred parameters do not matter."""
    def default(node):
        if node is None:
            return None
        try:
            return repr(ast.literal_eval(node))
        except ValueError:
            return ast.unparse(node)
    plain = [("positional", "", d) for d in arguments.posonlyargs] + [("either", a.arg, a) for a in arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults
    result = [(kind, name, default(d)) for (kind, name, _), d in zip(plain, defaults)][1 if bound else 0:]
    result += [("any positional", "", None)] if arguments.vararg else []
    result += [("keyword", a.arg, default(d)) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    result += [("any keyword", "", None)] if arguments.kwarg else []
    return [q for q in result if not q[1].startswith("_")]


def shown(arguments, bound=False):
    text = ast.unparse(arguments)
    return text.partition(",")[2].strip().removeprefix("/, ") if bound else text


def strip_annotations(arguments):
    for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]:
        if a is not None:
            a.annotation = None
    return arguments


def compare(library, module, line):
    """None, or how jx's function differs from the recorded line."""
    name = line.partition("(")[0]
    recorded = ast.parse(f"def {line}: ...").body[0].args
    place = PLACES.get(module, module)
    owner, _, member = place.rpartition(".")
    if library.module(place) is not None:
        found = library.find(place, name)
    else:
        owner = library.find(owner, member)
        found = library.member(owner[0], owner[1], name) if owner is not None and isinstance(owner[1], ast.ClassDef) else None
    if found is None:
        exists = name in (library.module(place) or {})
        return "jx finds no `def` of it" if exists else "jx does not have it"
    definition, bound = found[1], place in METHODS_OF_MODULE
    if isinstance(definition, ast.ClassDef):
        made = library.member(found[0], definition, "__init__")
        definition = None if made is None else made[1]
    if isinstance(definition, Bound):
        definition, bound = definition.definition, True
    if not isinstance(definition, (ast.FunctionDef, ast.Lambda)):
        return "jx finds no `def` of it"
    own = strip_annotations(definition.args)
    if parameters(recorded) == parameters(own, bound):
        return None
    return f"jx has ({shown(own, bound)})\n{' ' * 8}instead of ({ast.unparse(recorded)})"


def main():
    library, only = Library(sys.argv[1]), sys.argv[2:]
    allowed = {}
    for line in (HERE / "differences.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, reason = line.partition("\t")
            assert reason, f"differences.tsv: {name} has no reason"
            allowed[name] = reason
    used, failures, count = set(), [], 0
    for file in sorted((HERE / "recorded").glob("*.txt")):
        module = file.stem
        if only and module not in only:
            continue
        for line in file.read_text().splitlines()[1:]:
            count += 1
            difference = compare(library, module, line)
            name = f"{module}.{line.partition('(')[0]}"
            if difference is None:
                continue
            entry = name if name in allowed else f"{module}.*" if difference == "jx does not have it" and f"{module}.*" in allowed else None
            if entry is None:
                failures.append(f"{name}: {difference}")
            else:
                used.add(entry)
    failures += [f"differences.tsv: {name} differs no longer" for name in allowed if name not in used and not only]
    print("\n".join(failures))
    print(f"{count} signatures, {len(used)} listed differences, {len(failures)} failures")
    return 1 if failures or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
