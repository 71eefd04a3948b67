#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""nccopy_foreign.py TOOLS [PART]: nccopy over files of others (foreign_files.py), to netCDF-4 and to Zarr of both versions, and
back to netCDF-4. Nothing may fail; what is not in a copy is named in a warning; all else has the values h5py or zarr-python
read from the original."""
import os
import re
import subprocess
import sys
import tempfile

import h5py
import numpy as np
from foreign_files import HDF5, ZARR, Absent

ROUTES = {"nc": "{0}.nc", "v2": "file://{0}.v2#mode=zarr", "v3": "file://{0}.v3#mode=zarr,v3", "nczarr": "file://{0}.cz#mode=nczarr"}


class Failure(Exception):
    pass


def nccopy(tools, source, target):
    """The names its warnings say are left out."""
    env = {k: v for k, v in os.environ.items() if k != "HDF5_PLUGIN_PATH"}  # which is for h5py
    done = subprocess.run([tools + "/nccopy", source, target], capture_output=True, text=True, env=env)
    if done.returncode or done.stdout:
        raise Failure(f"nccopy {source} {target}: exit code {done.returncode}: {done.stderr}{done.stdout}")
    names = set()
    for line in done.stderr.splitlines():
        found = re.match(r"nccopy: warning: (?:type )?(\S+) is (?:not copied|copied as \w+, without the names of its values): \S", line)
        if not found:
            raise Failure(f"nccopy {source} {target} says: {line}")
        names.add(found.group(1).lstrip("/"))
    return names


def arrays_of(file):
    """{path: values} of an HDF5 file, as far as there are values."""
    found = {}

    def visit(group, path):
        for name in group:
            link = group.get(name, getlink=True)
            at = f"{path}{name}"
            try:
                item = group[name]
            except (KeyError, OSError):
                found[at] = None
                continue
            if isinstance(item, h5py.Group):
                if at.count("/") < 3:
                    visit(item, at + "/")
            elif isinstance(item, h5py.Dataset) and item.attrs.get("NAME", b"")[:10] != b"This is a ":
                found[at] = values_of(item) if not isinstance(link, h5py.ExternalLink) else None

    visit(file, "")
    return found


def values_of(item):
    try:
        return item[()] if item.shape is not None else None
    except (TypeError, OSError, ValueError):
        return None


def plain(value):
    """Text as str, records as tuples, booleans as numbers: what two libraries call alike."""
    if isinstance(value, np.ndarray):
        return [plain(x) for x in value.ravel()]
    if isinstance(value, (bytes, np.bytes_)):
        return bytes(value).rstrip(b"\0").decode()
    if isinstance(value, (complex, np.complexfloating)):
        return (float(value.real), float(value.imag))
    if isinstance(value, np.void) and value.dtype.names:
        return tuple(joined(plain(x)) for x in value)
    if isinstance(value, (np.void, np.datetime64)):
        return value.tobytes()
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    return value.item() if isinstance(value, np.generic) else value


def joined(value):
    """A text of fixed length within a record is an array of characters in netCDF."""
    chars = isinstance(value, list) and all(isinstance(x, str) and len(x) < 2 for x in value)
    return "".join(value) if chars else value


def same(a, b):
    """A text of characters comes back as bytes from plain Zarr of version 3, which has no characters."""
    a, b = (plain(np.asarray(x)) for x in (a, b))
    return a == b or [ord(x or "\0") if isinstance(x, str) and len(x) < 2 else x for x in a] == b


def parents(path):
    parts = path.split("/")
    return {"/".join(parts[:i + 1]) for i in range(len(parts))}


def compare(original, path, left, route):
    with h5py.File(path, "r") as f:
        copy = arrays_of(f)
    for name, values in original.items():
        if parents(name) & left:
            continue
        if values is None:
            raise Failure(f"{route}: {name} has no values, and no warning names it")
        if name not in copy:
            raise Failure(f"{route}: {name} is missing in {path}, and no warning names it")
        if not same(values, copy[name]):
            raise Failure(f"{route}: {name} was {values!r}, is {copy[name]!r}")


def copy_everywhere(tools, source, original, base):
    for route, target in ROUTES.items():
        target = target.format(base)
        left = nccopy(tools, source, target)
        if route == "nc":
            compare(original, target, left, route)
        left |= nccopy(tools, target, f"{base}.{route}.back.nc")
        compare(original, f"{base}.{route}.back.nc", left, route)


def hdf5_case(tools, folder, name, make):
    path = f"{folder}/{name}.h5"
    make(path)
    with h5py.File(path, "r") as f:
        original = arrays_of(f)
    copy_everywhere(tools, path, original, f"{folder}/{name}")


def zarr_case(tools, folder, name, make):
    """Made by a Python of its own: the newest zarr-python need not be where h5py is."""
    path, values = f"{folder}/{name}.zarr", f"{folder}/{name}.npz"
    python = os.environ.get("PEER_PYTHON") if name.endswith("_v3") else sys.executable
    if not python:
        raise Absent("no Python with zarr-python 3")
    here = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run([python, here + "/foreign_files.py", name, path, values], capture_output=True, text=True)
    if done.returncode == 77:
        raise Absent(done.stderr.strip())
    if done.returncode:
        raise Failure(done.stderr)
    with np.load(values, allow_pickle=True) as original:
        copy_everywhere(tools, f"file://{path}#mode=zarr", dict(original), f"{folder}/{name}")


def main():
    tools, part = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    done, failed, absent = 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        for cases, run in ((HDF5, hdf5_case), (ZARR, zarr_case)):
            for name, make in cases.items():
                if part not in name:
                    continue
                try:
                    run(tools, folder, name, make)
                    done += 1
                except (Absent, ImportError) as why:
                    absent.append(f"{name} ({why})")
                except Failure as why:
                    failed += 1
                    print(f"{name}: {why}")
    print(f"{done} files copied to {', '.join(ROUTES)} and back, {failed} failures")
    if absent:
        print("NOT RUN:", "; ".join(absent))
    return 1 if failed or not done else 0


os.environ["LC_ALL"] = "C.UTF-8"
sys.exit(main())
