"""Records what JAX computes for single primitives, for OracleLaw.cpp: `python record.py > elementwise.txt`.

A case is a line `case NAME rtol=... atol=...`, the function in the dialect's generic form, and one line of hexadecimal
bytes for each operand and result. Versions stand in the first line. Subnormal inputs are left out: JAX flushes them.
"""

import sys

import jax
import jaxlib
import numpy as np
from jax import lax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)

MLIR = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "bool": "i1",
        "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
        "uint8": "ui8", "uint16": "ui16", "uint32": "ui32", "uint64": "ui64"}
FLOATS = ["float32", "float64", "float16", "bfloat16"]
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
RTOL = {"float32": 2e-6, "float64": 1e-12, "float16": 2e-3, "bfloat16": 1.6e-2}
random = np.random.default_rng(0)


def tensor(array):
    shape = "".join(f"{n}x" for n in array.shape)
    return f"tensor<{shape}{MLIR[str(array.dtype)]}>"


def dump(array):
    array = np.asarray(array)
    return (array.astype(np.uint8) if array.dtype == bool else array).tobytes().hex() or "-"


def case(op, f, operands, attributes="", rtol=None, atol=0.0, name=None):
    """Prints one case; `op` is the mnemonic, `f` what JAX computes."""
    operands = [np.asarray(x) for x in operands]
    results = f(*[jnp.asarray(x) for x in operands])
    results = [np.asarray(r) for r in (results if isinstance(results, (tuple, list)) else [results])]
    if rtol is None:
        rtol = max([RTOL.get(str(r.dtype), 0.0) for r in results])
    types = ", ".join(tensor(x) for x in operands)
    result_types = ", ".join(tensor(r) for r in results)
    args = ", ".join(f"%{i}: {tensor(x)}" for i, x in enumerate(operands))
    names = ", ".join(f"%{i}" for i in range(len(operands)))
    count = f":{len(results)}" if len(results) > 1 else ""
    values = ", ".join(f"%r#{i}" for i in range(len(results))) if len(results) > 1 else "%r"
    attributes = f" <{{{attributes}}}>" if attributes else ""
    print(f"case {name or op}/{MLIR[str(operands[0].dtype)]} rtol={rtol} atol={atol}")
    print(f"func.func @f({args}) -> ({result_types}) {{ %r{count} = \"jx.{op}\"({names}){attributes} : "
          f"({types}) -> ({result_types}) return {values} : {result_types} }}")
    for array in operands + results:
        print(dump(array))


def floats(dtype, low, high, specials=True):
    fixed = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, np.inf, -np.inf, np.nan] if specials else []
    return np.concatenate([np.array(fixed), random.uniform(low, high, 21)]).astype(jnp.dtype(dtype))


def integers(dtype, n=24):
    info = np.iinfo(dtype)
    fixed = [0, 1, 2, 3, 7, info.max, info.min, info.max - 1] + ([-1, -2, -7] if info.min < 0 else [])
    values = list(fixed) + [int(v) for v in random.integers(info.min, info.max, n - len(fixed), dtype=dtype, endpoint=True)]
    return np.array(values, dtype=dtype)


def pairs(values):
    """Every special value against every other, then values in order."""
    a, b = np.meshgrid(values[:11], values[:11])
    return np.concatenate([a.ravel(), values]), np.concatenate([b.ravel(), values[::-1]])


UNARY = {
    "exp": (lax.exp, -5, 5), "exp2": (lax.exp2, -5, 5), "expm1": (lax.expm1, -1, 1), "log": (lax.log, 0, 9),
    "log1p": (lax.log1p, -0.9, 3), "sqrt": (lax.sqrt, 0, 9), "rsqrt": (lax.rsqrt, 0, 9), "cbrt": (lax.cbrt, -9, 9),
    "sin": (lax.sin, -9, 9), "cos": (lax.cos, -9, 9), "tan": (lax.tan, -1.5, 1.5), "asin": (lax.asin, -1, 1),
    "acos": (lax.acos, -1, 1), "atan": (lax.atan, -9, 9), "sinh": (lax.sinh, -3, 3), "cosh": (lax.cosh, -3, 3),
    "tanh": (lax.tanh, -3, 3), "asinh": (lax.asinh, -9, 9), "acosh": (lax.acosh, 1, 9), "atanh": (lax.atanh, -1, 1),
    "logistic": (lax.logistic, -9, 9), "erf": (lax.erf, -3, 3), "erfc": (lax.erfc, -3, 5),
    "erf_inv": (lax.erf_inv, -1, 1), "lgamma": (lax.lgamma, 0.1, 9), "digamma": (lax.digamma, 0.1, 9),
    "neg": (lax.neg, -9, 9), "abs": (lax.abs, -9, 9), "sign": (lax.sign, -9, 9), "floor": (lax.floor, -9, 9),
    "ceil": (lax.ceil, -9, 9), "is_finite": (lax.is_finite, -9, 9),
}
# JAX's own errors there are larger than the usual tolerance.
LOOSE = {"asinh", "acosh", "atanh", "tan", "lgamma", "digamma", "sinh", "cosh", "exp2", "erfc", "erf_inv"}
# Poles and branch points at which JAX gives a value that no rule explains.
NO_SPECIALS = {"digamma", "lgamma"}


def unary():
    for op, (f, low, high) in UNARY.items():
        for dtype in FLOATS:
            rtol = RTOL[dtype] * (10 if op in LOOSE and dtype in ("float32", "float64") else 1)
            case(op, f, [floats(dtype, low, high, op not in NO_SPECIALS)], rtol=rtol,
                 atol=rtol if op in LOOSE else 0.0)
    for op in ["neg", "abs", "sign"]:
        for dtype in INTS:
            if dtype.startswith("uint") and op == "abs":
                continue
            case(op, UNARY[op][0], [integers(dtype)])
    for dtype in FLOATS:
        x = np.concatenate([floats(dtype, -9, 9), np.array([1.5, 2.5, -2.5, -0.5, 0.49999997]).astype(jnp.dtype(dtype))])
        case("round", lambda v: lax.round(v, lax.RoundingMethod.TO_NEAREST_EVEN), [x], 'mode = "even"', name="round_even")
        case("round", lambda v: lax.round(v, lax.RoundingMethod.AWAY_FROM_ZERO), [x], 'mode = "away"', name="round_away")
        for n in [-3, -2, -1, 0, 1, 2, 3, 5, 8]:
            case("integer_pow", lambda v: lax.integer_pow(v, n), [floats(dtype, -3, 3)], f"exponent = {n} : i64",
                 # JAX rounds after each product
                 rtol=RTOL[dtype] * max(1, abs(n)), name=f"integer_pow_{n}".replace("-", "m"))
    for dtype in INTS:
        for n in [0, 1, 3, 6]:
            case("integer_pow", lambda v: lax.integer_pow(v, n), [integers(dtype)], f"exponent = {n} : i64",
                 name=f"integer_pow_{n}")
        case("not", lax.bitwise_not, [integers(dtype)])
        case("population_count", lax.population_count, [integers(dtype)])
        case("clz", lax.clz, [integers(dtype)])
    case("not", lax.bitwise_not, [np.array([True, False])])
    for dtype in ["float32", "float64"]:
        for n in [1, 2, 4]:
            x = random.uniform(0.3, 12, 20).astype(dtype)
            case("polygamma", lambda v: lax.polygamma(jnp.full_like(v, n), v), [x], f"order = {n} : i64",
                 rtol=RTOL[dtype] * 10, name=f"polygamma_{n}")


def binary():
    arithmetic = {"add": lax.add, "sub": lax.sub, "mul": lax.mul, "div": lax.div, "rem": lax.rem, "max": lax.max,
                  "min": lax.min}
    compare = {"eq": lax.eq, "ne": lax.ne, "lt": lax.lt, "le": lax.le, "gt": lax.gt, "ge": lax.ge}
    for dtype in FLOATS + INTS:
        values = floats(dtype, -9, 9) if dtype in FLOATS else integers(dtype)
        x, y = pairs(values)
        for op, f in arithmetic.items():
            case(op, f, [x, y])
        for kind, f in compare.items():
            case("compare", f, [x, y], f'kind = "{kind}"', name=f"compare_{kind}")
        case("clamp", lax.clamp, [np.array(-2 if values.dtype.kind != "u" else 1, dtype=x.dtype), x,
                                  np.array(5, dtype=x.dtype)])
        pred = np.arange(x.size) % 3 == 0
        case("select", lambda p, a, b: lax.select(p, a, b), [pred, x, y], name=f"select_{dtype}")
        case("select", lambda p, a, b: lax.select(p, a, b), [np.array(True), x, y], name=f"select_scalar_{dtype}")
    for dtype in FLOATS:
        x, y = pairs(floats(dtype, -3, 3))
        rtol = RTOL[dtype] * (10 if dtype in ("float32", "float64") else 1)
        case("pow", lax.pow, [x, y], rtol=rtol)
        case("atan2", lax.atan2, [x, y], rtol=rtol)
    for dtype in ["float32", "float64"]:
        x, y = pairs(floats(dtype, -3, 3))
        keep = x != 0  # the neighbours of zero are subnormal
        case("nextafter", lax.nextafter, [x[keep], y[keep]], rtol=0.0)
    for dtype in INTS + ["bool"]:
        x, y = pairs(integers(dtype)) if dtype != "bool" else (np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool))
        for op, f in {"and": lax.bitwise_and, "or": lax.bitwise_or, "xor": lax.bitwise_xor}.items():
            case(op, f, [x, y])
        if dtype == "bool":
            case("max", lax.max, [x, y])
            case("compare", lax.lt, [x, y], 'kind = "lt"', name="compare_lt")
            continue
        bits = np.iinfo(dtype).bits
        amounts = np.resize(np.array([0, 1, bits - 1, bits, bits + 1, 100], dtype=dtype), x.size)
        case("shift_left", lax.shift_left, [x, amounts])
        case("shift_right_logical", lax.shift_right_logical, [x, amounts])
        case("shift_right_arithmetic", lax.shift_right_arithmetic, [x, amounts])


def conversions():
    for source in FLOATS + INTS + ["bool"]:
        if source in FLOATS:
            x = np.concatenate([floats(source, -9, 9), floats(source, -3e3, 3e3, False)])
            if source in ("float32", "float64", "bfloat16"):
                x = np.concatenate([x, floats(source, -1e10, 1e10, False)])
        else:
            x = integers(source) if source != "bool" else np.array([True, False])
        for target in FLOATS + INTS + ["bool"]:
            if source == target or (source == "float64" and target in ("float16", "bfloat16")):
                continue
            case("convert", lambda v: lax.convert_element_type(v, target), [x], f"dtype = {MLIR[target]}", rtol=0.0,
                 name=f"convert_to_{MLIR[target]}")
    for source, target in [("float32", "int32"), ("float32", "uint32"), ("uint64", "float64"), ("float16", "int16")]:
        x = floats(source, -9, 9) if source in FLOATS else integers(source)
        case("bitcast", lambda v: lax.bitcast_convert_type(v, target), [x], f"dtype = {MLIR[target]}", rtol=0.0)


def threefry():
    from jax.extend.random import threefry2x32_p
    words = [random.integers(0, 2**32, 9, dtype=np.uint32) for _ in range(4)]
    case("threefry2x32", threefry2x32_p.bind, words)


def main():
    print(f"# jax {jax.__version__}, jaxlib {jaxlib.__version__}, numpy {np.__version__}")
    unary()
    binary()
    conversions()
    threefry()


if __name__ == "__main__":
    sys.exit(main())
