# SPDX-License-Identifier: BSD-3-Clause
"""HDF5: one object that is damaged, or that netCDF has no word for, is listed with the reason; everything else of the
file works."""
import json
import os
import struct
import subprocess
import sys
import tempfile

import h5py
import numpy as np

NCDUMP = os.path.join(os.environ["CEL_TEST_TOOLS"], "ncdump")
GOOD = "good = 1, 2, 3 ;"

ATTRIBUTE, FILTERS, DATATYPE, SPACE = 12, 11, 3, 1


# --- damage: object headers of version 1 have no checksum -----------------------------------

def messages(data, addr):
    """Type, place and size of each message body; the blocks the header goes on in too."""
    todo = [(addr + 16, struct.unpack_from("<I", data, addr + 8)[0])]
    while todo:
        at, left = todo.pop()
        while left >= 8:
            kind, size = struct.unpack_from("<HH", data, at)
            if kind == 16:
                todo.append(struct.unpack_from("<QQ", data, at + 8))
            yield kind, at + 8, size
            at, left = at + 8 + size, left - 8 - size


def patch(path, name, kind, offset, value, nth=0):
    with h5py.File(path, "r") as f:
        addr = h5py.h5o.get_info(f[name].id).addr
    data = bytearray(open(path, "rb").read())
    places = [at for k, at, _ in messages(data, addr) if k == kind]
    data[places[nth] + offset] = value
    open(path, "wb").write(data)


def patch_bytes(path, old, new):
    data = open(path, "rb").read()
    assert data.count(old) == 1, f"{old} is there {data.count(old)} times"
    open(path, "wb").write(data.replace(old, new))


# --- cases: what is made, what is broken, what must be listed -----------------------------------

def filtered(f):
    f.create_dataset("odd", data=np.arange(20), chunks=(5,), compression="gzip")


def named_type(f):
    f["odd"] = np.dtype([("a", "i4"), ("b", "f8")])
    f["other"] = np.dtype([("c", "i2")])
    f.create_dataset("v", (2,), dtype=f["other"])


def plain(f):
    f.create_dataset("odd", data=np.arange(20))


def attributes(f):
    f["good"].attrs["first"] = np.int32(1)
    f["good"].attrs["second"] = np.int32(2)


def reference(f):
    f.create_dataset("odd", (2,), h5py.ref_dtype)


def type_with_reference(f):
    f["odd"] = np.dtype([("r", h5py.ref_dtype), ("i", "i4")])


def variable_with_reference(f):
    f.create_dataset("odd", (2,), np.dtype([("r", h5py.ref_dtype), ("i", "i4")]))


def attribute_reference(f):
    f["good"].attrs["odd"] = f.ref


def soft_link(f):
    f["odd"] = h5py.SoftLink("/nowhere")


def external_link(f):
    f["odd"] = h5py.ExternalLink("nowhere.h5", "/")


def long_name(f):
    f["n" * 300] = 1


def scales(f):
    f["x"] = np.arange(3)
    f["x"].make_scale("x")
    f["good"].dims[0].attach_scale(f["x"])


def group(f):
    f["odd/inner"] = 1


def named_number(f):
    f["odd"] = np.dtype("i4")


def link_upwards(f):
    f["odd"] = f["/"]


def break_group(path):
    """The heap of the group's names: the second one in the file, after the root's."""
    data = open(path, "rb").read()
    at = data.index(b"HEAP", data.index(b"HEAP") + 4)
    open(path, "wb").write(data[:at] + b"LEAP" + data[at + 4:])


CASES = [  # what is made; what is broken; what is listed
    (filtered, lambda p: patch(p, "odd", FILTERS, 0, 99), "odd"),
    (named_type, lambda p: patch(p, "odd", DATATYPE, 0, 0xff), "odd"),
    (plain, lambda p: patch(p, "odd", DATATYPE, 0, 0xff), "odd"),
    (plain, lambda p: patch(p, "odd", SPACE, 0, 77), "odd"),
    (attributes, lambda p: patch(p, "good", ATTRIBUTE, 16, 0xff), "good:"),
    (scales, lambda p: patch_bytes(p, b"DIMENSION_LIST\0\0\x19", b"DIMENSION_LIST\0\0\x10"), "good:DIMENSION_LIST"),
    (group, break_group, "odd"),
    (reference, None, "odd"),
    (type_with_reference, None, "odd"),
    (variable_with_reference, None, "odd"),
    (attribute_reference, None, "good:odd"),
    (soft_link, None, "odd"),
    (external_link, None, "odd"),
    (long_name, None, "n" * 300),
    (named_number, None, "odd"),
    (link_upwards, None, "odd"),
]


def check(path, case, name):
    run = subprocess.run([NCDUMP, path], capture_output=True, text=True)
    header = subprocess.run([NCDUMP, "-h", path], capture_output=True, text=True)
    if run.returncode < 0 or GOOD not in run.stdout:
        sys.exit(f"{case.__name__}: {run.returncode} {run.stderr}\n{run.stdout}")
    if header.returncode or f"// {name} cannot be read:" not in header.stdout:
        sys.exit(f"{case.__name__}: '{name}' is not listed:\n{header.stdout}{header.stderr}")


def check_names(path):
    """Names that are not UTF-8 are the file's bytes; what may go to a terminal is the tool's matter."""
    odd = b"caf\xe9"
    with h5py.File(path, "w") as f:
        f["good"] = np.array([1, 2, 3], "i4")
        f.create_dataset(odd, data=np.array([4, 5], "i4"))
        f.create_group(b"g" + odd)
        f[b"t" + odd] = np.dtype([("a", "i4")])
        h5py.h5a.create(f["good"].id, odd, h5py.h5t.NATIVE_INT32, h5py.h5s.create(h5py.h5s.SCALAR)).write(np.array(7, "i4"))
    run = subprocess.run([NCDUMP, path], capture_output=True)
    for words in (GOOD.encode(), b"caf", b"= 4, 5 ;", b"= 7 ;", b"group: gcaf", b"compound tcaf"):
        if run.returncode or words not in run.stdout:
            sys.exit(f"names: no {words} in\n{run.stdout}{run.stderr}")


def check_data(path):
    """Data that cannot be read, for want of a filter or of any value, does not end the dump of the others."""
    with h5py.File(path, "w", libver="earliest") as f:
        f["a_null"] = h5py.Empty("i4")
        odd = f.create_dataset("b_filter", (4,), "i4", chunks=(4,), compression=1, shuffle=True)
        odd[:] = 1
        f["good"] = np.array([1, 2, 3], "i4")
    patch(path, "b_filter", FILTERS, 9, 0x7f)  # the first filter's id becomes one that nobody has
    run = subprocess.run([NCDUMP, path], capture_output=True, text=True)
    for words in ("a_null cannot be read: ", "b_filter cannot be read: ", GOOD):
        if run.returncode != 1 or words not in run.stdout:
            sys.exit(f"data: {run.returncode}, no '{words}' in\n{run.stdout}{run.stderr}")
    shown = json.loads(subprocess.run([NCDUMP, "-j", path], capture_output=True, text=True).stdout)
    variables = shown["variables"]
    if variables["good"]["data"] != [1, 2, 3] or "unreadable" not in variables["b_filter"] or "a_null" not in shown["unreadable"]:
        sys.exit(f"data: {shown}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "f.h5")
        for case, damage, name in CASES:
            with h5py.File(path, "w", libver="earliest") as f:
                f["good"] = np.array([1, 2, 3], "i4")
                case(f)
            if damage:
                damage(path)
            check(path, case, name)
            print(case.__name__, "ok")
        check_names(path)
        check_data(path)


main()
