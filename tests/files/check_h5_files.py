#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Make the HDF5 sample files, print each through our API, and compare with h5py.

usage: check_h5_files.py H5_VALUES DIRECTORY [SONAME]   with the name of libhdf5: it cannot be loaded"""
import os
import subprocess
import sys

import h5py
import numpy as np

import make_h5_files

# What netCDF has no place for is not listed; what it is given otherwise is named here.
HIDDEN = {"reference"}


def words(dtype, value):
    "One element as h5_values prints it."
    if dtype.names:
        return [w for name in dtype.names for w in words(dtype[name], value[name])]
    if dtype.subdtype:
        return [w for v in np.ravel(value) for w in words(dtype.subdtype[0], v)]
    if h5py.check_string_dtype(dtype):
        return ["[%s]" % (value.decode() if isinstance(value, bytes) else value)]
    if h5py.check_vlen_dtype(dtype):
        return [w for v in value for w in words(np.dtype(h5py.check_vlen_dtype(dtype)), v)]
    if dtype.kind == "V":
        return [str(b) for b in bytes(value)]
    if dtype.kind == "c":
        return words(np.dtype("f8"), value.real) + words(np.dtype("f8"), value.imag)
    if dtype.kind == "f":
        return ["%.9g" % value if dtype.itemsize <= 4 else "%.17g" % value]
    return [str(int(value))]


def line(name, dataset, shape):
    data = dataset[()] if dataset.shape is not None else None
    text = "%s (%s)" % (name, ",".join(map(str, shape)))
    if data is None:
        return text + " no value"
    return " ".join([text] + [w for v in np.ravel(data) for w in words(dataset.dtype, v)])


def expected(path):
    lines = {}

    def visit(name, obj):
        if isinstance(obj, h5py.Dataset) and name not in HIDDEN and obj.attrs.get("NAME", b"")[:20] != b"This is a netCDF dim":
            lines["/" + name] = line("/" + name, obj, obj.shape or ())

    with h5py.File(path, "r") as f:
        f.visititems(visit)
        if "alias" in f:
            lines["/alias"] = line("/alias", f["alias"], f["alias"].shape)
    return lines


def shorter_than_its_dimension(ours, theirs):
    "netCDF shows a variable as long as its unlimited dimension; h5py as long as its own data."
    return ours.split(" ")[0] == theirs.split(" ")[0] and ours.split(")", 1)[1].startswith(theirs.split(")", 1)[1])


def without(directory, soname):
    "An environment in which libhdf5 cannot be loaded."
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, soname), "w") as f:
        f.write("none\n")
    return dict(os.environ, LD_LIBRARY_PATH=directory)


def check(program, path, env):
    run = subprocess.run([program, path], capture_output=True, text=True, env=env)
    if run.returncode:
        print("%s: %s" % (path, run.stderr))
        return False
    ours = {text.split(" ", 1)[0]: text for text in run.stdout.splitlines()}
    theirs = expected(path)
    good = True
    for name in sorted(set(ours) | set(theirs)):
        a, b = ours.get(name, ""), theirs.get(name, "")
        if a != b and not (a and b and shorter_than_its_dimension(a, b)):
            print("%s: %s\n  ours:  %s\n  h5py:  %s" % (path, name, a[:300], b[:300]))
            good = False
    return good


if __name__ == "__main__":
    program, directory, *soname = sys.argv[1:]
    env = without(os.path.join(directory, "without"), soname[0]) if soname else None
    results = [check(program, path, env) for path in make_h5_files.make_all(directory)]
    sys.exit(not all(results))
