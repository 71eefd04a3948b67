#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Values of every type in every layout: what we read ourselves is what we read through libhdf5.

usage: check_h5_types.py NCDUMP DIRECTORY NUMBER SEED

ncdump --untrusted never asks libhdf5; without file locks libhdf5 reads everything. Both must print the same."""
import collections
import os
import random
import subprocess
import sys

import h5py
import numpy as np

VLEN_TEXT = h5py.string_dtype()
WORDS = ["", "a", "text", "two words", "\u00e9t\u00e9", "x" * 300]


def number(base, size=None, precision=None, offset=None, order=None):
    "A number whose bits lie otherwise than usual."
    t = base.copy()
    if size:
        t.set_size(size)
    if precision:
        t.set_precision(precision)
    if offset:
        t.set_offset(offset)
    if order:
        t.set_order(order)
    return t


I32, U32 = h5py.h5t.STD_I32LE, h5py.h5t.STD_U32LE
ODD = {
    "int24": lambda: number(I32, precision=24, size=3),
    "bits12 at 3": lambda: number(I32, precision=12, offset=3),
    "unsigned bits 20, big": lambda: number(U32, precision=20, offset=5, order=h5py.h5t.ORDER_BE),
    "int 6 bytes": lambda: number(h5py.h5t.STD_I64LE, precision=48, size=6),
}


def texts(rng, n):
    return [rng.choice(WORDS) for _ in range(n)]


def lists(rng, n):
    out = np.empty(n, dtype=object)
    for i in range(n):
        out[i] = np.array([rng.randrange(-99, 99) for _ in range(rng.choice([0, 1, 5, 40]))], dtype="i4")
    return out


def compounds(rng, n, dtype):
    out = np.zeros(n, dtype=dtype)
    for name in dtype.names:
        base = dtype[name]
        if h5py.check_string_dtype(base) and h5py.check_string_dtype(base).length is None:
            out[name] = texts(rng, n)
        elif base.kind == "S":
            out[name] = [w.encode()[:base.itemsize] for w in texts(rng, n)]
        else:
            out[name] = np.array([rng.randrange(100) for _ in range(int(np.prod((n,) + base.shape)))]).reshape((n,) + base.shape)
    return out


def kinds(rng, n):
    "By name: the type and n values."
    plain = np.dtype([("a", "<i2"), ("b", ">f8"), ("c", "u1", (3,)), ("d", "S5")])
    deep = np.dtype([("name", VLEN_TEXT), ("x", "<f4"), ("inner", np.dtype([("p", ">i4"), ("q", "<i8")]))])
    enum = h5py.enum_dtype({"none": 0, "red": 1, "green": 2, "blue": 300}, basetype=">i2")
    some = [rng.randrange(100) for _ in range(n)]
    return {
        "vlen text": (VLEN_TEXT, texts(rng, n)),
        "vlen ascii": (h5py.string_dtype("ascii"), [w for w in ["plain"] * n]),
        "text of 7": ("S7", np.array([w.encode()[:7] for w in texts(rng, n)], dtype="S7")),
        "char": ("S1", np.array([b"abcxyz"[v % 6:v % 6 + 1] for v in some], dtype="S1")),
        "lists": (h5py.vlen_dtype(np.dtype("<i4")), lists(rng, n)),
        "lists, big": (h5py.vlen_dtype(np.dtype(">i4")), lists(rng, n)),
        "compound": (plain, compounds(rng, n, plain)),
        "compound with text": (deep, compounds_of_deep(rng, n, deep)),
        "enum": (enum, np.array([rng.choice([1, 2, 300]) for _ in range(n)], dtype=enum)),
        "bool": ("?", np.array([v % 2 for v in some], dtype="?")),
        "complex": ("<c8", np.array(some, dtype="<c8") * 1j),
        "half": (rng.choice("<>") + "f2", np.array(some, dtype="f2") / 7),
        "opaque": ("V5", np.array([bytes([v] * 5) for v in some], dtype="V5")),
        "big": (">f4", np.array(some, dtype=">f4")),
    }


def compounds_of_deep(rng, n, dtype):
    out = compounds(rng, n, np.dtype([("name", VLEN_TEXT), ("x", "<f4")]))
    full = np.zeros(n, dtype=dtype)
    full["name"], full["x"] = out["name"], out["x"]
    full["inner"]["p"] = [rng.randrange(1000) for _ in range(n)]
    return full


def write_all(data, values):
    "Lists that happen to be equally long h5py takes for an array of one dimension more, so one by one."
    if isinstance(values[0], np.ndarray):
        for i, value in enumerate(values):
            data[i] = value
    else:
        data[:len(values)] = values


def make(rng, f, count):
    n = rng.randrange(1, 40)
    for name, (dtype, values) in kinds(rng, n).items():
        options = {}
        if rng.random() < 0.6:
            options["chunks"] = (rng.randrange(1, n + 1),)
            if rng.random() < 0.5:
                options["compression"] = "gzip"
            if rng.random() < 0.3:
                options["maxshape"] = (None,)
        data = f.create_dataset(name.replace(" ", "_").replace(",", ""), (n,), dtype=dtype, **options)
        count["chunked" if options else "contiguous"] += 1
        if rng.random() < 0.85:
            write_all(data, values)
        elif options and n > 1:
            write_all(data, values[:n // 2])
        count[name] += 1
    for name, make_type in ODD.items():
        space = h5py.h5s.create_simple((n,))
        data = h5py.h5d.create(f.id, name.replace(" ", "_").replace(",", "").encode(), make_type(), space)
        data.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([rng.randrange(200) for _ in range(n)], dtype="i8"), h5py.h5t.NATIVE_INT64)
        count[name] += 1


def dump(ncdump, path, option, locking):
    env = dict(os.environ, HDF5_USE_FILE_LOCKING=locking)
    run = subprocess.run([ncdump] + option + [path], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return run.returncode, run.stdout, run.stderr


def main():
    ncdump, directory, number_of_files, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    rng, count = random.Random(seed), collections.Counter()
    os.makedirs(directory, exist_ok=True)
    for i in range(number_of_files):
        path = os.path.join(directory, "%03d.h5" % i)
        with h5py.File(path, "w", libver=rng.choice(["earliest", "v108", "latest"]), track_order=True) as f:
            make(rng, f, count)
        ours, theirs = dump(ncdump, path, ["--untrusted"], "TRUE"), dump(ncdump, path, [], "FALSE")
        if ours != theirs:
            for a, b in zip(ours[1].splitlines(), theirs[1].splitlines()):
                if a != b:
                    raise SystemExit("%s: ours, libhdf5's:\n%s\n%s\n%s" % (path, a, b, ours[2]))
            raise SystemExit("%s: %d %s, libhdf5: %d %s" % (path, ours[0], ours[2], theirs[0], theirs[2]))
    for name, n in sorted(count.items()):
        print("%-22s %4d" % (name, n))


if __name__ == "__main__":
    main()
