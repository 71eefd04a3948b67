# SPDX-License-Identifier: BSD-3-Clause
"""A folder that holds arrays is the group of all of them, with a document of its own or without."""
import json, os, shutil, subprocess, sys, tempfile, zipfile

TOOLS = os.environ["CEL_TEST_TOOLS"]
scratch = tempfile.mkdtemp(prefix="regress_08_", dir=os.environ.get("TMPDIR") or os.environ["CEL_TEST_BUILD"])
failures = 0
V2 = {"zarr_format": 2, "shape": [1], "chunks": [1], "dtype": "<i4", "fill_value": 7, "order": "C", "filters": None,
      "compressor": None}
V3 = {"zarr_format": 3, "node_type": "array", "shape": [1], "data_type": "int32", "fill_value": 7,
      "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1]}}, "chunk_key_encoding": {"name": "default"},
      "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}
CASES = [
    ("v2", {"a/.zarray": V2, "b/.zarray": V2, "c/.zarray": V2}, ["a", "b", "c"]),
    ("v2 one array", {"a/.zarray": V2}, ["a"]),
    ("v2 below a folder", {"a/.zarray": V2, "q/r/b/.zarray": V2}, ["a", "b"]),
    ("v2 below a group", {".zgroup": {"zarr_format": 2}, "q/b/.zarray": V2, "a/.zarray": V2}, ["a", "b"]),
    ("v3", {"a/zarr.json": V3, "b/zarr.json": V3}, ["a", "b"]),
]


def check(label, names, r):
    global failures
    found = [line.split("(")[0].split()[-1] for line in r.stdout.splitlines() if "int " in line]
    if r.returncode or found != names or r.stdout.count("_;") or "= 7" not in r.stdout.replace("= _", "= 7"):
        failures += 1
        print(f"FAILED {label}: exit {r.returncode}, {found}\n{r.stdout}{r.stderr}")


for n, (label, objects, names) in enumerate(CASES):
    path = os.path.join(scratch, f"s{n}")
    archive = os.path.join(scratch, f"s{n}.zip")
    with zipfile.ZipFile(archive, "w") as z:
        for key, doc in objects.items():
            os.makedirs(os.path.dirname(os.path.join(path, key)), exist_ok=True)
            json.dump(doc, open(os.path.join(path, key), "w"))
            z.writestr(key, json.dumps(doc))
    for where in (path, f"file://{path}#mode=zarr", archive):
        check(f"{label}: {where}", names, subprocess.run([TOOLS + "/ncdump", where], capture_output=True, text=True))

# one folder with a group in an archive is netCDF-C's layout: the root is that folder
archive = os.path.join(scratch, "prefix.zip")
with zipfile.ZipFile(archive, "w") as z:
    z.writestr("name/.zgroup", json.dumps({"zarr_format": 2}))
    z.writestr("name/a/.zarray", json.dumps(V2))
r = subprocess.run([TOOLS + "/ncdump", archive], capture_output=True, text=True)
check("prefix", ["a"], r)
if "group:" in r.stdout:
    failures += 1
    print("FAILED prefix: its folder is a group\n" + r.stdout)

# a folder without Zarr is none
os.makedirs(os.path.join(scratch, "plain/x"))
r = subprocess.run([TOOLS + "/ncdump", os.path.join(scratch, "plain")], capture_output=True, text=True)
if r.returncode != 1 or "without Zarr metadata" not in r.stderr:
    failures += 1
    print("FAILED a plain folder\n" + r.stdout + r.stderr)

shutil.rmtree(scratch)
sys.exit(1 if failures else 0)
