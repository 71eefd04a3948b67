"""Compressed n-dimensional arrays in netCDF-4, classic netCDF and Zarr: `cellar.open(path)`."""

from __future__ import annotations

import numpy as _numpy

from . import _errors, _native

_native.setup(_errors.fail, _numpy.empty)

from ._dataset import Dataset, Dimension, Group, open  # noqa: E402
from ._errors import Error  # noqa: E402
from ._types import CompoundType, EnumType, OpaqueType, UserType, VLType  # noqa: E402
from ._variable import Variable  # noqa: E402

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
    "open",
]


def __getattr__(name: str) -> object:
    """What needs xarray is imported when it is asked for."""
    if name == "to_netcdf":
        from .xarray import to_netcdf

        return to_netcdf
    raise AttributeError(f"module 'cellar' has no attribute {name!r}")
