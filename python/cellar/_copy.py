# SPDX-License-Identifier: BSD-3-Clause
"""cellar.copy(): a dataset into another, with other chunks, filters or format."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _native, _types
from ._dataset import Dataset, Group
from ._variable import Variable

SLAB = 64 << 20  # bytes moved at a time
PLAIN = ("classic", "64bit-offset", "64bit-data")
Progress = Callable[[int, int, str], object]


def _local(path: str | os.PathLike[str]) -> str:
    """The file or folder that a path or a file:// URL names."""
    text = os.fspath(path)
    return text[len("file://") :].partition("#")[0] if text.startswith("file://") else text


def _check_apart(source: str, target: str | os.PathLike[str]) -> None:
    """Creating the target empties it: it must not be what is read."""
    here, there = _local(source), _local(target)
    if os.path.exists(here) and os.path.exists(there) and os.path.samefile(here, there):
        raise ValueError(f"{os.fspath(target)}: source and target of the copy are the same: copy to another name")


def copy(
    source: str | os.PathLike[str] | Dataset,
    target: str | os.PathLike[str],
    *,
    format: str | None = None,
    chain: str | Mapping[str, str] | None = None,
    chunks: Mapping[str, int] | None = None,
    quantize: Mapping[str, tuple[str, int]] | None = None,
    shards: Mapping[str, Sequence[int]] | None = None,
    variables: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> None:
    """Copy a dataset to a new file or store.

    chain: the filters of every variable with dimensions, or of those named; the others keep theirs. chunks: lengths by
    dimension. quantize, shards: by variable. variables: only these, by name or path. progress(done, total, name) is
    called as bytes are copied, and may raise to stop; the target is then removed. Variables whose chunks, filters and
    type stay the same are copied as they are stored.
    """
    own = not isinstance(source, Dataset)
    before = Dataset(source) if not isinstance(source, Dataset) else source
    try:
        job = _Job(before, chain, chunks or {}, quantize or {}, shards or {}, variables, progress)
        job.check_names()  # before the target is touched
        _check_apart(before.filename, target)
        existed = os.path.exists(target)
        after = Dataset(target, "w", format=format)
        try:
            job.run(after)
            after.close()
        except BaseException:
            if not after.closed:
                after._closed = True
                after._finalizer.detach()
                _native.abort(after._id)
            if not existed and os.path.isfile(target):
                os.unlink(target)
            raise
    finally:
        if own:
            before.close()


class _Job:
    def __init__(
        self,
        before: Dataset,
        chain: str | Mapping[str, str] | None,
        chunks: Mapping[str, int],
        quantize: Mapping[str, tuple[str, int]],
        shards: Mapping[str, Sequence[int]],
        variables: Sequence[str] | None,
        progress: Progress | None,
    ) -> None:
        self.before, self.chain, self.chunks = before, chain, chunks
        self.quantize, self.shards, self.progress = quantize, shards, progress
        self.wanted = None if variables is None else {name.strip("/") for name in variables}
        self.types: dict[int, int] = {}
        self.needed = None if self.wanted is None else self.needed_types()
        self.pairs: list[tuple[Variable, Variable]] = []
        self.done = self.total = 0

    def check_names(self) -> None:
        """Every name that was given means something."""
        groups = list(self.before.walk())
        dimensions = {d.name for group in groups for d in group.dimensions.values()}
        variables = {_path(v) for group in groups for v in group.variables.values()}
        named = (self.wanted or set()) | set(self.quantize) | set(self.shards)
        if self.chain is not None and not isinstance(self.chain, str):
            named |= set(self.chain)
        for kind, missing in (("dimension", set(self.chunks) - dimensions), ("variable", named - variables)):
            if missing:
                raise KeyError(f"{self.before.filename}: there is no {kind} {', '.join(sorted(missing))}")

    def run(self, after: Dataset) -> None:
        self.define(self.before, after)
        after._data()
        self.total = sum(v.nbytes for v, _ in self.pairs)
        for v, to in self.pairs:
            self.move(v, to)

    # --- definitions ---

    def needed_types(self) -> set[int]:
        """The types of the variables that are copied, and those within them."""
        all_variables = [v for group in self.before.walk() for v in group.variables.values()]
        waiting = [(v.group, v._type) for v in all_variables if _path(v) in (self.wanted or ())]
        found: set[int] = set()
        while waiting:
            group, type_id = waiting.pop()
            if type_id >= _types.FIRST_USER_TYPE and type_id not in found:
                found.add(type_id)
                _, kind, _, base, parts = _native.describe_type(group._id, type_id)
                waiting += [(group, part[3]) for part in parts] if kind == _types.COMPOUND else [(group, base)]
        return found

    def define(self, before: Group, after: Group) -> None:
        for d in before.dimensions.values():
            after.create_dimension(d.name, None if d.unlimited else d.size)
        for type_id in _native.types(before._live_id()):
            if self.needed is None or type_id in self.needed:
                self.define_type(before, after, type_id)
        for name in before.attrs:
            after._define()
            _native.copy_att(before._id, -1, name, after._id, -1)
        for v in before.variables.values():
            if self.wanted is None or _path(v) in self.wanted:
                self.pairs.append((v, self.define_variable(v, after)))
        for name, group in before.groups.items():
            self.define(group, after.create_group(name))

    def define_type(self, before: Group, after: Group, type_id: int) -> None:
        name, kind, size, base, parts = _native.describe_type(before._id, type_id)
        after._define()
        if kind == _types.COMPOUND:
            rows = [(n, offset, shape, self.types.get(t, t)) for n, offset, shape, t in parts]
            self.types[type_id] = _native.def_compound(after._id, name, size, rows)
        elif kind == _types.ENUM:
            self.types[type_id] = _native.def_enum(after._id, name, base, parts)
        elif kind == _types.VLEN:
            self.types[type_id] = _native.def_vlen(after._id, name, self.types.get(base, base))
        else:
            self.types[type_id] = _native.def_opaque(after._id, name, size)

    def define_variable(self, v: Variable, after: Group) -> Variable:
        type_id = self.types.get(v._type, v._type)
        dtype = _types.user_type(after, type_id) if type_id >= _types.FIRST_USER_TYPE else v.datatype
        plain = after.dataset.format in PLAIN
        # The fill value is an attribute, or none: it is defined with the variable.
        fill = None if "_FillValue" not in v.attrs or v.dtype == _types.OBJECT else v.fill_value
        to = after.create_variable(
            v.name,
            dtype,
            v.dimensions,
            chunks=None if plain else self.new_chunks(v, after.dataset.format != "zarr"),
            chain=None if plain else self.new_chain(v),
            quantize=None if plain else self.quantize.get(_path(v)),
            shards=None if plain else self.shards.get(_path(v)),
            fill_value=fill,
            endian=None if plain or v.endian == "native" or v.dtype.itemsize < 2 else v.endian,
        )
        after._define()
        for name in v.attrs:
            if name != "_FillValue" or fill is None:
                _native.copy_att(v.group._id, v._id, name, after._id, to._id)
        return to

    def new_chunks(self, v: Variable, may_be_whole: bool) -> tuple[int, ...] | bool | None:
        if not v.ndim:
            return None
        if any(d in self.chunks for d in v.dimensions):
            now = v.chunks or v.shape
            pairs = zip(v.dimensions, now, v.shape, strict=True)
            return tuple(max(1, min(self.chunks.get(d, n), max(size, 1))) for d, n, size in pairs)
        if v.chunks:
            return v.chunks
        return False if may_be_whole and not self.new_chain(v) and not self._has_unlimited(v) else None

    @staticmethod
    def _has_unlimited(v: Variable) -> bool:
        return any(v.group._dimension(d).unlimited for d in v._dims)

    def new_chain(self, v: Variable) -> str | None:
        if not v.ndim or v.dtype == _types.OBJECT:
            return None
        if isinstance(self.chain, str):
            return self.chain
        given = (self.chain or {}).get(_path(v))
        return given if given is not None else v.chain or None

    # --- values ---

    def move(self, v: Variable, to: Variable) -> None:
        before, after = v.group, to.group
        if v.size and not _native.copy_chunks(before._id, v._id, after._id, to._id):
            for region, nbytes in _slabs(v):
                to[region] = v[region]
                self.tell(nbytes, v)
            return
        self.tell(v.nbytes, v)

    def tell(self, nbytes: int, v: Variable) -> None:
        self.done += nbytes
        if self.progress is not None:
            self.progress(self.done, self.total, _path(v))


def _path(v: Variable) -> str:
    return f"{v.group.path}/{v.name}".strip("/")


def _slabs(v: Variable) -> list[tuple[Any, int]]:
    """Parts of a variable along its first dimension, of whole chunks."""
    if not v.ndim:
        return [(..., v.nbytes)]
    one = max(1, v.nbytes // max(1, v.shape[0]))
    step = (v.shards or v.chunks or (1,))[0]
    rows = max(step, SLAB // one // step * step)
    starts = range(0, v.shape[0], rows)
    return [(slice(i, min(i + rows, v.shape[0])), one * min(rows, v.shape[0] - i)) for i in starts]
