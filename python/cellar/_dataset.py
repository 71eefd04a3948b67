# SPDX-License-Identifier: BSD-3-Clause
"""Datasets and their groups: dimensions, variables, types, attributes."""

from __future__ import annotations

import contextlib
import operator
import os
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from . import _native, _storage, _types
from ._attributes import Attributes
from ._errors import Error
from ._variable import QUANTIZE, Variable

NOWRITE, WRITE, NOCLOBBER = 0, 1, 4
CLASSIC_MODEL, OFFSET64, DATA64, NETCDF4 = 0x0100, 0x0200, 0x0020, 0x1000
FORMATS = {  # the name: flags for creating, mode words for Zarr
    "netcdf4": (NETCDF4, None),
    "netcdf4-classic": (NETCDF4 | CLASSIC_MODEL, None),
    "classic": (0, None),
    "64bit-offset": (OFFSET64, None),
    "64bit-data": (DATA64, None),
    "nczarr": (NETCDF4, "nczarr,v2"),
    "zarr2": (NETCDF4, "zarr,v2"),
    "zarr3": (NETCDF4, "zarr,v3"),
}
FORMAT_NAMES = {1: "classic", 2: "64bit-offset", 3: "netcdf4", 4: "netcdf4-classic", 5: "64bit-data"}
ZARR = 10
NOT_FOUND, NOT_ZARR = -90, -143
ENDIANS = {"native": 0, "little": 1, "big": 2, "=": 0, "<": 1, ">": 2}
CHUNKED, CONTIGUOUS = 0, 1


class Dimension:
    """A dimension: its name, and its size now."""

    __slots__ = ("_group", "_id", "name", "unlimited", "_size")

    def __init__(self, group: Group, dimid: int, name: str, size: int, unlimited: bool) -> None:
        self._group, self._id, self.name, self._size, self.unlimited = group, dimid, name, size, unlimited

    @property
    def size(self) -> int:
        if self.unlimited and self._group._root._mode != "r":
            return _native.dim_length(self._group._live_id(), self._id)
        return self._size

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        return f"<cellar.Dimension {self.name}: {self.size}{' (unlimited)' if self.unlimited else ''}>"


class Group(Mapping[str, Any]):
    """A group of a dataset: `group["name"]` is a variable or a group, `group["a/b"]` one below."""

    def __init__(self, root: Dataset | None, parent: Group | None, ncid: int, name: str) -> None:
        self._root: Dataset = root if root is not None else self  # type: ignore[assignment]
        self._parent, self._id, self._name = parent, ncid, name
        self._attrs: Attributes | None = None
        self._known_dims: dict[int, Dimension] | None = None
        self._known_vars: dict[str, Variable] | None = None
        self._known_groups: dict[str, Group] | None = None
        self._details_known = False
        self._halves: dict[str, tuple[int, tuple[Any, ...]]] = {}  # definitions that failed, which nothing takes back

    # --- what it holds ---

    @property
    def name(self) -> str:
        return self._name

    @property
    def path(self) -> str:
        if self._parent is None:
            return "/"
        return f"{self._parent.path.rstrip('/')}/{self._name}"

    @property
    def parent(self) -> Group | None:
        return self._parent

    @property
    def dataset(self) -> Dataset:
        return self._root

    def _live_id(self) -> int:
        if self._root._closed:
            raise ValueError(f"{self._root.filename}: the dataset is closed")
        return self._id

    def _forget_ids(self) -> None:
        """Ids are given anew: those of a closed dataset must not reach the library."""
        self._id = -1
        for group in (self._known_groups or {}).values():
            group._forget_ids()

    def _dims_by_id(self) -> dict[int, Dimension]:
        if self._known_dims is None:
            self._known_dims = {row[0]: Dimension(self, *row) for row in _native.dims(self._live_id())}
        return self._known_dims

    def _dimension(self, dimid: int) -> Dimension:
        group: Group | None = self
        while group is not None:
            found = group._dims_by_id().get(dimid)
            if found is not None:
                return found
            group = group._parent
        raise KeyError(f"{self._root.filename}: no dimension has the id {dimid}")

    @property
    def dimensions(self) -> dict[str, Dimension]:
        """The group's own dimensions by name."""
        return {d.name: d for d in self._dims_by_id().values()}

    def find_dimension(self, name: str) -> Dimension | None:
        """A dimension that the group's variables can have: its own, or one of a group above."""
        group: Group | None = self
        while group is not None:
            if name in group.dimensions:
                return group.dimensions[name]
            group = group._parent
        return None

    @property
    def variables(self) -> dict[str, Variable]:
        if self._known_vars is None:
            self._known_vars = {
                name: Variable(self, varid, name, kind, dims) for varid, name, kind, dims in _native.vars(self._live_id())
            }
        return self._known_vars

    def _know_details(self) -> None:
        """Attributes and layout of all variables in one call, for those who want them all. Only of a dataset that is
        open for reading: in others they change."""
        if self._root._mode == "r" and not self._details_known:
            for v, (attributes, layout) in zip(self.variables.values(), _native.details(self._live_id()), strict=True):
                v._know(attributes, layout)
            self._details_known = True

    @property
    def groups(self) -> dict[str, Group]:
        if self._known_groups is None:
            rows = _native.groups(self._live_id())
            self._known_groups = {name: Group(self._root, self, ncid, name) for ncid, name in rows}
        return self._known_groups

    @property
    def types(self) -> dict[str, _types.UserType]:
        """The types this group defines, by name."""
        ids = _native.types(self._live_id())
        return {kind.name: kind for kind in (_types.user_type(self, type_id) for type_id in ids)}

    @property
    def attrs(self) -> Attributes:
        if self._attrs is None:
            self._attrs = Attributes(self)
        return self._attrs

    @property
    def unreadable(self) -> dict[str, str]:
        """What the file has here and the library does not understand: its name, and why."""
        return dict(_native.unreadable(self._live_id()))

    def walk(self) -> Iterator[Group]:
        """This group and all below."""
        yield self
        for group in self.groups.values():
            yield from group.walk()

    def __getitem__(self, name: str) -> Variable | Group:
        if not isinstance(name, str):
            raise TypeError(f"{self._root.filename}: variables and groups have names; {name!r} is none")
        head, _, rest = name.strip("/").partition("/")
        if not head:
            return self
        if rest:
            if head in self.groups:
                return self.groups[head][rest]
            raise KeyError(f"{self._root.filename}: {self.path} has no group {head!r}")
        if head in self.variables:
            return self.variables[head]
        if head in self.groups:
            return self.groups[head]
        raise KeyError(f"{self._root.filename}: {self.path} has neither a variable nor a group {head!r}")

    def __iter__(self) -> Iterator[str]:
        yield from self.variables
        yield from self.groups

    def __len__(self) -> int:
        return len(self.variables) + len(self.groups)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    # --- definitions ---

    def _define(self) -> None:
        """Before a definition: classic files have a mode for it."""
        root = self._root
        self._live_id()
        if root._mode == "r":
            raise ValueError(f"{root.filename}: the dataset is open for reading; open it with mode 'r+'")
        if root._classic and not root._defining:
            _native.redef(root._id)
        root._defining = True

    def _data(self) -> None:
        """Before values are moved."""
        root = self._root
        self._live_id()
        if root._defining:
            if root._classic:
                _native.enddef(root._id)
            root._defining = False

    def create_dimension(self, name: str, size: int | None = None) -> Dimension:
        """A dimension; None: unlimited, it grows as data is written."""
        self._define()
        size = None if size is None else operator.index(size)
        if size is not None and size < 0:
            raise ValueError(f"dimension {name}: a size is 0 or more")
        if size == 0:
            raise ValueError(f"dimension {name}: the format has no dimension of fixed size 0; None is an unlimited one")
        dimid = _native.def_dim(self._id, name, size or 0)
        self._known_dims = None
        return self._dims_by_id()[dimid]

    def create_group(self, name: str) -> Group:
        """A group; "a/b" makes those on the way too."""
        head, _, rest = name.strip("/").partition("/")
        group = self.groups.get(head)
        if group is None:
            self._define()
            group = Group(self._root, self, _native.def_group(self._id, head), head)
            self.groups[head] = group
        elif not rest:
            raise ValueError(f"{self._root.filename}: {group.path} exists")
        return group.create_group(rest) if rest else group

    def create_variable(
        self,
        name: str,
        dtype: Any = None,
        dimensions: Sequence[str] = (),
        *,
        data: Any = None,
        chunks: Sequence[int] | bool | None = None,
        chain: str | None = None,
        quantize: tuple[str, int] | None = None,
        shards: Sequence[int] | None = None,
        fill_value: Any = None,
        endian: str | None = None,
        attrs: Mapping[str, Any] | None = None,
    ) -> Variable:
        """A variable over dimensions that exist.

        chunks: lengths; False: in one piece. chain: its filters, "shuffle|zstd,level=3". quantize: ("bitround", bits),
        ("bitgroom", digits) or ("granular", digits). shards: lengths of shards (Zarr version 3). fill_value: what
        unwritten places read as; False: nothing is filled in. endian: "little" or "big".
        """
        if dtype is None:
            if data is None:
                raise TypeError(f"variable {name}: give a dtype or data")
            dtype = np.asarray(data).dtype
        self._define()
        if endian is None and not isinstance(dtype, _types.UserType) and dtype is not str:
            order = np.dtype(dtype).byteorder
            endian = order if order in "<>" else None
        type_id, _ = _types.file_type(self, dtype)
        dimids = self._dim_ids(name, dimensions)
        _check_definition(name, len(dimids), chunks, shards, quantize, endian)
        self._check_data(name, dimids, data)
        fill = self._fill_bytes(name, type_id, fill_value)
        options = (chunks, chain, quantize, shards, fill_value, endian)
        varid = self._begin_variable(name, type_id, dimids, options)
        variable = Variable(self, varid, name, type_id, dimids)
        self._define_layout(varid, chunks, shards)
        if quantize is not None:
            mode, digits = quantize
            _native.def_quantize(self._id, varid, QUANTIZE[mode], digits)
        if chain is not None:
            _native.def_chain(self._id, varid, chain)
        if endian is not None and not self._root._classic:
            _native.def_endian(self._id, varid, ENDIANS[endian])
        self._define_fill(varid, type_id, fill_value, fill)
        del self._halves[name]
        self.variables[name] = variable
        variable.attrs.update(attrs or {})
        if data is not None:
            variable[...] = data
        return variable

    def _dim_ids(self, name: str, dimensions: Sequence[str]) -> tuple[int, ...]:
        ids = []
        for dim in (dimensions,) if isinstance(dimensions, str) else dimensions:
            found = self.find_dimension(dim)
            if found is None:
                raise KeyError(f"variable {name}: there is no dimension {dim!r}; make it with create_dimension()")
            ids.append(found._id)
        return tuple(ids)

    def _check_data(self, name: str, dimids: tuple[int, ...], data: Any) -> None:
        """That it fits, before there is a variable that it does not fit."""
        dims = [self._dimension(d) for d in dimids]
        if not isinstance(data, np.ndarray) or any(d.unlimited for d in dims):
            return
        shape = tuple(d.size for d in dims)
        fits = data.ndim <= len(shape) and all(
            n in (1, size) for n, size in zip(reversed(data.shape), reversed(shape), strict=False)
        )
        if not fits:
            raise ValueError(f"variable {name}: data of the shape {data.shape} does not fit its dimensions' {shape}")

    def _begin_variable(self, name: str, type_id: int, dimids: tuple[int, ...], options: tuple[Any, ...]) -> int:
        """The id of a new variable, or of one whose definition failed and is repeated: no format takes it back."""
        key = (type_id, dimids, tuple(option is None for option in options))
        if name not in self._halves:
            self._halves[name] = (_native.def_var(self._id, name, type_id, dimids), key)
        varid, begun = self._halves[name]
        if begun != key:
            raise ValueError(
                f"variable {name}: an earlier definition of it failed and cannot be undone: repeat it with the same "
                "dtype, dimensions and options (their values may differ), or use another name"
            )
        return varid

    def _define_layout(self, varid: int, chunks: Sequence[int] | bool | None, shards: Sequence[int] | None) -> None:
        if chunks is False:
            _native.def_chunks(self._id, varid, CONTIGUOUS, None)
        elif chunks is not None and chunks is not True:
            _native.def_chunks(self._id, varid, CHUNKED, tuple(int(n) for n in chunks))
        if shards is not None:
            _native.def_shards(self._id, varid, tuple(int(n) for n in shards))

    def _fill_bytes(self, name: str, type_id: int, fill_value: Any) -> bytes | None:
        """A fill value as the file keeps it; None where there is nothing to keep."""
        if fill_value is None or fill_value is False or type_id == _types.STRING:
            return None
        dtype = _types.element_dtype(self, type_id)
        value = np.asarray(fill_value)
        with np.errstate(invalid="ignore"):
            kept = value.astype(dtype)
        if dtype.kind in "iu" and value.dtype.kind in "iuf" and kept != value:
            raise ValueError(f"variable {name}: the fill value {fill_value!r} does not fit {dtype}")
        return kept.tobytes()

    def _define_fill(self, varid: int, type_id: int, fill_value: Any, kept: bytes | None) -> None:
        if fill_value is None:
            return
        if fill_value is not False and type_id == _types.STRING:
            _native.def_fill_string(self._id, varid, str(fill_value))
        else:
            _native.def_fill(self._id, varid, kept)

    # --- types ---

    def _find_compound(self, dtype: np.dtype[Any]) -> _types.CompoundType | None:
        group: Group | None = self
        while group is not None:
            for kind in group.types.values():
                if isinstance(kind, _types.CompoundType) and kind.dtype == dtype:
                    return kind
            group = group._parent
        return None

    def create_compound(self, name: str, dtype: Any) -> _types.CompoundType:
        """A structure type from numpy's; structures within it are looked for, or made as NAME_FIELD."""
        dtype = np.dtype(dtype)
        if dtype.names is None or dtype.fields is None:
            raise TypeError(f"type {name}: a structured dtype is needed, not {dtype}")
        fields = []
        for field_name in dtype.names:
            base, offset = dtype.fields[field_name][:2]
            element, shape = base.subdtype if base.subdtype is not None else (base, ())
            if element.names is not None and self._find_compound(element) is None:
                self.create_compound(f"{name}_{field_name}", element)
            fields.append((field_name, offset, tuple(shape), _types.file_type(self, element)[0]))
        self._define()
        type_id = _native.def_compound(self._id, name, dtype.itemsize, fields)
        return _types.user_type(self, type_id)  # type: ignore[return-value]

    def create_enum(self, name: str, dtype: Any, members: Mapping[str, int]) -> _types.EnumType:
        """Whole numbers with names."""
        dtype = np.dtype(dtype)
        self._define()
        rows = [(member, np.array(value).astype(dtype).tobytes()) for member, value in members.items()]
        type_id = _native.def_enum(self._id, name, _types.file_type(self, dtype)[0], rows)
        return _types.user_type(self, type_id)  # type: ignore[return-value]

    def create_vlen(self, name: str, dtype: Any) -> _types.VLType:
        """Lists of any length of these elements."""
        self._define()
        type_id = _native.def_vlen(self._id, name, _types.file_type(self, dtype)[0])
        return _types.user_type(self, type_id)  # type: ignore[return-value]

    def create_opaque(self, name: str, size: int) -> _types.OpaqueType:
        """Bytes without a meaning, `size` of them."""
        self._define()
        type_id = _native.def_opaque(self._id, name, size)
        return _types.user_type(self, type_id)  # type: ignore[return-value]

    # --- Python's own ---

    def __reduce__(self) -> tuple[Any, ...]:
        return _find_group, (self._root, self.path)

    def __repr__(self) -> str:
        from ._html import group_text

        return group_text(self)

    def _repr_html_(self) -> str:
        from ._html import group_page

        return group_page(self)


class Dataset(Group):
    """An open file or store, and its root group. Use it in a `with` statement, or close it."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        mode: str = "r",
        *,
        format: str | None = None,
        storage_options: Mapping[str, Any] | _storage.Settings | None = None,
    ) -> None:
        self.filename = os.fspath(path)
        self._storage = _storage.settings(self.filename, storage_options)
        self._closed = True
        self._defining = False
        self._guard = threading.Lock()
        self._holders = 0
        self._user_types: dict[int, _types.UserType] = {}
        ncid, self._mode = _open(self.filename, mode, format, self._storage)
        super().__init__(None, None, ncid, "/")
        self._closed = False
        kind, extended, _ = _native.format(ncid)
        self._classic = kind in (1, 2, 4, 5)
        self._defining = self._mode == "w"
        self.format = "zarr" if extended == ZARR else FORMAT_NAMES.get(kind, "netcdf4")
        if self._mode == "w":
            self._mode = "r+"
        self._finalizer = weakref.finalize(self, _close_forgotten, ncid, os.getpid())

    @property
    def mode(self) -> str:
        return self._mode

    @property
    def closed(self) -> bool:
        return self._closed

    def sync(self) -> None:
        """Everything written so far is in the file."""
        self._data()
        _native.sync(self._live_id())

    def close(self) -> None:
        """Write what is left and close; closing twice is fine. A read that another thread is in ends first, where it
        holds the dataset."""
        with self._guard:
            if self._closed:
                return
            self._closed = True
            ncid = self._id
            if self._holders:
                return  # the last of them closes
        self._close(ncid)

    def _close(self, ncid: int) -> None:
        self._finalizer.detach()
        self._forget_ids()
        _native.close(ncid)

    @contextlib.contextmanager
    def _hold(self) -> Iterator[bool]:
        """Whether the dataset is open; if so it stays open within the block."""
        with self._guard:
            is_open = not self._closed
            self._holders += is_open
        try:
            yield is_open
        finally:
            with self._guard:
                self._holders -= is_open
                last = is_open and self._closed and self._holders == 0
            if last:
                self._close(self._id)

    def cf_quantization(self, on: bool = True) -> None:
        """Quantized variables carry the CF conventions' attributes as well (CF-1.12, section 8.4)."""
        self._define()
        _native.cf_quantization(self._id, on)

    def __enter__(self) -> Dataset:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        if self._mode != "r":
            raise TypeError(f"{self.filename}: a dataset open for writing cannot be pickled")
        return _open_again, (self.filename, self._storage)


def _check_definition(
    name: str,
    rank: int,
    chunks: Sequence[int] | bool | None,
    shards: Sequence[int] | None,
    quantize: tuple[str, int] | None,
    endian: str | None,
) -> None:
    """What can be told before the variable is defined: no format takes a definition back."""
    for what, lengths in (("chunks", chunks), ("shards", shards)):
        if lengths is None or isinstance(lengths, bool):
            continue
        if not np.iterable(lengths) or len(lengths) != rank or any(operator.index(n) < 0 for n in lengths):
            raise ValueError(f"variable {name}: {what} needs {rank} lengths, one for each dimension, not {lengths!r}")
    if quantize is not None and not (isinstance(quantize, (tuple, list)) and len(quantize) == 2 and quantize[0] in QUANTIZE):
        raise ValueError(f"variable {name}: quantize is a pair of {', '.join(QUANTIZE)} and a number, not {quantize!r}")
    if endian is not None and endian not in ENDIANS:
        raise ValueError(f"variable {name}: endian is one of {', '.join(ENDIANS)}, not {endian!r}")


def _close_forgotten(ncid: int, pid: int) -> None:
    if os.getpid() == pid:
        _native.close(ncid)


def _open_again(path: str, storage: _storage.Settings) -> Dataset:
    return Dataset(path, storage_options=storage)


def _find_group(root: Dataset, path: str) -> Group:
    found = root[path]
    assert isinstance(found, Group)
    return found


def _open(path: str, mode: str, format: str | None, storage: _storage.Settings) -> tuple[int, str]:
    if mode not in ("r", "r+", "a", "w", "x"):
        raise ValueError(f"mode is r, r+, a, w or x, not {mode!r}")
    if format is not None and mode in ("r", "r+"):
        raise ValueError(f"{path}: format={format!r} is for creating; mode {mode!r} opens what there is, in whatever format")
    if mode == "r":
        return _native.open(path, NOWRITE, storage), "r"
    if mode == "r+" or (mode == "a" and os.path.exists(path)):
        return _native.open(path, WRITE, storage), "r+"
    if mode == "a" and _is_remote(path):
        try:
            return _native.open(path, WRITE, storage), "r+"
        except Error as error:
            if error.code not in (NOT_FOUND, NOT_ZARR):
                raise
    flags, words = FORMATS[_format_of(path, format)]
    if words is not None and "#" not in path:
        path = _say_format(path, words)
    keep = mode == "x" or (mode == "a" and _is_remote(path))
    return _native.create(path, flags | (NOCLOBBER if keep else 0), storage), "w"


def _is_remote(path: str) -> bool:
    return path.lower().startswith(("s3://", "gs://", "http://", "https://"))


def _say_format(path: str, words: str) -> str:
    zip = path.endswith(".zip")
    if _is_remote(path):
        return f"{path}#mode={words}{',zip' if zip else ''}"
    return f"file://{os.path.abspath(path)}#mode={words},{'zip' if zip else 'file'}"


def _format_of(path: str, format: str | None) -> str:
    if format is None:
        return "zarr3" if path.rstrip("/").endswith((".zarr", ".zarr.zip", ".zip")) else "netcdf4"
    if format not in FORMATS:
        raise ValueError(f"format is one of {', '.join(FORMATS)}, not {format!r}")
    return format


def open(
    path: str | os.PathLike[str],
    mode: str = "r",
    *,
    format: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> Dataset:
    """Open or create a dataset: netCDF-4, classic netCDF, Zarr (a folder or a zip archive), a URL.

    mode: "r" read, "r+" read and write, "a" the same and created if missing, "w" created anew, "x" created if missing.
    format, for creating: netcdf4, netcdf4-classic, classic, 64bit-offset, 64bit-data, nczarr, zarr2, zarr3. Without
    it a name that ends in .zarr or .zip is zarr3, any other netcdf4.
    storage_options, for s3:// and gs://: anon, key, secret, token, profile, endpoint_url, requester_pays and
    client_kwargs={"endpoint_url", "region_name"}, as s3fs has them; of this dataset alone.
    """
    return Dataset(path, mode, format=format, storage_options=storage_options)
