"""Records what Python, NumPy and JAX print, as the expectations of PrintTest.cpp.

Run under an interpreter that has jax and numpy: python record_prints.py > recorded_prints.txt
Each record: operands (kind, dtype, shape, bytes in hex), a format program (runtime/include/jxrt/Format.h), the text.
"""
import sys

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

jax.config.update("jax_enable_x64", True)
print(f"# jax {jax.__version__}, numpy {np.__version__}, ml_dtypes {ml_dtypes.__version__}, "
      f"python {sys.version.split()[0]}; made by record_prints.py")


def escape(text):
    """One line: backslash, newline and control characters as \\xNN."""
    return "".join(f"\\x{ord(c):02x}" if c == "\\" or ord(c) < 32 or ord(c) == 127 else c for c in text)


def emit(operands, program, expected):
    for operand in operands:
        print("operand", *operand)
    print("program", escape(program))
    print("expect", escape(expected))


def array(x):
    """The operand of a NumPy or JAX array, or of a key array."""
    if isinstance(x, jax.Array) and jnp.issubdtype(x.dtype, jax.dtypes.prng_key):
        words = np.asarray(jax.random.key_data(x))
        return ("array", "key<fry>", ",".join(map(str, x.shape)) or "-", words.tobytes().hex() or "-")
    y = np.asarray(x)
    return ("array", y.dtype.name, ",".join(map(str, y.shape)) or "-", np.ascontiguousarray(y).tobytes().hex() or "-")


def host(x):
    if isinstance(x, bool):
        return ("bool", str(int(x)))
    if isinstance(x, int):
        return ("int", str(x))
    if isinstance(x, float):
        return ("float", np.float64(x).tobytes().hex())
    return ("string", escape(x))


def literal(text):
    return f'"{len(text.encode())}:{text}' if text else ""


def options(**kw):
    letters = dict(precision="p", suppress="s", linewidth="l", threshold="t", edgeitems="e", sign="g", floatmode="f",
                   nanstr="n", infstr="i", separator="x", prefix="b", suffix="a")
    out = ""
    for name, value in kw.items():
        text = str(int(value)) if isinstance(value, bool) else str(value)
        out += f"{letters[name]}={len(text)}:{text}"
    return "{" + out + "}" if out else ""


# --- Arrays: str and repr ---
special = [0.0, -0.0, 1.0, -1.5, 0.1, 1 / 3, 1e-4, 9.9999e-5, 1e5, 999999.9, 1e6, 123456789.0, 1e-10, 1e16, 1e30,
           float("nan"), float("inf"), -float("inf"), 16777217.0, 2.5e-308]
float_arrays = [
    [1.0, 2.0, 3.0], [0.1, 0.2, 0.3], [1.5, -2.25, 100.0], [1e-4, 1.0], [1e-5, 1.0], [1000.0, 1.0], [1001.0, 1.0],
    [1e6, 1.0], [999999.0, 1000.0], [1e8, 1e7], [12345678.9, 87654321.1], [0.0, -0.0], [float("nan"), 1.0],
    [float("inf"), -1.0], [-float("inf"), 1.0], [float("nan")] * 3, [float("nan"), 1e-10, 5.0],
    [float("inf"), float("-inf"), float("nan")], [1 / 3, 2 / 3, 1e3 / 3], [1e-300, 1e300], [0.123456789, 1e-9],
    [3.14159265358979, 2.718281828, 1.41421356], [[1.0, 2.5], [-3.0, 4.125]], [[[1.0, 2.0], [3.0, 4.0]]] * 2,
    [0.1], [1e10], [], [[]], list(np.linspace(0, 1, 30)), list(np.logspace(-3, 3, 12)), [5e-5, 6e-5, 2e-4],
    [1.0] * 40, [123.456] * 20, [[0.5] * 20] * 2,
]
with np.errstate(all="ignore"):
    for dtype in ["float32", "float64", "float16", "bfloat16"]:
        for value in special:
            x = jnp.asarray(np.float64(value)).astype(dtype)
            emit([array(x)], "%0js;", str(x))
            if dtype in ("float32", "bfloat16") or value in (0.1, 1e6):
                emit([array(x)], "%0jr;", repr(x))
                emit([array(x)], "F0js()", f"{x}")
                emit([array(x)], "%0hs;", str(x.item()))
                if dtype != "bfloat16":
                    emit([array(x)], "%0gr;", repr(np.asarray(x)[()]))
        for value in float_arrays:
            x = jnp.asarray(np.array(value, np.float64)).astype(dtype)
            emit([array(x)], "%0js;", str(x))
            emit([array(x)], "%0jr;", repr(x))
        x = np.array([0.25, 1.5]).astype(x.dtype)
        emit([array(x)], "%0nr;", repr(x))

weak = jnp.asarray(2.0) * 1.5
assert weak.weak_type
emit([array(weak)], "%0wr;", repr(weak))
weak = jnp.broadcast_to(jnp.asarray(7), (3,))
emit([array(weak)], "%0wr;", repr(weak))
wide = jnp.asarray(np.linspace(0, 1, 5), jnp.float32)
for count in range(3, 12):
    x = jnp.asarray(np.linspace(0, 1, count), jnp.float32)
    emit([array(x)], "%0jr;", repr(x))
    emit([array(np.asarray(x))], "%0nr;", repr(np.asarray(x)))
    y = jnp.broadcast_to(jnp.asarray(1 / 3), (count,))
    emit([array(y)], "%0wr;", repr(y))

for dtype in ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]:
    info = np.iinfo(dtype)
    for value in [[1, 2, 3], [0, 100], [info.min, info.max], [[1, -1 if info.min else 10], [100, 5]]]:
        x = jnp.asarray(np.array(value).astype(dtype) if value != [info.min, info.max] else np.array(value, dtype))
        emit([array(x)], "%0js;", str(x))
        emit([array(x)], "%0jr;", repr(x))
    x = jnp.asarray(np.array(info.max, dtype))
    emit([array(x)], "%0js;", str(x))
    emit([array(x)], "%0jr;", repr(x))
    emit([array(x)], "%0gr;", repr(np.asarray(x)[()]))
    emit([array(x)], "%0nr;", repr(np.asarray(x)))
for value in [True, [True, False], [[True, True], [False, False]], []]:
    x = jnp.asarray(np.array(value, bool))
    emit([array(x)], "%0js;", str(x))
    emit([array(x)], "%0jr;", repr(x))
    emit([array(np.asarray(x))], "%0nr;", repr(np.asarray(x)))
    emit([array(x)], "%0hs;", str(x.tolist()))
for dtype in ["complex64", "complex128"]:
    for value in [1 + 2j, 1j, -1.5j, complex(0, -0.0), complex("nan"), complex("inf"), 1e10 + 2e-9j, 1e17 + 1j,
                  1 / 3 - 2 / 3 * 1j, complex(-0.0, 1), complex(1, float("-inf")), 1234567 + 999999j]:
        x = jnp.asarray(np.array(value, dtype))
        emit([array(x)], "%0js;", str(x))
        emit([array(x)], "%0jr;", repr(x))
        emit([array(x)], "%0hs;", str(x.item()))
        emit([array(x)], "%0gr;", repr(np.asarray(x)[()]))
    for value in [[1 + 2j, 3.5 - 1e3j], [0.1 + 1e-9j, 1j], [complex("nan"), 1 + 1j], [1e6 + 1j], [[1j, 2], [3, -4j]]]:
        x = jnp.asarray(np.array(value, dtype))
        emit([array(x)], "%0js;", str(x))
        emit([array(x)], "%0jr;", repr(x))

# --- Shapes, summaries, wrapping ---
for x in [jnp.zeros((0,)), jnp.zeros((0, 3)), jnp.zeros((2, 0)), jnp.zeros((2, 0), jnp.int32), jnp.arange(1000),
          jnp.arange(1001, dtype=jnp.int32), jnp.arange(2000, dtype=jnp.float32) / 7, jnp.zeros((40, 40), jnp.uint8),
          jnp.zeros((11, 11, 11), jnp.bool_), jnp.zeros((2, 600), jnp.int8), jnp.ones((600, 2), jnp.int8),
          jnp.ones((1, 1, 1)), jnp.arange(24, dtype=jnp.int32).reshape(2, 3, 4), jnp.arange(100, dtype=jnp.int32),
          jnp.arange(16, dtype=jnp.float32).reshape(2, 2, 2, 2) - 3.5, jnp.arange(30, dtype=jnp.float32) * 1e5,
          jnp.eye(12, dtype=jnp.float32), jnp.ones((2, 30), jnp.float16)]:
    emit([array(x)], "%0js;", str(x))
    emit([array(x)], "%0jr;", repr(x))
    emit([array(np.asarray(x))], "%0nr;", repr(np.asarray(x)))
    emit([array(x)], "%0hr;", repr(x.tolist()))

# --- Keys ---
for key in [jax.random.key(0), jax.random.key(42), jax.random.split(jax.random.key(0), 3),
            jax.random.split(jax.random.key(1), (2, 2))]:
    emit([array(key)], "%0js;", str(key))
    emit([array(key)], "%0jr;", repr(key))
    emit([array(key)], "F0js()", f"{key}")

# --- Print options ---
data = [np.array([1.123456789, 2.0, -3.5]), np.array([1e-10, 1.0, 1e3]), np.array([1e-10, 123456.789]),
        np.array([float("nan"), float("inf"), -1.25]), np.array([1.0, 2.0]), np.array([[1.5, 1e-7], [1e5, 3]]),
        np.array([1, -20, 300]), np.array([5, 20]), np.array([1 + 2j, 3.25 - 1e-9j]), np.array(3.14159), np.array(-7),
        np.array([1.123456789, 2.0, -3.5], np.float32), np.arange(50.0), np.array([0.1, 0.25, 1e9])]
for kw in [dict(precision=3), dict(precision=0), dict(suppress=True), dict(precision=4, suppress=True),
           dict(sign="+"), dict(sign=" "), dict(floatmode="fixed"), dict(floatmode="unique"),
           dict(floatmode="maxprec_equal"), dict(floatmode="fixed", precision=2, suppress=True), dict(linewidth=30),
           dict(threshold=5, edgeitems=2), dict(threshold=2, edgeitems=1), dict(nanstr="NaN", infstr="Infinity")]:
    with np.printoptions(**kw):
        for x in data:
            emit([array(x)], f"%0ns{options(**kw)};", str(x))
            emit([array(x)], f"%0nr{options(**kw)};", repr(x))
            if x.dtype != np.float32:
                emit([array(x)], f"%0jr{options(**kw)};", repr(jnp.asarray(x)))
x = np.array([[1.5, 2.25], [3.0, 4.0]])
emit([array(x)], f"%0ns{options(separator=', ')};", np.array2string(x, separator=", "))
emit([array(x)], f"%0ns{options(separator=', ', prefix='name: ')};", np.array2string(x, separator=", ", prefix="name: "))
emit([array(np.arange(40.0))], f"%0ns{options(separator=',', suffix=')')};",
     np.array2string(np.arange(40.0), separator=",", suffix=")"))

# --- Python numbers and specs ---
floats = [0.0, -0.0, 1.0, 0.1, -2.5, 1 / 3, 1e16, 1e15, 123456789.125, 1e-5, 0.0001, 1e300, 5e-324, float("nan"),
          float("inf"), float("-inf"), 99.995, 0.5, 1.5, 1e22, 12345.678]
for value in floats:
    emit([host(value)], "%0hs;", str(value))
    for spec in ["", ".4f", ".0f", "e", ".2e", "g", ".3g", "%", ".1%", "10.3f", "<10.2f", "^12.1f", "+.2f", " .3f", ",.2f",
                 "_.1f", "012.3f", "*>15,.3f", ".3", "10", "G", "E", "F", "#.0f", "#g", "z.1f", "=+10.1f", "n", "015,.1f",
                 "_>8", ".10"]:
        emit([host(value)], f"F0hs({literal(spec)})", format(value, spec))
for value in [0, 1, -1, 42, -255, 123456789, 2**62, -(2**63)]:
    emit([host(value)], "%0hs;", str(value))
    for spec in ["", "d", "5d", "05d", "+d", " d", ",", "_", "x", "X", "#x", "b", "#b", "o", "#o", ">8", "<8", "^8", "*^9",
                 "=+8", "08,", "e", ".2f", "g", "%", "_b", "_x", "n", "012,d", "#010x", "+,", "x>5d"]:
        emit([host(value)], f"F0hs({literal(spec)})", format(value, spec))
for value in [65, 8364, 128512]:
    for spec in ["c", "5c", ">5c"]:
        emit([host(value)], f"F0hs({literal(spec)})", format(value, spec))
for value in [True, False]:
    emit([host(value)], "%0hs;", str(value))
    for spec in ["", "d", ">6", "5d", ".1f"]:
        emit([host(value)], f"F0hs({literal(spec)})", format(value, spec))
for value in ["", "abc", "it's", 'say "hi"', "both ' and \"", "tab\tnew\nline\\", "héllo €", "\x01\x7f"]:
    emit([host(value)], "%0hs;", value)
    emit([host(value)], "%0hr;", repr(value))
    emit([host(value)], "%0ha;", ascii(value))
    for spec in ["", "10", ">10", "^10", "*<8", ".2", "6.2", "s", "05"]:
        emit([host(value)], f"F0hs({literal(spec)})", format(value, spec))
        emit([host(value)], f"Gs({literal(spec)})(%0hs;)", format(value, spec))
        emit([host(value)], f"Gr({literal(spec)})(%0hs;)", format(repr(value), spec))

# --- Specs on arrays ---
for value in [np.float32(0.1), np.float32(1234.5678), np.float16(0.1), np.float32("nan"), np.int32(-7), np.uint8(200),
              np.bool_(True), np.float64(1e-7), np.int64(2**40), np.complex64(1 - 2.5j), np.complex128(2j)]:
    x = jnp.asarray(value)
    for spec in ["", ".4f", ".2e", ">12", "+.1f", "8.3f", ",.2f", ".3g", "d", "05d", "x"]:
        try:
            text = f"{x:{spec}}"
        except ValueError:
            continue
        emit([array(x)], f"F0js({literal(spec)})", text)
for value in [0.1, 1.5, 1e20, -3.0]:
    x = jnp.asarray(value, jnp.bfloat16)
    for spec in ["", ".3f", ".2e", "8.1f"]:
        emit([array(x)], f"F0js({literal(spec)})", f"{x:{spec}}")
x = jnp.arange(3.0)
emit([array(x)], "F0js()", f"{x}")
width = 9
emit([array(jnp.float32(2.5)), host(width), host(3)], 'F0js(%1hs;"1:.%2hs;"1:f)', f"{jnp.float32(2.5):{width}.{3}f}")

# --- Percent ---
for value in [1.25, -0.5, 1e10, float("nan"), float("inf"), 3.0]:
    for spec in ["f", ".2f", "8.3f", "-8.1f", "+.1f", "08.2f", "e", "g", ".3g", "d", "5d", "s", "r", "10s", "G", "% f", "i"]:
        spec = spec.lstrip("%")
        try:
            text = ("%" + spec) % value
        except (ValueError, OverflowError):
            continue
        emit([host(value)], f"P0hs({literal(spec)})", text)
for value in [0, 7, -42, 123456]:
    for spec in ["d", "5d", "-5d", "05d", "+d", " d", "x", "X", "#x", "o", "#o", "f", ".1f", "e", "s", "r", "8.3s", ".5d", "i"]:
        emit([host(value)], f"P0hs({literal(spec)})", ("%" + spec) % value)
for value in ["text", "it's"]:
    for spec in ["s", "10s", "-10s", ".2s", "8.3s", "r", "a"]:
        emit([host(value)], f"P0hs({literal(spec)})", ("%" + spec) % value)
for value in [jnp.float32(0.1), jnp.int32(5), jnp.asarray([1.0, 2.0], jnp.float32)]:
    for spec in ["s", "r", "12s", ".3f", "d"]:
        if value.ndim and spec in (".3f", "d"):
            continue
        emit([array(value)], f"P0js({literal(spec)})", ("%" + spec) % value)

# --- Lists, tables ---
losses = np.array([0.5, 0.25, 0.125, 1e-7])
emit([array(losses)], '"1:[E0:::("2:, )(%0.0hr;)"1:]', str(losses.tolist()))
emit([array(losses)], '"1:[E0:-2::("2:, )(%0.0hr;)"1:]', str(losses.tolist()[-2:]))
emit([array(losses)], '"1:[E0:::-1("2:, )(%0.0hr;)"1:]', str(losses.tolist()[::-1]))
emit([array(losses)], '"1:[E0:1:10:2("2:, )(%0.0hr;)"1:]', str(losses.tolist()[1:10:2]))
emit([array(losses), host(2)], '"1:[E0::#1:("2:, )(%0.0hr;)"1:]', str(losses.tolist()[:2]))
emit([array(losses)], 'E0:::("3: | )(F0.0hs("3:.2f))', " | ".join(f"{v:.2f}" for v in losses.tolist()))
xs = jnp.asarray(losses, jnp.float32)
emit([array(xs)], '"1:[E0:::("2:, )(%0.0jr;)"1:]', str(list(xs)))
emit([array(xs)], '"1:[E0:::("2:, )(%0.0gr;)"1:]', str(list(np.asarray(xs))))
table = jnp.arange(6, dtype=jnp.int32).reshape(3, 2)
emit([array(table)], '"1:[E0:::("2:, )(%0.0jr;)"1:]', str(list(table)))
steps = np.arange(4)
emit([array(steps), array(losses)], '"1:[E0:::("2:, )("1:(%0.0hr;"2:, %1.0hr;"1:))"1:]',
     str(list(zip(steps.tolist(), losses.tolist()))))
emit([array(table)], '"1:[E0:::("2:, )("1:[E0.0:::("2:, )(%0.0.1hr;)"1:])"1:]', str(table.tolist()))
for choice in [0, 1, 2]:
    emit([host(choice)], "T0[" + "".join(f"({literal(name)})" for name in ["zero", "one)", "two"]) + "]",
         ["zero", "one)", "two"][choice])
emit([host(True), host("x")], 'T0[("2:no)("4:yes %1hr;)]', "yes 'x'")
emit([host(True), array(losses)], 'T0[(E1:::("1:,)(%1.0hr;))("3:skp)]', "skp")


# --- Sweeps: an FNV-1a hash of the texts of many values ---
def fnv(texts):
    value = 0xCBF29CE484222325
    for text in texts:
        for byte in (text + "\n").encode():
            value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


halves = np.arange(65536, dtype=np.uint16)
print("sweep float16", fnv(str(x) for x in halves.view(np.float16)))
print("sweep bfloat16", fnv(str(x) for x in halves.view(ml_dtypes.bfloat16)))
bits = np.arange(1, 20001, dtype=np.uint32) * np.uint32(0x9E3779B1)
print("sweep float32", fnv(str(x) for x in bits.view(np.float32)))
print("sweep pairs", fnv(str(x) for x in bits.view(np.float32).reshape(-1, 2)))
