"""Elementwise cases: every op at its special values (zeros, infinities, nan, extremes of ints) and at random ones.

Subnormal inputs are left out: JAX flushes them. Functions run op by op, as JAX does outside jit: under jit it folds.
"""
from jax import lax
import jax.numpy as jnp
import numpy as np

from cases import Family, rng

FLOATS = ["float32", "float64", "float16", "bfloat16"]
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
RTOL = {"float32": 2e-6, "float64": 1e-12, "float16": 2e-3, "bfloat16": 1.6e-2}


def floats(dtype, low, high, specials=True):
    fixed = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, np.inf, -np.inf, np.nan] if specials else []
    return np.concatenate([np.array(fixed), rng.uniform(low, high, 21)]).astype(jnp.dtype(dtype))


def integers(dtype, n=24):
    info = np.iinfo(dtype)
    fixed = [0, 1, 2, 3, 7, info.max, info.min, info.max - 1] + ([-1, -2, -7] if info.min < 0 else [])
    values = list(fixed) + [int(v) for v in rng.integers(info.min, info.max, n - len(fixed), dtype=dtype, endpoint=True)]
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

# JAX cannot differentiate clamp with scalar bounds, nor nextafter.
NO_DERIVATIVES = {"clamp", "nextafter"}


def unary(add):
    for op, (f, low, high) in UNARY.items():
        for dtype in FLOATS:
            rtol = RTOL[dtype] * (10 if op in LOOSE and dtype in ("float32", "float64") else 1)
            add(op, f, [floats(dtype, low, high, op not in NO_SPECIALS)], rtol=rtol,
                atol=rtol if op in LOOSE else 0.0)
    for op in ["neg", "abs", "sign"]:
        for dtype in INTS:
            if dtype.startswith("uint") and op == "abs":
                continue
            add(op, UNARY[op][0], [integers(dtype)])
    for dtype in FLOATS:
        x = np.concatenate([floats(dtype, -9, 9), np.array([1.5, 2.5, -2.5, -0.5, 0.49999997]).astype(jnp.dtype(dtype))])
        add("round", lambda v: lax.round(v, lax.RoundingMethod.TO_NEAREST_EVEN), [x], dict(mode="even"))
        add("round", lambda v: lax.round(v, lax.RoundingMethod.AWAY_FROM_ZERO), [x], dict(mode="away"))
        for n in [-3, -2, -1, 0, 1, 2, 3, 5, 8]:
            add("integer_pow", lambda v: lax.integer_pow(v, n), [floats(dtype, -3, 3)], dict(exponent=n),
                 # JAX rounds after each product
                 rtol=RTOL[dtype] * max(1, abs(n)))
    for dtype in INTS:
        for n in [0, 1, 3, 6]:
            add("integer_pow", lambda v: lax.integer_pow(v, n), [integers(dtype)], dict(exponent=n))
        add("not", lax.bitwise_not, [integers(dtype)])
        add("population_count", lax.population_count, [integers(dtype)])
        add("clz", lax.clz, [integers(dtype)])
    add("not", lax.bitwise_not, [np.array([True, False])])
    for dtype in ["float32", "float64"]:
        for n in [1, 2, 4]:
            x = rng.uniform(0.3, 12, 20).astype(dtype)
            add("polygamma", lambda v: lax.polygamma(jnp.full_like(v, n), v), [x], dict(order=n),
                 rtol=RTOL[dtype] * 10)


def binary(add):
    arithmetic = {"add": lax.add, "sub": lax.sub, "mul": lax.mul, "div": lax.div, "rem": lax.rem, "max": lax.max,
                  "min": lax.min}
    compare = {"eq": lax.eq, "ne": lax.ne, "lt": lax.lt, "le": lax.le, "gt": lax.gt, "ge": lax.ge}
    for dtype in FLOATS + INTS:
        values = floats(dtype, -9, 9) if dtype in FLOATS else integers(dtype)
        x, y = pairs(values)
        for op, f in arithmetic.items():
            add(op, f, [x, y])
        for kind, f in compare.items():
            add("compare", f, [x, y], dict(kind=kind))
        add("clamp", lax.clamp, [np.array(-2 if values.dtype.kind != "u" else 1, dtype=x.dtype), x,
                                  np.array(5, dtype=x.dtype)])
        pred = np.arange(x.size) % 3 == 0
        add("select", lambda p, a, b: lax.select(p, a, b), [pred, x, y])
        add("select", lambda p, a, b: lax.select(p, a, b), [np.array(True), x, y])
    for dtype in FLOATS:
        x, y = pairs(floats(dtype, -3, 3))
        rtol = RTOL[dtype] * (10 if dtype in ("float32", "float64") else 1)
        add("pow", lax.pow, [x, y], rtol=rtol)
        add("atan2", lax.atan2, [x, y], rtol=rtol)
    for dtype in FLOATS:
        x, y = pairs(floats(dtype, -3, 3))
        keep = x != 0  # the neighbours of zero are subnormal
        add("nextafter", lax.nextafter, [x[keep], y[keep]])
    for dtype in INTS + ["bool"]:
        x, y = pairs(integers(dtype)) if dtype != "bool" else (np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool))
        for op, f in {"and": lax.bitwise_and, "or": lax.bitwise_or, "xor": lax.bitwise_xor}.items():
            add(op, f, [x, y])
        if dtype == "bool":
            add("max", lax.max, [x, y])
            add("compare", lax.lt, [x, y], dict(kind="lt"))
            continue
        bits = np.iinfo(dtype).bits
        amounts = np.resize(np.array([0, 1, bits - 1, bits, bits + 1, 100], dtype=dtype), x.size)
        add("shift_left", lax.shift_left, [x, amounts])
        add("shift_right_logical", lax.shift_right_logical, [x, amounts])
        add("shift_right_arithmetic", lax.shift_right_arithmetic, [x, amounts])


def conversions(add):
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
            add("convert", lambda v: lax.convert_element_type(v, target), [x], dict(dtype=jnp.dtype(target)))
    for source, target in [("float32", "int32"), ("float32", "uint32"), ("uint64", "float64"), ("float16", "int16")]:
        x = floats(source, -9, 9) if source in FLOATS else integers(source)
        add("bitcast", lambda v: lax.bitcast_convert_type(v, target), [x], dict(dtype=jnp.dtype(target)))


def threefry(add):
    from jax.extend.random import threefry2x32_p
    words = [rng.integers(0, 2**32, 9, dtype=np.uint32) for _ in range(4)]
    add("threefry2x32", threefry2x32_p.bind, words)



def elementwise_cases():
    family = Family("elementwise")

    def add(op, function, inputs, attributes=None, rtol=None, atol=0.0):
        dtypes = [np.asarray(x).dtype.name for x in inputs]
        if rtol is None:
            rtol = 0.0 if op in ("convert", "bitcast", "nextafter") else RTOL.get(dtypes[-1], 0.0)
        # The derivatives of halves are those of floats, rounded after every operation.
        jvp = all(d in ("float32", "float64", "bool") for d in dtypes) and op not in NO_DERIVATIVES
        family.case(op, attributes or {}, inputs, function, jvp=jvp, second=False, rtol=rtol, atol=atol, jit=False)

    for part in (unary, binary, conversions, threefry):
        part(add)
    return family
