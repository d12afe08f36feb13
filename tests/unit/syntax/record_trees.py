"""Records what CPython makes of the corpus: hashes of each program's tree, of its
scopes and of the places of its expressions, in the normal form that
ReferenceTest.cpp writes too. Run as: python3.11 record_trees.py > recorded_trees.txt. With --show FILE: the form."""

import ast
import pathlib
import struct
import symtable
import sys


def hexed(data):
    return data.hex()


def constant(value):
    if value is None or value is True or value is False:
        return str(value)
    if value is ...:
        return "Ellipsis"
    if isinstance(value, int):
        return f"i{value}"
    if isinstance(value, float):
        return "f" + struct.pack(">d", value).hex()
    if isinstance(value, complex):
        return "j" + struct.pack(">d", value.imag).hex()
    if isinstance(value, str):
        return "s" + value.encode("utf-8", "surrogatepass").hex()
    return "b" + value.hex()


def parts(values):
    out, literal = [], ""
    for value in values:
        if isinstance(value, ast.Constant):
            literal += value.value
            continue
        if literal:
            out.append(constant(literal))
            literal = ""
        conversion = chr(value.conversion) if value.conversion > 0 else "-"
        spec = "(" + parts(value.format_spec.values) + ")" if value.format_spec else "-"
        out.append(f"(field {form(value.value)} {conversion} {spec})")
    if literal:
        out.append(constant(literal))
    return " ".join(out)


def forms(nodes):
    return "[" + " ".join(form(node) for node in nodes) + "]"


def parameters(args):
    rows = []
    positional = args.posonlyargs + args.args
    defaults = [None] * (len(positional) - len(args.defaults)) + args.defaults
    for index, (arg, default) in enumerate(zip(positional, defaults)):
        rows.append((0 if index < len(args.posonlyargs) else 1, arg, default))
    if args.vararg:
        rows.append((2, args.vararg, None))
    for arg, default in zip(args.kwonlyargs, args.kw_defaults):
        rows.append((3, arg, default))
    if args.kwarg:
        rows.append((4, args.kwarg, None))
    return "[" + " ".join(f"(param {kind} {a.arg} {form(a.annotation)} {form(d)})" for kind, a, d in rows) + "]"


def aliases(names):
    return "[" + " ".join(f"{a.name}:{a.asname or '-'}" for a in names) + "]"


def keywords(rows):
    return "[" + " ".join(f"({k.arg or '-'} {form(k.value)})" for k in rows) + "]"


def context(node):
    return {"Load": "l", "Store": "s", "Del": "d"}[type(node.ctx).__name__]


def clauses(rows):
    return "[" + " ".join(f"({form(g.target)} {form(g.iter)} {forms(g.ifs)})" for g in rows) + "]"


def form(n):
    if n is None:
        return "-"
    name = type(n).__name__
    match name:
        case "Constant": return constant(n.value)
        case "JoinedStr": return f"(FString {parts(n.values)})"
        case "Name": return f"(Name {n.id} {context(n)})"
        case "Attribute": return f"(Attribute {form(n.value)} {n.attr} {context(n)})"
        case "Subscript": return f"(Subscript {form(n.value)} {form(n.slice)} {context(n)})"
        case "Slice": return f"(Slice {form(n.lower)} {form(n.upper)} {form(n.step)})"
        case "Call": return f"(Call {form(n.func)} {forms(n.args)} {keywords(n.keywords)})"
        case "UnaryOp": return f"(Unary {type(n.op).__name__} {form(n.operand)})"
        case "BinOp": return f"(Binary {type(n.op).__name__} {form(n.left)} {form(n.right)})"
        case "BoolOp": return f"(BoolOp {type(n.op).__name__} {forms(n.values)})"
        case "Compare": return f"(Compare {form(n.left)} {' '.join(type(o).__name__ for o in n.ops)} {forms(n.comparators)})"
        case "IfExp": return f"(Conditional {form(n.test)} {form(n.body)} {form(n.orelse)})"
        case "Lambda": return f"(Lambda {parameters(n.args)} {form(n.body)})"
        case "Tuple" | "List": return f"({name} {forms(n.elts)} {context(n)})"
        case "Set": return f"(Set {forms(n.elts)})"
        case "Dict": return "(Dict " + " ".join(f"{form(k)}:{form(v)}" for k, v in zip(n.keys, n.values)) + ")"
        case "ListComp": return f"(Comp list {form(n.elt)} {clauses(n.generators)})"
        case "SetComp": return f"(Comp set {form(n.elt)} {clauses(n.generators)})"
        case "GeneratorExp": return f"(Comp generator {form(n.elt)} {clauses(n.generators)})"
        case "DictComp": return f"(Comp dict {form(n.key)} {form(n.value)} {clauses(n.generators)})"
        case "NamedExpr": return f"(Walrus {form(n.target)} {form(n.value)})"
        case "Starred": return f"(Starred {form(n.value)} {context(n)})"
        case "Yield" | "YieldFrom": return f"({name} {form(n.value)})"
        case "Expr": return f"(ExprStmt {form(n.value)})"
        case "Assign": return f"(Assign {forms(n.targets)} {form(n.value)})"
        case "AnnAssign": return f"(AnnAssign {form(n.target)} {form(n.annotation)} {form(n.value)})"
        case "AugAssign": return f"(AugAssign {form(n.target)} {type(n.op).__name__} {form(n.value)})"
        case "If" | "While": return f"({name} {form(n.test)} {forms(n.body)} {forms(n.orelse)})"
        case "For": return f"(For {form(n.target)} {form(n.iter)} {forms(n.body)} {forms(n.orelse)})"
        case "FunctionDef":
            return f"(FunctionDef {n.name} {forms(n.decorator_list)} {parameters(n.args)} {form(n.returns)} {forms(n.body)})"
        case "ClassDef":
            return f"(ClassDef {n.name} {forms(n.decorator_list)} {forms(n.bases)} {keywords(n.keywords)} {forms(n.body)})"
        case "Return": return f"(Return {form(n.value)})"
        case "With":
            items = " ".join(f"({form(i.context_expr)} {form(i.optional_vars)})" for i in n.items)
            return f"(With [{items}] {forms(n.body)})"
        case "Try":
            handlers = " ".join(f"({form(h.type)} {h.name or '-'} {forms(h.body)})" for h in n.handlers)
            return f"(Try {forms(n.body)} [{handlers}] {forms(n.orelse)} {forms(n.finalbody)})"
        case "Raise": return f"(Raise {form(n.exc)} {form(n.cause)})"
        case "Import": return f"(Import {aliases(n.names)})"
        case "ImportFrom":
            names = "*" if n.names[0].name == "*" else aliases(n.names)
            return f"(ImportFrom {n.level} {n.module or '-'} {names})"
        case "Global" | "Nonlocal": return f"({name} {' '.join(n.names)})"
        case "Assert": return f"(Assert {form(n.test)} {form(n.msg)})"
        case "Delete": return f"(Del {forms(n.targets)})"
        case "Pass" | "Break" | "Continue": return f"({name})"
    raise NotImplementedError(name)


def scopes(source):
    """One line a scope below the module, sorted: kind, names bound here, names of enclosing functions, globals read."""
    rows = []

    def visit(table):
        for child in table.get_children():
            symbols = [s for s in child.get_symbols() if s.get_name() != ".0"]
            def names(test):
                return ",".join(sorted(s.get_name() for s in symbols if test(s)))
            kind = "class" if child.get_type() == "class" else "function"
            local = names(lambda s: s.is_local())
            rows.append(f"{kind} {local} | {names(lambda s: s.is_free())} | {names(lambda s: s.is_global())}")
            visit(child)

    # Annotations are not evaluated (the oracle compiles .jx files so), and name no variables.
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(0)
    visit(symtable.symtable(ast.unparse(tree), "f", "exec"))
    return "\n".join(sorted(rows))


def normal(path):
    source = pathlib.Path(path).read_text()
    return "\n".join(form(s) for s in ast.parse(source).body), scopes(source), places(source)


def places(source):
    """Byte ranges of expressions, sorted; those in f-strings are left out (CPython 3.11 does not know them)."""
    starts, rows = [0], []
    for line in source.encode().split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    kinds = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.UnaryOp, ast.BinOp, ast.BoolOp, ast.Compare,
             ast.IfExp, ast.Lambda, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.ListComp, ast.Constant, ast.JoinedStr)

    def visit(node):
        if isinstance(node, kinds) and hasattr(node, "lineno"):
            rows.append((starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset))
        if isinstance(node, (ast.JoinedStr, ast.arguments)):
            return
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(ast.parse(source))
    return "\n".join(f"{a}-{b}" for a, b in sorted(rows))


def fnv(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--show":
        print("\n--\n".join(normal(sys.argv[2])))
    else:
        for path in sorted((pathlib.Path(__file__).parent / "corpus").glob("*.jx")):
            print(path.name, *map(fnv, normal(path)))
