# SPDX-License-Identifier: BSD-3-Clause
"""Dask: threads, processes and distributed; many workers read one file and write regions of one Zarr store."""

from __future__ import annotations

import os
import resource

import numpy as np
import pytest

dask = pytest.importorskip("dask")
import dask.array as da

import cellar

VALUES = np.random.default_rng(9).normal(size=(48, 40, 30)).astype("f4")


def make(path, format=None, **kept):
    with cellar.open(path, "w", format=format) as ds:
        for name, n in zip("zyx", VALUES.shape, strict=True):
            ds.create_dimension(name, n)
        v = ds.create_variable("v", "f4", ("z", "y", "x"), chunks=(4, 20, 30), chain="shuffle|zstd,level=1", **kept)
        if "shards" not in kept or kept.pop("fill_now", True):
            v[:] = VALUES
    return path


@pytest.mark.parametrize("scheduler", ["threads", pytest.param("processes", marks=pytest.mark.long), "synchronous"])
@pytest.mark.parametrize("name", ["a.nc", "a.zarr"])
def test_schedulers_read(tmp_path, name, scheduler):
    with cellar.open(make(tmp_path / name)) as ds:
        array = da.from_array(ds["v"], chunks=(8, 20, 30), lock=False)
        with dask.config.set({"multiprocessing.context": "spawn"}):
            mean = array.mean(axis=0).compute(scheduler=scheduler)
        np.testing.assert_allclose(mean, VALUES.mean(axis=0), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("context", [pytest.param("spawn", marks=pytest.mark.long), "fork"])
def test_fork_and_spawn(tmp_path, context):
    import multiprocessing

    path = make(tmp_path / "a.nc")
    with cellar.open(path) as ds:
        ds["v"][0]  # the pool of threads is there before the fork
        with multiprocessing.get_context(context).Pool(2) as pool:
            sums = pool.map(total_of, [(str(path), i) for i in range(8)])
    np.testing.assert_allclose(sums, [VALUES[i].sum() for i in range(8)], rtol=1e-4)


def total_of(job):
    path, i = job
    with cellar.open(path) as ds:
        return float(ds["v"][i].sum())


# --- distributed: the functions run in workers ---


def write_region(path, first, last, die_once=None):
    """Rows first to last of a store. With `die_once` the worker ends in the middle, the first time."""
    with cellar.open(path, "r+") as ds:
        middle = (first + last) // 2
        ds["v"][first:middle] = VALUES[first:middle] * 2
        if die_once is not None and not os.path.exists(die_once):
            open(die_once, "w").close()
            os._exit(1)
        ds["v"][middle:last] = VALUES[middle:last] * 2
    return first


def small_read(path, i):
    with cellar.open(path) as ds:
        value = float(ds["v"][i % 48, i % 40, i % 30])
    return value, len(os.listdir("/proc/self/fd")), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=4, threads_per_worker=1, dashboard_address=None, processes=True, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.long
@pytest.mark.parametrize("name", ["a.nc", "a.zarr"])
def test_workers_read(client, tmp_path, name):
    xr = pytest.importorskip("xarray")
    path = make(tmp_path / name)
    with xr.open_dataset(path, engine="cellar", chunks={"z": 4}) as ds:
        np.testing.assert_allclose(ds.v.sum("z").compute(), VALUES.sum(0), rtol=1e-3, atol=1e-4)
        np.testing.assert_array_equal(ds.v.compute(), VALUES)


@pytest.mark.long
@pytest.mark.parametrize("shards", [None, (8, 40, 30)], ids=["plain", "sharded"])
def test_workers_write_regions_and_one_dies(client, tmp_path, shards):
    path = str(make(tmp_path / "a.zarr", shards=shards))
    jobs = [client.submit(write_region, path, i, i + 8, pure=False) for i in range(0, 48, 8)]
    assert sorted(client.gather(jobs)) == list(range(0, 48, 8))
    with cellar.open(path) as ds:
        np.testing.assert_array_equal(ds["v"][...], VALUES * 2)
    again = str(make(tmp_path / "b.zarr", shards=shards))
    mark = str(tmp_path / "died")
    jobs = [
        client.submit(write_region, again, i, i + 8, mark if i == 16 else None, pure=False, retries=5)
        for i in range(0, 48, 8)
    ]
    assert sorted(client.gather(jobs)) == list(range(0, 48, 8))
    assert os.path.exists(mark)
    with cellar.open(again) as ds:
        np.testing.assert_array_equal(ds["v"][...], VALUES * 2)


@pytest.mark.long
def test_rechunk(client, tmp_path):
    xr = pytest.importorskip("xarray")
    path, target = make(tmp_path / "a.nc"), tmp_path / "b.zarr"
    with xr.open_dataset(path, engine="cellar", chunks={}) as ds:
        turned = ds.chunk({"z": -1, "y": 10, "x": 10}).compute()
    cellar.to_netcdf(turned, target, encoding={"v": {"chunksizes": (48, 10, 10), "chain": "zstd"}})
    with cellar.open(target) as ds:
        assert ds["v"].chunks == (48, 10, 10)
        np.testing.assert_array_equal(ds["v"][...], VALUES)


@pytest.mark.long
def test_ten_thousand_small_tasks(client, tmp_path):
    path = str(make(tmp_path / "a.nc"))
    client.gather(client.map(small_read, [path] * 400, range(400), pure=False))
    first = client.run(lambda: small_read(path, 0))
    found = client.gather(client.map(small_read, [path] * 10000, range(10000), pure=False))
    for i, (value, _, _) in enumerate(found):
        assert value == VALUES[i % 48, i % 40, i % 30]
    last = client.run(lambda: small_read(path, 0))
    for worker in last:
        if worker in first:
            assert last[worker][1] <= first[worker][1] + 5, "file handles grow"
            assert last[worker][2] <= first[worker][2] * 1.3 + 20000, "memory grows"
