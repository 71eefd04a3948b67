#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Make HDF5 files of every kind of chunk index and say what libhdf5 knows of them.

usage: make_h5_chunks.py DIRECTORY NUMBER SEED

In DIRECTORY: files by h5py, and expected.json with a row for each: its variables, how they are stored, where each chunk
lies (as H5Dget_chunk_info says), and their values in expected.bin, whole and every second index, of many every 61st."""
import ctypes
import json
import os
import random
import sys

import h5py
import numpy as np

BTREE1, SINGLE, IMPLICIT, FIXED, EXTENSIBLE, BTREE2 = range(6)
DONT_FILTER_PARTIAL_CHUNKS = 2
TYPES = [order + kind for order in "<>" for kind in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")]


def libhdf5():
    "The library that h5py has loaded."
    with open("/proc/self/maps") as maps:
        for line in maps:
            path = line.split()[-1]
            if "libhdf5" in path and "_hl" not in path:
                return ctypes.CDLL(path)
    raise SystemExit("no libhdf5 in this process")


def creation_list(case):
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    layout = case.get("layout")
    if layout == "compact":
        dcpl.set_layout(h5py.h5d.COMPACT)
    if case.get("chunk"):
        dcpl.set_chunk(tuple(case["chunk"]))
        if case.get("raw_edges"):
            libhdf5().H5Pset_chunk_opts(ctypes.c_int64(dcpl.id), ctypes.c_uint(DONT_FILTER_PARTIAL_CHUNKS))
    for name in case.get("filters", ()):
        if name == "shuffle":
            dcpl.set_shuffle()
        elif name == "deflate":
            dcpl.set_deflate(case["level"])
        elif name == "fletcher32":
            dcpl.set_fletcher32()
    if case.get("fill") is not None:
        dcpl.set_fill_value(np.array(case["fill"], dtype=case["type"]))
    if case.get("alloc"):
        dcpl.set_alloc_time(getattr(h5py.h5d, "ALLOC_TIME_" + case["alloc"]))
    if case.get("never"):
        dcpl.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    dcpl.set_obj_track_times(False)
    return dcpl


def make_space(case):
    if not case["shape"]:
        return h5py.h5s.create(h5py.h5s.SCALAR)
    most = case.get("maxshape") or case["shape"]
    return h5py.h5s.create_simple(tuple(case["shape"]), tuple(h5py.h5s.UNLIMITED if m is None else m for m in most))


def values_of(rng, case, shape):
    return np.array([rng.randrange(100) for _ in range(int(np.prod(shape)))], dtype=case["type"]).reshape(shape)


def write_some_chunks(rng, case, data):
    "Some chunks through the filters, some around them with a mask that says so."
    grid = [-(-n // c) for n, c in zip(case["shape"], case["chunk"])]
    many = int(np.prod(grid))
    for number in rng.sample(range(many), min(many, case["some"])):
        index = np.unravel_index(number, grid)
        first = tuple(int(i * c) for i, c in zip(index, case["chunk"]))
        if case.get("masks") and case.get("filters") and rng.random() < 0.5:
            raw = values_of(rng, case, case["chunk"]).tobytes()
            data.id.write_direct_chunk(first, raw, (1 << len(case["filters"])) - 1)
        else:
            part = tuple(slice(f, min(f + c, n)) for f, c, n in zip(first, case["chunk"], case["shape"]))
            data[part] = values_of(rng, case, [p.stop - p.start for p in part])


def make(rng, f, name, case):
    f_type = h5py.h5t.py_create(np.dtype(case["type"]))
    h5py.h5d.create(f.id, name.encode(), f_type, make_space(case), creation_list(case))
    data = f[name]
    if case.get("write") == "all" and 0 not in case["shape"]:
        data[...] = values_of(rng, case, case["shape"])
    elif case.get("write") == "some" and 0 not in case["shape"]:
        write_some_chunks(rng, case, data)


# --- cases ---------------------------------------------------------------------------------


def random_case(rng):
    rank = rng.choice([0, 1, 1, 2, 2, 2, 3])
    case = {"type": rng.choice(TYPES), "write": rng.choice(["all", "all", "some", "none"]), "level": rng.randrange(1, 10)}
    case["shape"] = [rng.randrange(1, 25) for _ in range(rank)]
    case["never"] = rng.random() < 0.1
    if rng.random() < 0.5:
        case["fill"] = rng.randrange(100)
    if rank == 0 or rng.random() < 0.15:
        case["layout"] = rng.choice(["compact", "contiguous"])
        case["write"] = rng.choice(["all", "none"])
        return case
    case["chunk"] = [rng.randrange(1, n + 1) for n in case["shape"]]
    kind = rng.choice(["same", "same", "larger", "one", "one", "many", "single"])
    if kind == "single":
        case["chunk"] = list(case["shape"])
    case["maxshape"] = list(case["shape"])
    if kind == "larger":
        case["maxshape"] = [n + rng.randrange(0, 9) for n in case["shape"]]
    elif kind == "one":
        case["maxshape"] = [n + rng.randrange(0, 9) for n in case["shape"]]
        case["maxshape"][rng.randrange(rank)] = None
    elif kind == "many":
        case["maxshape"] = [None] * rank
    case["filters"] = [name for name in ("shuffle", "deflate", "fletcher32") if rng.random() < 0.4]
    case["alloc"] = rng.choice([None, None, "EARLY", "EARLY", "LATE", "INCR"])
    if case["alloc"] == "EARLY":
        case["filters"] = []
    case["raw_edges"] = bool(case["filters"]) and rng.random() < 0.3
    case["masks"] = not case["raw_edges"]
    case["some"] = rng.randrange(1, 12)
    return case


def large_cases():
    "Indices with pages, super blocks and several levels."
    deflate = {"filters": ["deflate"], "level": 1}
    rows = [
        {"shape": [3000], "chunk": [1], "some": 150},
        {"shape": [3000], "chunk": [1], "some": 150, **deflate},
        {"shape": [300000], "chunk": [1], "maxshape": [None], "some": 150},
        {"shape": [300000], "chunk": [1], "maxshape": [None], "some": 150, **deflate},
        {"shape": [3, 2000], "chunk": [1, 2], "maxshape": [5, None], "some": 150},
        {"shape": [90, 90], "chunk": [1, 1], "maxshape": [None, None], "some": 1500},
        {"shape": [40, 50], "chunk": [1, 1], "maxshape": [None, None], "some": 1000, **deflate},
        {"shape": [200, 11], "chunk": [2, 3], "alloc": "EARLY", "some": 50},
    ]
    return [{"type": "<i2" if row["shape"][0] < 100000 else "u1", "write": "some", "fill": 7, **row} for row in rows]


def index_of(case, libver):
    "The kind that libhdf5 takes."
    if not case.get("chunk"):
        return None
    if libver in ("earliest", "v108") and not case.get("raw_edges"):
        return BTREE1
    most = case.get("maxshape") or case["shape"]
    unlimited = most.count(None)
    if unlimited:
        return EXTENSIBLE if unlimited == 1 else BTREE2
    if case["shape"] == case["chunk"] == list(most):
        return SINGLE
    return IMPLICIT if case.get("alloc") == "EARLY" and not case.get("filters") else FIXED


# --- what libhdf5 says ------------------------------------------------------------------------


def chunks_of(data, user_block):
    version = tuple(int(n) for n in h5py.version.hdf5_version.split("-")[0].split("."))
    add = user_block if version < (1, 14, 4) else 0
    found = {}

    def note(info):
        index = ",".join(str(o // c) for o, c in zip(info.chunk_offset, data.chunks))
        found[index] = [info.byte_offset + add, info.size, info.filter_mask]

    if hasattr(data.id, "chunk_iter"):
        data.id.chunk_iter(note)
    else:
        for i in range(data.id.get_num_chunks()):
            note(data.id.get_chunk_info(i))
    return found


def values(data):
    "What is not written is zero where the file says not to fill."
    out = np.zeros(data.shape, dtype=data.dtype)
    if out.size:
        data.read_direct(out)
    out = out.astype(data.dtype.newbyteorder("="))
    step = 61 if out.size > 100000 else 1
    return b"".join(out[tuple(slice(None, None, s) for _ in data.shape)].tobytes() for s in (step, 2 * step))


def expect(path, cases, libver, user_block, out):
    rows = []
    with h5py.File(path, "r") as f:
        for name, case in cases.items():
            data = f[name]
            text = values(data)
            out.write(text)
            rows.append({"name": name, "index": index_of(case, libver), "bytes": len(text), "case": case,
                         "chunks": chunks_of(data, user_block) if data.chunks else {}})
    return {"path": path, "libver": libver, "user_block": user_block, "vars": rows}


def main():
    directory, number, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    os.makedirs(directory, exist_ok=True)
    libvers = [v for v in ("earliest", "v108", "v110", "v112", "v114", "v200", "latest") if v in dir_of_libvers()]
    files = []
    with open(os.path.join(directory, "expected.bin"), "wb") as out:
        for i in range(number):
            libver = libvers[i % len(libvers)]
            user_block = rng.choice([0, 0, 0, 512, 2048])
            path = os.path.join(directory, "%04d_%s.h5" % (i, libver))
            cases = {"v%d" % k: random_case(rng) for k in range(5)}
            if libver in ("earliest", "latest") and i < 4 * len(libvers):
                cases.update({"w%d" % k: case for k, case in enumerate(large_cases()) if k % 4 == i // len(libvers)})
            with h5py.File(path, "w", libver=(libver, "latest"), userblock_size=user_block, track_order=True) as f:
                for name, case in cases.items():
                    make(rng, f, name, case)
            files.append(expect(path, cases, libver, user_block, out))
    with open(os.path.join(directory, "expected.json"), "w") as f:
        json.dump({"hdf5": h5py.version.hdf5_version, "files": files}, f)


def dir_of_libvers():
    return set(h5py._hl.files.libver_dict)


if __name__ == "__main__":
    main()
