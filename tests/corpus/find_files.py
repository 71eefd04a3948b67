# SPDX-License-Identifier: BSD-3-Clause
"""Which files of a tree of sources are HDF5, classic netCDF or Zarr: told by their bytes, never by their names."""
import os
import zipfile

HDF5 = b"\x89HDF\r\n\x1a\n"
ZARR = (".zgroup", ".zarray", "zarr.json", ".nczarr")


def is_hdf5(file, size):
    """The signature is at 0, 512, 1024, ...: a user block may be before it."""
    at = 0
    while at < size:
        file.seek(at)
        if file.read(len(HDF5)) == HDF5:
            return True
        at = at * 2 or 512
    return False


def is_zarr_zip(path):
    try:
        with zipfile.ZipFile(path) as archive:
            return any(os.path.basename(name) in ZARR for name in archive.namelist())
    except zipfile.BadZipFile:
        return False


def kind_of(path):
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        head = file.read(4)
        if head[:3] == b"CDF" and head[3:] in (b"\1", b"\2", b"\5"):
            return "classic"
        if head == b"PK\3\4":
            return "zarr" if is_zarr_zip(path) else None
        return "hdf5" if is_hdf5(file, size) else None


def find(root):
    """(path under root, kind), sorted. A Zarr folder is named once, at its top."""
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(d for d in folders if not d.startswith((".", "apt-")))
        if any(name in ZARR for name in files):
            found.append((os.path.relpath(folder, root), "zarr"))
            folders[:] = []
            continue
        for name in files:
            path = os.path.join(folder, name)
            kind = kind_of(path) if os.path.isfile(path) and not os.path.islink(path) else None
            if kind:
                found.append((os.path.relpath(path, root), kind))
    return sorted(found)
