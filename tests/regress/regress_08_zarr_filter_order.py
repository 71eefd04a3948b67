# SPDX-License-Identifier: BSD-3-Clause
"""Filters of numcodecs in Zarr version 3 with big-endian data: what was written is read, and what we write
has the order that "bytes" says. The bytes here are those that zarr-python 3 stores for these metadata."""
import json, os, shutil, struct, subprocess, sys, tempfile

TOOLS = os.environ["CEL_TEST_TOOLS"]
scratch = tempfile.mkdtemp(prefix="regress_08_", dir=os.environ.get("TMPDIR") or os.environ["CEL_TEST_BUILD"])
VALUES = [1, 2, 3, 1000, -5]
failures = 0


def differences(values):
    return [values[0]] + [b - a for a, b in zip(values, values[1:])]


def fold(v):  # as a 32-bit integer
    return (v + 2**31) % 2**32 - 2**31


# name, configuration of the filter for a dtype, what it makes of its values, letter of the stored type
FILTERS = [
    ("delta", lambda d, o: {"dtype": d + "i4"}, lambda v: [fold(x) for x in differences(v)], "i"),
    ("delta as int64", lambda d, o: {"dtype": d + "i4", "astype": o + "i8"}, lambda v: [fold(x) for x in differences(v)], "q"),
    ("astype", lambda d, o: {"encode_dtype": o + "i8", "decode_dtype": d + "i4"}, lambda v: v, "q"),
    ("fixedscaleoffset", lambda d, o: {"offset": 0, "scale": 1, "dtype": d + "i4", "astype": o + "i8"}, lambda v: v, "q"),
]


def check(label, ok, detail):
    global failures
    if not ok:
        failures += 1
        print(f"FAILED {label}: {detail}")


def store(path, name, config, order, chunk):
    os.makedirs(path + "/v/c")
    with open(path + "/zarr.json", "w") as f:
        json.dump({"zarr_format": 3, "node_type": "group"}, f)
    with open(path + "/v/zarr.json", "w") as f:
        json.dump({"zarr_format": 3, "node_type": "array", "shape": [5], "data_type": "int32", "fill_value": 0,
                   "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [5]}},
                   "chunk_key_encoding": {"name": "default"},
                   "codecs": [{"name": "numcodecs." + name.split()[0], "configuration": config},
                              {"name": "bytes", "configuration": {"endian": order}}]}, f)
    with open(path + "/v/c/0", "wb") as f:
        f.write(chunk)


def run(*command):
    return subprocess.run([os.path.join(TOOLS, command[0]), *command[1:]], capture_output=True, text=True)


n = 0
for name, config, filtered, letter in FILTERS:
    for dtype in "<>":
        for other in "<>":
            for order in ("little", "big"):
                n += 1
                path = os.path.join(scratch, f"r{n}.zarr")
                seen = list(struct.unpack(dtype + "5i", struct.pack("<5i", *VALUES)))  # through the filter's own dtype
                chunk = struct.pack((">" if order == "big" else "<") + "5" + letter, *filtered(seen))
                store(path, name, config(dtype, other), order, chunk)
                r = run("ncdump", path)
                check(f"read {name} {dtype} {other} {order}", "v = 1, 2, 3, 1000, -5" in r.stdout, r.stdout + r.stderr)

# we write: the order that "bytes" says is that of the stored numbers
for endian in ("little", "big"):
    for stored in "<>":
        n += 1
        path = os.path.join(scratch, f"w{n}.zarr")
        chain = '[{"name":"numcodecs.astype","configuration":{"encode_dtype":"%si8","decode_dtype":"<i4"}}]' % stored
        cdl = os.path.join(scratch, "w.cdl")
        with open(cdl, "w") as f:
            f.write('netcdf w { dimensions: x = 5 ; variables: int v(x) ; v:_Endianness = "%s" ; v:_ChunkSizes = 5 ; v:_Codecs = %s ;'
                    ' data: v = 1, 2, 3, 1000, -5 ; }' % (endian, json.dumps(chain)))
        r = run("ncgen", "-4", "-o", f"file://{path}#mode=zarr,v3", cdl)
        codecs = json.load(open(path + "/v/zarr.json"))["codecs"] if r.returncode == 0 else []
        order = [c["configuration"]["endian"] for c in codecs if c["name"] == "bytes"]
        chunk = open(path + "/v/c/0", "rb").read() if order else b""
        good = order and struct.unpack((">" if order[0] == "big" else "<") + "5q", chunk) == tuple(VALUES)
        check(f"write {endian} {stored}", good, f"{r.stderr} {codecs} {chunk.hex()}")
        r = run("ncdump", path)
        check(f"read back {endian} {stored}", "v = 1, 2, 3, 1000, -5" in r.stdout, r.stdout + r.stderr)

shutil.rmtree(scratch)
sys.exit(1 if failures else 0)
