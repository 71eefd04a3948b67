# SPDX-License-Identifier: BSD-3-Clause
"""xarray on Cellar: `xarray.open_dataset(path, engine="cellar")` and `cellar.to_netcdf(ds, path)`.

Arrays stay in the file until they are needed, can be pickled, and are read by any number of threads at once: no lock
is held while reading.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray
from xarray.backends import BackendArray, BackendEntrypoint
from xarray.backends.common import WritableCFDataStore
from xarray.backends.file_manager import CachingFileManager
from xarray.backends.netcdf3 import encode_nc3_attr_value, encode_nc3_variable
from xarray.backends.netCDF4_ import _encode_nc4_variable
from xarray.backends.store import StoreBackendEntrypoint
from xarray.coding.strings import create_vlen_dtype
from xarray.core import indexing

from . import _storage, _types
from ._attributes import Attributes, encode
from ._dataset import Dataset, Group
from ._variable import Variable

if TYPE_CHECKING:
    from xarray import DataTree

CLASSIC = ("classic", "64bit-offset", "64bit-data", "netcdf4-classic")
PLAIN = ("classic", "64bit-offset", "64bit-data")  # no chunks
XARRAY_FORMATS = {
    "NETCDF4": "netcdf4",
    "NETCDF4_CLASSIC": "netcdf4-classic",
    "NETCDF3_CLASSIC": "classic",
    "NETCDF3_64BIT": "64bit-offset",
    "NETCDF3_64BIT_OFFSET": "64bit-offset",
    "NETCDF3_64BIT_DATA": "64bit-data",
}


def read_attributes(attrs: Attributes) -> dict[str, Any]:
    """Text that is not UTF-8 as netCDF4-python gives it: with a mark in place of what cannot be read."""
    return {name: _marked(value) if isinstance(value, str) else value for name, value in attrs.as_dict().items()}


def _marked(text: str) -> str:
    return text if text.isascii() else encode(text).decode("utf-8", "replace")


def xarray_dtype(v: Variable) -> np.dtype[Any]:
    kind = v.datatype
    if kind is str:
        return create_vlen_dtype(str)
    if isinstance(kind, _types.VLType):
        return create_vlen_dtype(kind.dtype)
    return v.dtype


class CellarArray(BackendArray):
    """A variable of a file that is opened where it is needed."""

    __slots__ = ("dtype", "name", "shape", "store")

    def __init__(self, store: CellarStore, name: str, v: Variable) -> None:
        self.store, self.name = store, name
        self.shape = v.shape
        self.dtype = xarray_dtype(v)

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER, self._get)

    def _get(self, key: tuple[Any, ...]) -> Any:
        while True:
            group = self.store.ds
            with group.dataset._hold() as is_open:
                if is_open:  # else xarray's cache of files has just closed it
                    value = group.variables[self.name][key]
                    return np.asarray(value, object) if isinstance(value, str) else value

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, indexing.ExplicitIndexer):
            key = key.tuple
        self.store.ds.variables[self.name][key] = value


@functools.lru_cache(maxsize=64)
def _whole(ndim: int) -> indexing.BasicIndexer:
    """The index of everything, which xarray would make anew for each variable."""
    return indexing.BasicIndexer((slice(None),) * ndim)


def read_encoding(v: Variable, source: str) -> dict[str, Any]:
    """How the variable is kept, in xarray's words and our own."""
    encoding: dict[str, Any] = {"dtype": v.dtype, "source": source, "original_shape": v.shape}
    kind = v.datatype
    if kind is str:
        encoding["dtype"] = str
    elif isinstance(kind, _types.EnumType):
        encoding["dtype"] = np.dtype(v.dtype, metadata={"enum": kind.enum_dict, "enum_name": kind.name})
    chunks = v.chunks
    encoding["contiguous"] = chunks is None
    encoding["chunksizes"] = chunks
    if chunks is None:
        return encoding
    encoding["preferred_chunks"] = dict(zip(v.dimensions, v.shards or chunks, strict=True))
    if v.shards:
        encoding["shards"] = v.shards
    chain = v.chain
    encoding.update(netcdf_filters(chain))
    if chain:
        encoding["chain"] = chain
    if v.quantize:
        encoding["quantize"] = v.quantize
    return encoding


@functools.lru_cache(maxsize=256)
def netcdf_filters(chain: str) -> dict[str, Any]:
    """The keys that other engines know for the filters they have."""
    steps = [] if chain.startswith("[") else chain.split("|")  # JSON: a codec is unknown
    names = {step.partition(",")[0]: step.partition(",")[2] for step in steps if step}
    out = {"zlib": "deflate" in names, "shuffle": "shuffle" in names, "fletcher32": "fletcher32" in names, "complevel": 0}
    for part in names.get("deflate", "").split(","):
        if part.startswith("level="):
            out["complevel"] = int(part[6:])
    return out


class CellarStore(WritableCFDataStore):
    """A group of a file, for xarray."""

    __slots__ = ("_filename", "_group", "_manager", "_mode", "format", "lock")

    def __init__(self, manager: Any, group: str | None = None, mode: str = "r") -> None:
        self._manager, self._group, self._mode = manager, group, mode
        self.lock = None
        with manager.acquire_context() as root:
            self.format, self._filename = root.format, root.filename

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        mode: str = "r",
        format: str | None = None,
        group: str | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> CellarStore:
        path = os.fspath(path)
        if not isinstance(path, str):
            raise TypeError(f"engine cellar opens files by name, not {type(path)}")
        if "://" not in path:
            path = os.path.abspath(os.path.expanduser(path))
        keywords: dict[str, Any] = {} if format is None else {"format": format}
        if storage_options:
            keywords["storage_options"] = _storage.settings(path, storage_options)
        return cls(CachingFileManager(Dataset, path, mode=mode, kwargs=keywords, lock=False), group, mode)

    @property
    def ds(self) -> Group:
        with self._manager.acquire_context() as root:
            if self._group in (None, "", "/"):
                return root
            return self._find(root)

    def _find(self, root: Dataset) -> Group:
        group: Group = root
        for name in str(self._group).strip("/").split("/"):
            if name not in group.groups and self._mode != "r":
                group.create_group(name)
            if name not in group.groups:
                raise OSError(f"{root.filename}: there is no group {self._group!r}")
            group = group.groups[name]
        return group

    def open_store_variable(self, name: str, v: Variable) -> xarray.Variable:
        attrs = read_attributes(v.attrs)
        data = indexing.LazilyIndexedArray(CellarArray(self, name, v), _whole(v.ndim))
        if v.dtype.kind == "S" and "_FillValue" in attrs:
            fill = attrs["_FillValue"]
            attrs["_FillValue"] = np.bytes_(fill.encode() if isinstance(fill, str) else fill)
        encoding = read_encoding(v, self._filename)
        if "least_significant_digit" in attrs:
            encoding["least_significant_digit"] = attrs.pop("least_significant_digit")
        return xarray.Variable(v.dimensions, data, attrs, encoding, fastpath=True)

    def get_variables(self) -> dict[str, xarray.Variable]:  # type: ignore[override]
        group = self.ds
        group._know_details()
        return {name: self.open_store_variable(name, v) for name, v in group.variables.items()}

    def get_attrs(self) -> dict[str, Any]:  # type: ignore[override]
        return read_attributes(self.ds.attrs)

    def get_dimensions(self) -> dict[str, int]:  # type: ignore[override]
        return {name: d.size for name, d in self.ds.dimensions.items()}

    def get_parent_dimensions(self) -> dict[str, int]:
        out: dict[str, int] = {}
        group = self.ds.parent
        while group is not None:
            out = {name: d.size for name, d in group.dimensions.items()} | out
            group = group.parent
        return out

    def get_encoding(self) -> dict[str, Any]:
        return {"unlimited_dims": {name for name, d in self.ds.dimensions.items() if d.unlimited}}

    def get_child_store(self, group: str) -> CellarStore:
        return CellarStore(self._manager, os.path.join(self._group or "/", group), self._mode)

    # --- writing ---

    def set_dimension(self, name: Hashable, length: int, is_unlimited: bool = False) -> None:
        _check_name(name)
        if name not in self.ds.dimensions:
            self.ds.create_dimension(str(name), None if is_unlimited else length or None)

    def set_attribute(self, key: Hashable, value: Any) -> None:
        self.put_attribute(self.ds.attrs, str(key), value)

    def put_attribute(self, attrs: Attributes, key: str, value: Any) -> None:
        attrs[key] = encode_nc3_attr_value(value) if self.format in CLASSIC else value

    def encode_variable(self, variable: xarray.Variable, name: Hashable = None) -> xarray.Variable:
        if variable.dtype.byteorder == ">" or (variable.dtype.byteorder == "<" and not np.little_endian):
            variable = variable.copy(data=variable.data.astype(variable.dtype.newbyteorder("=")))
        if self.format in CLASSIC:
            return encode_nc3_variable(variable, name=name)
        return _encode_nc4_variable(variable, name=name)

    def prepare_variable(
        self, name: str, variable: xarray.Variable, check_encoding: bool = False, unlimited_dims: Any = None
    ) -> tuple[CellarArray, Any]:
        _check_name(name)
        attrs = {k: v for k, v in variable.attrs.items() if k != "_FillValue"}
        group = self.ds
        if name in group.variables:
            v = group.variables[name]
        else:
            keywords = write_keywords(variable, check_encoding, set(unlimited_dims or ()))
            if self.format == "zarr" and keywords["chunks"] is False:
                keywords["chunks"] = None
            if self.format in PLAIN:
                keywords.update(chunks=None, chain=None, shards=None, quantize=None, endian=None)
            dtype = _file_dtype(group, variable)
            fill = variable.attrs.get("_FillValue")
            v = group.create_variable(name, dtype, variable.dims, fill_value=fill, **keywords)  # type: ignore[arg-type]
        for key, value in attrs.items():
            self.put_attribute(v.attrs, key, value)
        return CellarArray(self, name, v), variable.data

    def sync(self) -> None:
        self.ds.dataset.sync()

    def close(self, **options: Any) -> None:
        self._manager.close(**options)


def _check_name(name: Hashable) -> None:
    if "/" in str(name):
        raise ValueError(f"Forward slashes '/' are not allowed in variable and dimension names: {name!r}; use group=")


def _check_names(ds: xarray.Dataset) -> None:
    for name in ds.variables:
        if name == "":
            raise ValueError(f"Invalid name {name!r}: a string must be length 1 or greater to be kept in a file")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"Invalid name {name!r}: must be either a string or None to be kept in a file")


def _file_dtype(group: Group, variable: xarray.Variable) -> Any:
    dtype = variable.encoding.pop("dtype", None) if variable.encoding.get("dtype") is str else variable.dtype
    if dtype is str:
        return str
    metadata = variable.dtype.metadata or {}
    if "enum" in metadata and metadata.get("enum_name"):
        known = group.types.get(metadata["enum_name"])
        return known or group.create_enum(metadata["enum_name"], np.dtype(dtype), metadata["enum"])
    if variable.dtype.kind in "UO" or metadata.get("element_type") is str:
        return str
    return variable.dtype


KEYS = {"chain", "quantize", "shards", "chunksizes", "contiguous", "zlib", "complevel", "shuffle", "fletcher32", "endian"}
IGNORED = {"compression", "source", "original_shape", "preferred_chunks", "_FillValue", "dtype", "least_significant_digit",
           "szip", "zstd", "bzip2", "blosc", "coordinates", "unlimited_dims", "chunks", "compressor", "filters"}  # fmt: skip


def write_keywords(variable: xarray.Variable, strict: bool, unlimited: set[Hashable]) -> dict[str, Any]:
    """create_variable's keywords from a variable's encoding, which may be our own or other engines'."""
    encoding = dict(variable.encoding)
    unknown = [key for key in encoding if key not in KEYS | {"_FillValue", "dtype"}]
    if strict and unknown:
        raise ValueError(f"unexpected encoding parameters: {unknown!r}; there are {sorted(KEYS)}")
    chain = encoding.get("chain")
    if chain is None and encoding.get("zlib"):
        steps = ["shuffle"] if encoding.get("shuffle", True) else []
        steps.append(f"deflate,level={encoding.get('complevel') or 4}")
        chain = "|".join([*steps, "fletcher32"] if encoding.get("fletcher32") else steps)
    chunks = encoding.get("chunksizes")
    if chunks is not None and not strict and _outgrown(variable, chunks, encoding, unlimited):
        chunks = None
    shards = encoding.get("shards")
    if chunks is None and encoding.get("contiguous") and not chain and not unlimited & set(variable.dims):
        chunks = False
    if not variable.dims:
        chunks = shards = chain = None
    return {
        "chain": chain,
        "quantize": encoding.get("quantize"),
        "chunks": chunks,
        "shards": shards if chunks else None,
        "endian": encoding.get("endian"),
    }


def _outgrown(variable: xarray.Variable, chunks: Iterable[int], encoding: dict[str, Any], unlimited: set[Hashable]) -> bool:
    """Chunks that a variable had before it was cut or joined no longer fit it."""
    too_big = any(c > n and d not in unlimited for c, n, d in zip(chunks, variable.shape, variable.dims, strict=False))
    return too_big or ("original_shape" in encoding and encoding["original_shape"] != variable.shape)


def _with_options_of(model: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """For a method that hands its options on: it shows, and takes, those of another."""
    signature = inspect.signature(model)

    def decorate(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def checked(*args: Any, **options: Any) -> Any:
            given = signature.bind(*args, **options)
            return method(*given.args, **given.kwargs)

        checked.__signature__ = signature  # type: ignore[attr-defined]
        return checked

    return decorate


class CellarBackendEntrypoint(BackendEntrypoint):
    """engine="cellar": netCDF-4, classic netCDF, Zarr folders and zip archives."""

    description = "Open netCDF-4, classic netCDF and Zarr with Cellar, on all cores"
    url = "docs/python.md"
    supports_groups = True

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        return False  # without engine= nothing changes for anyone

    def open_dataset(  # type: ignore[override]
        self,
        filename_or_obj: Any,
        *,
        mask_and_scale: Any = True,
        decode_times: Any = True,
        concat_characters: Any = True,
        decode_coords: Any = True,
        drop_variables: str | Iterable[str] | None = None,
        use_cftime: Any = None,
        decode_timedelta: Any = None,
        group: str | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> xarray.Dataset:
        return _decode(
            CellarStore.open(filename_or_obj, group=group, storage_options=storage_options),
            mask_and_scale=mask_and_scale,
            decode_times=decode_times,
            concat_characters=concat_characters,
            decode_coords=decode_coords,
            drop_variables=drop_variables,
            use_cftime=use_cftime,
            decode_timedelta=decode_timedelta,
        )

    @_with_options_of(open_dataset)
    def open_groups_as_dict(  # type: ignore[override]
        self,
        filename_or_obj: Any,
        *,
        group: str | None = None,
        storage_options: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> dict[str, xarray.Dataset]:
        store = CellarStore.open(filename_or_obj, group=group, storage_options=storage_options)
        top = "/" if group is None else "/" + group.strip("/")
        out = {}
        for below in store.ds.walk():
            name = below.path if group is None else below.path.removeprefix(top).strip("/") or "/"
            out[name] = _decode(CellarStore(store._manager, below.path), **options)
        return out

    @_with_options_of(open_dataset)
    def open_datatree(self, filename_or_obj: Any, **options: Any) -> DataTree:  # type: ignore[override]
        groups = self.open_groups_as_dict(filename_or_obj, **options)
        tree = xarray.DataTree.from_dict(groups)
        for path, ds in groups.items():
            tree[path].set_close(ds._close)
        return tree


def _decode(store: CellarStore, **options: Any) -> xarray.Dataset:
    try:
        return StoreBackendEntrypoint().open_dataset(store, **options)
    except BaseException:
        store.close()
        raise


# --- writing ------------------------------------------------------------------------------


def to_netcdf(
    ds: xarray.Dataset | xarray.DataArray,
    path: str | os.PathLike[str],
    *,
    mode: str = "w",
    format: str | None = None,
    group: str | None = None,
    encoding: Mapping[str, Mapping[str, Any]] | None = None,
    unlimited_dims: Iterable[Hashable] | None = None,
    compute: bool = True,
) -> Any:
    """Write a Dataset: netCDF-4, classic netCDF, Zarr or a zip archive, as cellar.open() tells from name and format.

    encoding: per variable chain="shuffle|zstd,level=3", quantize=("bitround", 12), chunksizes=, shards=, and the keys
    of xarray's netcdf4 engine. Dask arrays are written chunk by chunk, several at once; compute=False gives a Delayed.
    """
    from xarray.backends.common import ArrayWriter

    if isinstance(ds, xarray.DataArray):
        ds = ds.to_dataset(name=ds.name or "__xarray_dataarray_variable__")
    _check_names(ds)
    unlimited = _unlimited(ds, unlimited_dims)
    store = CellarStore.open(path, mode, XARRAY_FORMATS.get(format or "", format), group)
    try:
        writer = ArrayWriter()
        _dump(ds, store, writer, encoding or {}, unlimited)
        store.ds._data()
        writer.lock = False
        delayed = writer.sync(compute=compute)
        if compute:
            store.close()
            return None
    except BaseException:
        store.close()
        raise
    from dask.delayed import delayed as later

    return later(_close_after)(delayed, store)


def _unlimited(ds: xarray.Dataset, given: Iterable[Hashable] | None) -> set[Hashable]:
    if isinstance(given, str):
        given = [given]
    unlimited = set(ds.encoding.get("unlimited_dims", ()) if given is None else given)
    unknown = unlimited - set(ds.dims)
    if unknown and given is not None:
        raise ValueError(f"Unlimited dimension(s) {unknown!r} declared in 'unlimited_dims-kwarg', but not in the dataset")
    if unknown:
        warnings.warn(
            f"Unlimited dimension(s) {unknown!r} declared in 'dataset.encoding', but not part of current dataset for "
            "encoding. Unlimited dimension(s) are left out",
            stacklevel=3,
        )
    return unlimited - unknown


def _close_after(written: Any, store: CellarStore) -> None:
    store.close()


def _dump(
    ds: xarray.Dataset, store: CellarStore, writer: Any, encoding: Mapping[str, Mapping[str, Any]], unlimited: set[Hashable]
) -> None:
    from xarray import conventions

    variables, attrs = conventions.encode_dataset_coordinates(ds)  # type: ignore[no-untyped-call]
    strict = set()
    for name, own in encoding.items():
        if name not in variables:
            raise KeyError(f"encoding for {name!r}, which the dataset does not have")
        variables[name] = variables[name].copy(deep=False)
        variables[name].encoding = own  # type: ignore[assignment]
        strict.add(name)
    store.store(variables, attrs, strict, writer, unlimited_dims=unlimited)


def _cannot_write(*args: Any, **options: Any) -> Any:
    raise ValueError(
        "xarray has no entry point for engines that write: use cellar.to_netcdf(ds, path, encoding=...) "
        'or ds.cellar.to_netcdf(path, encoding=...) in place of ds.to_netcdf(path, engine="cellar")'
    )


with contextlib.suppress(ImportError):  # xarray's own list of engines that write, where it has one
    from xarray.backends.writers import WRITEABLE_STORES

    WRITEABLE_STORES.setdefault("cellar", _cannot_write)  # type: ignore[arg-type]


@xarray.register_dataset_accessor("cellar")
class CellarAccessor:
    """`ds.cellar.to_netcdf(path, encoding=...)`, once cellar.xarray is imported."""

    def __init__(self, ds: xarray.Dataset) -> None:
        self._ds = ds

    def to_netcdf(self, path: str | os.PathLike[str], **options: Any) -> Any:
        return to_netcdf(self._ds, path, **options)
