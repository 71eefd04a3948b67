#!/usr/bin/python3
"""Seeds others make, and those of seeds.c as inputs: seeds.py FOLDER

h5/: small files of netCDF-C and h5py, besides those of seeds_h5.c; zarr/, zip/: the stores in
stores/, as keys and values (fuzz_zarr.c) and as archives; text/, cdl/: what the tests have.
"""
import glob
import json
import os
import struct
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
LARGEST = 12000  # bytes of a seed: small inputs are tried more often


def save(folder, name, data):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as f:
        f.write(data)


def load(path):
    with open(path, "rb") as f:
        return f.read()


def make_hdf5(folder):
    sys.path.insert(0, HERE)
    import seeds_netcdf
    os.makedirs(folder, exist_ok=True)
    seeds_netcdf.make_all(folder)
    make_chunk_indices(folder)
    for path in glob.glob(folder + "/*"):
        if os.path.getsize(path) > LARGEST:
            os.remove(path)


def make_chunk_indices(folder):
    "Every kind of chunk index, with filters and without, one small file each."
    sys.path.insert(0, os.path.join(HERE, "..", "files"))
    import random
    import h5py
    import make_h5_chunks
    rows = {"single": {"shape": [3, 2], "chunk": [3, 2]}, "implicit": {"shape": [9], "chunk": [2], "alloc": "EARLY"},
            "fixed": {"shape": [9], "chunk": [2]}, "pages": {"shape": [1030], "chunk": [1]},
            "extensible": {"shape": [300, 2], "chunk": [1, 2], "maxshape": [None, 2]},
            "btree2": {"shape": [30, 3], "chunk": [1, 1], "maxshape": [None, None]}}
    for name, row in rows.items():
        for filters in ([], ["shuffle", "deflate"]):
            if filters and name == "implicit":
                continue
            case = {"type": "<i2", "write": "some", "some": 30, "fill": 7, "level": 1, "filters": filters, **row}
            path = os.path.join(folder, "index-%s-%d" % (name, len(filters)))
            with h5py.File(path, "w", libver="latest") as f:
                make_h5_chunks.make(random.Random(1), f, "chunks", case)


def store_values(top):
    for folder, _, names in sorted(os.walk(top)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            yield os.path.relpath(path, top), load(path)


def pack_store(top, name, folder):
    values = list(store_values(top))
    save(folder + "/zarr", name, b"".join(b"\xffK" + k.encode() + b"\xffV" + v for k, v in values))
    os.makedirs(folder + "/zip", exist_ok=True)
    for how, ending in ((zipfile.ZIP_STORED, ""), (zipfile.ZIP_DEFLATED, "-deflated")):
        with zipfile.ZipFile(folder + "/zip/" + name + ending, "w", how) as z:
            for k, v in values:
                z.writestr(zipfile.ZipInfo(k), v, how)
    large_zip(values, folder + "/zip/" + name + "-64")


def large_zip(values, path):
    "As if everything were larger than 4 GB: sizes and places in zip64's fields."
    limit, zipfile.ZIP64_LIMIT = zipfile.ZIP64_LIMIT, 0
    try:
        with zipfile.ZipFile(path, "w") as z:
            for k, v in values[:3]:
                with z.open(zipfile.ZipInfo(k), "w", force_zip64=True) as f:
                    f.write(v)
    finally:
        zipfile.ZIP64_LIMIT = limit


def make_texts(folder):
    with open(HERE + "/seeds_text.txt") as f:
        for i, line in enumerate(f):
            save(folder + "/text", "text%d" % i, line.rstrip("\n").encode())
    for path in glob.glob(HERE + "/../**/*.cdl", recursive=True):
        if os.path.getsize(path) < 3000:
            save(folder + "/cdl", os.path.basename(path), load(path))


def make_stores(top):
    "What zarr-python 3 no longer writes, or not without warnings: documents as others have them."
    array2 = {"zarr_format": 2, "shape": [4], "chunks": [2], "compressor": None, "order": "C", "filters": None}
    pair = [["a", "<i4"], ["b", "<f8"], ["c", "|V3"]]
    numbers = b"\0\0\0\0\1\2\3\4\5\6\7\x08\x09\x0a\x0b\x0c"
    kinds = {
        "struct": dict(array2, dtype=pair, fill_value="AAAAAAAAAAAAAAAAAAAA"),
        "raw": dict(array2, dtype="|V4", fill_value="AAECAw=="),
        "complex": dict(array2, dtype="<c8", fill_value=["NaN", 1.5]),
        "bits": dict(array2, dtype="<f4", fill_value="0x7fc00001"),
        "json2": dict(array2, dtype="|O", fill_value=None, filters=[{"id": "json2"}]),
        "vlen": dict(array2, dtype="|O", fill_value=0, filters=[{"id": "vlen-array", "dtype": "<i4"}]),
        "bytes": dict(array2, dtype="|O", fill_value="", filters=[{"id": "vlen-bytes"}]),
        "labels": dict(array2, dtype="|O", fill_value="", filters=[{"id": "categorize", "labels": ["x", "yy"], "dtype": "|O", "astype": "|u1"}]),
        "lzma": dict(array2, dtype="<i4", fill_value=0, compressor={"id": "lzma", "format": 3, "check": -1, "preset": None,
                                                                      "filters": [{"id": 3, "dist": 4}, {"id": 33, "preset": 1}]}),
    }
    chunks = {"json2": b'["a", "bb", "|O", [2]]', "vlen": struct.pack("<3I", 2, 4, 7) + struct.pack("<2I", 4, 9), "bytes": struct.pack("<2I", 2, 1) + b"a" + struct.pack("<I", 2) + b"bc",
              "labels": b"\1\2"}
    for name, document in kinds.items():
        folder = top + "/by_hand_" + name
        save(folder, ".zgroup", b'{"zarr_format": 2}')
        save(folder + "/v", ".zarray", json.dumps(document).encode())
        save(folder + "/v", ".zattrs", b'{"x": [1, 2.5, "NaN", null, {"a": 1}], "y": "text", "z": [true, false], "_ARRAY_DIMENSIONS": ["q"]}')
        save(folder + "/v", "0", chunks.get(name, numbers))
    make_v3(top)


def make_v3(top):
    array3 = {"zarr_format": 3, "node_type": "array", "shape": [4], "attributes": {"a": [1, "Infinity"]}, "fill_value": 0,
              "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
              "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes", "configuration": {"endian": "big"}}],
              "dimension_names": ["x"]}
    fields = [["a", "int32"], ["b", "float64"]]
    kinds = {
        "struct": dict(array3, data_type={"name": "struct", "configuration": {"fields": fields}}, fill_value="AAAAAAAAAAAAAAAA"),
        "structured": dict(array3, data_type={"name": "structured", "configuration": {"fields": fields}}, fill_value="AAAAAAAAAAAAAAAA"),
        "raw": dict(array3, data_type="r32", fill_value=[0, 1, 2, 3]),
        "half": dict(array3, data_type="float16", fill_value="0x7e00"),
        "complex": dict(array3, data_type="complex64", fill_value=["NaN", 0]),
        "bytes": dict(array3, data_type="bytes", fill_value="", codecs=[{"name": "vlen-bytes"}]),
        "unknown": dict(array3, data_type="int4"),
    }
    for name, document in kinds.items():
        folder = top + "/v3_by_hand_" + name
        root = {"zarr_format": 3, "node_type": "group", "attributes": {},
                "consolidated_metadata": {"kind": "inline", "must_understand": False, "metadata": {"v": document}}}
        save(folder, "zarr.json", json.dumps(root).encode())
        save(folder + "/v", "zarr.json", json.dumps(document).encode())
        save(folder + "/v/c", "0", bytes(range(40)))


if __name__ == "__main__":
    make_stores(sys.argv[1] + "/stores")
    make_hdf5(sys.argv[1] + "/h5")
    for top in sorted(glob.glob(sys.argv[1] + "/stores/*")):
        pack_store(top, os.path.basename(top), sys.argv[1])
    make_texts(sys.argv[1])
