# SPDX-License-Identifier: BSD-3-Clause
"""xarray's own backend tests, run on engine "cellar": its classes, with saving and opening by Cellar."""

from __future__ import annotations

import contextlib

import pytest

pytest.importorskip("xarray")
import xarray as xr
from xarray.tests import test_backends as suite
from xarray.tests.conftest import *  # noqa: F403 (its fixtures)
from xarray.tests.test_backends import create_tmp_file

import cellar
from cellar.xarray import CellarStore


class OnCellar:
    engine = "cellar"
    file_format: str | None = None

    @contextlib.contextmanager
    def create_store(self):
        with create_tmp_file() as path:
            store = CellarStore.open(path, mode="w", format=self.cellar_format)
            try:
                yield store
            finally:
                store.close()

    cellar_format = "netcdf4"

    @pytest.fixture(autouse=True)
    def save_by_cellar(self, monkeypatch):
        """Some tests save without save(): xarray has a fixed list of engines for that, so their call is led here."""
        plain = xr.Dataset.to_netcdf

        def to_netcdf(ds, path=None, *args, engine=None, **options):
            if engine == "cellar":
                return cellar.to_netcdf(ds, path, *args, **options)
            return plain(ds, path, *args, engine=engine, **options)

        monkeypatch.setattr(xr.Dataset, "to_netcdf", to_netcdf)

    def save(self, dataset, path, **options):
        return cellar.to_netcdf(dataset, path, format=self.file_format, **options)

    @contextlib.contextmanager
    def open(self, path, **options):
        with xr.open_dataset(path, engine="cellar", **options) as ds:
            yield ds


class TestCellarNetCDF4(OnCellar, suite.NetCDF4Base):
    file_format = "NETCDF4"


class TestCellarClassic(OnCellar, suite.NetCDF3Only, suite.CFEncodedBase):
    file_format = "NETCDF3_64BIT"
    cellar_format = "64bit-offset"


class TestCellarNetCDF4Classic(OnCellar, suite.NetCDF3Only, suite.CFEncodedBase):
    file_format = "NETCDF4_CLASSIC"
    cellar_format = "netcdf4-classic"


class TestCellarViaDask(TestCellarNetCDF4):
    @contextlib.contextmanager
    def roundtrip(self, data, save_kwargs=None, open_kwargs=None, allow_cleanup_failure=False):
        if open_kwargs is None:
            open_kwargs = {}
        open_kwargs.setdefault("chunks", -1)
        with suite.NetCDF4Base.roundtrip(self, data, save_kwargs, open_kwargs, allow_cleanup_failure) as ds:
            yield ds

    @pytest.mark.skip(reason="xarray's own Dask class leaves it out: caching behavior differs for dask")
    def test_dataset_caching(self):
        pass
