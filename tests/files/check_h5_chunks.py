#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Chunk indices and values read without libhdf5, compared with what libhdf5 says (make_h5_chunks.py).

usage: check_h5_chunks.py H5_CHUNKS DIRECTORY NUMBER SEED [PYTHON...]

NUMBER files are made by each PYTHON whose h5py can be had; this one counts too. h5_2/ has files of HDF5 2.0 (layouts of
version 5), made once by the same program."""
import collections
import json
import os
import subprocess
import sys

KINDS = ["B-tree 1", "single chunk", "implicit", "fixed array", "extensible array", "B-tree 2"]
EXTENSIBLE = 4
HERE = os.path.dirname(os.path.abspath(__file__))
STORAGES = {0: "chunked", 1: "contiguous", 2: "compact"}


def parse(text):
    "By file and variable: storage, index, chunks, bytes."
    files, needed = {}, []
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "file":
            path = rest
            now = files[path] = {}
        elif word == "var":
            name, storage, index = rest.split()
            var = now[name] = {"storage": int(storage), "index": None if index == "-" else int(index), "chunks": {}}
        elif word == "chunk":
            index, address, size, mask = rest.split()
            var["chunks"][index] = [int(address), int(size), int(mask)]
        elif word == "bytes":
            var["bytes"] = int(rest)
        elif word == "libhdf5":
            needed.append(path)
        else:
            raise SystemExit("%s: %s" % (path, line))
    return files, needed


def masks(case, chunks):
    "Edge chunks that are stored without filters do not say so; to us they do."
    out = {}
    for index, (address, size, mask) in chunks.items():
        first = [int(i) * c for i, c in zip(index.split(","), case["chunk"])]
        edge = any(f + c > n for f, c, n in zip(first, case["chunk"], case["shape"]))
        out[index] = [address, size, 0xffffffff if edge and case.get("raw_edges") else mask]
    return out


def by_address(var, chunks):
    """H5Dget_chunk_info gives the chunks of an extensible array wrong positions unless the first dimension grows. What lies
    where is then seen by the values."""
    if var["index"] == EXTENSIBLE and var["case"]["maxshape"][0] is not None:
        return {str(number): found[:2] for number, found in enumerate(sorted(chunks.values()))}
    return chunks


def compare(expected, files, ours, theirs, count):
    at = 0
    for row in expected["files"]:
        ours_of = files[row["path"]]
        for var in row["vars"]:
            where = "%s: %s %s" % (row["path"], var["name"], var["case"])
            got = ours_of[var["name"]]
            if got["index"] != var["index"]:
                raise SystemExit("%s: index %s, expected %s" % (where, got["index"], var["index"]))
            a, b = by_address(var, got["chunks"]), by_address(var, masks(var["case"], var["chunks"]))
            bad = [(i, a.get(i), b.get(i)) for i in sorted(set(a) | set(b)) if a.get(i) != b.get(i)]
            if bad:
                raise SystemExit("%s: chunk, ours, libhdf5's: %s" % (where, bad[:5]))
            if got["bytes"] != var["bytes"] or ours[at:at + var["bytes"]] != theirs[at:at + var["bytes"]]:
                raise SystemExit("%s: other values" % where)
            at += var["bytes"]
            count[STORAGES[got["storage"]] if var["index"] is None else KINDS[var["index"]]] += 1


def read(path):
    with open(path, "rb") as f:
        return f.read()


def make(directory, number, seed, python):
    subprocess.run([python, "-W", "ignore", os.path.join(HERE, "make_h5_chunks.py"), directory, number, seed], check=True)


def check(program, directory, out, count):
    expected = json.loads(read(os.path.join(directory, "expected.json")))
    for row in expected["files"]:
        row["path"] = os.path.join(directory, os.path.basename(row["path"]))
    run = subprocess.run([program, out] + [row["path"] for row in expected["files"]], stdout=subprocess.PIPE, text=True)
    if run.returncode:
        raise SystemExit("%s: exit code %d" % (program, run.returncode))
    files, needed = parse(run.stdout)
    if needed:
        raise SystemExit("libhdf5 was needed for %s" % needed[:5])
    compare(expected, files, read(out), read(os.path.join(directory, "expected.bin")), count)
    print("HDF5 %s: %d files" % (expected["hdf5"], len(expected["files"])))


def main():
    program, directory, number, seed = sys.argv[1:5]
    count = collections.Counter()
    for i, python in enumerate([sys.executable] + sys.argv[5:]):
        if subprocess.run([python, "-c", "import h5py"], stderr=subprocess.DEVNULL).returncode:
            print("NOT RUN: %s has no h5py" % python)
            continue
        made = os.path.join(directory, str(i))
        make(made, number, seed, python)
        check(program, made, os.path.join(made, "ours.bin"), count)
    check(program, os.path.join(HERE, "h5_2"), os.path.join(directory, "ours.bin"), count)
    for kind in KINDS + ["contiguous", "compact"]:
        print("%-17s %5d datasets" % (kind, count[kind]))
    few = [kind for kind in KINDS + ["contiguous", "compact"] if count[kind] < 10]
    if few:
        raise SystemExit("too few datasets with %s" % ", ".join(few))


if __name__ == "__main__":
    main()
