"""Records the cases of every family: python record.py FOLDER writes FOLDER/<family>/cases.mlir.

Needs jax; the versions that wrote the checked-in files stand at their top.
"""
import sys

from jax import lax
import jax.numpy as jnp
import numpy as np

from cases import Family, bools, integers, normal
from record_elementwise import elementwise_cases


# --- shape ---------------------------------------------------------------------------------------------------------

def shape_cases():
    f = Family("shape")
    for dtype in (np.int32, np.float32, np.uint8, jnp.bfloat16, np.complex64):
        f.case("iota", dict(dtype=np.dtype(dtype), shape=[3, 4, 2], dimension=1), [],
               lambda: lax.broadcasted_iota(dtype, (3, 4, 2), 1))
    f.case("iota", dict(dtype=np.dtype(np.int64), shape=[300], dimension=0), [], lambda: lax.iota(np.int64, 300))
    for x, shape, dims in ((normal(3), (2, 3), (1,)), (normal(3, 1), (3, 5, 4), (0, 2)), (normal(), (2, 2), ()),
                           (integers(1, 4), (7, 4), (0, 1)), (bools(2), (2, 3), (0,)), (normal(0), (0, 3), (0,)),
                           (normal(1), (0,), (0,))):
        f.case("broadcast_in_dim", dict(shape=shape, dims=dims), [x],
               lambda x: lax.broadcast_in_dim(x, shape, dims))
    for x, shape in ((normal(6), (2, 3)), (normal(2, 3, 4), (4, 6)), (normal(1, 1), ()), (normal(0, 3), (0,)),
                     (bools(4), (2, 2))):
        f.case("reshape", dict(shape=shape), [x], lambda x: lax.reshape(x, shape))
    for x, permutation in ((normal(2, 3), (1, 0)), (normal(2, 3, 4, dtype=np.float16), (2, 0, 1)), (normal(5), (0,)),
                           (integers(3, 1, 2, 5, dtype=np.uint8), (3, 1, 0, 2)), (normal(0, 2), (1, 0)),
                           (normal(3, 4).astype(np.complex128), (1, 0)), (normal(), ())):
        f.case("transpose", dict(permutation=permutation), [x], lambda x: lax.transpose(x, permutation))
    for x, dims in ((normal(2, 3), (1,)), (normal(2, 3, 4), (0, 2)), (integers(5), (0,)), (normal(3), ())):
        f.case("reverse", dict(dims=dims), [x], lambda x: lax.rev(x, dims))
    for x, config in ((normal(3), [(1, 2, 0)]), (normal(4), [(0, 0, 2)]), (normal(5), [(-1, -2, 0)]),
                      (normal(5), [(-1, 1, 1)]), (normal(3, 4), [(2, -1, 1), (-2, 3, 2)]), (normal(7), [(-3, -3, 2)]),
                      (normal(0, 2), [(1, 1, 1), (0, 0, 0)]), (normal(), []), (normal(2, 2), [(-2, 0, 0), (0, 1, 0)]),
                      (normal(4), [(-5, 3, 1)])):
        low, high, interior = ([c[i] for c in config] for i in range(3))
        f.case("pad", dict(low=low, high=high, interior=interior), [x, normal()],
               lambda x, v: lax.pad(x, v, config))
    for parts, dimension in (([normal(2), normal(3)], 0), ([normal(2, 1), normal(2, 3), normal(2, 2)], 1),
                             ([integers(1, 2), integers(0, 2), integers(3, 2)], 0), ([normal(3)], 0)):
        f.case("concatenate", dict(dimension=dimension), parts, lambda *parts: lax.concatenate(parts, dimension))
    return f


# --- index ---------------------------------------------------------------------------------------------------------

def index_cases():
    f = Family("index")
    for x, starts, limits, strides in ((normal(7), (1,), (6,), (2,)), (normal(3, 4), (0, 1), (3, 4), (1, 1)),
                                       (normal(3, 8), (1, 0), (2, 8), (1, 3)), (normal(4), (2,), (2,), (1,)),
                                       (integers(5), (0,), (5,), (4,))):
        f.case("slice", dict(starts=starts, limits=limits, strides=strides), [x],
               lambda x: lax.slice(x, starts, limits, strides))
    for x, starts, sizes in ((normal(7), [2], (3,)), (normal(7), [6], (3,)), (normal(7), [-4], (3,)),
                             (normal(4, 5), [1, 9], (2, 2)), (integers(4, 5), [2, 2], (4, 1)), (normal(), [], ()),
                             (normal(3), [1], (0,))):
        starts = [np.int32(s) for s in starts]
        f.case("dynamic_slice", dict(sizes=sizes), [x, *starts], lambda x, *s: lax.dynamic_slice(x, s, sizes, allow_negative_indices=False))
    f.case("dynamic_slice", dict(sizes=(2,)), [normal(5), np.uint8(200)], lambda x, s: lax.dynamic_slice(x, [s], (2,), allow_negative_indices=False))
    for x, update, starts in ((normal(7), normal(3), [2]), (normal(7), normal(3), [6]),
                              (normal(4, 5), normal(2, 2), [-1, 9]), (integers(4, 5), integers(4, 1), [2, 2]),
                              (normal(3), normal(0), [1])):
        starts = [np.int32(s) for s in starts]
        f.case("dynamic_update_slice", {}, [x, update, *starts], lambda x, u, *s: lax.dynamic_update_slice(x, u, s, allow_negative_indices=False))
    gather_cases(f)
    scatter_cases(f)
    return f


MODES = {"clip": "clip", "fill": "fill", "promise": "promise_in_bounds", "drop": "fill"}


def gather_cases(f):
    def add(x, indices, offset, collapsed, index_map, sizes, mode, operand_batching=(), indices_batching=(), fill=None):
        numbers = lax.GatherDimensionNumbers(tuple(offset), tuple(collapsed), tuple(index_map),
                                             tuple(operand_batching), tuple(indices_batching))
        attributes = dict(offset_dims=offset, collapsed_slice_dims=collapsed, operand_batching_dims=operand_batching,
                          start_indices_batching_dims=indices_batching, start_index_map=index_map, slice_sizes=sizes,
                          mode=mode)
        if fill is not None:
            attributes["fill_value"] = float(fill)
        f.case("gather", attributes, [x, indices],
               lambda x, i: lax.gather(x, i, numbers, sizes, mode=MODES[mode], fill_value=fill))

    rows = np.array([[2], [0], [7], [-1], [2]], np.int32)
    for mode in ("clip", "fill"):
        add(normal(4, 3), rows, [1], [0], [0], (1, 3), mode)
        add(integers(4, 3), rows, [1], [0], [0], (1, 3), mode)
        add(integers(4, 3, low=0, dtype=np.uint8), rows, [1], [0], [0], (1, 3), mode)
        add(bools(4, 3), rows, [1], [0], [0], (1, 3), mode)
        add(normal(4, 3), np.array([[1, 2], [3, 2], [5, 0]], np.int32), [], [0, 1], [0, 1], (1, 1), mode)
        add(normal(5, 4), np.array([[2], [4], [-3]], np.int32), [0, 1], [], [0], (2, 3), mode)
    add(normal(4, 3), rows, [1], [0], [0], (1, 3), "fill", fill=2)
    add(normal(4, 3), rows, [1], [0], [0], (1, 3), "fill", fill=0)
    add(normal(4, 3), np.array([[1], [0]], np.int64), [1], [0], [0], (1, 3), "promise")
    add(normal(4, 3), np.array([[1], [200]], np.uint8), [1], [0], [0], (1, 3), "clip")
    add(normal(4, 3, 2), np.array([[[1, 0], [0, 1]], [[2, 9], [1, 1]]], np.int32), [2], [0, 1], [1, 0], (1, 1, 2),
        "clip")
    add(normal(3, 4, 5), integers(3, 2, 1, low=0, high=6), [2], [1], [1], (1, 1, 5), "fill", [0], [0])
    add(normal(3, 4), integers(3, 4, 1, low=0, high=4), [], [1], [1], (1, 1), "clip", [0], [0])
    add(normal(4, 3), np.zeros((0, 1), np.int32), [1], [0], [0], (1, 3), "clip")
    add(normal(4), np.array([2], np.int32), [], [0], [0], (1,), "fill")


def scatter_cases(f):
    functions = {"set": lax.scatter, "add": lax.scatter_add, "sub": lax.scatter_sub, "mul": lax.scatter_mul,
                 "min": lax.scatter_min, "max": lax.scatter_max}

    def add(combiner, x, indices, updates, window, inserted, index_map, mode, operand_batching=(), indices_batching=(),
            unique=False, jvp=True):
        numbers = lax.ScatterDimensionNumbers(tuple(window), tuple(inserted), tuple(index_map), tuple(operand_batching),
                                              tuple(indices_batching))
        attributes = dict(update_window_dims=window, inserted_window_dims=inserted,
                          operand_batching_dims=operand_batching, scatter_indices_batching_dims=indices_batching,
                          scatter_dims_to_operand_dims=index_map, combiner=combiner, mode=mode, unique_indices=unique)
        f.case("scatter", attributes, [x, indices, updates],
               lambda x, i, u: functions[combiner](x, i, u, numbers, mode=MODES[mode], unique_indices=unique), rtol=1e-6, jvp=jvp)

    unique = np.array([[3], [0], [9], [1]], np.int32)
    repeated = np.array([[2], [0], [2], [-1], [2]], np.int32)
    for combiner in functions:
        add(combiner, normal(5, 3), unique, normal(4, 3), [1], [0], [0], "drop", unique=True)
        add(combiner, normal(5, 3), repeated, normal(5, 3), [1], [0], [0], "drop", jvp=combiner != "mul")
        add(combiner, integers(5, 3), repeated, integers(5, 3), [1], [0], [0], "clip")
        # Windows that overlap. JAX 0.10 gives nan as derivative of a min or max whose windows are clipped.
        inside = combiner in ("min", "max")
        add(combiner, normal(5, 4), np.array([[1, 1], [2, 2 if inside else 3]], np.int32), normal(2, 2, 2), [1, 2], [],
            [0, 1], "clip", jvp=combiner != "mul")
    add("add", normal(3, 4, 5), integers(3, 2, 1, low=0, high=5), normal(3, 2, 5), [2], [1], [1], "drop", [0], [0])
    add("set", normal(3, 4), integers(3, 2, 1, low=0, high=4), normal(3, 2), [], [1], [1], "drop", [0], [0])
    add("max", np.array([1, 2, 2, 0], np.float32), np.array([[1], [1], [2], [3]], np.int32),
        np.array([2, 2, 1, 5], np.float32), [], [0], [0], "drop")
    add("min", np.array([1, 2, 2, 0], np.float32), np.array([[1], [1], [2], [3]], np.int32),
        np.array([2, 2, 1, 5], np.float32), [], [0], [0], "drop")
    add("add", normal(4), np.zeros((0, 1), np.int32), normal(0), [], [0], [0], "drop")


# --- dot -----------------------------------------------------------------------------------------------------------

def dot_cases():
    f = Family("dot")

    def add(x, y, contracting, batch=((), ()), dtype=None, rtol=2e-6):
        dtype = np.dtype(dtype or x.dtype)
        attributes = dict(lhs_contracting=contracting[0], rhs_contracting=contracting[1], lhs_batch=batch[0],
                          rhs_batch=batch[1], dtype=dtype)
        product = lambda x, y: lax.dot_general(x, y, (contracting, batch), preferred_element_type=dtype)
        f.case("dot_general", attributes, [x, y], product, rtol=rtol)

    add(normal(3, 4), normal(4, 5), ((1,), (0,)))
    add(normal(4, 3), normal(4, 5), ((0,), (0,)))
    add(normal(4, 3), normal(5, 4), ((0,), (1,)))
    add(normal(7), normal(7), ((0,), (0,)))
    add(normal(5000), normal(5000), ((0,), (0,)), rtol=1e-5)
    add(normal(3, 4), normal(4), ((1,), (0,)))
    add(normal(4), normal(4, 3), ((0,), (0,)))
    add(normal(), normal(3), ((), ()))
    add(normal(2), normal(3), ((), ()))
    add(normal(2, 3, 4), normal(2, 4, 5), ((2,), (1,)), ((0,), (0,)))
    add(normal(3, 2, 4), normal(4, 5, 2), ((2,), (0,)), ((1,), (2,)))
    add(normal(2, 3, 4, 5), normal(3, 5, 2, 6), ((1, 3), (0, 1)), ((0,), (2,)))
    add(normal(2, 3, 4, 5), normal(5, 3, 6), ((3, 1), (0, 1)))
    add(normal(3, 0), normal(0, 2), ((1,), (0,)))
    add(normal(0, 3), normal(3, 2), ((1,), (0,)))
    add(normal(3, 4, dtype=np.float64), normal(4, 2, dtype=np.float64), ((1,), (0,)), rtol=1e-14)
    add(integers(3, 4), integers(4, 2), ((1,), (0,)), rtol=0)
    add(integers(3, 4, dtype=np.int8), integers(4, 2, dtype=np.int8), ((1,), (0,)), dtype=np.int32, rtol=0)
    add(normal(3, 4, dtype=np.float16), normal(4, 2, dtype=np.float16), ((1,), (0,)), rtol=2e-3)
    add(normal(3, 4, dtype=np.float16), normal(4, 2, dtype=np.float16), ((1,), (0,)), dtype=np.float32, rtol=2e-3)
    return f


# --- reduce --------------------------------------------------------------------------------------------------------

def reduce_cases():
    f = Family("reduce")
    functions = {"sum": lax.reduce_sum_p, "prod": lax.reduce_prod_p, "max": lax.reduce_max_p, "min": lax.reduce_min_p,
                 "and": lax.reduce_and_p, "or": lax.reduce_or_p, "xor": lax.reduce_xor_p}

    def add(kind, x, axes, rtol=2e-6, jvp=True):
        bind = functions[kind].bind
        extra = {"out_sharding": None} if kind == "sum" else {}
        try:
            bind(jnp.asarray(x), axes=tuple(axes), **extra)
        except TypeError:
            extra = {"out_sharding": None} if not extra else {}
        f.case("reduce", dict(kind=kind, axes=axes), [x], lambda x: bind(x, axes=tuple(axes), **extra), rtol=rtol, jvp=jvp)

    ties = np.array([[1, 3, 3], [2, 2, 2], [0, -0.0, -1]], np.float32)
    special = np.array([[1, np.nan, 3], [np.inf, 2, -np.inf], [np.nan, np.nan, 0]], np.float32)
    for kind in ("sum", "prod", "max", "min"):
        for axes in ((0,), (1,), (2,), (0, 2), (0, 1, 2), (1, 2), ()):
            add(kind, normal(3, 4, 5), axes)
        add(kind, integers(4, 5), (1,), rtol=0)
        add(kind, integers(4, 5, dtype=np.int8, low=-100, high=100), (0,), rtol=0)
        add(kind, integers(4, 5, dtype=np.uint32, low=0), (0, 1), rtol=0)
        add(kind, normal(1, 5, 1), (0, 2), rtol=0)
        add(kind, normal(0, 3), (0,), rtol=0, jvp=kind in ("sum", "prod"))  # nan in JAX: 0 / 0
        add(kind, normal(3, 0), (0,), rtol=0)
        add(kind, special, (1,), jvp=False)
        add(kind, normal(6, 7, dtype=np.float64), (0,), rtol=1e-14)
        add(kind, normal(6, 7, dtype=np.float16), (1,), rtol=4e-3)
    for kind in ("max", "min"):
        add(kind, ties, (1,))
        add(kind, ties, (0, 1))
        add(kind, bools(3, 4), (0,), rtol=0)
    add("prod", np.array([[0, 2, 3], [0, 0, 1], [4, 5, 6]], np.float32), (1,))
    add("sum", normal(9000), (0,), rtol=1e-4)
    add("sum", normal(9000, 2), (0,), rtol=1e-4)
    add("sum", normal(3, 4).astype(np.complex64), (1,))
    for kind in ("and", "or", "xor"):
        add(kind, bools(3, 4), (0,), rtol=0)
        add(kind, bools(3, 4), (0, 1), rtol=0)
        if kind != "xor":
            add(kind, bools(0, 4), (0,), rtol=0)
        add(kind, integers(3, 4), (1,), rtol=0)
        add(kind, integers(3, 4, dtype=np.uint8, low=0), (1,), rtol=0)

    for kind, function in (("max", lax.argmax), ("min", lax.argmin)):
        for x, axis in ((normal(3, 4), 0), (normal(3, 4), 1), (ties, 1), (special, 1), (special, 0), (integers(7), 0),
                        (bools(2, 3), 1), (normal(2, 3, 4, dtype=jnp.bfloat16), 1)):
            f.case("arg_reduce", dict(kind=kind, axis=axis, dtype=np.dtype(np.int32)), [x],
                   lambda x: function(x, axis, np.int32))
        f.case("arg_reduce", dict(kind=kind, axis=0, dtype=np.dtype(np.int64)), [normal(5)],
               lambda x: function(x, 0, np.int64))

    cumulative = {"sum": lax.cumsum, "prod": lax.cumprod, "max": lax.cummax, "min": lax.cummin,
                  "logsumexp": lax.cumlogsumexp}
    for kind, function in cumulative.items():
        inputs = [(normal(6), 0), (normal(3, 4), 0), (normal(3, 5), 1), (normal(1), 0), (normal(2, 2), 1),
                  (normal(0, 2), 0), (np.array([2, 2, 1, 3, 3, 0], np.float32), 0),
                  (np.array([2, 0, 1, 0, 3], np.float32), 0)]
        if kind == "logsumexp":
            inputs.append((np.array([-np.inf, -np.inf, 1, 2], np.float32), 0))
        else:
            inputs.append((integers(2, 5), 1))
        for x, axis in inputs:
            for reverse in (False, True):
                # JAX's derivative of logsumexp is nan after a sum of two -inf.
                f.case("cumulative", dict(kind=kind, axis=axis, reverse=reverse), [x],
                       lambda x: function(x, axis=axis, reverse=reverse), rtol=1e-5,
                       jvp=kind != "logsumexp" or np.all(np.isfinite(x)))
    return f


# --- sort ----------------------------------------------------------------------------------------------------------

def sort_cases():
    f = Family("sort")

    def add(inputs, dimension, keys=1, jvp=True):
        f.case("sort", dict(dimension=dimension, num_keys=keys), inputs,
               lambda *xs: lax.sort(xs, dimension=dimension, num_keys=keys), jvp=jvp)

    special = np.array([3, np.nan, -np.inf, 0.0, -0.0, 1, -np.nan, 0.0, np.inf, -0.0], np.float32)
    add([normal(7)], 0)
    add([normal(3, 5)], 1)
    add([normal(3, 5)], 0)
    add([special, np.arange(10, dtype=np.int32)], 0)
    add([integers(9, low=0, high=3), normal(9)], 0)
    add([integers(9, low=0, high=3), normal(9), integers(9)], 0, keys=2)
    add([bools(6), normal(6)], 0)
    add([integers(8, dtype=np.uint32, low=0, high=2**32)], 0)
    add([integers(8, dtype=np.int64, low=-2**60, high=2**60)], 0)
    add([normal(8, dtype=np.float64)], 0)
    add([normal(8, dtype=np.float16)], 0)
    add([normal(8, dtype=jnp.bfloat16)], 0)
    add([normal(0)], 0)
    add([normal(4, 0)], 0)
    add([normal(2, 3, 4), normal(2, 3, 4)], 1)
    for x, k in ((normal(7), 3), (normal(3, 5), 5), (integers(2, 6, high=-7), 4), (normal(4), 0),
                 (integers(8, dtype=np.uint8, low=0), 2)):
        f.case("top_k", dict(k=k), [x], lambda x: lax.top_k(x, k))
    return f


# --- collective ----------------------------------------------------------------------------------------------------

def collective_cases():
    f = Family("collective")
    named = dict(axis_name="i")
    f.case("axis_index", named, [], lambda: lax.axis_index("i"), axis="i", size=4)
    for kind, function in (("sum", lax.psum), ("max", lax.pmax), ("min", lax.pmin)):
        for x in (normal(4), normal(4, 3), integers(3, 2)):
            f.case("preduce", dict(kind=kind, **named), [x], lambda x: function(x, "i"), axis="i",
                   jvp=kind == "sum", rtol=1e-6)  # JAX cannot differentiate pmax
    for x in (normal(4), normal(4, 3)):
        f.case("all_gather", dict(axis_size=4, **named), [x], lambda x: lax.all_gather(x, "i"), axis="i")
        for pairs in ([(0, 1), (1, 2), (2, 3), (3, 0)], [(0, 3), (2, 1), (1, 0), (3, 2)]):
            f.case("ppermute", dict(permutation=[lane for pair in pairs for lane in pair], **named), [x],
                   lambda x: lax.ppermute(x, "i", pairs), axis="i")
    return f


if __name__ == "__main__":
    for family in (elementwise_cases, shape_cases, index_cases, dot_cases, reduce_cases, sort_cases, collective_cases):
        made = family()
        made.write(sys.argv[1])
        print(made.name, len(made.functions))
