#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""world.py TOOLS [PART]: files of h5py with the newest HDF5 it has, through nccopy to netCDF-4, to Zarr and back: every layout with
every library version, every type, every filter of hdf5plugin over types and shapes. Values are equal to what h5py itself reads, or
the variable is left out with a line that names it; nccopy never fails. PART: layouts, types or filters. Data is made from fixed seeds.
Exit code 77: this Python has no h5py."""
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter

try:
    import h5py
    import numpy as np
except ImportError as error:
    print("NOT RUN:", error)
    sys.exit(77)

import cases

TOOLS = os.path.abspath(sys.argv[1])
PART = sys.argv[2] if len(sys.argv) > 2 else ""
ENV = {k: v for k, v in os.environ.items() if k != "HDF5_PLUGIN_PATH"}


def copy(source, target):
    """What nccopy said; an AssertionError where it failed."""
    done = subprocess.run([TOOLS + "/nccopy", source, target], capture_output=True, text=True, env=ENV, timeout=120)
    assert done.returncode == 0, f"nccopy {os.path.basename(source)} to {target[-24:]}: exit code {done.returncode}: {done.stderr.strip()[-200:]}"
    return done.stderr


def datasets(path):
    """{name: values} behind hard links; None: h5py has no values of it."""
    found = {}

    def visit(name, node):
        if isinstance(node, h5py.Dataset):
            try:
                found[name] = node[()] if node.shape is not None else None
            except TypeError:  # no type of numpy's
                found[name] = None
    with h5py.File(path) as f:
        f.visititems(visit)
    return found


def plain(value):
    """Values as both files can have them: text as str, enumerations and truth values as numbers, structures as tuples."""
    value = np.asarray(value)
    if value.dtype.kind == "O":
        return [x.decode(errors="surrogateescape") if isinstance(x, bytes) else x if isinstance(x, str) else plain(x) for x in value.ravel()]
    if value.dtype.kind in "SU":
        return [x.decode(errors="surrogateescape").rstrip("\0") if isinstance(x, bytes) else x for x in value.ravel().tolist()]
    if value.dtype.kind == "V" and value.dtype.names:
        return [plain(value[name]) for name in value.dtype.names]
    if value.dtype.kind == "V":
        return [bytes(x) for x in value.ravel()]
    if value.dtype.kind == "c":
        return [plain(value.real), plain(value.imag)]
    if value.dtype.kind == "b":
        value = value.astype("u1")
    return [None if x != x else x for x in value.ravel().tolist()]


def joined(values):
    """Text of fixed length is text, or characters along one more axis."""
    if not isinstance(values, list):
        return values
    return "".join(values) if values and all(isinstance(v, str) for v in values) else [joined(v) for v in values]


def same(a, b):
    return plain(a) == plain(b) or joined(plain(a)) == joined(plain(b))


def check(path, known, folder):
    """(datasets that came back equal, reasons of what was left out). known: values that h5py itself reads wrongly."""
    first, back, store = (os.path.join(folder, name) for name in ("first.nc", "back.nc", "store.zarr"))
    told = [copy(path, first), copy(path, f"file://{store}#mode=nczarr"), copy(store, back)]
    equal = 0
    for copied, said in ((first, told[0]), (back, told[1] + told[2])):
        named = " ".join(re.findall(r"warning: (.*)", said))
        got = datasets(copied)
        for name, values in dict(datasets(path), **known).items():
            if name not in got:
                assert name.split("/")[-1] in named, f"{name} is missing in {os.path.basename(copied)} and not named: {said.strip()[-200:]}"
            elif values is not None:
                assert same(values, got[name]), f"{name} in {os.path.basename(copied)}: {plain(values)[:6]} became {plain(got[name])[:6]}"
                equal += 1
    return equal, [m for said in told[:2] for m in re.findall(r"is not copied: (.*)", said)]


def main():
    failed = equal = 0
    left = Counter()
    for part, make in cases.PARTS.items():
        if PART and PART != part:
            continue
        n = 0
        for name, build in make():
            with tempfile.TemporaryDirectory(prefix="world-") as folder:
                try:
                    known = build(os.path.join(folder, "in.h5")) or {}
                    e, l = check(os.path.join(folder, "in.h5"), known, folder)
                    equal += e
                    left.update(l)
                except cases.NotMade as error:
                    print(f"{part}: {name}: not made: {error}")
                    continue
                except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
                    failed += 1
                    print(f"FAILED {part}: {name}: {error}")
                n += 1
        print(f"{part}: {n} files")
    for reason, n in left.most_common():
        print(f"left out {n} times: {reason[:160]}")
    print(f"h5py {h5py.__version__}, HDF5 {h5py.version.hdf5_version}: {equal} datasets equal, {sum(left.values())} left out by name, {failed} files failed")
    return 1 if failed else 0


sys.exit(main())
