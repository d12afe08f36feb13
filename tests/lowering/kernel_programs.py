"""Writes programs that exercise every kernel emitter: all ops, dtypes, sizes that no vector divides.

    python3 kernel_programs.py FOLDER

One .mlir file a family. The expected results are the interpreter's; LoweringTest compares bits.
"""
import pathlib
import sys


def array(numbers):
    return "array<i64" + (": " + ", ".join(map(str, numbers)) if numbers else "") + ">"


class Value:
    def __init__(self, name, shape, dtype):
        self.name, self.shape, self.dtype = name, list(shape), dtype

    @property
    def type(self):
        return "tensor<" + "".join(f"{size}x" for size in self.shape) + self.dtype + ">"


class Program:
    """Builds the text of one @entry without parameters."""

    def __init__(self, comment):
        self.comment, self.lines, self.results, self.count = comment, [], [], 0

    def op(self, name, operands, *results, **attributes):
        """Appends jx.NAME; `results` are (shape, dtype) pairs."""
        values = []
        for shape, dtype in results:
            values.append(Value(f"%v{self.count}", shape, dtype))
            self.count += 1
        text = ", ".join(f"{key} = {value}" for key, value in attributes.items())
        types = ", ".join(value.type for value in values)
        self.lines.append(f"  {', '.join(v.name for v in values)} = jx.{name} {', '.join(v.name for v in operands)}"
                          + (f" {{{text}}}" if text else "")
                          + f" : ({', '.join(v.type for v in operands)}) -> ({types})")
        return values[0] if len(values) == 1 else values

    def ret(self, *values):
        self.results += values

    def write(self, folder, name):
        types = ", ".join(v.type for v in self.results)
        body = "\n".join(self.lines)
        names = ", ".join(v.name for v in self.results)
        (folder / f"{name}.mlir").write_text(
            f"// {self.comment}\nfunc.func @entry() -> ({types}) {{\n{body}\n  return {names} : {types}\n}}\n")

    # --- Values
    def constant(self, value, shape, dtype):
        result = Value(f"%v{self.count}", shape, dtype)
        self.count += 1
        self.lines.append(f"  {result.name} = jx.constant dense<{value}> : {result.type}")
        return result

    def iota(self, shape, dimension, dtype):
        return self.op("iota", [], (shape, dtype), dtype=dtype, shape=array(shape), dimension=f"{dimension} : i64")

    def data(self, shape, seed=0, dtype="f32", scale=None):
        """Scrambled values: multiples of 1/8 (times `scale`) between -6 and 6, or integers between -48 and 48."""
        size = 1
        for extent in shape:
            size *= extent
        x = self.iota([size], 0, "i32")
        x = self.same("mul", x, self.constant(40503 + 2 * seed, [size], "i32"))
        x = self.same("add", x, self.constant(7919 * seed + 13, [size], "i32"))
        x = self.same("rem", x, self.constant(97, [size], "i32"))
        x = self.same("sub", x, self.constant(48, [size], "i32"))
        if dtype == "i1":
            x = self.op("compare", [x, self.constant(0, [size], "i32")], ([size], "i1"), kind='"gt"')
        elif dtype != "i32":
            x = self.op("convert", [x], ([size], dtype), dtype=dtype)
            if dtype in ("f16", "bf16", "f32", "f64"):
                x = self.same("mul", x, self.constant(0.125 * (scale or 1.0), [size], dtype))
        return self.reshape(x, shape)

    # --- Ops by shape
    def same(self, name, *operands, **attributes):
        """An op whose result has the type of its first operand."""
        return self.op(name, operands, (operands[0].shape, operands[0].dtype), **attributes)

    def reshape(self, x, shape):
        return self.op("reshape", [x], (shape, x.dtype), shape=array(shape))

    def broadcast(self, x, shape, dims):
        return self.op("broadcast_in_dim", [x], (shape, x.dtype), shape=array(shape), dims=array(dims))

    def transpose(self, x, permutation):
        return self.op("transpose", [x], ([x.shape[i] for i in permutation], x.dtype), permutation=array(permutation))

    def slice(self, x, starts, limits, strides):
        shape = [-(-(l - s) // d) for s, l, d in zip(starts, limits, strides)]
        return self.op("slice", [x], (shape, x.dtype), starts=array(starts), limits=array(limits), strides=array(strides))

    def pad(self, x, value, low, high, interior):
        shape = [n + l + h + max(n - 1, 0) * i for n, l, h, i in zip(x.shape, low, high, interior)]
        return self.op("pad", [x, value], (shape, x.dtype), low=array(low), high=array(high), interior=array(interior))

    def concatenate(self, inputs, dimension):
        shape = list(inputs[0].shape)
        shape[dimension] = sum(x.shape[dimension] for x in inputs)
        return self.op("concatenate", inputs, (shape, inputs[0].dtype), dimension=f"{dimension} : i64")

    def reduce(self, x, kind, axes):
        shape = [n for i, n in enumerate(x.shape) if i not in axes]
        return self.op("reduce", [x], (shape, x.dtype), kind=f'"{kind}"', axes=array(axes))

    def arg_reduce(self, x, kind, axis, dtype):
        shape = [n for i, n in enumerate(x.shape) if i != axis]
        return self.op("arg_reduce", [x], (shape, dtype), kind=f'"{kind}"', axis=f"{axis} : i64", dtype=dtype)

    def dot(self, x, y, x_axes, y_axes, x_batch=(), y_batch=()):
        shape = [x.shape[i] for i in x_batch]
        shape += [n for i, n in enumerate(x.shape) if i not in x_axes and i not in x_batch]
        shape += [n for i, n in enumerate(y.shape) if i not in y_axes and i not in y_batch]
        return self.op("dot_general", [x, y], (shape, x.dtype), lhs_contracting=array(x_axes),
                       rhs_contracting=array(y_axes), lhs_batch=array(x_batch), rhs_batch=array(y_batch),
                       dtype=x.dtype)

    def gather(self, x, indices, shape, offset, collapsed, start_map, sizes, mode, batching=(), index_batching=()):
        return self.op("gather", [x, indices], (shape, x.dtype), offset_dims=array(offset),
                       collapsed_slice_dims=array(collapsed), operand_batching_dims=array(batching),
                       start_indices_batching_dims=array(index_batching), start_index_map=array(start_map),
                       slice_sizes=array(sizes), mode=f'"{mode}"')

    def scatter(self, x, indices, updates, window, inserted, dims, combiner, mode):
        return self.op("scatter", [x, indices, updates], (x.shape, x.dtype), update_window_dims=array(window),
                       inserted_window_dims=array(inserted), operand_batching_dims=array([]),
                       scatter_indices_batching_dims=array([]), scatter_dims_to_operand_dims=array(dims),
                       combiner=f'"{combiner}"', mode=f'"{mode}"', unique_indices="false")


def elementwise():
    p = Program("Elementwise kernels: every dtype, sizes that no vector divides, several outputs in one loop nest.")
    for dtype in ("f32", "f64", "f16", "bf16", "i8", "i16", "i32", "i64", "ui8", "ui32", "ui64"):
        for size in (17, 48, 1003):
            x, y = p.data([size], 1, dtype), p.data([size], 2, dtype)
            product = p.same("mul", p.same("add", x, y), y)
            largest = p.same("max", product, x)
            less = p.op("compare", [x, y], ([size], "i1"), kind='"lt"')
            chosen = p.op("select", [less, product, largest], ([size], dtype))
            p.ret(product, chosen, less, p.same("div", x, y), p.same("rem", x, y))
    x = p.data([3, 50], 3)
    for name in "exp log sin tanh erf logistic sqrt log1p expm1 cos".split():
        p.ret(p.same(name, x))
    p.ret(p.op("clamp", [p.data([], 5), x, p.constant(2.5, [], "f32")], (x.shape, "f32")))
    return p


def shapes():
    p = Program("Rearrangements: broadcasts, transposes, slices, padding, concatenation, alone and inside expressions.")
    x, bias, row = p.data([7, 33], 1), p.data([33], 2), p.data([7], 3)
    biased = p.same("add", x, p.broadcast(bias, [7, 33], [1]))
    scaled = p.same("mul", biased, p.broadcast(row, [7, 33], [0]))
    turned = p.transpose(scaled, [1, 0])
    p.ret(biased, scaled, turned, p.same("exp", turned))
    z = p.data([3, 4, 5, 17], 4)
    p.ret(p.transpose(z, [2, 0, 3, 1]), p.transpose(z, [1, 0, 2, 3]))
    p.ret(p.same("reverse", z, dims=array([1, 3])), p.same("reverse", z, dims=array([0])))
    p.ret(p.slice(z, [0, 1, 1, 2], [3, 4, 5, 17], [1, 1, 2, 3]))
    p.ret(p.slice(p.same("exp", z), [1, 1, 0, 0], [3, 3, 5, 17], [1, 1, 1, 1]))
    fill = p.constant(-1.5, [], "f32")
    p.ret(p.pad(x, fill, [1, 0], [0, 2], [0, 0]), p.pad(x, fill, [-1, 2], [3, -1], [1, 2]),
          p.pad(x, fill, [2, 0], [1, 0], [1, 0]))
    p.ret(p.concatenate([x, p.data([2, 33], 5), biased], 0))
    side = p.concatenate([x, p.data([7, 5], 6), x], 1)
    p.ret(side, p.same("neg", side))
    for dimension in range(3):
        p.ret(p.iota([6, 5, 19], dimension, "i32"), p.iota([6, 5, 19], dimension, "f32"))
    p.ret(p.broadcast(p.data([4, 6, 8], 7), [2, 4, 6, 3, 8], [1, 2, 4]))
    literal = p.constant('"0x' + "".join(f"{i * 7 % 251:02x}" for i in range(60)) + '"', [60], "ui8")
    p.ret(p.same("add", literal, p.data([60], 8, "ui8")))
    p.ret(p.op("bitcast", [p.data([40], 9)], ([40], "ui32"), dtype="ui32"))
    words = [p.broadcast(p.constant(word, [], "ui32"), [45], []) for word in (7, 9)]
    first, second = p.op("threefry2x32", words + [p.iota([45], 0, "ui32")] * 2, ([45], "ui32"), ([45], "ui32"))
    p.ret(first, p.same("xor", first, second))
    keys = p.op("wrap_key", [p.data([20, 2], 3, "ui32")], ([20], "!jx.key"))
    p.ret(p.op("key_data", [keys], ([20, 2], "ui32")))
    p.ret(p.op("key_data", [p.same("reverse", keys, dims=array([0]))], ([20, 2], "ui32")))
    return p


def reductions():
    p = Program("Reductions: kinds, dtypes, axes, rows longer than a block, operands that are expressions.")
    for dtype in ("f32", "f64", "bf16", "f16", "i32", "ui8", "i64"):
        for shape in ([5, 70], [9, 33, 4], [3, 17]):
            x = p.data(shape, 1, dtype)
            for kind in ("sum", "max", "min", "prod"):
                for axes in ([len(shape) - 1], [0], list(range(len(shape)))):
                    p.ret(p.reduce(x, kind, axes))
    flags, whole = p.data([6, 40], 2, "i1"), p.data([6, 40], 2, "i32")
    for axes in ([0], [1], [0, 1]):
        p.ret(p.reduce(flags, "and", axes), p.reduce(flags, "or", axes), p.reduce(whole, "xor", axes))
    x = p.data([5, 6, 7, 20], 3)
    for axes in ([0, 2], [1, 3], [1, 2], [0, 1, 3], [0, 3], []):
        p.ret(p.reduce(x, "sum", axes))
    for size in (4096, 4097, 9000, 20000):
        p.ret(p.reduce(p.data([size], 4, scale=0.1), "sum", [0]))
    x = p.data([9001, 20], 5, scale=0.3)
    p.ret(p.reduce(x, "sum", [0]), p.reduce(x, "sum", [0, 1]), p.reduce(x, "sum", [1]))
    x = p.data([30, 50], 6)
    e = p.same("exp", p.same("sub", x, p.broadcast(p.data([50], 7), [30, 50], [1])))
    p.ret(p.reduce(e, "sum", [0]), p.reduce(e, "sum", [1]))
    p.ret(p.reduce(p.same("exp", p.transpose(x, [1, 0])), "sum", [1]))
    x = p.data([8, 12, 50], 8)
    for dtype in ("i32", "i64", "ui8"):
        for kind in ("max", "min"):
            for axis in range(3):
                p.ret(p.arg_reduce(x, kind, axis, dtype))
    narrow = p.data([40, 10], 3)
    nans = p.same("div", p.constant(0.0, [40, 10], "f32"), p.same("floor", narrow))
    p.ret(p.arg_reduce(narrow, "max", 1, "i32"), p.arg_reduce(nans, "max", 1, "i32"))
    p.ret(p.arg_reduce(nans, "min", 0, "i32"))
    p.ret(p.arg_reduce(p.data([40, 10], 3, "ui8"), "max", 1, "i32"))
    y = p.data([6, 30], 9)
    for kind in ("sum", "prod", "max", "min"):
        for reverse in ("true", "false"):
            for axis in range(2):
                p.ret(p.same("cumulative", y, kind=f'"{kind}"', axis=f"{axis} : i64", reverse=reverse))
    return p


def rows():
    p = Program("Kernels of rows: softmax, a gradient of its shape, layer normalisation, cross-entropy.")
    for shape in ([13, 37], [40, 10], [2, 3, 64], [50]):
        axis, outer = len(shape) - 1, shape[:-1]
        spread = lambda v: p.broadcast(v, shape, list(range(axis)))
        along = lambda v: p.broadcast(v, shape, [axis])
        total = lambda v, kind="sum": p.reduce(v, kind, [axis])
        x, w = p.data(shape, 1), p.data(shape, 2)
        shifted = p.same("sub", x, spread(total(x, "max")))
        e = p.same("exp", shifted)
        sums = total(e)
        softmax = p.same("div", e, spread(sums))
        log_softmax = p.same("sub", shifted, spread(p.same("log", sums)))
        p.ret(softmax, log_softmax, p.same("neg", total(p.same("mul", log_softmax, w))))
        p.ret(p.same("sub", w, p.same("mul", softmax, spread(total(w)))))
        inverse = p.constant(1.0 / shape[-1], outer, "f32")
        centred = p.same("sub", x, spread(p.same("mul", total(x), inverse)))
        variance = p.same("mul", total(p.same("mul", centred, centred)), inverse)
        scale = p.same("rsqrt", p.same("add", variance, p.constant("1.0e-5", outer, "f32")))
        normal = p.same("mul", centred, spread(scale))
        p.ret(p.same("add", p.same("mul", normal, along(p.data([shape[-1]], 3))), along(p.data([shape[-1]], 4))))
    return p


def contractions():
    p = Program("Contractions: all transpositions, batches, narrow, odd and small sizes, dtypes.")
    random = lambda shape, seed: p.data(shape, seed, scale=0.37)
    for m, k, n in ((1, 32, 128), (128, 32, 1), (1, 300, 1), (5, 7, 3), (33, 65, 40), (8, 16, 32), (9, 17, 33),
                    (128, 128, 10), (64, 20, 100), (3, 50, 70), (2, 9, 200), (40, 1, 40), (20, 130, 16)):
        a, at, b, bt = random([m, k], 1), random([k, m], 2), random([k, n], 3), random([n, k], 4)
        p.ret(p.dot(a, b, [1], [0]), p.dot(at, b, [0], [0]), p.dot(a, bt, [1], [1]), p.dot(at, bt, [0], [1]))
    v, w, matrix, long = random([33], 1), random([33], 2), random([40, 33], 3), random([9000], 4)
    p.ret(p.dot(v, w, [0], [0]), p.dot(matrix, v, [1], [0]), p.dot(v, matrix, [0], [1]), p.dot(v, matrix, [], []),
          p.dot(long, long, [0], [0]))
    q, k, values = random([2, 9, 3, 20], 1), random([2, 11, 3, 20], 2), random([2, 11, 3, 20], 3)
    attention = p.dot(q, k, [3], [3], [0, 2], [0, 2])
    p.ret(attention, p.dot(attention, values, [3], [1], [0, 1], [0, 2]))
    a, b = random([6, 7, 8], 1), random([8, 7, 20], 2)
    p.ret(p.dot(a, b, [1, 2], [1, 0]), p.dot(a, b, [2, 1], [0, 1]), p.dot(a, b, [2], [0], [1], [1]))
    for dtype in ("f64", "bf16", "f16", "i32", "i8", "i1"):
        a, b, bt, v = (p.data(s, i, dtype) for i, s in enumerate(([19, 23], [23, 35], [35, 23], [23]), 1))
        p.ret(p.dot(a, b, [1], [0]), p.dot(a, bt, [1], [1]), p.dot(v, v, [0], [0]), p.dot(bt, v, [1], [0]))
    p.ret(p.dot(random([300, 700], 1), random([700, 520], 2), [1], [0]))
    wide, square = random([64, 1024], 3), random([1024, 1024], 4)
    p.ret(p.dot(wide, square, [1], [0]), p.dot(wide, square, [1], [1]))
    return p


def indexing():
    p = Program("Gather, scatter, updates and dynamic slices; sorts.")
    x, rows_ = p.data([30, 18], 1), p.data([25, 1], 2, "i32")
    inside = lambda v, limit: p.same("rem", p.same("abs", v), p.constant(limit, v.shape, "i32"))
    for mode in ("clip", "fill", "promise"):
        one, two = rows_, p.data([25, 2], 3, "i32")
        if mode == "promise":
            one, two = inside(one, 30), inside(two, 15)
        p.ret(p.gather(x, one, [25, 18], [1], [0], [0], [1, 18], mode))
        p.ret(p.gather(x, two, [25], [], [0, 1], [0, 1], [1, 1], mode))
        p.ret(p.gather(x, two, [3, 25, 2], [0, 2], [], [1, 0], [3, 2], mode))
    p.ret(p.gather(x, p.data([30, 4, 1], 4, "i32"), [30, 4], [], [1], [1], [1, 1], "clip", [0], [0]))
    p.ret(p.gather(p.data([30, 18], 1, "i32"), rows_, [25, 18], [1], [0], [0], [1, 18], "fill"))
    updates, points, two = p.data([25, 18], 5), p.data([25], 6), p.data([25, 2], 3, "i32")
    for combiner in ("set", "add", "sub", "mul", "min", "max"):
        for mode in ("drop", "clip"):
            p.ret(p.scatter(x, rows_, updates, [1], [0], [0], combiner, mode))
            p.ret(p.scatter(x, two, points, [], [0, 1], [0, 1], combiner, mode))
    low, inner, high = (p.constant(value, [], "i32") for value in (-2, 3, 100))
    update = p.data([4, 5], 7)
    for start in ((inner, inner), (low, high), (high, low)):
        p.ret(p.op("dynamic_update_slice", [x, update, *start], ([30, 18], "f32")))
        p.ret(p.op("dynamic_slice", [p.same("exp", x), *start], ([9, 6], "f32"), sizes=array([9, 6])))
        p.ret(p.op("dynamic_slice", [x, *start], ([9, 18], "f32"), sizes=array([9, 18])))
    p.ret(p.op("dynamic_update_slice", [x, p.same("exp", p.data([3, 18], 8)), inner, inner], ([30, 18], "f32")))
    keys, values = p.data([5, 40], 1), p.iota([5, 40], 1, "i32")
    p.ret(*p.op("sort", [keys, values], ([5, 40], "f32"), ([5, 40], "i32"), dimension="1 : i64", num_keys="1 : i64"))
    p.ret(p.op("sort", [p.same("neg", keys)], ([5, 40], "f32"), dimension="0 : i64", num_keys="1 : i64"))
    p.ret(*p.op("top_k", [keys], ([5, 7], "f32"), ([5, 7], "i32"), k="7 : i64"))
    return p


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for family in (elementwise, shapes, reductions, rows, contractions, indexing):
        family().write(folder, f"kernels_{family.__name__}")
