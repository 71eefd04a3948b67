# SPDX-License-Identifier: BSD-3-Clause
"""Opening takes time and memory in proportion to the bytes read: four times as many objects of any kind take about four times
the instructions, as valgrind counts them (the same on every machine), and no document more than 64 bytes of memory for each of
its own (docs/limits.md)."""
import json, os, re, shutil, struct, subprocess, sys, tempfile

WALK = os.path.join(os.environ["CEL_TEST_BUILD"], "tests", "regress", "walk_all")
FEW = 1000      # objects; the other file has four times as many
MOST = 5.0      # ... and may take this many times the instructions: 4, and sorting
FACTOR = 64     # bytes of memory for each byte of metadata
scratch = tempfile.mkdtemp(prefix="regress_21_", dir=os.environ.get("TMPDIR") or os.environ["CEL_TEST_BUILD"])
failures = 0

ARRAY2 = {"zarr_format": 2, "shape": [10], "chunks": [10], "dtype": "<i4", "compressor": None, "fill_value": 0, "filters": None,
          "order": "C"}
ARRAY3 = {"zarr_format": 3, "node_type": "array", "shape": [10], "data_type": "int32", "fill_value": 0,
          "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [10]}}, "chunk_key_encoding": {"name": "default"},
          "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}
GROUP2 = {"zarr_format": 2}
GROUP3 = {"zarr_format": 3, "node_type": "group"}


def complain(text):
    global failures
    failures += 1
    print("FAILED:", text)


def store(path, documents):
    """A zip archive: one file, and its own list of names."""
    import zipfile
    with zipfile.ZipFile(path, "w") as f:
        for key, document in documents.items():
            f.writestr(key, document if isinstance(document, str) else json.dumps(document))
    return "file://" + path + "#mode=zarr,zip"


# --- Zarr: what has many of something ------------------------------------------------------------------

def zarr_attributes(n):
    return {".zgroup": GROUP2, ".zattrs": {"a%d" % i: i for i in range(n)}}


def zarr_attributes_of_a_variable(n):
    return {".zgroup": GROUP2, "v/.zarray": ARRAY2, "v/.zattrs": {"a%d" % i: "x" for i in range(n)}}


def zarr_arrays(n):
    return {".zgroup": GROUP2, **{"v%d/.zarray" % i: ARRAY2 for i in range(n)}}


def zarr_arrays_and_dimensions(n):
    return {"zarr.json": GROUP3, **{"v%d/zarr.json" % i: {**ARRAY3, "shape": [i + 1]} for i in range(n)}}


def zarr_lengths_of_one_name(n):
    return {"zarr.json": GROUP3, **{"v%d/zarr.json" % i: {**ARRAY3, "shape": [i + 1], "dimension_names": ["x"]} for i in range(n)}}


def zarr_groups(n):
    return {".zgroup": GROUP2, **{"g%d/.zgroup" % i: GROUP2 for i in range(n)}}


def zarr_unreadable_arrays(n):
    return {".zgroup": GROUP2, **{"v%d/.zarray" % i: {**ARRAY2, "dtype": "|Z9"} for i in range(n)}}


def zarr_consolidated(n):
    every = {".zgroup": GROUP2}
    for i in range(n // 2):
        every["v%d/.zarray" % i] = ARRAY2
        every["g%d/.zgroup" % i] = GROUP2
    return {".zgroup": GROUP2, ".zmetadata": {"zarr_consolidated_format": 1, "metadata": every}}


def zarr_types(n):
    return {".zgroup": GROUP2, **{"v%d/.zarray" % i: {**ARRAY2, "dtype": [["f%d" % i, "<i4"]], "fill_value": None} for i in range(n)}}


def zarr_fields(n):
    return {".zgroup": GROUP2, "v/.zarray": {**ARRAY2, "dtype": [["f%d" % i, "<i4"] for i in range(n)], "fill_value": None}}


def nczarr_dimensions(n):
    about = {"dimensions": {"d%d" % i: {"size": i, "unlimited": 1} for i in range(n)}, "arrays": [], "groups": []}
    return {".zgroup": GROUP2, ".zattrs": {"_nczarr_group": about, "_nczarr_superblock": {"version": "2.0.0"}}}


# --- classic ---------------------------------------------------------------------------------------------

def name(text):
    raw = text.encode()
    return struct.pack(">i", len(raw)) + raw + b"\0" * (-len(raw) % 4)


def classic_attributes(n):
    atts = b"".join(name("a%d" % i) + struct.pack(">iii", 4, 1, i) for i in range(n))
    return b"CDF\1" + b"\0" * 12 + (struct.pack(">ii", 12, n) + atts if n else b"\0" * 8) + b"\0" * 8


def classic_dimensions(n):
    dims = b"".join(name("d%d" % i) + struct.pack(">i", 1) for i in range(n))
    return b"CDF\1\0\0\0\0" + (struct.pack(">ii", 10, n) + dims if n else b"\0" * 8) + b"\0" * 16


def classic_variables(n):
    def build(begin):
        every = b"".join(name("v%d" % i) + b"\0" * 12 + struct.pack(">iii", 4, 4, begin + 4 * i) for i in range(n))
        return b"CDF\1" + b"\0" * 20 + (struct.pack(">ii", 11, n) + every if n else b"\0" * 8)
    return build(len(build(0))) + b"\0" * 4 * n


# --- HDF5 ------------------------------------------------------------------------------------------------

def hdf5_attributes(path, n):
    import h5py
    with h5py.File(path, "w", libver="latest") as f:
        for i in range(n):
            f.attrs["a%d" % i] = i


def hdf5_groups(path, n):
    import h5py
    with h5py.File(path, "w") as f:
        for i in range(n):
            f.create_group("g%d" % i)


def hdf5_variables(path, n):
    import h5py
    with h5py.File(path, "w") as f:
        for i in range(n):
            f.create_dataset("v%d" % i, shape=(i + 1,), dtype="i4")


ZARR = [zarr_attributes, zarr_attributes_of_a_variable, zarr_arrays, zarr_arrays_and_dimensions, zarr_lengths_of_one_name, zarr_groups,
        zarr_unreadable_arrays, zarr_consolidated, zarr_types, zarr_fields, nczarr_dimensions]
CLASSIC = [classic_attributes, classic_dimensions, classic_variables]
HDF5 = [hdf5_attributes, hdf5_groups, hdf5_variables]


def make(kind, n):
    path = os.path.join(scratch, "%s-%d" % (kind.__name__, n))
    if kind in ZARR:
        mode = ",consolidated" if kind is zarr_consolidated else ""
        return store(path + ".zip", kind(n)) + mode
    if kind in CLASSIC:
        with open(path + ".nc", "wb") as f:
            f.write(kind(n))
    else:
        kind(path + ".nc", n)
    return path + ".nc"


def instructions(path):
    done = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", WALK, path],
                          capture_output=True, text=True)
    found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if done.returncode != 0 or not found:
        complain("%s: %s" % (path, done.stderr[-400:]))
        return 1
    return int(found.group(1).replace(",", ""))


def check_instructions(kind):
    none, few, many = (instructions(make(kind, n)) for n in (0, FEW, 4 * FEW))
    ratio = (many - none) / max(few - none, 1)
    print("%-32s %8.0f instructions each, four times as many take %.2f times" % (kind.__name__, (few - none) / FEW, ratio), flush=True)
    if ratio > MOST:
        complain("%s: four times as many objects take %.1f times the instructions" % (kind.__name__, ratio))


# --- memory ------------------------------------------------------------------------------------------------

def memory(path):
    done = subprocess.run([WALK, path], capture_output=True, text=True)
    if done.returncode != 0:
        complain("%s: %s" % (path, done.stderr))
        return 0
    return int(done.stdout)


def check_memory(label, text, document=".zattrs"):
    path = os.path.join(scratch, label)
    os.makedirs(os.path.dirname(os.path.join(path, document)))
    with open(path + "/.zgroup", "w") as f:
        f.write('{"zarr_format": 2}')
    empty = memory("file://" + path + "#mode=zarr")
    with open(os.path.join(path, document), "w") as f:
        f.write(text)
    factor = (memory("file://" + path + "#mode=zarr") - empty) / len(text)
    print("%-32s %.1f bytes of memory for each of its own" % (label, factor), flush=True)
    if factor > FACTOR:
        complain("%s: %.1f bytes of memory for each of its own" % (label, factor))


SMALL = 1 << 20  # entries
DOCUMENTS = [("numbers", '{"a":[' + "1," * SMALL + "1]}"), ("reals", '{"a":[' + "1e0," * SMALL + "1]}"),
             ("objects", '{"a":[' + "{}," * SMALL + "1]}"), ("lists", '{"a":[' + "[]," * SMALL + "1]}"),
             ("strings", '{"a":[' + '"",' * SMALL + '""]}'), ("pairs", '{"a":[' + '{"":1},' * SMALL + "1]}"),
             ("attributes", "{" + ",".join('"%x":1' % i for i in range(SMALL // 4)) + "}"),
             ("members", '{"a":{' + ",".join('"%x":1' % i for i in range(SMALL // 4)) + "}}")]

if os.environ.get("CEL_TEST_SANITIZE"):
    print("NOT RUN: neither valgrind nor the size of a program says anything under sanitizers")
    sys.exit(77)
if not shutil.which("valgrind"):
    print("NOT RUN: there is no valgrind")
    sys.exit(77)
try:
    for kind in ZARR + CLASSIC + HDF5:
        check_instructions(kind)
    for label, text in DOCUMENTS:
        check_memory(label, text)
finally:
    shutil.rmtree(scratch)
print("%d failures" % failures)
sys.exit(failures != 0)
