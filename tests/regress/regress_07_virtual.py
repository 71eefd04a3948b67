# SPDX-License-Identifier: BSD-3-Clause
"""Virtual datasets, whose length and values come from other files, and external links: as h5py reads them, from any
working directory, through a symlink, in files opened for reading and for writing."""
import ctypes
import os
import re
import subprocess
import sys
import tempfile

import h5py
import numpy as np

NCDUMP = os.path.join(os.environ["CEL_TEST_TOOLS"], "ncdump")
UNLIMITED = h5py.h5s.UNLIMITED


def source(folder, name, values, maxshape=None):
    with h5py.File(os.path.join(folder, name), "w") as f:
        f.create_dataset("data", data=values, maxshape=maxshape, chunks=True)


def unlimited_vds(f, name, sources, width):
    """Rows of the sources in turn; each may grow."""
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_fill_value(np.array(-1, "i4"))
    space = h5py.h5s.create_simple((len(sources), width), (UNLIMITED, width))
    for i, file in enumerate(sources):
        space.select_hyperslab((i, 0), (UNLIMITED, 1), (len(sources), 1), (1, width))
        rows = h5py.h5s.create_simple((1, width), (UNLIMITED, width))
        rows.select_hyperslab((0, 0), (UNLIMITED, 1), (1, 1), (1, width))
        dcpl.set_virtual(space, file.encode(), b"data", rows)
    h5py.h5d.create(f.id, name.encode(), h5py.h5t.NATIVE_INT32, space, dcpl)


def fixed_vds(f, name, sources, width):
    layout = h5py.VirtualLayout((len(sources), width), "i4")
    for i, file in enumerate(sources):
        layout[i] = h5py.VirtualSource(file, "data", (3, width))[1]
    f.create_virtual_dataset(name, layout, fillvalue=-1)


def make(folder):
    for i in range(2):
        rows = np.arange(12, dtype="i4").reshape(3, 4) + 100 * i
        source(folder, f"part{i}.h5", rows, (None, 4))
        with h5py.File(os.path.join(folder, f"part{i}.h5"), "a") as f:
            f.create_group("below", track_order=True)["deep"] = rows[0]
    parts = ["part0.h5", "part1.h5"]
    with h5py.File(os.path.join(folder, "main.h5"), "w", track_order=True) as f:
        f["data"] = np.full(7, 77, "i4")  # the sources have this name too
        unlimited_vds(f, "unlimited", parts, 4)
        fixed_vds(f, "fixed", parts, 4)
        fixed_vds(f, "missing", ["part0.h5", "nowhere.h5"], 4)
        f["link"] = h5py.ExternalLink("part1.h5", "data")
        f["folder"] = h5py.ExternalLink("part0.h5", "/")
    with h5py.File(os.path.join(folder, "outer.h5"), "w", track_order=True) as f:
        layout = h5py.VirtualLayout((2, 4), "i4")
        layout[:] = h5py.VirtualSource("main.h5", "fixed", (2, 4))
        f.create_virtual_dataset("twice", layout, fillvalue=-1)


def numbers(text, name):
    found = re.search(rf"^ *{name} =\s*([^;]*);", text, re.M)
    if not found:
        sys.exit(f"no values of {name} in\n{text}")
    return [int(v) for v in found.group(1).split(",")]


def expect(path, names, cwd):
    run = subprocess.run([NCDUMP, path], capture_output=True, text=True, cwd=cwd)
    if run.returncode:
        sys.exit(f"ncdump {path}: {run.stderr}")
    with h5py.File(os.path.join(cwd, path), "r") as f:
        for name in names:
            want = f[name][...].ravel().tolist()
            got = numbers(run.stdout, name.split("/")[-1])
            if got != want:
                sys.exit(f"{path}, {name}: {got}, h5py reads {want}")


NAMES = ["unlimited", "fixed", "missing", "link"]


def check_reading(folder):
    expect("main.h5", NAMES + ["folder/below/deep"], folder)
    expect(os.path.join(folder, "main.h5"), NAMES, "/")
    os.mkdir(os.path.join(folder, "links"))
    os.symlink(os.path.join(folder, "main.h5"), os.path.join(folder, "links", "main.h5"))
    expect("main.h5", NAMES, os.path.join(folder, "links"))
    expect("outer.h5", ["twice"], folder)


def check_growth(folder):
    for i in range(2):
        with h5py.File(os.path.join(folder, f"part{i}.h5"), "a") as f:
            f["data"].resize((5, 4))
            f["data"][3:] = 1000 + i
    expect("main.h5", NAMES, folder)


def check_writing(folder):
    """In a file open for writing, which writes what lies behind an external link too."""
    lib = ctypes.CDLL(os.path.join(os.environ["CEL_TEST_BUILD"], "src", "libcellar.so"))
    ncid, varid, buffer = ctypes.c_int(), ctypes.c_int(), (ctypes.c_int * 40)()
    path = os.path.join(folder, "main.h5")
    with h5py.File(path, "r") as f:
        want = {name: f[name][...].ravel().tolist() for name in NAMES}
    assert lib.cel_nc_open(path.encode(), 1, ctypes.byref(ncid)) == 0
    for name in NAMES:
        assert lib.cel_nc_inq_varid(ncid, name.encode(), ctypes.byref(varid)) == 0
        assert lib.cel_nc_get_var_int(ncid, varid, buffer) == 0
        assert buffer[:len(want[name])] == want[name], f"{name}: {buffer[:]}"
    assert lib.cel_nc_inq_varid(ncid, b"link", ctypes.byref(varid)) == 0
    buffer[:] = range(40)
    assert lib.cel_nc_put_var_int(ncid, varid, buffer) == 0
    assert lib.cel_nc_inq_varid(ncid, b"data", ctypes.byref(varid)) == 0
    assert lib.cel_nc_put_var_int(ncid, varid, buffer) == 0
    assert lib.cel_nc_close(ncid) == 0
    with h5py.File(path, "r") as f:
        assert f["link"][...].ravel().tolist() == buffer[:20]
        assert f["data"][...].tolist() == buffer[:7]


def main():
    with tempfile.TemporaryDirectory() as folder:
        make(folder)
        check_reading(folder)
        check_growth(folder)
        if not os.environ.get("CEL_TEST_SANITIZE"):
            check_writing(folder)


main()
