"""How a case is recorded from JAX: a function of one op in the dialect's textual form, with operands, results and derivatives.

Read by tests/laws/RecordedSpecs.cpp, which says what the attributes mean. Needs jax.
"""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
rng = np.random.default_rng(0)

ELEMENTS = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "bool": "i1", "int8": "i8",
            "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "ui8", "uint16": "ui16", "uint32": "ui32",
            "uint64": "ui64", "complex64": "complex<f32>", "complex128": "complex<f64>"}


def tensor_type(x):
    dims = "".join(f"{n}x" for n in x.shape)
    return f"tensor<{dims}{ELEMENTS[x.dtype.name]}>"


def dense(x):
    x = np.asarray(x, order="C")
    if x.size == 0:
        return f"dense<> : {tensor_type(x)}"
    if x.dtype == bool:
        text = "dense<" + str(x.tolist()).lower() + ">"
    else:
        text = 'dense<"0x' + x.tobytes().hex().upper() + '">'
    return f"{text} : {tensor_type(x)}"


def attribute(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value} : i64"
    if isinstance(value, float):
        return f"{value:.3e} : f64"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, np.dtype) or isinstance(value, type):
        return ELEMENTS[np.dtype(value).name]
    return "array<i64" + (": " + ", ".join(map(str, value)) if len(value) else "") + ">"


def listed(arrays):
    return "[" + ", ".join(dense(np.asarray(a)) for a in arrays) + "]"


def as_list(results):
    return list(results) if isinstance(results, (tuple, list)) else [results]


def is_float(x):
    return np.issubdtype(x.dtype, np.inexact) or x.dtype.name == "bfloat16"


def derivatives(function, inputs, with_second):
    """Attributes: tangents, those of the results along them, and if asked the derivatives of these."""
    floats = [i for i, x in enumerate(inputs) if is_float(x)]
    moving = tuple(rng.normal(size=inputs[i].shape).astype(inputs[i].dtype) for i in floats)

    def of_floats(*xs):
        values = dict(zip(floats, xs))
        return function(*(values.get(i, jnp.asarray(x)) for i, x in enumerate(inputs)))

    def first(*xs):
        return [t for t in as_list(jax.jvp(of_floats, xs, moving)[1]) if t.dtype != jax.dtypes.float0]

    primals = tuple(jnp.asarray(inputs[i]) for i in floats)
    recorded = [f"tangents = {listed(moving)}", f"expected_tangents = {listed(first(*primals))}"]
    if with_second:
        recorded.append(f"expected_second = {listed(jax.jvp(lambda *xs: first(*xs), primals, moving)[1])}")
    return recorded


class Family:
    def __init__(self, name):
        self.name, self.functions = name, []

    def case(self, op, attributes, inputs, function, jvp=True, second=True, rtol=0.0, atol=None, axis=None,
             size=None, jit=True):
        """`op` with `attributes` on `inputs`, against what `function` computes in JAX.

        With `axis`, inputs and results have it as their leading dimension. Without jvp, derivatives are not recorded; without second, only the first. Without
        jit, JAX runs op by op.
        """
        inputs = [np.asarray(x) for x in inputs]
        if axis:
            size = size or inputs[0].shape[0]
            function = jax.vmap(function, axis_name=axis, axis_size=size)
        run = jax.jit(function) if jit else function
        expected = [np.asarray(r) for r in as_list(run(*map(jnp.asarray, inputs)))]
        extra = [f"inputs = {listed(inputs)}", f"expected = {listed(expected)}", f"rtol = {attribute(rtol)}",
                 f"atol = {attribute(rtol if atol is None else atol)}"]
        if axis:
            extra += [f'axis = "{axis}"', f"size = {size} : i64"]
        if jvp and any(map(is_float, inputs)) and any(map(is_float, expected)):
            extra += derivatives(function, inputs, second)
        lane_of = (lambda x: x[0]) if axis else (lambda x: x)
        types = [tensor_type(lane_of(x)) for x in inputs]
        results = [tensor_type(lane_of(r)) for r in expected]
        names = [f"%a{i}" for i in range(len(inputs))]
        arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types))
        body = ", ".join(f"{k} = {attribute(v)}" for k, v in attributes.items())
        count = len(results)
        bound = "%r" + (f":{count}" if count > 1 else "")
        returned = ", ".join(f"%r#{i}" for i in range(count)) if count > 1 else "%r"
        joined = ", ".join(results)
        self.functions.append(
            f"func.func @{op}_{len(self.functions)}({arguments}) -> ({joined})\n"
            f"    attributes {{{', '.join(extra)}}} {{\n"
            f"  {bound} = jx.{op} {', '.join(names)} {{{body}}} : ({', '.join(types)}) -> ({joined})\n"
            f"  return {returned} : {joined}\n}}\n")

    def write(self, folder):
        path = pathlib.Path(folder) / self.name
        path.mkdir(parents=True, exist_ok=True)
        header = f"// Recorded from JAX {jax.__version__} (NumPy {np.__version__}) by tests/ops/record.py.\n"
        (path / "cases.mlir").write_text(header + "\n".join(self.functions))


def normal(*shape, dtype=np.float32):
    return rng.normal(size=shape).astype(dtype)


def integers(*shape, low=-9, high=10, dtype=np.int32):
    return rng.integers(low, high, size=shape).astype(dtype)


def bools(*shape):
    return rng.random(shape) < 0.5
