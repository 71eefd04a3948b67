# SPDX-License-Identifier: BSD-3-Clause
"""More than 32 dimensions: nc_def_var refuses them in every format (regress_10_many_dimensions_defined.c). Files that have such
a variable open, show it with a note of the reason, everything else in them is read, and the error for its data names it and the
limit."""
import json, os, shutil, struct, subprocess, sys, tempfile

TOOLS = os.environ["CEL_TEST_TOOLS"]
scratch = tempfile.mkdtemp(prefix="regress_10.")
failures = 0


def complain(text):
    global failures
    failures += 1
    print("FAILED:", text)


def name(text):
    raw = text.encode()
    return struct.pack(">i", len(raw)) + raw + b"\0" * (-len(raw) % 4)


def classic(path, rank):
    """Variable `many` with `rank` dimensions of length 1, and `one` with one of length 3."""
    def build(begin):
        out = b"CDF\1" + struct.pack(">i", 0) + struct.pack(">ii", 10, rank + 1)
        for i in range(rank):
            out += name("d%d" % i) + struct.pack(">i", 1)
        out += name("x") + struct.pack(">i", 3) + b"\0" * 8 + struct.pack(">ii", 11, 2)
        out += name("many") + struct.pack(">i", rank) + b"".join(struct.pack(">i", i) for i in range(rank))
        out += b"\0" * 8 + struct.pack(">iii", 4, 4, begin)
        out += name("one") + struct.pack(">ii", 1, rank) + b"\0" * 8 + struct.pack(">iii", 4, 12, begin + 4)
        return out
    header = build(len(build(0)))
    with open(path, "wb") as f:
        f.write(header + struct.pack(">iiii", 77, 1, 2, 3))
    return path


def zarr2(path, rank):
    os.makedirs(path)
    with open(path + "/.zgroup", "w") as f:
        json.dump({"zarr_format": 2}, f)
    for array, shape, raw in (("many", [1] * rank, struct.pack("<i", 77)), ("one", [3], struct.pack("<iii", 1, 2, 3))):
        os.mkdir(path + "/" + array)
        with open(path + "/" + array + "/.zarray", "w") as f:
            json.dump({"zarr_format": 2, "shape": shape, "chunks": shape, "dtype": "<i4", "compressor": None,
                       "fill_value": 0, "filters": None, "order": "C"}, f)
        with open(path + "/" + array + "/" + ".".join("0" for _ in shape), "wb") as f:
            f.write(raw)
    return "file://" + path + "#mode=zarr"


def zarr3(path, rank):
    os.makedirs(path)
    with open(path + "/zarr.json", "w") as f:
        json.dump({"zarr_format": 3, "node_type": "group"}, f)
    for array, shape, raw in (("many", [1] * rank, struct.pack("<i", 77)), ("one", [3], struct.pack("<iii", 1, 2, 3))):
        os.makedirs(path + "/" + array + "/" + "/".join(["c"] + ["0"] * (len(shape) - 1)))
        with open(path + "/" + array + "/zarr.json", "w") as f:
            json.dump({"zarr_format": 3, "node_type": "array", "shape": shape, "data_type": "int32", "fill_value": 0,
                       "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shape}},
                       "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
                       "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}, f)
        with open(path + "/" + array + "/" + "/".join(["c"] + ["0"] * len(shape)), "wb") as f:
            f.write(raw)
    return "file://" + path + "#mode=zarr,v3"


def run(tool, *args):
    return subprocess.run([os.path.join(TOOLS, tool), *args], capture_output=True, text=True, errors="replace")


def check(make, rank):
    what = "%s with %d dimensions" % (make.__name__, rank)
    path = make(os.path.join(scratch, "%s-%d" % (make.__name__, rank)), rank)
    header = run("ncdump", "-h", path)
    if header.returncode != 0 or "many(" not in header.stdout:
        complain("%s: header: %s" % (what, header.stderr))
    if rank > 32 and "many cannot be read: " not in header.stdout:
        complain("%s: the header has no note: %s" % (what, header.stdout))
    one = run("ncdump", "-v", "one", path)
    if one.returncode != 0 or "one = 1, 2, 3" not in one.stdout:
        complain("%s: the other variable: %s" % (what, one.stderr))
    many = run("ncdump", "-v", "many", path)
    if rank <= 32 and (many.returncode != 0 or "many = 77" not in " ".join(many.stdout.split())):
        complain("%s: %s %s" % (what, many.stderr, many.stdout[-200:]))
    if rank > 32 and (many.returncode == 0 or "many" not in many.stderr or "32" not in many.stderr):
        complain("%s: reading it said: %s" % (what, many.stderr))


for make in (classic, zarr2, zarr3):
    for rank in (32, 33, 40, 1000 if make is classic else 60):
        check(make, rank)
shutil.rmtree(scratch)
print("%d failures" % failures)
sys.exit(failures != 0)
