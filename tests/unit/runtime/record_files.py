"""Records the bytes of files that NumPy writes, as the expectations of IoTest.cpp.

python record_files.py > recorded_files.txt. Each line: name, dtype, shape, the array's bytes, the file's bytes (hex).
"""
import io

import ml_dtypes
import numpy as np

print(f"# numpy {np.__version__}; made by record_files.py")


def emit(name, x, file_bytes):
    data = np.ascontiguousarray(x).tobytes()
    print(name, x.dtype.name, ",".join(map(str, x.shape)) or "-", data.hex() or "-", file_bytes.hex())


def saved(x):
    out = io.BytesIO()
    np.save(out, x)
    return out.getvalue()


for dtype in ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
              "float64", "complex64", "complex128"]:
    x = (np.arange(6) * 1.5 - 2).astype(dtype).reshape(2, 3)
    emit("npy", x, saved(x))
emit("npy", np.arange(3).astype(ml_dtypes.bfloat16), saved(np.arange(3).astype(ml_dtypes.bfloat16)))
for x in [np.float32(2.5).reshape(()), np.zeros((0, 3), np.float32), np.arange(5), np.ones((1, 2, 1, 3), np.int8)]:
    emit("npy", x, saved(x))
x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
emit("read-only", x, saved(np.asfortranarray(x)))
emit("read-only", x, saved(x.astype(">f4")))
for save in [np.savez, np.savez_compressed]:
    out = io.BytesIO()
    save(out, weights=x, bias=np.arange(4.0))
    emit("npz-weights", x, out.getvalue())
    emit("npz-bias", np.arange(4.0), out.getvalue())
