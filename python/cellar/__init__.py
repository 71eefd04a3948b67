# SPDX-License-Identifier: BSD-3-Clause
"""Compressed n-dimensional arrays in netCDF-4, classic netCDF and Zarr: `cellar.open(path)`."""

from __future__ import annotations

import json as _json
from typing import TYPE_CHECKING, Any

import numpy as _numpy

from . import _errors, _native

_native.setup(_errors.fail, _numpy.empty)

from ._copy import copy  # noqa: E402
from ._dataset import Dataset, Dimension, Group, open  # noqa: E402
from ._errors import Error  # noqa: E402
from ._hdf5 import register_hdf5_plugins  # noqa: E402
from ._types import CompoundType, EnumType, OpaqueType, UserType, VLType  # noqa: E402
from ._variable import Variable  # noqa: E402

if TYPE_CHECKING:
    from .xarray import to_netcdf

__version__ = _native.version()
__all__ = [
    "CompoundType",
    "Dataset",
    "Dimension",
    "EnumType",
    "Error",
    "Group",
    "OpaqueType",
    "UserType",
    "VLType",
    "Variable",
    "chains",
    "copy",
    "open",
    "register_hdf5_plugins",
    "threads",
    "to_netcdf",
]


def threads(n: int | None = None) -> int:
    """How many threads encode and decode. With `n` it is set: 0 for as many as there are cores, 1 for the caller's."""
    if n is not None:
        _native.set_threads(n)
    return _native.get_threads()


def chains() -> list[dict[str, Any]]:
    """The codecs a chain can name: name, HDF5 id, names in Zarr, parameters with their ranges and defaults."""
    table: list[dict[str, Any]] = _json.loads(_native.codecs())
    return table


def __getattr__(name: str) -> object:
    """What needs xarray is imported when it is asked for."""
    if name == "to_netcdf":
        from .xarray import to_netcdf

        return to_netcdf
    raise AttributeError(f"module 'cellar' has no attribute {name!r}")
