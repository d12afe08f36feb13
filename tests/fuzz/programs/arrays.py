"""Random array code for the compiler: views, reductions, contractions, sorts, gathers, scatters and scans of arrays of many
shapes and dtypes, one feeding the next, called plainly and under transformations. Every program is valid JAX as well.

    python arrays.py SEED        # prints one program
"""

import math
import sys
from typing import NamedTuple

from writer import Writer

SIZES = [1, 2, 3, 4, 5, 8, 16, 17, 33, 64]
LARGEST = 12_000  # elements of one array
FLOATS = ("float32", "float16", "bfloat16")
INTS = ("int32", "uint8", "int8")

PRELUDE = """\
import jax
import jax.numpy as jnp
from jax import lax


def show(name, tree):
    for y in jax.tree.leaves(tree):
        z = jnp.nan_to_num(y.astype(jnp.float32), posinf=9.0, neginf=-9.0)
        weights = jnp.cos(jnp.arange(y.size) * 0.3).reshape(y.shape)
        print(name, y.shape, y.dtype, jnp.sum(z * weights), jnp.sum(jnp.abs(z) > 1e-3), jnp.sum(y != y))
        if y.size <= 8:
            print(y)


def total(tree):
    return sum([jnp.sum(jnp.sin(y.astype(jnp.float32))) for y in jax.tree.leaves(tree) if jnp.issubdtype(y.dtype, jnp.floating)], jnp.float32(0))


"""


class Var(NamedTuple):
    """An expression, the shape and the dtype of its value."""

    text: str
    shape: tuple
    dtype: str

    @property
    def size(self):
        return math.prod(self.shape)

    def is_float(self):
        return self.dtype in FLOATS


def index(axis, text):
    """The text of an index of one axis."""
    return ", ".join([":"] * axis + [text])


def replaced(shape, axis, *sizes):
    """The shape with `sizes` in place of the size at the axis."""
    return shape[:axis] + sizes + shape[axis + 1:]


class Generator(Writer):
    """Makes one program. The rules return a Var, or None where they do not apply to their operand."""

    def __init__(self, seed):
        super().__init__(seed)
        self.scope = []
        self.rules = [(5, self.slice), (4, self.rearrange), (3, self.reshape), (2, self.join), (2, self.pad), (6, self.elementwise),
                      (4, self.binary), (5, self.reduce), (2, self.reduce_masked), (1, self.arg_reduce), (3, self.cumulative), (3, self.sort),
                      (2, self.statistics), (4, self.einsum), (4, self.gather), (3, self.gather_axis), (4, self.scatter), (2, self.dynamic),
                      (3, self.convert), (3, self.mapped), (2, self.scan), (3, self.derivative), (1, self.select)]

    def new_shape(self):
        while True:
            shape = tuple(0 if self.chance(0.03) else self.pick(SIZES) for _ in range(self.pick([0, 1, 1, 2, 2, 2, 3])))
            if math.prod(shape) <= 4_000:
                return shape

    def axis(self, x):
        return self.random.randrange(len(x.shape)) if x.shape else None

    def other(self, x, wanted=lambda y: True):
        """A variable in scope, x among them, with a property; None when there is none."""
        found = [y for y in self.scope if wanted(y)]
        return self.pick(found) if found else None

    # --- views

    def a_slice(self, size):
        """The text of a slice of an axis, and its length."""
        step = self.pick([1, 1, 1, 2, 3, -1, -1, -2])
        start = self.pick([None, None, self.random.randint(-size - 1, size + 1)])
        stop = self.pick([None, None, self.random.randint(-size - 1, size + 1)])
        text = f"{'' if start is None else start}:{'' if stop is None else stop}" + (f":{step}" if step != 1 else "")
        return text, len(range(*slice(start, stop, step).indices(size)))

    def slice(self, x):
        """Basic indexing: slices, integers, new axes and the ellipsis."""
        if not x.shape:
            return Var(f"{x.text}[None]", (1,), x.dtype)
        parts, shape = [], []
        shown = self.random.randint(1, len(x.shape))
        for size in x.shape[:shown]:
            if self.chance(0.15):
                parts.append("None")
                shape.append(1)
            if size and self.chance(0.2):
                parts.append(str(self.random.randint(-size, size - 1)))
            else:
                text, length = self.a_slice(size)
                parts.append(text)
                shape.append(length)
        if self.chance(0.2):
            parts.append("...")
        return Var(f"{x.text}[{', '.join(parts)}]", tuple(shape) + x.shape[shown:], x.dtype)

    def rearrange(self, x):
        """Permutations of elements."""
        a = self.axis(x)
        if a is None:
            return None
        n = len(x.shape)
        if n > 1 and self.chance(0.5):
            order = self.random.sample(range(n), n)
            return Var(f"jnp.transpose({x.text}, {tuple(order)})", tuple(x.shape[k] for k in order), x.dtype)
        if n > 1 and self.chance(0.3):
            b = self.random.randrange(n)
            rest = [s for k, s in enumerate(x.shape) if k != a]
            rest.insert(b, x.shape[a])
            return Var(f"jnp.moveaxis({x.text}, {a}, {b})", tuple(rest), x.dtype)
        text = self.pick([f"jnp.flip({x.text}, {a})", f"jnp.roll({x.text}, {self.random.randint(-4, 4)}, {a})", f"jnp.flip({x.text})",
                          f"jnp.roll({x.text}, 2)"])
        return Var(text, x.shape, x.dtype)

    def reshape(self, x):
        """Reshapes and broadcasts."""
        how = self.random.random()
        if how < 0.35 and x.size:
            factors, rest = [], x.size
            while rest > 1 and len(factors) < 3:
                factor = self.pick([d for d in range(1, rest + 1) if rest % d == 0])
                factors.append(factor)
                rest //= factor
            return Var(f"jnp.reshape({x.text}, {tuple(factors + [rest])})", tuple(factors + [rest]), x.dtype)
        if how < 0.5:
            return Var(f"{x.text}.ravel()", (x.size,), x.dtype)
        if how < 0.6:
            a = self.random.randint(0, len(x.shape))
            return Var(f"jnp.expand_dims({x.text}, {a})", x.shape[:a] + (1,) + x.shape[a:], x.dtype)
        if how < 0.7:
            return Var(f"jnp.squeeze({x.text})", tuple(s for s in x.shape if s != 1), x.dtype)
        lead = tuple(self.pick([1, 2, 3, 17]) for _ in range(self.pick([0, 1])))
        shape = lead + tuple(self.pick([1, 3, 16]) if s == 1 else s for s in x.shape)
        return Var(f"jnp.broadcast_to({x.text}, {shape})", shape, x.dtype)

    def join(self, x):
        """Concatenations, stacks and repetitions."""
        a = self.axis(x)
        if a is None:
            return Var(f"jnp.stack([{x.text}, {x.text}])", (2,), x.dtype)
        how, size = self.random.random(), x.shape[a]
        if how < 0.4:
            parts, length = [], 0
            for _ in range(self.pick([2, 2, 3])):
                text, n = self.a_slice(size)
                parts.append(f"{x.text}[{index(a, text)}]")
                length += n
            return Var(f"jnp.concatenate([{', '.join(parts)}], axis={a})", replaced(x.shape, a, length), x.dtype)
        if how < 0.6:
            y = self.other(x, lambda y: y.shape == x.shape and y.dtype == x.dtype) or x
            at = self.random.randint(0, len(x.shape))
            return Var(f"jnp.stack([{x.text}, {y.text}], axis={at})", x.shape[:at] + (2,) + x.shape[at:], x.dtype)
        if how < 0.75:
            return Var(f"jnp.repeat({x.text}, 2, axis={a})", replaced(x.shape, a, 2 * size), x.dtype)
        if how < 0.9:
            times = tuple(self.pick([1, 2]) for _ in x.shape)
            return Var(f"jnp.tile({x.text}, {times})", tuple(s * t for s, t in zip(x.shape, times)), x.dtype)
        part = self.random.randrange(3)
        length = size // 3 + (part < size % 3)
        return Var(f"jnp.array_split({x.text}, 3, axis={a})[{part}]", replaced(x.shape, a, length), x.dtype)

    def pad(self, x):
        """Padding: constant, of the edge, negative and interior."""
        a = self.axis(x)
        if a is None or x.dtype == "bool":
            return None
        size = x.shape[a]
        if self.chance(0.5):
            low, high = self.random.randint(0, 3), self.random.randint(0, 3)
            modes = ["constant"] + (["edge", "wrap"] if size else []) + (["reflect", "symmetric"] if size > 3 else [])
            widths = [(low, high) if k == a else (0, 0) for k in range(len(x.shape))]
            return Var(f"jnp.pad({x.text}, {widths}, mode='{self.pick(modes)}')", replaced(x.shape, a, low + size + high), x.dtype)
        low, high, inner = self.random.randint(-1, 2), self.random.randint(-1, 2), self.random.randint(0, 2)
        length = low + size + max(0, size - 1) * inner + high
        if length < 0:
            return None
        config = [(low, high, inner) if k == a else (0, 0, 0) for k in range(len(x.shape))]
        return Var(f"lax.pad({x.text}, jnp.{x.dtype}(1), {config})", replaced(x.shape, a, length), x.dtype)

    # --- elementwise

    def elementwise(self, x):
        if x.dtype == "bool":
            return Var(f"~{x.text}", x.shape, x.dtype)
        if x.dtype in INTS:
            text = self.pick(["{0} % 7", "{0} // 3", "{0} ^ 5", "{0} & 6", "{0} * 3 + 1", "jnp.maximum({0}, 2)", "{0} >> 1", "-{0}", "~{0}",
                              "jnp.clip({0}, 1, 9)", "jnp.abs({0})", "jnp.sign({0})", "lax.population_count({0})", "jnp.minimum({0}, 5) << 2"])
        else:
            text = self.pick(["jnp.sin({0})", "jnp.tanh({0})", "jnp.exp(-{0} * {0})", "{0} * 0.5 - 0.25", "jnp.abs({0})", "jax.nn.relu({0})",
                              "jnp.clip({0}, -0.75, 0.5)", "jnp.where({0} > 0.1, {0}, -0.5)", "jnp.floor({0} * 3.0)", "jnp.square({0})",
                              "jnp.log1p(jnp.abs({0}))", "jax.nn.sigmoid({0})", "{0} / (1.5 + jnp.abs({0}))", "jax.nn.gelu({0})", "jnp.sign({0})"])
        return Var(f"({text})".format(x.text), x.shape, x.dtype)

    def binary(self, x):
        """Operators and comparisons, with broadcasting between operands."""
        if x.dtype == "bool":
            y = self.other(x, lambda y: y.dtype == "bool" and y.shape == x.shape)
            return Var(f"({x.text} {self.pick(['&', '|', '^'])} {y.text})", x.shape, "bool") if y else None
        y = self.other(x, lambda y: y.dtype == x.dtype and self.broadcast(x.shape, y.shape) is not None)
        if y is None:
            return None
        shape = self.broadcast(x.shape, y.shape)
        if self.chance(0.25):
            return Var(f"({x.text} {self.pick(['<', '>=', '!=', '=='])} {y.text})", shape, "bool")
        if x.dtype in INTS:
            return Var(self.pick(["({0} + {1})", "({0} * {1} % 11)", "jnp.minimum({0}, {1})", "({0} ^ {1})", "({0} - {1})"]).format(x.text, y.text),
                       shape, x.dtype)
        text = self.pick(["({0} + {1}) * 0.5", "({0} - {1})", "{0} * {1}", "jnp.maximum({0}, {1})", "{0} / (2.0 + jnp.abs({1}))",
                          "jnp.minimum({0}, {1} * 0.5)", "jnp.where({0} > {1}, {0}, {1} * 0.25)"])
        return Var(f"({text})".format(x.text, y.text), shape, x.dtype)

    @staticmethod
    def broadcast(a, b):
        """The common shape, or None where there is none."""
        rank = max(len(a), len(b))
        pairs = list(zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b))
        return None if any(p != q and 1 not in (p, q) for p, q in pairs) else tuple(q if p == 1 else p for p, q in pairs)

    def select(self, x):
        """where with a mask of its own shape."""
        mask = self.other(x, lambda m: m.dtype == "bool" and self.broadcast(m.shape, x.shape) == x.shape)
        return Var(f"jnp.where({mask.text}, {x.text}, {x.text}[::-1])", x.shape, x.dtype) if mask and x.shape else None

    def convert(self, x):
        """Conversions; to integers from whole numbers far from the borders."""
        if x.is_float():
            if self.chance(0.5):
                return Var(f"jnp.round(jnp.clip({x.text}, -9, 9) * 4.0).astype(jnp.int32)", x.shape, "int32")
            to = self.pick(FLOATS)
        else:
            to = self.pick(["float32", "float32", "bfloat16", "int32", "uint8"])
            if to in FLOATS and x.dtype in INTS:
                return Var(f"((({x.text}) % 13).astype(jnp.{to}) * 0.125)", x.shape, to)
        return Var(f"({x.text}).astype(jnp.{to})", x.shape, to)

    # --- reductions

    def axes(self, x):
        """Text of an axis argument and the axes that it names."""
        n = len(x.shape)
        if n == 0 or self.chance(0.2):
            return "None", tuple(range(n))
        axes = sorted(self.random.sample(range(n), self.pick([1, 1, min(2, n)])))
        return (str(self.pick([axes[0], axes[0] - n])) if len(axes) == 1 else str(tuple(axes))), tuple(axes)

    def reduced(self, x, axes, keep):
        return tuple(1 if k in axes else s for k, s in enumerate(x.shape) if keep or k not in axes)

    def reduce(self, x):
        text, axes = self.axes(x)
        empty = any(x.shape[k] == 0 for k in axes)
        keep = self.chance(0.3)
        tail = f"{x.text}, axis={text}" + (", keepdims=True" if keep else "")
        shape = self.reduced(x, axes, keep)
        if x.dtype == "bool":
            kind = self.pick(["any", "all", "sum"])
            return Var(f"jnp.{kind}({tail})", shape, "int32" if kind == "sum" else "bool")
        if x.dtype in INTS:
            kind = self.pick(["sum", "prod", "count_nonzero", "any"] + ([] if empty else ["max", "min"]))
            wide = {"any": "bool", "count_nonzero": "int32", "max": x.dtype, "min": x.dtype}.get(kind, "uint32" if x.dtype == "uint8" else "int32")
            result = Var(f"jnp.{kind}({tail})", shape, wide)
            return Var(f"{result.text}.astype(jnp.int32)", shape, "int32") if wide == "uint32" else result
        kinds = ["sum({}) * 0.1", "mean({})", "prod({}) * 0.5"]
        if not empty:
            kinds += ["max({})", "min({})", "max({})", "var({})", "ptp({})"]
        return Var(f"(jnp.{self.pick(kinds)})".format(tail), shape, x.dtype)

    def reduce_masked(self, x):
        """Reductions with `where` and `initial`."""
        text, axes = self.axes(x)
        mask = self.other(x, lambda m: m.dtype == "bool" and self.broadcast(m.shape, x.shape) == x.shape)
        mask = mask.text if mask else f"({x.text} > 0)" if x.dtype != "bool" else x.text
        kind = self.pick(["sum({}) * 0.1", "max({}, initial=-2)", "min({}, initial=2)", "mean({})"] if x.dtype == "float32" else ["sum({})"])
        if x.dtype not in ("float32", "int32"):
            return None
        tail = f"{x.text}, axis={text}, where={mask}"
        return Var(f"(jnp.{kind})".format(tail), self.reduced(x, axes, False), x.dtype)

    def arg_reduce(self, x):
        a = self.axis(x)
        if a is None or not x.shape[a]:
            return None
        return Var(f"jnp.{self.pick(['argmax', 'argmin'])}({x.text}, axis={a})", replaced(x.shape, a), "int32")

    def cumulative(self, x):
        a = self.axis(x)
        if a is None or x.dtype not in ("float32", "int32"):
            return None
        kinds = ["jnp.cumsum({}, axis=A)", "lax.cummax({}, axis=A)", "lax.cummin({}, axis=A, reverse=True)", "lax.cumsum({}, axis=A, reverse=True)",
                 "lax.associative_scan(jnp.maximum, {}, axis=A)", "lax.associative_scan(jnp.add, {}, axis=A, reverse=True)"]
        if x.is_float():
            kinds += ["jnp.cumprod(jnp.cos({}), axis=A)", "lax.cumlogsumexp({}, axis=A)", "jax.nn.softmax({}, axis=A)",
                      "jnp.diff({}, axis=A, prepend=0.0)", "jax.nn.log_softmax({}, axis=A)"]
        text = self.pick(kinds if x.shape[a] else kinds[:1]).replace("A", str(a)).format(x.text)
        return Var(f"({text} * 0.25)" if x.is_float() else text, x.shape, x.dtype)

    def sort(self, x):
        a = self.axis(x)
        if a is None or x.dtype == "bool":
            return None
        how, size = self.random.random(), x.shape[a]
        if how < 0.4:
            return Var(f"jnp.sort({x.text}, axis={a}{self.pick(['', ', descending=True'])})", x.shape, x.dtype)
        if how < 0.65:
            return Var(f"jnp.argsort({x.text}, axis={a}{self.pick(['', ', descending=True'])})", x.shape, "int32")
        if how < 0.75 and len(x.shape) >= 1 and x.shape[-1] > 1 and x.dtype in ("float32", "int32"):
            k, which = self.random.randint(1, x.shape[-1]), self.random.randrange(2)
            return Var(f"lax.top_k({x.text}, {k})[{which}]", x.shape[:-1] + (k,), "int32" if which else x.dtype)
        if how < 0.9:
            y = self.other(x, lambda y: y.shape == x.shape and y.dtype != "bool") or x
            which = self.random.randrange(2)
            return Var(f"lax.sort(({x.text}, {y.text}), dimension={a}, num_keys={self.pick([1, 2])})[{which}]", x.shape, (x, y)[which].dtype)
        y = self.other(x, lambda y: len(y.shape) == 1 and y.dtype == x.dtype and y.size)
        if y is None or len(x.shape) > 2:
            return None
        return Var(f"jnp.searchsorted(jnp.sort({y.text}), {x.text}, side='{self.pick(['left', 'right'])}')", x.shape, "int32")

    def statistics(self, x):
        a = self.axis(x)
        if a is None or x.dtype != "float32" or not x.shape[a]:
            return None
        if self.chance(0.3):
            bins = self.pick([3, 16])
            return Var(f"jnp.bincount(jnp.abs(jnp.round({x.text}.ravel() * 3.0)).astype(jnp.int32), length={bins})", (bins,), "int32")
        kind = self.pick(["median({}, axis=A)", "quantile({}, 0.3, axis=A)", "std({}, axis=A)", "average({}, axis=A)", "linalg.norm({}, axis=A)"])
        return Var(f"jnp.{kind}".replace("A", str(a)).format(x.text), replaced(x.shape, a), x.dtype)

    # --- contractions

    def einsum(self, x):
        """A random contraction of two arrays: labels are shared where sizes agree, the result keeps some of them in any order."""
        y = self.other(x, lambda y: y.dtype == x.dtype and len(y.shape) <= 3)
        if x.dtype not in ("float32", "int32") or y is None or len(x.shape) > 3:
            return None
        sizes, names = {}, []
        for shape in (x.shape, y.shape):
            own = ""
            for size in shape:
                old = [c for c, s in sizes.items() if s == size and (c not in own or self.chance(0.05))]
                label = self.pick(old) if old and self.chance(0.8) else "abcdefgh"[len(sizes)]
                sizes[label] = size
                own += label
            names.append(own)
        if math.prod(sizes.values()) > 200_000:
            return None
        kept = [c for c in sizes if self.chance(0.5)]
        self.random.shuffle(kept)
        shape = tuple(sizes[c] for c in kept)
        scale = " * 0.1" if x.is_float() else " % 97"
        return Var(f"(jnp.einsum('{names[0]},{names[1]}->{''.join(kept)}', {x.text}, {y.text}){scale})", shape, x.dtype)

    # --- gathers and scatters

    def positions(self, size):
        """Positions on an axis: the text of an integer array and its shape. Some variables serve as positions, wrapped into range."""
        y = self.other(None, lambda y: y.dtype == "int32" and len(y.shape) <= 2 and y.size <= 200)
        if y and self.chance(0.6):
            return f"{y.text} % {size}" if self.chance(0.8) else f"-1 - {y.text} % {size}", y.shape
        n = self.pick([0, 1, 2, 5, 16, 17] if self.chance(0.2) else [1, 2, 5, 16, 17])
        return f"jnp.arange({n}) * {self.pick([1, 2, 3, 5])} % {size}", (n,)

    def gather(self, x):
        """Advanced indexing: one or two arrays among slices."""
        if not x.shape or 0 in x.shape:
            return None
        text, where = self.positions(x.shape[0])
        n = len(x.shape)
        how = self.random.random()
        if n == 1 or how < 0.3:
            return Var(f"{x.text}[{text}]", where + x.shape[1:], x.dtype)
        if how < 0.5:
            second, length = self.a_slice(x.shape[1])
            return Var(f"{x.text}[{text}, {second}]", where + (length,) + x.shape[2:], x.dtype)
        if how < 0.7:
            other, shape = self.positions(x.shape[1])
            return Var(f"{x.text}[({text})[..., None], ({other}).ravel()]", where + (math.prod(shape),) + x.shape[2:], x.dtype)
        if how < 0.85:
            text, where = self.positions(x.shape[1])
            first, length = self.a_slice(x.shape[0])
            return Var(f"{x.text}[{first}, {text}]", (length,) + where + x.shape[2:], x.dtype)
        if n > 2:
            last, where = self.positions(x.shape[2])
            return Var(f"{x.text}[{self.random.randrange(x.shape[0])}, :, {last}]", where + (x.shape[1],) + x.shape[3:], x.dtype)
        text, where = self.positions(x.shape[1])
        return Var(f"{x.text}[{self.random.randrange(x.shape[0])}, {text}]", where, x.dtype)

    def gather_axis(self, x):
        a = self.axis(x)
        if a is None or not x.shape[a]:
            return None
        if self.chance(0.5):
            text, where = self.positions(x.shape[a])
            return Var(f"jnp.take({x.text}, {text}, axis={a})", replaced(x.shape, a, *where), x.dtype)
        key = x.text if x.dtype != "bool" else f"{x.text}.astype(jnp.int32)"
        y = self.other(x, lambda y: y.shape == x.shape and y.dtype != "bool")
        return Var(f"jnp.take_along_axis({x.text}, jnp.argsort({y.text if y else key}, axis={a}), axis={a})", x.shape, x.dtype)

    def scatter(self, x):
        """Updates. Repeated positions are set to one value, since their order is nobody's promise."""
        a = self.axis(x)
        if a is None or not x.size:
            return None
        size, rest = x.shape[a], replaced(x.shape, a)
        value = {"bool": "True"}.get(x.dtype, "3" if x.dtype in INTS else "0.5")
        if self.chance(0.4):
            text, length = self.a_slice(size)
            y = f"{x.text}[{index(a, text)}]"
            operand = self.pick([value, f"{y}[::-1]"] if x.dtype == "bool" else [value, f"{y}[::-1]", f"{y} * {value}"])
            method = "set" if x.dtype == "bool" else self.pick(["set", "add"])
            return Var(f"{x.text}.at[{index(a, text)}].{method}({operand})", x.shape, x.dtype)
        text, where = self.positions(size)
        place = f"{x.text}.at[{index(a, text)}]"
        if x.dtype == "bool":
            return Var(f"{place}.set(True)", x.shape, x.dtype)
        how = self.random.random()
        if how < 0.3:
            return Var(f"{place}.set({value})", x.shape, x.dtype)
        if how < 0.8:
            return Var(f"{place}.add({x.text}[{index(a, text)}] * {value})", x.shape, x.dtype)
        if x.is_float():
            place = place.replace(x.text, f"lax.stop_gradient({x.text})", 1)
        return Var(f"{place}.{self.pick(['max', 'min'])}({value})", x.shape, x.dtype)

    def dynamic(self, x):
        """Slices whose start is known at run time only."""
        a = self.axis(x)
        if a is None or not x.size:
            return None
        length = self.random.randint(1, x.shape[a])
        start = self.other(x, lambda y: y.dtype == "int32" and y.size)
        start = f"{start.text}.ravel()[0]" if start else f"jnp.argmax({x.text})"
        if self.chance(0.6):
            return Var(f"lax.dynamic_slice_in_dim({x.text}, {start}, {length}, axis={a})", replaced(x.shape, a, length), x.dtype)
        update = f"{x.text}[{index(a, f':{length}')}][{index(a, '::-1')}]"
        return Var(f"lax.dynamic_update_slice_in_dim({x.text}, {update}, {start}, axis={a})", x.shape, x.dtype)

    # --- functions of parts

    def inner(self, v):
        """A chain of one or two rules on an array, over nothing else."""
        outer, self.scope = self.scope, [v]
        text = v
        for _ in range(self.pick([1, 2])):
            text = self.apply(text) or text
            self.scope = [v]
        self.scope = outer
        return text

    def mapped(self, x):
        a = self.axis(x)
        if a is None or not x.shape[a]:
            return None
        v = self.inner(Var("v", replaced(x.shape, a), x.dtype))
        out = self.random.randint(0, len(v.shape))
        text = f"jax.vmap(lambda v: {v.text}, in_axes={a}, out_axes={out})({x.text})"
        return Var(text, v.shape[:out] + (x.shape[a],) + v.shape[out:], v.dtype)

    def scan(self, x):
        if not x.shape or x.dtype != "float32":
            return None
        v = self.inner(Var("v", x.shape[1:], x.dtype))
        reverse = self.pick(["", ", reverse=True"])
        text = f"lax.scan(lambda c, v: (c * 0.5 + v, ({v.text}, c)), jnp.zeros({x.shape[1:]}), {x.text}{reverse})[1]"
        which = self.random.randrange(2)
        return Var(f"{text}[{which}]", (x.shape[0],) + ((v.shape, x.shape[1:])[which]), (v.dtype, x.dtype)[which])

    def derivative(self, x):
        if x.dtype != "float32" or not x.size:
            return None
        v = self.inner(Var("v", x.shape, x.dtype))
        if not v.is_float():
            return None
        value = f"{v.text}.astype(jnp.float32)"
        if self.chance(0.6):
            return Var(f"jnp.tanh(jax.grad(lambda v: jnp.sum(jnp.sin({value})))({x.text}))", x.shape, x.dtype)
        return Var(f"jnp.tanh(jax.jvp(lambda v: {value}, ({x.text},), ({x.text} * 0.5,))[1])", v.shape, x.dtype)

    # --- the program

    def apply(self, x):
        """One rule applied to x, or None."""
        rule = self.random.choices([r for _, r in self.rules], [w for w, _ in self.rules])[0]
        y = rule(x)
        return y if y and y.size <= LARGEST and len(y.shape) <= 4 else None

    def function(self, name, x):
        """A function of one array: a chain with side branches, whose ends are the result."""
        self.lines.append(f"def {name}(x):")
        self.scope = [x]
        for _ in range(self.random.randint(3, 9)):
            y = None
            while y is None:
                y = self.apply(self.scope[-1] if self.chance(0.7) else self.pick(self.scope))
            self.names += 1
            self.lines.append(f"    v{self.names} = {y.text}")
            self.scope.append(Var(f"v{self.names}", y.shape, y.dtype))
        results = [self.scope[-1].text] + [v.text for v in self.scope[1:-1] if self.chance(0.15)]
        self.lines += [f"    return ({', '.join(results)},)", ""]

    def call(self, name, shape):
        """What happens to the function. Lanes that repeat and lanes that differ; derivatives in both modes."""
        a = self.random.randint(0, len(shape))
        self.lines.append(f"x = jnp.sin(jnp.arange({math.prod(shape)}) * 1.7 + {self.random.uniform(0, 3):.2f}).reshape({shape})")
        self.lines.append(f"show('{name}', {self.pick([name, f'jax.jit({name})'])}(x))")
        how = self.pick(["vmap", "vmap jit", "grad", "grad", "grad jit", "jvp", "vmap grad", "none"])
        gradient = f"jax.grad(lambda x: total({name}(x)))"
        lanes = f"jnp.stack([x, -x, x * 0.5], axis={a})"
        if how.startswith("vmap"):
            f = gradient if how.endswith("grad") else name
            f = f"jax.vmap({f}, in_axes={a})"
            self.lines.append(f"show('{name} {how}', {f'jax.jit({f})' if how.endswith('jit') else f}({lanes}))")
        elif how.startswith("grad"):
            self.lines.append(f"show('{name} {how}', {f'jax.jit({gradient})' if how.endswith('jit') else gradient}(x))")
        elif how == "jvp":
            self.lines.append(f"show('{name} {how}', jax.jvp(lambda x: total({name}(x)), (x,), (jnp.cos(x),)))")
        self.lines.append("")

    def program(self):
        for k in range(4):
            shape = self.new_shape()
            self.function(f"f{k}", Var("x", shape, "float32"))
            self.call(f"f{k}", shape)
        return PRELUDE + "\n".join(self.lines).rstrip() + "\n"


def program(seed):
    """The text of the program with this seed."""
    return Generator(seed).program()


if __name__ == "__main__":
    sys.stdout.write(program(int(sys.argv[1])))
