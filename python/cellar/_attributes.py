# SPDX-License-Identifier: BSD-3-Clause
"""Attributes of a group or variable, as a mapping."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _native, _types

if TYPE_CHECKING:
    from ._dataset import Group


def from_file(group: Group, type_id: int, length: int, value: Any) -> Any:
    """What Python has for an attribute: text, a list of text, a scalar, an array."""
    if type_id == _types.CHAR:
        return value.replace("\0", "")  # as netCDF4-python: C programs keep the end of their strings too
    if type_id == _types.STRING:
        return value[0] if length == 1 else value
    if isinstance(value, list):  # one for each element of a variable-length type
        dtype = _types.user_type(group, type_id).dtype
        lists = [np.frombuffer(v, dtype).copy() for v in value]
        return lists[0] if length == 1 else lists
    array = np.frombuffer(value, _types.element_dtype(group, type_id))
    return array[0] if length == 1 else array.copy()


def encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


class Attributes(MutableMapping[str, Any]):
    """`attrs["units"]`, `attrs["units"] = "K"`, `del attrs["units"]`; numbers are numpy's, text is str."""

    __slots__ = ("_group", "_varid", "_values")

    def __init__(self, group: Group, varid: int = -1, rows: list[Any] | None = None) -> None:
        self._group, self._varid = group, varid
        self._values: dict[str, Any] | None = None if rows is None else self._from_rows(rows)

    def _from_rows(self, rows: list[Any]) -> dict[str, Any]:
        group = self._group
        return {name: from_file(group, kind, length, value) for name, kind, length, value in rows}

    def _load(self) -> dict[str, Any]:
        if self._values is None:
            self._values = self._from_rows(_native.atts(self._group._live_id(), self._varid))
        return self._values

    def as_dict(self) -> dict[str, Any]:
        """All of them at once, as a dict of its own."""
        return self._load().copy()

    def __getitem__(self, name: str) -> Any:
        values = self._load()
        if name not in values:
            raise KeyError(f"{self._group.dataset.filename}: there is no attribute {name!r}")
        return values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._load())

    def __len__(self) -> int:
        return len(self._load())

    def __setitem__(self, name: str, value: Any) -> None:
        group, varid = self._group, self._varid
        group._define()
        if isinstance(value, str):
            text = encode(value)
            _native.put_att(group._id, varid, name, _types.CHAR, len(text), text)
        elif isinstance(value, bytes):
            _native.put_att(group._id, varid, name, _types.CHAR, len(value), value)
        elif self._is_strings(value):
            _native.put_att_strings(group._id, varid, name, [encode(str(v)) for v in value])
        else:
            array = np.atleast_1d(np.asarray(value))
            if array.dtype.kind == "b":
                raise TypeError(f"attribute {name}: a file has no type for truth values; give a number")
            if array.dtype == np.dtype("S1") or array.dtype.kind not in "SUO":
                type_id, _ = _types.file_type(group, array.dtype)
                array = np.ascontiguousarray(array.ravel(), _types.element_dtype(group, type_id))
                _native.put_att(group._id, varid, name, type_id, array.size, array.tobytes())
            else:
                if not all(isinstance(v, (str, bytes)) for v in array.ravel().tolist()):
                    raise TypeError(f"attribute {name}: text, numbers and lists of them are kept, not {value!r}")
                strings = [v if isinstance(v, bytes) else encode(str(v)) for v in array.ravel().tolist()]
                _native.put_att_strings(group._id, varid, name, strings)
        self._values = None

    @staticmethod
    def _is_strings(value: Any) -> bool:
        return isinstance(value, (list, tuple)) and len(value) > 0 and all(isinstance(v, str) for v in value)

    def __delitem__(self, name: str) -> None:
        self[name]
        self._group._define()
        _native.del_att(self._group._id, self._varid, name)
        self._values = None

    def __repr__(self) -> str:
        return repr(self._load())
