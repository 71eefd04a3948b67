# SPDX-License-Identifier: BSD-3-Clause
"""Elements of vlen-bytes are read whole, NUL and all; text with a NUL within is an error, never cut."""
import json, os, shutil, struct, subprocess, sys, tempfile

TOOLS = os.environ["CEL_TEST_TOOLS"]
scratch = tempfile.mkdtemp(prefix="regress_08_", dir=os.environ.get("TMPDIR") or os.environ["CEL_TEST_BUILD"])
failures = 0
CHUNK = struct.pack("<I", 3) + b"".join(struct.pack("<I", len(e)) + e for e in (b"a", b"\0bc", b""))


def run(*command):
    return subprocess.run([os.path.join(TOOLS, command[0]), *command[1:]], capture_output=True, text=True)


def check(label, ok, r):
    global failures
    if not ok:
        failures += 1
        print(f"FAILED {label}: exit {r.returncode}\n{r.stdout}{r.stderr}")


def v2(path, dtype, filters, chunk):
    os.makedirs(path + "/v")
    json.dump({"zarr_format": 2}, open(path + "/.zgroup", "w"))
    json.dump({"zarr_format": 2, "shape": [3], "chunks": [3], "dtype": dtype, "fill_value": None, "order": "C",
               "filters": filters, "compressor": None}, open(path + "/v/.zarray", "w"))
    open(path + "/v/0", "wb").write(chunk)


def v3(path, data_type, codec, chunk):
    os.makedirs(path + "/v/c")
    json.dump({"zarr_format": 3, "node_type": "group"}, open(path + "/zarr.json", "w"))
    json.dump({"zarr_format": 3, "node_type": "array", "shape": [3], "data_type": data_type, "fill_value": "",
               "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [3]}}, "codecs": [{"name": codec}],
               "chunk_key_encoding": {"name": "default"}}, open(path + "/v/zarr.json", "w"))
    open(path + "/v/c/0", "wb").write(chunk)


BYTES = "{97}, {0, 98, 99}, {}"
p2, p3 = os.path.join(scratch, "b2.zarr"), os.path.join(scratch, "b3.zarr")
v2(p2, "|O", [{"id": "vlen-bytes"}], CHUNK)
v3(p3, "variable_length_bytes", "vlen-bytes", CHUNK)
for path in (p2, p3):
    r = run("ncdump", path)
    check(path, BYTES in r.stdout, r)
copy = os.path.join(scratch, "copy.zarr")
r = run("nccopy", p2, f"file://{copy}#mode=zarr")
check("copied", r.returncode == 0 and open(copy + "/v/0", "rb").read() == CHUNK, r)

text2, text3, fixed, wide = (os.path.join(scratch, n) for n in ("t2.zarr", "t3.zarr", "s.zarr", "u.zarr"))
v2(text2, "|O", [{"id": "vlen-utf8"}], CHUNK)
v3(text3, "string", "vlen-utf8", CHUNK)
v2(fixed, "|S3", None, b"a\0\0" + b"\0bc" + b"\0\0\0")
v2(wide, "<U3", None, "a\0\0\0bc\0\0\0".encode("utf-32-le"))
for path in (text2, text3, fixed, wide):
    r = run("ncdump", path)
    check(path, r.returncode == 1 and "NUL" in r.stderr, r)

# strings stay strings where netCDF's own metadata says that they are
cdl = os.path.join(scratch, "s.cdl")
open(cdl, "w").write('netcdf s { dimensions: x = 2 ; variables: string v(x) ; v:_ChunkSizes = 2 ; '
                     'v:_Codecs = "[{\\"id\\":\\"vlen-bytes\\"}]" ; data: v = "one", "" ; }')
path = os.path.join(scratch, "s4.zarr")
r = run("ncgen", "-4", "-o", f"file://{path}#mode=nczarr", cdl)
check("written", r.returncode == 0, r)
r = run("ncdump", path)
check("strings", 'v = "one", ' in r.stdout, r)

shutil.rmtree(scratch)
sys.exit(1 if failures else 0)
