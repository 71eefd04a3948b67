# SPDX-License-Identifier: BSD-3-Clause
"""One object of a Zarr store that is not understood never closes the store: it is listed with the reason."""
import json, os, shutil, subprocess, sys, tempfile

TOOLS = os.environ["CEL_TEST_TOOLS"]
scratch = tempfile.mkdtemp(prefix="regress_26_", dir=os.environ.get("TMPDIR") or os.environ["CEL_TEST_BUILD"])
failures = []


def v3(**changes):
    doc = {"zarr_format": 3, "node_type": "array", "shape": [3], "data_type": "int32", "fill_value": 0,
           "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [3]}},
           "chunk_key_encoding": {"name": "default"}, "dimension_names": ["x"],
           "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}
    doc.update(changes)
    return doc


def v2(**changes):
    doc = {"zarr_format": 2, "shape": [3], "chunks": [3], "dtype": "<i4", "fill_value": 0, "order": "C",
           "filters": None, "compressor": None}
    doc.update(changes)
    return doc


DATA = (1).to_bytes(4, "little") + (2).to_bytes(4, "little") + (3).to_bytes(4, "little")
GOOD3 = {"zarr.json": {"zarr_format": 3, "node_type": "group"}, "good/zarr.json": v3(), "good/c/0": DATA}
GOOD2 = {".zgroup": {"zarr_format": 2}, "good/.zarray": v2(), "good/0": DATA}

# what it is called, the good objects, the bad one, words of the reason
CASES = [
    ("v3 serializer", GOOD3, {"bad/zarr.json": v3(codecs=[{"name": "some.array2bytes", "configuration": {}}])}, "makes bytes"),
    ("v3 grid", GOOD3, {"bad/zarr.json": v3(chunk_grid={"name": "rectilinear", "configuration": {"chunk_shapes": [[1, 2]]}})},
     "rectilinear"),
    ("v3 data type", GOOD3, {"bad/zarr.json": v3(data_type="float8_e4m3")}, "float8_e4m3"),
    ("v3 key encoding", GOOD3, {"bad/zarr.json": v3(chunk_key_encoding={"name": "hilbert"})}, "hilbert"),
    ("v3 storage transformer", GOOD3, {"bad/zarr.json": v3(storage_transformers=[{"name": "x"}])}, "storage_transformers"),
    ("v3 extension", GOOD3, {"bad/zarr.json": v3(ext={"must_understand": True})}, "may not be ignored"),
    ("v3 no JSON", GOOD3, {"bad/zarr.json": b"{"}, "JSON, line 1"),
    ("v3 node type", GOOD3, {"bad/zarr.json": {"zarr_format": 3, "node_type": "table"}}, "table"),
    ("v3 negative shape", GOOD3, {"bad/zarr.json": v3(shape=[-1])}, "/shape"),
    ("v3 fill value", GOOD3, {"bad/zarr.json": v3(fill_value={"no": 1})}, "fill_value"),
    ("v2 dtype", GOOD2, {"bad/.zarray": v2(dtype="|Z9")}, "|Z9"),
    ("v2 objects", GOOD2, {"bad/.zarray": v2(dtype="|O", filters=[{"id": "pickle"}])}, "pickle"),
    ("v2 filter without id", GOOD2, {"bad/.zarray": v2(filters=[7])}, "/filters"),
    ("v2 no JSON", GOOD2, {"bad/.zarray": b"[1"}, "JSON, line 1"),
    ("v2 attributes no JSON", GOOD2, {"bad/.zarray": v2(), "bad/.zattrs": b"{a}"}, "JSON, line 1"),
    ("v2 order", GOOD2, {"bad/.zarray": v2(order="Z", shape=[3, 1], chunks=[3, 1])}, "/order"),
    ("v2 chunks of another rank", GOOD2, {"bad/.zarray": v2(chunks=[3, 1])}, "/chunks"),
    ("v2 group no JSON", GOOD2, {"bad/.zgroup": b"?"}, "JSON, line 1"),
]


def write(path, objects):
    for key, value in objects.items():
        name = os.path.join(path, key)
        os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(name, "wb") as f:
            f.write(value if isinstance(value, bytes) else json.dumps(value).encode())


def run(*command):
    return subprocess.run([os.path.join(TOOLS, command[0]), *command[1:]], capture_output=True, text=True)


def check(label, condition, result):
    if not condition:
        failures.append(label)
        print(f"FAILED {label}: exit {result.returncode}\n{result.stdout}{result.stderr}")


for n, (label, good, bad, words) in enumerate(CASES):
    path = os.path.join(scratch, f"s{n}.zarr")
    write(path, {**good, **bad})
    r = run("ncdump", "-v", "good", path)
    note = [line for line in r.stdout.splitlines() if "bad cannot be read" in line]
    check(label, r.returncode == 0 and "good = 1, 2, 3" in r.stdout and len(note) == 1 and words in note[0], r)

    # whoever writes leaves the object alone, and consolidated metadata keeps it
    before = {key: open(os.path.join(path, key), "rb").read() for key in bad}
    copied = os.path.join(scratch, f"c{n}.nc")
    r = run("nccopy", path, copied)
    check(label + ", copied", "bad is not copied" in r.stderr or "bad" in r.stderr, r)
    check(label + ", untouched", before == {key: open(os.path.join(path, key), "rb").read() for key in bad}, r)

# the group's own attributes
path = os.path.join(scratch, "root.zarr")
write(path, {**GOOD2, ".zattrs": b"{'single': 1}"})
r = run("ncdump", path)
check("attributes of the root", "good = 1, 2, 3" in r.stdout and ":attributes cannot be read" in r.stdout, r)

shutil.rmtree(scratch)
sys.exit(1 if failures else 0)
