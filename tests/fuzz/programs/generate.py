"""Random programs for the compiler: functions over arrays and pytrees, with loops, scans, branches and transforms nested in
any order. Every program is valid JAX as well, and its numbers stay small, so that compiled code, the interpreter and JAX
can be compared.

    python generate.py SEED        # prints one program
"""

import sys

from writer import Writer

UNARY = ["jnp.sin({})", "jnp.cos({})", "jnp.tanh({})", "jnp.exp(-{0} * {0})", "jnp.abs({})", "jax.nn.relu({})", "jax.nn.sigmoid({})",
         "jnp.sqrt({0} * {0} + 1.0)", "jnp.log1p({0} * {0})", "{} * 0.5", "-{}", "jnp.square({})", "jax.nn.softplus({})",
         "jnp.floor({})", "jnp.clip({}, -0.7, 0.9)", "lax.stop_gradient({})"]
BINARY = ["{0} + {1}", "{0} - {1}", "{0} * {1}", "{0} / (1.5 + {1} * {1})", "jnp.maximum({0}, {1})", "jnp.minimum({0}, {1})",
          "jnp.where({0} > {1}, {0}, {1} * 0.25)", "jnp.hypot({0}, {1} + 2.0)", "jnp.arctan2({0}, {1} + 3.0)"]


class Generator(Writer):
    """Makes one program. A variable has a name and a shape; a function takes and returns one array or one dict of arrays."""

    def __init__(self, seed):
        super().__init__(seed)
        self.functions = []  # (name, shape of the argument, shape of the result)

    def shape(self):
        return tuple(self.pick([1, 2, 3, 4]) for _ in range(self.pick([0, 1, 1, 2, 2, 3])))

    # --- expressions: text that has the wanted shape, over the variables in scope

    def leaf(self, scope, shape):
        same = [n for n, s in scope if s == shape]
        if same and self.random.random() < 0.8:
            return self.pick(same)
        others = [(n, s) for n, s in scope if s]
        if others:
            name, own = self.pick(others)
            return self.reshaped(f"{name}", own, shape)
        if scope:
            return f"jnp.full({shape}, {self.pick(scope)[0]})" if shape else self.pick(scope)[0]
        return f"jnp.full({shape}, {self.random.uniform(-1, 1):.3f})"

    def reshaped(self, text, own, shape):
        """An array of shape `own` brought to `shape` by reductions and broadcasts."""
        if own == shape:
            return text
        how = self.random.random()
        if own[1:] == shape and how < 0.5:
            return self.pick([f"{text}[0]", f"{text}[-1]", f"jnp.sum({text}, axis=0)", f"jnp.max({text}, axis=0)", f"jnp.mean({text}, axis=0)"])
        if own[:-1] == shape and how < 0.5:
            return self.pick([f"{text}[..., 0]", f"jnp.sum({text}, axis=-1)", f"jnp.min({text}, axis=-1)", f"jnp.prod({text}, axis=-1)"])
        if own == shape[1:]:
            return f"jnp.stack([{text} * (k + 1) for k in range({shape[0]})])"
        scalar = self.pick([f"jnp.sum({text}) / {max(1, len(own))}.0", f"jnp.mean({text})", f"jnp.max({text})"])
        return scalar if not shape else f"jnp.broadcast_to({scalar}, {shape})"

    def expression(self, scope, shape, depth=2):
        if depth == 0 or self.random.random() < 0.15:
            return self.leaf(scope, shape)
        kind = self.random.random()
        sub = lambda s=shape: self.expression(scope, s, depth - 1)
        if kind < 0.3:
            return self.pick(UNARY).format(f"({sub()})")
        if kind < 0.6:
            return self.pick(BINARY).format(f"({sub()})", f"({sub()})")
        if kind < 0.7 and len(shape) == 2:
            inner = self.pick([1, 2, 3, 5])
            return f"(({sub((shape[0], inner))}) @ ({sub((inner, shape[1]))}))"
        if kind < 0.75 and len(shape) == 2:
            return f"jnp.transpose({sub(shape[::-1])})"
        if kind < 0.8 and shape:
            axis = self.random.randrange(len(shape))
            return self.pick([f"jnp.cumsum({sub()}, axis={axis})", f"jax.nn.softmax({sub()}, axis={axis})", f"jnp.sort({sub()}, axis={axis})",
                              f"jnp.flip({sub()}, axis={axis})", f"jnp.roll({sub()}, 1, axis={axis})"])
        if kind < 0.85 and shape and shape[0] > 1:
            rest = shape[1:]
            return f"jnp.concatenate([{sub((1,) + rest)}, {sub((shape[0] - 1,) + rest)}])"
        if kind < 0.9 and shape:
            at = self.random.randrange(shape[0])
            return f"({sub()}).at[{at}].{self.pick(['set', 'add'])}({sub(shape[1:])})"
        if kind < 0.95:
            candidates = [f for f in self.functions if f[2] == shape]
            if candidates:
                name, argument, _ = self.pick(candidates)
                return f"{name}({sub(argument)})"
        return self.leaf(scope, shape)

    # --- statements in a function: each adds a variable

    def bounded(self, text):
        return f"jnp.tanh({text})" if self.random.random() < 0.6 else f"0.3 * ({text})"

    def statement(self, scope, depth):
        shape = self.shape()
        out = self.name("v")
        kind = self.random.random()
        if depth <= 0 or kind < 0.3:
            self.emit(f"{out} = {self.bounded(self.expression(scope, shape))}")
        elif kind < 0.45:
            self.scan(scope, out, shape, depth)
        elif kind < 0.6:
            self.cond(scope, out, shape, depth)
        elif kind < 0.7:
            self.for_loop(scope, out, shape, depth)
        elif kind < 0.8:
            self.while_loop(scope, out, shape, depth)
        else:
            self.transform(scope, out, shape, depth)
        scope.append((out, shape))

    def body(self, scope, shape, depth):
        """Statements and the result's expression, in a scope of its own."""
        inner = list(scope)
        for _ in range(self.pick([0, 1, 1])):
            self.statement(inner, depth - 1)
        return self.bounded(self.expression(inner, shape))

    def scan(self, scope, out, shape, depth):
        step, n, xs_shape = self.name("step"), self.pick([1, 2, 3, 5]), self.shape()
        xs = self.expression(scope, (n,) + xs_shape, 1)
        init = self.expression(scope, shape, 1)
        c, x = self.name("c"), self.name("x")
        with self.block(f"def {step}({c}, {x}):"):
            inner = list(scope) + [(f"{c}['a']", shape), (f"{c}['b']", ()), (x, xs_shape)]
            result = self.body(inner, shape, depth)
            scalar = self.bounded(self.expression(inner, (), 1))
            self.emit(f"return {{'a': {result}, 'b': {scalar}}}, {self.expression(inner, shape, 1)}")
        reverse = self.pick(["", ", reverse=True"])
        carry, ys = self.name("c"), self.name("ys")
        self.emit(f"{carry}, {ys} = lax.scan({step}, {{'a': {init}, 'b': jnp.float32(0.1)}}, {xs}{reverse})")
        self.emit(f"{out} = {carry}['a'] + jnp.mean({ys}) * {carry}['b']")

    def cond(self, scope, out, shape, depth):
        yes, no = self.name("yes"), self.name("no")
        for branch in (yes, no):
            x = self.name("x")
            with self.block(f"def {branch}({x}):"):
                self.emit(f"return {self.body(list(scope) + [(x, shape)], shape, depth)}")
        self.emit(f"{out} = lax.cond({self.expression(scope, (), 1)} > {self.random.uniform(-0.5, 0.5):.2f}, {yes}, {no}, {self.expression(scope, shape, 1)})")

    def for_loop(self, scope, out, shape, depth):
        self.emit(f"{out} = {self.expression(scope, shape, 1)}")
        if self.random.random() < 0.5:
            i = self.name("i")
            with self.block(f"for {i} in range({self.pick([1, 2, 4, 7])}):"):
                self.emit(f"{out} = {self.body(list(scope) + [(out, shape)], shape, depth - 1)} + 0.01 * {i}")
        else:
            step = self.name("step")
            x = self.name("x")
            with self.block(f"def {step}(i, {x}):"):
                self.emit(f"return {self.body(list(scope) + [(x, shape)], shape, depth)} + 0.01 * i")
            self.emit(f"{out} = lax.fori_loop(0, {self.pick([1, 2, 4, 7])}, {step}, {out})")

    def while_loop(self, scope, out, shape, depth):
        """JAX has no reverse mode through while_loop: what goes in is cut off from derivatives."""
        step, s = self.name("step"), self.name("s")
        with self.block(f"def {step}({s}):"):
            self.emit(f"return {s}[0] + 1, {self.body([(s + '[1]', shape)], shape, depth)}")
        init = f"lax.stop_gradient({self.expression(scope, shape, 1)})"
        self.emit(f"{out} = lax.while_loop(lambda s: s[0] < {self.pick([1, 2, 3])}, {step}, (0, {init}))[1]")

    def transform(self, scope, out, shape, depth):
        f, x = self.name("g"), self.name("x")
        with self.block(f"def {f}({x}):"):
            kind = self.pick(["grad", "vmap", "jvp", "jit", "value_and_grad", "checkpoint"])
            if kind in ("grad", "value_and_grad"):
                result = self.body(list(scope) + [(x, shape)], self.shape(), depth)
                self.emit(f"return jnp.sum({result})")
            else:
                lane = shape[1:] if kind == "vmap" and shape else shape
                self.emit(f"return {self.body(list(scope) + [(x, lane)], lane, depth)}")
        argument = self.expression(scope, shape, 1)
        if kind == "grad":
            self.emit(f"{out} = jax.grad({f})({argument})")
        elif kind == "value_and_grad":
            pair = self.name("p")
            self.emit(f"{pair} = jax.value_and_grad({f})({argument})")
            self.emit(f"{out} = {pair}[1] * jnp.tanh({pair}[0])")
        elif kind == "vmap" and shape:
            self.emit(f"{out} = jax.vmap({f})({argument})")
        elif kind == "jvp":
            pair = self.name("p")
            self.emit(f"{pair} = jax.jvp({f}, ({argument},), ({self.expression(scope, shape, 1)},))")
            self.emit(f"{out} = {pair}[0] + {pair}[1]")
        elif kind == "checkpoint":
            self.emit(f"{out} = jax.checkpoint({f})({argument})")
        else:
            self.emit(f"{out} = jax.jit({f})({argument})")
        self.emit(f"{out} = jnp.tanh({out})")

    # --- the program

    def function(self, depth):
        name, x, argument, shape = self.name("f"), self.name("x"), self.shape(), self.shape()
        with self.block(f"def {name}({x}):"):
            scope = [(x, argument)]
            for _ in range(self.pick([1, 2, 3])):
                self.statement(scope, depth)
            self.emit(f"return {self.bounded(self.expression(scope, shape))}")
        self.emit("")
        self.functions.append((name, argument, shape))

    def data(self, shape):
        size = 1
        for n in shape:
            size *= n
        values = ", ".join(f"{self.random.uniform(-1.5, 1.5):.3f}" for _ in range(size))
        return f"jnp.array([{values}], dtype=jnp.float32).reshape({shape})"

    def top_level(self):
        """Calls of the functions, plain and transformed, and Python's own control flow on their values."""
        for name, argument, shape in list(self.functions):
            x = self.name("x")
            self.emit(f"{x} = {self.data(argument)}")
            gradient = f"jax.grad(lambda x: jnp.sum({name}(x)))"
            self.emit(f"print({name}({x}))")
            self.emit(f"print({gradient}({x}))")
            how = self.pick(["jit", "vmap", "jvp", "hessian", "loop", "while", "tree"])
            if how == "jit":
                self.emit(f"print(jax.jit({name})({x}))")
            elif how == "vmap":
                self.emit(f"print(jax.vmap({gradient})(jnp.stack([{x}, {x} * 0.5, -{x}])))")
            elif how == "jvp":
                self.emit(f"print(jax.jvp({gradient}, ({x},), (jnp.ones_like({x}),))[1])")
            elif how == "hessian":
                self.emit(f"print(jnp.sum(jax.hessian(lambda x: jnp.sum({name}(x)))({x})))")
            elif how == "loop":
                total, history = self.name("t"), self.name("h")
                self.emit(f"{total}, {history} = {x}, []")
                self.emit(f"for k in range({self.pick([2, 3, 6])}):")
                self.emit(f"    {total} = 0.5 * {total} + 0.1 * jnp.mean({name}({total}))")
                self.emit(f"    if jnp.sum({total}) > {self.random.uniform(-1, 1):.2f}:")
                self.emit(f"        {total} = {total} - 0.3")
                self.emit(f"    {history}.append(float(jnp.sum({total})))")
                self.emit(f"print({total})")
                self.emit(f"print(len({history}), sum({history}) / len({history}))")
            elif how == "while":
                n, v = self.name("n"), self.name("v")
                self.emit(f"{n}, {v} = 0, {x}")
                self.emit(f"while {n} < 5 and float(jnp.sum(jnp.abs({v}))) > 0.2:")
                self.emit(f"    {n}, {v} = {n} + 1, {v} * 0.5 + 0.01 * jnp.mean({name}({v}))")
                self.emit(f"print({n}, {v})")
            else:
                self.emit(f"tree = {{'w': {x}, 'b': [jnp.sum({x}), {x} * 2.0]}}")
                self.emit(f"print(jax.grad(lambda t: jnp.sum({name}(t['w'] * t['b'][0])) + jnp.mean(t['b'][1]))(tree))")

    def program(self):
        self.emit("import jax")
        self.emit("import jax.numpy as jnp")
        self.emit("from jax import lax")
        self.emit("")
        for _ in range(self.pick([1, 2])):
            self.function(self.pick([1, 2, 2, 3]))
        self.top_level()
        return "\n".join(self.lines) + "\n"


def program(seed):
    """The text of the program with this seed."""
    return Generator(seed).program()


if __name__ == "__main__":
    sys.stdout.write(program(int(sys.argv[1])))
