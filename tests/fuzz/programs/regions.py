"""Random functions made of branches, loops, scans, prefix scans, user-defined derivative rules, checkpoints and collectives,
called under up to three transformations. Shapes may be empty, dtypes are floats, halves, integers, booleans and keys,
carries are trees with weakly typed numbers. Every program is valid JAX as well.

    python regions.py SEED        # prints one program
"""

import math
import sys
from typing import NamedTuple

from writer import Writer

SHAPES = [(), (), (), (1,), (3,), (17,), (0,), (0, 3), (3, 0), (2, 3)]
DTYPES = ["float32"] * 6 + ["float16", "bfloat16", "int32", "int32", "bool", "key"]
FLOATS = ("float32", "float16", "bfloat16")
LENGTHS = [0, 1, 2, 3, 7, 33]
AXIS = "'lanes'"

# Trees of one, two and three leaves: how they are written, and how a leaf is reached.
TREES = {1: [("{}", [""]), ("[{}]", ["[0]"]), ("({},)", ["[0]"])],
         2: [("({}, {})", ["[0]", "[1]"]), ("{{'p': {}, 'q': {}}}", ["['p']", "['q']"]), ("({}, {{'r': [{}]}})", ["[0]", "[1]['r'][0]"])],
         3: [("({}, {}, {})", ["[0]", "[1]", "[2]"]), ("{{'p': ({}, {}), 'q': {}}}", ["['p'][0]", "['p'][1]", "['q']"]),
             ("[{}, None, ({}, {})]", ["[0]", "[2][0]", "[2][1]"])]}

PRELUDE = """\
import jax
import jax.numpy as jnp
from jax import lax


def is_float(y):
    return jnp.issubdtype(y.dtype, jnp.floating)


def floats(tree):
    return [y for y in jax.tree.leaves(tree) if is_float(y)]


def total(tree):
    return sum([jnp.sum(jnp.sin(y.astype(jnp.float32) + 0.25)) for y in floats(tree)], jnp.float32(0))


def tangent(x):
    x = jnp.asarray(x)
    if is_float(x):
        return jnp.cos(x * 3).astype(x.dtype)
    return jax.vjp(lambda x: jnp.float32(0), x)[1](jnp.float32(0))[0]  # of the type that tangents of integers and keys have


def show(name, tree):
    for y in jax.tree.leaves(tree):
        y = jnp.asarray(y)
        if jnp.issubdtype(y.dtype, jax.dtypes.prng_key):
            print(name, "key", y.shape, jnp.sum(jax.random.key_data(y).ravel() % 1009))
        else:
            z = jnp.nan_to_num(y.astype(jnp.float32), nan=77.0, posinf=99.0, neginf=-99.0).ravel()
            print(name, y.shape, y.dtype, y.weak_type, jnp.sum(z * jnp.cos(jnp.arange(z.size) * 0.3)), z[:4])


def with_jvp(f):
    return lambda *xs: jax.tree.map(lambda a, b: (a, b) if is_float(b) else (a,), *jax.jvp(f, xs, tuple([tangent(x) for x in xs])))


def with_linear(f):
    def g(*xs):
        y, linear = jax.linearize(f, *xs)
        return y, floats(linear(*[tangent(x) for x in xs]))
    return g


def with_vjp(f):
    def g(*xs):
        y, pull = jax.vjp(f, *xs)
        return y, floats(pull(jax.tree.map(tangent, y)))
    return g


def with_value(f, argnums):
    return jax.value_and_grad(lambda *xs: (total(f(*xs)), f(*xs)), argnums, has_aux=True)


def with_grad(f, argnums):
    return jax.grad(lambda *xs: total(f(*xs)), argnums)


"""


class Var(NamedTuple):
    """An expression, the shape and the dtype of its value."""

    text: str
    shape: tuple
    dtype: str


class Function(NamedTuple):
    """A callable: its text, the types of its parameters, and what can be done to it."""

    text: str
    parameters: list  # of Var
    forward: bool  # whether jvp is defined
    reverse: bool  # whether vjp is
    axis: bool  # whether it uses the axis name, which a vmap must bind


class Generator(Writer):
    """Makes one program."""

    def __init__(self, seed):
        super().__init__(seed)
        self.limits = set()  # of the function being made: "forward", "reverse" where the mode is refused, "axis" where it is used
        self.collectives = False  # whether the function may use the axis name here
        self.rules = []  # (name, whether it has a vjp rule, numbers that it takes before the array)
        self.regions = [(4, self.cond), (2, self.switch), (3, self.fori), (2, self.while_loop), (5, self.scan), (2, self.prefix), (2, self.ruled),
                        (2, self.checkpoint), (1, self.jit), (1, self.mapped), (1, self.derivative)]

    # --- expressions

    def constant(self, shape, dtype):
        if dtype == "key":
            key = f"jax.random.key({self.random.randint(0, 9)})"
            return f"jax.random.split({key}, {shape})" if shape else key
        if dtype == "bool":
            return f"jnp.full({shape}, {self.chance(0.5)})"
        return f"jnp.full({shape}, {self.random.randint(1, 5) if dtype == 'int32' else self.pick(['0.25', '-0.5', '0.75'])}, jnp.{dtype})"

    def brought(self, v, shape, dtype):
        """The text of a variable brought to a shape and a dtype."""
        text = v.text
        if v.dtype == "key":
            if dtype == "key":
                return f"jax.random.split({text}{'.ravel()[0]' if v.shape else ''}, {shape})" if shape else f"{text}.ravel()[0]"
            text = f"jax.random.uniform({text}{'.ravel()[0]' if v.shape else ''}, {shape})"
            return f"({text} > 0.5)" if dtype == "bool" else f"({text} * 4).astype(jnp.{dtype})"
        if v.dtype != dtype:
            text = f"({text} > 0)" if dtype == "bool" else f"(jnp.round({text} * 3)).astype(jnp.int32)" if dtype == "int32" and v.dtype != "bool" else f"{text}.astype(jnp.{dtype})"
        if v.shape == shape:
            return text
        if v.shape:
            text = f"jnp.any({text})" if dtype == "bool" else f"jnp.mean({text})" if dtype in FLOATS and math.prod(v.shape) else f"jnp.sum({text})"
            text = f"({text} % 5)" if dtype == "int32" else text
        return f"jnp.broadcast_to({text}, {shape})" if shape else text

    def leaf(self, scope, shape, dtype):
        same = [v for v in scope if v.shape == shape and v.dtype == dtype]
        if same and self.chance(0.8):
            return self.pick(same).text
        usable = [v for v in scope if not (v.dtype == "key" and not math.prod(v.shape)) and (dtype != "key" or v.dtype == "key")]
        return self.brought(self.pick(usable), shape, dtype) if usable and self.chance(0.8) else self.constant(shape, dtype)

    def expression(self, scope, shape, dtype, depth=2):
        """An expression of small values over the variables in scope."""
        if dtype == "key" or depth == 0:
            return self.leaf(scope, shape, dtype)
        sub = lambda d=dtype, s=shape: self.expression(scope, s, d, depth - 1)
        if dtype == "bool":
            return self.pick(["({0} > {1})", "({0} <= {1})"]).format(sub("float32"), sub("float32")) if self.chance(0.4) else self.pick(["(~{})", "({0} ^ {1})", "({0} & {1})"]).format(sub(), sub())
        if dtype == "int32":
            return self.pick(["(({0} + 1) % 5)", "({0} * {1} % 7)", "jnp.minimum({0}, {1})", "jnp.where({2}, {0}, {1})", "({0} - {1}) % 6"]).format(sub(), sub(), sub("bool"))
        if self.collectives and self.chance(0.15):
            self.limits.add("axis")
            how = self.pick(["lax.psum({0}, {1}) * 0.3", "lax.pmean({0}, {1})", "{0} * lax.axis_index({1})", "lax.all_gather({0}, {1})[0]", "lax.ppermute({0}, {1}, [(0, 1), (1, 0)])"])
            return f"({how})".format(sub(), AXIS)
        how = self.pick(["jnp.tanh({0})", "jnp.sin({0})", "({0} * 0.5)", "({0} + {1})", "({0} - {1})", "({0} * {1})", "jnp.where({2}, {0}, {1})", "jnp.maximum({0}, {1})",
                         "({0} * {3})", "lax.stop_gradient({0})"])
        return how.format(sub(), sub(), sub("bool"), sub(dtype, ()))

    def small(self, scope, shape, dtype, depth=2):
        """An expression that stays small when it is repeated."""
        text = self.expression(scope, shape, dtype, depth)
        return self.pick(["jnp.tanh({})", "({} * 0.25)"]).format(text) if dtype in FLOATS else text

    # --- trees

    def types(self, most=3):
        return [(self.pick(SHAPES), self.pick(DTYPES)) for _ in range(self.random.randint(1, most))]

    def tree(self, n):
        return self.pick(TREES[n])

    @staticmethod
    def leaves(name, tree, types):
        return [Var(name + path, shape, dtype) for path, (shape, dtype) in zip(tree[1], types)]

    # --- functions within functions

    def inner(self, scope, types, tree, depth, parameters=()):
        """Emits statements; returns the text of a tree of the given types."""
        scope = list(scope) + list(parameters)
        if depth > 0 and self.chance(0.4):
            self.region(scope, depth - 1)
        # What the function is given is used more than what lies around it.
        near = scope if self.chance(0.3) or not parameters else list(parameters) + scope[len(scope) - 1:]
        return tree[0].format(*[self.small(near, shape, dtype) for shape, dtype in types])

    def define(self, stem, signature, make):
        """A function with the given parameters, whose result is what `make` returns."""
        name = self.name(stem)
        with self.block(f"def {name}({signature}):"):
            self.emit(f"return {make()}")
        return name

    def bind(self, scope, text, tree, types, stem="v"):
        """A variable that holds a tree; its leaves come into scope."""
        name = self.name(stem)
        self.emit(f"{name} = {text}")
        scope += self.leaves(name, tree, types)

    def operand(self, scope, types):
        return [self.expression(scope, shape, dtype, 1) for shape, dtype in types]

    def branches(self, scope, count, depth):
        """Functions of one tree with results of one type; the text of their operand."""
        given, results = self.types(2), self.types()
        given_tree, tree = self.tree(len(given)), self.tree(len(results))
        names = []
        for _ in range(count):
            x = self.name("x")
            names.append(self.define("branch", x, lambda: self.inner(scope, results, tree, depth, self.leaves(x, given_tree, given))))
        return names, given_tree[0].format(*self.operand(scope, given)), tree, results

    def cond(self, scope, depth):
        names, operand, tree, results = self.branches(scope, 2, depth)
        predicate = self.pick([self.expression(scope, (), "bool", 1)] * 3 + [self.expression(scope, (), "int32", 1), "True", "False"])
        self.bind(scope, f"lax.cond({predicate}, {names[0]}, {names[1]}, {operand})", tree, results)

    def switch(self, scope, depth):
        names, operand, tree, results = self.branches(scope, self.pick([1, 2, 3, 4]), depth)
        index = self.pick([f"{self.expression(scope, (), 'int32', 1)} - 1", str(self.random.randint(-1, 4))])
        self.bind(scope, f"lax.switch({index}, [{', '.join(names)}], {operand})", tree, results)

    def carry(self, scope, depth):
        """Types and tree of a carry, the texts of what it starts with: weakly typed numbers among them."""
        types = self.types()
        start = self.operand(scope, types)
        for k, (shape, dtype) in enumerate(types):
            if shape == () and dtype in ("float32", "int32") and self.chance(0.4):
                start[k] = "0.5" if dtype == "float32" else "2"
        return types, self.tree(len(types)), start

    def fori(self, scope, depth):
        types, tree, start = self.carry(scope, depth)
        x, k = self.name("x"), self.name("i")
        body = self.define("body", f"{k}, {x}", lambda: self.inner(scope, types, tree, depth, [Var(k, (), "int32")] + self.leaves(x, tree, types)))
        low, trips = self.pick([0, 0, -1, 2]), self.pick([0, 1, 3, 7])
        bounds = f"{low}, {low + trips}"
        if self.chance(0.25):
            self.limits.add("reverse")
            bounds = self.pick([f"0, {self.expression(scope, (), 'int32', 1)}", f"{self.expression(scope, (), 'int32', 1)}, 4"])
        self.bind(scope, f"lax.fori_loop({bounds}, {body}, {tree[0].format(*start)})", tree, types)

    def while_loop(self, scope, depth):
        self.limits.add("reverse")
        types, tree, start = self.carry(scope, depth)
        s = self.name("s")
        leaves = self.leaves(s + "[1]", tree, types)
        collectives, self.collectives = self.collectives, False  # lanes stop at different times
        body = self.define("body", s, lambda: f"{s}[0] + 1, {self.inner(scope, types, tree, depth, leaves)}")
        test = f"{s}[0] < {self.pick(['0', '1', '4', self.expression(scope, (), 'int32', 1)])}"
        if self.chance(0.5):
            test = f"({test}) & {self.expression(leaves, (), 'bool', 1)}"
        self.collectives = collectives
        self.bind(scope, f"lax.while_loop(lambda {s}: {test}, {body}, (0, {tree[0].format(*start)}))[1]", tree, types)

    def scan(self, scope, depth):
        types, tree, start = self.carry(scope, depth)
        length, rows = self.pick(LENGTHS), self.types(2)
        has_rows = self.chance(0.75)
        row_tree, outs = self.tree(len(rows)), self.types(2)
        out_tree = self.tree(len(outs))
        c, x = self.name("c"), self.name("x")
        parameters = self.leaves(c, tree, types) + (self.leaves(x, row_tree, rows) if has_rows else [])

        def result():
            carry = self.inner(scope, types, tree, depth, parameters)
            return f"{carry}, {out_tree[0].format(*[self.small(parameters, shape, dtype) for shape, dtype in outs]) if has_outs else None}"
        has_outs = self.chance(0.8)
        step = self.define("step", f"{c}, {x}", result)
        xs = row_tree[0].format(*self.operand(scope, [((length,) + shape, dtype) for shape, dtype in rows])) if has_rows else "None"
        options = self.pick(["", "", ", reverse=True", ", unroll=3", ", unroll=True", ", reverse=True, unroll=2"]) + ("" if has_rows else f", length={length}")
        carry, ys = self.name("c"), self.name("ys")
        self.emit(f"{carry}, {ys} = lax.scan({step}, {tree[0].format(*start)}, {xs}{options})")
        scope += self.leaves(carry, tree, types)
        if has_outs:
            scope += self.leaves(ys, out_tree, [((length,) + shape, dtype) for shape, dtype in outs])

    def prefix(self, scope, depth):
        dtype, axis, length = self.pick(["float32", "float32", "int32"]), self.pick([0, -1]), self.pick([1, 2, 5, 17])
        shape = self.pick([(length,), (length, 2)] if axis == 0 else [(length,), (3, length)])
        elements = self.expression(scope, shape, dtype, 1)
        reverse = axis == 0 and self.chance(0.5)  # JAX refuses negative axes in reverse
        options = f", reverse={reverse}, axis={axis}"
        if self.chance(0.5):
            function = self.pick(["jnp.add", "jnp.maximum", "lambda a, b: a * b"] if dtype == "float32" else ["jnp.add", "jnp.minimum"])
            self.bind(scope, f"lax.associative_scan({function}, {elements}{options})", TREES[1][0], [(shape, dtype)])
        else:
            pair = f"({elements}, {self.expression(scope, shape, dtype, 1)})"
            self.bind(scope, f"lax.associative_scan(lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), {pair}{options})", TREES[2][0], [(shape, dtype)] * 2)

    def ruled(self, scope, depth):
        name, has_vjp, numbers = self.pick(self.rules)
        if has_vjp:
            self.limits.add("forward")
        shape, dtype = self.pick(SHAPES), self.pick(FLOATS)
        given = "2, " if numbers else ""
        self.bind(scope, f"{name}({given}{self.expression(scope, shape, dtype, 1)}, {self.expression(scope, (), 'int32', 1)})", TREES[2][1],
                  [(shape, dtype)] * 2)

    def called(self, scope, depth, wrap):
        """A function of a tree, wrapped, called."""
        (name,), operand, tree, results = self.branches(scope, 1, depth)
        self.bind(scope, f"{wrap.format(name)}({operand})", tree, results)

    def checkpoint(self, scope, depth):
        policy = self.pick(["", ", policy=jax.checkpoint_policies.everything_saveable", ", policy=jax.checkpoint_policies.nothing_saveable",
                            ", policy=jax.checkpoint_policies.dots_saveable", ", policy=jax.checkpoint_policies.dots_with_no_batch_dims_saveable",
                            ", policy=jax.checkpoint_policies.save_only_these_names('a')"])
        self.called(scope, depth, f"jax.checkpoint({{}}{policy})")

    def jit(self, scope, depth):
        self.called(scope, depth, "jax.jit({})")

    def mapped(self, scope, depth):
        n, (shape, dtype), results = self.pick([1, 2, 5]), (self.pick(SHAPES), self.pick(DTYPES)), self.types(2)
        tree, x = self.tree(len(results)), self.name("x")
        collectives, self.collectives = self.collectives, False
        f = self.define("f", x, lambda: self.inner(scope, results, tree, depth, [Var(x, shape, dtype)]))
        self.collectives = collectives
        argument = self.expression(scope, (n,) + shape, dtype, 1)
        call = self.pick([f"jax.vmap({f})({argument})", f"lax.map({f}, {argument})", f"lax.map({f}, {argument}, batch_size=2)"])
        self.bind(scope, call, tree, [((n,) + shape, dtype) for shape, dtype in results])

    def derivative(self, scope, depth):
        """A derivative within a function, by the mode that what is inside allows."""
        limits, self.limits = self.limits, set()
        shape, results, x = self.pick(SHAPES), self.types(2), self.name("x")
        tree = self.tree(len(results))
        f = self.define("f", x, lambda: self.inner(scope, results, tree, depth, [Var(x, shape, "float32")]))
        argument = self.expression(scope, shape, "float32", 1)
        if "reverse" not in self.limits:
            self.bind(scope, f"with_grad({f}, 0)({argument})", TREES[1][0], [(shape, "float32")])
            self.limits.discard("forward")
        elif "forward" not in self.limits:
            self.bind(scope, f"jax.jvp(lambda x: total({f}(x)), ({argument},), (jnp.ones_like({argument}),))[1]", TREES[1][0], [((), "float32")])
        self.limits |= limits

    def region(self, scope, depth):
        weights = [w for w, _ in self.regions]
        self.random.choices([r for _, r in self.regions], weights)[0](scope, depth)

    # --- user-defined rules, of an array and an integer, with results of the array's type

    def custom_jvp(self):
        name, numbers = self.name("ruled"), self.chance(0.4)
        self.emit("@partial(jax.custom_jvp, nondiff_argnums=(0,))" if numbers else "@jax.custom_jvp")
        with self.block(f"def {name}({'n, ' if numbers else ''}x, k):"):
            self.emit(f"return {{'p': jnp.sin(x){' * n' if numbers else ''}, 'q': x * k.astype(x.dtype)}}")
        with self.block(f"def {name}_jvp({'n, ' if numbers else ''}primals, tangents):"):
            self.emit("x, k = primals")
            self.emit("dx, _ = tangents")
            slope = self.pick(["jnp.cos(x) * dx", "2 * dx", "jnp.where(x > 0, dx, -dx)"])
            self.emit(f"return {name}({'n, ' if numbers else ''}x, k), {{'p': {slope}, 'q': dx * k.astype(x.dtype)}}")
        self.emit(f"{name}.defjvp({name}_jvp)")
        self.emit("")
        self.rules.append((name, False, numbers))

    def custom_vjp(self):
        name, numbers = self.name("ruled"), self.chance(0.4)
        self.emit("@partial(jax.custom_vjp, nondiff_argnums=(0,))" if numbers else "@jax.custom_vjp")
        n = "n, " if numbers else ""
        with self.block(f"def {name}({n}x, k):"):
            self.emit("return {'p': jnp.sin(x), 'q': x * k.astype(x.dtype)}")
        with self.block(f"def {name}_fwd({n}x, k):"):
            self.emit(f"return {name}({n}x, k), {{'x': x, 'k': (k, 3)}}")
        with self.block(f"def {name}_bwd({n}kept, ct):"):
            slope = self.pick(["jnp.cos(kept['x']) * ct['p']", "jnp.clip(ct['p'], -0.5, 0.5)", "ct['p'] * kept['k'][1]"])
            self.emit(f"return {slope} + ct['q'] * kept['k'][0].astype(ct['q'].dtype), None")
        self.emit(f"{name}.defvjp({name}_fwd, {name}_bwd)")
        self.emit("")
        self.rules.append((name, True, numbers))

    # --- the program

    def function(self):
        name = self.name("g")
        parameters = [Var(self.name("a"), self.pick(SHAPES), self.pick(DTYPES)) for _ in range(self.pick([1, 2, 2, 3]))]
        if not any(v.dtype in FLOATS for v in parameters):
            parameters[0] = parameters[0]._replace(dtype="float32")
        self.limits, self.collectives = set(), self.chance(0.2)
        with self.block(f"def {name}({', '.join(v.text for v in parameters)}):"):
            scope = list(parameters)
            for _ in range(self.pick([1, 1, 2])):
                self.region(scope, 1)
            results = self.types(2)
            made = scope[len(parameters):] or scope
            shown = self.random.sample(made, min(len(made), 2))
            self.emit(f"return [{', '.join([v.text for v in shown] + [self.expression(scope, shape, dtype) for shape, dtype in results])}]")
        self.emit("")
        self.collectives = False
        return Function(name, parameters, "forward" not in self.limits, "reverse" not in self.limits, "axis" in self.limits)

    def argnums(self, f):
        known = [k for k, v in enumerate(f.parameters) if v.dtype in FLOATS]
        return self.pick([self.pick(known), tuple(known)])

    def vmap(self, f):
        lanes = 2 if f.axis else self.pick([1, 2, 3, 3])
        while True:
            axes = [None if self.chance(0.35) else self.random.randint(0, len(v.shape)) for v in f.parameters]
            if any(a is not None for a in axes):
                break
        parameters = [v if a is None else v._replace(shape=v.shape[:a] + (lanes,) + v.shape[a:]) for v, a in zip(f.parameters, axes)]
        shown = [a if a is None or self.chance(0.7) else a - len(v.shape) - 1 for v, a in zip(f.parameters, axes)]
        options = [f"in_axes=({', '.join(map(str, shown))},)"]
        if self.chance(0.3):
            options.append("out_axes=-1")
        if f.axis:
            options.append(f"axis_name={AXIS}")
        elif self.chance(0.2):
            options.append(f"axis_size={lanes}")
        return f._replace(text=f"jax.vmap({f.text}, {', '.join(options)})", parameters=parameters, axis=False)

    def transformed(self, f, derivatives):
        """f under one transformation that is defined for it; `derivatives` counts what is still allowed."""
        ways = ["vmap", "vmap", "jit"]
        if derivatives:
            ways += ["jvp", "linearize"] * f.forward + ["vjp", "grad", "grad", "value", "jacrev"] * f.reverse
            ways += ["jacfwd"] * f.forward + ["hessian"] * (f.forward and f.reverse and derivatives > 1)
        way = self.pick(ways)
        if way == "vmap":
            return self.vmap(f), derivatives
        if way == "jit":
            return f._replace(text=f"jax.jit({f.text})"), derivatives
        if way in ("jvp", "linearize"):
            return f._replace(text=f"with_{'jvp' if way == 'jvp' else 'linear'}({f.text})"), derivatives - 1
        # What a backward rule returns is plain code, which has derivatives in both modes.
        if way == "vjp":
            return f._replace(text=f"with_vjp({f.text})", forward=True), derivatives - 1
        argnums = self.argnums(f)
        if way in ("grad", "value"):
            return f._replace(text=f"with_{way}({f.text}, {argnums})", forward=True), derivatives - 1
        inner = f"lambda *xs: floats({f.text}(*xs))" if way != "hessian" else f"lambda *xs: total({f.text}(*xs))"
        return f._replace(text=f"jax.{way}({inner}, {argnums})", forward=f.forward or way == "jacrev"), derivatives - (2 if way == "hessian" else 1)

    def argument(self, v):
        size = math.prod(v.shape)
        if v.dtype == "key":
            return self.constant(v.shape, "key")
        if v.dtype in ("float32", "int32") and not v.shape and self.chance(0.3):
            return f"jnp.asarray({'0.7' if v.dtype == 'float32' else '3'})"
        text = f"jnp.arange({size}).reshape({v.shape})"
        if v.dtype == "bool":
            return f"({text} % 3 == {self.random.randint(0, 2)})"
        if v.dtype == "int32":
            return f"({text} * 5 % 7 - {self.random.randint(0, 3)})"
        return f"jnp.sin({text} * 1.7 + {self.random.uniform(0, 3):.2f}).astype(jnp.{v.dtype})"

    def calls(self, f):
        plain = f
        for _ in range(self.pick([2, 3])):
            g, derivatives = plain, 2
            for _ in range(self.pick([1, 1, 2, 2, 3])):
                g, derivatives = self.transformed(g, derivatives)
            while g.axis:
                g = self.vmap(g)
            label = g.text.replace("jax.", "").replace("lambda *xs: ", "").replace("'", "")
            self.emit(f"show('{label}', {g.text}({', '.join(self.argument(v) for v in g.parameters)}))")
        if not plain.axis:
            self.emit(f"show('{plain.text}', {plain.text}({', '.join(self.argument(v) for v in plain.parameters)}))")
        self.emit("")

    def program(self):
        self.emit("from functools import partial")
        self.lines += PRELUDE.splitlines()
        self.custom_jvp()
        self.custom_vjp()
        for _ in range(2):
            self.calls(self.function())
        return "\n".join(self.lines).rstrip() + "\n"


def program(seed):
    """The text of the program with this seed."""
    return Generator(seed).program()


if __name__ == "__main__":
    sys.stdout.write(program(int(sys.argv[1])))
