#!/usr/bin/env python3
"""check.py JX: options of programs, run, interpreted and built, from other folders and with other values than at build time.

The texts of texts.jx are compared with what Python prints for them; the files that programs read are written here.
"""
import contextlib
import io
import itertools
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
JX = str(Path(sys.argv[1]).resolve())
failures = []


def expect(condition, what, shown=""):
    if not condition:
        failures.append(what)
        print(f"FAIL {what}\n{shown}")


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def flags(options):
    return [f"--{name}={value}" for name, value in options.items()]


def build(program, folder, *arguments):
    """Builds in `folder`; the path of the executable and what `jx build` said."""
    status, out, err = run([JX, "build", "-o", "program", str(HERE / program), *arguments], folder)
    expect(status == 0, f"building {program}", err)
    return str(folder / "program"), out


def npy(values, kind="<f4"):
    """A .npy file of a vector."""
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({len(values)},), }}".ljust(117) + "\n"
    data = struct.pack(f"<{len(values)}{'f' if kind == '<f4' else 'i'}", *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def vector_of(file):
    data = file.read_bytes()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    return struct.unpack(f"<{(len(data) - start) // 4}f", data[start:])


def printed_by_python(program, options):
    scope = {"__name__": "program"}
    exec(compile((HERE / program).read_text(), program, "exec"), scope)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        scope["main"](**options)
    return out.getvalue()


def texts(folder):
    program, said = build("texts.jx", folder)
    expect("frozen" not in said, "texts.jx freezes nothing", said)
    cases = [{}, {"data": "/abs/olute", "name": "it's \"so\"", "steps": 6, "rate": 2.5, "loud": True},
             {"data": "", "name": ""}, {"data": "dir/", "name": "/root"}, {"data": "größe", "name": "a\\b\té", "steps": 1}]
    for options in cases:
        expected = printed_by_python("texts.jx", options)
        for command in ([program], [JX, "run", str(HERE / "texts.jx")], [JX, "run", "--interpret", str(HERE / "texts.jx")]):
            status, out, err = run(command + flags(options), "/")
            expect(status == 0 and out == expected, f"{command} {options}", f"expected\n{expected}\nprinted\n{out}{err}")
    for first, second in itertools.product(["", "a", "a/", "/", "a//"], ["", "b", "/b", "b/", "/"]):
        options = {"data": first, "name": second}
        status, out, err = run([program] + flags(options), "/")
        expect(out == printed_by_python("texts.jx", options), f"joining {options}", out + err)
    status, out, _ = run([program, "--help"], "/")
    expect(status == 0 and "--data TEXT" in out and "default examples/data" in out and "Prints texts." in out, "--help", out)


def files(folder):
    for name, values in {"first": (1, 2, 3), "other": (4, 5, 6.5), "longer": (1, 2, 3, 4)}.items():
        (folder / name).mkdir()
        (folder / name / "x.npy").write_bytes(npy(values))
    (folder / "ints").mkdir()
    (folder / "ints" / "x.npy").write_bytes(npy((1, 2, 3), "<i4"))
    (folder / "short").mkdir()
    (folder / "short" / "x.npy").write_bytes(npy((1, 2, 3))[:-2])
    (folder / "other" / "y.npy").write_bytes(npy((7, 8, 9)))
    program, said = build("load.jx", folder)
    expect("frozen" not in said, "load.jx freezes nothing", said)
    beside = (HERE / "load.jx").read_text().replace('"first"', 'os.path.join(os.path.dirname(__file__), "first")')
    (folder / "beside.jx").write_text(beside)
    status, out, err = run([JX, "build", "-o", "beside", "beside.jx"], folder)
    status, out, err = run([str(folder / "beside")], "/")
    expect(out == f"{folder}/first/x.npy: [1. 2. 3.] 6.0\n", "a file beside the source, from another folder", out + err)
    elsewhere = folder / "first"
    good = {("first", "x", folder): "first/x.npy: [1. 2. 3.] 6.0\n", ("../other", "x", elsewhere): "../other/x.npy: [4.  5.  6.5] 15.5\n",
            ("other/", "y", folder): "other/y.npy: [7. 8. 9.] 24.0\n"}
    for (data, part, where), expected in good.items():
        interpreters = [[program], [JX, "run", str(HERE / "load.jx")], [JX, "run", "--interpret", str(HERE / "load.jx")]]
        for command in interpreters:
            status, out, err = run([*command, "--data", data, "--part", part], where)
            expect(status == 0 and out == expected, f"{command} --data {data}", out + err)
    bad = {"longer": ["ValueError: 'longer/x.npy'", "float32[4]", "float32[3]", "load.jx:9"],
           "ints": ["ValueError: 'ints/x.npy'", "int32[3]", "float32[3]", "load.jx:9"],
           "short": ["ValueError: 'short/x.npy'", "load.jx:9"],
           "nowhere": ["FileNotFoundError: [Errno 2] No such file or directory: 'nowhere/x.npy'", "load.jx:9"]}
    for data, parts in bad.items():
        status, out, err = run([program, "--data", data], folder)
        expect(status == 1 and all(part in err for part in parts), f"the error for --data {data}", out + err)
    status, out, err = run([JX, "build", "-o", "program", str(HERE / "load.jx"), "--data", "longer"], folder)
    expect(status == 0, "building for another folder", err)
    status, out, err = run([program], folder)
    expect(out == "longer/x.npy: [1. 2. 3. 4.] 10.0\n", "the value of the build is the default", out + err)
    status, out, err = run([JX, "build", "-o", "program", str(HERE / "load.jx"), "--data", "nowhere"], folder)
    expect(status == 1 and "JX0805" in err and "`--data`" in err and "load.jx:9" in err, "building without the file", err)


def parts(folder):
    for name, scale in {"first": 1, "other": 10}.items():
        (folder / name).mkdir()
        for k in range(3):
            (folder / name / f"part{k}.npy").write_bytes(npy((scale * k,) * (k + 1)))
    program, said = build("parts.jx", folder)
    expect("--data" not in said and "frozen: --last = 2, needed as the path of a file to load at" in said, "what parts.jx freezes", said)
    for data, printed in {"first": "first: 8.0 [2. 2. 2.]\n", "other": "other: 80.0 [20. 20. 20.]\n"}.items():
        status, out, err = run([program, "--data", data], folder)
        expect(out == printed, f"the parts of {data}", out + err)


def frozen(folder):
    program, said = build("modes.jx", folder, "--mode", "max")
    expect("frozen: --mode = max, needed as a comparison of strings at" in said and "modes.jx:7" in said, "what froze --mode", said)
    expect("frozen: --dtype = float32" in said and "modes.jx:6" in said, "what froze --dtype", said)
    expect("--title" not in said, "--title stays open", said)
    status, out, err = run([program, "--title", "most", "--mode", "max"], "/")
    expect(out == "most 3.0\n", "the frozen value is allowed", out + err)
    status, out, err = run([program, "--mode", "sum"], "/")
    expect(status == 2 and "--mode" in err and "fixed at max" in err, "another value is refused", err)
    for mode, value in {"sum": "6", "max": "3"}.items():
        for interpret in ([], ["--interpret"]):
            status, out, err = run([JX, "run", *interpret, str(HERE / "modes.jx"), "--mode", mode, "--dtype", "int32"], "/")
            expect(out == f"result {value}\n", f"jx run --mode {mode}", out + err)


def written(folder):
    program, said = build("save.jx", folder)
    for number, command in enumerate([[program], [JX, "run", str(HERE / "save.jx")], [JX, "run", "--interpret", str(HERE / "save.jx")]]):
        target = folder / f"out{number}"
        target.mkdir()
        status, out, err = run([*command, "--out", str(target)], "/")
        expect(out == "True True False\nFalse True True\n", f"{command} --out", out + err)
        expect(vector_of(target / "made.npy") == (0, 1, 2), "made.npy", "")
        expect((target / "made.npz").exists() and (target / "made_c.npz").stat().st_size < 1000, "the npz files")
        status, out, err = run([*command, "--out", str(target / "no")], "/")
        expect(status == 1 and "FileNotFoundError" in err and "save.jx:10" in err, "a folder that is missing", err)
    # A checkpoint that was not there when the program was built cannot be read: its shape is not known.
    program, said = build("restore.jx", folder)
    status, out, err = run([program], folder)
    expect(out == "[1. 1. 1.]\n", "without a checkpoint", out + err)
    (folder / "none.npy").write_bytes(npy((1, 2, 3)))
    status, out, err = run([program], folder)
    expect(status == 1 and "when this program was compiled" in err and "restore.jx:9" in err, "with one that came later", err)
    program, said = build("restore.jx", folder)
    (folder / "late.npy").write_bytes(npy((7, 8, 9)))
    for arguments, expected in {(): "[2. 3. 4.]\n", ("--checkpoint", "late.npy"): "[ 8.  9. 10.]\n", ("--checkpoint", "no"): "[1. 1. 1.]\n"}.items():
        status, out, err = run([program, *arguments], folder)
        expect(out == expected, f"restore {arguments}", out + err)

    # A handler around the load takes a file that is gone.
    program, said = build("resume.jx", folder)
    gone = "[Errno 2] No such file or directory: 'gone.npy'\n[1. 1. 1.]\n"
    for arguments, expected in {(): "[ 8.  9. 10.]\n", ("--checkpoint", "gone.npy"): gone}.items():
        status, out, err = run([program, *arguments], folder)
        expect(out == expected and status == 0, f"resume {arguments}", out + err)


def exits(folder):
    program, said = build("exits.jx", folder)
    expect("frozen" not in said, "exits.jx freezes nothing", said)
    cases = {(): (0, "start\nend\n", ""), ("--how=1",): (3, "start\n", ""), ("--how=2",): (1, "start\n", "stopped by me\n"),
             ("--how=2", "--who=you"): (1, "start\n", "stopped by you\n"), ("--how=3",): (0, "start\n", "")}
    for command in ([program], [JX, "run", str(HERE / "exits.jx")], [JX, "run", "--interpret", str(HERE / "exits.jx")]):
        for arguments, wanted in cases.items():
            seen = run([*command, *arguments], folder)
            expect(seen == wanted, f"{command} {arguments}", seen)
    last = (HERE / "exits.jx").read_text().replace("if how == 2:", "if True:").replace("if how == 1:", "if False:").replace("if how == 3:", "if False:")
    (folder / "last.jx").write_text(last)
    for interpret in ([], ["--interpret"]):
        seen = run([JX, "run", *interpret, "last.jx"], folder)
        expect(seen == (1, "start\n", "stopped by me\n"), "an exit that is known when the program is compiled", seen)


def round_trip(folder):
    with zipfile.ZipFile(folder / "there.npz", "w") as archive:
        archive.writestr("b.npy", npy((1, 2)))
        archive.writestr("a.npy", npy((1, 2, 3)))
    expected = "".join(f"{dtype} (2, 3) True\n" for dtype in ("float32", "int8", "uint16", "bool", "complex64", "float16", "bfloat16"))
    expected += "5.0\n['arr_0', 'bias', 'empty'] [0 1 2] 2.0 (0, 4) True 3\n" + "['arr_0', 'bias', 'empty'] " * 2
    expected = expected.rstrip() + "\n[4 4 4]\n['b', 'a'] [(2,), (3,)] None\n"
    for name in ("vector.npy", "step.npy", "all.npz"):
        (folder / name).write_bytes(npy((1, 2, 3, 4, 5)))
    program, said = build("round_trip.jx", folder)
    for command in ([program], [JX, "run", str(HERE / "round_trip.jx")], [JX, "run", "--interpret", str(HERE / "round_trip.jx")]):
        status, out, err = run(command, folder)
        expect(out == expected, f"{command}: what was written is read", out + err)
    (folder / "other").mkdir()
    (folder / "other" / "there.npz").write_bytes((folder / "there.npz").read_bytes())
    status, out, err = run([program, "--out", "other"], folder)
    expect(out == expected, "in another folder", out + err)


for test in (exits, texts, files, parts, round_trip, frozen, written):
    with tempfile.TemporaryDirectory() as name:
        test(Path(name))
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
