# SPDX-License-Identifier: BSD-3-Clause
"""netCDF4-python on Cellar, in every order of imports, beside h5py and its own libhdf5."""

from __future__ import annotations

import itertools
import subprocess
import sys

import pytest

pytest.importorskip("netCDF4")
WORK = """
import numpy as np
values = np.arange(600, dtype="f4").reshape(20, 30)
with netCDF4.Dataset("a.nc", "w") as ds:
    ds.createDimension("y", None)
    ds.createDimension("x", 30)
    v = ds.createVariable("v", "f4", ("y", "x"), zlib=True, chunksizes=(5, 30), fill_value=-9)
    v[:] = values
    v.units = "K"
    ds.createGroup("g").createVariable("s", str, ("x",))[:] = np.array(["a"] * 30, object)
with netCDF4.Dataset("a.nc") as ds:
    assert (ds["v"][3:9, ::2] == values[3:9, ::2]).all() and ds["v"].units == "K" and ds["g/s"][4] == "a"
    assert ds["v"].filters()["zlib"]
if "h5py" in globals():
    with h5py.File("a.nc") as file:
        assert (file["v"][:] == values).all()
    with h5py.File("b.h5", "w") as file:
        file["x"] = values
    with h5py.File("b.h5") as file:
        assert (file["x"][:] == values).all()
if "cellar" in globals():
    with cellar.open("a.nc") as ds:
        assert (ds["v"][:] == values).all()
print(netCDF4.getlibversion())
"""


def run(tmp_path, imports):
    text = "".join(f"import {name}\n" for name in imports) + WORK
    done = subprocess.run([sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


ORDERS = [
    o
    for o in itertools.permutations(["cellar.netcdf4", "netCDF4", "h5py"])
    if o.index("cellar.netcdf4") < o.index("netCDF4")
]


@pytest.mark.parametrize("order", ORDERS, ids=" ".join)
def test_orders(tmp_path, order):
    pytest.importorskip("h5py")
    assert "cellar" in run(tmp_path, order).lower()


def test_without_it_nothing_changes(tmp_path):
    assert "cellar" not in run(tmp_path, ["netCDF4", "cellar"]).lower()


def test_too_late(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", "import netCDF4, cellar.netcdf4"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode and "before it" in done.stderr
