# SPDX-License-Identifier: BSD-3-Clause
"""Engine "cellar": the same datasets as engine netcdf4, from every format, lazily, in parallel, pickled."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest

xr = pytest.importorskip("xarray")
pd = pytest.importorskip("pandas")

import cellar
from cellar.xarray import CellarBackendEntrypoint

RNG = np.random.default_rng(3)


@pytest.fixture
def dataset():
    times = pd.date_range("2001-02-03", periods=6)
    return xr.Dataset(
        {
            "t": (("time", "y", "x"), RNG.normal(280, 5, (6, 8, 9)).astype("f4"), {"units": "K"}),
            "name": (("y",), np.array([f"row {i}" for i in range(8)], object)),
            "flag": (("x",), np.arange(9) % 2 == 0),
            "count": (("x",), np.arange(9)),
            "scalar": ((), 2.5),
        },
        {"time": times, "x": np.arange(9.0), "lon": ("x", np.arange(9.0) * 2, {"units": "degrees_east"})},
        {"title": "a dataset", "numbers": [1, 2, 3]},
    )


TARGETS = ["a.nc", "a.zarr", "a.zip"]


@pytest.mark.parametrize("name", TARGETS)
def test_round_trip(tmp_path, dataset, name):
    path = tmp_path / name
    encoding = {"t": {"chain": "shuffle|zstd,level=3", "chunksizes": (1, 4, 9), "_FillValue": np.float32(-9)}}
    cellar.to_netcdf(dataset, path, encoding=encoding, unlimited_dims=["time"])
    with xr.open_dataset(path, engine="cellar") as ds:
        assert "zstd" in ds.t.encoding["chain"] and ds.t.encoding["preferred_chunks"] == {"time": 1, "y": 4, "x": 9}
        xr.testing.assert_equal(ds.load(), dataset)
    with xr.open_dataset(path, engine="cellar", chunks={}) as ds:
        assert ds.t.chunksizes["time"] == (1,) * 6
        xr.testing.assert_equal(pickle.loads(pickle.dumps(ds)).compute(), dataset)
        ds.cellar.to_netcdf(tmp_path / ("again-" + name))
    with xr.open_dataset(tmp_path / ("again-" + name), engine="cellar") as ds:
        xr.testing.assert_equal(ds.load(), dataset)
        assert "zstd" in ds.t.encoding["chain"]


@pytest.mark.parametrize("format", ["NETCDF4", "NETCDF4_CLASSIC", "NETCDF3_CLASSIC", "NETCDF3_64BIT"])
def test_as_netcdf4_engine(tmp_path, dataset, format):
    pytest.importorskip("netCDF4")
    theirs, ours = tmp_path / "theirs.nc", tmp_path / "ours.nc"
    dataset.to_netcdf(theirs, engine="netcdf4", format=format)
    cellar.to_netcdf(dataset, ours, format=format)
    for path in (theirs, ours):
        with xr.open_dataset(path, engine="netcdf4") as a, xr.open_dataset(path, engine="cellar") as b:
            xr.testing.assert_identical(a.load(), b.load())
        options = {"decode_times": False, "mask_and_scale": False, "concat_characters": False}
        with xr.open_dataset(path, engine="netcdf4", **options) as a:
            with xr.open_dataset(path, engine="cellar", **options) as b:
                xr.testing.assert_identical(a.load(), b.load())


def test_lazy_selections(tmp_path, dataset):
    path = tmp_path / "a.nc"
    cellar.to_netcdf(dataset, path)
    with xr.open_dataset(path, engine="cellar") as ds:
        for part in ({"x": slice(None, None, -2)}, {"x": [5, 1], "y": [0, 3, 3]}, {"time": 2}, {"time": -1, "x": [8]}):
            xr.testing.assert_equal(ds.isel(part).load(), dataset.isel(part))
        at = xr.DataArray([1, 2, 3], dims="p")
        xr.testing.assert_equal(ds.t.isel(x=at, y=at).load(), dataset.t.isel(x=at, y=at))


def test_groups(tmp_path, dataset):
    path = tmp_path / "tree.nc"
    tree = xr.DataTree.from_dict({"/": dataset, "/a/b": dataset.isel(time=0, drop=True)})
    tree.to_netcdf(path, engine="netcdf4")
    with xr.open_datatree(path, engine="cellar") as ours, xr.open_datatree(path, engine="netcdf4") as theirs:
        xr.testing.assert_identical(ours.load(), theirs.load())
    assert list(xr.open_groups(path, engine="cellar")) == ["/", "/a", "/a/b"]
    with xr.open_dataset(path, engine="cellar", group="a/b") as ds:
        xr.testing.assert_identical(ds.load(), xr.open_dataset(path, engine="netcdf4", group="a/b").load())
    cellar.to_netcdf(dataset, path, mode="a", group="new")
    with xr.open_dataset(path, engine="cellar", group="new") as ds:
        xr.testing.assert_equal(ds.load(), dataset)


def test_dask_writes_in_parallel(tmp_path, dataset):
    pytest.importorskip("dask")
    chunked = dataset.chunk({"time": 2, "x": 4})
    for name in TARGETS:
        cellar.to_netcdf(chunked, tmp_path / name, encoding={"t": {"chunksizes": (1, 8, 9), "chain": "deflate,1"}})
        with xr.open_dataset(tmp_path / name, engine="cellar") as ds:
            xr.testing.assert_equal(ds.load(), dataset)
    later = cellar.to_netcdf(chunked, tmp_path / "later.nc", compute=False)
    later.compute()
    with xr.open_dataset(tmp_path / "later.nc", engine="cellar") as ds:
        xr.testing.assert_equal(ds.load(), dataset)


def test_quantize(tmp_path, dataset):
    cellar.to_netcdf(dataset, tmp_path / "q.nc", encoding={"t": {"quantize": ("bitround", 9), "chain": "zstd"}})
    with xr.open_dataset(tmp_path / "q.nc", engine="cellar") as ds:
        assert ds.t.encoding["quantize"] == ("bitround", 9)
        np.testing.assert_allclose(ds.t, dataset.t, rtol=2**-9)


def test_more_files_than_stay_open(tmp_path, dataset):
    pytest.importorskip("dask")
    paths = []
    for i in range(20):
        paths.append(str(tmp_path / f"{i:02}.nc"))
        cellar.to_netcdf(dataset.assign(t=dataset.t + i).drop_vars(["name", "flag"]), paths[-1])
    with xr.set_options(file_cache_maxsize=3):
        with xr.open_mfdataset(paths, engine="cellar", combine="nested", concat_dim="run") as ds:
            for _ in range(3):
                got = ds.t.mean(("time", "y", "x")).compute(scheduler="threads")
                np.testing.assert_allclose(np.diff(got), 1, rtol=1e-4)


def test_writing_by_xarray_says_what_to_call(tmp_path, dataset):
    with pytest.raises(ValueError, match=r"cellar\.to_netcdf"):
        dataset.to_netcdf(tmp_path / "a.nc", engine="cellar")
    assert not (tmp_path / "a.nc").exists()


def test_nothing_changes_without_engine(tmp_path, dataset):
    entry = CellarBackendEntrypoint()
    assert not entry.guess_can_open(str(tmp_path / "a.nc"))
    for name in ("open_dataset", "open_datatree", "open_groups_as_dict"):
        kinds = {p.kind for p in inspect.signature(getattr(entry, name)).parameters.values()}
        assert kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}
    assert "cellar" in xr.backends.list_engines()
