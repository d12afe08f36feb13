"""Records Python's arithmetic of ints and floats, as the expectations of HostTest.cpp.

python record_host.py > recorded_host.txt. Each line: type, operation, a, b, then the result or Class: message. Floats are
in C's hexadecimal form.
"""
import operator
import sys

print(f"# python {sys.version.split()[0]}; made by record_host.py")
OPERATIONS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "floordiv": operator.floordiv,
              "mod": operator.mod, "pow": operator.pow, "shl": operator.lshift, "shr": operator.rshift,
              "neg": lambda a, b: -a, "abs": lambda a, b: abs(a), "div": operator.truediv}


def emit(kind, name, a, b, show):
    try:
        result = OPERATIONS[name](a, b)
    except (ArithmeticError, ValueError) as error:
        if "complex" in str(error):
            return print(kind, name, show(a), show(b), "ValueError")
        print(kind, name, show(a), show(b), f"{type(error).__name__}: {error}")
        return
    if kind == "int" and not (isinstance(result, int) and -2**63 <= result < 2**63):
        print(kind, name, show(a), show(b), "OverflowError" if isinstance(result, int) else "ValueError")
    elif isinstance(result, complex):
        print(kind, name, show(a), show(b), "ValueError")
    else:
        print(kind, name, show(a), show(b), show(result))


ints = [0, 1, -1, 2, -2, 3, -3, -7, 62, 63, 64, 100, -2**31, 2**62, 2**63 - 1, -2**63]
for name in ["add", "sub", "mul", "floordiv", "mod", "pow", "shl", "shr", "neg", "abs"]:
    for a in ints:
        for b in ints if name not in ("neg", "abs") else [0]:
            if name in ("pow", "shl") and b > 100:
                continue
            emit("int", name, a, b, str)
floats = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, -7.5, 0.1, 0.3, 1e300, -1e-300, 1e16, float("inf"), float("-inf"), float("nan")]
for name in ["add", "sub", "mul", "div", "floordiv", "mod", "pow", "neg", "abs"]:
    for a in floats:
        for b in floats if name not in ("neg", "abs") else [0.0]:
            emit("float", name, a, b, float.hex)
