# SPDX-License-Identifier: BSD-3-Clause
"""Random arrays, selections, chains and formats: numpy has the answer; h5py and zarr-python read the same."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("hypothesis")
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import cellar

QUICK = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
DTYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", ">i4", ">f8"]
CHAINS = ["", "shuffle|deflate,1", "zstd", "shuffle|lz4", "fletcher32", "bitshuffle", "ndlorenzo", "shuffle|zstd|fletcher32"]


@st.composite
def cases(draw):
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=9))
    dtype = draw(st.sampled_from(DTYPES))
    values = draw(hnp.arrays(dtype, shape, elements=hnp.from_dtype(np.dtype(dtype), allow_nan=False)))
    chunks = tuple(draw(st.integers(1, n)) for n in shape)
    return values, chunks, draw(st.sampled_from(CHAINS))


@st.composite
def selections(draw, shape):
    items = []
    for n in shape:
        kind = draw(st.sampled_from(["slice", "int", "list", "mask"]))
        if kind == "slice":
            items.append(draw(st.slices(n)))
        elif kind == "int":
            items.append(draw(st.integers(-n, n - 1)))
        elif kind == "list":
            items.append(draw(st.lists(st.integers(-n, n - 1), max_size=5)))
        else:
            items.append(np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n))))
    return tuple(items)


def orthogonal(values, key):
    """Each list along its own dimension; numpy in steps."""
    axis = 0
    for item in key:
        if isinstance(item, list):
            item = np.array(item, int)
        values = values[(slice(None),) * axis + (item,)]
        axis += not isinstance(item, int)
    return values


def write(path, values, chunks, chain, format="netcdf4"):
    with cellar.open(path, "w", format=format) as ds:
        dims = [f"d{i}" for i in range(values.ndim)]
        for name, n in zip(dims, values.shape, strict=True):
            ds.create_dimension(name, n)
        ds.create_variable("v", values.dtype, dims, chunks=chunks, chain=chain or None)[...] = values


@QUICK
@given(case=cases(), data=st.data())
def test_selections(tmp_path_factory, case, data):
    values, chunks, chain = case
    path = tmp_path_factory.mktemp("p") / "a.nc"
    write(path, values, chunks, chain)
    with cellar.open(path) as ds:
        for _ in range(5):
            key = data.draw(selections(values.shape))
            got, expected = ds["v"][key], orthogonal(values, key)
            assert got.shape == expected.shape
            np.testing.assert_array_equal(got, expected)


@QUICK
@given(case=cases(), data=st.data())
def test_writing_selections(tmp_path_factory, case, data):
    values, chunks, chain = case
    path = tmp_path_factory.mktemp("p") / "a.nc"
    write(path, values, chunks, chain)
    with cellar.open(path, "r+") as ds:
        key = tuple(data.draw(st.slices(n)) for n in values.shape)
        new = data.draw(hnp.arrays(values.dtype, values[key].shape, elements=st.integers(0, 100)))
        expected = values.copy()
        expected[key] = new
        ds["v"][key] = new
        np.testing.assert_array_equal(ds["v"][...], expected)
    with cellar.open(path) as ds:
        np.testing.assert_array_equal(ds["v"][...], expected)


@QUICK
@given(case=cases())
def test_h5py_reads_the_same(tmp_path_factory, case):
    h5py = pytest.importorskip("h5py")
    cellar.register_hdf5_plugins()
    values, chunks, chain = case
    path = tmp_path_factory.mktemp("p") / "a.nc"
    write(path, values, chunks, chain)
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["v"][...], values)


@settings(QUICK, max_examples=10)
@given(case=cases(), version=st.sampled_from(["zarr2", "zarr3"]))
def test_zarr_python_reads_and_writes_the_same(tmp_path_factory, case, version):
    zarr = pytest.importorskip("zarr", minversion="3")
    values, chunks, _ = case
    path = tmp_path_factory.mktemp("p") / "a"
    write(path, values, chunks, "zstd", version)
    np.testing.assert_array_equal(zarr.open_array(str(path / "v"), mode="r")[...], values)
    other = str(path) + "-theirs"
    group = zarr.open_group(other, mode="w", zarr_format=int(version[-1]))
    theirs = group.create_array("v", shape=values.shape, dtype=values.dtype, chunks=chunks)
    theirs[...] = values
    with cellar.open(other) as ds:
        np.testing.assert_array_equal(ds["v"][...], values)
