# SPDX-License-Identifier: BSD-3-Clause
"""Variables: arrays of a file, indexed like numpy's."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _index, _native, _types
from ._attributes import Attributes, encode

if TYPE_CHECKING:
    from ._dataset import Group

Array = np.ndarray[Any, np.dtype[Any]]
QUANTIZE = {"bitgroom": 1, "granular": 2, "bitround": 3}
ENDIAN = {0: "native", 1: "little", 2: "big"}
SPELLINGS = {"ids": 0, "names": 1, "json": 2, "json3": 3}


class Variable:
    """An array in a file. `v[...]` reads, `v[...] = values` writes; both accept numpy's basic indices, lists of
    positions and masks. Several lists select along each dimension for itself, as in netCDF4-python."""

    __slots__ = ("_group", "_id", "_type", "_dims", "_fixed", "_layout", "_attrs", "_dtype", "_name",
                 "_dim_names", "__weakref__")  # fmt: skip

    def __init__(self, group: Group, varid: int, name: str, type_id: int, dims: tuple[int, ...]) -> None:
        self._group, self._id, self._name, self._type, self._dims = group, varid, name, type_id, dims
        self._dtype = _types.element_dtype(group, type_id)
        self._fixed: tuple[int, ...] | None = None
        self._layout: tuple[Any, ...] | None = None
        self._attrs: Attributes | None = None
        self._dim_names: tuple[str, ...] | None = None

    # --- what it is ---

    @property
    def name(self) -> str:
        return self._name

    @property
    def group(self) -> Group:
        return self._group

    @property
    def dtype(self) -> np.dtype[Any]:
        """One element in numpy; object for strings (str) and variable-length lists (arrays)."""
        return self._dtype

    @property
    def datatype(self) -> np.dtype[Any] | _types.UserType | type[str]:
        """The dtype, `str`, or the type that the file defines."""
        if self._type == _types.STRING:
            return str
        if self._type >= _types.FIRST_USER_TYPE:
            return _types.user_type(self._group, self._type)
        return self._dtype

    @property
    def dimensions(self) -> tuple[str, ...]:
        if self._dim_names is None:
            self._dim_names = tuple([self._group._dimension(d).name for d in self._dims])
        return self._dim_names

    @property
    def shape(self) -> tuple[int, ...]:
        if self._fixed is not None:
            return self._fixed
        known = [self._group._dimension(d) for d in self._dims]
        shape = tuple(d.size for d in known)
        if self._group._root._mode == "r" or not any(d.unlimited for d in known):
            self._fixed = shape
        return shape

    @property
    def ndim(self) -> int:
        return len(self._dims)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64)) if self._dims else 1

    @property
    def nbytes(self) -> int:
        return self.size * self._dtype.itemsize

    @property
    def attrs(self) -> Attributes:
        if self._attrs is None:
            self._attrs = Attributes(self._group, self._id)
        return self._attrs

    # --- how it is kept ---

    def _know(self, attributes: list[Any], layout: tuple[Any, ...]) -> None:
        """What was asked for all variables at once: see Group._know_details()."""
        self._attrs = Attributes(self._group, self._id, attributes)
        self._layout = layout

    def _kept(self) -> tuple[Any, ...]:
        if self._layout is None:
            self._layout = _native.layout(self._group._live_id(), self._id)
        return self._layout

    @property
    def chunks(self) -> tuple[int, ...] | None:
        """Lengths of a chunk; None for a variable that is kept in one piece."""
        storage, chunks = self._kept()[:2]
        return chunks if storage == 0 and self._dims else None

    @property
    def shards(self) -> tuple[int, ...] | None:
        """Zarr version 3: lengths of a shard; None where each chunk is for itself."""
        shards: tuple[int, ...] | None = self._kept()[2]
        return shards

    @property
    def endian(self) -> str:
        return ENDIAN.get(self._kept()[3], "native")

    @property
    def quantize(self) -> tuple[str, int] | None:
        """("bitround", 12): how values were rounded before they were written."""
        mode, digits = self._kept()[4:6]
        return next(((name, digits) for name, number in QUANTIZE.items() if number == mode), None)

    @property
    def chain(self) -> str:
        """The filters by name: "shuffle|zstd,level=3"; "" for none. Where the library does not know one: as JSON."""
        text: str = self._kept()[6]
        return text

    def chain_as(self, spelling: str) -> str:
        """The filters as "names", "ids" (HDF5), "json" (Zarr version 2) or "json3"."""
        if spelling not in SPELLINGS:
            raise ValueError(f"{self._name}: a spelling is one of {', '.join(SPELLINGS)}, not {spelling!r}")
        return _native.chain(self._group._live_id(), self._id, SPELLINGS[spelling])

    @property
    def stored(self) -> int:
        """Bytes its values take in the file."""
        return _native.stored(self._group._live_id(), self._id)

    @property
    def loss(self) -> tuple[float, float]:
        """Largest absolute and relative error that quantizing has made since the file was opened."""
        return _native.loss(self._group._live_id(), self._id)

    @property
    def fill_value(self) -> Any:
        """What was never written reads as; None where nothing is filled in."""
        if self._dtype == _types.OBJECT:
            return ""
        no_fill, value = _native.fill(self._group._live_id(), self._id, self._dtype.itemsize)
        return None if no_fill else np.frombuffer(value, self._dtype)[0]

    # --- reading ---

    def __getitem__(self, key: Any) -> Any:
        if self._dtype is not _types.OBJECT:
            group = self._group
            if group._root._defining or group._root._closed:
                group._data()
            found = _native.getitem(group._id, self._id, self._fixed or self.shape, self._dtype, key)
            if found is not NotImplemented:
                return found
        mask = self._whole_mask(key)
        if mask is not None:
            return self[...][mask]
        selectors = _index.select(key, self.shape)
        return self._read(selectors, np.empty(_index.kept_shape(selectors), self._dtype), 0)

    def read(self, key: Any = ..., out: Array | None = None) -> Any:
        """`self[key]`; with `out` into that array, of any strides and any number type, which is also returned."""
        if out is None:
            return self[key]
        if not isinstance(out, np.ndarray):
            raise TypeError(f"{self._name}: out is a numpy array, not {type(out).__name__}")
        selectors = _index.select(key, self.shape)
        shape = _index.kept_shape(selectors)
        if out.shape != shape:
            raise ValueError(f"{self._name}: out has the shape {out.shape}, the selection {shape}")
        memory = self._memory_type(out.dtype)
        if memory is None or not out.flags.writeable:
            if not out.flags.writeable:
                raise ValueError(f"{self._name}: out is read-only")
            out[...] = self[key]
            return out
        self._read(selectors, out, memory)
        return out

    def _whole_mask(self, key: Any) -> Array | None:
        """A mask over all dimensions, as numpy and h5py take it."""
        if isinstance(key, (tuple, slice)) or not hasattr(key, "dtype") or key.dtype != bool or key.ndim < 2:
            return None
        if key.shape != self.shape:
            raise IndexError(f"{self._name}: a mask of shape {key.shape} for the shape {self.shape}")
        return key  # type: ignore[no-any-return]

    def _memory_type(self, dtype: np.dtype[Any]) -> int | None:
        """What the C library calls this memory: 0 for the variable's own type; None: it cannot use it."""
        if dtype == self._dtype and dtype.isnative:
            return 0
        kind = _types.TYPE_OF.get(dtype) if dtype.isnative and self._type in _types.NUMPY_OF else None
        return None if _types.CHAR in (self._type, kind) else kind

    def _read(self, selectors: list[_index.Selector], out: Array, memory: int) -> Any:
        self._group._data()
        takes: list[tuple[int, Array]] = []
        wide: list[_index.Selector] = []
        for selector in selectors:
            near = _near(selector)
            if near is not None:
                takes.append((sum(not isinstance(s, int) for s in wide), np.asarray(selector) - near.start))
                wide.append(near)
            else:
                wide.append(selector)
        target = np.empty(_index.kept_shape(wide), out.dtype) if takes else out
        full = target.reshape(tuple(1 if isinstance(s, int) else len(s) for s in wide)) if out.ndim != len(wide) else target
        if not np.shares_memory(full, target) and full.size:
            full = np.empty(full.shape, out.dtype)
        for parts in itertools.product(*[_index.runs(s) for s in wide]):
            self._get_runs(parts, full[_targets(parts)], memory)
        if full.size and not np.shares_memory(full, target):
            target[...] = full.reshape(target.shape)
        for axis, at in takes:
            target = np.take(target, at, axis)
        if takes:
            out[...] = target
        return out if out.ndim else out[()]

    def _get_runs(self, parts: tuple[_index.Run, ...], out: Array, memory: int) -> None:
        start = tuple(run.start for run in parts)
        step = tuple(run.step for run in parts)
        if self._dtype != _types.OBJECT:
            _native.get(self._group._id, self._id, start, step, out, memory)
            return
        count = tuple(run.length for run in parts)
        turned = tuple(slice(None, None, -1) if s < 0 else slice(None) for s in step)
        start = tuple(run.start + (run.length - 1) * run.step if run.step < 0 else run.start for run in parts)
        step = tuple(abs(s) for s in step)
        flat = np.empty(int(np.prod(count, dtype=np.int64)), object)
        flat[:] = self._get_objects(start, count, step)
        out[...] = flat.reshape(count)[(*turned, ...)]

    def _get_objects(self, start: tuple[int, ...], count: tuple[int, ...], step: tuple[int, ...]) -> list[Any]:
        ids = self._group._id, self._id
        if self._type == _types.STRING:
            return _native.get_strings(*ids, start, count, step)
        dtype = _types.user_type(self._group, self._type).dtype
        lists = _native.get_vlens(*ids, start, count, step, dtype.itemsize)
        return [np.frombuffer(value, dtype).copy() for value in lists]

    # --- writing ---

    def __setitem__(self, key: Any, values: Any) -> None:
        root = self._group._root
        if root._mode == "r" and not root._closed:
            raise ValueError(f"{root.filename}: {self._name}: the dataset is open for reading; open it with mode 'r+'")
        self._group._data()
        mask = self._whole_mask(key)
        if mask is not None:
            whole = self[...]
            whole[mask] = values
            self[...] = whole
            return
        data = self._to_write(values)
        unlimited = tuple(self._group._dimension(d).unlimited for d in self._dims)
        selectors = _index.select_to_write(key, self.shape, unlimited, data.shape)
        shape = _index.kept_shape(selectors)
        if data.shape != shape:
            data = self._spread(data, shape)
        full = data.reshape(tuple(1 if isinstance(s, int) else len(s) for s in selectors))
        memory = self._memory_type(full.dtype)
        if memory is None and self._dtype != _types.OBJECT:
            full, memory = full.astype(self._dtype), 0
        if 0 in full.strides and full.size:
            full = np.ascontiguousarray(full)
        for parts in itertools.product(*[_index.runs(s) for s in selectors]):
            self._put_runs(parts, full[_targets(parts)], memory or 0)

    def _spread(self, data: Array, shape: tuple[int, ...]) -> Array:
        try:
            return np.broadcast_to(data, shape)
        except ValueError:
            raise ValueError(f"{self._name}: values of the shape {data.shape} do not fit the selection's {shape}") from None

    def _to_write(self, values: Any) -> Array:
        if isinstance(values, np.ma.MaskedArray):
            values = values.filled(self.fill_value)
        if self._dtype == _types.OBJECT:
            return self._objects(values)
        if self._type == _types.CHAR and isinstance(values, (str, bytes)):
            values = np.array(list(values if isinstance(values, bytes) else encode(values)), np.uint8).view("S1")
        data = np.asarray(values, self._dtype if self._dtype.kind == "V" else None)
        if data.dtype.kind == "U" and self._type == _types.CHAR:
            data = data.astype("S1")
        if data.dtype != self._dtype and data.dtype.kind in "OSUMmcV":
            data = data.astype(self._dtype)
        elif data.dtype.kind in "bf" and data.dtype not in _types.TYPE_OF:
            data = data.astype(self._dtype if data.dtype.kind == "b" else np.float64)
        return data if data.dtype.isnative else data.astype(data.dtype.newbyteorder("="))

    def _objects(self, values: Any) -> Array:
        if self._type == _types.STRING:
            return np.asarray(values, object)
        if isinstance(values, np.ndarray) and values.dtype == object:
            return values
        one: Array = np.empty((), object)
        one[()] = np.asarray(values)
        return one

    def _put_runs(self, parts: tuple[_index.Run, ...], data: Array, memory: int) -> None:
        ids = self._group._id, self._id
        start = tuple(run.start for run in parts)
        step = tuple(run.step for run in parts)
        if self._dtype != _types.OBJECT:
            if any(s % data.itemsize for s in data.strides):
                data = np.ascontiguousarray(data)
            _native.put(*ids, start, step, data, memory)
            return
        data = data[(*(slice(None, None, -1) if s < 0 else slice(None) for s in step), ...)]
        start = tuple(run.start + (run.length - 1) * run.step if run.step < 0 else run.start for run in parts)
        step = tuple(abs(s) for s in step)
        if self._type == _types.STRING:
            strings = [v if isinstance(v, bytes) else encode("" if v is None else str(v)) for v in data.ravel().tolist()]
            _native.put_strings(*ids, start, data.shape, step, strings)
            return
        dtype = _types.user_type(self._group, self._type).dtype
        lists = [np.ascontiguousarray([] if v is None else v, dtype).tobytes() for v in data.ravel()]
        _native.put_vlens(*ids, start, data.shape, step, dtype.itemsize, lists)

    # --- Python's own ---

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        values = np.asarray(self[...])
        return values if dtype is None else values.astype(dtype, copy=False)

    def __len__(self) -> int:
        if not self._dims:
            raise TypeError("a variable without dimensions has no length")
        return self.shape[0]

    def __reduce__(self) -> tuple[Any, ...]:
        return _find, (self._group, self._name)

    def __repr__(self) -> str:
        if self._group._root._closed:
            return f"<cellar.Variable {self._name} (closed)>"
        kept = f", chunks={self.chunks}" if self.chunks else ""
        chain = f", chain={self.chain!r}" if self.chain else ""
        dims = ", ".join(f"{n}: {s}" for n, s in zip(self.dimensions, self.shape, strict=True))
        return f"<cellar.Variable {self._name}({dims}) {self._dtype}{kept}{chain}>"

    def _repr_html_(self) -> str:
        from ._html import variable_page

        return variable_page(self)


def _targets(parts: tuple[_index.Run, ...]) -> Any:
    """Where the runs go in the array: an index that gives a view, also where it has no dimensions."""
    return (*(run.target for run in parts), ...)


def _find(group: Group, name: str) -> Variable:
    return group.variables[name]


def _near(selector: _index.Selector) -> range | None:
    """For positions in many runs that lie close together: the range around them, read at once."""
    if isinstance(selector, (int, range)) or len(selector) < 8:
        return None
    first, last = int(selector.min()), int(selector.max())
    if last - first + 1 > 8 * len(selector) or len(_index.runs(selector)) <= 4:
        return None
    return range(first, last + 1)
