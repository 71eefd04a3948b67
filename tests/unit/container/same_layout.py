#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The same program linked to libcellar and to netCDF-C: h5py must see the same layout.

Compared for every object: type, shape, chunks, filters, fill value, dimension scales,
who uses them, and every attribute with its type, shape and value; and that the same
calls give the same bytes. usage: same_layout.py OURS THEIRS DIRECTORY"""
import os
import subprocess
import sys

import h5py
import numpy as np

# Where we mean to differ: what differs (any object if None) and why.
KNOWN = [
    (None, "committed"),               # netCDF-C writes a copy of a user type with each variable, we refer to it
    (None, "attribute order"),         # netCDF-C forgets to ask for it in files opened again
    (None, "attribute _Netcdf4Dimid"), # netCDF-C puts it on some variables that are no scales
    ("/time", "shape"),                # a coordinate variable of rank 2: netCDF-C leaves it shorter than its dimension
    ("/time", "values"),
    ("/x", "attribute REFERENCE_LIST"),       # after a rename netCDF-C leaves variables attached to
    ("/other", "attribute REFERENCE_LIST"),   # what is no longer the dimension
    ("/second", "attribute DIMENSION_LIST"),
]


def is_known(name, key):
    return (None, key) in KNOWN or (name, key) in KNOWN


def name_of(f, ref):
    return f[ref].name if ref else None


def attribute(f, obj, name):
    att = obj.attrs.get_id(name)
    if name == "DIMENSION_LIST":
        return [[name_of(f, r) for r in refs] for refs in obj.attrs[name]]
    if name == "REFERENCE_LIST":
        return sorted((name_of(f, r[0]), int(r[1])) for r in obj.attrs[name])
    if name == "_NCProperties":
        return "written"
    value = obj.attrs[name]
    if isinstance(value, h5py.Empty):
        return ("empty", str(value.dtype))
    return (str(att.dtype), att.shape, att.get_type().get_class(), np.asarray(value).tolist())


def dataset(f, obj):
    dcpl = obj.id.get_create_plist()
    text = h5py.check_string_dtype(obj.dtype)
    return {
        "type": (str(obj.dtype), obj.id.get_type().get_class(), text and (text.encoding, text.length)),
        "committed": obj.id.get_type().committed(),
        "shape": obj.shape, "maxshape": obj.maxshape, "chunks": obj.chunks,
        "layout": dcpl.get_layout(), "fill time": dcpl.get_fill_time(), "alloc time": dcpl.get_alloc_time(),
        "fill": dcpl.fill_value_defined(),
        "filters": [dcpl.get_filter(i)[:3] for i in range(dcpl.get_nfilters())],
        "attribute order": dcpl.get_attr_creation_order(),
        "times": dcpl.get_obj_track_times(),
        "values": [str(v) for v in np.ravel(obj[()])] if obj.dtype.kind != "O" or text else "not compared",
    }


def describe(path):
    out = {}
    with h5py.File(path, "r") as f:
        def visit(obj):
            facts = dataset(f, obj) if isinstance(obj, h5py.Dataset) else {}
            if isinstance(obj, h5py.Group):
                facts["links"] = sorted(obj.keys())
                facts["order"] = obj.id.get_create_plist().get_link_creation_order()
            facts.update(("attribute " + n, attribute(f, obj, n)) for n in obj.attrs)
            out[obj.name] = facts
            if isinstance(obj, h5py.Group):
                for child in obj.values():
                    visit(child)
        visit(f["/"])
    return out


def differences(ours, theirs):
    for name in sorted(set(ours) | set(theirs)):
        a, b = ours.get(name, {}), theirs.get(name, {})
        for key in sorted(set(a) | set(b)):
            if str(a.get(key)) != str(b.get(key)) and not is_known(name, key):
                yield "%s: %s: ours %s, netCDF-C's %s" % (name, key, a.get(key), b.get(key))


def main(ours, theirs, directory):
    os.makedirs(directory, exist_ok=True)
    good = True
    for case in subprocess.run([ours], capture_output=True, text=True, check=True).stdout.split():
        paths = [os.path.join(directory, case + end) for end in (".ours.nc", ".again.nc", ".theirs.nc")]
        for program, path in zip((ours, ours, theirs), paths):
            subprocess.run([program, case, path], check=True)
        for text in differences(describe(paths[0]), describe(paths[2])):
            print("%s: %s" % (case, text))
            good = False
        if open(paths[0], "rb").read() != open(paths[1], "rb").read():
            print("%s: the same calls gave different bytes" % case)
            good = False
        sizes = [os.path.getsize(p) for p in paths]
        print("%-24s %7d bytes, netCDF-C's %7d" % (case, sizes[0], sizes[2]))
    return not good


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
